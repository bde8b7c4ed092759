"""Designs with one coin for all questions that a person is asked: the choice of codings, and the variance of tables.

One choice is plain codings for all questions, that is, k-ary randomized response on the combinations of answers.
Another choice gives each question the coding that would be best for it alone at a fraction of epsilon.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb, exp, inf, prod
from typing import NamedTuple, Self

from collector.allocation.best_coding import WORTH, BlockDesign, closed_moment, designs, plain_design
from collector.allocation.problem import Asked, Problem
from collector.coding.coding_check import WORD
from collector.survey.sampling import draws_sums

SHARING = ("shares", "pairs")  # aims with shared codes. Forests learnt less with them (docs/results/frequencies.md)
PARTS = (Fraction(1), Fraction(2, 3), Fraction(1, 2), Fraction(1, 3), Fraction(1, 4), Fraction(1, 6))


class Shape(NamedTuple):
    """Moments of the inverse weights of a coding with k values, under a uniform prior.

    Attributes:
        design: Coding whose weights have the moments.
        true: Mean square of the inverse weight of a true code, summed over values.
        replaced: Mean square of the inverse weight of a replacement, summed over values.
        mean: Mean inverse weight of a replacement for one value.
        square: Square of `mean`, summed over values.
        sharpness: Largest ratio P(code | truth) / P(code | replacement).
    """

    design: BlockDesign
    true: float
    replaced: float
    mean: float
    square: float
    sharpness: float

    @classmethod
    def of(cls, design: BlockDesign, values: int) -> Self:
        """Return the moments of the weights in a block design, exact if the question uses all values of the design.

        The inverse weight of a code is 1 for the values that have the code, and -c/(1 - c) for other values, where c is
        `design.common`.
        """
        share, common = float(design.share), float(design.common)
        absent = common / (1 - common)
        replaced, mean = values * (share + (1 - share) * absent**2), share - (1 - share) * absent
        return cls(design, 1 + (values - 1) * absent, replaced, mean, values * mean**2, 1 / share)


OPEN = Shape(BlockDesign("plain", (), Fraction(1), Fraction(0), 1), 1.0, 1.0, 1.0, 1.0, 1.0)
"""Moments of a question that is sent as it is. They change no product."""
Shapes = dict[int, Shape]
"""Moments of a coding, by number of values."""


class JointPlan:
    """Computation of the measure of designs with one coin for all questions that a person is asked."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._pool = sum(not each.always for each in problem.questions)
        tables = list(problem.tables())
        self._tables = {_key(table): table for table in tables}
        self._times = Counter(map(_key, tables))
        self._sums: dict[tuple[int, tuple[object, ...]], list[tuple[float, list[float]]]] = {}
        kinds = sorted({each.values for each in problem.questions if each.sensitive})
        every = [{values: Shape.of(plain_design(values), values) for values in kinds}]
        if problem.aim in SHARING:
            every += [{values: best_shape(values, problem.epsilon * part) for values in kinds} for part in PARTS]
        self._trials = [shapes for number, shapes in enumerate(every) if shapes not in every[:number]]

    def best(self, ask: int) -> tuple[float, tuple[tuple[str, str], ...]]:
        """Return the smallest measure if `ask` questions are asked, and the coding of each question by name.

        The measure is infinite if the coin of the design cannot be drawn from 32 random bits.
        """
        drawable = [number for number, shapes in enumerate(self._trials) if self._is_drawable(ask, shapes)]
        measure, number = min(((self._measure(ask, each), each) for each in drawable), default=(inf, 0))
        shapes = self._trials[number]
        codings = (
            (each.name, shapes[each.values].design.written) for each in self._problem.questions if each.sensitive
        )
        return measure, tuple(codings) if number else ()

    def _measure(self, ask: int, number: int) -> float:
        """Return the mean of ``(T S0 + (T + U - 2 M) S1/o + (U - N) S2/o^2) / P(asked)^2`` over all tables.

        Sj is the mean of K^j over the draws of questions that include a table, where K is the sharpness of all
        questions drawn. T, U, M and N are the products of the attributes `true`, `replaced`, `mean` and `square` of
        `Shape` over a table's questions.
        """
        odds, shapes = exp(self._problem.epsilon) - 1, self._trials[number]
        total = 0.0
        for key, table in self._tables.items():
            asked = self._problem.probability(table, ask)
            first, second = (each / odds ** (power + 1) for power, each in enumerate(self._states(key, ask, number)))
            own = [shapes[each.values] if each.sensitive else OPEN for each in table]
            true, replaced = prod(each.true for each in own), prod(each.replaced for each in own)
            mean, square = prod(each.mean for each in own), prod(each.square for each in own)
            moment = asked * true + (true + replaced - 2 * mean) * first + (replaced - square) * second
            total += self._times[key] * self._problem.taken(table, moment / asked if asked else inf, asked)
        return float(f"{total / self._times.total():.9g}")

    def _states(self, key: tuple[object, ...], ask: int, number: int) -> list[float]:
        """Return the means of K and of K^2 (see `_measure`) over the draws that include a table."""
        if (number, key) not in self._sums:
            self._sums[number, key] = self._sharpness_sums(self._tables[key], self._trials[number])
        questions = len(self._problem.questions)
        return [
            known * sums[ask - questions + len(sums) - 1] / comb(self._pool, ask - questions + self._pool)
            if ask > questions - len(sums)
            else 0.0
            for known, sums in self._sums[number, key]
        ]

    def _sharpness_sums(self, table: Sequence[Asked], shapes: Shapes) -> list[tuple[float, list[float]]]:
        """Return the product for questions always asked, and sums over draws of others, for K and for K^2."""
        fixed: list[float] = []
        others: list[float] = []
        for each in self._problem.questions:
            sharpness = shapes[each.values].sharpness if each.sensitive else 1.0
            (fixed if each.always or each in table else others).append(sharpness)
        return [(prod(each**power for each in fixed), draws_sums([each**power for each in others])) for power in (1, 2)]

    def _is_drawable(self, ask: int, shapes: Shapes) -> bool:
        """Return whether a coin with whole odds can be drawn from 32 random bits (see `largest_coin`)."""
        sharp = [(each, 1 / shapes[each.values].design.share) for each in self._problem.questions if each.sensitive]
        room = ask - sum(each.always for each in self._problem.questions)
        most = []
        for parts in ([each.numerator for _, each in sharp], [each.denominator for _, each in sharp]):
            drawn = [part for part, (each, _) in zip(parts, sharp, strict=True) if not each.always]
            always = [part for part, (each, _) in zip(parts, sharp, strict=True) if each.always]
            most.append(prod(always) * prod(sorted(drawn, reverse=True)[:room]))
        return exp(self._problem.epsilon) * most[1] + most[0] < WORD


def _key(table: Sequence[Asked]) -> tuple[object, ...]:
    """Return the properties of a table that determine its measure."""
    return tuple((each.values, each.sensitive, each.always) for each in table)


@lru_cache(maxsize=1024)
def best_shape(values: int, epsilon: Fraction) -> Shape:
    """Return the best coding of a question with its own coin, or a coding with fewer codes and little cost."""
    every, odds = (plain_design(values), *designs(values)), exp(epsilon) - 1
    moments = [shape_moment(values, float(each.share), float(each.common), odds) for each in every]
    worth = [moment * float(each.codes**WORTH) for moment, each in zip(moments, every, strict=True)]
    return Shape.of(every[worth.index(min(worth))], values)


def shape_moment(values: int, share: float, common: float, odds: float) -> float:
    """Return the second moment of a block design, given odds that determine the truth probability."""
    return closed_moment(values, share * odds / (1 + share * odds), share, common)
