"""Every page that can be reached from the first: its own origin only, the exact headers, no cookie."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import read_survey_file
from respondent.app import create_app
from respondent.headers import FORM_HEADERS, HEADERS, headers_with
from respondent.intake.callers import Limits
from respondent.pages.pages import LATE
from respondent.pages.static_files import TYPES

STATIC = Path(__file__).resolve().parents[2] / "static"
ORIGIN = "http://localhost"
ADDRESSES = ("href", "src", "action", "data-address", "formaction", "poster", "srcset")
ALLOWED = {
    *HEADERS,
    "Integrity-Policy",
    "Content-Type",
    "Content-Length",
    "Cache-Control",
    "ETag",
    "Vary",
    "Last-Modified",
    "Date",
    "Content-Disposition",
}


class Links(HTMLParser):
    """Every address in a page that a browser might ask for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note the addresses of one element."""
        del tag
        self.found += [value for name, value in attributes if name in ADDRESSES and value]


@pytest.fixture
def client(tmp_path: Path, root: Path, wellbeing: Survey) -> Iterator[FlaskClient]:
    with Store(tmp_path / "deniable.db", create=True) as store:
        store.publish(wellbeing)
        store.publish(read_survey_file(root / "examples" / "wellbeing_two_languages.toml"))
        yield create_app(store, limits=Limits(10**9, 10**9)).test_client()


def crawl(client: FlaskClient) -> dict[str, TestResponse]:
    """Every answer by path, from the first page, its links and what scripts and styles import."""
    answers: dict[str, TestResponse] = {}
    waiting = ["/", "/nothing", "/static/nothing.mjs", "/api/v1/nothing"]
    waiting += [
        f"/static/{each.relative_to(STATIC).as_posix()}" for each in STATIC.rglob("*.*") if each.suffix in TYPES
    ]
    while waiting:
        path = waiting.pop()
        if path in answers:
            continue
        with client.get(path) as answer:
            answer.get_data()
            answers[path] = answer
        if answer.mimetype == "text/html":
            waiting.extend(_paths(path, answer.text))
    return answers


def _paths(page: str, text: str) -> Iterator[str]:
    for address in Links(text).found:
        full = urlsplit(urljoin(f"{ORIGIN}{page}", address))
        if full.scheme == "mailto":
            continue
        assert f"{full.scheme}://{full.netloc}" == ORIGIN, f"{page} leads to {address}"
        yield full._replace(scheme="", netloc="", fragment="").geturl()


def test_every_answer_of_a_crawl_has_the_exact_headers_and_no_cookie(client: FlaskClient) -> None:
    answers = crawl(client)
    assert {"/", "/s/wellbeing", "/static/page/survey.mjs"} <= answers.keys()
    assert any("lang=" in path for path in answers), "other languages are reached too"
    assert any("/by-hand" in path for path in answers)
    for path, answer in answers.items():
        expected = FORM_HEADERS if "/by-hand" in path else HEADERS
        if answer.headers.get("Integrity-Policy"):
            (import_map,) = re.findall('<script type="importmap">([^<]+)</script>', answer.text)
            expected = HEADERS | headers_with(import_map, LATE)
        assert {name: answer.headers.getlist(name) for name in expected} == {n: [v] for n, v in expected.items()}, path
        assert set(answer.headers.keys()) <= ALLOWED | {"Allow"}, path
        assert answer.status_code in {200, 404, 405}, path


def test_no_page_names_a_foreign_address(client: FlaskClient) -> None:
    for path, answer in crawl(client).items():
        if answer.mimetype in {"text/html", "text/css", "text/javascript"}:
            foreign = [word for word in answer.text.replace('"', " ").split() if word.startswith(("//", "ws:", "wss:"))]
            assert "@import" not in answer.text, path
            assert not [word for word in foreign if word.startswith("//") and len(word) > 2 and word[2].isalnum()], path


def test_every_page_can_be_exited_but_the_one_exited_to(client: FlaskClient) -> None:
    pages = {path: answer.text for path, answer in crawl(client).items() if answer.mimetype == "text/html"}
    assert len(pages) >= 7
    assert [path for path, text in pages.items() if 'href="/exit"' not in text] == ["/exit"]
