"""The mark of simulated responses in a file: the column or key ``_simulated``, alike in every line.

It holds ``seeded`` where the coins were drawn from a seed, with which they can be drawn again, else ``unseeded``.
"""

from collector.errors import ResponseError
from collector.store.simulated import MARK, Coins


class Mark:
    """Reads the mark line by line.

    Attributes:
        coins: Coins of the lines so far; None where they have no mark.
    """

    def __init__(self) -> None:
        self.coins: Coins | None = None
        self._lines = 0

    def take(self, found: object, line: int) -> None:
        """Read the mark of one more line.

        Raises:
            ResponseError: If it is no mark, or not that of the lines before.
        """
        place = f'line {line}, column "{MARK}"'
        if found is not None and found not in list(Coins):
            problem = f"it is neither {Coins.SEEDED} nor {Coins.UNSEEDED}"
            raise ResponseError(place, problem, "leave it as miner simulate wrote it")
        coins = None if found is None else Coins(str(found))
        if self._lines and coins != self.coins:
            remedy = "put simulated responses and others into files of their own"
            raise ResponseError(place, "it is not as in the lines before", remedy)
        self.coins, self._lines = coins, self._lines + 1
