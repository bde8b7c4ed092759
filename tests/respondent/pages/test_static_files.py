"""Static files are served byte for byte, and the rooms of the script keep to their rules."""

from __future__ import annotations

import re
from os.path import relpath
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from respondent.pages.static_files import TYPES

ROOT = Path(__file__).resolve().parents[3]
STATIC = ROOT / "static"
SENDS = re.compile(r"\b(?:fetch|XMLHttpRequest|sendBeacon|WebSocket|EventSource|RTCPeerConnection|WebTransport)\b")


def scripts(folder: str = "") -> list[Path]:
    return sorted((STATIC / folder).rglob("*.mjs"))


def code_of(path: Path) -> str:
    """A script without its comments; ours begin no text with what begins a comment."""
    return re.sub(r"(?s:/\*.*?\*/)|(?m:(^|\s)// .*$)", " ", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "file", sorted(path for path in STATIC.rglob("*.*") if path.suffix in TYPES), ids=lambda file: file.name
)
def test_every_file_is_served_byte_for_byte(client: FlaskClient, file: Path) -> None:
    with client.get(f"/static/{file.relative_to(STATIC).as_posix()}") as answer:
        assert answer.status_code == 200
        assert answer.data == file.read_bytes()


def test_fetch_stands_in_one_file_and_nothing_else_that_sends_stands_anywhere() -> None:
    found = {path.relative_to(STATIC).as_posix(): SENDS.findall(code_of(path)) for path in scripts()}
    assert {path: names for path, names in found.items() if names} == {"disguise/request.mjs": ["fetch"]}


def imports(folder: str) -> dict[str, set[str]]:
    """By file of a folder what it imports, as seen from that folder."""
    found: dict[str, set[str]] = {}
    for path in scripts(folder):
        named = re.findall(r'(?:from|import\()\s*"([^"]+)"', code_of(path))
        seen = {relpath(path.parent / each, STATIC / folder) for each in named}
        found[path.name] = {each if each.startswith("../") else f"./{each}" for each in seen}
    return found


def test_what_disguises_imports_nothing_of_the_page() -> None:
    imported = imports("disguise")
    assert all(name.startswith("./") for names in imported.values() for name in names)
    assert {name for name, names in imported.items() if "./request.mjs" in names} == {"visit.mjs"}


def test_the_page_imports_neither_the_request_nor_the_coins_nor_the_disguise() -> None:
    imported = imports("page")
    reached = {name for names in imported.values() for name in names if name.startswith("../")}
    assert "../disguise/visit.mjs" in imported["survey.mjs"]
    assert reached == {f"../disguise/{name}.mjs" for name in ("visit", "coding")}


def test_nothing_waits_before_it_is_sent() -> None:
    waits = re.compile(r"\b(?:setTimeout|setInterval|requestIdleCallback|requestAnimationFrame|postTask)\b")
    assert not [path.name for path in scripts() if waits.search(code_of(path))]


def test_what_a_suspicious_person_has_to_read_is_short() -> None:
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in scripts("disguise")) < 400
