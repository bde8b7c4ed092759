# ruff: noqa: PLR0913, PLR0917 - machine code takes flat arguments
"""Search for the best of some random tests at a node of a tree, in compiled code."""

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.compiled import bare
from miner.forest.counting import (
    disguised_sides,
    drawn_share,
    passing_many,
    passing_two,
    plain_sides,
    whole_many,
    whole_two,
)
from miner.forest.gain import gain_many, gain_two
from miner.forest.kernels import EVERY, ONE, TEST_BITS, TESTS, ZERO, Words, below, count_ones, lowest_bit, varying
from miner.forest.records import ESTIMATE, LEAF, Channels, Integers, Records, Rules, Sides


@bare
def open_tests(words: Words, segments: Records, first: int, last: int, tests: Integers, every: bool) -> int:  # noqa: FBT001 - machine code takes no names
    """List the tests that some rows of a node pass and other rows fail. Return the number of tests in the list.

    If `every` is set, tests with one outcome in the node are listed as LEAF.
    """
    count = 0
    for plane in range((len(tests) + TESTS - 1) // TESTS):
        found = EVERY, ZERO
        for segment in range(first, last):
            found = varying(words, plane, segments[segment].start, segments[segment].stop, found)
        left = found[1] & ~found[0] & TEST_BITS
        while left != ZERO:
            tests[count] = plane * TESTS + lowest_bit(left)
            count += 1
            left &= left - ONE
    if not every:
        return count
    tests[count:] = LEAF
    return len(tests)


@bare
def drawn_test(tests: Integers, step: int, candidates: int, count: int, random: Words) -> int:
    """Return the next test to try from a list of tests.

    Tests are drawn without replacement, unless all tests are tried.
    """
    if candidates < count:
        other = step + below(random, count - step)
        tests[step], tests[other] = tests[other], tests[step]
    test: int = tests[step]
    return test


@bare
def best_plain(
    words: Words,
    segments: Records,
    first: int,
    last: int,
    tests: Integers,
    rules: Rules,
    random: Words,
    found: Integers,
    tally: Floats,
) -> int:
    """Return the best of some random tests on undisguised data with two classes, or -1.

    No expected noise is subtracted from the gain of a test.
    """
    count = open_tests(words, segments, first, last, tests, rules.every)
    size, ones, best, best_size, best_ones, highest = 0, 0, LEAF, 0, 0, rules.least_gain
    unit = segments[first].factor  # of all segments, as nothing is disguised
    for segment in range(first, last):
        size += segments[segment].weight
        ones += segments[segment].weight * segments[segment].cls
    for step in range(min(rules.candidates, count)):
        test = drawn_test(tests, step, rules.candidates, count, random)
        if test == LEAF:
            continue
        bit, plane, size_1, ones_1 = np.uint64(test % TESTS), test // TESTS, 0, 0
        for segment in range(first, last):
            one = count_ones(words, plane, segments[segment].start, segments[segment].stop, bit)
            found[1, 0, segment - first] = one
            size_1 += one
            ones_1 += one * segments[segment].cls
        size_0 = size - size_1
        if unit * min(size_0, size_1) < rules.least_leaf:
            continue
        difference = float(ones_1 * size - ones * size_1)
        gain = 2.0 * unit * difference * difference / (float(size_0) * float(size_1) * float(size))
        if gain > highest:
            best, best_size, best_ones, highest = test, size_1, ones_1, gain
            for segment in range(last - first):
                found[0, 0, segment] = found[1, 0, segment]
    tally[0, ESTIMATE, 0], tally[0, ESTIMATE, 1] = unit * (best_size - best_ones), unit * best_ones
    return best


@bare
def choose(
    words: Words,
    segments: Records,
    first: int,
    last: int,
    node: int,
    nodes: Records,
    path: NDArray[np.uint8],
    channels: Channels,
    rules: Rules,
    random: Words,
    listed: Integers,
    tally: Floats,
    found: Integers,
) -> tuple[int, int, Sides]:
    """Try random tests at a node, except tests with one outcome in the node.

    Return the best test, or -1 if no test gains enough. The function `choose` also returns the index of the best test's
    sums, and the weights of passing and failing rows.
    """
    tests, groups, pair = channels.tests, channels.groups, rules.classes == 2
    count, best, chosen, highest, how = (
        open_tests(words, segments, first, last, listed, rules.every),
        LEAF,
        0,
        rules.least_gain,
        plain_sides(),
    )
    whole = whole_two(segments, first, last, channels.shares)
    if not pair:
        whole_many(segments, first, last, channels.shares, tally[2])
    for step in range(min(rules.candidates, count)):
        test = drawn_test(listed, step, rules.candidates, count, random)
        if test == LEAF:
            continue
        group, sides, other = tests[test].group, plain_sides(), 1 - chosen
        if group >= 0 and (groups[group].drawn or path[group] == 0):
            share = drawn_share(channels, nodes, node, test) if groups[group].drawn else 0.0
            place = ONE << np.uint64(path[group]) if path[group] > 0 else ZERO
            needed = channels.masks.shape[1]
            plane = needed + test // TESTS if len(words) > needed else -1
            sides = disguised_sides(groups[group], share, place, plane)
        if pair:
            two = passing_two(words, segments, first, last, test, sides, found, other, channels.shares)
            tally[other, ESTIMATE, 0], tally[other, ESTIMATE, 1] = two.size - two.ones, two.ones
            gain = gain_two(two, whole, sides, rules)
        else:
            passing_many(words, segments, first, last, test, sides, found, other, channels.shares, tally[other])
            gain = gain_many(tally[other], tally[2], sides, rules)
        if gain > highest:
            best, chosen, highest, how = test, other, gain, sides
    return best, chosen, how
