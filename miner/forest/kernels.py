"""The compiled loops over packed rows: bits, weights, random words. Everything that touches each row stands here.

A row is one or more 64-bit words. The low 48 bits of a word are outcomes of tests, the high 16 the row's weight, a
whole number; every word of a row repeats it, so that counting a test reads one word. Indices of tests are global:
test t is bit t % 48 of word t // 48.

Loops over rows run over unsigned numbers: a signed index might be negative, which numba would have to look after, at
the price of vector instructions.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])
Word = np.uint64
Words = NDArray[np.uint64]

MINER = Path(__file__).parent.parent
TESTS = 48  # in a word
HEAVIEST = 2**16 - 1  # weight of a row
TEST_BITS = np.uint64(2**TESTS - 1)
WEIGHT = np.uint64(TESTS)
ZERO, ONE = np.uint64(0), np.uint64(1)
EVERY = np.uint64(2**64 - 1)


def _sources() -> str:
    """A fingerprint of all compiled sources together."""
    texts = [path.read_bytes() for path in sorted(MINER.rglob("*.py"))]
    return sha256(b"".join(text for text in texts if b"@compiled" in text)).hexdigest()[:16]


# A cached function is compiled into those that call it, yet numba looks at the caller's own file only: a cache of one
# state of the sources must not serve another. Where the folder cannot be written, numba falls back on its own places.
SETTINGS: Any = numba.config
if not SETTINGS.CACHE_DIR:
    SETTINGS.CACHE_DIR = str(MINER / "__pycache__" / f"compiled-{_sources()}")


def compiled(function: F) -> F:
    """The function as machine code: kept on disk between runs, run without Python's lock."""
    return cast("F", numba.njit(cache=True, nogil=True, error_model="numpy")(function))


def _lowest_bit(typing_context: Any, word: Any) -> Any:  # noqa: ANN401 - numba's types
    del typing_context, word

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401 - numba's types
        del context, signature
        return builder.cttz(arguments[0], numba.core.cgutils.true_bit)

    return types.int64(types.uint64), generate


lowest_bit = cast("Callable[[Word], int]", intrinsic(_lowest_bit))
"""Index of the lowest set bit of a word that is not 0: one machine instruction."""


@compiled
def signed(word: Word) -> int:
    """A word below 2^63 as a signed integer: numba turns a mixture of both kinds into floats."""
    return np.int64(word)  # type: ignore[return-value] # in machine code they are one


@compiled
def next_word(random: Words) -> Word:
    """A random word; `random[0]` is the state (splitmix64: Steele, Lea and Flood 2014)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    word: Word = random[0]
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@compiled
def below(random: Words, bound: int) -> int:
    """A random integer from 0 up to and not including a bound of at most 2^31."""
    return signed(((next_word(random) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@compiled
def drawn_counts(random: Words, entry: NDArray[np.int32], draws: int, counts: NDArray[np.uint32]) -> None:
    """Draw rows with replacement, and add each to the count of its entry."""
    bound = np.uint64(len(entry))
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    for _ in range(draws // 2):
        word = next_word(random)
        counts[entry[signed(((word >> half) * bound) >> half)]] += 1
        counts[entry[signed(((word & low) * bound) >> half)]] += 1
    if draws % 2:
        counts[entry[below(random, len(entry))]] += 1


@compiled
def weigh(words: Words, start: int, stop: int) -> int:
    """Sum of the weights of rows."""
    total = ZERO
    for row in range(np.uint64(start), np.uint64(stop)):
        total += words[0, row] >> WEIGHT
    return signed(total)


@compiled
def count_ones(words: Words, plane: int, start: int, stop: int, bit: Word) -> int:
    """Sum of the weights of the rows that pass a test."""
    total = ZERO
    for row in range(np.uint64(start), np.uint64(stop)):
        word = words[plane, row]
        total += (word >> WEIGHT) & (ZERO - ((word >> bit) & ONE))
    return signed(total)


@compiled
def varying(words: Words, plane: int, start: int, stop: int, found: tuple[Word, Word]) -> tuple[Word, Word]:
    """The bits set in all rows and in any, given those of the rows before."""
    least, most = found
    for row in range(np.uint64(start), np.uint64(stop)):
        least &= words[plane, row]
        most |= words[plane, row]
    return least, most


@compiled
def partition(words: Words, start: int, stop: int, test: int, buffer: Words) -> int:
    """Move the rows that pass a test behind those that do not, order kept. Returns where they begin."""
    plane, bit = test // TESTS, np.uint64(test % TESTS)
    for place in range(len(words)):
        if place != plane:  # the word that holds the test comes last
            partition_plane(words, start, stop, (plane, bit, place), buffer)
    return partition_plane(words, start, stop, (plane, bit, plane), buffer)


@compiled
def partition_plane(words: Words, start: int, stop: int, which: tuple[int, Word, int], buffer: Words) -> int:
    """Move one word of every row: given are the word that holds the test, its bit there, and the word to move."""
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


@compiled
def copy_rows(words: Words, start: int, stop: int, top: int) -> None:
    """Append copies of rows at `top`."""
    shift = np.uint64(top - start)
    for plane in range(len(words)):
        for row in range(np.uint64(start), np.uint64(stop)):
            words[plane, row + shift] = words[plane, row]


@compiled
def copy_flipped(words: Words, start: int, stop: int, top: int, masks: Words, group: int) -> None:  # noqa: PLR0913, PLR0917
    """Append at `top` copies of rows in which the tests of a group have the outcomes under the complement.

    Where there are twice as many words as in its mask, these are the words of the second half; else the opposite ones.
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
