"""Simulated responses: their mark in files, and their record in the store."""

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
    """The origin of the coins that disguised simulated answers, as named in files and in the store.

    Anybody who knows the seed can draw seeded coins again, so seeded coins hide nothing from this person.
    """

    SEEDED = "seeded"
    UNSEEDED = "unseeded"


@dataclass(frozen=True)
class Simulated:
    """The record of simulated responses to a published version.

    Attributes:
        responses: Number of simulated responses, at least 1.
        seeded: Number of simulated responses whose coins were seeded.
        of: Number of all responses, simulated or not.
    """

    responses: int
    seeded: int
    of: int

    @property
    def line(self) -> str:
        """The record of simulated responses as a line of text."""
        which = f"all {self.of}" if self.responses >= self.of else f"{self.responses} of {self.of}"
        if 0 < self.seeded < self.responses:
            return f"{which} responses were simulated, {self.seeded} of them with seeded coins"
        return f"{which} responses were simulated, with {Coins.SEEDED if self.seeded else Coins.UNSEEDED} coins"

    @property
    def as_json(self) -> dict[str, Any]:
        """The record of simulated responses as plain JSON values."""
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
