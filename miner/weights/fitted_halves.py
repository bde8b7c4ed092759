"""Half of the responses, and the readings that are fitted to them: the other half is read by these (cross-fitting)."""

from functools import cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.responses.responses import Responses, SharedCodes, codes_of_values
from miner.weights.fitted_inverse import FittedReading, likely_frequencies
from miner.weights.weights import Event, ProductWeights, signed_weights


class Half:
    """Half of some responses.

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
