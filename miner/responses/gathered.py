"""More responses than fit into memory one by one: the different ones, packed, with how often each occurs."""

from collections.abc import Iterator, Sequence

import numpy as np

from collector.store.simulated import Simulated
from collector.survey.survey import Survey
from miner.arrays import Flags, Indices
from miner.responses.responses import Codes, Responses
from miner.responses.source import Source
from miner.responses.tally import Tally, repeated

LARGE = 2**22
"""More responses are learnt from in parts or, by what needs all of them at once, from a sample of so many."""
PART = 2**16  # responses at once, each of which may be counted in hundreds of copies


class Gathered:
    """All responses of a source, in the order of their codes: a `miner.responses.source.Source` itself.

    Whatever is computed from its parts is the same, wherever the responses came from and in whichever order.
    """

    def __init__(self, tally: Tally, simulated: Simulated | None) -> None:
        self._tally, self.simulated = tally, simulated
        self._ends: Indices = np.cumsum(tally.occurrences, dtype=np.int64)

    @classmethod
    def of(cls, source: Source) -> "Gathered":
        """The gathered responses of a source, in one pass."""
        return cls(source.tallied([range(len(source.survey.questions))])[0], source.simulated)

    @property
    def survey(self) -> Survey:
        """The published design."""
        return self._tally.survey

    @property
    def tally(self) -> Tally:
        """The different responses, and how often each occurs."""
        return self._tally

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def parts(self, size: int = PART) -> Iterator[Codes]:
        """The codes of so many responses at a time, shape (responses, questions)."""
        for start in range(0, len(self), size):
            yield self._codes(start, min(start + size, len(self)))

    def _codes(self, start: int, stop: int) -> Codes:
        first, last = np.searchsorted(self._ends, [start, stop - 1], side="right").tolist()
        ends = np.minimum(self._ends[first : last + 1], stop)
        times = np.diff(np.maximum(ends, start), prepend=start)
        return repeated(self._tally, first, times)

    def tallied(self, sets: Sequence[Sequence[int]]) -> list[Tally]:
        """A tally of each set of columns."""
        tallies = [Tally(self.survey, each) for each in sets]
        for codes in self.parts():
            for tally in tallies:
                tally.add_codes(codes)
        return tallies

    def dealt(self, chosen: Flags) -> tuple["Gathered", "Gathered"]:
        """The responses that are not chosen, and those that are.

        Args:
            chosen: Shape (responses,).
        """
        starts = self._ends - self._tally.occurrences
        taken = np.add.reduceat(chosen, starts, dtype=np.int64)
        rest, some = (self._tally.keeping(times) for times in (self._tally.occurrences - taken, taken))
        return Gathered(rest, self.simulated), Gathered(some, self.simulated)

    def sample(self, size: int, seed: int) -> Responses:
        """A number of the responses, drawn at random, in memory."""
        chosen = np.zeros(len(self), np.bool_)
        chosen[np.random.default_rng(seed).permutation(len(self))[:size]] = True
        return self.dealt(chosen)[1].in_memory()

    def in_memory(self) -> Responses:
        """One by one."""
        return Responses.from_tally(self._tally, self.simulated)
