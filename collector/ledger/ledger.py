"""The ledger of releases from trusted data.

The cost of each release is recorded permanently before the data are read.

- The table ``data_sets`` has the name, budget (epsilon and delta), neighbours and records per person of each data set.
- The table ``known_tables`` has the keyed digest, data set and cohort of each table that a release used.
- The table ``charges`` has the number, data set, cohort, mechanism and cost (or "none") of each charge.

A data set is identified by its declared name, so that a table keeps its budget when rows are added, removed or
corrected. A data set is also identified by two digests of each table that a release used: as in the file, and as the
survey reads it. A copy of a table in another file, format or order cannot get a second budget, and cannot be a second
cohort.

The ledger does not detect changed rows under another name, cohorts that share some rows, a second store, or the
deletion of the ledger's file. The ledger protects a steward against mistakes. The ledger does not protect other people
against a dishonest steward.

Epsilon and delta are stored as exact fractions, written as text. A charge is one SQLite transaction, which is on disk
when `Ledger.charge` returns. A charge can never be undone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Self

from collector.database.address import Place, file_of
from collector.database.connections import Connections
from collector.database.sqlite import Database
from collector.database.table_digest import table_digest
from collector.errors import BudgetError, StoreError
from collector.ledger.account import Account, LedgerEntry
from collector.ledger.budget import Charge, Cost, DataSet, Unprotected
from collector.ledger.known_tables import refuse_foreign, refuse_same_rows, remember
from collector.ledger.schema import CHARGE_SQL, CHARGES_SQL, DATA_SETS_SQL, LEDGER_SQL, OPEN_SQL, THERE_SQL
from collector.store.invitation import keyed_hash, read_pepper
from collector.store.store import Store

__all__ = ["Account", "Ledger", "LedgerEntry", "Purse"]
NO_COST = "none"  # text in place of amounts without a guarantee


@dataclass(frozen=True)
class Purse:
    """The account to which a release is charged, that is, a data set with a table and a cohort.

    Attributes:
        ledger: Ledger that is charged.
        name: Name of the data set.
        digest: Digest of the complete table in its file (see `Ledger.digest`).
        cohort: Name of the cohort, as in `collector.ledger.budget.Charge`.
        as_read: Digest of the table after reading it with the survey, or None if both digests are equal.
    """

    ledger: "Ledger"
    name: str
    digest: bytes
    cohort: str | None = None
    as_read: bytes | None = None

    def charge(self, mechanism: str, epsilon: Fraction, delta: Fraction = Fraction(0)) -> None:
        """Charge a release to the account, given the cost for adding or removing a record."""
        charge = Charge(mechanism, Cost(epsilon, delta), cohort=self.cohort)
        self.ledger.charge(self.name, self.digest, charge, self.as_read)

    def note(self, mechanism: str) -> None:
        """Record a computation without a guarantee in the ledger."""
        self.ledger.charge(self.name, self.digest, Unprotected(mechanism, self.cohort), self.as_read)


class Ledger:
    """The ledger in a store, which threads and processes may share.

    Used as a context manager, the ledger is closed at the end of the block.

    Copies of an estimator share one ledger, because the ledger is in a file.

    Raises:
        StoreError: From every method, if the file is missing, locked, damaged, not a store, or cannot be written.
    """

    def __init__(self, place: Place, *, create: bool = False) -> None:
        path = file_of(place, "ledger of trusted data", "give the path of a SQLite store (--store)")
        if not create and not path.is_file():
            raise StoreError(
                str(path),
                "the file does not exist",
                "name the store with --store, or set a budget first (miner budget)",
            )
        with Store(path, create=create):  # says what is wrong with it
            self.path = path
        self._connections = Connections(path)

    def __reduce__(self) -> tuple[type[Self], tuple[Path]]:
        """Return the arguments with which copies and pickles open the ledger's file."""
        return type(self), (self.path,)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._connections.close()

    def open(self, data_set: DataSet) -> None:
        """Give a data set its permanent budget, unless the data set already has an equal budget.

        Raises:
            BudgetError: If the data set has another budget.
        """
        amounts = str(data_set.budget.epsilon), str(data_set.budget.delta)
        with self._connections.writing() as database:
            if not _is_there(database):
                for sql in LEDGER_SQL:
                    database.execute(sql)
            known = _data_sets(database).get(data_set.name)
            if known is None:
                database.execute(OPEN_SQL, (data_set.name, *amounts, data_set.neighbours, data_set.records))
            elif known != data_set:
                kept = f"{known.budget.line}, {known.neighbours}, records of a person {known.records}"
                problem = f"it has another budget: {kept}"
                raise BudgetError(f'data set "{data_set.name}"', problem, "the budget of a data set cannot be changed")

    def digest(self, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
        """Return the digest of a table, which does not depend on the order of rows and columns and costs no budget.

        Returns:
            32 bytes, keyed with the pepper of the store. Only a holder of the pepper can test a guess at the table.
        """
        return table_digest(columns, rows, keyed_hash(read_pepper(self.path), "ledger", "", b""))

    def charge(
        self, name: str, digest: bytes, charge: Charge | Unprotected, as_read: bytes | None = None
    ) -> LedgerEntry:
        """Charge a release to a data set.

        The charge is on disk when the method returns. Read the table of a release only after the charge.

        Args:
            name: Name of the data set.
            digest: Digest of the table in its file.
            charge: Cost of the release, or a computation without a guarantee, which is recorded whatever the budget.
            as_read: Digest of the table as the survey reads it, or None if it equals `digest`.

        Raises:
            BudgetError: If the budget is missing or too small, or the table belongs to another data set or another
                cohort. If an error is raised, no cost is recorded.
        """
        digests = {digest, as_read or digest}
        with self._connections.writing() as database:
            known = _data_sets(database) if _is_there(database) else {}
            if name not in known:
                raise _no_budget(name, known)
            refuse_foreign(database, name, digests)
            refuse_same_rows(database, name, digests, charge.cohort)
            if isinstance(charge, Charge):
                self._accounts(database)[name].refuse_too_much(charge)
            remember(database, name, digests, charge.cohort)
            number = database.execute(CHARGE_SQL, (name, *_written(charge))).fetchone()[0]
        return LedgerEntry(number, name, charge)

    def account(self, name: str) -> Account:
        """Return the account of a data set.

        Raises:
            BudgetError: If no data set has this name.
        """
        accounts = {each.data_set.name: each for each in self.accounts()}
        if name not in accounts:
            raise _no_budget(name, accounts)
        return accounts[name]

    def accounts(self) -> list[Account]:
        """Return the account of every data set, sorted by name."""
        with self._connections.reading() as database:
            return list(self._accounts(database).values()) if _is_there(database) else []

    @staticmethod
    def _accounts(database: Database) -> dict[str, Account]:
        entries: dict[str, list[LedgerEntry]] = {name: [] for name in _data_sets(database)}
        for number, name, *written in database.execute(CHARGES_SQL):
            entries[name].append(LedgerEntry(number, name, _read(written)))
        return {name: Account(each, tuple(entries[name])) for name, each in _data_sets(database).items()}


def _no_budget(name: str, known: Iterable[str]) -> BudgetError:
    others = f", or use one of: {', '.join(known)}" if known else ""
    return BudgetError(
        f'data set "{name}"',
        "the data set has no budget in this ledger",
        f"set one once and for good (miner budget){others}",
    )


def _is_there(database: Database) -> bool:
    """Return whether the store has a ledger, which is created when the first data set gets a budget."""
    return bool(database.execute(THERE_SQL).fetchone()[0])


def _data_sets(database: Database) -> dict[str, DataSet]:
    rows = database.execute(DATA_SETS_SQL).fetchall()
    return {
        name: DataSet(name, Cost(Fraction(epsilon), Fraction(delta)), neighbours, records)
        for name, epsilon, delta, neighbours, records in rows
    }


def _written(charge: Charge | Unprotected) -> tuple[str | None, ...]:
    costs = (charge.cost, charge.replaced) if isinstance(charge, Charge) else ()
    amounts = [str(amount) for cost in costs for amount in (cost.epsilon, cost.delta)] or [NO_COST] * 4
    return (charge.cohort, charge.mechanism, *amounts)


def _read(written: Sequence[str]) -> Charge | Unprotected:
    cohort, mechanism, *amounts = written
    if amounts[0] == NO_COST:
        return Unprotected(mechanism, cohort)
    epsilon, delta, replaced_epsilon, replaced_delta = map(Fraction, amounts)
    return Charge(mechanism, Cost(epsilon, delta), Cost(replaced_epsilon, replaced_delta), cohort)
