"""One coin for all that a respondent is asked of a group, with a guarantee that does not depend on the draw.

Under sampling the questions asked change from one respondent to the next, and with them how surely a response to them
would tell the truth: K, the product of their codings' sharpness, which is the number of states where each value has a
code of its own. What is published is the odds o; the truth probability follows, theta = o / (o + K), and every response
has exactly the ratio 1 + o.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import ClassVar

from collector.channel.channel import Channel, Codes, Event, UniformChannel
from collector.coding.coding import WORD, Coding
from collector.errors import SurveyError


def sharpness_parts(codings: Sequence[Coding]) -> tuple[int, int]:
    """K = states / own of these codings: the products of the numerators and denominators of their sharpness.

    Raises:
        ValueError: If one has none.
    """
    return prod(sharp(each).numerator for each in codings), prod(sharp(each).denominator for each in codings)


def sharp(coding: Coding) -> Fraction:
    """The sharpness of a coding.

    Raises:
        ValueError: If it has none: it is replaced, and one of its codes never by.
    """
    if coding.sharpness is None:
        raise ValueError("a code is never a replacement")
    return coding.sharpness


@dataclass(frozen=True)
class OddsChannel(Channel):
    """The uniform channel of a group of which not everybody is asked every question.

    Attributes:
        odds: o = e^epsilon - 1, rounded down: theta = o / (o + K), K the product of the sharpness of what is asked.

    Raises:
        SurveyError: If the odds are not positive.
    """

    odds: Fraction
    name: ClassVar[str] = "uniform"

    def __post_init__(self) -> None:
        if self.odds <= 0:
            raise SurveyError("odds", "they are not positive", "give a fraction above 0")

    @property
    def truth(self) -> Fraction:  # type: ignore[override]  # nobody writes a truth
        """There is none before it is known which questions were asked.

        Raises:
            ValueError: Always.
        """
        raise ValueError("the truth probability depends on the questions asked: use at(codings)")

    def at(self, codings: Sequence[Coding]) -> UniformChannel:
        """The uniform channel with theta = o / (o + K), K the product of these questions' sharpness."""
        return UniformChannel(Fraction(*self.coin(*sharpness_parts(codings))))

    def coin(self, states: int, own: int) -> tuple[int, int]:
        """How many numbers say truth, and of how many, where K = states / own: own num, and that and states den."""
        truthful = self.odds.numerator * own
        return truthful, truthful + self.odds.denominator * states

    def check_coin(self, states: int, own: int) -> None:
        """Refuse odds whose coin cannot be drawn from one word.

        Args:
            states: The largest numerator of K.
            own: Its largest denominator.

        Raises:
            SurveyError: If it cannot.
        """
        if self.coin(states, own)[1] > WORD:
            problem = f"with {states} combinations of answers its coin is finer than one in 2^32"
            raise SurveyError("odds", problem, "ask fewer questions of it, or give a simpler fraction")

    def replacements(self, codes: Codes, codings: Sequence[Coding]) -> Iterator[tuple[Codes, Fraction]]:
        """As the uniform channel's."""
        return self.at(codings).replacements(codes, codings)

    @property
    def weights(self) -> tuple[Fraction, Fraction]:
        """There are none before it is known which questions were asked.

        Raises:
            ValueError: Always.
        """
        return 1 / self.truth, (self.truth - 1) / self.truth

    def replacement_share(self, codes: Codes, event: Event, codings: Sequence[Coding]) -> Fraction:
        """As the uniform channel's."""
        return self.at(codings).replacement_share(codes, event, codings)

    def ratio(self, codings: Sequence[Coding]) -> Fraction:
        """1 + o, whichever questions are asked."""
        del codings
        return 1 + self.odds

    def disguise_variance(self, event: Fraction, replacement: Fraction, both: Fraction) -> Fraction:
        """There is none before it is known which questions were asked.

        Raises:
            ValueError: Always.
        """
        del event, replacement, both
        return self.truth
