"""How often each 95 % interval that the commands print holds the truth, over a grid of surveys.

    python -m benchmarks.coverage_grid             # 48 surveys, 1,000 times each: an hour or two
    python -m benchmarks.coverage_grid --quick     # 50 times each: some minutes; writes nothing

The long run writes docs/results/coverage_grid.json and .md. Each repetition draws respondents to two yes-or-no
questions, disguises them afresh, and asks for every interval. A right one is seen to cover 95 % with a standard error
of 0.7 points in 1,000 repetitions. Beside each coverage stands whether docs/estimating.md recommends the interval
there; `recommended` is that page's rule, worked out from the design, not from the answers drawn.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import product
from math import log, sqrt
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from collector.errors import QueryError
from collector.survey import Survey
from collector.survey_file import parse_survey
from miner.estimate import Range
from miner.estimates.anchors import anchored
from miner.estimates.comparison import compare
from miner.estimates.crosstab import crosstab
from miner.estimates.likelihood import Explanations
from miner.estimates.regression import regress
from miner.estimates.rules import FrequentSet, rule_of, support_of
from miner.hybrid import PlainRows, hybrid_estimate
from miner.responses import Responses, Values, codes_of_values
from miner.simulation import simulate
from miner.weights import ProductWeights

RESULTS = Path(__file__).resolve().parent.parent / "docs" / "results"
OUTCOME, GROUPING, BOTH = 0, 1, 2
IN_GROUP = 0.3  # frequency of the second question's yes
MORE = 1.6  # how much more often those of the group say yes to the first than all do
YES = frozenset({0})
TOLERANCE = 0.02
Truth = dict[str, float]
Held = dict[str, bool | None]


@dataclass(frozen=True)
class Setting:
    """A survey of two questions, and how many answer it.

    Attributes:
        n: Respondents.
        channel: Of every group.
        truth: Truth probability.
        prevalence: Frequency of a yes to the first question.
        groups: 1 if both questions share a coin, else 2.
    """

    n: int
    channel: str
    truth: str
    prevalence: float
    groups: int


DISGUISES = (("complement", "9/10"), ("complement", "3/4"), ("complement", "3/5"), ("uniform", "1/2"))
SETTINGS = tuple(
    Setting(n, channel, truth, prevalence, groups)
    for n, (channel, truth), prevalence, groups in product((300, 3000), DISGUISES, (0.05, 0.2, 0.5), (1, 2))
)


def survey_of(setting: Setting) -> Survey:
    """Two yes-or-no questions."""
    lines = ['name = "grid"', 'title = "Grid"', 'languages = ["en"]']
    for number, share in enumerate((setting.prevalence, IN_GROUP)):
        lines += ["[[questions]]", f'name = "q{number}"', 'label = "Q?"', 'kind = "yes_no"']
        lines += [f"prior = {{ yes = {share}, no = {1 - share:g} }}", f'group = "g{number % setting.groups}"']
    lines.append("[groups]")
    how = f'{{ truth = "{setting.truth}", channel = "{setting.channel}" }}'
    return parse_survey("\n".join([*lines, *(f"g{number} = {how}" for number in range(setting.groups))]))


def true_figures(setting: Setting) -> Truth:
    """What each interval should hold."""
    among = MORE * setting.prevalence
    others = (setting.prevalence - IN_GROUP * among) / (1 - IN_GROUP)
    odds = log(others / (1 - others))
    return {
        "share": setting.prevalence,
        "cell": IN_GROUP * among,
        "share in a subgroup": among,
        "difference of shares": among - others,
        "regression, intercept": odds,
        "regression, slope": log(among / (1 - among)) - odds,
        "rule, confidence": among,
        "rule, lift": MORE,
        "with plain rows": IN_GROUP * among,
        "careless share": 0.0,
        "independence, level": 0.05,
    }


def recommended(setting: Setting) -> dict[str, bool]:
    """Where docs/estimating.md recommends each interval; a figure that is not named is recommended everywhere."""
    cells = certainties(setting)
    subgroup = cells["q1"] >= SURE
    fitted = cells["cell"] >= SURE
    ruled = subgroup and cells["q0"] >= SURE
    return {
        "share in a subgroup": subgroup,
        "difference of shares": subgroup,
        "regression, intercept": fitted,
        "regression, slope": fitted,
        "rule, confidence": ruled,
        "rule, lift": fitted,
        "independence, level": max(setting.prevalence / cells["q0"], IN_GROUP / cells["q1"]) < ROUGH,
    }


def certainties(setting: Setting) -> dict[str, float]:
    """How many standard errors lie between 0 and the share of each question's yes, and the smallest of their cells."""
    survey, figures = survey_of(setting), true_figures(setting)
    codes = [question.codes for question in survey.questions]
    every = Responses(survey, np.array(list(product(*codes)), np.int16))
    explained = Explanations.of(every, ["q0", "q1"])
    assert explained is not None  # noqa: S101 - four states
    among, others = figures["share in a subgroup"], figures["share in a subgroup"] - figures["difference of shares"]
    joint = np.array(
        [[IN_GROUP * among, (1 - IN_GROUP) * others], [IN_GROUP * (1 - among), (1 - IN_GROUP) * (1 - others)]]
    )
    chances = explained.expected(joint[explained.cells[:, 0], explained.cells[:, 1]])
    weights = ProductWeights(every)

    def certainty(event: dict[str, int]) -> float:
        codes_of = {name: codes_of_values(survey.question(name), {value}) for name, value in event.items()}
        terms = weights.of(codes_of)
        share = float(chances @ terms)
        return share / sqrt(float(chances @ (terms - share) ** 2) / setting.n)

    cells = [certainty({"q0": one, "q1": other}) for one, other in product((0, 1), repeat=2)]
    return {"q0": certainty({"q0": 0}), "q1": certainty({"q1": 0}), "cell": min(cells)}


SURE = 4.0  # standard errors from 0
ROUGH = 0.1  # a standard error of a margin


def people(setting: Setting, rng: np.random.Generator, *, independent: bool = False) -> Values:
    """True answers: 0 is yes."""
    grouped = rng.random(setting.n) < IN_GROUP
    figures = true_figures(setting)
    among = figures["share in a subgroup"]
    chance = np.where(grouped, among, among - figures["difference of shares"])
    yes = rng.random(setting.n) < (setting.prevalence if independent else chance)
    return np.stack([~yes, ~grouped], axis=1).astype(np.int16)


def intervals(responses: Responses, plain: PlainRows) -> Iterator[tuple[str, Range | None]]:
    """Every interval, None where a command would print none."""
    table = crosstab(responses, "q0", "q1")
    yield "share", table.rows["yes"].interval
    yield "cell", table.cells["yes", "yes"].interval
    compared = compare(responses, {"q0": YES}, {"q1": YES}, {"q1": frozenset({1})})
    yield "share in a subgroup", None if compared.first is None else compared.first.interval
    yield "difference of shares", None if compared.difference is None else compared.difference.interval
    yield from _coefficients(responses)
    weights, items = ProductWeights(responses), ((0, 0), (1, 0))
    whole = FrequentSet(items, support_of(responses.survey, weights, items))
    rule = rule_of(responses.survey, weights, whole, (0, 0))
    yield "rule, confidence", None if rule is None else rule.confidence.interval
    yield "rule, lift", None if rule is None else rule.lift.interval
    yield "with plain rows", hybrid_estimate(responses, plain, {"q0": YES, "q1": YES}).interval
    careless = anchored(responses, "q0").share
    if careless is not None:
        yield "careless share", careless.interval


def _coefficients(responses: Responses) -> Iterator[tuple[str, Range | None]]:
    names = ("regression, intercept", "regression, slope")
    try:
        terms = regress(responses, "q0 ~ q1").terms
    except QueryError:
        yield from ((name, None) for name in names)
    else:
        yield from ((name, term.interval) for name, term in zip(names, terms, strict=True))


def measured(setting: Setting, repetitions: int, seed: int) -> dict[str, Any]:
    """How often each interval held the truth, and how often there was one."""
    rng = np.random.default_rng(seed)
    survey, truth = survey_of(setting), true_figures(setting)
    held: dict[str, list[bool | None]] = {}
    for _ in range(repetitions):
        responses = simulate(survey, people(setting, rng), rng)
        plain = PlainRows.of(survey, people(setting, rng)[: setting.n // 4])
        for name, found in intervals(responses, plain):
            held.setdefault(name, []).append(None if found is None else found[0] <= truth[name] <= found[1])
        apart = crosstab(simulate(survey, people(setting, rng, independent=True), rng), "q0", "q1").independence
        held.setdefault("independence, level", []).append(
            None if apart is None else apart.p_value >= truth["independence, level"]
        )
    advised = recommended(setting)
    return {
        **asdict(setting),
        "repetitions": repetitions,
        "seed": seed,
        "figures": {
            name: _figure(outcomes) | {"recommended": advised.get(name, True)} for name, outcomes in held.items()
        },
    }


def _figure(outcomes: list[bool | None]) -> dict[str, float | None]:
    there = [each for each in outcomes if each is not None]
    share = len(there) / len(outcomes)
    return {"covered": sum(there) / len(there) if there else None, "with_interval": share}


def page(results: list[dict[str, Any]]) -> str:
    """The results for people to read: each figure where it is recommended and where not, then every survey."""
    repetitions = results[0]["repetitions"]
    made = (
        f"Made by `python -m benchmarks.coverage_grid --repetitions {repetitions}`: {len(results)} surveys of two "
        "questions, 300 or 3,000 respondents; complement channel at truth 9/10, 3/4 and 3/5, uniform at 1/2; frequency "
        "of yes .05, .2, .5; both questions in one group or each in its own. Where [estimating](../estimating.md) does "
        "not recommend a figure its row stands apart. *Off* counts surveys whose coverage was seen more than 2 points "
        "from 95 %, *clearly off* those where chance would not do that (more than 2 points and two standard errors, "
        f"{2 * _noise(repetitions):.3f})."
    )
    lines = [
        "# Coverage of 95 % intervals, over a grid",
        "",
        made,
        "",
        "| figure | recommended | surveys | least | mean | most | off | clearly off | least often there is one |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    noise = _noise(repetitions)
    for name, advised in product(results[0]["figures"], (True, False)):
        figures = [each["figures"][name] for each in results if name in each["figures"]]
        lines += _row(name, [each for each in figures if each["recommended"] is advised], noise, advised=advised)
    lines += ["", *_details(results)]
    return "\n".join(lines) + "\n"


def _noise(repetitions: int) -> float:
    """The standard error of a coverage of .95 in so many repetitions."""
    return sqrt(0.95 * 0.05 / repetitions)


def _row(name: str, figures: list[dict[str, Any]], noise: float, *, advised: bool) -> Iterator[str]:
    covered: NDArray[np.float64] = np.array([each["covered"] for each in figures if each["covered"] is not None])
    if len(covered):
        gaps = np.abs(covered - 0.95)
        off, clearly = int((gaps > TOLERANCE).sum()), int((gaps > TOLERANCE + 2 * noise).sum())
        there = min(each["with_interval"] for each in figures)
        text = f"{covered.min():.3f} | {covered.mean():.3f} | {covered.max():.3f} | {off} | {clearly} | {there:.2f}"
        yield f"| {name} | {'yes' if advised else 'no'} | {len(covered)} | {text} |"


def _details(results: list[dict[str, Any]]) -> Iterator[str]:
    names = list(results[0]["figures"])
    yield "Every survey; in brackets where it is not recommended, with - where there was no interval:"
    yield ""
    yield f"| n | channel | truth | prevalence | groups | {' | '.join(names)} |"
    yield "|" + "---|" * (5 + len(names))
    for each in results:
        cells = [_detail(each["figures"].get(name)) for name in names]
        where = f"{each['n']} | {each['channel']} | {each['truth']} | {each['prevalence']} | {each['groups']}"
        yield f"| {where} | {' | '.join(cells)} |"


def _detail(figure: dict[str, Any] | None) -> str:
    if figure is None or figure["covered"] is None:
        return "-"
    text = f"{figure['covered']:.3f}"
    return text if figure["recommended"] else f"({text})"


@click.command()
@click.option("--quick", is_flag=True, help="50 repetitions, printed and not written.")
@click.option("--repetitions", type=int, default=1000, show_default=True, help="Of the long run.")
def main(*, quick: bool, repetitions: int) -> None:
    """Measure coverage over the grid."""
    results = []
    for seed, setting in enumerate(SETTINGS, start=1):
        results.append(measured(setting, 50 if quick else repetitions, seed))
        click.echo(f"{seed} of {len(SETTINGS)}", err=True)
    if quick:
        click.echo(page(results))
        return
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "coverage_grid.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    (RESULTS / "coverage_grid.md").write_text(page(results), encoding="utf-8")


if __name__ == "__main__":
    main()
