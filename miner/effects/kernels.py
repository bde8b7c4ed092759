"""Compiled: log odds of rows from effects, and sums of slopes and products along effects, without a table of both."""

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.behind.kernels import write_shares
from miner.compiled import compiled


@compiled
def scored(places: NDArray[np.int32], intercept: Floats, effects: Floats) -> Floats:
    """Shape (rows, classes): log odds.

    Args:
        places: Shape (rows, terms): which effect of each term a row has.
        intercept: Shape (classes,).
        effects: Shape (effects, classes).
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
    """Sums of slopes, each times the people of its response: shapes (classes,) and (effects, classes).

    Args:
        places: As for `scored`.
        slopes: Shape (rows, classes).
        ends: Shape (responses,): where the rows of each response end.
        counts: Shape (responses,): the number of people that each stands for.
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
    """Shape (rows, terms): the effect of each term that a row has; for a value that is not known, one past all.

    Args:
        values: Shape (rows, questions): value indices.
        columns: Shape (terms, most questions of a term): columns of questions; -1 where a term has fewer.
        sizes: Shape (questions,): how many values each has.
        starts: Shape (terms + 1,): where the effects of each term begin.
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
    """Shape (responses, classes, 1 + effects): slopes of each response along intercept and effects.

    Args:
        places: Shape (rows, terms): which effect of each term a row has; `effects` where it has none.
        slopes: Shape (rows, classes): along the linear predictors.
        first: Shape (responses,): where the rows of each response begin.
        ends: Shape (responses,): where they end.
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
    """Add the weights of each row at every pair of a place and another that the row has.

    Args:
        sums: Shape (places, other places, weights).
        places: Shape (rows, terms).
        others: Shape (rows, other terms).
        weights: Shape (rows, weights).
        half: 1 where both are the same, and only pairs of a term and itself or a later one are wanted; else 0.
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
    """Class probabilities of people, and the slopes of their mean along intercept and cells.

    Args:
        cells: Shape (rows, tables): the cells that each row is in.
        scores: Shape (rows, classes): log odds.
        weights: Shape (rows,): of each row among those of its person.
        people: Shape (rows,): the person that each row belongs to.
        masses: Shape (people,): the part of the population that each stands for.
        number: Number of cells.

    Returns:
        Shapes (people, classes), (pairs of classes,) and (cells, pairs of classes): the slope of the mean of one class
        along the effect on another is that on the other; pairs are in the order of `numpy.triu_indices`.
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
