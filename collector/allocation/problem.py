"""The input of an allocation (questions that share an epsilon) and its result (a design)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, inf, prod

TREES, SINGLES, PAIRS = AIMS = ("trees", "shares", "pairs")


@dataclass(frozen=True)
class Asked:
    """The properties of a question that the allocation of an epsilon needs.

    Attributes:
        name: Name of the question.
        values: Number of values.
        sensitive: Whether the question is disguised.
        always: Whether all respondents are asked the question.
    """

    name: str
    values: int
    sensitive: bool
    always: bool


@dataclass(frozen=True)
class Option:
    """A design that keeps the epsilon of the complete response.

    Attributes:
        kind: ``one coin``, ``even`` or ``unequal``.
        ask: Number of questions that a person is asked.
        epsilons: Epsilon of each disguised question by name; empty if one coin covers all questions.
        measure: Measure of the design, at least 1, and better if smaller.
        codings: Coding of each disguised question by name, as in a survey file; empty if none is chosen.
    """

    kind: str
    ask: int
    epsilons: tuple[tuple[str, Fraction], ...]
    measure: float
    codings: tuple[tuple[str, str], ...] = ()

    @property
    def affordable(self) -> bool:
        """Whether the measure of the design is finite."""
        return self.measure < inf


@dataclass(frozen=True)
class Problem:
    """The questions and the epsilon that is divided among the questions.

    Attributes:
        epsilon: Epsilon of the complete response, above 0.
        questions: Questions in survey order.
        target: Name of the target, or None.
        aim: Purpose of the responses, one of `AIMS`.
    """

    epsilon: Fraction
    questions: tuple[Asked, ...]
    target: str | None
    aim: str = TREES

    def tables(self) -> Iterator[tuple[Asked, ...]]:
        """Yield the questions of each table that the survey should estimate."""
        target = next((each for each in self.questions if each.name == self.target), None)
        if self.aim == PAIRS and len(self.questions) > 1:
            yield from combinations(self.questions, 2)
        elif self.aim != TREES or target is None or len(self.questions) == 1:
            yield from ((each,) for each in self.questions)
        else:
            yield from ((each, target) for each in self.questions if each is not target)

    @property
    def drawn_together(self) -> int:
        """The largest number, over all tables, of questions in a table that are not asked of everybody."""
        return max(sum(not each.always for each in table) for table in self.tables())

    def probability(self, table: Sequence[Asked], ask: int) -> float:
        """Return the probability that a respondent is asked all questions of a table.

        Args:
            table: Questions of the table.
            ask: Number of questions that a respondent is asked.
        """
        pool = sum(not each.always for each in self.questions)
        room, wanted = ask - len(self.questions) + pool, sum(not each.always for each in table)
        return comb(pool - wanted, room - wanted) / comb(pool, room) if room >= wanted else 0.0

    def taken(self, table: Sequence[Asked], moment: float, asked: float) -> float:
        """Return the measure of a table."""
        if not asked:
            return inf
        known = 0.0 if self.aim == TREES else 1 / prod(each.values for each in table)
        return (moment - known) / (1 - known) / asked
