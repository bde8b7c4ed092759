"""Tables of a question by the class, estimated by inverse weights: they assume no model of the answers.

Each table is the maximum likelihood estimate, by EM from the pairs of codes of respondents who were asked both
questions. Its shares are not negative, which with much noise is more useful than to be unbiased. This holds for each
channel whose replacement is independent of the truth, under any sampling: the two questions may share a coin, and truth
probabilities may depend on which questions were asked.
"""

from typing import NamedTuple

import numpy as np

from miner.arrays import Floats
from miner.behind.coins import SharedCoin, coins_of
from miner.behind.patterns import Layout
from miner.responses.distinct import distinct_rows
from miner.responses.responses import Codes, Responses

STEPS = 200  # of EM
TINY = 1e-300


def class_tables(responses: Responses, target: int) -> Floats:
    """The tables of each question by the class.

    Args:
        responses: Disguised responses; all groups have the uniform channel.
        target: Position of the class question.

    Returns:
        Shape (values of all questions, classes): maximum likelihood share of each (value, class). NaN where no
        respondent was asked both questions, and for the values of the class question.
    """
    layout = Layout.of(responses.survey)
    truths = layout.truths(responses)
    home = {column: number for number, cell in enumerate(layout.cells) for column in cell.columns}
    coins = [coin for column in range(len(home)) for coin in coins_of(responses.survey, [column], [])]
    tables = np.full((layout.places[-1], len(responses.survey.questions[target].values)), np.nan)
    for column in sorted(set(home) - {target}):
        pair = [column, target]
        both = (responses.codes[:, pair] >= 0).all(axis=1)
        if both.any():
            sent = responses.codes[both][:, pair], truths[both][:, [home[each] for each in pair]]
            one_coin = home[column] == home[target]
            found = _likeliest(*sent, _QuestionPair(coins[column], coins[target], one_coin=one_coin))
            tables[slice(*layout.places[column : column + 2])] = found
    return tables


class _PairChannel(NamedTuple):
    """P(pair of codes | pair of values), ``left x right + replaced`` for each pair of values.

    Attributes:
        left: Shape (codes of the one, its values).
        right: Shape (codes of the other, its values).
        replaced: Shape (codes of the one, codes of the other), the same for all values; or 0.
    """

    left: Floats
    right: Floats
    replaced: Floats | float

    def forth(self, table: Floats) -> Floats:
        """P(pair of codes), given the table of the values."""
        return np.asarray(self.left @ table @ self.right.T + self.replaced)

    def back(self, ratios: Floats) -> Floats:
        """The transpose of `forth`: ratios of pairs of codes, summed for each pair of values."""
        return np.asarray(self.left.T @ ratios @ self.right)


class _QuestionPair(NamedTuple):
    """Coding and replacement of two questions."""

    one: SharedCoin
    other: SharedCoin
    one_coin: bool

    def at(self, first: float, second: float) -> _PairChannel:
        """The channel of the pair at these truth probabilities."""
        if self.one_coin:
            (kept,), (left,) = self.one.kept, self.one.replaced
            return _PairChannel(first * kept, self.other.kept[0], (1 - first) * (left @ self.other.replaced[0].T))
        return _PairChannel(self.one.table(first), self.other.table(second), 0.0)


def _likeliest(codes: Codes, truths: Floats, ways: _QuestionPair) -> Floats:
    """The maximum likelihood table of two questions, from pairs of codes and of truth probabilities."""
    ids = [np.unique(column, return_inverse=True)[1] for column in truths.T]
    first, which = distinct_rows(np.stack(ids, axis=1))
    sent = np.zeros((len(first), len(ways.one.kept[0]), len(ways.other.kept[0])))
    np.add.at(sent, (which, codes[:, 0], codes[:, 1]), 1.0)
    known = [*zip((ways.at(*pair) for pair in truths[first].tolist()), sent, strict=True)]
    table = np.full(shape := (ways.one.kept[0].shape[1], ways.other.kept[0].shape[1]), 1 / np.prod(shape))
    for _ in range(STEPS):
        found = np.zeros(shape)
        for way, counts in known:
            found += way.back(counts / np.maximum(way.forth(table), TINY))
        table *= found
        table /= table.sum()
    return table
