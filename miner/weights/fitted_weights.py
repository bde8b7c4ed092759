"""Compute the weights of responses for events, with fitted weights of codes that stand for several values.

If a code stands for several values, its weights for a response are fitted to the frequencies in all other responses
(`miner.weights.fitted_inverse`).

Given the answers, the code frequencies of the other responses are independent of the code that a response sends. Fitted
weights of responses are therefore as unbiased as fixed weights.

No random numbers are used: the estimate depends only on the number of responses with each code. Responses with equal
codes have equal fitted weights, so one fit for each sent code of a question is enough. With few responses, fitted
weights are close to published weights.
"""

from collections.abc import Iterable
from functools import cache
from typing import Self

import numpy as np

from collector.survey.survey import Group
from miner.arrays import Floats
from miner.channels.candidates import code_chances, replacement_chances
from miner.counting.factors import signed_weights
from miner.responses.responses import Counted, Responses, SharedCodes
from miner.weights.fitted_inverse import FittedReading, likely_frequencies
from miner.weights.weights import ProductWeights


class FittedWeights(ProductWeights):
    """Product weights (`miner.weights.weights`) for codes that stand for several values.

    Args:
        responses: Disguised responses.
        counts: Number of people who sent each response, shape (responses,), or None if each response was sent once.
    """

    def __init__(self, responses: Responses, counts: Floats | None = None) -> None:
        super().__init__(responses)
        self.counts: Floats = np.ones(len(responses)) if counts is None else counts
        self._readings = cache(self._fitted_readings)

    @classmethod
    def among_asked(cls, found: Counted, names: Iterable[str]) -> Self:
        """Return the weights of the respondents who were asked all of the given questions.

        Raises:
            QueryError: If no respondent was asked all of these questions.
        """
        some = found.among_asked(names)
        return cls(some.responses, some.counts)

    @property
    def published(self) -> ProductWeights:
        """Return the weights of the same responses, computed from the published weights of codes."""
        return ProductWeights(self._responses)

    def _read(self, group: Group | None, name: str, wanted: frozenset[int]) -> tuple[Floats, Floats]:
        if not isinstance(wanted, SharedCodes):
            return super()._read(group, name, wanted)
        readings, values = self._readings(name), sorted(wanted.values)
        return readings[0][:, values].sum(axis=1), readings[1][:, values].sum(axis=1)

    def _fitted_readings(self, name: str) -> tuple[Floats, Floats]:
        """Return the fitted weight of each code for each value, and the mean weight of the code's replacement.

        Both arrays of weights have shape (largest code + 2, values).
        """
        question = self._survey.question(name)
        coding, codes = question.coding, self._codes[:, self._columns[name]]
        asked, truth = codes >= 0, self._truth(name)
        sent = np.bincount(codes[asked], self.counts[asked], minlength=coding.codes[-1] + 1)
        chances = replacement_chances(coding)
        published = np.zeros((len(sent), len(question.values)))
        for code, row in coding.reading.items():
            published[code] = [float(each) for each in row]
        terms = (published - (1 - truth) * (chances @ published)) / truth
        sums, drawn = np.stack([terms.T @ sent, (terms**2).T @ sent], axis=1), code_chances(coding)
        own = np.zeros((len(sent) + 1, len(question.values)))  # the last stands for those who are not asked
        replaced = np.zeros_like(own)
        for code in coding.codes:
            left_out = min(sent[code], 1)
            less = left_out * np.stack([terms[code], terms[code] ** 2], axis=1)
            frequencies = likely_frequencies(sums - less, sent.sum() - left_out)
            reading = FittedReading(coding, truth, frequencies, (drawn, chances)).reading
            own[code], replaced[code] = reading[code], chances @ reading
        return own, replaced

    def _truth(self, name: str) -> float:
        """Return a question's truth probability, or its mean if it depends on which other questions were asked."""
        group, asked = self._survey.group_of(name), self.counts * self._responses.asked_all([name])
        if group is None or not asked.any():
            return 1.0
        kept, _ = signed_weights(self._survey, group, self._responses.asked)
        return float(np.average(np.broadcast_to(1 / kept, len(asked)), weights=asked))
