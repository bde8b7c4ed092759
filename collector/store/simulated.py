"""Simulated responses: how a file says that it holds them, and what is known of those in the store."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from collector.errors import StoreError

MARK = "_simulated"
"""The column, or key, that says whether responses are simulated. The name of no question begins with an underscore."""
NOT_SIMULATED = "no"
"""What it holds where they are not."""
UNDO = "take those back first (collector import --undo FILE)"


class Coins(StrEnum):
    """The coins that disguised simulated answers, as a file and the store name them.

    Seeded coins can be drawn again by whoever knows the seed: they disguise nothing from them.
    """

    SEEDED = "seeded"
    UNSEEDED = "unseeded"


@dataclass(frozen=True)
class Simulated:
    """The record of simulated responses to a published version.

    Attributes:
        responses: How many are simulated, at least 1.
        seeded: How many of these with seeded coins.
        of: How many responses there are, simulated or not.
    """

    responses: int
    seeded: int
    of: int

    @property
    def line(self) -> str:
        """The record in words."""
        which = f"all {self.of}" if self.responses >= self.of else f"{self.responses} of {self.of}"
        if 0 < self.seeded < self.responses:
            return f"{which} responses were simulated, {self.seeded} of them with seeded coins"
        return f"{which} responses were simulated, with {Coins.SEEDED if self.seeded else Coins.UNSEEDED} coins"

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)

    @property
    def coins(self) -> Coins:
        """The coins that a file with all these responses must name.

        Raises:
            StoreError: If others are among them, which nothing tells apart.
        """
        if self.responses < self.of:
            raise StoreError("responses", f"{self.line}, and nothing tells which", UNDO)
        return Coins.SEEDED if self.seeded else Coins.UNSEEDED
