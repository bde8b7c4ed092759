"""Test whether the responses since the last training differ significantly from earlier responses.

The store does not know the order in which responses arrived. New responses (newcomers) can be compared with earlier
ones nevertheless, because an estimate is a mean over responses. The mean and the variance of an estimate's terms among
newcomers follow from the sums of terms and of their squares. Each sum over new responses is the sum over all responses
minus the sum over earlier responses. The respondents after and before the last training are different people, so their
responses are independent. After a withdrawal the comparison begins anew.

A slow change is too small to be seen between two trainings. The figures of all trainings since the last accepted change
give the mean among the newcomers of each, and the slope of a line through these means is tested, too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtr  # type: ignore[import-untyped] # scipy brings no types

from collector.survey.survey import Survey
from miner.estimates.estimate import estimates
from miner.figures.estimate import Estimate
from miner.responses.responses import Responses, codes_of_values

FEWEST = 20  # smallest number of newcomers whose mean is compared
FEWEST_PARTS = 3  # smallest number of trainings through which a line is fitted
ROUNDING = 1e-9


@dataclass(frozen=True)
class Drift:
    """Comparison of an estimate from the responses before the last training with the estimate from later responses.

    Attributes:
        what: Name of the quantity.
        before: Estimate from the responses at the last training.
        since: Estimate from the responses since the last training.
        standard_error: Standard error of the difference.
        p: P-value of the difference, corrected for the number of figures that are compared.
    """

    what: str
    before: float
    since: float
    standard_error: float
    p: float

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the drift as plain JSON values."""
        return asdict(self) | {"outside_unit_interval": self.outside_unit_interval}

    @property
    def outside_unit_interval(self) -> bool:
        """Return whether the estimate from new responses is by chance an impossible share or accuracy."""
        return not 0 <= self.since <= 1

    @property
    def line(self) -> str:
        """Return the drift in words."""
        outside = ", which no share can be, for they are few" if self.outside_unit_interval else ""
        return f"{self.what} {self.before:z.3f} before, {self.since:z.3f} among the newcomers{outside} (p {self.p:.1g})"


def marginals(responses: Responses) -> dict[str, Estimate]:
    """Estimate the frequency of every value of every question, named ``question = value``.

    Raises:
        QueryError: If there are no responses.
    """
    events = {
        f"{question.name} = {value}": {question.name: codes_of_values(question, {index})}
        for question in responses.survey.questions
        for index, value in enumerate(question.values)
    }
    return dict(zip(events, estimates(responses, events.values()), strict=True))


def counted_once(survey: Survey, figures: Mapping[str, Estimate]) -> dict[str, Estimate]:
    """Return the estimates without redundant ones.

    For a question with two values, only the first value is kept.
    """
    seconds = {f"{each.name} = {each.values[1]}" for each in survey.questions if len(each.values) == 2}
    return {name: figure for name, figure in figures.items() if name not in seconds}


def shifts(
    before: Mapping[str, Estimate],
    now: Mapping[str, Estimate],
    start: Mapping[str, Estimate] | None = None,
    earlier: Sequence[Mapping[str, Estimate]] = (),
) -> list[Drift]:
    """Return every comparison of newcomers with earlier responses that is possible, sorted by p-value.

    A comparison is a t test of two means (Welch 1947), or of the slope through the means of all trainings. P-values are
    corrected by Holm's method (1979). If nothing has changed, the probability of any p-value below a level is at most
    the level.

    Args:
        before: Estimates from all responses before the new responses (newcomers) arrived.
        now: Estimates from all present responses.
        start: Estimates from those earlier responses with which new responses are not compared, or None.
        earlier: Estimates at each earlier training after `start`, the oldest first.
    """
    raw = []
    for name in before:
        normal = _between(start[name] if start and name in start else None, before[name])
        newcomers = _between(before[name], now[name]) if name in now else None
        if normal is not None and newcomers is not None:
            raw.append((name, *_welch(normal, newcomers)))
        parts = _parts(name, start, [*earlier, now])
        if len(parts) >= FEWEST_PARTS:
            raw.append((f"{name}, by a trend over {len(parts)} trainings,", *_trend(parts)))
    raw.sort(key=itemgetter(4))
    corrected = _holm([chance for *_, chance in raw])
    return [Drift(*each[:4], p) for each, p in zip(raw, corrected, strict=True)]


class _Mean(NamedTuple):
    """Mean over some responses, with its variance and the number of responses."""

    mean: float
    variance: float
    people: int


def _between(start: Estimate | None, end: Estimate) -> _Mean | None:
    """Return the mean of the responses that arrived between two estimates.

    The mean is None if there are too few responses or too many coins.
    """
    count = end.n - (start.n if start else 0)
    known = [each.standard_error is not None and not each.is_lost for each in (start, end) if each is not None]
    if count < FEWEST or not all(known):
        return None
    if start is None:
        return _Mean(end.estimate, (end.standard_error or 0.0) ** 2, count)
    mean = (end.n * end.estimate - start.n * start.estimate) / count
    spread = (_squares(end) - _squares(start)) / count - mean**2
    if spread < -ROUNDING:  # responses that were withdrawn count with the opposite sign
        return None
    return _Mean(mean, max(0.0, spread) / (count - 1), count)


def _squares(figure: Estimate) -> float:
    """Return the sum of the squares of an estimate's terms."""
    return figure.n * ((figure.n - 1) * (figure.standard_error or 0.0) ** 2 + figure.estimate**2)


def _parts(name: str, start: Mapping[str, Estimate] | None, trainings: Sequence[Mapping[str, Estimate]]) -> list[_Mean]:
    """Return the mean among the newcomers of each training, the oldest first.

    Newcomers who are too few by themselves count with those of the next training.
    """
    parts, last = [], (start or {}).get(name)
    for figure in (each[name] for each in trainings if name in each):
        newcomers = _between(last, figure)
        if newcomers is not None:
            parts.append(newcomers)
            last = figure
    return parts


def _trend(parts: Sequence[_Mean]) -> tuple[float, float, float, float]:
    """Return the ends of a line through means, the standard error of their difference, and its p-value.

    The position of a mean is the number of responses before the middle one of its newcomers, because trainings have no
    times. The line is fitted by least squares, with the number of newcomers as weight.
    """
    people = np.array([each.people for each in parts], dtype=float)
    position = people.cumsum() - people / 2
    centre = np.average(position, weights=people)
    weights = people * (position - centre) / (people * (position - centre) ** 2).sum()
    rise, error, chance = _contrast(parts, [float(each) for each in weights * (position[-1] - position[0])])
    middle = float(np.average([each.mean for each in parts], weights=people))
    first = middle + rise * float((position[0] - centre) / (position[-1] - position[0]))
    return first, first + rise, error, chance


def _welch(one: _Mean, other: _Mean) -> tuple[float, float, float, float]:
    """Return both means, the standard error of their difference, and its p-value."""
    return one.mean, other.mean, *_contrast([one, other], [-1.0, 1.0])[1:]


def _contrast(parts: Sequence[_Mean], weights: Sequence[float]) -> tuple[float, float, float]:
    """Return a weighted sum of means, its standard error, and the p-value that it is 0 (Welch and Satterthwaite)."""
    total = sum(weight * each.mean for weight, each in zip(weights, parts, strict=True))
    terms = [weight**2 * each.variance for weight, each in zip(weights, parts, strict=True)]
    variance = sum(terms)
    if variance <= 0:  # all of each part are alike
        return total, 0.0, float(abs(total) <= ROUNDING)
    freedom = variance**2 / sum(term**2 / (each.people - 1) for term, each in zip(terms, parts, strict=True))
    return total, sqrt(variance), float(2 * stdtr(freedom, -abs(total) / sqrt(variance)))


def _holm(chances: Sequence[float]) -> list[float]:
    """Correct ascending p-values for their number, by Holm's method."""
    corrected, most = [], 0.0
    for rank, chance in enumerate(chances):
        most = max(most, min(1.0, (len(chances) - rank) * chance))
        corrected.append(most)
    return corrected
