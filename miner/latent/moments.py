"""Unbiased tables of a question and the class, straight from the responses, with their noise: no model is believed.

A response counts for (value, class) the product of what its codes count for each, or one joint term where both share a
coin. A term has expectation ``w P(value, class)``, w the chance that both codes are true, and counts in proportion to
w (weighted least squares): coins differ where what is asked of a group does. Exact for every channel that replaces
without regard to the truth, under any sampling; a response that was not asked both counts for nothing.

Beside each stands the likeliest table, by EM from the same pairs of codes alone: no unbiased one, but no share of it is
negative, which where there is much noise is worth more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from miner.compiled import compiled
from miner.latent.kernels import Floats
from miner.latent.patterns import Layout, distinct_rows
from miner.responses import Codes, Responses

LEAST_VARIANCE = 1e-12
STEPS = 200  # of EM
TINY = 1e-300


@dataclass(frozen=True, eq=False)
class ClassTables:
    """Estimated shares of every (value, class).

    Attributes:
        mean: Shape (values of all questions, classes): unbiased, possibly negative; 0 for values of the class itself.
        variance: Of the same shape: of each entry, over respondents and coins; infinite where nobody was asked both.
        likely: Of the same shape: of greatest likelihood, not negative; 0 where `mean` is.
    """

    mean: Floats
    variance: Floats
    likely: Floats


class Reading(NamedTuple):
    """How one question's codes are read (`collector.coding.Coding.reading`).

    Attributes:
        own: Shape (largest code + 1, values): what a code that is the truth's counts for each value.
        lie: Shape (values,): the mean of the same over replacements.
        draw: Shape (largest code + 1, values): the chance that a value is coded so.
        replacement: Shape (largest code + 1,): the chance of each code in place of the truth.
    """

    own: Floats
    lie: Floats
    draw: Floats
    replacement: Floats


@compiled
def added_moments(
    codes: Codes, truths: Floats, first: Reading, second: Reading, coins: int
) -> tuple[Floats, Floats, float]:
    """Sums over responses of weighted terms, of their squares, and of the squared weights.

    Args:
        codes: Shape (responses, 2): of two questions; -1 where it was not asked.
        truths: Shape (responses, 2): the truth probabilities of their groups.
        first: How the one is read.
        second: How the other is.
        coins: How many serve them: 1 if both are in one group, else 2.
    """
    values, classes = first.own.shape[1], second.own.shape[1]
    sums, squares, whole = np.zeros((values, classes)), np.zeros((values, classes)), 0.0
    for i in range(len(codes)):
        if codes[i, 0] < 0 or codes[i, 1] < 0:
            continue
        weight = truths[i, 0] if coins == 1 else truths[i, 0] * truths[i, 1]
        whole += weight * weight
        for v in range(values):
            one = first.own[codes[i, 0], v]
            for c in range(classes):
                other = second.own[codes[i, 1], c]
                if coins == 1:
                    term = one * other - (1 - truths[i, 0]) * first.lie[v] * second.lie[c]
                else:
                    term = (one - (1 - truths[i, 0]) * first.lie[v]) * (other - (1 - truths[i, 1]) * second.lie[c])
                sums[v, c] += weight * term
                squares[v, c] += weight * weight * term * term
    return sums, squares, whole


def class_tables(responses: Responses, target: int) -> ClassTables:
    """The tables of every question and the class.

    Args:
        responses: Their groups are all of the uniform channel.
        target: Position of the class question.
    """
    layout = Layout(responses.survey)
    truths = layout.truths(responses)
    home = {column: number for number, cell in enumerate(layout.cells) for column in cell.columns}
    readings = [_reading(layout, column) for column in range(len(home))]
    shape = layout.places[-1], len(responses.survey.questions[target].values)
    mean, variance, likely = np.zeros(shape), np.full(shape, np.inf), np.zeros(shape)
    for column in sorted(set(home) - {target}):
        pair = [column, target]
        places = slice(*layout.places[column : column + 2])
        both = (responses.codes[:, pair] >= 0).all(axis=1)
        sent = responses.codes[both][:, pair], truths[both][:, [home[each] for each in pair]]
        read, coins = (readings[column], readings[target]), len({home[column], home[target]})
        mean[places], variance[places] = _estimated(*sent, read, coins)
        likely[places] = _likely(*sent, read, coins)
    return ClassTables(mean, variance, likely)


def _estimated(codes: Codes, truths: Floats, readings: tuple[Reading, Reading], coins: int) -> tuple[Floats, Floats]:
    """Mean and variance of one table; 0 and infinite where nobody was asked both."""
    sums, squares, whole = added_moments(codes, truths, *readings, coins)
    if not whole:
        return np.zeros(sums.shape), np.full(sums.shape, np.inf)
    mean = sums / whole
    return mean, np.maximum(squares / whole**2 - mean**2 / max(1, (codes >= 0).all(axis=1).sum()), LEAST_VARIANCE)


def _reading(layout: Layout, column: int) -> Reading:
    coding = layout.survey.questions[column].coding
    own = np.zeros((coding.codes[-1] + 1, len(coding.draws)))
    for code, weights in coding.reading.items():
        own[code] = [float(weight) for weight in weights]
    draw = np.zeros(own.shape)
    for value in range(len(coding.draws)):
        for code, chance in coding.draw_probabilities(value).items():
            draw[code, value] = float(chance)
    return Reading(own, layout.replacements[column] @ own, draw, layout.replacements[column])


def _likely(codes: Codes, truths: Floats, readings: tuple[Reading, Reading], coins: int) -> Floats:
    """The table of greatest likelihood of two questions, from these pairs of codes; 0 where there are none."""
    one, other = readings
    shape = one.own.shape[1], other.own.shape[1]
    if not len(codes):
        return np.zeros(shape)
    ids = [np.unique(column, return_inverse=True)[1] for column in truths.T]
    first, which = distinct_rows(np.stack(ids, axis=1))
    levels = truths[first]
    sent = np.zeros((len(levels), len(one.own), len(other.own)))
    np.add.at(sent, (which, codes[:, 0], codes[:, 1]), 1.0)
    table = np.full(shape, 1 / np.prod(shape))
    for _ in range(STEPS):
        found = np.zeros(shape)
        for number, (first, second) in enumerate(levels):
            if coins == 1:
                chance = first * one.draw @ table @ other.draw.T
                chance += (1 - first) * np.outer(one.replacement, other.replacement)
                found += first * one.draw.T @ (sent[number] / np.maximum(chance, TINY)) @ other.draw
                continue
            left = first * one.draw + (1 - first) * one.replacement[:, np.newaxis]
            right = second * other.draw + (1 - second) * other.replacement[:, np.newaxis]
            found += left.T @ (sent[number] / np.maximum(left @ table @ right.T, TINY)) @ right
        table *= found
        table /= table.sum()
    return table
