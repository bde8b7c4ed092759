"""Compute log odds from effects, and sums of derivatives by effects, in compiled loops."""

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.behind.kernels import write_shares
from miner.compiled import compiled


@compiled
def scored(places: NDArray[np.int32], intercept: Floats, effects: Floats) -> Floats:
    """Return the log odds of the classes for each row of answers, shape (rows, classes).

    Args:
        places: Index of the effect of each term in each row, shape (rows, terms).
        intercept: Intercept of each class, shape (classes,).
        effects: Effects on the log odds of each class, shape (effects, classes).
    """
    scores, own = np.empty((len(places), len(intercept))), np.empty(len(intercept))
    for row in range(len(places)):
        for cls in range(len(own)):
            own[cls] = intercept[cls]
        for term in range(places.shape[1]):
            place = places[row, term]
            for cls in range(len(own)):
                own[cls] += effects[place, cls]
        for cls in range(len(own)):
            scores[row, cls] = own[cls]
    return scores


@compiled
def gathered(
    places: NDArray[np.int32], slopes: Floats, ends: NDArray[np.int64], counts: Floats, effects: int
) -> tuple[Floats, Floats]:
    """Return the slopes of the log-likelihood by intercepts, (classes,), and by effects, (effects, classes).

    Args:
        places: Index of the effect of each term in each row, shape (rows, terms).
        slopes: Slopes by the log odds of each row, shape (rows, classes).
        ends: Position after the last row of each response, shape (responses,).
        counts: Number of people that each response represents, shape (responses,).
        effects: Number of effects.
    """
    level, along, start = np.zeros(slopes.shape[1]), np.zeros((effects, slopes.shape[1])), 0
    own = np.empty(slopes.shape[1])
    for i in range(len(ends)):
        for row in range(start, ends[i]):
            for cls in range(len(own)):
                own[cls] = counts[i] * slopes[row, cls]
                level[cls] += own[cls]
            for term in range(places.shape[1]):
                place = places[row, term]
                for cls in range(len(own)):
                    along[place, cls] += own[cls]
        start = ends[i]
    return level, along


Places = NDArray[np.int32]


@compiled
def placed(
    values: NDArray[np.int16], columns: NDArray[np.int64], sizes: NDArray[np.int64], starts: NDArray[np.int64]
) -> Places:
    """Return the index of the effect of each term in each row of answers, shape (rows, terms).

    An unknown value has the index after the last effect.

    Args:
        values: Value indices, shape (rows, questions).
        columns: Columns of the questions of each term, padded with -1, shape (terms, most questions of a term).
        sizes: Number of values of each question, shape (questions,).
        starts: Index of the first effect of each term, shape (terms + 1,).
    """
    found = np.empty((len(values), len(columns)), np.int32)
    for row in range(len(values)):
        for term in range(len(columns)):
            place, known = 0, True
            for column in columns[term]:
                if column >= 0:
                    known &= values[row, column] >= 0
                    place = place * sizes[column] + values[row, column]
            found[row, term] = starts[term] + place if known else starts[-1]
    return found


@compiled
def person_slopes(
    places: Places, slopes: Floats, first: NDArray[np.int64], ends: NDArray[np.int64], effects: int
) -> Floats:
    """Return slopes by intercepts and effects for each response, shape (responses, classes, 1 + effects).

    Args:
        places: Index of the effect of each term in each row, or `effects` for no effect, shape (rows, terms).
        slopes: Slopes by the log odds of each row, shape (rows, classes).
        first: Position of the first row of each response, shape (responses,).
        ends: Position after the last row of each response, shape (responses,).
        effects: Number of effects.
    """
    found = np.zeros((len(first), slopes.shape[1], effects + 1))
    for i in range(len(first)):
        for row in range(first[i], ends[i]):
            for cls in range(slopes.shape[1]):
                found[i, cls, 0] += slopes[row, cls]
            for term in range(places.shape[1]):
                place = places[row, term]
                if place < effects:
                    for cls in range(slopes.shape[1]):
                        found[i, cls, place + 1] += slopes[row, cls]
    return found


@compiled
def add_products(sums: Floats, places: Places, others: Places, weights: Floats, half: int) -> None:
    """Add the weights of each row to the sums of every pair of effects that occur in the row.

    Args:
        sums: Array to which weights are added, shape (effects, other effects, weights).
        places: Indices of the first effects of pairs in each row, shape (rows, terms).
        others: Indices of the second effects of pairs in each row, shape (rows, other terms).
        weights: Weights of each row, shape (rows, weights).
        half: 1 to pair each term only with itself and later terms, which needs equal `places` and `others`; otherwise
            0.
    """
    for row in range(len(places)):
        for term in range(places.shape[1]):
            place = places[row, term]
            for other in range(half * term, others.shape[1]):
                second = others[row, other]
                for number in range(weights.shape[1]):
                    sums[place, second, number] += weights[row, number]


@compiled
def margin_sums(  # noqa: PLR0913, PLR0917 - compiled code takes no objects
    cells: Places, scores: Floats, weights: Floats, people: NDArray[np.int64], masses: Floats, number: int
) -> tuple[Floats, Floats, Floats]:
    """Return the class probabilities of people, and the slopes of mean class probabilities by log odds.

    Args:
        cells: Index of the cell of each look-up table (`miner.effects.bundles`) in each row, shape (rows, tables).
        scores: Log odds of the classes, shape (rows, classes).
        weights: Weight of each row among the rows of the same person, shape (rows,).
        people: Person that each row belongs to, shape (rows,).
        masses: Share of the population that each person represents, shape (people,).
        number: Number of cells of all look-up tables.

    Returns:
        Class probabilities, shape (people, classes), and two arrays of slopes, shapes (pairs of classes,) and (cells,
        pairs of classes). The pairs of classes are sorted as by `numpy.triu_indices`.
    """
    classes = scores.shape[1]
    chances, shares = np.zeros((len(masses), classes)), np.empty(classes)
    own = np.empty(classes * (classes + 1) // 2)
    level, along = np.zeros(len(own)), np.zeros((number, len(own)))
    for row in range(len(cells)):
        write_shares(scores[row], shares)
        mass, pair = masses[people[row]] * weights[row], 0
        for cls in range(classes):
            chances[people[row], cls] += weights[row] * shares[cls]
            for other in range(cls, classes):
                own[pair] = mass * shares[cls] * ((1.0 if cls == other else 0.0) - shares[other])
                pair += 1
        for pair in range(len(own)):
            level[pair] += own[pair]
        for table in range(cells.shape[1]):
            cell = cells[row, table]
            for pair in range(len(own)):
                along[cell, pair] += own[pair]
    return chances, level, along
