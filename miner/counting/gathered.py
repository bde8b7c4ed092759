"""Pack distinct responses into blocks, if there are too many responses to keep each one in memory.

A block stores each distinct response with the number of times that it occurs.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Self

import numpy as np

from collector.store.simulated import Simulated
from collector.survey.survey import Survey
from miner.responses.blocks import Blocks, unchanged
from miner.responses.responses import Codes, Data, Responses
from miner.responses.tally import Counts, Tally, repeated

LARGE = 2**22
"""More responses are learnt from in parts or, by what needs all of them at once, from a sample of so many."""
PART = 2**16  # number of responses handled at once, each of which may have hundreds of copies
BLOCK = 2**23  # largest number of responses of a block; a call for each block takes Dask some milliseconds
MOST_BLOCKS = 64


class Gathered(Data):
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
    def of(cls, source: Data) -> Self:
        """Gather all responses of a source in one pass.

        The responses are kept in a temporary file if training on them would take more memory than
        `miner.responses.filed.memory`.
        """
        count = min(max(-(-len(source) // BLOCK), 1), MOST_BLOCKS)
        return cls(source.survey, source.in_blocks(count), source.simulated)

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

    def in_memory(self, names: Collection[str] = ()) -> Responses:
        """Return all responses in memory, sorted by their codes."""
        del names
        return Responses.from_tally(Tally.together([*self.blocks.results(unchanged)]), self.simulated)


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
