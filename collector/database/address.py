"""The address of a store: a SQLite file, or a PostgreSQL database."""

from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from collector.errors import StoreError

SCHEMES = ("postgresql://", "postgres://")
SECRETS = {"password", "sslpassword", "passfile", "sslkey"}


class Address(NamedTuple):
    """The address of a PostgreSQL database, as libpq takes it. As text it is without its password."""

    url: str

    def __str__(self) -> str:
        parts = urlsplit(self.url)
        user, at, host = parts.netloc.rpartition("@")
        query = urlencode([(key, value) for key, value in parse_qsl(parts.query) if key not in SECRETS], safe="/")
        return urlunsplit((parts.scheme, f"{user.partition(':')[0]}{at}{host}", parts.path, query, ""))


Place = Path | Address


def read_place(text: str) -> Place:
    """The place that somebody named.

    Raises:
        StoreError: If it is a malformed address.
    """
    if not text.startswith(SCHEMES):
        return Path(text)
    try:
        str(Address(text))
    except ValueError:  # its words may hold a password
        raise StoreError("store", "its address is malformed", "write postgresql://user@host/database") from None
    return Address(text)


def file_of(place: Place, what: str, remedy: str) -> Path:
    """The SQLite file of a store, for what there is for files only.

    Args:
        place: Address of the store.
        what: Cannot be done otherwise, as a noun.
        remedy: What to do in its place.

    Raises:
        StoreError: If it is in PostgreSQL.
    """
    if isinstance(place, Address):
        raise StoreError(str(place), f"there is no {what} for a store in PostgreSQL", remedy)
    return place
