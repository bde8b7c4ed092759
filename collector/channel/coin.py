"""The coin of a group of questions, which decides whether the true codes are sent.

The truth probability theta is either fixed, or follows from odds o as theta = o / (o + K). K is the product of the
sharpness of the codings of the questions asked. If each value has one code, the product K is the number of combinations
of answers. With a coin set by odds o, e^epsilon is 1 + o, whichever questions are drawn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from collector.coding.coding import WORD, Coding
from collector.errors import SurveyError


@dataclass(frozen=True)
class Coin:
    """The coin for all questions of a group that a respondent is asked, given by `fixed` or by `odds`.

    Attributes:
        fixed: Truth probability theta, from 0 to 1, or None if theta depends on the questions asked.
        odds: Odds o = e^epsilon - 1 above 0, rounded down, or None if theta is fixed.

    Raises:
        SurveyError: If `fixed` or `odds` is out of range, or a fixed coin cannot be drawn from 32 random bits.
        TypeError: If not exactly one of `fixed` and `odds` is given.
    """

    fixed: Fraction | None = None
    odds: Fraction | None = None

    def __post_init__(self) -> None:
        if (self.fixed is None) == (self.odds is None):
            raise TypeError("a coin has either a fixed truth probability or odds, not both")
        if self.fixed is not None:
            _check_truth(self.fixed)
        elif self.odds is not None and self.odds <= 0:
            raise SurveyError("odds", "the odds are not positive", "give a fraction above 0")

    @property
    def varies(self) -> bool:
        """Whether the truth probability depends on which questions are asked."""
        return self.fixed is None

    @property
    def published(self) -> tuple[str, Fraction]:
        """The word ``truth`` or ``odds`` and the number that describe the coin in a published design."""
        return ("truth", self.fixed) if self.fixed is not None else ("odds", self.odds or Fraction(0))

    def truth(self, codings: Sequence[Coding]) -> Fraction:
        """Return the truth probability theta for a person who is asked questions with the given codings.

        Raises:
            ValueError: If the coin is set by odds, and a coding has a code that is never sent as a replacement.
        """
        if self.fixed is not None:
            return self.fixed
        return Fraction(*self.parts(*sharpness_parts(codings)))

    def parts(self, states: int, own: int) -> tuple[int, int]:
        """Return the truth probability theta as an unreduced numerator and denominator.

        The browser draws a random number below the denominator of theta, and sends the truth if the number is below the
        numerator. For a coin with odds n / d, theta is ``own n / (own n + states d)``.

        Args:
            states: Numerator of the product of the sharpness of the codings.
            own: Denominator of the product of the sharpness of the codings.
        """
        number = self.published[1]
        if self.fixed is not None:
            return number.numerator, number.denominator
        return number.numerator * own, number.numerator * own + number.denominator * states

    def check_drawn(self, states: int, own: int) -> None:
        """Check that the coin can be drawn from 32 random bits.

        Args:
            states: Largest numerator of K, the product of the sharpness of the codings.
            own: Largest denominator of K, the product of the sharpness of the codings.

        Raises:
            SurveyError: If the coin cannot be drawn from 32 random bits.
        """
        if self.parts(states, own)[1] > WORD:
            problem = f"with {states} combinations of answers its coin is finer than one in 2^32"
            raise SurveyError("odds", problem, "ask fewer questions of the group, or give a simpler fraction")


def sharpness_parts(codings: Sequence[Coding]) -> tuple[int, int]:
    """Return the product of the sharpness of some codings, as an unreduced numerator and denominator.

    Raises:
        ValueError: If a coding has no sharpness.
    """
    return prod(sharp(each).numerator for each in codings), prod(sharp(each).denominator for each in codings)


def sharp(coding: Coding) -> Fraction:
    """Return the sharpness of a coding.

    Raises:
        ValueError: If the coding has no sharpness, because one of its codes is never sent as a replacement.
    """
    if coding.sharpness is None:
        raise ValueError("one of the codes is never drawn as a replacement")
    return coding.sharpness


def _check_truth(truth: Fraction) -> None:
    if not 0 <= truth <= 1:
        raise SurveyError("truth", f"{truth} is not a probability", "give a fraction from 0 to 1")
    if truth.denominator > WORD:
        raise SurveyError("truth", "the fraction has a denominator above 2^32", "give a simpler fraction, such as 3/4")
