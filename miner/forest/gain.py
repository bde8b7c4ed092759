# ruff: noqa: PLR0913, PLR0917 - machine code takes flat arguments
"""Compute the gains of splits, the stopping rule and the predictions of leaves, in compiled code."""

from miner.arrays import Floats
from miner.compiled import bare
from miner.forest.records import BOUNDED, COPIES, ESTIMATE, NEVER, SHARES, SIGNED, SQUARES, Rules, Sides, Two


@bare
def projected_two(here: Two, clipped: int) -> tuple[float, float]:
    """Return the estimated counts of both classes together and of the second, clipped as `Rules.clipped` says."""
    zeros, ones = here.size - here.ones, here.ones
    if clipped == BOUNDED:
        zeros = min(max(zeros, 0.0), here.copies - here.copies_ones)
        ones = min(max(ones, 0.0), here.copies_ones)
    return zeros + ones, ones


@bare
def counted(count: float, rules: Rules) -> float:
    """Return an estimated count, limited to between 0 and the largest possible count."""
    return min(max(count, 0.0), rules.most)


@bare
def impurity_two(here: Two, rules: Rules) -> float:
    """Return the Gini impurity of clipped counts, or 0 if all counts are 0."""
    zeros, ones = counted(here.size - here.ones, rules), counted(here.ones, rules)
    share = ones / (zeros + ones) if zeros + ones > 0.0 else 0.0
    return 2.0 * share * (1.0 - share)


@bare
def shares_gain_two(failing: Two, passing: Two, whole: Two, rules: Rules) -> float:
    """Return the decrease of a node's impurity by a split.

    Each estimated count is clipped separately, so the children's counts may not add up to the node's count.
    """
    size_0, size_1 = counted(failing.size, rules), counted(passing.size, rules)
    if size_0 + size_1 <= 0.0 or min(size_0, size_1) < rules.least_leaf:
        return NEVER
    left = size_0 * impurity_two(failing, rules) + size_1 * impurity_two(passing, rules)
    return impurity_two(whole, rules) - left / (size_0 + size_1)


@bare
def gain_two(passing: Two, whole: Two, how: Sides, rules: Rules) -> float:
    """Return the Gini gain of a test minus kappa times its noise, or `NEVER` if a child is too small.

    The unit of a gain is one response. If `Rules.clipped` is `SHARES`, the gain is a mean over the node's responses.
    """
    failing = Two(
        whole.size - passing.size,
        whole.ones - passing.ones,
        how.squared_both * whole.spread - passing.spread,
        how.squared_both * whole.spread_ones - passing.spread_ones,
        how.copies_both * whole.copies - passing.copies,
        how.copies_both * whole.copies_ones - passing.copies_ones,
    )
    if rules.clipped == SHARES:
        return shares_gain_two(failing, passing, whole, rules)
    size_0, ones_0 = projected_two(failing, rules.clipped)
    size_1, ones_1 = projected_two(passing, rules.clipped)
    if min(size_0, size_1) <= 0.0 or min(size_0, size_1) < rules.least_leaf:
        return NEVER
    product, size = size_0 * size_1, size_0 + size_1
    difference = ones_1 * size_0 - ones_0 * size_1
    gain = 2.0 * difference * difference / (product * size)
    if rules.kappa == 0.0 and rules.least_size == 0.0:
        return gain
    if size_0 * size_0 < rules.least_size * failing.spread or size_1 * size_1 < rules.least_size * passing.spread:
        return NEVER
    share_0, share_1 = ones_0 / size_0, ones_1 / size_1
    noise_0 = failing.spread_ones * (1.0 - 2.0 * share_0) + share_0 * share_0 * failing.spread
    noise_1 = passing.spread_ones * (1.0 - 2.0 * share_1) + share_1 * share_1 * passing.spread
    return gain - rules.kappa * 2.0 * (noise_0 * size_1 / size_0 + noise_1 * size_0 / size_1) / size


@bare
def projected(count: float, copies: float, clipped: int) -> float:
    """Return an estimated count, clipped as `Rules.clipped` says."""
    return min(max(count, 0.0), copies) if clipped == BOUNDED else count


@bare
def side_many(passing: Floats, whole: Floats, how: Sides, side: int, kind: int, cls: int) -> float:
    """Return one of the sums over the rows on one side of a test (passing or failing).

    The numbers of failing rows are those of the node minus those of passing rows.
    """
    here: float = passing[kind, cls]
    if side == 1:
        return here
    both = how.squared_both if kind == SQUARES else how.copies_both if kind == COPIES else 1.0
    rest: float = both * whole[kind, cls] - here
    return rest


@bare
def share_many(passing: Floats, whole: Floats, how: Sides, side: int, clipped: int) -> tuple[float, float]:
    """Return the estimated number of responses on one side of a test, and their sum of squared weights."""
    size, spread = 0.0, 0.0
    for cls in range(passing.shape[1]):
        copies = side_many(passing, whole, how, side, COPIES, cls)
        size += projected(side_many(passing, whole, how, side, ESTIMATE, cls), copies, clipped)
        spread += side_many(passing, whole, how, side, SQUARES, cls)
    return size, spread


@bare
def impurity_many(passing: Floats, whole: Floats, how: Sides, side: int, rules: Rules) -> float:
    """Return the Gini impurity of the clipped counts on one side of a test, or 0 without rows."""
    size, squares = 0.0, 0.0
    for cls in range(passing.shape[1]):
        count = counted(side_many(passing, whole, how, side, ESTIMATE, cls), rules)
        size += count
        squares += count * count
    return 1.0 - squares / (size * size) if size > 0.0 else 0.0


@bare
def shares_gain_many(passing: Floats, whole: Floats, how: Sides, rules: Rules) -> float:
    """Return the decrease of a node's impurity by a split, for any number of classes."""
    size_0 = counted(share_many(passing, whole, how, 0, SIGNED)[0], rules)
    size_1 = counted(share_many(passing, whole, how, 1, SIGNED)[0], rules)
    if size_0 + size_1 <= 0.0 or min(size_0, size_1) < rules.least_leaf:
        return NEVER
    left = size_0 * impurity_many(passing, whole, how, 0, rules) + size_1 * impurity_many(passing, whole, how, 1, rules)
    return impurity_many(whole, whole, how, 1, rules) - left / (size_0 + size_1)


@bare
def gain_many(passing: Floats, whole: Floats, how: Sides, rules: Rules) -> float:
    """Return the Gini gain of a test minus its expected noise for any number of classes.

    Each array of sums has shape (3, classes).
    """
    if rules.clipped == SHARES:
        return shares_gain_many(passing, whole, how, rules)
    size_0, spread_0 = share_many(passing, whole, how, 0, rules.clipped)
    size_1, spread_1 = share_many(passing, whole, how, 1, rules.clipped)
    if min(size_0, size_1) <= 0.0 or min(size_0, size_1) < rules.least_leaf:
        return NEVER
    if size_0 * size_0 < rules.least_size * spread_0 or size_1 * size_1 < rules.least_size * spread_1:
        return NEVER
    gain, noise_0, noise_1 = 0.0, 0.0, 0.0
    for cls in range(rules.classes):
        copies_0 = side_many(passing, whole, how, 0, COPIES, cls)
        count_0 = projected(side_many(passing, whole, how, 0, ESTIMATE, cls), copies_0, rules.clipped)
        count_1 = projected(passing[ESTIMATE, cls], passing[COPIES, cls], rules.clipped)
        share_0, share_1 = count_0 / size_0, count_1 / size_1
        gain += (share_1 - share_0) ** 2
        noise_0 += side_many(passing, whole, how, 0, SQUARES, cls) * (1.0 - 2.0 * share_0) + share_0**2 * spread_0
        noise_1 += passing[SQUARES, cls] * (1.0 - 2.0 * share_1) + share_1**2 * spread_1
    noise = noise_0 / (size_0 * size_0) + noise_1 / (size_1 * size_1)
    return size_0 * size_1 / (size_0 + size_1) * (gain - rules.kappa * noise)


@bare
def finished(values: Floats, node: int, depth: int, rules: Rules) -> bool:
    """Return whether a node becomes a leaf.

    A node becomes a leaf if it is deep enough, empty, of one class, or too small for two children.
    """
    present, size = 0, 0.0
    for cls in range(rules.classes):
        present += 1 if values[node, cls] > 0.0 else 0
        size += values[node, cls]
    return depth >= rules.max_depth or present <= 1 or size <= 0.0 or size < 2.0 * rules.least_leaf


@bare
def settle(values: Floats, node: int, parent: int, rules: Rules) -> None:
    """Write the prediction of a node, which is shrunk towards its parent's prediction.

    The root of a tree counts as its own parent.
    """
    classes, total, size = rules.classes, rules.shrinkage, 0.0
    for cls in range(classes):
        total += counted(values[node, cls], rules)
        size += values[node, cls]
    known = total > 0.0 and (size > 0.0 or rules.clipped != SHARES)  # to the paper a node is empty by its own estimate
    for cls in range(classes):
        before = values[parent, classes + cls]
        values[node, classes + cls] = before
        if known:
            values[node, classes + cls] = (counted(values[node, cls], rules) + rules.shrinkage * before) / total
