"""Whether to disguise at all, and how small a difference a survey can find, before anybody is asked.

All variances are exact if the priors are right (see `collector.disclosure.precision`). The variance of an estimated
share is a quadratic function of the share, if the other answers keep their proportions, under every design. Differences
have the variance of each group at its own share, and power by the normal approximation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, inf, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

from collector.disclosure.precision import is_filtered, reported_variance, share_asked
from collector.errors import QueryError
from collector.survey.question import Question
from collector.survey.survey import Survey

MOST_INFLATED = 1000  # largest factor of variance by clusters or weights
UNITS = 10**9  # shares that are tried are rounded to one of so many parts, as a prior may not have more digits


@dataclass(frozen=True)
class DifferenceSettings:
    """What a comparison should achieve, and the sampling design.

    Attributes:
        level: Level of the two-sided test.
        power: Probability of finding a difference that is there.
        clusters: Factor by which clusters inflate the variance of open answers, 1 + (people per cluster - 1) x
            intraclass correlation. The coins of people in one cluster are independent.
        weights: Factor by which unequal sampling weights inflate every variance, 1 + squared coefficient of variation.
        wanted: Difference of shares to find, or None.

    Raises:
        QueryError: If a setting is out of range.
    """

    level: float = 0.05
    power: float = 0.8
    clusters: float = 1.0
    weights: float = 1.0
    wanted: float | None = None

    def __post_init__(self) -> None:
        shares = {"--level": self.level, "--power": self.power, "--difference": self.wanted}
        for name, share in shares.items():
            if share is not None and not 0 < share < 1:
                raise QueryError(name, "the number is not between 0 and 1", "give a number such as 0.05 or 0.8")
        if self.power <= self.level:
            raise QueryError("--power", "the power is not above the level", "give a number such as 0.8")
        if not (1 <= self.clusters < MOST_INFLATED and 1 <= self.weights < MOST_INFLATED):
            raise QueryError(
                "--cluster-effect, --weight-effect",
                f"a factor is not from 1 to {MOST_INFLATED}",
                "give a factor such as 1.5",
            )

    @property
    def reach(self) -> float:
        """The number of standard errors that a difference must have to be found with the power."""
        normal = NormalDist()
        return normal.inv_cdf(1 - self.level / 2) + normal.inv_cdf(self.power)


class Curve(NamedTuple):
    """The variance of one response's weight if a share moves by x: ``level + slope x + bend x^2``."""

    level: float
    slope: float
    bend: float

    def least(self, reach: float, respondents: float) -> float:
        """Return the smallest difference from the share that is `reach` standard errors, or infinity if there is none.

        Args:
            reach: Number of standard errors.
            respondents: Number of respondents in each of the two groups.
        """
        ratio = reach**2 / respondents
        linear, constant = ratio * self.slope, 4 * ratio * self.level
        square = linear**2 + 2 * constant * (1 - ratio * self.bend)
        divisor = sqrt(max(0.0, square)) - linear
        return constant / divisor if square >= 0 and divisor > 0 else inf

    def coefficient(self, reach: float, respondents: float) -> float:
        """Return the smallest slope per standard deviation of an undisguised predictor that is `reach` errors."""
        left = respondents / reach**2 - self.bend
        return sqrt(self.level / left) if left > 0 else inf

    def needed(self, reach: float, difference: float) -> int:
        """Return how many respondents in each of two groups make a difference `reach` standard errors."""
        both = 2 * self.level + self.slope * difference + self.bend * difference**2
        return ceil(both * (reach / difference) ** 2)


@dataclass(frozen=True)
class Detectable:
    """The smallest differences of one share that a survey finds, disguised or asked openly.

    Attributes:
        groups: Difference between two halves of the respondents, or None if none is large enough.
        waves: Difference between two waves with so many respondents each, or None.
        coefficient: Slope of the share per standard deviation of an undisguised predictor in a linear regression, or
            None.
        respondents: Respondents in both groups together for the wanted difference, or None. A wave needs half of them.
    """

    groups: float | None
    waves: float | None
    coefficient: float | None
    respondents: int | None


@dataclass(frozen=True)
class DifferencePlan:
    """Whether disguising a question pays, and which differences of its least precise share can be found.

    Attributes:
        question: Name of the question.
        value: Value whose share is the least precise.
        share: Expected share of the value, among those who are asked; in a split questionnaire, among all.
        upward: Whether differences are from the share upward, or downward from a share above one half.
        bias: Bias of the question asked openly beyond which disguise has the smaller mean square error, if it removes
            the bias; 0 for an undisguised question. If it removes half, the bias is sqrt(4/3) times as large.
        disguised: Smallest differences as designed.
        openly: Smallest differences if everybody were asked the question openly and answered truthfully.
    """

    question: str
    value: str
    share: float
    upward: bool
    bias: float
    disguised: Detectable
    openly: Detectable

    @property
    def as_json(self) -> dict[str, Any]:
        """The plan as plain JSON values."""
        return vars(self) | {"disguised": vars(self.disguised), "openly": vars(self.openly)}


def difference_plans(survey: Survey, respondents: int, settings: DifferenceSettings) -> Iterator[DifferencePlan]:
    """Yield what differences the survey finds in each of its questions, in survey order.

    Args:
        survey: Design of the survey, whose priors are taken as right.
        respondents: Number of respondents, at least 1.
        settings: What a comparison should achieve.
    """
    for question in survey.questions:
        values = range(len(question.values) - is_filtered(question))
        value = max(values, key=lambda each: reported_variance(survey, question, each))
        share = float(question.prior[value] / share_asked(survey, question))
        upward = share <= 1 / 2
        openly, added = _curves(survey, question, value)
        sampled = Curve(*(settings.weights * settings.clusters * each for each in openly))
        coins = Curve(*(settings.weights * each for each in added))
        disguised = Curve(*(one + other for one, other in zip(sampled, coins, strict=True)))
        bias = sqrt(max(0.0, coins.level) / respondents)
        found = (_detectable(each, share, respondents, settings) for each in (disguised, sampled))
        yield DifferencePlan(question.name, question.values[value], share, upward, bias, *found)


def _detectable(curve: Curve, share: float, respondents: int, settings: DifferenceSettings) -> Detectable:
    reach, wanted, room = settings.reach, settings.wanted, max(share, 1 - share)
    found = curve.least(reach, respondents / 2), curve.least(reach, respondents), curve.coefficient(reach, respondents)
    groups, waves, coefficient = (each if each <= room else None for each in found)
    needed = 2 * curve.needed(reach, wanted) if wanted is not None and wanted <= room else None
    return Detectable(groups, waves, coefficient, needed)


def _curves(survey: Survey, question: Question, value: int) -> tuple[Curve, Curve]:
    """Return the variance of open answers, and what the disguise adds to it, if the share of a value moves."""
    share = question.prior[value] / share_asked(survey, question)
    points = (_variances(survey, question, value, each) for each in (share, share / 2, (share + 1) / 2))
    shares, *variances = zip(*points, strict=True)
    openly, added = (_through(shares, each) for each in variances)
    return openly, added


def _variances(survey: Survey, question: Question, value: int, share: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """Return a share near another, the variance of open answers, and what the disguise adds, if a value had it."""
    asked = share_asked(survey, question)
    scale = (1 - share) / (1 - question.prior[value] / asked)
    prior = [Fraction(max(1, round(each * scale * UNITS)), UNITS) for each in question.prior]
    if asked < 1:
        prior[-1] = Fraction(round(question.prior[-1] * UNITS), UNITS)
    prior[value] += 1 - sum(prior)
    changed = question if scale == 1 else replace(question, prior=tuple(prior))
    if asked < 1:  # its variance is also that of the questions it depends on
        family = survey.only(survey.together(question.name))
        questions = tuple(changed if each.name == question.name else each for each in family.questions)
        survey = replace(family, questions=questions)
    share = changed.prior[value] / asked
    return share, share * (1 - share) / asked, reported_variance(survey, changed, value) - share * (1 - share) / asked


def _through(shares: tuple[Fraction, ...], variances: tuple[Fraction, ...]) -> Curve:
    """Return the quadratic function through three points, from the first of them towards the middle or beyond."""
    (level, *others), moves = variances, [(each - shares[0]) * (1 if shares[0] <= 1 / 2 else -1) for each in shares[1:]]
    one, other = ((each - level) / move for each, move in zip(others, moves, strict=True))
    bend = (one - other) / (moves[0] - moves[1])
    return Curve(float(level), float(one - bend * moves[0]), float(bend))
