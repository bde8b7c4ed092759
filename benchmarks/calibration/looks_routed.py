"""How often the desk's intervals hold a share among those asked at every look, from the tenth response on.

    python -m benchmarks.calibration.looks_routed            # some three minutes
    python -m benchmarks.calibration.looks_routed 50         # so many surveys of each design

Six designs, in which one or two questions are asked after some answers to others. Each survey has fresh people and
coins, and is looked at after every ten responses up to 100, then after every fifty up to 1,000. Where the share of
those asked cannot be told from 0 the desk gives no interval, which cannot miss. Prints for each design, of the share
that is held least often: the share of surveys in which every interval held it, likewise for the interval for one look;
and the mean over all shares of the number of responses at the first interval, and of the length of the last.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.desk.sequence import stretch
from miner.estimates.comparison import share_within
from miner.figures.estimate import Range
from miner.figures.figure import ROUNDING, Figure
from miner.responses.responses import Values, codes_of_values
from miner.simulation.simulation import simulate
from miner.weights.weights import ProductWeights

SURVEYS, SEED, PLANNED = 300, 7, 1000
LOOKS = (*range(10, 100, 10), *range(100, PLANNED + 1, 50))
FIRST_LOOKS = (10, 20, 30, 50)  # of those for one look, whose coverage is printed too


class Asked(NamedTuple):
    """A question of a design, in TOML, with the share of each value among those who are asked it."""

    lines: str
    shares: tuple[float, ...]


YES_NO = 'kind = "yes_no"\n'
CHOICE = 'kind = "choice"\nvalues = ["one", "two", "three"]\n'
SCALE = 'kind = "scale"\nvalues = ["low", "middle", "high"]\n'
BOXES = 'kind = "multiple"\noptions = { a = "A", b = "B", c = "C" }\nmost = 2\n'  # none, each, each two
DESIGNS: dict[str, tuple[tuple[Asked, ...], str]] = {
    "yes or no, complements": (
        (Asked(YES_NO, (0.3, 0.7)), Asked(YES_NO + "ask_if = 'q0 = yes'\n", (0.1, 0.9))),
        'truth = "3/4"',
    ),
    "choice, boxes and a nested question, uniform": (
        (
            Asked(CHOICE, (0.4, 0.4, 0.2)),
            Asked(BOXES + "ask_if = 'q0 in (one, two)'\n", (0.1, 0.3, 0.2, 0.1, 0.1, 0.1, 0.1)),
            Asked(YES_NO + "ask_if = 'q1 has a'\n", (0.3, 0.7)),
        ),
        'truth = "3/4", channel = "uniform"',
    ),
    "scale and a nested choice, complements": (
        (
            Asked(SCALE, (0.2, 0.5, 0.3)),
            Asked(SCALE + "ask_if = 'q0 in (middle, high)'\n", (0.2, 0.3, 0.5)),
            Asked(CHOICE + "ask_if = 'q1 = high'\n", (0.05, 0.35, 0.6)),
        ),
        'truth = "4/5"',
    ),
    "boxes that few tick, complements": (
        (
            Asked(BOXES, (0.5, 0.1, 0.2, 0.05, 0.05, 0.05, 0.05)),
            Asked(CHOICE + "ask_if = 'q0 has a'\n", (0.2, 0.1, 0.7)),
        ),
        'truth = "9/10"',
    ),
    "not_applicable sent as a value, uniform": (
        (Asked(YES_NO, (0.5, 0.5)), Asked(SCALE + "ask_if = 'q0 = yes'\nunasked = \"sent\"\n", (0.6, 0.3, 0.1))),
        'truth = "1/2", channel = "uniform"',
    ),
    "a rare answer, weak disguise": (
        (Asked(YES_NO, (0.1, 0.9)), Asked(YES_NO + "ask_if = 'q0 = yes'\n", (0.5, 0.5))),
        'truth = "19/20"',
    ),
}


class Held(NamedTuple):
    """Figures of one design; the first two, and those of single looks, of the share that is held least often.

    Attributes:
        every_look: Share of surveys whose every interval held.
        one_look: Likewise of intervals for one look.
        single: Of each of `FIRST_LOOKS` the share of surveys whose interval for one look held, where there was one.
        first: Mean number of responses at the first interval.
        length: Mean length of the last interval.
    """

    every_look: float
    one_look: float
    single: tuple[float, ...]
    first: float
    length: float


def survey_of(design: str) -> Survey:
    """The survey of a design: each question has a coin of its own."""
    questions, how = DESIGNS[design]
    tables = [
        f'[[questions]]\nname = "q{number}"\nlabel = "Q"\ngroup = "q{number}"\n{each.lines}'
        for number, each in enumerate(questions)
    ]
    groups = [f"q{number} = {{ {how} }}" for number in range(len(questions))]
    return parse_survey("\n".join(['name = "looks"\ntitle = "L"\nlanguages = ["en"]', *tables, "[groups]", *groups]))


def people(survey: Survey, design: str, count: int, rng: np.random.Generator) -> Values:
    """Fresh answers of so many people, in value indices."""
    values = np.zeros((count, len(survey.questions)), np.int16)
    for column, (question, asked) in enumerate(zip(survey.questions, DESIGNS[design][0], strict=True)):
        values[:, column] = rng.choice(len(asked.shares), count, p=asked.shares)
        for parent, wanted in survey.routes.conditions(question.name).items():
            values[~np.isin(values[:, survey.column(parent)], list(wanted)), column] = len(question.values) - 1
    return values


def held(design: str, surveys: int, rng: np.random.Generator) -> Held:
    """Watch so many surveys of one design."""
    survey, (asked, _) = survey_of(design), DESIGNS[design]
    truths = [share for each in asked[1:] for share in each.shares]
    kept = np.ones((surveys, len(truths), 2), bool)
    single = np.full((surveys, len(truths), len(FIRST_LOOKS)), np.nan)
    first = np.full((surveys, len(truths)), np.nan)
    length = np.full((surveys, len(truths)), np.nan)
    for number in range(surveys):
        weights = ProductWeights(simulate(survey, people(survey, design, PLANNED, rng), rng))
        shares = [each for place in range(1, len(asked)) for each in _shares(survey, weights, place)]
        for which, (share, truth) in enumerate(zip(shares, truths, strict=True)):
            for count in LOOKS:
                part = _first(share, count)
                if part is None:
                    continue
                once, every = part.estimate.interval, part.at(stretch(count, PLANNED)).interval
                kept[number, which] &= [_holds(every, truth), _holds(once, truth)]
                if count in FIRST_LOOKS and once is not None:
                    single[number, which, FIRST_LOOKS.index(count)] = _holds(once, truth)
                if every is not None:
                    first[number, which] = np.fmin(first[number, which], count)
                    length[number, which] = every[1] - every[0]
    every_look, one_look = kept.mean(axis=0).min(axis=0).tolist()
    seen = (~np.isnan(single)).sum(axis=0)
    covered = np.where(seen > surveys / 10, np.nansum(single, axis=0) / np.maximum(seen, 1), np.nan)
    worst = [float("nan") if np.isnan(each).all() else float(np.nanmin(each)) for each in covered.T]
    return Held(every_look, one_look, tuple(worst), float(np.nanmean(first)), float(np.nanmean(length)))


def _shares(survey: Survey, weights: ProductWeights, place: int) -> list[Figure]:
    question = survey.questions[place]
    values = range(len(question.values) - 1)
    asked = {question.name: codes_of_values(question, {*values})}
    found = [
        share_within(weights, np.ones(PLANNED), {question.name: codes_of_values(question, {value})}, asked)
        for value in values
    ]
    return [each for each in found if each is not None]


def _first(share: Figure, count: int) -> Figure | None:
    """The same of the first responses; None if nobody of them is estimated to have been asked."""
    numerator, denominator = share.numerator[:count], share.denominator[:count]
    if denominator.mean() <= ROUNDING:
        return None
    return Figure(numerator, denominator, np.ones(count), share.possible, share.ends)


def _holds(interval: Range | None, truth: float) -> bool:
    return interval is None or interval[0] <= truth <= interval[1]


def main(surveys: int = SURVEYS) -> None:
    """Print a line for each design."""
    for design in DESIGNS:
        found = held(design, surveys, np.random.default_rng(SEED))
        single = ", ".join(f"{share:.3f} at {count}" for share, count in zip(found.single, FIRST_LOOKS, strict=True))
        print(
            f"{design}: every look held {found.every_look:.3f}, intervals for one look {found.one_look:.3f} "
            f"(alone {single}); first interval at {found.first:.0f} responses, the last {found.length:.2f} long",
            flush=True,
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
