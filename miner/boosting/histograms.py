"""Grow boosted trees in compiled code: histograms of slopes, the best split of each node, and the leaf of each row."""

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.compiled import compiled
from miner.responses.responses import Values

Places = NDArray[np.int64]


@compiled
def cells_of(values: Values, features: Places, most: int) -> NDArray[np.uint32]:
    """Return the histogram cell of each answer to some questions, shape (rows, features).

    In a histogram, each question has `most` cells for its values, and one more cell for unknown answers.
    """
    found = np.empty((len(values), len(features)), np.uint32)
    for row in range(len(values)):
        for number, column in enumerate(features):
            value = values[row, column]
            found[row, number] = column * (most + 1) + (value if value >= 0 else most)
    return found


@compiled
def root_sums(cells: NDArray[np.uint32], slopes: Floats, weights: Floats, places: int) -> Floats:
    """Sum the weighted slopes of all rows, and their squares, for all classes in one pass.

    Args:
        cells: Cells from `cells_of`, shape (rows, features), unsigned because Numba checks signed indices for being
            negative.
        slopes: Slopes of each class, shape (classes, rows).
        weights: Weight of each row, shape (rows,).
        places: Number of cells.

    Returns:
        Sums of slopes and of squares, shape (classes, cells, 2).
    """
    classes = len(slopes)
    sums, own = np.zeros((places, 2 * classes)), np.empty(2 * classes)
    for i in range(len(cells)):
        for cls in range(classes):
            own[2 * cls] = weights[i] * slopes[cls, i]
            own[2 * cls + 1] = own[2 * cls] * slopes[cls, i]
        for number in range(cells.shape[1]):
            cell = sums[cells[i, number]]
            for each in range(len(own)):
                cell[each] += own[each]
    found = np.empty((classes, places, 2))
    for cls in range(classes):
        found[cls] = sums[:, 2 * cls : 2 * cls + 2]
    return found


@compiled
def halved(sums: Floats, cells: NDArray[np.uint32], node: Places, slopes: Floats, weights: Floats) -> Floats:
    """Return histograms of the nodes of a level, from the histograms of the level above.

    Of two children, only the one with fewer rows is counted. The histogram of the child with more rows is the parent's
    histogram minus that of the other child. The histogram of a child without rows is zero.

    Args:
        sums: Histograms of the level above, shape (nodes above, cells, 2).
        cells: Cells from `cells_of`, shape (rows, features).
        node: Node of each row, shape (rows,).
        slopes: Slope of each row, shape (rows,).
        weights: Weight of each row, shape (rows,).

    Returns:
        Histograms, shape (nodes, cells, 2).
    """
    found = np.zeros((2 * sums.shape[0], sums.shape[1], 2))
    rows = np.zeros(len(found), np.int64)
    for i in range(len(node)):
        rows[node[i]] += 1
    counted = np.zeros(len(found), np.int64)
    for above in range(len(sums)):
        counted[2 * above + (0 if rows[2 * above] < rows[2 * above + 1] else 1)] = 1
    some, count = np.empty(len(node) + 1, np.int64), 0
    for i in range(len(node)):  # without a branch, which the processor could not predict
        some[count] = i
        count += counted[node[i]]
    for i in some[:count]:
        slope = weights[i] * slopes[i]
        square = slope * slopes[i]
        own = found[node[i]]
        for number in range(cells.shape[1]):
            own[cells[i, number], 0] += slope
            own[cells[i, number], 1] += square
    for child in range(len(found)):
        if not counted[child] and rows[child]:
            found[child] = sums[child // 2] - found[child ^ 1]
    return found


@compiled
def leaf_sums(node: Places, slopes: Floats, weights: Floats, leaves: int) -> Floats:
    """Return the sums of weighted slopes and of their squares at each leaf, shape (2, leaves)."""
    found = np.zeros((2, leaves))
    for i in range(len(node)):
        found[0, node[i]] += weights[i] * slopes[i]
        found[1, node[i]] += weights[i] * (slopes[i] * slopes[i])
    return found


@compiled
def splits(  # noqa: PLR0913, PLR0917 - compiled code takes no objects
    sums: Floats, features: Places, kinds: Places, ordered: Places, ridge: float, least_gain: float
) -> tuple[Places, NDArray[np.bool_]]:
    """Return the question of each node, or -1 if no split gains enough, and the values that go to the first child.

    Rows with unknown answers go to the second child.

    Args:
        sums: Histograms, shape (nodes, questions, most values + 1, 2). For each question, the last histogram cell
            counts unknown answers.
        features: Columns of the questions that may be asked.
        kinds: Number of values of each question, shape (questions,).
        ordered: Number of values of each question, from the first value on, that have an order, shape (questions,).
        ridge: Number added to the curvature of a leaf.
        least_gain: Smallest gain of a split.
    """
    question = np.full(len(sums), -1, np.int64)
    passes = np.zeros((len(sums), sums.shape[2] - 1), np.bool_)
    for node in range(len(sums)):
        best = least_gain
        for column in features:
            g, v = sums[node, column, : kinds[column], 0].copy(), sums[node, column, : kinds[column], 1].copy()
            whole, total = g.sum() + sums[node, column, -1, 0], v.sum() + sums[node, column, -1, 1]
            places = np.arange(len(g))
            gained = whole * whole / (total + ridge)
            orders = [places if ordered[column] else np.argsort(g / (v + ridge), kind="mergesort")]
            if 0 < ordered[column] < len(g):  # values beside the order stand behind it, or before
                orders.append(np.concatenate((places[ordered[column] :], places[: ordered[column]])))
            for order in orders:
                left, spread = 0.0, 0.0
                for cut in range(len(order) - 1):
                    left, spread = left + g[order[cut]], spread + v[order[cut]]
                    right = whole - left
                    gain = left * left / (spread + ridge) + right * right / (total - spread + ridge) - gained
                    if gain > best:
                        best, question[node] = gain, column
                        passes[node] = False
                        for value in order[: cut + 1]:
                            passes[node, value] = True
    return question, passes


@compiled
def moved(node: Places, values: Values, question: Places, passes: NDArray[np.bool_]) -> None:
    """Move each row from its node to a child of the node, in place.

    Args:
        node: Node of each row in a level, shape (rows,).
        values: Value indices, shape (rows, questions).
        question: Question of each node of the level, shape (at least nodes,).
        passes: Flags of the values that go to the first child, shape (at least nodes, most values).
    """
    for i in range(len(node)):
        asked, second = question[node[i]], 0
        if asked >= 0:
            value = values[i, asked]
            second = 0 if value >= 0 and passes[node[i], value] else 1
        node[i] = 2 * node[i] + second


@compiled
def landed(values: Values, question: Places, passes: NDArray[np.bool_], depth: int) -> Places:
    """Return the node that each row reaches at a given depth, shape (rows,).

    Rows with unknown answers go to the second child.
    """
    found = np.zeros(len(values), np.int64)
    for level in range(depth):
        moved(found, values, question[(1 << level) - 1 :], passes[(1 << level) - 1 :])
    return found
