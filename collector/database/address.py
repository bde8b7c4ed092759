"""The address of a store: a SQLite file, or a PostgreSQL database."""

from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from collector.errors import StoreError

SCHEMES = ("postgresql://", "postgres://")
SECRETS = {"password", "sslpassword", "passfile", "sslkey"}


class Address(NamedTuple):
    """The address of a PostgreSQL database in the form of libpq.

    Converting an address to text omits the password.
    """

    url: str

    def __str__(self) -> str:
        parts = urlsplit(self.url)
        user, at, host = parts.netloc.rpartition("@")
        query = urlencode([(key, value) for key, value in parse_qsl(parts.query) if key not in SECRETS], safe="/")
        return urlunsplit((parts.scheme, f"{user.partition(':')[0]}{at}{host}", parts.path, query, ""))


Place = Path | Address


def read_place(text: str) -> Place:
    """Return the address of a store, given as text, as the path of a file or the address of a PostgreSQL database.

    Raises:
        StoreError: If the address is malformed.
    """
    if not text.startswith(SCHEMES):
        return Path(text)
    try:
        str(Address(text))
    except ValueError:  # its words may hold a password
        raise StoreError(
            "store", "the database address is not valid", "write postgresql://user@host/database"
        ) from None
    return Address(text)


def file_of(place: Place, what: str, remedy: str) -> Path:
    """Return the path of a store's SQLite file, for operations that need a file.

    Args:
        place: Address of the store.
        what: Name of the operation (a noun), for the error message.
        remedy: Alternative for a store in PostgreSQL, for the error message.

    Raises:
        StoreError: If the store is in PostgreSQL.
    """
    if isinstance(place, Address):
        raise StoreError(str(place), f"there is no {what} for a store in PostgreSQL", remedy)
    return place
