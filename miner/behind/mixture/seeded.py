"""Average several mixtures of latent classes, which predict a class from strongly disguised responses.

If responses are strongly disguised, EM from a random start finds a mixture in which predictors are associated with each
other, but not with the class question. Each mixture starts with a few latent classes for each value of the class
question, from estimated tables of every question by the class. The mixtures differ in their random start, and in their
priors of few to some imaginary respondents. Firmer priors, and bootstrap samples, hide how answers go together where
the disguise is strong (`benchmarks/learning/judging.py`).

The joint table of a question and the class question is estimated by maximum likelihood from pairs of codes.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.behind.coins import SharedCoin, coins_of
from miner.behind.mixture.fit import climbed, margins
from miner.behind.mixture.mixture import Mixture, pooled
from miner.behind.patterns import Layout, Patterns
from miner.responses.distinct import distinct_rows
from miner.responses.responses import Codes, Responses

COUNTS = (0.25, 1.0, 4.0)
"""Imaginary respondents in each latent class of each of the mixtures: from loose to firm."""
SIZE = 3  # usual number of latent classes for each value of the class question
MOST_CLASSES = 16  # largest number of latent classes of a mixture, unless the class question has more values
MOST_DRAWN = 30_000  # largest number of responses that one of the mixtures is fitted to
SPREAD = 4.0  # shape of the gamma noise between latent classes for the same value
LEAST_SHARE = 0.05  # smallest entry of a starting table, as a share of its value under independence
MIXED = 0.01  # share of the other classes' tables in the tables that EM starts from
STEPS = 200  # largest number of EM steps for a table
TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Seed:
    """Start of EM, with some latent classes for each value of the class question.

    Attributes:
        survey: Published survey.
        margins: Estimated share of each value, shape (values of all questions,).
        tables: Tables of every question by the class, from `class_tables`.
        target: Position of the class question.
    """

    survey: Survey
    margins: Floats
    tables: Floats
    target: int

    @property
    def _own(self) -> slice:
        return slice(*Layout.of(self.survey).places[self.target : self.target + 2])

    @property
    def shares(self) -> Floats:
        """Return the estimated shares of the values of the class question, shape (classes,)."""
        return self.margins[self._own]

    def started(self, rng: np.random.Generator) -> Mixture:
        """Return a mixture with a few latent classes for each value of the class question, from which EM starts.

        Latent classes for the same value differ at random.
        """
        states = Layout.of(self.survey).states
        state, cls = np.nonzero(states[:, self._own])
        size = max(1, min(SIZE, MOST_CLASSES // len(cls)))
        table = np.repeat(self.tied()[:, cls] * states[state].T, size, axis=1)
        if size > 1:
            table *= rng.gamma(SPREAD, size=table.shape)
        return Mixture.normalised(self.survey, np.repeat(self.shares[cls], size), table)

    def tied(self) -> Floats:
        """Return P(value | class) for one latent class per value of the class question."""
        even, count = np.outer(self.margins, self.shares), len(self.shares)
        table = np.maximum(np.where(np.isnan(self.tables), even, self.tables), LEAST_SHARE * even)
        table[self._own] = MIXED / count + (1 - MIXED) * np.eye(count)
        return Mixture.normalised(self.survey, self.shares, table).table


def seeded_mixture(responses: Responses, rng: np.random.Generator, target: int) -> Mixture:
    """Return the average of several mixtures, fitted with each prior in `COUNTS`.

    The mixtures are fitted in parallel. The fitted average does not depend on the number of threads.

    Args:
        responses: Disguised responses, at least one.
        rng: Random generator; a seeded one makes the result reproducible.
        target: Position of the class question.
    """
    seed = Seed(responses.survey, margins(Patterns.of(responses)), class_tables(responses, target), target)
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return pooled(tuple(threads.map(partial(fitted_mixture, responses, seed), COUNTS, rng.spawn(len(COUNTS)))))


def fitted_mixture(responses: Responses, seed: Seed, count: float, rng: np.random.Generator) -> Mixture:
    """Fit a mixture to the responses, or to `MOST_DRAWN` of them, with so many imaginary respondents in each class."""
    if len(responses) > MOST_DRAWN:
        responses = responses.take(np.sort(rng.permutation(len(responses))[:MOST_DRAWN]))
    return climbed(seed.started(rng), Patterns.of(responses), count * seed.margins)


def class_tables(responses: Responses, target: int) -> Floats:
    """Estimate the joint table of each question and the class question.

    Args:
        responses: Disguised responses, whose groups all have the uniform channel.
        target: Position of the class question.

    Returns:
        Maximum likelihood share of each (value, class), shape (values of all questions, classes). Shares are NaN for
        the class question, and for questions that nobody was asked together with the class question.
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
    """Channel of a pair of questions: P(codes c, d | values v, w) = ``left[c, v] right[d, w] + replaced[c, d]``.

    Attributes:
        left: Factor of the first question, shape (codes, values).
        right: Factor of the second question, shape (codes, values).
        replaced: Probability that both codes are replaced by a pair of codes, shape (codes of the first question, codes
            of the second), or 0.
    """

    left: Floats
    right: Floats
    replaced: Floats | float

    def forth(self, table: Floats) -> Floats:
        """Return P(pair of codes), given the joint table of the values of two questions."""
        return np.asarray(self.left @ table @ self.right.T + self.replaced)

    def back(self, ratios: Floats) -> Floats:
        """Apply the transpose of the linear map `forth`."""
        return np.asarray(self.left.T @ ratios @ self.right)


class _QuestionPair(NamedTuple):
    """Pair of questions, with the coins that disguise them."""

    one: SharedCoin
    other: SharedCoin
    one_coin: bool

    def at(self, first: float, second: float) -> _PairChannel:
        """Return the channel of the pair of questions for two truth probabilities."""
        if self.one_coin:
            (kept,), (left,) = self.one.kept, self.one.replaced
            return _PairChannel(first * kept, self.other.kept[0], (1 - first) * (left @ self.other.replaced[0].T))
        return _PairChannel(self.one.table(first), self.other.table(second), 0.0)


def _likeliest(codes: Codes, truths: Floats, ways: _QuestionPair) -> Floats:
    """Return the maximum likelihood joint table of two questions, shape (values, values)."""
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
