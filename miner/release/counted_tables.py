"""The tables that a release counted, and their privacy cost per person, as its file states it.

The reckoning is the ledger's (`collector.ledger.budget.composed`): tables of one data set add up unless they were
declared to be disjoint cohorts of it; different data sets are thought to be of different people. A table of which the
file does not say whose it is may be of anybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from collector.errors import ModelError
from collector.ledger.budget import Cost, composed, parallel

PARTS = "tables"
AGAIN = "release the model again"


@dataclass(frozen=True)
class Part:
    """One table, counted once.

    Attributes:
        data_set: Whose budget was charged; None if that is not known.
        cohort: Of the data set; None for all its rows.
        epsilon: For adding or removing one record.
    """

    data_set: str | None
    cohort: str | None
    epsilon: Fraction

    @property
    def as_json(self) -> list[str | None]:
        """Plain JSON values, fractions as text."""
        return [self.data_set, self.cohort, str(self.epsilon)]

    @property
    def name(self) -> str:
        """For people."""
        cohort = "" if self.cohort is None else f", cohort {self.cohort}"
        return f"{self.data_set or 'an unnamed table'}{cohort}"


def cost_of(parts: Iterable[Part]) -> Cost:
    """What all tables cost a person, for adding or removing one record."""
    by_data_set: dict[str | None, list[tuple[str | None, Cost]]] = {}
    for part in parts:
        by_data_set.setdefault(part.data_set, []).append((part.cohort, Cost(part.epsilon)))
    anybody = composed((None, cost) for _, cost in by_data_set.pop(None, []))
    return anybody + parallel(composed(each) for each in by_data_set.values())


def assumed(parts: Sequence[Part]) -> tuple[str, ...]:
    """What a guarantee for these tables does not cover, in words; nothing where all of them add up."""
    if cost_of(parts).epsilon == sum(part.epsilon for part in parts):
        return ()
    names = "; ".join(dict.fromkeys(part.name for part in parts))
    return (f"people who are in several of the tables, thought to be disjoint: what these cost adds up ({names})",)


def parts_from_json(given: Any) -> list[Part]:  # noqa: ANN401 - whatever JSON held
    """Read them back, trusting nothing.

    Raises:
        ModelError: If they are no tables.
    """
    try:
        parts = [Part(data_set, cohort, Fraction(epsilon)) for data_set, cohort, epsilon in given]
    except (TypeError, ValueError, ZeroDivisionError):
        parts = []
    names = [name for part in parts for name in (part.data_set, part.cohort)]
    words = all(name is None or isinstance(name, str) for name in names)
    if not parts or not words or min(part.epsilon for part in parts) <= 0:
        raise ModelError("model, parameters", f"{PARTS} does not hold tables", AGAIN)
    return parts
