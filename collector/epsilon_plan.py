"""How to spend one epsilon for a whole response: which questions to ask of each person, and how to share it out.

The designs that are compared: one coin for all that a person is asked (`collector.joint_plan`), or a coin for each
question, its epsilon even or unequal; and each for every number of questions asked. For pairs also one coin and one
code for two answers (`collector.pair_coding`).

For trees the measure is the mean, over the other questions, of the second moment of what one response counts in the
table of that question and the target, summed over the table's cells, under even priors: 1 where everybody answers both
openly. The variance of the table is that, less a constant, over the number of respondents, so that their number changes
nothing in the comparison. Without a target the tables of single questions are taken. For shares and for pairs it is the
mean over single questions, or every two, of the variance of a table estimated among those who were asked, over that
of asking all openly. Measures are floats, rounded so that every machine chooses alike; the epsilons they are of are
exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import comb, exp, inf, prod

from collector.best_coding import designs, plain_design
from collector.coding_check import WORD
from collector.joint_plan import JointPlan, shape_moment
from collector.pair_channel import PAIR_ASKED
from collector.pair_coding import LARGEST_PRIME, best_pair_coding, table_variance

TREES, SINGLES, PAIRS = AIMS = ("trees", "shares", "pairs")
ONE_CODE = "one code"  # the kind of option in which two answers are coded together
SEPARATE = 0.99  # the part of the respondents from which one code is worth it: trees are grown from separate codes only
TOGETHER = (4, 3)  # questions asked of a person, the target included, from which more than pairs can be learnt
AFFORDABLE = 1.5  # times the smallest measure, for asking so many
LEVEL = 1.1  # times the smallest measure, for asking fewer
SHARES = 16  # steps in which the target's share of an epsilon is tried
STEPS = 64  # in which half of an epsilon is dealt out unequally


@dataclass(frozen=True)
class Asked:
    """What the comparison needs to know of a question.

    Attributes:
        name: Of the question.
        values: How many it has.
        sensitive: Whether it is disguised.
        always: Whether everybody is asked.
    """

    name: str
    values: int
    sensitive: bool
    always: bool


@dataclass(frozen=True)
class Option:
    """One design that keeps the epsilon.

    Attributes:
        kind: ``one coin``, ``one code``, ``even`` or ``unequal``.
        ask: How many questions a person is asked.
        epsilons: Of each disguised question's own coin, by name; empty where there is one coin.
        measure: The smaller the better; at least 1.
        codings: Of each disguised question, by name, as a survey file asks for it; empty where each is plain, or the
            best for its own epsilon, or two answers have one code.
    """

    kind: str
    ask: int
    epsilons: tuple[tuple[str, Fraction], ...]
    measure: float
    codings: tuple[tuple[str, str], ...] = ()

    @property
    def affordable(self) -> bool:
        """Whether the design exists, and says anything."""
        return self.measure < inf


@dataclass(frozen=True)
class Problem:
    """What is to be decided.

    Attributes:
        epsilon: For the whole response; above 0.
        questions: In survey order.
        target: The name of the target, or None.
        aim: What the responses are for, one of `AIMS`.
    """

    epsilon: Fraction
    questions: tuple[Asked, ...]
    target: str | None
    aim: str = TREES

    def options(self, asks: Sequence[int]) -> Iterator[Option]:
        """Every design, for each number of questions asked."""
        joint = JointPlan(self)
        for ask in asks:
            measure, codings = joint.best(ask)
            yield Option("one coin", ask, (), measure, codings)
            one_code = self._one_code() if ask == PAIR_ASKED < len(self.questions) and self.aim == PAIRS else inf
            if one_code < measure * SEPARATE:
                yield Option(ONE_CODE, ask, (), one_code)
            even = self._even(ask)
            yield Option("even", ask, even, self._mean(self._separate_tables(ask, dict(even))))
            unequal = self._dealt_out() if ask == len(self.questions) else self._target_first(ask)
            if unequal:
                yield Option("unequal", ask, unequal, self._mean(self._separate_tables(ask, dict(unequal))))

    def tables(self) -> Iterator[tuple[Asked, ...]]:
        """The questions of each table that is to be learnt."""
        target = next((each for each in self.questions if each.name == self.target), None)
        if self.aim == PAIRS and len(self.questions) > 1:
            yield from combinations(self.questions, 2)
        elif self.aim != TREES or target is None or len(self.questions) == 1:
            yield from ((each,) for each in self.questions)
        else:
            yield from ((each, target) for each in self.questions if each is not target)

    @property
    def drawn_together(self) -> int:
        """The most questions of a table that is to be learnt that not everybody is asked."""
        return max(sum(not each.always for each in table) for table in self.tables())

    @staticmethod
    def _mean(measures: Iterable[float]) -> float:
        found = list(measures)
        return float(f"{sum(found) / len(found):.9g}")

    def probability(self, table: Sequence[Asked], ask: int) -> float:
        """The chance that one of whom so many questions are asked is asked all of a table."""
        pool = sum(not each.always for each in self.questions)
        room, wanted = ask - len(self.questions) + pool, sum(not each.always for each in table)
        return comb(pool - wanted, room - wanted) / comb(pool, room) if room >= wanted else 0.0

    def _separate_tables(self, ask: int, epsilons: Mapping[str, Fraction]) -> Iterator[float]:
        """The product of the questions' own second moments, over P(asked)."""
        return (self._separate_table(table, ask, epsilons) for table in self.tables())

    def _separate_table(self, table: Sequence[Asked], ask: int, epsilons: Mapping[str, Fraction]) -> float:
        moments = (least_moment(each.values, epsilons[each.name]) for each in table if each.sensitive)
        return self.taken(table, prod(moments, start=1.0), self.probability(table, ask))

    def taken(self, table: Sequence[Asked], moment: float, asked: float) -> float:
        """What one table adds to the measure, from the second moment among those who were asked."""
        if not asked:
            return inf
        known = 0.0 if self.aim == TREES else 1 / prod(each.values for each in table)
        return (moment - known) / (1 - known) / asked

    def _one_code(self) -> float:
        """The measure of one code for two answers; infinite where some are sent as they are, or no code is so long."""
        odds, tables = exp(self.epsilon) - 1, list(self.tables())
        largest = max(prod(each.values for each in table) for table in tables)
        drawable = largest <= LARGEST_PRIME and (odds / 2 + 1) * LARGEST_PRIME < WORD
        if not (drawable and all(each.sensitive for each in self.questions)):
            return inf
        return self._mean(self._one_code_tables(tables, odds))

    def _one_code_tables(self, tables: Sequence[Sequence[Asked]], odds: float) -> Iterator[float]:
        for table in tables:
            cells, asked = prod(each.values for each in table), self.probability(table, PAIR_ASKED)
            variance = table_variance(best_pair_coding(cells, odds), odds)
            yield self.taken(table, variance + 1 / cells, asked)

    def _most_disguised(self, ask: int) -> int:
        """How many disguised questions a person is asked at most."""
        always = sum(each.always for each in self.questions)
        drawn = sum(each.sensitive and not each.always for each in self.questions)
        return sum(each.sensitive and each.always for each in self.questions) + min(ask - always, drawn)

    def _even(self, ask: int) -> tuple[tuple[str, Fraction], ...]:
        share = self.epsilon / self._most_disguised(ask)
        return tuple((each.name, share) for each in self.questions if each.sensitive)

    def _target_first(self, ask: int) -> tuple[tuple[str, Fraction], ...]:
        """Even but for the target's own share, the best of a few; empty where the target is not always asked."""
        target = next((each for each in self.questions if each.name == self.target), None)
        others = self._most_disguised(ask) - 1
        if target is None or not (target.always and target.sensitive) or others < 1:
            return ()
        trials = []
        for step in range(1, SHARES):
            own = self.epsilon * step / SHARES
            rest = (self.epsilon - own) / others
            shares = {each.name: own if each is target else rest for each in self.questions if each.sensitive}
            trials.append((self._mean(self._separate_tables(ask, shares)), tuple(shares.items())))
        return min(trials)[1]

    def _dealt_out(self) -> tuple[tuple[str, Fraction], ...]:
        """Where all are asked: half of the epsilon evenly, the rest in steps to whichever question gains most."""
        every, step = len(self.questions), self.epsilon / 2 / STEPS
        shares = {name: share / 2 for name, share in self._even(every)}
        tables, taken = list(self.tables()), [*self._separate_tables(every, shares)]
        places = {
            name: [place for place, table in enumerate(tables) if name in {each.name for each in table}]
            for name in shares
        }
        for _ in range(STEPS):
            gains = []
            for name, share in shares.items():
                tried, more = taken.copy(), {**shares, name: share + step}
                for place in places[name]:  # no other table changes
                    tried[place] = self._separate_table(tables[place], every, more)
                gains.append((self._mean(tried), name, tried))
            _, best, taken = min(gains)
            shares[best] += step
        return tuple(shares.items())


@lru_cache(maxsize=4096)
def least_moment(values: int, epsilon: Fraction) -> float:
    """The smallest second moment, summed over values, that a coding gives one question with its own coin."""
    odds, shapes = exp(epsilon) - 1, _shapes(values)
    return min(shape_moment(values, share, common, odds) for share, common in shapes)


@lru_cache(maxsize=256)
def _shapes(values: int) -> list[tuple[float, float]]:
    return sorted({(float(each.share), float(each.common)) for each in (plain_design(values), *designs(values))})


def best_option(options: Sequence[Option], aim: str = TREES) -> Option:
    """The one of the smallest measure; for trees one of those that ask enough together, if that costs little more.

    For shares and pairs one that asks the fewest questions, if that costs hardly more. Measures are of even priors:
    uneven answers vary less and the noise of coins does not, so that asking more then costs more than they say.
    """
    least = min(options, key=lambda each: each.measure)
    for enough in TOGETHER if aim == TREES else ():
        together = [each for each in options if each.ask >= enough and each.measure <= least.measure * AFFORDABLE]
        if together:
            return min(together, key=lambda each: each.measure)
    level = [each for each in options if aim != TREES and each.measure <= least.measure * LEVEL]
    return min(level, key=lambda each: (each.ask, each.measure), default=least)
