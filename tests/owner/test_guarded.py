"""What a page of the owner answers: the same 404 to everybody without its address, the reason to who has it."""

from __future__ import annotations

import pytest
from flask import Blueprint, request
from flask.testing import FlaskClient

from owner.guarded import Guarded
from owner.link import Link

OURS = {"Origin": "http://localhost"}


@pytest.fixture
def inside() -> tuple[FlaskClient, str]:
    """A client that followed the link, and the address behind it."""
    rooms, link = Blueprint("rooms", __name__), Link()

    @rooms.post("/read")
    def read() -> str:
        return str(request.get_json())

    client = Guarded("tool", 2_000_000, "Back", "tool.css", {}).app(link, rooms).test_client()
    return client, client.get(f"/open/{link.once}").headers["Location"].rstrip("/")


@pytest.mark.parametrize(
    ("method", "content", "status", "words"),
    [
        ("GET", b"", 405, "The page cannot do this at this address."),
        ("POST", b"{", 400, "The request could not be read."),
        ("POST", b"9" * 2_000_001, 413, "This is too large. At most 2 MB fit."),
    ],
)
def test_who_has_the_address_is_told_what_is_wrong_and_nobody_else_is(
    method: str, content: bytes, status: int, words: str, inside: tuple[FlaskClient, str]
) -> None:
    client, address = inside
    asked = {"method": method, "data": content, "headers": OURS, "content_type": "application/json"}
    answer = client.open(f"{address}/read", **asked)  # type: ignore[arg-type] # of each argument its own
    assert (answer.status_code, words in answer.text) == (status, True)
    assert "opens nothing" not in answer.text
    other = client.open("/wrong/read", **asked)  # type: ignore[arg-type] # likewise
    assert (other.status_code, "This link opens nothing" in other.text) == (404, True)


def test_what_is_not_there_is_not_found_for_everybody(inside: tuple[FlaskClient, str]) -> None:
    client, address = inside
    assert {client.get(f"{each}/nothing").status_code for each in (address, "/wrong")} == {404}
