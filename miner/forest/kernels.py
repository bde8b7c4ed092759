"""Count, draw, copy and partition packed rows in compiled loops.

A row consists of one or more 64-bit words. The low 48 bits of a word are outcomes of tests. The high 16 bits of a word
are the row's weight, a whole number. Every word of a row repeats the weight, so that counting a test reads a single
word. Indices of tests are global: test t is bit t % 48 of word t // 48.

Loops over rows use unsigned indices. Numba checks signed indices for being negative, which would prevent vector
instructions.
"""

from collections.abc import Callable
from typing import Any, cast

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from miner.compiled import bare, compiled

Word = np.uint64
Words = NDArray[np.uint64]

TESTS = 48  # number of tests in a word
HEAVIEST = 2**16 - 1  # largest weight of a row
TEST_BITS = np.uint64(2**TESTS - 1)
WEIGHT = np.uint64(TESTS)
ZERO, ONE = np.uint64(0), np.uint64(1)
EVERY = np.uint64(2**64 - 1)
HALF, LOW = np.uint64(32), np.uint64(2**32 - 1)
NEAR, STRETCH = 2**16, np.uint64(16)  # places in a stretch, which fits the cache with its counts


def _lowest_bit(typing_context: Any, word: Any) -> Any:  # noqa: ANN401 - numba's types
    del typing_context, word

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401 - numba's types
        del context, signature
        return builder.cttz(arguments[0], numba.core.cgutils.true_bit)

    return types.int64(types.uint64), generate


lowest_bit = cast("Callable[[Word], int]", intrinsic(_lowest_bit))
"""Index of the lowest set bit of a word that is not 0: one machine instruction."""


@bare
def signed(word: Word) -> int:
    """Return a word below 2^63 as a signed integer.

    Numba turns mixtures of signed and unsigned integers into floats.
    """
    return np.int64(word)  # type: ignore[return-value] # in machine code they are one


@bare
def next_word(random: Words) -> Word:
    """Return a random word. The state of the generator is `random[0]` (splitmix64: Steele, Lea and Flood 2014)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    word: Word = random[0]
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@bare
def below(random: Words, bound: int) -> int:
    """Return a random integer from 0 up to, but without, a bound of at most 2^31."""
    return signed(((next_word(random) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@compiled
def drawn_counts(random: Words, entry: NDArray[np.int32], draws: int, counts: NDArray[np.uint32]) -> None:
    """Draw positions with replacement, and count the draws of each distinct row (entry).

    Args:
        random: State of the random generator.
        entry: Index of the distinct row at each position, ascending, shape (positions,).
        draws: Number of draws.
        counts: Counts that are increased, shape (entries,).
    """
    if len(entry) <= 2 * NEAR:
        draw_near(random, entry, 0, len(entry), draws, counts)
        return
    share = np.zeros((len(entry) + NEAR - 1) // NEAR, np.int64)  # first how many fall into each stretch
    bound = np.uint64(len(entry))
    for _ in range(draws // 2):
        word = next_word(random)
        share[((word >> HALF) * bound) >> HALF >> STRETCH] += 1
        share[((word & LOW) * bound) >> HALF >> STRETCH] += 1
    if draws % 2:
        share[below(random, len(entry)) // NEAR] += 1
    for stretch in range(len(share)):
        start = stretch * NEAR
        draw_near(random, entry, start, min(start + NEAR, len(entry)), share[stretch], counts)


@bare
def draw_near(  # noqa: PLR0913, PLR0917 - machine code takes flat arguments
    random: Words, entry: NDArray[np.int32], start: int, stop: int, draws: int, counts: NDArray[np.uint32]
) -> None:
    """Draw positions within one range with replacement, and count the draws of each distinct row (entry)."""
    bound, first = np.uint64(stop - start), np.uint64(start)
    for _ in range(draws // 2):
        word = next_word(random)
        counts[entry[first + (((word >> HALF) * bound) >> HALF)]] += 1
        counts[entry[first + (((word & LOW) * bound) >> HALF)]] += 1
    if draws % 2:
        counts[entry[start + below(random, stop - start)]] += 1


@bare
def weigh(words: Words, start: int, stop: int) -> int:
    """Return the sum of the weights of rows."""
    total = ZERO
    for row in range(np.uint64(start), np.uint64(stop)):
        total += words[0, row] >> WEIGHT
    return signed(total)


@bare
def count_ones(words: Words, plane: int, start: int, stop: int, bit: Word) -> int:
    """Return the sum of the weights of the rows that pass a test."""
    total = ZERO
    for row in range(np.uint64(start), np.uint64(stop)):
        word = words[plane, row]
        total += (word >> WEIGHT) & (ZERO - ((word >> bit) & ONE))
    return signed(total)


@bare
def varying(words: Words, plane: int, start: int, stop: int, found: tuple[Word, Word]) -> tuple[Word, Word]:
    """Return the bits that are set in all rows read so far, and the bits that are set in any of these rows."""
    least, most = found
    for row in range(np.uint64(start), np.uint64(stop)):
        least &= words[plane, row]
        most |= words[plane, row]
    return least, most


@bare
def partition(words: Words, start: int, stop: int, test: int, buffer: Words) -> int:
    """Move the rows that pass a test behind the rows that fail, in stable order.

    Return the position of the first row that passes.
    """
    plane, bit = test // TESTS, np.uint64(test % TESTS)
    for place in range(len(words)):
        if place != plane:  # the word that holds the test comes last
            partition_plane(words, start, stop, (plane, bit, place), buffer)
    return partition_plane(words, start, stop, (plane, bit, plane), buffer)


@bare
def partition_plane(words: Words, start: int, stop: int, which: tuple[int, Word, int], buffer: Words) -> int:
    """Move one word of every row that passes a test behind the words of the rows that fail.

    The argument `which` is the word of the test, the bit of the test, and the word to move.
    """
    plane, bit, place = which
    left, right = np.uint64(start), ZERO
    for row in range(np.uint64(start), np.uint64(stop)):
        word = words[place, row]
        one = ((word if place == plane else words[plane, row]) >> bit) & ONE
        words[place, left] = word
        buffer[right] = word
        left += ONE - one
        right += one
    for offset in range(right):
        words[place, left + offset] = buffer[offset]
    return signed(left)


@bare
def copy_rows(words: Words, start: int, stop: int, top: int) -> None:
    """Append unchanged copies of rows at position `top`."""
    shift = np.uint64(top - start)
    for plane in range(len(words)):
        for row in range(np.uint64(start), np.uint64(stop)):
            words[plane, row + shift] = words[plane, row]


@bare
def copy_flipped(words: Words, start: int, stop: int, top: int, masks: Words, group: int) -> None:  # noqa: PLR0913, PLR0917
    """Append, at position `top`, copies of rows in which one group's tests have the outcomes of replacement answers.

    Replacement answers have the opposite outcomes, unless rows have a second half of words with their outcomes.
    """
    planes = masks.shape[1]
    copy_rows(words, start, stop, top)
    for plane in range(planes):
        mask = masks[group, plane]
        for row in range(np.uint64(top), np.uint64(top + stop - start)):
            if len(words) > planes:
                words[plane, row] = (words[plane, row] & ~mask) | (words[plane + planes, row] & mask)
            else:
                words[plane, row] ^= mask
