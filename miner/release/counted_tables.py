"""Record which tables a released model was counted from, and compute their privacy cost for a person.

The costs of several tables of one data set add up, unless the tables were declared to be disjoint cohorts
(`collector.ledger.budget.composed`). Different data sets are assumed to have different people.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from collector.errors import ModelError
from collector.ledger.budget import Cost, composed, parallel
from miner.learnt import exact_fraction

PARTS = "tables"
AGAIN = "release the model again"


@dataclass(frozen=True)
class CountedTable:
    """Table that a release counted once.

    Attributes:
        data_set: Data set whose budget was charged.
        cohort: Cohort of the data set, or None for all its rows.
        epsilon: Privacy cost of adding or removing one record.
    """

    data_set: str
    cohort: str | None
    epsilon: Fraction

    @property
    def as_json(self) -> list[str | None]:
        """Return the counted table as plain JSON values, with fractions as text."""
        return [self.data_set, self.cohort, str(self.epsilon)]

    @property
    def name(self) -> str:
        """Return the names of the data set and the cohort as text."""
        cohort = "" if self.cohort is None else f", cohort {self.cohort}"
        return f"{self.data_set}{cohort}"


def cost_of(parts: Iterable[CountedTable]) -> Cost:
    """Return the privacy cost for one person of all tables together."""
    by_data_set: dict[str, list[tuple[str | None, Cost]]] = {}
    for part in parts:
        by_data_set.setdefault(part.data_set, []).append((part.cohort, Cost(part.epsilon)))
    return parallel(composed(each) for each in by_data_set.values())


def assumed(parts: Sequence[CountedTable]) -> tuple[str, ...]:
    """Return the assumptions of the privacy guarantee for several tables, as sentences.

    No assumption is needed if the privacy costs of all tables are added up.
    """
    if cost_of(parts).epsilon == sum(part.epsilon for part in parts):
        return ()
    names = "; ".join(dict.fromkeys(part.name for part in parts))
    return (f"people who are in several of the tables, thought to be disjoint: what these cost adds up ({names})",)


def parts_from_json(given: Any) -> list[CountedTable]:  # noqa: ANN401 - whatever JSON held
    """Read the counted tables from JSON values, and check them.

    Raises:
        ModelError: If the values are not valid.
    """
    try:
        parts = [CountedTable(data_set, cohort, exact_fraction(epsilon)) for data_set, cohort, epsilon in given]
    except (TypeError, ValueError):
        parts = []
    words = all(isinstance(part.data_set, str) and isinstance(part.cohort, str | None) for part in parts)
    if not parts or not words or min(part.epsilon for part in parts) <= 0:
        raise ModelError("model, parameters", f"{PARTS} does not hold tables", AGAIN)
    return parts
