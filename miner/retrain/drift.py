"""Whether the responses that came since the last training differ from those before, by a test of significance.

The store knows no order of arrival. But an estimate is a mean over responses. So the mean and the variance among the
newcomers follow from the sums of terms, and of their squares, now less those before, which both estimates give.
Newcomers and the others are different people, hence independent. A withdrawn response counts as a newcomer with the
opposite sign: a few of them among many newcomers do not show.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import erfc, sqrt
from typing import Any

from miner.estimates.estimate import Estimate, estimates
from miner.responses.responses import Responses, codes_of_values

FEWEST = 20  # newcomers for whom a normal distribution is assumed


@dataclass(frozen=True)
class Drift:
    """One figure before, and among the newcomers.

    Attributes:
        what: Name of the quantity.
        before: Estimated from the responses there were at the last training.
        since: Estimated from those that came since.
        standard_error: Standard error of the difference.
        p: Chance of so large a difference where nothing has changed, corrected for the number of figures looked at.
    """

    what: str
    before: float
    since: float
    standard_error: float
    p: float

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self) | {"outside_unit_interval": self.outside_unit_interval}

    @property
    def outside_unit_interval(self) -> bool:
        """Whether the newcomers' figure is no possible share or accuracy: they are few for so much disguise."""
        return not 0 <= self.since <= 1

    @property
    def line(self) -> str:
        """The drift in words."""
        outside = ", which no share can be, for they are few" if self.outside_unit_interval else ""
        return f"{self.what} {self.before:z.3f} before, {self.since:z.3f} among the newcomers{outside} (p {self.p:.1g})"


def marginals(responses: Responses) -> dict[str, Estimate]:
    """The estimated frequency of every value of every question, named ``question = value``.

    Raises:
        QueryError: If there are no responses.
    """
    events = {
        f"{question.name} = {value}": {question.name: codes_of_values(question, {index})}
        for question in responses.survey.questions
        for index, value in enumerate(question.values)
    }
    return dict(zip(events, estimates(responses, events.values()), strict=True))


def shifts(before: Mapping[str, Estimate], now: Mapping[str, Estimate]) -> list[Drift]:
    """Every figure that both know and that newcomers can be distinguished by, by how surprising it is.

    The chances are corrected by Holm's method (1979): with no change at all, the chance that even one of them is below
    a level is at most that level, whatever the figures have to do with each other.
    """
    pairs = [(name, before[name], _newcomers(before[name], now[name])) for name in before if name in now]
    raw = [
        (name, was.estimate, mean, sqrt(variance + (was.standard_error or 0.0) ** 2))
        for name, was, found in pairs
        if found is not None
        for mean, variance in [found]
    ]
    raw = [each for each in raw if each[3] > 0]
    raw.sort(key=lambda each: -abs(each[2] - each[1]) / each[3])
    chances = _holm([erfc(abs(since - was) / error / sqrt(2)) for _, was, since, error in raw])
    return [Drift(*each, p) for each, p in zip(raw, chances, strict=True)]


def _newcomers(before: Estimate, now: Estimate) -> tuple[float, float] | None:
    """Mean among those who came since, and its variance; None if they are too few to say."""
    count = now.n - before.n
    if count < FEWEST or before.standard_error is None or now.standard_error is None:
        return None
    mean = (now.n * now.estimate - before.n * before.estimate) / count
    variance = (_squares(now) - _squares(before)) / count - mean**2
    return (mean, variance / count) if variance > 0 else None


def _squares(figure: Estimate) -> float:
    return figure.n * ((figure.n - 1) * (figure.standard_error or 0.0) ** 2 + figure.estimate**2)


def _holm(chances: Sequence[float]) -> list[float]:
    """Chances in ascending order, corrected for their number."""
    corrected, most = [], 0.0
    for rank, chance in enumerate(chances):
        most = max(most, min(1.0, (len(chances) - rank) * chance))
        corrected.append(most)
    return corrected
