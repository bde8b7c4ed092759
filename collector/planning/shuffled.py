"""The central epsilon of a survey, which bounds what published figures reveal about one respondent.

Estimates, tables, models and reports depend only on how often each possible response was received. Published figures do
not depend on the order of responses, so their epsilon is smaller than the epsilon of a response (amplification by
shuffling). Section 17 of docs/guarantee.md states and proves the guarantee.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, exp, floor, inf, isfinite, log10, nextafter
from typing import Any

from collector.channel.channel import Channel
from collector.coding.coding import Coding
from collector.disclosure.accounting import epsilon_of, largest_ratio, person_ratio, power_above
from collector.errors import QueryError
from collector.shuffling.clones import MOST_RATIO, blanket_epsilon, clones_epsilon
from collector.shuffling.two_values import two_values_epsilon
from collector.survey.group import Group
from collector.survey.survey import Survey

DELTA = 1e-6
ROUNDING = 1e-9  # more than the error of an epsilon from the conversion of fractions to floats
WORTH = 0.99  # largest ratio to another epsilon at which a smaller epsilon is printed
DIGITS = 3
MANY = 100  # smallest factor e^epsilon that is printed as a whole number
MOST_GROUPS = 2**11  # number of groups whose central epsilon is cached, because an edit changes few groups
CODES = 2  # number of codes of a question with two values

AGAIN = (
    "If you publish again after responses were added, withdrawn or replaced, the difference of two figures shows the "
    "codes of those who joined or left. Over all publications, the epsilon of a person is then that of only as many "
    "people as are in exactly the same publications (collector check --new); who is in all of them pays nothing more."
)
AGAINST = (
    "A central epsilon holds for readers only. For people who run the server, see responses arrive, or have the "
    "responses with their times or a log of them, the local epsilon holds. The central epsilon holds for all figures "
    f"of the same responses together. {AGAIN} Coins are tossed anew for another wave or version, and for a response "
    "that replaces another: there the epsilons and deltas of the same person add up."
)


@dataclass(frozen=True)
class CentralPrivacy:
    """The central differential privacy of published results, if neighbours differ in one respondent's answers.

    Attributes:
        respondents: Number of respondents in the published results.
        delta: Delta of the guarantee.
        local: Epsilon of one response, or infinity.
        epsilon: Epsilon of all results that are computed from the frequencies of responses, or infinity.
        exact: Whether `epsilon` is exact to 0.01, and not only an upper bound.
        shares: Epsilon if only shares of single questions are published, or None if this epsilon is not smaller.
        alike: Names of undisguised questions, to which all respondents of the guarantee have equal answers.
        new: The guarantee over all publications for people who join later, if there are several publications, or None.
    """

    respondents: int
    delta: float
    local: float
    epsilon: float
    exact: bool
    shares: float | None
    alike: tuple[str, ...]
    new: CentralPrivacy | None = None

    @property
    def is_finite(self) -> bool:
        """Whether the central epsilon is finite."""
        return isfinite(self.epsilon)

    @property
    def is_smaller(self) -> bool:
        """Whether the central epsilon is smaller than the local epsilon (by more than 0.01)."""
        return self.epsilon < WORTH * self.local

    @property
    def line(self) -> str:
        """The sentence that states the central epsilon, with the factor exp(epsilon)."""
        people = f"{self.respondents:,} respondent{'s' if self.respondents > 1 else ''}"
        with_so_many = f"with {people}"
        if self.alike:
            with_so_many = f"where {people} gave the same answers to {', '.join(self.alike)}"
        readers = "Readers of what is published"
        if not self.is_finite:
            return f"{readers}: no central epsilon holds, as no epsilon holds for a response."
        if not self.is_smaller:
            return (
                f"{readers}: {with_so_many}, no central epsilon below the local epsilon of a response "
                f"({self.local:.3f}) can be proved; quote the local epsilon for readers, too. More respondents may "
                "make it smaller."
            )
        most = "" if self.exact else " at most"
        return (
            f"{readers}: {with_so_many}, central differential privacy, epsilon "
            f"{rounded_up(self.epsilon)}{most}, delta {self.delta:g}, between any two sets of answers of one "
            "respondent to the disguised questions. In odds: the probability of whatever is published is at most "
            f"{factor(self.epsilon)} times as large under one of these sets as under the other, plus delta."
        )

    @property
    def lines(self) -> tuple[str, ...]:
        """The sentences that state the central epsilon, the guarantee if less is published, and their limits."""
        if not self.is_finite:
            return (self.line,)
        shares = self.shares or 0.0
        some = (
            "If you publish only shares of single questions, with no cross-table, no model, and none of --by, --among "
            f"and --careless: epsilon {rounded_up(shares)} at most (a factor of {factor(shares)}), delta "
            f"{self.delta:g}, with {self.respondents:,} respondents."
        )
        shown = [some] if self.shares is not None else []
        again = [] if self.new is None else [self._several(self.new)]
        return (self.line, *shown, *again, *([AGAINST] if self.is_smaller or shown else []))

    def _several(self, new: CentralPrivacy) -> str:
        """Return the sentences on several publications, given the guarantee for people who join later."""
        alike = f" with the same answers to {', '.join(self.alike)}" if self.alike else ""
        joined = f"no central epsilon below the local epsilon of a response ({self.local:.3f}) can be proved"
        if new.is_smaller:
            joined = f"epsilon {rounded_up(new.epsilon)} (a factor of {factor(new.epsilon)}), delta {self.delta:g}"
        if new.shares is not None:
            joined += f"; for shares of single questions, epsilon {rounded_up(new.shares)}, delta {self.delta:g}"
        people = f"{new.respondents:,} new {'person' if new.respondents == 1 else 'people'}{alike}"
        return (
            f"If you publish again after more people responded, with at least {people} in each publication who stay in "
            f"all later ones: for each of the new people, over all publications, {joined}. The figures above hold over "
            f"all publications for the {self.respondents:,} who are in all of them. Somebody who alone joins, "
            f"withdraws or replaces a response between two publications has the local epsilon ({self.local:.3f}) for "
            "each response."
        )

    @property
    def as_json(self) -> dict[str, Any]:
        """The central privacy guarantee as plain JSON values."""
        return {
            "respondents": self.respondents,
            "delta": self.delta,
            "local": self.local if isfinite(self.local) else None,
            "epsilon": self.epsilon if isfinite(self.epsilon) else None,
            "exact": self.exact,
            "shares": self.shares,
            "alike": list(self.alike),
            "new": None if self.new is None else self.new.as_json,
            "lines": list(self.lines),
        }


def rounded_up(epsilon: float) -> str:
    """Return an epsilon as text with three digits, rounded up."""
    if epsilon <= 0:
        return "0"
    places = max(0, DIGITS - 1 - floor(log10(epsilon)))
    return f"{ceil(epsilon * 10**places - ROUNDING) / 10**places:.{places}f}"


def factor(epsilon: float) -> str:
    """Return e^epsilon as text, rounded up to three digits, or to a whole number or power of ten if it is large."""
    if (power := power_above(epsilon)) is not None:
        return power
    times = exp(epsilon)
    return rounded_up(times) if times < MANY else f"{ceil(times):,}"


def central_privacy(survey: Survey, respondents: int, delta: float = DELTA, new: int | None = None) -> CentralPrivacy:
    """Return the central epsilon of results published from a survey.

    Args:
        survey: Design of the survey.
        respondents: Number of responses in the published results, at least 1, from respondents with equal answers to
            all undisguised questions.
        delta: Delta, from 0 to below 1.
        new: Smallest number of people who join for each further publication of several, or None.

    Raises:
        QueryError: If a number is out of range.
    """
    if respondents < 1:
        raise QueryError("respondents", "the number of respondents is below 1", "give the number of respondents")
    if not 0 <= delta < 1:
        raise QueryError("delta", f"{delta:g} is not from 0 to below 1", "give a small delta such as 1e-6")
    local = epsilon_of(person_ratio(survey) if survey.groups else None)
    epsilon, exact = _epsilon_of(survey, survey.groups, respondents, delta)
    epsilon = min(local, epsilon * (1 + ROUNDING))
    alike = tuple(each.name for each in survey.questions if not each.sensitive)
    joined = None if new is None else central_privacy(survey, new, delta)
    shares = _shares(survey, respondents, delta, epsilon)
    return CentralPrivacy(respondents, delta, local, epsilon, exact, shares, alike, joined)


def _shares(survey: Survey, respondents: int, delta: float, whole: float) -> float | None:
    """Return the sum of the families' central epsilons, or None if it is not smaller than the epsilon of all groups.

    A share is computed from the codes of one family: the question's own group, and the groups of all questions that its
    condition depends on, which other followers share. Delta is divided equally among the families.
    """
    if survey.sampling is not None:  # then the groups of a response depend on its draw
        return None
    families: dict[frozenset[str], list[Group]] = {}
    for group in survey.groups:
        families.setdefault(survey.together(group.questions[0]), []).append(group)
    if len(families) < 2:
        return None
    part = delta / len(families)
    total = sum(_epsilon_of(survey, groups, respondents, part)[0] for groups in families.values()) * (1 + ROUNDING)
    return total if total < WORTH * whole else None


def _epsilon_of(survey: Survey, groups: Sequence[Group], respondents: int, delta: float) -> tuple[float, bool]:
    """Return the central epsilon of the codes of some groups together, and whether the epsilon is exact."""
    if len(groups) == 1 and survey.sampling is None:
        codings = tuple(each.coding for each in survey.members(groups[0]))
        return _group_epsilon(groups[0].channel, codings, respondents, delta)
    ratio = largest_ratio(survey, groups) if groups else None
    if ratio is None or ratio > MOST_RATIO:
        return epsilon_of(ratio), False
    return clones_epsilon(respondents, nextafter(float(ratio), inf), delta), False


@lru_cache(maxsize=MOST_GROUPS)
def _group_epsilon(channel: Channel, codings: tuple[Coding, ...], respondents: int, delta: float) -> tuple[float, bool]:
    """Return the central epsilon of a group whose questions everybody is asked, and whether the epsilon is exact."""
    truth, ratio = channel.truth(codings), channel.ratio(codings)
    if ratio is None or ratio > MOST_RATIO:
        return epsilon_of(ratio), False
    paired = channel.replacement.paired
    if len(codings) == 1 and len(codings[0].codes) == CODES and (paired or codings[0].replacement is None):
        sent = truth if paired else (1 + truth) / 2
        return two_values_epsilon(respondents, float(sent), delta), True
    bounds = [clones_epsilon(respondents, nextafter(float(ratio), inf), delta)]
    if not paired:
        rarest = 1.0
        for coding in codings:
            rarest *= float(min(coding.replacement_probabilities.values()))
        bounds.append(blanket_epsilon(respondents, float(truth), 1 / rarest, delta))
    return min(bounds), False
