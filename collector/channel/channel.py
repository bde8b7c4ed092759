"""A channel, a coin and a replacement: the disguise of a group, and all that follows from its truth probability.

A channel is a random function on the codes of one group of questions. The coin says with what chance the truth is sent,
given which questions were asked (`collector.channel.coin`); the replacement says what is sent otherwise
(`collector.channel.replacement`), one module for each kind. Both together give the weights that undo the disguise on
average, and the privacy they give. Fractions throughout; the miner turns them into floats.
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
"""Every registered kind of channel, by its name. docs/extending.md says what another needs."""


@dataclass(frozen=True)
class Channel:
    """The disguise of one group. Where a method takes codings, these are of the group's questions that were asked.

    Attributes:
        coin: With what chance the group is sent as it is.
        replacement: What is sent otherwise.

    Raises:
        SurveyError: If no estimate could be made from what is sent.
    """

    coin: Coin
    replacement: Replacement

    def __post_init__(self) -> None:
        if self.coin.fixed is not None:
            self.replacement.check(self.coin.fixed)

    @property
    def name(self) -> str:
        """The name of its replacement: designs and survey files call the channel so."""
        return self.replacement.name

    def truth(self, codings: Sequence[Coding]) -> Fraction:
        """theta, the chance that the group is sent as it is."""
        return self.coin.truth(codings)

    def at(self, codings: Sequence[Coding]) -> "Channel":
        """This channel with a fixed truth probability: the one it has where these questions are asked."""
        return replace(self, coin=Coin(self.truth(codings)))

    @property
    def may_change(self) -> bool:
        """Whether chance decides what is sent: the coin may fall either way, or what it replaces by is drawn."""
        return self.coin.fixed not in {0, 1} or self.replacement.candidates is None

    def weights(self, codings: Sequence[Coding]) -> tuple[Fraction, Fraction]:
        """The signed weights of a response's two copies, as it is and replaced, adding up to 1."""
        return self.replacement.weights(self.truth(codings))

    def ratio(self, codings: Sequence[Coding]) -> Fraction | None:
        """e^epsilon, exactly: the largest ratio of a response's probabilities under two truths.

        1 + o with odds o, whichever questions are asked. None if there is no bound.
        """
        return self.replacement.ratio(self.truth(codings), codings)

    def epsilon(self, codings: Sequence[Coding]) -> float:
        """The smallest epsilon for which the disguise is epsilon-locally differentially private; inf if none is."""
        ratio = self.ratio(codings)
        return inf if ratio is None else natural_log(ratio)


def natural_log(ratio: Fraction) -> float:
    """The natural logarithm of a number of any size."""
    return log(ratio) if ratio < LARGEST_FLOAT else log(ratio.numerator) - log(ratio.denominator)


def channel(name: str, truth: Fraction) -> Channel:
    """The channel of this name with a fixed truth probability.

    Raises:
        SurveyError: If there is none, or the truth probability is outside its domain.
    """
    return Channel(Coin(truth), replacement(name))


def replacement(name: str) -> Replacement:
    """The registered replacement of this name.

    Raises:
        SurveyError: If there is none.
    """
    if name not in REPLACEMENTS:
        raise SurveyError("channel", "there is no such channel", f"use one of: {', '.join(REPLACEMENTS)}")
    return REPLACEMENTS[name]


def uniform_odds(odds: Fraction) -> Channel:
    """The uniform channel of a group of which not everybody is asked every question.

    Raises:
        SurveyError: If the odds are not positive.
    """
    return Channel(Coin(odds=odds), REPLACEMENTS[Uniform.name])
