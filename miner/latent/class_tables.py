"""Tables of a question by the class, estimated by inverse weights: they assume no model of the answers.

Each is the likeliest, by EM from the pairs of codes of those who were asked both. No share of it is negative, which
where there is much noise is worth more than to be unbiased. For every channel that replaces without regard to the
truth, under any sampling: one coin may serve both questions, and coins differ where what is asked of a group does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from miner.arrays import Floats
from miner.latent.patterns import Layout, distinct_rows
from miner.responses.responses import Codes, Responses

STEPS = 200  # of EM
TINY = 1e-300


def class_tables(responses: Responses, target: int) -> Floats:
    """The tables of every question and the class.

    Args:
        responses: Their groups are all of the uniform channel.
        target: Position of the class question.

    Returns:
        Shape (values of all questions, classes): the likeliest share of every (value, class). Not a number where nobody
        was asked both, and for the values of the class itself.
    """
    layout = Layout(responses.survey)
    truths = layout.truths(responses)
    home = {column: number for number, cell in enumerate(layout.cells) for column in cell.columns}
    sendings = [_Sending.of(layout, column) for column in range(len(home))]
    tables = np.full((layout.places[-1], len(responses.survey.questions[target].values)), np.nan)
    for column in sorted(set(home) - {target}):
        pair = [column, target]
        both = (responses.codes[:, pair] >= 0).all(axis=1)
        if both.any():
            sent = responses.codes[both][:, pair], truths[both][:, [home[each] for each in pair]]
            one_coin = home[column] == home[target]
            found = _likeliest(*sent, _Ways(sendings[column], sendings[target], one_coin=one_coin))
            tables[slice(*layout.places[column : column + 2])] = found
    return tables


class _Sending(NamedTuple):
    """How one question is sent.

    Attributes:
        draw: Shape (largest code + 1, values): the chance that a value is coded so.
        replacement: Shape (largest code + 1,): the chance of each code in place of the truth.
    """

    draw: Floats
    replacement: Floats

    @classmethod
    def of(cls, layout: Layout, column: int) -> _Sending:
        """That of the question at a position."""
        coding, replacement = layout.survey.questions[column].coding, layout.replacements[column]
        draw = np.zeros((len(replacement), len(coding.draws)))
        for value in range(len(coding.draws)):
            for code, chance in coding.draw_probabilities(value).items():
                draw[code, value] = float(chance)
        return cls(draw, replacement)

    def coined(self, truth: float) -> Floats:
        """Shape (codes, values): the chance of each code, with a coin of its own."""
        return np.asarray(truth * self.draw + (1 - truth) * self.replacement[:, np.newaxis])


class _Way(NamedTuple):
    """The chance of a pair of codes under given coins, ``left x right + stray`` for each pair of values.

    Attributes:
        left: Shape (codes of the one, its values).
        right: Shape (codes of the other, its values).
        stray: Shape (codes of the one, codes of the other), whatever the values; or 0.
    """

    left: Floats
    right: Floats
    stray: Floats | float

    def forth(self, table: Floats) -> Floats:
        """The chance of each pair of codes, if this is the table of the values."""
        return np.asarray(self.left @ table @ self.right.T + self.stray)

    def back(self, ratios: Floats) -> Floats:
        """What ratios of pairs of codes say for each pair of values."""
        return np.asarray(self.left.T @ ratios @ self.right)


class _Ways(NamedTuple):
    """How two questions are sent.

    Attributes:
        one: The one.
        other: The other.
        one_coin: Whether one coin serves both.
    """

    one: _Sending
    other: _Sending
    one_coin: bool

    def at(self, first: float, second: float) -> _Way:
        """The way with these truth probabilities."""
        if self.one_coin:
            stray = (1 - first) * np.outer(self.one.replacement, self.other.replacement)
            return _Way(first * self.one.draw, self.other.draw, stray)
        return _Way(self.one.coined(first), self.other.coined(second), 0.0)


def _likeliest(codes: Codes, truths: Floats, ways: _Ways) -> Floats:
    """The table of greatest likelihood of two questions, from pairs of codes and of truth probabilities."""
    ids = [np.unique(column, return_inverse=True)[1] for column in truths.T]
    first, which = distinct_rows(np.stack(ids, axis=1))
    sent = np.zeros((len(first), len(ways.one.draw), len(ways.other.draw)))
    np.add.at(sent, (which, codes[:, 0], codes[:, 1]), 1.0)
    known = [*zip((ways.at(*pair) for pair in truths[first].tolist()), sent, strict=True)]
    table = np.full(shape := (ways.one.draw.shape[1], ways.other.draw.shape[1]), 1 / np.prod(shape))
    for _ in range(STEPS):
        found = np.zeros(shape)
        for way, counts in known:
            found += way.back(counts / np.maximum(way.forth(table), TINY))
        table *= found
        table /= table.sum()
    return table
