"""The record of deposits: a version of a survey is deposited once.

The record is the table ``deposits`` in the SQLite file of the store. The table is made with the first deposit, so the
format of the store stays the same. A copy of the store, or a backup from before the deposit, does not have the record.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from collector.database.address import Place, file_of
from collector.database.connections import Connections
from collector.database.session import Session
from collector.errors import StoreError
from collector.ledger.schema import DEPOSIT_SQL, DEPOSITED_SQL, DEPOSITS_SQL, DEPOSITS_THERE_SQL
from collector.store.published import Published


def check_no_deposit(place: Place, published: Published) -> None:
    """Check that a version of a survey was not deposited before.

    Raises:
        StoreError: If the version was deposited, or the store is not a SQLite file.
    """
    with closing(_connections(place)) as connections, connections.reading() as database:
        _refuse_second(database, published)


@contextmanager
def recorded_deposit(place: Place, published: Published, root: str) -> Iterator[None]:
    """Record the deposit of a version. If the block fails, nothing is recorded.

    Args:
        place: Path of the store.
        published: Version that is deposited.
        root: Root of the hash tree over the rows of the deposit, in hexadecimal.

    Raises:
        StoreError: If the version was deposited before, or the store is not a SQLite file that can be written.
    """
    with closing(_connections(place)) as connections, connections.writing() as database:
        _refuse_second(database, published)
        if not database.execute(DEPOSITS_THERE_SQL).fetchone()[0]:
            database.execute(DEPOSITS_SQL)
        database.execute(DEPOSIT_SQL, (published.fingerprint, root))
        yield


def _connections(place: Place) -> Connections:
    return Connections(file_of(place, "record of deposits", "deposit from a store in a SQLite file"))


def _refuse_second(database: Session, published: Published) -> None:
    there = database.execute(DEPOSITS_THERE_SQL).fetchone()[0]
    if there and database.execute(DEPOSITED_SQL, (published.fingerprint,)).fetchone()[0]:
        place = f'survey "{published.name}" version {published.version}'
        raise StoreError(place, "it was deposited before, and a version is deposited once", "use that deposit")
