"""Marks of simulated responses in files, and the numbers of simulated responses in the store."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from collector.errors import StoreError

MARK = "_simulated"
"""Column or key that says whether responses are simulated. No question's name begins with an underscore."""
NOT_SIMULATED = "no"
"""Content of the column ``_simulated`` for responses of people."""
UNDO = "take those back first (collector import --undo FILE)"


class Coins(StrEnum):
    """How the coins of simulated responses were drawn (with a seed or not), as files and the store state it.

    Coins drawn with a seed hide nothing from a person who knows the seed.
    """

    SEEDED = "seeded"
    UNSEEDED = "unseeded"


@dataclass(frozen=True)
class Simulated:
    """The numbers of simulated responses to a published version, with and without seeded coins.

    Attributes:
        responses: Number of simulated responses, at least 1.
        seeded: Number of simulated responses whose coins were drawn with a seed.
        of: Number of all responses, simulated or not.
    """

    responses: int
    seeded: int
    of: int

    @property
    def line(self) -> str:
        """The numbers of simulated responses as a line of text."""
        which = f"all {self.of}" if self.responses >= self.of else f"{self.responses} of {self.of}"
        if 0 < self.seeded < self.responses:
            return f"{which} responses were simulated, {self.seeded} of them with seeded coins"
        return f"{which} responses were simulated, with {Coins.SEEDED if self.seeded else Coins.UNSEEDED} coins"

    @property
    def as_json(self) -> dict[str, Any]:
        """The numbers of simulated responses as plain JSON values."""
        return asdict(self)

    @property
    def coins(self) -> Coins:
        """Return how the coins were drawn, which an export of all responses must state.

        Raises:
            StoreError: If only some responses are simulated, because the store does not know which responses these are.
        """
        if self.responses < self.of:
            raise StoreError("responses", f"{self.line}, and the store does not know which", UNDO)
        return Coins.SEEDED if self.seeded else Coins.UNSEEDED
