"""Compiled: gradient of the likelihood of responses in each effect; each answer in turn is summed out, not drawn.

A row of answers is drawn for each response (`miner.latent.logit.chains`). Under a strong disguise, a gradient at drawn
rows is mostly noise: for a question with truth probability theta, its variance is about 1 / theta^2 times that of the
responses. The expectation over one answer given the others is a sum over its values, with the same mean and without
that noise (Rao-Blackwell; Gelfand & Smith 1990). The coins and the class are summed out too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from miner.arrays import Floats
from miner.compiled import bare, compiled
from miner.latent.kernels import Offsets
from miner.latent.logit.likelihood import (
    ResponseLikelihood,
    class_likelihoods,
    empty_likelihood,
    fill_likelihood,
    kept_without,
)
from miner.latent.logit.logit import Effects, Frame, add_scores, pair_line
from miner.latent.logit.proposals import Sent, Tables, explain
from miner.responses.responses import Values

HALF = 0.5  # of a pair's slope, from either of its questions


class Slopes(NamedTuple):
    """Gradient of the log-likelihood.

    Attributes:
        main: Shape (values of all questions, classes): by main effects.
        pair: Shape (pairs of values, classes): by pair effects.
    """

    main: Floats
    pair: Floats


class Scratch(NamedTuple):
    """Working memory for a row, and for the values of one of its features.

    Attributes:
        likelihood: Likelihood of the response given the row.
        posterior: Shape (classes of the mixture,): P(class | the answers).
        given: The same without one of them, up to a factor.
        score: Shape (classes,): the logit's.
        evidence: Shape (classes,): of what was sent in the class's cell.
        found: Shape (values of the widest question, classes): scores, then slopes.
        weight: Shape (values of the widest question,): how likely each value is, up to a factor,
        classes: and, shape (values of the widest question, classes), the evidence with it.
    """

    likelihood: ResponseLikelihood
    posterior: Floats
    given: Floats
    score: Floats
    evidence: Floats
    found: Floats
    weight: Floats
    classes: Floats


@compiled
def scratch_for(likelihood: ResponseLikelihood, mixed: int, kinds: int, places: Offsets) -> Scratch:
    """Working memory for these numbers of latent classes and of classes."""
    most = int((places[1:] - places[:-1]).max())
    posterior, given, score, evidence = np.empty(mixed), np.empty(mixed), np.empty(kinds), np.empty(kinds)
    found, classes = np.empty((most, kinds)), np.empty((most, kinds))
    return Scratch(likelihood, posterior, given, score, evidence, found, np.empty(most), classes)


@bare
def score_values(row: Values, a: int, effects: Effects, frame: Frame, room: Scratch) -> None:
    """Fill in the scores of the classes for each value that feature a may have in this row."""
    one, found = frame.features[a], room.found
    first, count = frame.places[one], frame.places[one + 1] - frame.places[one]
    for v in range(count):
        for y in range(found.shape[1]):
            found[v, y] = effects.main[first + v, y]
    for b in range(len(frame.features)):
        if b != a and len(effects.pair) > 0:
            start, apart = pair_line(row, a, b, frame)
            for v in range(count):
                for y in range(found.shape[1]):
                    found[v, y] += effects.pair[start + v * apart, y]
    for y in range(found.shape[1]):
        others = room.score[y] - found[row[one], y]
        for v in range(count):
            found[v, y] += others


@bare
def weigh_values(row: Values, one: int, tables: Tables, room: Scratch) -> None:
    """Fill in how likely the values of a question are, given the row's other answers and what was sent."""
    likelihood, first = room.likelihood, tables.places[one]
    now, cell, home = first + row[one], likelihood.cell[one], likelihood.cell[likelihood.target]
    kept = kept_without(now, cell, likelihood) if cell >= 0 else 0.0
    for z in range(len(room.given)):
        room.given[z] = room.posterior[z] / tables.table[now, z]
    for place in range(first, tables.places[one + 1]):
        v, own = place - first, kept * likelihood.chance[place]
        room.weight[v] = 0.0
        for z in range(len(room.given)):
            room.weight[v] += room.given[z] * tables.table[place, z]
        if cell >= 0 and cell != home:
            room.weight[v] *= own + likelihood.replaced[cell]
        for y in range(len(room.evidence)):
            room.classes[v, y] = room.evidence[y]
            if cell >= 0 and cell == home:
                room.classes[v, y] = (
                    own * likelihood.chance[tables.places[likelihood.target] + y] + likelihood.replaced[cell]
                )


@bare
def slope_values(count: int, room: Scratch) -> None:
    """Turn scores of so many values into slopes by them: of the logarithm of what was sent, all values summed over."""
    found, whole = room.found, 0.0
    for v in range(count):
        largest, total, expected = -np.inf, 0.0, 0.0
        for y in range(found.shape[1]):
            largest = max(largest, found[v, y])
        for y in range(found.shape[1]):
            found[v, y] = np.exp(found[v, y] - largest)
            total += found[v, y]
        for y in range(found.shape[1]):
            found[v, y] /= total
            expected += found[v, y] * room.classes[v, y]
        whole += room.weight[v] * expected
        for y in range(found.shape[1]):
            found[v, y] *= room.weight[v] * (room.classes[v, y] - expected)
    for v in range(count):
        for y in range(found.shape[1]):
            found[v, y] = found[v, y] / whole if whole > 0.0 else 0.0


@bare
def add_slopes(row: Values, a: int, frame: Frame, found: Floats, slopes: Slopes) -> None:
    """Add what was found for the values of feature a to the slopes of their effects, and of those of its pairs."""
    one = frame.features[a]
    first, count = frame.places[one], frame.places[one + 1] - frame.places[one]
    for v in range(count):
        for y in range(found.shape[1]):
            slopes.main[first + v, y] += found[v, y]
    for b in range(len(frame.features)):
        if b != a and len(slopes.pair) > 0:
            start, apart = pair_line(row, a, b, frame)
            for v in range(count):
                for y in range(found.shape[1]):
                    slopes.pair[start + v * apart, y] += HALF * found[v, y]


@compiled
def summed_slopes(values: Values, sent: Sent, tables: Tables, effects: Effects, frame: Frame) -> Slopes:
    """Slopes of the log-likelihood of responses by a logit's effects, expected at rows behind them.

    Their mean over rows from ``P(x | r) ~ mixture(x) sum over y of logit(y | x) P(r | x, y)`` is the slope of ln P(r).

    Args:
        values: Shape (rows, questions), whatever stands in the class's own column.
        sent: The response of each.
        tables: The mixture.
        effects: The logit's.
        frame: Positions of the effects.
    """
    slopes = Slopes(np.zeros(effects.main.shape), np.zeros(effects.pair.shape))
    likelihood = empty_likelihood(sent.ids.shape[1], tables.places, frame.target)
    room = scratch_for(likelihood, len(tables.log_weights), len(effects.intercept), tables.places)
    for i in range(len(values)):
        row = values[i]
        fill_likelihood(row, sent.ids[i], sent.parts, tables, likelihood)
        if likelihood.cell[frame.target] < 0:
            continue
        class_likelihoods(tables.places[frame.target], likelihood, room.evidence)
        explain(row, tables, frame.target, room.posterior)
        room.score[:] = effects.intercept
        add_scores(row, effects, frame, room.score)
        for a in range(len(frame.features)):
            one = frame.features[a]
            score_values(row, a, effects, frame, room)
            weigh_values(row, one, tables, room)
            slope_values(tables.places[one + 1] - tables.places[one], room)
            add_slopes(row, a, frame, room.found, slopes)
    return slopes
