"""Invitation codes and receipts, which people hold, and the pepper, with which the store keeps keyed hashes of both.

The store keeps an HMAC-SHA-256 (RFC 2104) of each code and receipt, but never the code or receipt itself. The key of
the HMAC is the pepper: 32 random bytes in a separate file in the folder of the store. Without the pepper, a reader of
the store cannot test whether a guessed code or receipt is stored.
"""

import hmac
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from collector.database.address import Address, Place
from collector.database.session import Engine
from collector.errors import StoreError
from collector.output import draft_of
from collector.store.schema import INVITATIONS_SQL, INVITE_SQL

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32, without I, L, O and U
LOOKALIKES = str.maketrans({"I": "1", "L": "1", "O": "0"})
GROUPS = (5, 5, 5, 5, 6)  # 26 characters of 5 bits: 130 bits, at least the wanted 128
LENGTH = sum(GROUPS)
PEPPER_BYTES = 32
KEY_VARIABLE = "DENIABLE_PEPPER"
KEY_REMEDY = "restore a backup under another name (collector restore), and copy its key here"
Purpose = Literal["invitation", "receipt", "hold-out", "ledger", "form", "import", "key"]
Hashed = Callable[[Purpose, str, bytes], bytes]


def draw_code() -> str:
    """Return a new invitation code of 130 random bits, written in groups such as ``7ZQ4K-...``."""
    return "-".join("".join(secrets.choice(ALPHABET) for _ in range(size)) for size in GROUPS)


def normalised(code: str) -> str:
    """Return the invitation code that a person typed, in the form in which it was issued.

    Case, spaces and dashes are ignored, and the letters O, I and L are read as digits. The returned text is empty if
    the typed text cannot be an invitation code.
    """
    kept = "".join(each for each in code.upper() if each.isalnum()).translate(LOOKALIKES)
    return kept if len(kept) == LENGTH and set(kept) <= set(ALPHABET) else ""


def pepper_path(store_path: Place) -> Path:
    """Return the path of the file with the pepper of a store.

    The pepper has a separate file, so that a copy of the store does not contain the pepper. For a store in PostgreSQL,
    the environment variable `KEY_VARIABLE` of each web host has the path of the pepper.
    """
    if isinstance(store_path, Address):
        return Path(os.environ.get(KEY_VARIABLE) or "deniable.pepper")
    return store_path.with_name(f"{store_path.name}.pepper")


def create_pepper(store_path: Place, pepper: bytes | None = None) -> None:
    """Write the pepper of a store to a file that only the owner can read, unless the file exists.

    Args:
        store_path: Path of the store.
        pepper: Pepper of 32 bytes, or None to draw a new one.

    Raises:
        OSError: If the file cannot be written.
    """
    path = pepper_path(store_path)
    if path.exists():
        return
    with draft_of(path) as (draft, descriptor):
        os.write(descriptor, pepper or secrets.token_bytes(PEPPER_BYTES))
        os.fsync(descriptor)
        with suppress(FileExistsError):  # another process was faster, and its pepper holds
            path.hardlink_to(draft)


def read_pepper(store_path: Place) -> bytes:
    """Return the pepper of a store.

    Raises:
        StoreError: If the file cannot be read or does not contain a pepper.
    """
    path = pepper_path(store_path)
    try:
        pepper = path.read_bytes()
    except OSError as error:
        raise StoreError(str(path), f"the pepper cannot be read ({error.strerror})", KEY_REMEDY) from None
    if len(pepper) != PEPPER_BYTES:
        raise StoreError(str(path), f"the pepper is not {PEPPER_BYTES} bytes", KEY_REMEDY)
    return pepper


def keyed_hash(pepper: bytes, purpose: Purpose, survey: str, secret: bytes) -> bytes:
    """Return the 32 bytes that the store keeps for a code or a receipt.

    The hash of a code or receipt is different for each purpose and each survey.
    """
    message = b"\0".join((purpose.encode(), survey.encode(), secret))
    return hmac.new(pepper, message, "sha256").digest()  # `hmac.digest` would let other threads go first


@dataclass(frozen=True)
class Invitations:
    """The numbers of issued and of used invitations to a survey.

    Attributes:
        issued: Number of codes that were issued.
        used: Number of codes that came with a response.
    """

    issued: int
    used: int


def invite(connections: Engine, hashed: Hashed, name: str, count: int) -> list[str]:
    """Make one-use codes for a survey, and store their hashes."""
    codes = [draw_code() for _ in range(count)]
    hashes = [hashed("invitation", name, normalised(code).encode()) for code in codes]
    with connections.writing() as database:
        database.executemany(INVITE_SQL, [(name, each) for each in sorted(hashes)])  # not in the order printed
    return codes


def invitations(connections: Engine, name: str) -> Invitations:
    """Return the numbers of issued and of used invitations to a survey."""
    with connections.reading() as database:
        return Invitations(*database.execute(INVITATIONS_SQL, [name]).fetchone())
