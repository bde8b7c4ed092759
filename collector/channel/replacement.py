"""What is sent of a group when its coin says disguise: the part of a channel that can be added to.

Given that a group is replaced, its questions are replaced independently of each other. A replacement is therefore known
by `Replacement.sent`, the chance of each code in place of another; states, events and the exact table follow from it.
What does not follow in closed form (signed weights, likelihood ratio, variance) each replacement says itself, and one
suite checks by enumeration (tests/collector/channel/test_registered_channels.py). Exact fractions throughout.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import ClassVar

from collector.coding.coding import Coding
from collector.coding.common_denominator import whole_rows

PAIR = 2  # a code and its complement
Codes = tuple[int, ...]
"""One code for each question of a group, in the group's order."""
Event = Sequence[frozenset[int] | None]
"""For each question of a group the codes that belong to the event; None for a question it does not touch."""
Rows = dict[int, list[int]]
"""For each code that may be sent a whole number for each value, over a denominator that stands elsewhere."""


def states(codings: Sequence[Coding]) -> list[Codes]:
    """Every state of a group: all tuples of codes, in lexicographic order."""
    return list(product(*(coding.codes for coding in codings)))


def matches(codes: Codes, event: Event) -> bool:
    """Whether every touched question has one of the event's codes."""
    return all(wanted is None or code in wanted for code, wanted in zip(codes, event, strict=True))


@dataclass(frozen=True)
class Replacement(ABC):
    """What is sent in place of the truth. Without parameters: two of one kind are equal.

    Attributes:
        name: As in survey files and designs: ``channel = "NAME"``.
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
        the true codes, for any f (DESIGN section 5).
        """

    @abstractmethod
    def ratio(self, truth: Fraction, codings: Sequence[Coding]) -> Fraction | None:
        """e^epsilon, exactly: how many times as likely a response may be under one truth as under another.

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

    def states_sent(self, codes: Codes, codings: Sequence[Coding]) -> Iterator[tuple[Codes, Fraction]]:
        """Every state that may be sent in place of these codes, with its probability."""
        parts = [self.sent(code, coding).items() for code, coding in zip(codes, codings, strict=True)]
        for each in product(*parts):
            yield tuple(code for code, _ in each), prod((chance for _, chance in each), start=Fraction(1))

    def share(self, codes: Codes, event: Event, codings: Sequence[Coding]) -> Fraction:
        """The chance that the replacement of these codes falls in the event."""
        touched = [each for each in zip(codes, event, codings, strict=True) if each[1] is not None]
        return prod((self.into(wanted or (), code, coding) for code, wanted, coding in touched), start=Fraction(1))

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
            coding: Of it.
            chances: P(true code).
        """
        parts = {code: chance * self.into(event, code, coding) for code, chance in chances.items()}
        return sum(parts.values(), start=Fraction(0)), sum((parts[code] for code in event), start=Fraction(0))

    def replaced_chances(self, coding: Coding, own: Rows, over: int) -> tuple[Rows, int]:
        """P(code sent | value, replaced), in whole numbers and their denominator, from P(true code | value).

        Args:
            coding: Of one question.
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
