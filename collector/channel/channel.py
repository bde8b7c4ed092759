"""A channel is the disguise of a group of questions, and consists of a coin and a replacement.

A channel is a random function of the codes of a group. The coin sets the probability that the true codes are sent (see
`collector.channel.coin`). The replacement sets which codes are sent in place of the true codes (see
`collector.channel.replacement`). Coin and replacement determine the epsilon, and the inverse weights that make
estimates unbiased.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, log

from collector.channel.coin import Coin
from collector.channel.complement import Complement
from collector.channel.replacement import Replacement
from collector.channel.uniform import Uniform
from collector.coding.coding import Coding
from collector.errors import SurveyError

LARGEST_FLOAT = 2**1000

REPLACEMENTS: dict[str, Replacement] = {each.name: each for each in (Complement(), Uniform())}
"""Every registered kind of channel, by its name. docs/extending.md explains how to add one."""


@dataclass(frozen=True)
class Channel:
    """The disguise of a group of questions.

    Attributes:
        coin: Coin that decides whether the true codes are sent.
        replacement: Rule for the codes that are sent in place of the true codes.

    Raises:
        SurveyError: If the codes sent would not depend on the answers.
    """

    coin: Coin
    replacement: Replacement

    def __post_init__(self) -> None:
        if self.coin.fixed is not None:
            self.replacement.check(self.coin.fixed)

    @property
    def name(self) -> str:
        """The name of the replacement, which is also the channel's name in designs and survey files."""
        return self.replacement.name

    def truth(self, codings: Sequence[Coding]) -> Fraction:
        """Return theta, the probability that the true codes are sent, for questions with the given codings."""
        return self.coin.truth(codings)

    def at(self, codings: Sequence[Coding]) -> "Channel":
        """Return the channel with the truth probability fixed for a person who is asked the given questions."""
        return replace(self, coin=Coin(self.truth(codings)))

    @property
    def may_change(self) -> bool:
        """Return whether the codes sent depend on chance, either by the coin or by the draw of a replacement."""
        return self.coin.fixed not in {0, 1} or self.replacement.candidates is None

    def weights(self, codings: Sequence[Coding]) -> tuple[Fraction, Fraction]:
        """Return two signed weights that add up to 1: for the codes as sent, and for the replaced codes."""
        return self.replacement.weights(self.truth(codings))

    def ratio(self, codings: Sequence[Coding]) -> Fraction | None:
        """Return e^epsilon exactly, which is the largest ratio of a response's probabilities under two true answers.

        If the coin is set by odds o, e^epsilon is 1 + o for any questions. None is returned if the disguise has no
        finite epsilon.
        """
        return self.replacement.ratio(self.truth(codings), codings)

    def epsilon(self, codings: Sequence[Coding]) -> float:
        """Return the smallest epsilon of local differential privacy that the disguise keeps, or infinity."""
        ratio = self.ratio(codings)
        return inf if ratio is None else natural_log(ratio)


def natural_log(ratio: Fraction) -> float:
    """Return the natural logarithm of a fraction of any size."""
    return log(ratio) if ratio < LARGEST_FLOAT else log(ratio.numerator) - log(ratio.denominator)


def channel(name: str, truth: Fraction) -> Channel:
    """Return the channel with a given name and a fixed truth probability.

    Raises:
        SurveyError: If no channel has this name, or the truth probability is not allowed.
    """
    return Channel(Coin(truth), replacement(name))


def replacement(name: str) -> Replacement:
    """Return the registered replacement with a given name.

    Raises:
        SurveyError: If no replacement has this name.
    """
    if name not in REPLACEMENTS:
        raise SurveyError("channel", "there is no such channel", f"use one of: {', '.join(REPLACEMENTS)}")
    return REPLACEMENTS[name]


def uniform_odds(odds: Fraction) -> Channel:
    """Return the uniform channel with a coin set by odds, for a group in which questions are drawn.

    Raises:
        SurveyError: If the odds are not positive.
    """
    return Channel(Coin(odds=odds), REPLACEMENTS[Uniform.name])
