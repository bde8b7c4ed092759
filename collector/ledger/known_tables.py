"""The tables that releases have used: the data set and the cohort of each table, by its digest.

All cohorts together cost only as much as the most expensive cohort, because no person is in two cohorts. A cohort with
the same rows as another cohort is refused, because cohorts must be disjoint. Single rows have no digests, because a
thief of the store and the pepper could try all possible rows.
"""

from collections.abc import Collection, Iterable

from collector.database.sqlite import Database
from collector.database.table_digest import cohort_digest
from collector.errors import BudgetError
from collector.ledger.schema import COHORTS_SQL, HOME_SQL, KNOW_SQL


def home(database: Database, digest: bytes) -> str | None:
    """Return the data set whose budget paid for releases of a table, or None if the table is not known."""
    row = database.execute(HOME_SQL, (digest,)).fetchone()
    return None if row is None else str(row[0])


def refuse_foreign(database: Database, name: str, digests: Iterable[bytes]) -> None:
    """Refuse a table that belongs to another data set.

    Raises:
        BudgetError: If the table belongs to another data set.
    """
    for other in {home(database, digest) for digest in digests} - {None, name}:
        raise BudgetError(f'data set "{name}"', f'this table belongs to "{other}"', f"charge it to {other}")


def refuse_same_rows(database: Database, name: str, digests: Collection[bytes], cohort: str | None) -> None:
    """Refuse a cohort whose rows equal the rows of another cohort.

    A release from all rows is never refused, because its cost is added to all other costs.

    Raises:
        BudgetError: If another cohort has equal rows.
    """
    if cohort is None:
        return
    others = [each for (each,) in database.execute(COHORTS_SQL, (name,)) if each != cohort]
    remedy = "leave --cohort out, so that costs add up"
    for digest in digests:
        for other in others:
            if home(database, cohort_digest(digest, other)) is not None:
                problem = f'it has the very rows of cohort "{other}", so the two are not disjoint'
                raise BudgetError(f'cohort "{cohort}"', problem, f"charge them to cohort {other} again, or {remedy}")


def remember(database: Database, name: str, digests: Iterable[bytes], cohort: str | None) -> None:
    """Record that a table belongs to a data set, with the cohort of the release."""
    for digest in digests:
        for each in (digest, cohort_digest(digest, cohort)):
            database.execute(KNOW_SQL, (each, name))
