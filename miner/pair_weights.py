"""What each response counts for an event where the two answers of a respondent have one code (`miner.pair_codes`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from collector.pair_channel import PAIR_ASKED, TogetherChannel
from miner.pair_codes import Floats, PairCodes, pairs_of
from miner.responses import Responses

Wanted = Mapping[int, frozenset[int]]
"""For each column that an event touches the indices of its values."""


class PairWeights:
    """What each of these responses counts for any event on one question or two.

    Args:
        responses: Disguised.
        channel: Of their survey.
    """

    def __init__(self, responses: Responses, channel: TogetherChannel) -> None:
        self._pairs = {pair.columns: pair for pair in pairs_of(responses.survey, responses.sent)}
        self._channel = channel

    def of(self, wanted: Wanted, asked: Floats) -> Floats:
        """Shape (responses,): `miner.pair_codes.PairCodes.counted`, and 0 for who was not asked all of the event.

        Args:
            wanted: At least one column.
            asked: Shape (responses,): 1 for who was asked all of the event, else 0.
        """
        weights = asked.copy()
        for pair in self._asked(wanted):
            weights[pair.rows] = pair.counted(self._event(pair, wanted), self._truth(pair))
        return weights

    def range(self, wanted: Wanted) -> tuple[float, float]:
        """Nobody who was asked all of an event counts less, or more; 1 and 1 where nobody was."""
        ends = [pair.range(self._event(pair, wanted), self._truth(pair)) for pair in self._asked(wanted)]
        return min((low for low, _ in ends), default=1.0), max((high for _, high in ends), default=1.0)

    def _asked(self, wanted: Wanted) -> Iterator[PairCodes]:
        """Those who were asked all of an event."""
        if len(wanted) == PAIR_ASKED:
            found = self._pairs.get((min(wanted), max(wanted)))
            yield from () if found is None else (found,)
        else:
            yield from (pair for pair in self._pairs.values() if set(wanted) <= set(pair.columns))

    @staticmethod
    def _event(pair: PairCodes, wanted: Wanted) -> NDArray[np.intp]:
        return pair.event([wanted.get(column) for column in pair.columns])

    def _truth(self, pair: PairCodes) -> float:
        return float(pair.coding.truth(self._channel.odds))
