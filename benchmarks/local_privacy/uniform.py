"""The `uniform` channel, an epsilon-LDP one, on votes, nursery and Adult: every question its own group.

    python -m benchmarks.local_privacy.uniform [--quick]

Two thirds of the rows are disguised, with the same epsilon for every question, and learnt from; accuracy and AUC (of
several classes: each against the rest, weighted by frequency) are measured on the others as they are. Beside the
learners a forest that takes the responses for true. Writes `docs/results/uniform.csv`.

Marginals are those of direct encoding as the package pure-ldp aggregates it: (n_v / n - q) / (p - q) with
p = e^eps / (e^eps + k - 1) and q = (1 - p) / (k - 1). The largest difference is printed; it is rounding.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.data.coded import read_rows
from benchmarks.data.tables import ADULT, congressional_votes, quartile_cuts
from benchmarks.learning.protocol import AS_IF_TRUE, LEARNERS, STREAM, Cell
from benchmarks.learning.runs import Runs, line
from collector.channel.channel import channel
from collector.coding.coding import plain_coding
from collector.survey.question import Question
from collector.survey.survey import Group, Survey
from collector.survey.text import Text
from miner.estimates.estimate import estimate
from miner.responses.condition import event_of
from miner.responses.responses import Responses, Values
from miner.simulation.simulation import simulate

EPSILONS = ("1/2", "1", "2", "4")
REPETITIONS = {"votes": 10, "nursery": 5, "adult": 2}
HEARD = (*(name for name in LEARNERS if "faithful" not in name), f"forest {AS_IF_TRUE}")
DENOMINATOR = 10**6  # of a truth probability
NURSERY = ("parents", "has_nurs", "form", "children", "housing", "finance", "social", "health", "label")
NUMBERS = ("age", "capital_gain", "capital_loss", "hours_per_week")


class ValueTable(NamedTuple):
    """A table of value indices, the class last.

    Attributes:
        name: Name of the table.
        values: Shape (rows, questions).
        kinds: How many values each question has.
        scales: Whether the values of each question have an order.
    """

    name: str
    values: Values
    kinds: tuple[int, ...]
    scales: tuple[bool, ...]


def table_of(name: str, frame: pd.DataFrame) -> ValueTable:
    """A frame of words, intervals or ordered categories, the class last."""
    columns = [frame[column].astype("category").cat for column in frame.columns]
    values = np.column_stack([column.codes for column in columns]).astype(np.int16)
    kinds = tuple(len(column.categories) for column in columns)
    return ValueTable(name, values, kinds, tuple(bool(column.ordered) for column in columns))


def votes() -> ValueTable:
    """Congressional votes: y against the rest."""
    answers = congressional_votes().answers
    return table_of("votes", (answers == "y").assign(party=answers["party"]))


def nursery_rows() -> pd.DataFrame:
    """Nursery without the two rarest of its five classes: the three that have many rows."""
    frame = read_rows("nursery.data", NURSERY)
    return frame[~frame["label"].isin(["recommend", "very_recom"])]


def nursery() -> ValueTable:
    """Nursery, its values without order."""
    return table_of("nursery", nursery_rows())


def adult_rows() -> pd.DataFrame:
    """Both parts of Adult: names as they are, numbers but fnlwgt and education_num cut at their quartiles."""
    columns = (*ADULT, "income")
    frame = pd.concat([read_rows("adult.data", columns), read_rows("adult.test", columns)], ignore_index=True)
    for name in NUMBERS:
        numbers = frame[name].astype(int)
        frame[name] = np.searchsorted(quartile_cuts(numbers), numbers, side="right")
    return frame


def adult() -> ValueTable:
    """Adult without fnlwgt and education_num, its values and intervals without order."""
    return table_of("adult", adult_rows().drop(columns=["fnlwgt", "education_num"]))


TABLES: dict[str, Callable[[], ValueTable]] = {"votes": votes, "nursery": nursery, "adult": adult}


def truth_of(epsilon: str, kinds: int) -> Fraction:
    """The truth probability that gives one question of so many values this epsilon (docs/guarantee.md, section 5)."""
    odds = exp(float(Fraction(epsilon))) - 1
    return Fraction(round(DENOMINATOR * odds / (odds + kinds)), DENOMINATOR)


def survey_of(table: ValueTable, epsilon: str) -> Survey:
    """Every question its own group."""
    names = [*(f"q{number}" for number in range(len(table.kinds) - 1)), "label"]
    questions, groups = [], []
    for name, kinds, scale in zip(names, table.kinds, table.scales, strict=True):
        words, prior = tuple(f"v{value}" for value in range(kinds)), (Fraction(1, kinds),) * kinds
        kind = "scale" if scale else "choice"
        questions.append(Question(name, Text.of(en=name), kind, words, prior, plain_coding(kinds), sensitive=True))
        groups.append(Group(f"g_{name}", channel("uniform", truth_of(epsilon, kinds)), (name,)))
    return Survey(table.name, Text.of(en=table.name), ("en",), tuple(questions), tuple(groups), "label")


class Deal(NamedTuple):
    """A table dealt.

    Attributes:
        responses: Two thirds of the rows, disguised.
        rows: The same as they are.
        test: The others.
    """

    responses: Responses
    rows: Values
    test: Values


def dealt(table: ValueTable, survey: Survey, rng: np.random.Generator) -> Deal:
    """The table in an order drawn at random, and its first two thirds disguised as the survey has it."""
    order = rng.permutation(len(table.values))
    rows, test = np.split(table.values[order], [len(order) * 2 // 3])
    return Deal(simulate(survey, rows, rng), rows, test)


@dataclass(frozen=True)
class Split:
    """Deals a table into responses and test rows."""

    table: ValueTable

    def __call__(self, cell: Cell, repetition: int) -> tuple[Responses, Values]:
        """Two thirds of the rows as responses, and the others."""
        survey = survey_of(self.table, cell.truth.removeprefix("epsilon "))
        deal = dealt(self.table, survey, np.random.default_rng((STREAM, repetition)))
        return deal.responses, deal.test


def direct_encoding_gap(responses: Responses) -> float:
    """The largest difference of a marginal from what direct encoding estimates on the same responses."""
    gap = 0.0
    for column, (question, group) in enumerate(zip(responses.survey.questions, responses.survey.groups, strict=True)):
        theta, kinds = float(group.channel.truth([])), len(question.values)
        epsilon = log(1 + theta * kinds / (1 - theta))
        keep = exp(epsilon) / (exp(epsilon) + kinds - 1)
        other = (1 - keep) / (kinds - 1)
        shares = np.bincount(responses.codes[:, column], minlength=kinds) / len(responses)
        for value, share in enumerate(shares.tolist()):
            event = event_of(responses.survey, {question.name: frozenset({value})})
            gap = max(gap, abs(estimate(responses, event).estimate - (share - other) / (keep - other)))
    return gap


def main() -> None:
    """Run, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="votes once, at two epsilons: under a minute")
    options = parser.parse_args()
    if options.quick:
        split = Split(votes())
        for epsilon in ("1", "4"):
            cell = Cell(f"epsilon {epsilon}", 0, channel="uniform")
            print(f"marginals are off by {direct_encoding_gap(split(cell, 0)[0]):.1e}")
            print(line(Runs("quick").add("votes", cell, HEARD, 0, split)))
        return
    runs = Runs("uniform")
    for repetition in range(max(REPETITIONS.values())):
        for name in [name for name in TABLES if repetition < REPETITIONS[name]]:
            split = Split(TABLES[name]())
            for epsilon in EPSILONS:
                found = runs.add(name, Cell(f"epsilon {epsilon}", 0, channel="uniform"), HEARD, repetition, split)
                if found:
                    print(line(found), flush=True)
                    runs.write_summary("uniform")
    runs.write_summary("uniform")


if __name__ == "__main__":
    main()
