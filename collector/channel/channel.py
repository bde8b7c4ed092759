"""How a group is disguised, and everything that follows from its truth probability.

A channel is a random function on the codes of one group of questions, driven by one coin per group. This file alone
derives anything from theta: transition probabilities, their exact inverse, the signed weights of the estimators, the
privacy they give and the variance they cost. Fractions throughout; the miner turns them into floats.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf, log, prod
from typing import ClassVar

from collector.coding.coding import HALF, WORD, Coding
from collector.errors import SurveyError

PAIR = 2  # a code and its complement
LARGEST_FLOAT = 2**1000
Codes = tuple[int, ...]
"""One code for each question of a group, in the group's order."""
Matrix = list[list[Fraction]]
Event = Sequence[frozenset[int] | None]
"""For each question of a group the codes that belong to the event; None for a question it does not touch."""


def states(codings: Sequence[Coding]) -> list[Codes]:
    """Every state of a group: all tuples of codes, in lexicographic order."""
    return list(product(*(coding.codes for coding in codings)))


def matches(codes: Codes, event: Event) -> bool:
    """Whether every touched question has one of the event's codes."""
    return all(wanted is None or code in wanted for code, wanted in zip(codes, event, strict=True))


def check_truth(truth: Fraction) -> None:
    """Refuse what is no truth probability, or none that one word can draw.

    Raises:
        SurveyError: If it is not.
    """
    if not 0 <= truth <= 1:
        raise SurveyError("truth", f"{truth} is not a probability", "give a fraction from 0 to 1")
    if truth.denominator > WORD:
        raise SurveyError("truth", "the denominator exceeds 2^32", "give a simpler fraction, such as 3/4")


class Channel(ABC):
    """The disguise of one group. Where a method takes codings, these are of the group's questions that were asked.

    Attributes:
        truth: theta, the chance that the group is sent as it is. `collector.channel.odds_channel` has none before it is
        known
            which questions were asked: take the channel that `at` gives.

    Raises:
        SurveyError: If no estimate could be made from what is sent, or the coin cannot be drawn from one word.
    """

    truth: Fraction
    name: ClassVar[str]

    def at(self, codings: Sequence[Coding]) -> Channel:
        """The same channel, with the truth probability that it has where these questions are asked."""
        del codings
        return self

    @abstractmethod
    def replacements(self, codes: Codes, codings: Sequence[Coding]) -> Iterator[tuple[Codes, Fraction]]:
        """What is sent when the coin says disguise: every possible state with its probability."""

    @property
    @abstractmethod
    def weights(self) -> tuple[Fraction, Fraction]:
        """The signed weights (own, replacement) of a response's two copies, adding up to 1.

        The mean over responses of ``own f(r) + replacement E f(replacement of r)`` is unbiased for the mean of f over
        the true codes, for any f (DESIGN section 5).
        """

    @abstractmethod
    def replacement_share(self, codes: Codes, event: Event, codings: Sequence[Coding]) -> Fraction:
        """The chance that the replacement of these codes falls in the event."""

    @abstractmethod
    def ratio(self, codings: Sequence[Coding]) -> Fraction | None:
        """e^epsilon, exactly: how many times as likely a response may be under one truth as under another.

        None if there is no bound: a response is possible under one truth and impossible under another.
        """

    def epsilon(self, codings: Sequence[Coding]) -> float:
        """The smallest epsilon for which the disguise is epsilon-locally differentially private; inf if none is."""
        ratio = self.ratio(codings)
        return inf if ratio is None else natural_log(ratio)

    @abstractmethod
    def disguise_variance(self, event: Fraction, replacement: Fraction, both: Fraction) -> Fraction:
        """Variance that the disguise adds to one response's weight for an event, over that of a direct answer.

        Args:
            event: Probability that the truth is in the event.
            replacement: Probability that the replacement of the truth is.
            both: Probability that both are.
        """

    def transition(self, codings: Sequence[Coding]) -> Matrix:
        """P(response | truth), exactly: a row for each true state, a column for each state sent."""
        return self._mixture(codings, self.truth, 1 - self.truth)

    def inverse(self, codings: Sequence[Coding]) -> Matrix:
        """The exact inverse of the transition matrix: Du & Zhan's M^-1, of any size, in closed form."""
        own, replacement = self.weights
        return self._mixture(codings, own, replacement)

    def _mixture(self, codings: Sequence[Coding], own: Fraction, replaced: Fraction) -> Matrix:
        every = states(codings)
        column = {codes: index for index, codes in enumerate(every)}
        matrix = [[Fraction(0)] * len(every) for _ in every]
        for row, codes in zip(matrix, every, strict=True):
            row[column[codes]] += own
            for sent, probability in self.replacements(codes, codings):
                row[column[sent]] += replaced * probability
        return matrix

    def event_weight(self, response: Codes, event: Event, codings: Sequence[Coding]) -> Fraction:
        """w_g(r) of DESIGN section 5: its mean over responses is unbiased for P(truth in event)."""
        own, replacement = self.weights
        return own * matches(response, event) + replacement * self.replacement_share(response, event, codings)


@dataclass(frozen=True)
class ComplementChannel(Channel):
    """Multi-group randomized response (Du & Zhan 2003, section 3): the truth, or every code complemented."""

    truth: Fraction
    name: ClassVar[str] = "complement"

    def __post_init__(self) -> None:
        check_truth(self.truth)
        if self.truth == HALF:
            raise SurveyError("truth", "at 1/2 the responses say nothing at all", "move it away from 1/2, such as 3/4")

    def replacements(self, codes: Codes, codings: Sequence[Coding]) -> Iterator[tuple[Codes, Fraction]]:
        """The one complementary state, with certainty."""
        yield self.complement(codes, codings), Fraction(1)

    @staticmethod
    def complement(codes: Codes, codings: Sequence[Coding]) -> Codes:
        """Every code of the group complemented."""
        return tuple(coding.complement(code) for code, coding in zip(codes, codings, strict=True))

    @property
    def weights(self) -> tuple[Fraction, Fraction]:
        """(a, b) = (theta, theta - 1) / (2 theta - 1)."""
        return self.truth / (2 * self.truth - 1), (self.truth - 1) / (2 * self.truth - 1)

    def replacement_share(self, codes: Codes, event: Event, codings: Sequence[Coding]) -> Fraction:
        """1 if the complement is in the event, else 0."""
        return Fraction(matches(self.complement(codes, codings), event))

    def ratio(self, codings: Sequence[Coding]) -> Fraction | None:
        """Of one two-code question theta / (1 - theta), or its inverse; else None: two candidates, no other."""
        if len(codings) != 1 or len(codings[0].codes) > PAIR or self.truth in {0, 1}:
            return None
        return max(self.truth, 1 - self.truth) / min(self.truth, 1 - self.truth)

    def disguise_variance(self, event: Fraction, replacement: Fraction, both: Fraction) -> Fraction:
        """The noise lambda (P(E) + P(comp E) - 2 P(both)), lambda = theta (1 - theta) / (2 theta - 1)^2."""
        factor = self.truth * (1 - self.truth) / (2 * self.truth - 1) ** 2
        return factor * (event + replacement - 2 * both)


@dataclass(frozen=True)
class UniformChannel(Channel):
    """The truth, or every question of the group by chance, independently and whatever the truth.

    By chance is uniform over the question's codes (k-ary randomized response), or as its coding's published replacement
    says: forced response (Boruch 1971) and the unrelated question whose answers are known (Greenberg and others 1969).
    """

    truth: Fraction
    name: ClassVar[str] = "uniform"

    def __post_init__(self) -> None:
        check_truth(self.truth)
        if self.truth == 0:
            raise SurveyError("truth", "at 0 the responses say nothing at all", "give a fraction above 0, such as 1/2")

    def replacements(self, codes: Codes, codings: Sequence[Coding]) -> Iterator[tuple[Codes, Fraction]]:
        """Every state with the product of its codes' replacement probabilities, whatever the truth."""
        del codes
        chances = [coding.replacement_probabilities for coding in codings]
        for sent in states(codings):
            yield sent, prod((each[code] for each, code in zip(chances, sent, strict=True)), start=Fraction(1))

    @property
    def weights(self) -> tuple[Fraction, Fraction]:
        """(1, theta - 1) / theta."""
        return 1 / self.truth, (self.truth - 1) / self.truth

    def replacement_share(self, codes: Codes, event: Event, codings: Sequence[Coding]) -> Fraction:
        """u(E): the product over touched questions of the chance that a replacement is in the event."""
        del codes
        touched = [(wanted, coding) for wanted, coding in zip(event, codings, strict=True) if wanted is not None]
        return prod((coding.replacement_share(wanted) for wanted, coding in touched), start=Fraction(1))

    def ratio(self, codings: Sequence[Coding]) -> Fraction | None:
        """1 + theta / (1 - theta) times each coding's `sharpness`; with K states, 1 + theta K / (1 - theta)."""
        sharpness = [coding.sharpness for coding in codings]
        if self.truth == 1 or None in sharpness:
            return None
        return 1 + self.truth / (1 - self.truth) * prod((each for each in sharpness if each), start=Fraction(1))

    def disguise_variance(self, event: Fraction, replacement: Fraction, both: Fraction) -> Fraction:
        """(q - 2 (1 - theta) u q + (1 - theta)^2 u^2) / theta^2 - P(E), q = theta P(E) + (1 - theta) u."""
        del both
        lie = 1 - self.truth
        sent = self.truth * event + lie * replacement
        return (sent - 2 * lie * replacement * sent + (lie * replacement) ** 2) / self.truth**2 - event


def natural_log(ratio: Fraction) -> float:
    """The natural logarithm of a number of any size."""
    return log(ratio) if ratio < LARGEST_FLOAT else log(ratio.numerator) - log(ratio.denominator)


CHANNELS: dict[str, type[ComplementChannel | UniformChannel]] = {
    kind.name: kind for kind in (ComplementChannel, UniformChannel)
}


def channel(name: str, truth: Fraction) -> Channel:
    """The channel of this name.

    Raises:
        SurveyError: If there is none, or the truth probability is outside its domain.
    """
    if name not in CHANNELS:
        raise SurveyError("channel", "there is no such channel", f"use one of: {', '.join(CHANNELS)}")
    return CHANNELS[name](truth)
