"""One coin for all questions that a person is asked: the choice of codings, and the variance of the tables.

Questions are coded plainly (k-ary randomized response on the combinations of answers), or each in the coding that would
be best if it had a coin of its own and a part of the epsilon: of a few parts the best is taken. For two questions that
is within 2 % of the best coding of each (tests/collector/allocation/test_joint_plan.py).
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

SHARING = ("shares", "pairs")  # aims for which codes are shared; forests learnt less so (docs/results/frequencies.md)
PARTS = (Fraction(1), Fraction(2, 3), Fraction(1, 2), Fraction(1, 3), Fraction(1, 4), Fraction(1, 6))


class Shape(NamedTuple):
    """Moments of the inverse weights of a coding of k values, under a uniform prior.

    Attributes:
        design: The coding.
        true: Mean square of the inverse weight of a true code, summed over values.
        replaced: The same of a replacement.
        mean: Mean inverse weight of a replacement for a value.
        square: Its square, summed over values.
        sharpness: Likelihood ratio P(code | truth) / P(code | replacement).
    """

    design: BlockDesign
    true: float
    replaced: float
    mean: float
    square: float
    sharpness: float

    @classmethod
    def of(cls, design: BlockDesign, values: int) -> Self:
        """Shape in closed form, exact for whole designs. With s/K = a and l/s = c a code counts 1 or -c/(1 - c)."""
        share, common = float(design.share), float(design.common)
        absent = common / (1 - common)
        replaced, mean = values * (share + (1 - share) * absent**2), share - (1 - share) * absent
        return cls(design, 1 + (values - 1) * absent, replaced, mean, values * mean**2, 1 / share)


OPEN = Shape(BlockDesign("plain", (), Fraction(1), Fraction(0), 1), 1.0, 1.0, 1.0, 1.0, 1.0)
"""Of a question that is sent as it is: it changes nothing."""
Shapes = dict[int, Shape]
"""By number of values."""


class JointPlan:
    """The measure of designs with one coin for all questions that a person is asked."""

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
        """The smallest measure where a person is asked so many, and the codings, by question; none where all are plain.

        The measure is infinite where no word can draw the coin.
        """
        drawable = [number for number, shapes in enumerate(self._trials) if self._is_drawable(ask, shapes)]
        measure, number = min(((self._measure(ask, each), each) for each in drawable), default=(inf, 0))
        shapes = self._trials[number]
        told = ((each.name, shapes[each.values].design.written) for each in self._problem.questions if each.sensitive)
        return measure, tuple(told) if number else ()

    def _measure(self, ask: int, number: int) -> float:
        """The mean over tables of (T S0 + (T + U - 2 M) S1/o + (U - N) S2/o^2) / P(asked)^2.

        Sj is the mean over draws that ask all of a table of K^j, K the sharpness of all that is asked. T, U, M and N
        are products over the table's questions of what their `Shape` says; of plain ones 1, 1, and twice 1 over the
        number of cells.
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
        """The sums S1 and S2 of a table, as in `_measure`."""
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
        """Sums for K and for K^2: over what is asked in any case, and over draws of the others, by number drawn."""
        fixed: list[float] = []
        others: list[float] = []
        for each in self._problem.questions:
            sharpness = shapes[each.values].sharpness if each.sensitive else 1.0
            (fixed if each.always or each in table else others).append(sharpness)
        return [(prod(each**power for each in fixed), draws_sums([each**power for each in others])) for power in (1, 2)]

    def _is_drawable(self, ask: int, shapes: Shapes) -> bool:
        """Whether one word can draw the coin, if the odds are whole: see `largest_coin` of `collector.survey.group`."""
        sharp = [(each, 1 / shapes[each.values].design.share) for each in self._problem.questions if each.sensitive]
        room = ask - sum(each.always for each in self._problem.questions)
        most = []
        for parts in ([each.numerator for _, each in sharp], [each.denominator for _, each in sharp]):
            drawn = [part for part, (each, _) in zip(parts, sharp, strict=True) if not each.always]
            always = [part for part, (each, _) in zip(parts, sharp, strict=True) if each.always]
            most.append(prod(always) * prod(sorted(drawn, reverse=True)[:room]))
        return exp(self._problem.epsilon) * most[1] + most[0] < WORD


def _key(table: Sequence[Asked]) -> tuple[object, ...]:
    """The properties of a table that determine its measure."""
    return tuple((each.values, each.sensitive, each.always) for each in table)


@lru_cache(maxsize=1024)
def best_shape(values: int, epsilon: Fraction) -> Shape:
    """The coding that one question with its own coin should have, one with few codes if that costs little."""
    every, odds = (plain_design(values), *designs(values)), exp(epsilon) - 1
    moments = [shape_moment(values, float(each.share), float(each.common), odds) for each in every]
    worth = [moment * float(each.codes**WORTH) for moment, each in zip(moments, every, strict=True)]
    return Shape.of(every[worth.index(min(worth))], values)


def shape_moment(values: int, share: float, common: float, odds: float) -> float:
    """`collector.allocation.best_coding.BlockDesign.moment` at the truth that keeps the odds."""
    return closed_moment(values, share * odds / (1 + share * odds), share, common)
