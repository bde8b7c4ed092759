"""Plans what chance will do in a case of the shared vectors, and the words of chance that bring it about."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

WORD = 2**32
Case = dict[str, Any]


class Chance:
    """Plans what chance will do, and writes down the words that do it."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - cases, not coins
        self.words: list[int] = []

    def pick(self, options: Sequence[Any]) -> Any:  # noqa: ANN401 - one of whatever there is
        """One of these."""
        return self._random.choice(options)

    def between(self, low: int, below: int) -> int:
        """A number from low to below - 1."""
        return self._random.randrange(low, below)

    def plan(self, bound: int, result: int, rejections: int | None = None) -> None:
        """Write down words that a draw turns into this result, after some that it has to reject."""
        limit = WORD - WORD % bound
        if limit < WORD:
            many = self._random.choice((0, 0, 0, 1, 2)) if rejections is None else rejections
            self.words += [self._random.randrange(limit, WORD) for _ in range(many)]
        self.words.append(result + bound * self._random.randrange(WORD // bound))


def planned_draw(design: Case, chance: Chance) -> list[str]:
    """The questions that one respondent is asked, in order."""
    names = [question["name"] for question in design["questions"]]
    sampling = design.get("sampling", {"ask": 0, "always": names})
    asked, left = list(sampling["always"]), [name for name in names if name not in sampling["always"]]
    while len(asked) < sampling["ask"]:
        place = chance.between(0, len(left))
        chance.plan(len(left), place)
        asked.append(left.pop(place))
    return [name for name in names if name in asked]
