"""The likeliest table of one question, or of two, where the two answers of a respondent have one code.

Of a table of two questions this is the likelihood of the codes of those who were asked both: a code is 1 + o times as
likely if it has the combination of the answers as if it has not (`collector.pair_channel`), o the odds.

Who was asked one of the questions and another tells of a margin. The likelihood of their codes would bring in the whole
table with that other question: many more shares than such codes can tell, which end at 0 or high by chance and take the
margin with them. So of each of their codes one combination is taken, as by chance, and only its value of the question
looked at. As any two points are in equally many codes, the chance of that depends on the true value alone, and is
1 + d times as large for it as for another. Instead of drawing, each of a code's combinations counts in part, and the
code for as many draws as tell as much. Where no share is cut off at 0 the maximum is what is unbiased, if all such
pairs of questions have codes of one size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from collector.pair_channel import TogetherChannel
from collector.pair_coding import DIGIT, PairCoding
from miner.estimates.squared import Floats, top
from miner.pair_codes import PairCodes, pairs_of
from miner.responses import Responses, Values

MOST_ENTRIES = 2**22  # of the table of codes and combinations: seconds of work


@dataclass(frozen=True, eq=False)
class _Sent:
    """What was sent of the questions that are looked at, or one of them: what differs, and how often it was sent.

    Attributes:
        axes: Of the table: of these questions.
        has: Shape (different, cells of these questions): 1 where it stands for one.
        odds: Having the true cell makes it 1 + odds times as likely as not having it.
        counts: Shape (different,): how many responses were so, in parts.
    """

    axes: tuple[int, ...]
    has: Floats
    odds: float
    counts: Floats

    def slopes(self, shares: Floats) -> tuple[Floats, float]:
        """Of the log-likelihood by the cells' shares, and itself, up to a constant."""
        chances = 1 + self.odds * (self.has @ shares)
        ratios = self.counts / chances
        slopes: Floats = ratios.sum() + self.odds * (ratios @ self.has)
        return slopes, float(self.counts @ np.log(chances))


@dataclass(frozen=True, eq=False)
class PairTable:
    """The likelihood of a table.

    Attributes:
        sizes: How many values each of its questions has.
        sent: Of who was asked both, if there are two, and of who was asked one of them and another question.
    """

    sizes: tuple[int, ...]
    sent: tuple[_Sent, ...]

    @classmethod
    def of(cls, responses: Responses, channel: TogetherChannel, columns: Sequence[int]) -> PairTable | None:
        """Of one question, or two, at these positions.

        Returns:
            None if the table of codes and combinations would be too large.

        Raises:
            QueryError: If nobody is asked them all, or nobody was asked any.
        """
        questions = [responses.survey.questions[column] for column in columns]
        names = [question.name for question in questions]
        pairs = [pair for pair in pairs_of(responses.survey, responses.sent) if set(pair.columns) & set(columns)]
        if not pairs or not responses.survey.asking_probability(names):
            raise responses.never_asked(names)
        whole = [pair for pair in pairs if set(pair.columns) == set(columns)]
        if any(len(pair.rows) * pair.coding.combinations > MOST_ENTRIES for pair in whole):
            return None
        sent = [
            _of_both(pair, channel, columns) if pair in whole else _of_one(pair, channel, columns) for pair in pairs
        ]
        return cls(tuple(len(question.values) for question in questions), tuple(sent))

    def likeliest(self) -> tuple[Values, Floats] | None:
        """The combinations of the questions' values, and their shares; None if the top is not reached."""
        cells = np.argwhere(np.ones(self.sizes)).astype(np.int16)
        shares = top(self, len(cells))
        return None if shares is None else (cells, shares)

    def slopes(self, shares: Floats) -> tuple[Floats, float]:
        """Of the log-likelihood by the cells' shares, and itself, up to a constant."""
        table, slopes, height = shares.reshape(self.sizes), np.zeros(self.sizes), 0.0
        for sent in self.sent:
            others = tuple(axis for axis in range(len(self.sizes)) if axis not in sent.axes)
            found, logs = sent.slopes(table.sum(axis=others).ravel())
            slopes += np.expand_dims(found.reshape([self.sizes[axis] for axis in sent.axes]), others)
            height += logs
        return slopes.ravel(), height


def _of_both(pair: PairCodes, channel: TogetherChannel, columns: Sequence[int]) -> _Sent:
    """The different codes of those who were asked both questions."""
    _, examples, counts = np.unique(pair.first * DIGIT + pair.second, return_index=True, return_counts=True)
    some = replace(pair, rows=pair.rows[examples], first=pair.first[examples], second=pair.second[examples])
    has = some.has(np.arange(pair.coding.combinations)).reshape(-1, *pair.sizes)
    if pair.columns != tuple(columns):
        has = has.transpose(0, 2, 1)
    return _Sent((0, 1), has.reshape(len(has), -1).astype(np.float64), float(channel.odds), counts.astype(np.float64))


def _of_one(pair: PairCodes, channel: TogetherChannel, columns: Sequence[int]) -> _Sent:
    """The value of one question, of a combination taken from each code."""
    (place,) = (place for place, column in enumerate(pair.columns) if column in columns)
    events = [
        pair.event([frozenset({value}) if axis == place else None for axis in (0, 1)])
        for value in range(pair.sizes[place])
    ]
    counts = np.array([pair.owned(event).sum() for event in events]) / pair.coding.size
    taken = _Taken(pair.coding, float(channel.odds), len(events))
    axis = list(columns).index(pair.columns[place])
    return _Sent((axis,), np.eye(len(events)), taken.odds, counts * taken.worth)


@dataclass(frozen=True)
class _Taken:
    """A value of one question, of a combination taken from a code of two answers by chance.

    Attributes:
        coding: Of the combinations.
        channel_odds: o.
        values: How many the question has.
    """

    coding: PairCoding
    channel_odds: float
    values: int

    @property
    def _chances(self) -> tuple[float, float]:
        """Of any one true combination being taken, and of any other."""
        truth = self.coding.truth(self.channel_odds)
        lie, share = (1 - truth) / self.coding.points, truth / self.coding.size
        return share + lie, share * float(self.coding.common) + lie

    @property
    def odds(self) -> float:
        """d: a value is 1 + d times as likely taken if it is the true one."""
        own, another = self._chances
        return (own - another) * self.values / (another * self.coding.combinations)

    @property
    def worth(self) -> float:
        """How many such draws tell as much of even answers as one code, all of whose combinations count."""
        own, another = self._chances
        even = 1 / self.values
        chance = another * self.coding.combinations * even + (own - another) * even
        drawn = chance * (1 - chance) / (own - another) ** 2
        return drawn / self.coding.variance(even, even, self.coding.truth(self.channel_odds))
