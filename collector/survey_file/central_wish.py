"""The local epsilon that a ``[privacy]`` table sets, either directly or by a central epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, floor

from collector.channel.rounding import check_epsilon
from collector.errors import SurveyError
from collector.shuffling.clones import clones_epsilon
from collector.shuffling.two_values import two_values_epsilon
from collector.survey.fields import Fields, read_fraction
from collector.survey.question import Question

DELTA = Fraction(1, 10**6)
LARGEST = 40.0  # largest local epsilon that the search tries
HALVINGS = 24
DIGITS = 4  # number of digits to which the local epsilon is rounded down
TWO = 2  # number of values of a question whose local epsilon is exact


@dataclass(frozen=True)
class CentralWish:
    """The central epsilon that a survey file sets.

    Attributes:
        epsilon: Epsilon for readers of published results, above 0.
        respondents: Smallest number of respondents in the published results.
        delta: Delta of the central guarantee.
        new: Smallest number of people who join for each further publication, or None for one publication.
    """

    epsilon: Fraction
    respondents: int
    delta: Fraction
    new: int | None = None

    @property
    def fewest(self) -> int:
        """Smallest number of people who are in exactly the same publications."""
        return self.respondents if self.new is None else min(self.respondents, self.new)

    def local(self, questions: Sequence[Question]) -> Fraction:
        """Return the largest local epsilon that keeps the central epsilon, rounded down to four digits.

        The local epsilon is exact for one question with two values, and otherwise follows from a bound.
        """
        disguised = [each for each in questions if each.sensitive]
        low, high = min(float(self.epsilon), LARGEST), LARGEST
        alone = len(disguised) == 1 and len(disguised[0].values) == TWO
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._central(middle, alone=alone) <= self.epsilon else (low, middle)
        return Fraction(floor(low * 10**DIGITS), 10**DIGITS) if low > float(self.epsilon) else self.epsilon

    def line(self, local: Fraction) -> str:
        """Return the line that states the central epsilon and the local epsilon that follows from it."""
        often = "figures published once" if self.new is None else f"at least {self.new:,} new people per publication"
        return (
            f"Central epsilon {float(self.epsilon):g} for readers of what is published, with {self.respondents:,} "
            f"respondents, {often} and delta {float(self.delta):g}: epsilon {float(local):g} of a whole response."
        )

    def _central(self, local: float, *, alone: bool) -> float:
        if alone:
            return two_values_epsilon(self.fewest, 1 / (1 + exp(-local)), float(self.delta))
        return clones_epsilon(self.fewest, exp(local), float(self.delta))


def read_central(fields: Fields) -> CentralWish | None:
    """Return the central epsilon that a ``[privacy]`` table sets, with the numbers of people and delta, or None.

    Raises:
        SurveyError: If a number is not valid, or the number of respondents is missing.
    """
    place = fields.within("central_epsilon")
    given, respondents = fields.take_optional_any("central_epsilon"), fields.take_optional("respondents", int)
    small, new = fields.take_optional_any("delta"), fields.take_optional("new", int)
    if given is None:
        if any(each is not None for each in (respondents, small, new)):
            problem = "respondents, new and delta belong to a central epsilon, and there is none"
            raise SurveyError("privacy", problem, "add central_epsilon, or remove respondents, new and delta")
        return None
    epsilon, delta = read_fraction(given, place), DELTA
    if small is not None:
        delta = read_fraction(small, fields.within("delta"))
    check_epsilon(epsilon, place)
    if respondents is None or respondents < 1:
        remedy = "add respondents = 4000: the fewest people of whose responses you will publish figures"
        raise SurveyError(place, "a central epsilon needs a number of respondents", remedy)
    if new is not None and new < 1:
        remedy = "give the fewest people who join between two publications, such as 400, or leave new out"
        raise SurveyError(fields.within("new"), "the number of new people is below 1", remedy)
    if not 0 < delta < 1:
        raise SurveyError(fields.within("delta"), "delta is not between 0 and 1", "give a small delta such as 0.000001")
    return CentralWish(epsilon, respondents, delta, new)
