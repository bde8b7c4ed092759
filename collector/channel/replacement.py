"""Replacements, which are rules for the codes that a group of questions sends in place of the true codes.

The questions of a group are replaced independently of each other, so the method `Replacement.sent` of a single question
defines a replacement.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from collector.coding.coding import Coding
from collector.coding.common_denominator import whole_rows

Rows = dict[int, list[int]]
"""A whole number for each value, by the code that may be sent. The denominator is kept separately."""


@dataclass(frozen=True)
class Replacement(ABC):
    """The rule for the codes that are sent in place of the true codes of a group of questions.

    Attributes:
        name: Name in survey files and designs, as in ``channel = "NAME"``.
        keeps_epsilon: Whether the channel has a finite epsilon for every group of questions, so that the coin may be
            set by odds.
        paired: Whether the questions need a paired coding (with complements).
        candidates: Largest number of combinations of answers that may be behind a response, or None for all.
        uninformative_at: Truth probability at which responses reveal nothing.
    """

    name: ClassVar[str]
    keeps_epsilon: ClassVar[bool]
    paired: ClassVar[bool]
    candidates: ClassVar[int | None]
    uninformative_at: ClassVar[Fraction]

    @abstractmethod
    def check(self, truth: Fraction) -> None:
        """Refuse a truth probability at which the codes sent do not depend on the answers.

        Raises:
            SurveyError: If the truth probability is `uninformative_at`.
        """

    @abstractmethod
    def sent(self, code: int, coding: Coding) -> Mapping[int, Fraction]:
        """Return the codes that may be sent in place of a true code of one question, each with its probability."""

    @abstractmethod
    def weights(self, truth: Fraction) -> tuple[Fraction, Fraction]:
        """Return signed weights (own, replacement), which add up to 1, for the codes as sent and as replaced.

        For any function f, the mean of ``own f(r) + replacement E f(replacement of r)`` over responses r is unbiased
        for the mean of f over the true codes (docs/guarantee.md, section 2).
        """

    @abstractmethod
    def ratio(self, truth: Fraction, codings: Sequence[Coding]) -> Fraction | None:
        """Return e^epsilon exactly, which is the largest ratio of a response's probabilities under two true answers.

        None is returned if a response is possible under one answer and impossible under another answer.
        """

    @abstractmethod
    def variance(self, truth: Fraction, event: Fraction, replacement: Fraction, both: Fraction) -> Fraction:
        """Return the variance that the disguise adds to the weight of a response for an event (a set of codes).

        Args:
            truth: Truth probability theta.
            event: Probability that the true codes are in the event.
            replacement: Probability that the replacement of the true codes is in the event.
            both: Probability that the true codes and their replacement are both in the event.
        """

    def into(self, wanted: Collection[int], code: int, coding: Coding) -> Fraction:
        """Return the probability that the replacement of a code is one of the wanted codes."""
        chances = self.sent(code, coding)
        return sum((chances[each] for each in wanted if each in chances), start=Fraction(0))

    def event_chances(
        self, event: Collection[int], coding: Coding, chances: Mapping[int, Fraction]
    ) -> tuple[Fraction, Fraction]:
        """Return P(replacement is in an event) and P(replacement and true code are both in the event).

        Args:
            event: Codes of one question.
            coding: Coding of this question.
            chances: Probability of each true code.
        """
        parts = {code: chance * self.into(event, code, coding) for code, chance in chances.items()}
        return sum(parts.values(), start=Fraction(0)), sum((parts[code] for code in event), start=Fraction(0))

    def replaced_chances(self, coding: Coding, own: Rows, over: int) -> tuple[Rows, int]:
        """Return P(code sent | value, replaced) as numerators of fractions, and their common denominator.

        Args:
            coding: Coding of one question.
            own: P(true code | value) for each code, as numerators of fractions over one denominator.
            over: Denominator of `own`.
        """
        values = range(len(coding.draws))
        found = {code: [Fraction(0)] * len(values) for code in coding.codes}
        for true, row in own.items():
            for code, chance in self.sent(true, coding).items():
                for value in values:
                    found[code][value] += chance * Fraction(row[value], over)
        return whole_rows(found)
