"""A channel, a coin and a replacement: the disguise of a group, and all that follows from its truth probability.

A channel is a random function on the codes of one group of questions. The coin gives the probability that the truth is
sent, given which questions were asked (`collector.channel.coin`). The replacement gives what is sent otherwise
(`collector.channel.replacement`), with one module for each kind of replacement. Both together determine the weights
that undo the disguise on average, and the privacy. All numbers are fractions, which the miner turns into floats.
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
    """The disguise of one group. Methods that take codings expect those of the group's questions that were asked.

    Attributes:
        coin: Coin that decides whether the true codes are sent.
        replacement: Rule for the codes that are sent otherwise.

    Raises:
        SurveyError: If no estimate can be computed from the codes sent.
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
        """Return theta, the probability that the group is sent as it is."""
        return self.coin.truth(codings)

    def at(self, codings: Sequence[Coding]) -> "Channel":
        """Return this channel with a fixed truth probability: the one for a person who is asked these questions."""
        return replace(self, coin=Coin(self.truth(codings)))

    @property
    def may_change(self) -> bool:
        """Return whether the codes sent depend on chance: on the coin or on the draw of a replacement."""
        return self.coin.fixed not in {0, 1} or self.replacement.candidates is None

    def weights(self, codings: Sequence[Coding]) -> tuple[Fraction, Fraction]:
        """Return the signed weights of a response's two copies, the one as sent and the replaced one.

        The two weights add up to 1.
        """
        return self.replacement.weights(self.truth(codings))

    def ratio(self, codings: Sequence[Coding]) -> Fraction | None:
        """Return e^epsilon exactly: the largest ratio of a response's probabilities under two true answers.

        With odds o the ratio is 1 + o, whichever questions are asked. The ratio is None if there is no bound.
        """
        return self.replacement.ratio(self.truth(codings), codings)

    def epsilon(self, codings: Sequence[Coding]) -> float:
        """Return the smallest epsilon for which the disguise is epsilon-locally differentially private, or infinity."""
        ratio = self.ratio(codings)
        return inf if ratio is None else natural_log(ratio)


def natural_log(ratio: Fraction) -> float:
    """Return the natural logarithm of a fraction, however large or small it is."""
    return log(ratio) if ratio < LARGEST_FLOAT else log(ratio.numerator) - log(ratio.denominator)


def channel(name: str, truth: Fraction) -> Channel:
    """Return the channel of this name with a fixed truth probability.

    Raises:
        SurveyError: If no channel has this name, or the truth probability is outside its domain.
    """
    return Channel(Coin(truth), replacement(name))


def replacement(name: str) -> Replacement:
    """Return the registered replacement of this name.

    Raises:
        SurveyError: If no replacement has this name.
    """
    if name not in REPLACEMENTS:
        raise SurveyError("channel", "there is no such channel", f"use one of: {', '.join(REPLACEMENTS)}")
    return REPLACEMENTS[name]


def uniform_odds(odds: Fraction) -> Channel:
    """Return the uniform channel of a group in which not everybody is asked every question.

    Raises:
        SurveyError: If the odds are not positive.
    """
    return Channel(Coin(odds=odds), REPLACEMENTS[Uniform.name])
