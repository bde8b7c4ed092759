"""Pack distinct responses into blocks, if there are too many responses to keep each one in memory.

A block stores each distinct response with the number of times that it occurs.
"""

from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from collector.store.simulated import Simulated
from collector.survey.survey import Survey
from miner.counting.blocks import Blocks, LocalBlocks, unchanged
from miner.counting.filed import FiledBlocks, memory
from miner.responses.responses import Codes, Responses
from miner.responses.source import Source
from miner.responses.tally import Counts, Packing, Tally, Words, repeated

LARGE = 2**22
"""More responses are learnt from in parts or, by what needs all of them at once, from a sample of so many."""
PART = 2**16  # number of responses handled at once, each of which may have hundreds of copies
BLOCK = 2**23  # largest number of responses of a block; a call for each block takes Dask some milliseconds
MOST_BLOCKS = 64
PROGRAM = 350 * 2**20  # number of bytes that the program and its compiled loops take
TRAINING = 5  # memory that training takes, as a multiple of the packed responses
MIXING = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)  # multipliers of splitmix64


@runtime_checkable
class BlockedSource(Protocol):
    """Source whose responses stay with the workers that read them."""

    def blocks(self, count: int) -> Blocks[Tally]:
        """Return the distinct responses, with their numbers, in a given number of blocks.

        Responses are assigned to blocks by the function `split_tally`.
        """


@runtime_checkable
class SourceInPieces(Protocol):
    """Source of responses that is read piece by piece, without sorting the whole."""

    def pieces(self) -> Iterator[Tally]:
        """Yield the counted responses (a tally) of one part after another."""


class Gathered:
    """All responses of a source in blocks, sorted by their codes within each block.

    The block of a response depends only on its codes and on the number of responses. Figures do not depend on where the
    responses come from, how they are sorted, or where they are stored.

    Args:
        survey: Published survey.
        blocks: Distinct responses of each block, with their numbers.
        simulated: Record of simulated responses.
    """

    def __init__(self, survey: Survey, blocks: Blocks[Tally], simulated: Simulated | None) -> None:
        self.survey, self.blocks, self.simulated = survey, blocks, simulated
        self.sizes = list(blocks.results(_people))

    @classmethod
    def of(cls, source: Source) -> Self:
        """Gather all responses of a source in one pass.

        The responses are kept in a temporary file if training on them would take more memory than
        `miner.counting.filed.memory`.
        """
        count = min(max(-(-len(source) // BLOCK), 1), MOST_BLOCKS)
        if isinstance(source, BlockedSource):
            return cls(source.survey, source.blocks(count), source.simulated)
        every = range(len(source.survey.questions))
        pieces = source.pieces() if isinstance(source, SourceInPieces) else source.tallied([every])
        parts = (part for piece in pieces for part in split_tally(piece, count))
        if PROGRAM + TRAINING * len(source) * Packing(source.survey, every).bytes > memory.get():
            some = FiledBlocks(parts)
            blocks = (Tally.together([some[part] for part in range(block, len(some), count)]) for block in range(count))
            return cls(source.survey, FiledBlocks(blocks), source.simulated)
        shares = [list[Tally]() for _ in range(count)]
        for share, part in zip(cycle(shares), parts):
            share.append(part)
        return cls(source.survey, LocalBlocks([Tally.together(shares.pop(0)) for _ in range(count)]), source.simulated)

    def __len__(self) -> int:
        return sum(self.sizes)

    def parts(self, size: int = PART) -> Iterator[Codes]:
        """Yield the codes of the responses in parts, each of shape (responses, questions)."""
        for tally in self.blocks.results(unchanged):
            yield from parts_of_tally(tally, size)

    def tallied(self, sets: Sequence[Sequence[int]]) -> list[Tally]:
        """Return, for each set of columns, a count of every combination of codes (tally)."""
        every = self.blocks.results(_tallied, sets)
        return [Tally.together(each) for each in zip(*every, strict=True)]

    def dealt(self, some: int, seed: int) -> tuple[Self, Self]:
        """Split the responses at random into those that are not drawn and those that are drawn.

        Args:
            some: Number of responses to draw, without replacement.
            seed: Seed of the draw.
        """
        rng, shares = np.random.default_rng(seed), [some]
        if len(self.blocks) > 1:
            shares = rng.multivariate_hypergeometric(self.sizes, some, method="marginals").tolist()
        own = [(share, (seed, block) if len(shares) > 1 else seed) for block, share in enumerate(shares)]
        both = self.blocks.each(_dealt, own=own)
        rest, drawn = (type(self)(self.survey, both.each(_one_of, which), self.simulated) for which in range(2))
        return rest, drawn

    def sample(self, size: int, seed: int) -> Responses:
        """Draw a given number of responses at random into memory."""
        return self.dealt(min(size, len(self)), seed)[1].in_memory()

    def in_memory(self) -> Responses:
        """Return all responses in memory, sorted by their codes."""
        return Responses.from_tally(Tally.together([*self.blocks.results(unchanged)]), self.simulated)


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


def parts_of_tally(tally: Tally, size: int = PART) -> Iterator[Codes]:
    """Yield the codes of all responses that a tally counted, part by part."""
    ends = np.cumsum(tally.occurrences, dtype=np.int64)
    for start in range(0, int(ends[-1]) if len(ends) else 0, size):
        stop = min(start + size, int(ends[-1]))
        first, last = np.searchsorted(ends, [start, stop - 1], side="right").tolist()
        some = np.clip(ends[first : last + 1], start, stop)
        yield repeated(tally, first, np.diff(some, prepend=start))


def _people(tally: Tally) -> int:
    return int(tally.occurrences.sum())


def _tallied(tally: Tally, sets: Sequence[Sequence[int]]) -> list[Tally]:
    return [tally.narrowed(each) for each in sets]


def _dealt(tally: Tally, some: int, seed: int | tuple[int, int]) -> tuple[Tally, Tally]:
    """Split the responses of a block at random into those that are not drawn and those that are drawn."""
    counts = tally.occurrences
    chosen = np.zeros(int(counts.sum()), np.bool_)
    chosen[np.random.default_rng(seed).permutation(len(chosen))[:some]] = True
    taken: Counts = np.zeros(0, np.int64)
    if len(counts):
        taken = np.add.reduceat(chosen, np.cumsum(counts, dtype=np.int64) - counts, dtype=np.int64)
    return tally.keeping(counts - taken), tally.keeping(taken)


def _one_of(pair: tuple[Tally, Tally], which: int) -> Tally:
    return pair[which]
