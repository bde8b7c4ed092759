"""The complement channel, which is multi-group randomized response (Du & Zhan 2003, section 3)."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import ClassVar

from collector.channel.replacement import Replacement, Rows
from collector.coding.coding import HALF, Coding
from collector.errors import SurveyError


class Complement(Replacement):
    """The replacement that sends the complement of every code of the group."""

    name: ClassVar[str] = "complement"
    keeps_epsilon: ClassVar[bool] = False
    paired: ClassVar[bool] = True
    candidates: ClassVar[int | None] = 2
    uninformative_at: ClassVar[Fraction] = HALF

    def check(self, truth: Fraction) -> None:
        """Refuse the truth probability 1/2, at which the codes sent do not depend on the answers."""
        if truth == HALF:
            raise SurveyError(
                "truth",
                "with a truth probability of 1/2 the responses say nothing about the answers",
                "choose a truth probability away from 1/2, such as 3/4",
            )

    def sent(self, code: int, coding: Coding) -> Mapping[int, Fraction]:
        """Return the complement of a code, with probability 1."""
        return {coding.complement(code): Fraction(1)}

    def weights(self, truth: Fraction) -> tuple[Fraction, Fraction]:
        """Return the weights theta / (2 theta - 1) and (theta - 1) / (2 theta - 1)."""
        return truth / (2 * truth - 1), (truth - 1) / (2 * truth - 1)

    def ratio(self, truth: Fraction, codings: Sequence[Coding]) -> Fraction | None:
        """Return theta / (1 - theta) or its inverse, whichever is larger, for one question with two codes.

        Return None for any other group.
        """
        if len(codings) != 1 or len(codings[0].codes) > 2 or truth in {0, 1}:
            return None
        return max(truth, 1 - truth) / min(truth, 1 - truth)

    def variance(self, truth: Fraction, event: Fraction, replacement: Fraction, both: Fraction) -> Fraction:
        """Return lambda (P(E) + P(comp E) - 2 P(both)), where lambda = theta (1 - theta) / (2 theta - 1)^2."""
        factor = truth * (1 - truth) / (2 * truth - 1) ** 2
        return factor * (event + replacement - 2 * both)

    def replaced_chances(self, coding: Coding, own: Rows, over: int) -> tuple[Rows, int]:
        """Return P(complement sent | value, replaced), which equals P(true code | value)."""
        return {code: own[coding.complement(code)] for code in coding.codes}, over
