"""The replacement: the codes sent for a group when its coin says disguise. New kinds can be added.

Given that a group is replaced, its questions are replaced independently of each other. A replacement is therefore known
by `Replacement.sent`, the chance of each code in place of another; the rest follows (`benchmarks.exact_table`).
What does not follow in closed form (signed weights, likelihood ratio, variance) each replacement says itself, and one
suite checks by enumeration (tests/collector/channel/test_registered_channels.py). Exact fractions throughout.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from collector.coding.coding import Coding
from collector.coding.common_denominator import whole_rows

Rows = dict[int, list[int]]
"""For each code that may be sent a whole number for each value, over a denominator that stands elsewhere."""


@dataclass(frozen=True)
class Replacement(ABC):
    """The codes sent in place of the truth. Without parameters: two of one kind are equal.

    Attributes:
        name: The name as in survey files and designs: ``channel = "NAME"``.
        keeps_epsilon: Whether every group has an epsilon, so that its coin may have odds instead of a truth.
        paired: Whether it needs a paired coding; else one without complements.
        candidates: How many states of the truth a response leaves possible, however many there are; None: all.
        uninformative_at: The truth probability at which responses say nothing at all.
    """

    name: ClassVar[str]
    keeps_epsilon: ClassVar[bool]
    paired: ClassVar[bool]
    candidates: ClassVar[int | None]
    uninformative_at: ClassVar[Fraction]

    @abstractmethod
    def check(self, truth: Fraction) -> None:
        """Refuse a truth probability at which responses say nothing at all.

        Raises:
            SurveyError: If it is one.
        """

    @abstractmethod
    def sent(self, code: int, coding: Coding) -> Mapping[int, Fraction]:
        """The codes that may be sent in place of a true code of one question, each with its chance."""

    @abstractmethod
    def weights(self, truth: Fraction) -> tuple[Fraction, Fraction]:
        """The signed weights (own, replacement) of a response's two copies, adding up to 1.

        The mean over responses of ``own f(r) + replacement E f(replacement of r)`` is unbiased for the mean of f over
        the true codes, for any f (docs/guarantee.md, section 2).
        """

    @abstractmethod
    def ratio(self, truth: Fraction, codings: Sequence[Coding]) -> Fraction | None:
        """e^epsilon, exactly: the largest ratio of a response's probabilities under two truths.

        None if there is no bound: a response is possible under one truth and impossible under another.
        """

    @abstractmethod
    def variance(self, truth: Fraction, event: Fraction, replacement: Fraction, both: Fraction) -> Fraction:
        """Variance that the disguise adds to one response's weight for an event, over that of a direct answer.

        Args:
            truth: theta.
            event: Probability that the truth is in the event.
            replacement: Probability that the replacement of the truth is.
            both: Probability that both are.
        """

    def into(self, wanted: Collection[int], code: int, coding: Coding) -> Fraction:
        """The chance that the replacement of one code is one of those wanted."""
        chances = self.sent(code, coding)
        return sum((chances[each] for each in wanted if each in chances), start=Fraction(0))

    def event_chances(
        self, event: Collection[int], coding: Coding, chances: Mapping[int, Fraction]
    ) -> tuple[Fraction, Fraction]:
        """P(the replacement is in an event), and P(both it and the truth are).

        Args:
            event: Codes of one question.
            coding: Its coding.
            chances: P(true code).
        """
        parts = {code: chance * self.into(event, code, coding) for code, chance in chances.items()}
        return sum(parts.values(), start=Fraction(0)), sum((parts[code] for code in event), start=Fraction(0))

    def replaced_chances(self, coding: Coding, own: Rows, over: int) -> tuple[Rows, int]:
        """P(code sent | value, replaced), in whole numbers and their denominator, from P(true code | value).

        Args:
            coding: Coding of one question.
            own: P(true code | value), for each code, as whole numbers.
            over: Their denominator.
        """
        values = range(len(coding.draws))
        found = {code: [Fraction(0)] * len(values) for code in coding.codes}
        for true, row in own.items():
            for code, chance in self.sent(true, coding).items():
                for value in values:
                    found[code][value] += chance * Fraction(row[value], over)
        return whole_rows(found)
