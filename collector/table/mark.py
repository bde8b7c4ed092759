"""The mark of a file of disguised responses: the column or key ``_simulated``, with one word for all lines.

The column ``_simulated`` is ``no`` for responses of people. Simulated responses are marked ``seeded`` if their coins
can be drawn again from a seed, otherwise ``unseeded``. A file without the column ``_simulated`` may contain true
answers.
"""

from collector.errors import ResponseError
from collector.store.simulated import MARK, NOT_SIMULATED, Coins


class Mark:
    """The reader of the column or key ``_simulated`` in each line of a file.

    Attributes:
        word: Word in the column ``_simulated`` of the lines read so far, or None.
    """

    def __init__(self) -> None:
        self.word: str | None = None
        self._lines = 0

    @property
    def coins(self) -> Coins | None:
        """How the coins of simulated responses were drawn, or None if the responses are not marked as simulated."""
        return None if self.word is None or self.word == NOT_SIMULATED else Coins(self.word)

    def take(self, found: object, line: int) -> None:
        """Check the mark of the next line.

        Raises:
            ResponseError: If the mark is not valid, or differs from the mark of earlier lines.
        """
        place = f'line {line}, column "{MARK}"'
        if found is not None and found not in [NOT_SIMULATED, *Coins]:
            problem = f"it is none of {NOT_SIMULATED}, {Coins.SEEDED} and {Coins.UNSEEDED}"
            raise ResponseError(place, problem, "leave the column as collector export or miner simulate wrote it")
        word = None if found is None else str(found)
        if self._lines and word != self.word:
            remedy = "put simulated responses and others into separate files"
            raise ResponseError(place, "the mark differs from the lines above", remedy)
        self.word, self._lines = word, self._lines + 1
