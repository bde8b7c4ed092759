"""How much better each member of `auto` predicts when it learns from twice as many responses.

    python -m benchmarks.learning.curve [--table made] [--design "three 4/5"] [--learners WORDS] [--most 131072]

A made-up population of `QUESTIONS` questions of two to five values, six latent classes and a class of two values that
depends on all of them and on two pairs (`--table made`), or Adult (`--table adult`), in a design of
`benchmarks.learning.naive`. Each learner is fitted to the first 4,096, 8,192, ... responses of one deal and judged on
`TESTED` rows that are not disguised: the log loss of the true class, how far it fell from half as many responses, and
the standard error of this paired difference. Each line of `docs/results/curve.csv` is one fit, written as it ends.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator
from math import sqrt
from time import process_time

import numpy as np

from benchmarks.learning.naive import DESIGNS, RARE, design
from benchmarks.local_privacy import scaled
from benchmarks.local_privacy.uniform import ValueTable
from benchmarks.results import RESULTS
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.learners.auto import AutoClassifier
from miner.learners.classifier import DisguisedClassifier
from miner.responses.responses import Values
from miner.simulation.simulation import simulate

QUESTIONS, LATENT, FEWEST, TESTED, SEED = 14, 6, 4_096, 15_000, 11
LEAST = 1e-4  # of a predicted probability, as where candidates are compared


def made(rows: int, questions: int, rng: np.random.Generator) -> ValueTable:
    """A made-up population, its effects always the same; every other question is a scale."""
    fixed = np.random.default_rng(5)
    kinds = (*(2 + number % 4 for number in range(questions - 1)), 2)
    latent = rng.integers(LATENT, size=rows)
    values, scores = np.zeros((rows, questions), np.int16), np.zeros(rows)
    for number, count in enumerate(kinds[:-1]):
        ends = fixed.dirichlet(np.full(count, 1.5), LATENT).cumsum(axis=1)
        values[:, number] = np.minimum((rng.random((rows, 1)) >= ends[latent]).sum(axis=1), count - 1)
        scores += 0.7 * fixed.normal(size=count)[values[:, number]]
    scores += 1.5 * ((values[:, 0] == 0) & (values[:, 1] == 1)) - 1.5 * ((values[:, 2] > 1) & (values[:, 3] > 2))
    values[:, -1] = rng.random(rows) < 1 / (1 + np.exp(np.median(scores) - scores))
    return ValueTable("made", values, kinds, tuple(number % 2 == 0 for number in range(questions)))


def losses(predicted: Floats, truth: Values) -> Floats:
    """Shape (rows,): the log loss of the true class."""
    return np.asarray(-np.log(np.maximum(predicted[np.arange(len(truth)), truth], LEAST)))


def learners(survey: Survey, names: list[str]) -> dict[str, Callable[[], DisguisedClassifier]]:
    """Candidates of `auto` by name; all but the most frequent class where none is named."""
    every = {each.name: each.make for each in AutoClassifier(survey, random_state=SEED).candidates("label")}
    return {name: make for name, make in every.items() if (name in names if names else name != "majority")}


def main() -> None:
    """Fit, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", choices=("made", "adult"), default="made")
    parser.add_argument("--design", choices=(*DESIGNS, *RARE), help="all of them unless said")
    parser.add_argument("--learners", help="names of candidates, separated by commas; all unless said")
    parser.add_argument("--most", type=int, default=2**17, help="responses")
    options = parser.parse_args()
    path = RESULTS / "curve.csv"
    is_new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        if is_new:
            out.writerow(("table", "design", "learner", "responses", "loss", "fall", "standard_error"))
        for name in [options.design] if options.design else (*DESIGNS, *RARE):
            for row in curves(
                options.table, name, options.learners.split(",") if options.learners else [], options.most
            ):
                out.writerow(row)
                file.flush()


def curves(kind: str, name: str, wanted: list[str], most: int) -> Iterator[list[object]]:
    """The rows of one design: each learner, each number of responses."""
    rng = np.random.default_rng(SEED)
    table = scaled.adult() if kind == "adult" else made(most + TESTED, QUESTIONS, rng)
    values = table.values[rng.permutation(len(table.values))]
    survey = design(table, name, rng)
    test, learnt = values[:TESTED], values[TESTED:]
    responses = simulate(survey, learnt, rng)
    for learner, make in learners(survey, wanted).items():
        before: Floats | None = None
        count = FEWEST
        while count <= min(len(learnt), most):
            start = process_time()
            model = make().fit(responses.take(np.arange(count)))
            seconds = process_time() - start
            now = losses(model.probabilities(test), test[:, -1])
            fall = None if before is None else before - now
            row: list[object] = [kind, name, learner, count, f"{now.mean():.5f}"]
            row += ["", ""] if fall is None else [f"{fall.mean():.5f}", f"{fall.std() / sqrt(len(fall)):.5f}"]
            print(*row, f"{seconds:.1f} s", flush=True)
            yield row
            before, count = now, 2 * count


if __name__ == "__main__":
    main()
