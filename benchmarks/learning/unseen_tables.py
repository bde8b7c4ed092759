"""Compare `auto` with every learner of its pool, on tables that no other benchmark has.

    python -m benchmarks.learning.unseen_tables                    # every table, three deals: more than an hour
    python -m benchmarks.learning.unseen_tables --table iris --table fair --deals 1 --people 1000
    python -m benchmarks.learning.unseen_tables --shared 4         # an epsilon of 4 in all, not 2 a question

The rows of a table are dealt into halves. The people of the simulated survey are drawn from one half with replacement,
and have uniform coins of their own for each question. Every learner is judged by the accuracy and the log loss of the
true class of the other half, given the true answers. A line says how far `auto` is ahead of the learner of the pool
that is best in accuracy there, chosen afterwards, with the standard error of the paired difference over the rows of the
other half. `seconds` is the processor time of `auto`.

Tables are those of `sklearn.datasets` and `statsmodels.datasets` that come with the packages, with numbers cut into
four, and two made-up ones. The learners are the candidates of `auto`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from math import exp
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from sklearn import datasets as sklearn_tables
from statsmodels import datasets as statsmodels_tables  # type: ignore[import-untyped] # it brings no types

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.arrays import Floats
from miner.learners.auto import AutoClassifier
from miner.responses.responses import Values
from miner.simulation.simulation import simulate

LEVELS, MOST_VALUES = 4, 6  # values of a number that is cut, and the largest number of values that is left as it is
MADE_UP = 20_000
TINY = 1e-9
CLASS = "answer"


def _levels(column: Floats) -> Values:
    """The column as value indices: its values, or its quarters if there are many."""
    values = np.unique(column)
    if len(values) > MOST_VALUES:
        cuts = np.unique(np.quantile(column, np.arange(1, LEVELS) / LEVELS))
        column = np.searchsorted(cuts, column).astype(np.float64)
    return np.unique(column, return_inverse=True)[1].astype(np.int16)


def _table(predictors: Floats, target: Floats) -> Values:
    return np.stack([*(_levels(column) for column in predictors.T), _levels(target)], axis=1)


def _sklearn(load: Callable[[], Any], columns: Sequence[int]) -> Values:
    found = load()
    return _table(found.data[:, columns], found.target)


def _digits() -> Values:
    """Means of the nine blocks of the middle of a picture, to tell 3 from 5 and 8."""
    found = sklearn_tables.load_digits()
    some = np.isin(found.target, [3, 5, 8])
    pictures = found.images[some][:, 1:7, 1:7].reshape(-1, 3, 2, 3, 2).mean(axis=(2, 4))
    return _table(pictures.reshape(-1, 9), found.target[some])


def _statsmodels(name: str, predictors: Sequence[str], target: str, most: float | None = None) -> Values:
    """Some columns of a table; the class is cut to 0, ..., most."""
    found = getattr(statsmodels_tables, name).load_pandas().data.dropna(subset=[*predictors, target])
    answers = np.ceil(found[target].to_numpy(float))
    return _table(found[list(predictors)].to_numpy(float), answers if most is None else np.minimum(answers, most))


def _one_trait() -> Values:
    """Five scales and three ordered classes that follow one trait."""
    rng = np.random.default_rng(1)
    seen = rng.normal(size=(MADE_UP, 1)) + rng.normal(size=(MADE_UP, 6)) * [0.5, 0.5, 0.5, 0.5, 0.5, 0.35]
    ranks = seen.argsort(axis=0).argsort(axis=0) / MADE_UP
    return np.floor(ranks * [5, 5, 5, 5, 5, 3]).astype(np.int16)


def _pair() -> Values:
    """Four independent choices, of which two tell the class only together, and one alone."""
    rng = np.random.default_rng(2)
    choices = rng.integers([2, 3, 3, 4], size=(MADE_UP, 4))
    score = 2.0 * (choices[:, 0] == (choices[:, 1] > 0)) + choices[:, 2] - 2.0 + rng.logistic(scale=0.5, size=MADE_UP)
    return np.column_stack([choices, score > 0]).astype(np.int16)


TABLES: dict[str, Callable[[], Values]] = {
    "iris": lambda: _sklearn(sklearn_tables.load_iris, range(4)),
    "wine": lambda: _sklearn(sklearn_tables.load_wine, [0, 1, 6, 9, 10, 12]),
    "breast_cancer": lambda: _sklearn(sklearn_tables.load_breast_cancer, [0, 1, 4, 5, 6, 8]),
    "digits": _digits,
    "fair": lambda: _statsmodels("fair", ["rate_marriage", "age", "yrs_married", "religious", "educ"], "affairs", 1),
    "anes96": lambda: _statsmodels("anes96", ["selfLR", "ClinLR", "DoleLR", "PID", "educ", "income"], "vote"),
    "party": lambda: _statsmodels("anes96", ["selfLR", "ClinLR", "DoleLR", "TVnews", "age", "income"], "PID"),
    "randhie": lambda: _statsmodels("randhie", ["lncoins", "idp", "lpi", "physlm", "disea", "hlthg"], "mdvis", 2),
    "one_trait": _one_trait,
    "pair": _pair,
}


class Scored(NamedTuple):
    """Accuracy and log loss of a learner, and whether it is right for each row."""

    right: Floats
    loss: float

    @classmethod
    def of(cls, shares: Floats, classes: Values) -> Scored:
        """Scores of predicted class probabilities, given the true classes."""
        chance = np.maximum(shares[np.arange(len(classes)), classes], TINY)
        return cls((shares.argmax(axis=1) == classes).astype(float), float(-np.log(chance).mean()))


def survey_of(name: str, values: Values, each: float, shared: float | None) -> Survey:
    """The survey whose answers are a table, with an epsilon for each question or one in all."""
    sizes = (values.max(axis=0) + 1).tolist()
    names = [*(f"q{number}" for number in range(len(sizes) - 1)), CLASS]
    lines = [f'name = "{name}"', 'title = "A table"', 'languages = ["en"]', "[mining]", f'target = "{CLASS}"']
    if shared is not None:
        lines += ["[privacy]", f"epsilon = {shared:g}"]
    for question, size in zip(names, sizes, strict=True):
        words = ", ".join(f'"v{number}"' for number in range(size))
        lines += ["[[questions]]", f'name = "{question}"', f'label = "{question}?"', 'kind = "choice"']
        lines += [f"values = [{words}]", *([f'group = "{question}"'] if shared is None else [])]
    if shared is None:
        lines += ["[groups]"]
        for question, size in zip(names, sizes, strict=True):
            odds = exp(each) - 1
            lines.append(f'{question} = {{ truth = "{odds / (odds + size):.3f}", channel = "uniform" }}')
    return parse_survey("\n".join(lines))


def compared(name: str, deal: int, people: int, each: float, shared: float | None) -> str:
    """The line of a table and a deal."""
    values, rng = TABLES[name](), np.random.default_rng((60, deal))
    survey, order = survey_of(name, values, each, shared), rng.permutation(len(values))
    half, others = values[order[::2]], values[order[1::2]]
    responses = simulate(survey, half[rng.integers(len(half), size=people)], rng)
    begun = process_time()
    auto = AutoClassifier(survey, random_state=deal).fit(responses)
    took = process_time() - begun
    rows, classes = others.copy(), others[:, -1]
    rows[:, -1] = -1
    found = {
        each.name: Scored.of(each.make().fit(responses).probabilities(rows), classes) for each in auto.candidates(CLASS)
    }
    own = Scored.of(auto.probabilities(rows), classes)
    best = max(found, key=lambda single: (found[single].right.mean(), -found[single].loss))
    ahead = own.right - found[best].right
    error = ahead.std(ddof=1) / np.sqrt(len(ahead))
    chosen = auto.comparison_.chosen if auto.comparison_ else ""
    single = ", ".join(f"{learner} {scored.right.mean():.3f} {scored.loss:.3f}" for learner, scored in found.items())
    return (
        f"{name} {deal}: auto ({chosen}) {own.right.mean():.3f} {own.loss:.3f}, ahead of {best} by "
        f"{ahead.mean():+.3f} ({error:.3f}), {len(rows)} rows, {took:.0f} seconds; {single}"
    )


def main() -> None:
    """Print a line for each table and deal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", choices=TABLES, action="append")
    parser.add_argument("--deals", type=int, default=3)
    parser.add_argument("--people", type=int, default=2_000)
    parser.add_argument("--each", type=float, default=2.0, help="epsilon of each question")
    parser.add_argument("--shared", type=float, help="epsilon in all, in place of one for each question")
    options = parser.parse_args()
    for name in options.table or TABLES:
        for deal in range(options.deals):
            print(compared(name, deal, options.people, options.each, options.shared), flush=True)


if __name__ == "__main__":
    main()
