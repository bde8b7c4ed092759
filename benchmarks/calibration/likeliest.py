"""How far the likeliest frequencies are from the unbiased estimates where questions are not asked of everybody.

    python -m benchmarks.calibration.likeliest               # some seconds
    python -m benchmarks.calibration.likeliest --designs 3

Random designs: a gate of any kind, a follower of any kind that is asked after some of its values, and a follower of
that one. Each question has a coin of its own, with complements or uniform replacements. Where nothing is outside 0 to 1
both estimate the same share, so that they differ by less than two standard errors of the unbiased one. Prints a line
for each value of a follower, and the number of lines further apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import click
import numpy as np

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.estimates.estimate import frequencies
from miner.estimates.frequencies import likeliest_frequencies
from miner.responses.responses import Values
from miner.simulation.simulation import simulate

DESIGNS, PEOPLE, SEED = 20, 4000, 11
NAMES = ("gate", "follower", "nested")
WORDS = ("one", "two", "three", "four")


@dataclass(frozen=True)
class Line:
    """One value of one follower.

    Attributes:
        value: Its question and value in words.
        truth: Its share of the people.
        unbiased: The unbiased estimate of it.
        error: Standard error of that.
        likeliest: The likeliest frequency.
    """

    value: str
    truth: float
    unbiased: float
    error: float
    likeliest: float

    @property
    def errors_apart(self) -> float:
        """Distance of both estimates, in standard errors."""
        return abs(self.likeliest - self.unbiased) / self.error


def design(rng: np.random.Generator) -> Survey:
    """A random survey of a gate, its follower and a follower of that."""
    questions, groups, condition = [], [], ""
    for name in NAMES:
        kind = str(rng.choice(["yes_no", "choice", "scale", "multiple"]))
        values = WORDS[: rng.integers(3, 5)]
        listed = ", ".join(f'"{word}"' for word in values)
        more = {
            "yes_no": "",
            "multiple": 'options = { a = "A", b = "B", c = "C" }\nmost = 2\n',
        }.get(kind, f"values = [{listed}]\n")
        asked = f"ask_if = '{condition}'\n" if condition else ""
        questions.append(
            f'[[questions]]\nname = "{name}"\nlabel = "Q"\nkind = "{kind}"\ngroup = "{name}"\n{more}{asked}'
        )
        condition = {
            "yes_no": f"{name} = yes",
            "choice": f"not {name} = {values[-1]}",
            "scale": f"{name} in ({values[0]}, {values[2]})",
            "multiple": f"{name} has a",
        }[kind]
        channel = rng.choice(["complement", "uniform"])
        truth = rng.choice(["7/10", "3/4", "4/5"])
        groups.append(f'{name} = {{ truth = "{truth}", channel = "{channel}" }}\n')
    head = 'name = "random"\ntitle = "Random"\nlanguages = ["en"]\n'
    return parse_survey("\n".join([head, *questions, "[groups]", *groups]))


def people(survey: Survey, count: int, rng: np.random.Generator) -> Values:
    """Random answers; those who are not asked have ``not_applicable``, the last value."""
    values = np.zeros((count, len(survey.questions)), np.int16)
    for column, question in enumerate(survey.questions):
        conditions = survey.routes.conditions(question.name)
        size = len(question.values) - bool(conditions)
        values[:, column] = rng.choice(size, count, p=rng.dirichlet(np.full(size, 2.0)))
        for parent, wanted in conditions.items():
            unasked = ~np.isin(values[:, survey.column(parent)], list(wanted))
            values[unasked, column] = len(question.values) - 1
    return values


def lines(seed: int, count: int = PEOPLE) -> list[Line]:
    """The values of the followers of one random design."""
    rng = np.random.default_rng(seed)
    survey = design(rng)
    answers = people(survey, count, rng)
    responses = simulate(survey, answers, rng)
    found, unbiased = [], frequencies(responses)
    for question in survey.questions:
        if not survey.routes.conditions(question.name):
            continue
        likeliest = likeliest_frequencies(responses, [question.name])
        for value, share in enumerate(unbiased[question.name]):
            if likeliest is None or share is None or share.standard_error is None:
                raise ValueError("too much to write out")
            truth = float((answers[:, survey.column(question.name)] == value).mean())
            words = f"{question.name} = {question.values[value]}"
            likely = likeliest.share({question.name: frozenset({value})})
            found.append(Line(words, truth, share.estimate, share.standard_error, likely))
    return found


@click.command()
@click.option("--designs", default=DESIGNS, show_default=True, help="Number of random designs.")
def main(*, designs: int) -> None:
    """Compare both estimates in random routed designs."""
    every = [(number, line) for number in range(designs) for line in lines(SEED + number)]
    for number, line in every:
        click.echo(
            f"design {number}, {line.value}: true {line.truth:.3f}, unbiased {line.unbiased:.3f} "
            f"({line.error:.3f}), likeliest {line.likeliest:.3f}, {line.errors_apart:.2f} standard errors apart"
        )
    far = sum(line.errors_apart > 2 for _, line in every)
    click.echo(f"{far} of {len(every)} values are more than 2 standard errors apart")


if __name__ == "__main__":
    main()
