"""Errors of estimated frequencies by formula: of our codings, and of SMP's mechanisms for the same epsilon."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import comb, exp, expm1, log

import numpy as np
from numpy.typing import NDArray

from benchmarks.data.trusted import TABLES
from benchmarks.local_privacy.frequency_errors import Cell, design, frequency
from collector.allocation.epsilon_plan import best_option, every_option
from collector.allocation.problem import PAIRS, Asked, Problem
from collector.disclosure.precision import response_variance
from collector.survey.question import Question
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.weights.fitted_inverse import FittedReading

OURS = "ours"
SMOOTHED = 10**6  # people for each that is counted, to whom one more of each value is added
MOST_ASKED = 8  # questions of one person, of pairs: more are never best up to epsilon 8


def told_of_everything(epsilon: float, questions: int) -> float:
    """The epsilon of a whole response of RS+FD that is called with one, for which its clients spend more on an answer.

    That they may spend ln(questions (e^epsilon - 1) + 1) holds between people who differ in one answer. Of two who
    differ in all, the response that is the one's answers throughout has this log ratio, whichever question is told.
    """
    return log(questions * expm1(epsilon) + 1)


def moments(kinds: int, epsilon: float) -> dict[str, tuple[float, float]]:
    """For each mechanism of SMP how likely a report supports a value that is the truth, and one that is not."""
    odds, half = exp(epsilon), exp(epsilon / 2)
    size, cells = int(max(1, np.rint(kinds / (odds + 1)))), round(odds) + 1
    whole = size * odds + kinds - size
    stray = ((size - 1) * size * odds + (kinds - size) * size) / ((kinds - 1) * whole)
    return {
        "SMP GRR": (odds / (odds + kinds - 1), 1 / (odds + kinds - 1)),
        "SMP SUE": (half / (half + 1), 1 / (half + 1)),
        "SMP OUE": (1 / 2, 1 / (odds + 1)),
        "SMP OLH": (odds / (odds + cells - 1), 1 / cells),
        "SMP SS": (size * odds / whole, stray),
    }


def foretold(cell: Cell) -> dict[str, float]:
    """The mean squared error of unbiased shares to expect at the table's frequencies: of ours, and of SMP's."""
    table = TABLES[cell.data]()
    survey, n = design(table.survey, cell.epsilon, cell.aim), len(table.values)
    found: dict[str, list[float]] = {}
    for column, question in zip(table.values.T, survey.questions, strict=True):
        counts = np.bincount(column, minlength=len(question.values))
        found.setdefault(OURS, []).extend((own_variances(survey, question, counts) / n).tolist())
        for name, (kept, stray) in moments(len(counts), float(cell.epsilon)).items():
            support = counts / n * (kept - stray) + stray
            variances = support * (1 - support) / (kept - stray) ** 2 * len(survey.questions) / n
            found.setdefault(name, []).extend(variances.tolist())
    return {name: float(np.mean(each)) for name, each in found.items()}


def own_variances(survey: Survey, question: Question, counts: NDArray[np.intp]) -> Floats:
    """Of the share of each value, times the respondents: where codes are shared, read as fitted to these counts."""
    shares = counts / counts.sum()
    if question.coding.shared and survey.sampling is not None and survey.sampling.ask == 1:
        home = survey.group_of(question.name)
        assert home is not None  # noqa: S101 - all are sensitive
        truth = float(survey.truth_at(home, [question.name]))
        return FittedReading(question.coding, truth, shares).variances * len(survey.questions)
    some = (SMOOTHED * counts + 1).tolist()  # no prior is 0
    known = replace(question, prior=tuple(Fraction(each, sum(some)) for each in some))
    return np.array([float(response_variance(survey, known, value)) for value in range(len(counts))])


def foretold_pairs(cell: Cell) -> dict[str, float]:
    """The same of the tables of two questions, each cell counted once: of SMP's mechanisms.

    What our separate code of each answer makes of a table depends on more than its frequencies.
    """
    table = TABLES[cell.data]()
    n = len(table.values)
    kinds = [len(question.values) for question in table.survey.questions]
    found: dict[str, list[float]] = {}
    for places in combinations(range(len(kinds)), 2):
        shares = frequency(table.values, kinds, places).ravel()
        asked = n / comb(len(kinds), 2)
        for name, (kept, stray) in moments(len(shares), float(cell.epsilon)).items():
            support = shares * (kept - stray) + stray
            found.setdefault(name, []).extend((support * (1 - support) / (kept - stray) ** 2 / asked).tolist())
    return {name: float(np.mean(each)) for name, each in found.items()}


def planned_pairs(data: str, epsilon: str) -> tuple[float, float]:
    """Variance of the tables of two questions over that of open answers, mean over tables, even priors: ours, SMP's."""
    kinds = [len(question.values) for question in TABLES[data]().survey.questions]
    asked = tuple(Asked(f"q{number}", each, sensitive=True, always=False) for number, each in enumerate(kinds))
    problem = Problem(Fraction(epsilon), asked, None, PAIRS)
    options = [*every_option(problem, range(2, min(MOST_ASKED, len(kinds) - 1) + 1))]
    sums: dict[str, float] = {}
    for one, other in combinations(kinds, 2):
        cells = one * other
        for name, (kept, stray) in moments(cells, float(epsilon)).items():
            support = (kept - stray) / cells + stray
            variance = cells * support * (1 - support) / (kept - stray) ** 2
            sums[name] = sums.get(name, 0.0) + variance / (1 - 1 / cells)
    return best_option(options, PAIRS).measure, min(sums.values())
