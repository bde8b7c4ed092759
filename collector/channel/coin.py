"""The coin of a group: with what chance the truth is sent, given which questions were asked.

Either the truth probability is fixed, or it follows from odds o: theta = o / (o + K), where K is the product of the
sharpness of the codings of what is asked (the number of states, where each value has a code of its own). With odds
every response has exactly the likelihood ratio 1 + o, whichever questions were drawn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from collector.coding.coding import WORD, Coding
from collector.errors import SurveyError


@dataclass(frozen=True)
class Coin:
    """One coin for all that a respondent is asked of a group. Give one of the two numbers.

    Attributes:
        fixed: theta, where it is the same whatever is asked; from 0 to 1. None where it follows from odds.
        odds: o = e^epsilon - 1, rounded down; above 0. None where theta is fixed.

    Raises:
        SurveyError: If the number is outside its domain, or the fixed coin cannot be drawn from one word.
        TypeError: If both are given, or neither.
    """

    fixed: Fraction | None = None
    odds: Fraction | None = None

    def __post_init__(self) -> None:
        if (self.fixed is None) == (self.odds is None):
            raise TypeError("a coin has a fixed truth probability or odds")
        if self.fixed is not None:
            _check_truth(self.fixed)
        elif self.odds is not None and self.odds <= 0:
            raise SurveyError("odds", "they are not positive", "give a fraction above 0")

    @property
    def varies(self) -> bool:
        """Whether the truth probability depends on which questions are asked."""
        return self.fixed is None

    @property
    def published(self) -> tuple[str, Fraction]:
        """The coin as a design publishes it: ``truth`` or ``odds``, and the number."""
        return ("truth", self.fixed) if self.fixed is not None else ("odds", self.odds or Fraction(0))

    def truth(self, codings: Sequence[Coding]) -> Fraction:
        """Theta where questions with these codings are asked.

        Raises:
            ValueError: If it follows from odds, and a coding has a value that is never a replacement.
        """
        if self.fixed is not None:
            return self.fixed
        return Fraction(*self.parts(*sharpness_parts(codings)))

    def parts(self, states: int, own: int) -> tuple[int, int]:
        """Numbers that say truth, and how many numbers there are, not reduced.

        Args:
            states: With odds, the numerator of K: own num and (own num + states den) for the odds num / den.
            own: With odds, its denominator.
        """
        number = self.published[1]
        if self.fixed is not None:
            return number.numerator, number.denominator
        return number.numerator * own, number.numerator * own + number.denominator * states

    def check_drawn(self, states: int, own: int) -> None:
        """Refuse odds whose coin cannot be drawn from one word.

        Args:
            states: The largest numerator of K.
            own: Its largest denominator.

        Raises:
            SurveyError: If it cannot.
        """
        if self.parts(states, own)[1] > WORD:
            problem = f"with {states} combinations of answers its coin is finer than one in 2^32"
            raise SurveyError("odds", problem, "ask fewer questions of it, or give a simpler fraction")


def sharpness_parts(codings: Sequence[Coding]) -> tuple[int, int]:
    """K = states / own of these codings: the products of the numerators and denominators of their sharpness.

    Raises:
        ValueError: If one has none.
    """
    return prod(sharp(each).numerator for each in codings), prod(sharp(each).denominator for each in codings)


def sharp(coding: Coding) -> Fraction:
    """The sharpness of a coding.

    Raises:
        ValueError: If it has none: one of its codes is never a replacement.
    """
    if coding.sharpness is None:
        raise ValueError("a code is never a replacement")
    return coding.sharpness


def _check_truth(truth: Fraction) -> None:
    if not 0 <= truth <= 1:
        raise SurveyError("truth", f"{truth} is not a probability", "give a fraction from 0 to 1")
    if truth.denominator > WORD:
        raise SurveyError("truth", "the denominator exceeds 2^32", "give a simpler fraction, such as 3/4")
