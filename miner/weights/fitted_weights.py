"""What each response counts for an event, shared codes being read as suits the frequencies that other responses tell.

Responses are dealt into two halves, and the reading of each is fitted (`miner.weights.fitted_inverse`) to
what the published reading says of the other: cross-fitting. Given the answers and a deal that knows nothing of what was
sent, a half's reading and its responses are independent, so that its mean is as unbiased as with any reading fixed
beforehand. Shares that could be noise are drawn to even ones, for which the published reading is the best: of few
responses little is changed.

The deal is a permutation of the rows that is the same for any responses, so that estimates repeat. Rows may come sorted
by their codes; over permutations, of which one is used, each deal of the people is then as likely.
"""

from collections.abc import Iterable
from functools import cache, cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.responses.responses import Responses, SharedCodes, codes_of_values
from miner.responses.source import Counted
from miner.weights.events import Event
from miner.weights.fitted_inverse import FittedReading, likely_frequencies
from miner.weights.weights import ProductWeights, signed_weights

SEED = 0  # of the deal, which has nothing to do with what was sent
Halves = NDArray[np.bool_]
"""Shape (responses,): which are in the second half."""


def dealt(count: int) -> Halves:
    """So many responses in two halves, at random; the same whenever it is asked."""
    second: Halves = np.random.default_rng(SEED).permutation(count) % 2 == 1
    return second


class Half:
    """Half of some responses, and the readings that are fitted to it: the other half is read by these.

    Args:
        responses: All of them.
        counts: Shape (responses,): for how many people each stands.
        rows: Which are this half.
    """

    def __init__(self, responses: Responses, counts: Floats, rows: NDArray[np.intp]) -> None:
        self.rows = rows
        self._survey, self._responses, self._people = responses.survey, responses.take(rows), counts[rows]
        self._published = ProductWeights(self._responses)
        self._frequencies = cache(self._likely_frequencies)
        self._reading = cache(self._fitted_reading)

    def weights(self, event: Event, other: Self) -> Floats:
        """Shape (rows,): of an event, 0 for who was not asked all of it, read as fitted to the other half."""
        return self._published.of(other._event(event))

    def range(self, event: Event) -> tuple[float, float]:
        """Of the weights of anybody who is asked all of an event, read as fitted to this half."""
        return self._published.range(self._event(event))

    def _likely_frequencies(self, name: str) -> Floats:
        """Of the values of a question, by the published reading."""
        question, asked = self._survey.question(name), self._responses.asked_all([name])
        events = ({name: codes_of_values(question, {value})} for value in range(len(question.values)))
        return likely_frequencies((self._published.of(event)[asked] for event in events), self._people[asked])

    def _event(self, event: Event) -> Event:
        """The same event, its shared codes read as fitted to this half."""
        return {
            name: self._codes(name, wanted) if isinstance(wanted, SharedCodes) else wanted
            for name, wanted in event.items()
        }

    def _codes(self, name: str, wanted: SharedCodes) -> SharedCodes:
        found = SharedCodes(wanted)
        found.values = wanted.values
        counts = self._reading(name)[:, sorted(wanted.values)].sum(axis=1)
        found.reading = {code: float(counts[code]) for code in self._survey.question(name).codes}
        return found

    def _fitted_reading(self, name: str) -> Floats:
        coding = self._survey.question(name).coding
        return FittedReading(coding, self._truth(name), self._frequencies(name)).reading

    def _truth(self, name: str) -> float:
        """theta; where it depends on what else was asked, its mean."""
        group, asked = self._survey.group_of(name), self._people * self._responses.asked_all([name])
        if group is None or not asked.any():
            return 1.0
        kept, _ = signed_weights(self._survey, group, self._responses.asked)
        return float(np.average(np.broadcast_to(1 / kept, len(asked)), weights=asked))


class FittedWeights:
    """`miner.weights.weights.ProductWeights`, with readings of shared codes that are fitted to the responses.

    Args:
        responses: Disguised.
        second: Which are in the second half: `dealt`, of people. None to deal here.
        counts: Shape (responses,): for how many people of its half each stands, who sent the same; one if None.
    """

    def __init__(self, responses: Responses, second: Halves | None = None, counts: Floats | None = None) -> None:
        self._responses, self._published = responses, ProductWeights(responses)
        self._second = dealt(len(responses)) if second is None else second
        self._counts = np.ones(len(responses)) if counts is None else counts

    @classmethod
    def among_asked(cls, found: Counted, names: Iterable[str]) -> Self:
        """Of those who were asked all of these questions, who count as often as `counts` says.

        Which of equal responses are in which half does not matter: so the deal is the same whatever their order.

        Raises:
            QueryError: If no respondent was.
        """
        names = list(names)
        some = found.among_asked(names)
        responses, counts = some.responses, some.counts
        if not any(responses.survey.question(name).coding.shared for name in names):
            return cls(responses, np.zeros(len(responses), np.bool_), counts)
        starts = (np.cumsum(counts) - counts).astype(np.intp)
        halves = np.add.reduceat(dealt(some.people), starts, dtype=np.int64)
        both = np.concatenate([counts - halves, halves])
        rows = np.flatnonzero(both)
        return cls(responses.take(rows % len(responses)), rows >= len(responses), both[rows])

    @property
    def counts(self) -> Floats:
        """Shape (responses,): for how many people each stands."""
        return self._counts

    @property
    def published(self) -> ProductWeights:
        """The same with the published readings."""
        return self._published

    @cached_property
    def _halves(self) -> list[Half]:
        return [Half(self._responses, self._counts, np.flatnonzero(self._second == which)) for which in (False, True)]

    def of(self, event: Event) -> Floats:
        """W(E) of every response, 0 for who was not asked all of it, as `ProductWeights.of` has it."""
        if not self._is_fitted(event):
            return self._published.of(event)
        found = np.zeros(len(self._responses))
        for half, other in zip(self._halves, reversed(self._halves), strict=True):
            found[half.rows] = half.weights(event, other)
        return found

    def range(self, event: Event) -> tuple[float, float]:
        """The smallest and the largest W(E) of anybody who is asked, whether or not a response has it."""
        if not self._is_fitted(event):
            return self._published.range(event)
        ends = [half.range(event) for half in self._halves]
        return min(low for low, _ in ends), max(high for _, high in ends)

    @staticmethod
    def _is_fitted(event: Event) -> bool:
        """Whether there is a reading to choose: only where values share codes."""
        return any(isinstance(wanted, SharedCodes) for wanted in event.values())
