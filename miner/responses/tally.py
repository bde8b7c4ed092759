"""Count responses with each combination of codes in some columns.

A tally is sorted by codes, so that it depends neither on the order of the responses nor on the parts in which they are
counted.
"""

from array import array
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from collector.database.batch import ABSENT, FIRST, Batch, is_narrow
from collector.store.store import BATCH
from collector.survey.survey import Survey
from miner.responses.distinct import changes

Numbers = NDArray[np.unsignedinteger[Any]]
"""Of one question, shape (responses,): `ABSENT`, or the code plus `FIRST`, as in `collector.database.batch`."""
Words = NDArray[np.uint64]
Counts = NDArray[np.int64 | np.uint32]
WORD = 64  # number of bits of a word
DENSE = 20  # largest number of bits of a combination for which every possible combination has a counter
FEW = 2**32  # number of responses up to which counts fit into 32 bits
PENDING = 2**26  # smallest number of combinations that wait before they are counted
MIXING = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)  # multipliers of splitmix64
CACHED = 2**13  # number of responses packed at once; arrays of this length stay in the cache
PART = 2**16  # number of responses unpacked at once, each of which may have hundreds of copies


class Packing:
    """Packing of the codes of each response into a few large integers, to save memory."""

    def __init__(self, survey: Survey, columns: Sequence[int]) -> None:
        questions = [survey.questions[column] for column in columns]
        self.columns = tuple(columns)
        self._least = [ABSENT if survey.may_miss(each.name) else FIRST for each in questions]
        most = [each.codes[-1] + FIRST for each in questions]
        self._bits = [max((high - low).bit_length(), 1) for high, low in zip(most, self._least, strict=True)]
        self._type = np.uint8 if max(most, default=0) < 2**8 else np.uint16
        self._places: list[tuple[int, int]] = []  # of each column: which word, and which bit its lowest is there
        word, free = 0, WORD
        for bits in self._bits:
            if bits > free:
                word, free = word + 1, WORD
            free -= bits
            self._places.append((word, free))
        self.words = word + 1
        self.bits = sum(self._bits)
        self.bytes = 8 * self.words + 4  # of each distinct response, with its count

    @property
    def fields(self) -> list[tuple[int, int, int]]:
        """Return, for each column, the index of its integer, its lowest bit in the integer, and its number of bits."""
        return [(word, shift, bits) for (word, shift), bits in zip(self._places, self._bits, strict=True)]

    def packed(self, numbers: Sequence[Numbers]) -> Words:
        """Pack the columns of numbers into integers, shape (integers, responses)."""
        packed = np.zeros((self.words, len(numbers[0]) if numbers else 0), np.uint64)
        for (word, shift), column, least in zip(self._places, numbers, self._least, strict=True):
            packed[word] |= (column.astype(np.uint64) - np.uint64(least)) << np.uint64(shift)
        return packed

    def unpacked(self, packed: Words, columns: Collection[int] | None = None) -> Iterator[Numbers]:
        """Yield the columns of numbers that were packed into integers: all columns, or some in the given order."""
        every = zip(self.columns, self._places, self._bits, self._least, strict=True)
        for _, (word, shift), bits, least in (each for each in every if columns is None or each[0] in columns):
            column = packed[word] >> np.uint64(shift) & np.uint64(2**bits - 1)
            yield column.astype(self._type) + self._type(least)


class Tally:
    """Number of responses with each combination of codes in some columns."""

    def __init__(self, survey: Survey, columns: Sequence[int]) -> None:
        self.survey, self.packing = survey, Packing(survey, columns)
        self._lowest = np.uint64(WORD - self.packing.bits if self.packing.words == 1 and columns else 0)
        self._cells = np.zeros(2**self.packing.bits, np.int64) if self.packing.bits <= DENSE else None
        self._words, self._counts = np.zeros((self.packing.words, 0), np.uint64), _small(np.zeros(0, np.int64))
        self._waiting, self._room = 0, np.zeros((self.packing.words, 0), np.uint64)  # to be counted

    def add(self, numbers: Sequence[Numbers]) -> None:
        """Count responses, which are given as a column of numbers for each column of the tally."""
        count = len(numbers[0]) if numbers else 0
        block = CACHED if self._cells is None else max(CACHED, len(self._cells))
        if self._cells is None and self._waiting + count > self._room.shape[1]:
            self._make_room(count)
        for start in range(0, count, block):
            packed = self.packing.packed([each[start : start + block] for each in numbers])
            if self._cells is not None:
                self._cells += np.bincount((packed[0] >> self._lowest).view(np.intp), minlength=len(self._cells))
                continue
            last = self._waiting + packed.shape[1]
            self._room[:, self._waiting : last] = packed
            self._waiting = last

    def add_codes(self, codes: NDArray[np.signedinteger[Any]]) -> None:
        """Count responses, which are given as an array of codes of all questions."""
        self.add([(codes[:, column] + FIRST).astype(np.uint16) for column in self.packing.columns])

    def _make_room(self, more: int) -> None:
        """Count the responses that were added and not counted yet, or enlarge their array if there are few."""
        if self._waiting >= max(PENDING, len(self._counts)):
            self.settle()
        size = min(max(2 * self._waiting, 2**12), max(PENDING, len(self._counts)))
        room = np.empty((self.packing.words, max(size, self._waiting + more)), np.uint64)
        room[:, : self._waiting] = self._room[:, : self._waiting]
        self._room = room

    @classmethod
    def together(cls, tallies: Sequence[Self]) -> Self:
        """Merge several tallies of the same columns into one."""
        whole = cls(tallies[0].survey, tallies[0].packing.columns)
        if all(each._cells is not None for each in tallies):  # noqa: SLF001 - of this class
            for each in tallies:
                whole.merge(each)
            return whole
        whole._cells = None
        words, counts = [each.words for each in tallies], [each.occurrences for each in tallies]
        whole._words, whole._counts = _sorted(np.concatenate(words, axis=1), np.concatenate(counts))
        return whole

    def merge(self, other: Self) -> None:
        """Add the counts of another tally of the same columns."""
        if self._cells is not None and other._cells is not None:
            self._cells += other._cells
            return
        self.settle()
        other.settle()
        self._cells = None
        self._join(other._words, other._counts)

    def counts(self) -> tuple[list[Numbers], Counts]:
        """Return every combination of codes that occurs, as columns of numbers, and how often each occurs."""
        counts = self.occurrences
        return list(self.unpacked(0, len(counts))), counts

    @property
    def occurrences(self) -> Counts:
        """Return how often each combination of codes occurs, in ascending order of the codes, shape (combinations,)."""
        self.settle()
        return self._counts

    @property
    def words(self) -> Words:
        """Return the combinations of codes that occur, packed into integers, shape (integers, combinations)."""
        self.settle()
        return self._words

    def parts(self) -> Iterator[NDArray[np.int8 | np.int16]]:
        """Yield the codes of all responses that were counted, `PART` responses at once."""
        ends = np.cumsum(self.occurrences, dtype=np.int64)
        for start in range(0, int(ends[-1]) if len(ends) else 0, PART):
            stop = min(start + PART, int(ends[-1]))
            first, last = np.searchsorted(ends, [start, stop - 1], side="right").tolist()
            some = np.clip(ends[first : last + 1], start, stop)
            yield repeated(self, first, np.diff(some, prepend=start))

    def dealt(self, some: int, seed: int | tuple[int, int]) -> tuple["Tally", "Tally"]:
        """Split the responses at random into those that are not drawn and those that are drawn."""
        counts = self.occurrences
        chosen = np.zeros(int(counts.sum()), np.bool_)
        chosen[np.random.default_rng(seed).permutation(len(chosen))[:some]] = True
        taken: Counts = np.zeros(0, np.int64)
        if len(counts):
            taken = np.add.reduceat(chosen, np.cumsum(counts, dtype=np.int64) - counts, dtype=np.int64)
        return self.keeping(counts - taken), self.keeping(taken)

    def unpacked(self, first: int, last: int) -> Iterator[Numbers]:
        """Yield the columns of some of the combinations of codes that occur."""
        self.settle()
        return self.packing.unpacked(self._words[:, first:last])

    def keeping(self, times: Counts) -> "Tally":
        """Return a tally of the same combinations with new numbers of occurrences.

        Combinations of codes that occur 0 times are left out.
        """
        self.settle()
        kept = Tally(self.survey, self.packing.columns)
        kept._cells = None
        some = times > 0
        kept._words, kept._counts = self._words[:, some], _small(times[some])
        return kept

    def people(self) -> int:
        """Return the number of responses that were counted."""
        return int(self.occurrences.sum())

    def all_narrowed(self, sets: Sequence[Sequence[int]]) -> list["Tally"]:
        """Return a tally of each of several sets of this tally's columns."""
        return [self.narrowed(each) for each in sets]

    def narrowed(self, columns: Sequence[int]) -> "Tally":
        """Return a tally of some of this tally's columns."""
        self.settle()
        found, kept = Tally(self.survey, columns), [each for each in self.packing.columns if each in columns]
        numbers = dict(zip(kept, self.packing.unpacked(self._words, kept), strict=True))
        words = found.packing.packed([numbers[column] for column in columns])
        if found._cells is None:
            found._words, found._counts = _sorted(words, self._counts)
        else:  # sums below 2^53, which floats add up exactly
            cell = (words[0] >> found._lowest).view(np.intp)
            found._cells += np.bincount(cell, self._counts, len(found._cells)).astype(np.int64)
        return found

    def settle(self) -> None:
        """Count all responses that were added, so that the counts are complete."""
        if self._cells is not None:
            some = np.flatnonzero(self._cells)
            self._words, self._counts = some.astype(np.uint64)[None] << self._lowest, _small(self._cells[some])
            return
        waiting, self._waiting = self._room[:, : self._waiting], 0
        self._room = np.zeros((self.packing.words, 0), np.uint64)
        if not waiting.shape[1]:
            return
        if self.packing.words == 1:
            waiting[0].sort()
        else:
            waiting = waiting[:, np.lexsort(waiting[::-1])]
        starts = np.flatnonzero(changes(waiting))
        self._join(waiting[:, starts], _small(np.diff(starts, append=waiting.shape[1])))

    def _join(self, words: Words, counts: Counts) -> None:
        """Add the counts of combinations that are sorted and distinct."""
        if not len(self._counts):
            self._words, self._counts = words, counts
            return
        every = np.concatenate([self._words, words], axis=1)
        self._words, self._counts = _sorted(every, np.concatenate([self._counts, counts]))


def _sorted(words: Words, counts: Counts) -> tuple[Words, Counts]:
    """Return each combination of codes once, in ascending order, with the sum of its counts."""
    order = np.argsort(words[0], kind="stable") if len(words) == 1 else np.lexsort(words[::-1])
    words = words[:, order]
    starts = np.flatnonzero(changes(words))
    if not len(starts):
        return words, counts
    return words[:, starts], _small(np.add.reduceat(counts[order], starts, dtype=np.int64))


def _small(counts: Counts) -> Counts:
    """Return counts as 32-bit integers if their sum fits into 32 bits, otherwise unchanged."""
    return counts.astype(np.uint32) if counts.sum() < FEW else counts


def code_type(survey: Survey) -> type[np.int8 | np.int16]:
    """Return the data type of codes in memory: 8 bits if every code plus `FIRST` fits, otherwise 16 bits."""
    most = max((question.codes[-1] for question in survey.questions), default=0)
    return np.int8 if most + FIRST <= np.iinfo(np.int8).max else np.int16


def batches_of(survey: Survey, codes: NDArray[np.int8 | np.int16]) -> Iterator[Batch]:
    """Yield batches of responses, as the store reads and writes them, from codes of shape (responses, questions)."""
    kind = "B" if is_narrow(survey) else "H"
    for start in range(0, len(codes), BATCH):
        yield array(kind, (codes[start : start + BATCH] + FIRST).astype(kind).tobytes())


def repeated(tally: Tally, first: int, times: Counts) -> NDArray[np.int8 | np.int16]:
    """Return the codes of consecutive combinations in a tally, with a number of repetitions for each combination.

    The argument `first` is the position in the tally of the first combination to return.
    """
    codes = np.empty((int(times.sum()), len(tally.survey.questions)), code_type(tally.survey))
    for column, numbers in enumerate(tally.unpacked(first, first + len(times))):
        codes[:, column] = np.repeat(numbers, times)
    codes -= FIRST
    return codes


def split_tally(tally: Tally, count: int) -> list[Tally]:
    """Divide the distinct responses of a tally into blocks of about equal size, by a hash of their codes."""
    if count == 1:
        return [tally]
    home = _mixed(tally.words) % np.uint64(count)
    return [tally.keeping(np.where(home == block, tally.occurrences, 0)) for block in range(count)]


def _mixed(words: Words) -> NDArray[np.uint64]:
    """Return a hash of each combination of codes."""
    found = np.zeros(words.shape[1], np.uint64)
    for word in words:
        found ^= word
        for times in MIXING:
            found = (found ^ (found >> np.uint64(30))) * times
    return found >> np.uint64(32)
