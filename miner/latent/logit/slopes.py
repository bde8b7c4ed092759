"""Compiled: gradient of the likelihood of responses in each effect; each answer in turn is summed out, not drawn.

A row of answers is drawn for each response (`miner.latent.logit.chains`). Under a strong disguise, a gradient at drawn
rows is mostly noise: for a question with truth probability theta, its variance is about 1 / theta^2 times that of the
responses. The expectation over one answer given the others is a sum over its values, with the same mean and without
that noise (Rao-Blackwell; Gelfand & Smith 1990). The coins and the class are summed out too.
"""

from typing import NamedTuple

import numpy as np

from miner.arrays import Floats
from miner.behind.kernels import (
    Offsets,
    ResponseLikelihood,
    class_likelihoods,
    empty_likelihood,
    fill_likelihood,
    kept_without,
)
from miner.compiled import bare, compiled, quick
from miner.latent.logit.logit import Frame, LogitParameters
from miner.latent.logit.proposals import MixtureResponses, MixtureTables, explain
from miner.responses.responses import Values


class Slopes(NamedTuple):
    """Gradient of the log-likelihood.

    Attributes:
        main: Shape (values of all questions, classes): by main effects.
        pair: Shape (pairs of values, classes): by pair effects.
    """

    main: Floats
    pair: Floats


class Scratch(NamedTuple):
    """Working memory for a row. What is of each value of each question has one axis, the classes of a value together.

    Attributes:
        likelihood: Likelihood of the response given the row.
        posterior: Shape (classes of the mixture,): P(class | the answers).
        given: The same without one of them, up to a factor.
        score: Shape (classes,): the logit's.
        evidence: Shape (classes,): of what was sent in the class's cell.
        lines: Shape (values of all questions x classes,): the effects of each value, next to the row's other answers.
        found: The same shape: shares of the classes, then slopes.
    """

    likelihood: ResponseLikelihood
    posterior: Floats
    given: Floats
    score: Floats
    evidence: Floats
    lines: Floats
    found: Floats


@compiled
def ends_of(pairs: int, frame: Frame) -> Offsets:
    """Shape (pairs of values, 2): the two values of each pair that has effects."""
    ends, each = np.empty((pairs, 2), np.int64), 0
    for a in range(len(frame.features) if pairs > 0 else 0):
        for b in range(a + 1, len(frame.features)):
            one, other = frame.features[a], frame.features[b]
            for first in range(frame.places[one], frame.places[one + 1]):
                for second in range(frame.places[other], frame.places[other + 1]):
                    ends[each, 0], ends[each, 1] = first, second
                    each += 1
    return ends


@compiled
def both_ways(pair: Floats, ends: Offsets, count: int) -> Floats:
    """Pair effects, shape (values, values x classes): a row for each value, with its effects with all others.

    A row of answers then has its effects as a sum of whole lines, which processors add many numbers at a time.
    """
    classes = pair.shape[1]
    found = np.zeros((count if len(pair) > 0 else 0, count * classes))
    for each in range(len(pair)):
        first, second = ends[each, 0], ends[each, 1]
        for y in range(classes):
            found[first, second * classes + y] = found[second, first * classes + y] = pair[each, y]
    return found


@compiled
def one_way(found: Floats, ends: Offsets, pair: Floats) -> None:
    """Write the slopes of pairs, the mean of those from either of its questions: the transpose of `both_ways`."""
    classes = pair.shape[1]
    for each in range(len(pair)):
        first, second = ends[each, 0], ends[each, 1]
        for y in range(classes):  # half of a pair's slope from either of its questions
            pair[each, y] = 0.5 * (found[first, second * classes + y] + found[second, first * classes + y])


@bare
def score_values(row: Values, effects: LogitParameters, pairs: Floats, frame: Frame, room: Scratch) -> None:
    """Fill in the effects of each value next to the row's other answers, and the scores of the row."""
    classes = len(room.score)
    for place in range(len(effects.main)):
        for y in range(classes):
            room.lines[place * classes + y] = effects.main[place, y]
    for b in range(len(frame.features) if len(pairs) > 0 else 0):
        one = frame.features[b]
        line = pairs[frame.places[one] + row[one]]
        for k in range(len(line)):
            room.lines[k] += line[k]
    for y in range(classes):
        room.score[y] = effects.intercept[y]
    for a in range(len(frame.features)):
        place = frame.places[frame.features[a]] + row[frame.features[a]]
        for y in range(classes):  # a pair is in the lines of both its questions
            room.score[y] += 0.5 * (room.lines[place * classes + y] + effects.main[place, y])


@quick
def slope_values(row: Values, frame: Frame, tables: MixtureTables, room: Scratch) -> None:
    """Fill in the slopes by the effects of each question's values: of ln P(what was sent), all its values summed over.

    One function goes through all questions: to pass so many arrays takes as long as a question does.
    """
    likelihood, classes, found, lines, given = room.likelihood, len(room.score), room.found, room.lines, room.given
    target = tables.codes.places[likelihood.target]
    home = likelihood.cell[likelihood.target]
    for one in frame.features:
        first, after, cell = tables.codes.places[one], tables.codes.places[one + 1], likelihood.cell[one]
        now = first + row[one]
        kept = kept_without(now, cell, likelihood) if cell >= 0 else 0.0
        together, replaced = cell >= 0 and cell == home, likelihood.replaced[cell]
        for z in range(len(given)):
            own = tables.table[now, z]
            given[z] = room.posterior[z] / own if own > 0.0 else 0.0
        whole = 0.0
        for place in range(first, after):
            weight, true = 0.0, kept * likelihood.chance[place]
            for z in range(len(given)):
                weight += given[z] * tables.table[place, z]
            if cell >= 0 and not together:
                weight *= true + replaced
            largest, total, expected = -1e300, 0.0, 0.0
            for y in range(classes):
                here = room.score[y] - lines[now * classes + y] + lines[place * classes + y]
                found[place * classes + y] = here
                largest = max(largest, here)
            for y in range(classes):
                below = found[place * classes + y] - largest
                share = np.exp(below) if below < 0.0 else 1.0
                evidence = true * likelihood.chance[target + y] + replaced if together else room.evidence[y]
                found[place * classes + y] = share
                total += share
                expected += share * evidence
            expected /= total
            whole += weight * expected
            weight /= total
            for y in range(classes):
                evidence = true * likelihood.chance[target + y] + replaced if together else room.evidence[y]
                found[place * classes + y] *= weight * (evidence - expected)
        for k in range(first * classes, after * classes):
            found[k] = found[k] / whole if whole > 0.0 else 0.0


@compiled
def summed_slopes(
    values: Values, sent: MixtureResponses, tables: MixtureTables, effects: LogitParameters, frame: Frame
) -> Slopes:
    """Slopes of the log-likelihood of responses by a logit's effects, expected at rows behind them.

    Their mean over rows from ``P(x | r) ~ mixture(x) sum over y of logit(y | x) P(r | x, y)`` is the slope of ln P(r).

    Args:
        values: Shape (rows, questions), whatever stands in the class's own column.
        sent: The response of each.
        tables: The mixture.
        effects: The logit's.
        frame: Positions of the effects.
    """
    classes, mixed = len(effects.intercept), len(tables.log_weights)
    width = len(effects.main) * classes
    ends = ends_of(len(effects.pair), frame)
    main, pairs = np.zeros(width), both_ways(effects.pair, ends, len(effects.main))
    pair = np.zeros(pairs.shape)
    likelihood = empty_likelihood(sent.ids.shape[1], tables.codes.places, frame.target)
    room = Scratch(
        likelihood,
        np.empty(mixed),
        np.empty(mixed),
        np.empty(classes),
        np.empty(classes),
        np.empty(width),
        np.zeros(width),
    )
    for i in range(len(values)):
        row = values[i]
        fill_likelihood(row, sent.ids[i], sent.parts, tables.codes, likelihood)
        if likelihood.cell[frame.target] < 0:
            continue
        class_likelihoods(tables.codes.places[frame.target], likelihood, room.evidence)
        explain(row, tables, frame.target, room.posterior)
        score_values(row, effects, pairs, frame, room)
        slope_values(row, frame, tables, room)
        for k in range(width):
            main[k] += room.found[k]
        for b in range(len(frame.features) if len(pair) > 0 else 0):
            line = pair[frame.places[frame.features[b]] + row[frame.features[b]]]
            for k in range(width):
                line[k] += room.found[k]
    slopes = Slopes(main.reshape(effects.main.shape), np.zeros(effects.pair.shape))
    one_way(pair, ends, slopes.pair)
    return slopes
