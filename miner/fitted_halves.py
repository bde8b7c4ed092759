"""Half of the responses, and the readings that are fitted to them: the other half is read by these (cross-fitting)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache, cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from collector.pair_channel import TogetherChannel
from miner.fitted_pairs import Combinations, FittedPair
from miner.fitted_reading import FittedReading, likely_frequencies
from miner.pair_codes import PairCodes, combinations_of, pairs_of
from miner.responses import Responses, SharedCodes, codes_of_values
from miner.weights import Event, Floats, ProductWeights, membership, signed_weights


class Half(ABC):
    """Half of some responses.

    Args:
        responses: All of them.
        counts: Shape (responses,): for how many people each stands.
        rows: Which are this half.

    Attributes:
        rows: As given.
    """

    def __init__(self, responses: Responses, counts: Floats, rows: NDArray[np.intp]) -> None:
        self.rows = rows
        self._survey, self._responses, self._people = responses.survey, responses.take(rows), counts[rows]
        self._published = ProductWeights(self._responses)
        self._frequencies = cache(self._likely_frequencies)

    @abstractmethod
    def weights(self, event: Event, other: Self) -> Floats:
        """Shape (rows,): of an event, 0 for who was not asked all of it, read as fitted to the other half."""

    @abstractmethod
    def range(self, event: Event) -> tuple[float, float]:
        """Of the weights of anybody who is asked all of an event, read as fitted to this half."""

    def _likely_frequencies(self, name: str) -> Floats:
        """Of the values of a question, by the published reading."""
        question, asked = self._survey.question(name), self._responses.asked_all([name])
        events = ({name: codes_of_values(question, {value})} for value in range(len(question.values)))
        return likely_frequencies((self._published.of(event)[asked] for event in events), self._people[asked])


class SeparateHalf(Half):
    """Half of responses in which each question has codes of its own, of which values may share some."""

    def __init__(self, responses: Responses, counts: Floats, rows: NDArray[np.intp]) -> None:
        super().__init__(responses, counts, rows)
        self._reading = cache(self._fitted_reading)

    def weights(self, event: Event, other: Self) -> Floats:
        """As `Half.weights`."""
        return self._published.of(other._event(event))

    def range(self, event: Event) -> tuple[float, float]:
        """As `Half.range`."""
        return self._published.range(self._event(event))

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


class TogetherHalf(Half):
    """Half of responses in which the answers to two questions have one code."""

    def __init__(self, responses: Responses, counts: Floats, rows: NDArray[np.intp], channel: TogetherChannel) -> None:
        super().__init__(responses, counts, rows)
        self._channel = channel
        self._table = cache(self._fitted_table)

    def weights(self, event: Event, other: Self) -> Floats:
        """As `Half.weights`, of an event on two questions."""
        found = np.zeros(len(self.rows))
        columns, combinations = self._combinations(event)
        if columns in self._pairs:
            found[self._pairs[columns].rows] = other._table(columns).counted(self._pairs[columns], combinations)
        return found

    def range(self, event: Event) -> tuple[float, float]:
        """As `Half.range`, of an event on two questions."""
        columns, combinations = self._combinations(event)
        return self._table(columns).range(combinations)

    @cached_property
    def _pairs(self) -> dict[tuple[int, int], PairCodes]:
        """Those who were asked the same two questions, by their columns."""
        return {pair.columns: pair for pair in pairs_of(self._survey, self._responses.sent)}

    def _fitted_table(self, columns: tuple[int, int]) -> FittedPair:
        """Fitted to the product of the frequencies of both questions, which everybody tells."""
        first, second = (self._survey.questions[column] for column in columns)
        coding = self._channel.coding_of([len(first.values), len(second.values)])
        frequencies = np.outer(self._frequencies(first.name), self._frequencies(second.name)).ravel()
        return FittedPair(coding, float(coding.truth(self._channel.odds)), frequencies)

    def _combinations(self, event: Event) -> tuple[tuple[int, int], Combinations]:
        """The columns of the two questions that an event names, and its combinations."""
        for name, some in event.items():
            membership(self._survey.question(name), some)  # refuses what is no code
        columns = sorted(self._survey.questions.index(self._survey.question(name)) for name in event)
        first, second = (self._survey.questions[column] for column in columns)
        sizes = len(first.values), len(second.values)
        return (columns[0], columns[1]), combinations_of(sizes, (event[first.name], event[second.name]))
