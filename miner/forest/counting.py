# ruff: noqa: PLR0913, PLR0917 - machine code takes flat arguments
"""Count a node's responses that pass a test, by class, in compiled loops."""

import numpy as np

from miner.arrays import Floats
from miner.compiled import bare
from miner.forest.kernels import TESTS, ZERO, Word, Words, count_ones
from miner.forest.records import ANY_CLASS, COPIES, ESTIMATE, SQUARES, Channels, Integers, Record, Records, Sides, Two


@bare
def drawn_share(channels: Channels, nodes: Records, node: int, test: int) -> float:
    """Return the share of random replacements that pass a test, among those that are possible at a node."""
    tests, passes, passing, possible = channels.tests, channels.passes, 0.0, 0.0
    for value in range(tests[test].kinds):
        alive, walk = True, node
        while nodes[walk].parent >= 0 and alive:
            above = nodes[walk].parent
            asked = nodes[above].test
            if tests[asked].question == tests[test].question:
                alive = passes[asked, value] == (walk != nodes[above].child)
            walk = above
        if alive:
            odds = channels.odds[tests[test].question, value]
            possible += odds
            passing += odds if passes[test, value] else 0.0
    return passing / possible if possible > 0.0 else 0.5


@bare
def plain_sides() -> Sides:
    """Return the weights of responses that pass a test of an undisguised question."""
    return Sides(
        opened=True,
        place=ZERO,
        drawn=False,
        own=1.0,
        replaced=0.0,
        share=0.0,
        plane=-1,
        linear=1.0,
        constant=0.0,
        squared_linear=1.0,
        squared_constant=0.0,
        squared_both=1.0,
        copies_both=1.0,
    )


@bare
def disguised_sides(here: Record, share: float, place: Word, plane: int) -> Sides:
    """Return the weights of responses that pass a test of a disguised question."""
    own, replaced = here.own, here.replaced
    if here.drawn:
        opened, even = place != ZERO, replaced * share
        other = replaced * replaced * (1.0 - share) ** 2
        return Sides(
            opened=opened,
            place=place,
            drawn=True,
            own=own,
            replaced=replaced,
            share=share,
            plane=-1,
            linear=1.0 if opened else own,
            constant=0.0 if opened else even,
            squared_linear=1.0 if opened else own * own,
            squared_constant=0.0 if opened else even * even,
            squared_both=1.0 if opened else own * own + even * even + other,
            copies_both=1.0 if opened else 2.0,
        )
    return Sides(
        opened=False,
        place=ZERO,
        drawn=False,
        own=own,
        replaced=replaced,
        share=0.0,
        plane=plane,
        linear=own - replaced,
        constant=replaced,
        squared_linear=own * own - replaced * replaced,
        squared_constant=replaced * replaced,
        squared_both=own * own + replaced * replaced,
        copies_both=2.0,
    )


@bare
def passing_parts(
    words: Words, segments: Records, segment: int, test: int, how: Sides, found: Integers, place: tuple[int, int]
) -> tuple[float, float, float]:
    """Return the count, the sum of squared weights and the number of copies of a segment's rows that pass a test.

    The numbers of passing responses and of passing replacements are written to `found`.
    """
    bit, total, factor = np.uint64(test % TESTS), segments[segment].weight, segments[segment].factor
    start, stop = segments[segment].start, segments[segment].stop
    one = count_ones(words, test // TESTS, start, stop, bit)
    found[place[0], 0, place[1]] = one
    if (segments[segment].replaced & how.place) != ZERO:  # spread over the values
        return factor * how.share * total, (factor * how.share) ** 2 * total, float(total)
    if how.plane >= 0:
        other = count_ones(words, how.plane, start, stop, bit)
        found[place[0], 1, place[1]] = other
        squares = how.own * how.own * one + how.replaced * how.replaced * other
        return factor * (how.own * one + how.replaced * other), factor * factor * squares, float(one + other)
    estimate = factor * (how.linear * one + how.constant * total)
    squares = factor * factor * (how.squared_linear * one + how.squared_constant * total)
    return estimate, squares, float(one if how.opened else total)


@bare
def passing_two(
    words: Words,
    segments: Records,
    first: int,
    last: int,
    test: int,
    how: Sides,
    found: Integers,
    which: int,
    shares: Floats,
) -> Two:
    """Sum the rows of a node that pass a test, for two classes."""
    size, ones, spread, spread_ones, copies, copies_ones = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for segment in range(first, last):
        estimate, squares, count = passing_parts(words, segments, segment, test, how, found, (which, segment - first))
        size += estimate
        copies += count
        if segments[segment].cls == ANY_CLASS:
            ones += estimate * shares[1]
            spread += squares * (shares[0] * shares[0] + shares[1] * shares[1])
            spread_ones += squares * (shares[1] * shares[1])
            copies_ones += count * shares[1]
            continue
        spread += squares
        if segments[segment].cls == 1:
            ones += estimate
            spread_ones += squares
            copies_ones += count
    return Two(size, ones, spread, spread_ones, copies, copies_ones)


@bare
def whole_two(segments: Records, first: int, last: int, shares: Floats) -> Two:
    """Sum all rows of a node, for two classes."""
    size, ones, spread, spread_ones, copies, copies_ones = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for segment in range(first, last):
        count, factor = float(segments[segment].weight), segments[segment].factor
        size += factor * count
        copies += count
        if segments[segment].cls == ANY_CLASS:
            ones += factor * count * shares[1]
            spread += factor * factor * count * (shares[0] * shares[0] + shares[1] * shares[1])
            spread_ones += factor * factor * count * (shares[1] * shares[1])
            copies_ones += count * shares[1]
            continue
        spread += factor * factor * count
        if segments[segment].cls == 1:
            ones += factor * count
            spread_ones += factor * factor * count
            copies_ones += count
    return Two(size, ones, spread, spread_ones, copies, copies_ones)


@bare
def passing_many(
    words: Words,
    segments: Records,
    first: int,
    last: int,
    test: int,
    how: Sides,
    found: Integers,
    which: int,
    shares: Floats,
    tally: Floats,
) -> None:
    """Compute the passing rows' counts, sums of squared weights and numbers of copies, shape (3, classes)."""
    for cls in range(tally.shape[1]):
        tally[ESTIMATE, cls], tally[SQUARES, cls], tally[COPIES, cls] = 0.0, 0.0, 0.0
    for segment in range(first, last):
        estimate, squares, count = passing_parts(words, segments, segment, test, how, found, (which, segment - first))
        tally_segment(segments[segment].cls, estimate, squares, count, shares, tally)


@bare
def whole_many(segments: Records, first: int, last: int, shares: Floats, tally: Floats) -> None:
    """Compute a node's estimated counts, sums of squared weights and numbers of copies, shape (3, classes)."""
    for cls in range(tally.shape[1]):
        tally[ESTIMATE, cls], tally[SQUARES, cls], tally[COPIES, cls] = 0.0, 0.0, 0.0
    for segment in range(first, last):
        count, factor = float(segments[segment].weight), segments[segment].factor
        tally_segment(segments[segment].cls, factor * count, factor * factor * count, count, shares, tally)


@bare
def tally_segment(cls: int, estimate: float, squares: float, count: float, shares: Floats, tally: Floats) -> None:
    """Add the counts of a segment to its class, or to all classes in proportion to `shares`."""
    begin, end = (0, tally.shape[1]) if cls == ANY_CLASS else (cls, cls + 1)
    for each in range(begin, end):
        share = shares[each] if cls == ANY_CLASS else 1.0
        tally[ESTIMATE, each] += estimate * share
        tally[SQUARES, each] += squares * share * share
        tally[COPIES, each] += count * share
