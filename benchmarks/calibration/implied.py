"""How often the interval of a model's implied accuracy holds its accuracy on true answers.

    DENIABLE_DATA=../shared/datasets python -m benchmarks.calibration.implied [--table NAME] [--times 5] [--people 6000]

Tables are eight made-up ones (four, eight or thirteen coins; people of several kinds, and a class that follows from two
answers) and twelve real ones, of which the first answers are asked. Each question has a coin of its own: every other
table a complement coin of truth 7/10, the others a uniform one at an epsilon of 2. Two thirds of the responses are
learnt from by three learners, and the last third tests them. A line has, for a table and learner, how many of the
intervals held the accuracy on the true answers of everybody else, the mean error, the mean standard error and how
often the test rejected; then the same of all.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.performance.designs import COIN, COMPLEMENT, DESIGNS, Design, answers, text
from collector.survey_file.survey_file import parse_survey
from miner.evaluation.implied import implied_accuracy
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.learners.logit import LogitClassifier
from miner.responses.responses import Values
from miner.simulation.simulation import simulate

MADE = {
    "made_4a": (2, 3, 4, 2),
    "made_4b": (3, 3, 2, 3),
    "made_8a": (2, 3, 4, 5, 3, 2, 4, 2),
    "made_8b": (3,) * 7 + (3,),
    "made_8c": (2,) * 8,
    "made_13a": (2,) * 13,
    "made_13b": (2, 3, 4) * 4 + (2,),
    "made_13c": (2, 2, 3) * 4 + (3,),
}
REAL = {  # where the class is, and how many questions are asked
    "car.data.gz": (-1, 6),
    "nursery.data.gz": (-1, 8),
    "agaricus-lepiota.data.gz": (0, 12),
    "tic-tac-toe.data.gz": (-1, 9),
    "house-votes-84.data.gz": (0, 12),
    "breast-cancer-wisconsin.data.gz": (-1, 9),
    "krkopt.data.gz": (-1, 6),
    "connect-4.data.gz": (-1, 12),
    "adult.data.gz": (-1, 12),
    "loan_data.csv.gz": (-1, 12),
    "census-income.data.gz": (-1, 12),
    "adult.test.gz": (-1, 7),
}
MOST_VALUES = 5


def real(name: str, target: int, count: int) -> Values:
    """Answers of a real table: long columns of numbers are cut into fifths, rare values joined; the class is last."""
    path = Path(os.environ.get("DENIABLE_DATA", "../shared/datasets")) / name
    head = 0 if name.endswith(".csv.gz") else None
    frame = pd.read_csv(path, header=head, nrows=20_000, skiprows=int(name == "adult.test.gz"))
    frame = frame.dropna()
    columns = list(frame.columns)
    label = columns.pop(target)
    found = []
    for column in [*columns, label]:
        each = frame[column]
        if pd.api.types.is_numeric_dtype(each) and each.nunique() > MOST_VALUES:
            codes = np.searchsorted(np.unique(np.quantile(each, [0.2, 0.4, 0.6, 0.8])), each)
        else:
            rank = each.value_counts().index[: MOST_VALUES - 1]
            codes = np.where(each.isin(rank), each.map({value: n for n, value in enumerate(rank)}), len(rank))
        found.append(np.unique(codes.astype(int), return_inverse=True)[1])
    kept = [each for each in found[:-1] if each.max() > 0 and np.bincount(each).max() < 0.97 * len(each)][:count]
    return np.stack([*kept, found[-1]], axis=1).astype(np.int16)


def tables(names: list[str] | None) -> Iterator[tuple[str, Values]]:
    """Names and answers of the tables."""
    for name, values in MADE.items():
        if names is None or name in names:
            yield name, np.concatenate(list(answers(Design(values, ()), 65_536)))
    for name, (target, count) in REAL.items():
        if names is None or name in names:
            yield name, real(name, target, count)


class Figure(NamedTuple):
    """Error of an implied accuracy, its standard error, whether its interval holds the truth; None if rejected."""

    learner: str
    error: float
    standard_error: float
    held: bool | None


def one(name: str, number: int, values: Values, seed: int, people: int) -> Iterator[Figure]:
    """The figure of each learner."""
    rng = np.random.default_rng((seed, number))
    sizes = tuple(int(each) for each in values.max(axis=0) + 1)
    kind = COMPLEMENT if number % 2 == 0 else COIN
    DESIGNS[name] = Design(sizes, tuple((kind, (place,)) for place in range(len(sizes))))
    survey = parse_survey(text(name).replace(f'name = "{name}"', 'name = "table"'))
    order = rng.permutation(len(values))
    some = values[order[: min(people, len(values) * 3 // 4)]]
    others = values[order[len(some) :]]
    responses = simulate(survey, some, rng)
    learnt, tested = map(responses.take, np.split(np.arange(len(some)), [len(some) * 2 // 3]))
    target = survey.questions[-1].name
    for label, learner in {
        "logit": LogitClassifier(survey, target, random_state=1),
        "forest": ForestClassifier(survey, target, mode="robust", n_estimators=30, random_state=1),
        "id3": ID3Classifier(survey, target, mode="robust", random_state=1),
    }.items():
        fitted = learner.fit(learnt.frame)
        right = float((fitted.probabilities(others).argmax(axis=1) == others[:, -1]).mean())
        found = implied_accuracy(tested, fitted.probabilities, target, np.random.default_rng((seed, 1)))
        if found is None:
            continue
        if found.estimate is None or found.interval is None or found.standard_error is None:
            yield Figure(label, np.nan, np.nan, None)
            continue
        low, high = found.interval
        yield Figure(label, found.estimate - right, found.standard_error, low <= right <= high)


def main() -> None:
    """Print a line for each table and learner, and one for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="append")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--people", type=int, default=6000)
    options = parser.parse_args()
    every: list[Figure] = []
    for number, (name, values) in enumerate(tables(options.table)):
        rows = [each for seed in range(options.times) for each in one(name, number, values, seed, options.people)]
        every += rows
        for label in dict.fromkeys(each.learner for each in rows):
            print(name, len(values.T), label, summary([each for each in rows if each.learner == label]), flush=True)
    print("all", summary(every))


def summary(rows: list[Figure]) -> str:
    """Coverage, mean error, mean standard error and rejections of some figures."""
    printed = [each for each in rows if each.held is not None]
    if not printed:
        return f"rejected {len(rows)} of {len(rows)}"
    errors, sizes = np.array([each.error for each in printed]), np.array([each.standard_error for each in printed])
    away = f"mean error {errors.mean():+.4f}, root mean square {np.sqrt((errors**2).mean()):.4f}"
    held = f"held {sum(bool(each.held) for each in printed)} of {len(printed)}"
    return f"{held}, {away}, standard error {sizes.mean():.4f}, rejected {len(rows) - len(printed)}"


if __name__ == "__main__":
    main()
