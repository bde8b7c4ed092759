"""Who is invited to a survey: one-use codes, of which the store keeps keyed hashes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from collector.database.session import Engine
from collector.store.invitation import Purpose, draw_code, normalised
from collector.store.schema import INVITATIONS_SQL, INVITE_SQL

Hashed = Callable[[Purpose, str, bytes], bytes]


@dataclass(frozen=True)
class Invitations:
    """How many invitations to a survey there are. Which of them were used is not shown.

    Attributes:
        issued: How many codes were ever given out.
        used: How many of them came with a response.
    """

    issued: int
    used: int


def invite(connections: Engine, hashed: Hashed, name: str, count: int) -> list[str]:
    """Make one-use codes for a survey, and keep their hashes."""
    codes = [draw_code() for _ in range(count)]
    hashes = [hashed("invitation", name, normalised(code).encode()) for code in codes]
    with connections.writing() as database:
        database.executemany(INVITE_SQL, [(name, each) for each in sorted(hashes)])  # not in the order printed
    return codes


def invitations(connections: Engine, name: str) -> Invitations:
    """How many invitations to a survey there are, and how many were used."""
    with connections.reading() as database:
        return Invitations(*database.execute(INVITATIONS_SQL, [name]).fetchone())
