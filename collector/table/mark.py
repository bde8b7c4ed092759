"""The mark of a file of disguised responses: the column or key ``_simulated``, with the same word in every line.

The word is ``no`` if people gave the responses. For simulated responses the word is ``seeded`` if the coins were drawn
from a seed, with which they can be drawn again, and otherwise ``unseeded``. Every file that this package writes has the
mark. A file without it may hold true answers.
"""

from collector.errors import ResponseError
from collector.store.simulated import MARK, NOT_SIMULATED, Coins


class Mark:
    """The reader of the mark, line by line.

    Attributes:
        word: Word of the lines so far, or None if they have no mark.
    """

    def __init__(self) -> None:
        self.word: str | None = None
        self._lines = 0

    @property
    def coins(self) -> Coins | None:
        """The coins of simulated responses, or None if the mark does not say that they are simulated."""
        return None if self.word is None or self.word == NOT_SIMULATED else Coins(self.word)

    def take(self, found: object, line: int) -> None:
        """Read the mark of one more line.

        Raises:
            ResponseError: If the mark is not valid, or differs from that of the lines before.
        """
        place = f'line {line}, column "{MARK}"'
        if found is not None and found not in [NOT_SIMULATED, *Coins]:
            problem = f"it is none of {NOT_SIMULATED}, {Coins.SEEDED} and {Coins.UNSEEDED}"
            raise ResponseError(place, problem, "leave the column as collector export or miner simulate wrote it")
        word = None if found is None else str(found)
        if self._lines and word != self.word:
            remedy = "put simulated responses and others into files of their own"
            raise ResponseError(place, "the mark differs from the lines before", remedy)
        self.word, self._lines = word, self._lines + 1
