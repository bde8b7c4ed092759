"""The pages as they leave the server: one document per survey, self-contained but for our own static files."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from collector.store import Store
from collector.survey import Survey
from collector.survey_file import parse_survey
from respondent import create_app
from respondent.pages import SCRIPT_TEXTS

EMPTY_ELEMENTS = {"meta", "link", "input", "br"}
WEIGHT = 60_000  # bytes: all a survey's page needs, uncompressed


class Document(HTMLParser):
    """A document taken apart; it refuses elements that are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element down."""
        self.elements.append((tag, dict(attrs)))
        if tag not in EMPTY_ELEMENTS:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Check that it closes what was opened last."""
        assert self._open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of every element with this tag."""
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "deniable.db", create=True) as store:
        yield store


@pytest.fixture
def client(store: Store, wellbeing: Survey) -> FlaskClient:
    store.publish(wellbeing)
    return create_app(store).test_client()


@pytest.fixture
def document(client: FlaskClient) -> Document:
    return Document(client.get("/s/wellbeing").text)


def test_the_index_lists_every_survey_once(client: FlaskClient, store: Store, wellbeing: Survey) -> None:
    store.publish(renamed(wellbeing, "wellbeing", "Student wellbeing, second wave"))
    store.publish(renamed(wellbeing, "other", "Another <survey>"))
    page = client.get("/")
    links = [link["href"] for link in Document(page.text).all("a")]
    assert links[1:] == ["/s/other", "/s/wellbeing"]
    assert "second wave" in page.text
    assert "Another &lt;survey&gt;" in page.text


def test_the_index_of_an_empty_store_says_so(store: Store) -> None:
    assert "There is none at the moment" in create_app(store).test_client().get("/").text


def test_a_survey_that_is_not_published_is_not_found(client: FlaskClient) -> None:
    answer = client.get("/s/nothing")
    assert answer.status_code == 404
    assert answer.mimetype == "text/html"
    assert "check the link you were given" in answer.text


def test_the_form_has_no_action_and_no_name_anywhere(document: Document) -> None:
    (form,) = document.all("form")
    assert form.keys().isdisjoint({"action", "method", "name", "target"})
    assert form["autocomplete"] == "off"
    for tag in ("input", "button", "fieldset"):
        assert all("name" not in attributes for attributes in document.all(tag))
    assert not document.all("select")
    assert not document.all("textarea")


def test_everything_is_closed_until_the_script_opens_it(document: Document) -> None:
    assert all("disabled" in attributes for attributes in document.all("input") + document.all("button"))
    assert len(document.all("noscript")) == 1


def test_nothing_is_inline_and_nothing_foreign(client: FlaskClient, document: Document) -> None:
    (script,) = document.all("script")
    assert script == {"type": "module", "src": "/static/survey.mjs"}
    assert not document.all("style")
    for _, attributes in document.elements:
        assert "style" not in attributes
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("href", "src"):
            assert str(attributes.get(name) or "/").startswith(("/", "#main"))
    assert "http" not in client.get("/s/wellbeing").text


def test_the_design_travels_in_an_attribute_as_it_was_published(document: Document, wellbeing: Survey) -> None:
    (form,) = document.all("form")
    assert form["data-survey"] == wellbeing.canonical
    assert form["data-fingerprint"] == wellbeing.fingerprint
    assert form["data-address"] == "/api/v1/surveys/wellbeing/responses"
    assert json.loads(form["data-texts"] or "") == SCRIPT_TEXTS


def test_every_text_of_the_script_is_there(root: Path) -> None:
    script = (root / "static" / "survey.mjs").read_text(encoding="utf-8")
    direct = set(re.findall(r"texts\.(\w+)", script))
    by_outcome = {"offline", "refused", "outdated", "broken", "missing", "number", "minimum"}
    assert direct | by_outcome == set(SCRIPT_TEXTS)


def test_every_choice_is_labelled_and_counted(document: Document, wellbeing: Survey) -> None:
    labels = {label["for"] for label in document.all("label")}
    radios = [control for control in document.all("input") if control["type"] == "radio"]
    sizes = [len(question.values) for question in wellbeing.questions if question.kind != "number"]
    expected = [(str(place), str(size)) for size in sizes for place in range(1, size + 1)]
    assert [(radio["aria-posinset"], radio["aria-setsize"]) for radio in radios] == expected
    assert {control["id"] for control in document.all("input")} <= labels
    assert len(document.all("legend")) == len(document.all("fieldset")) == len(sizes)


def test_every_reference_leads_somewhere(document: Document) -> None:
    ids = [attributes["id"] for _, attributes in document.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in document.elements:
        for name in ("for", "aria-labelledby", "aria-describedby"):
            assert set(str(attributes.get(name) or "").split()) <= set(ids)


def test_the_language_is_the_survey_s(client: FlaskClient, store: Store, wellbeing: Survey) -> None:
    store.publish(renamed(wellbeing, "dutch", "Welzijn", languages=("nl",)))
    assert Document(client.get("/s/dutch").text).all("html") == [{"lang": "nl"}]


def test_the_odds_stand_at_each_question(client: FlaskClient) -> None:
    page = html.unescape(client.get("/s/wellbeing").text)
    assert "Of 100 people whose true answer is No, 20 will have Yes sent." in page
    assert "Sent as it is: this question is not disguised." in page


def test_hostile_texts_stay_texts(store: Store) -> None:
    store.publish(
        parse_survey("""
name = "hostile"
title = "</title><script>alert(1)</script>"
languages = ["en"]
questions = [
  { name = "q", label = "'\\"><img src=x>", kind = "choice", sensitive = false, \
values = ["\\"onclick=", "{{ 7 * 7 }}"] },
]
""")
    )
    page = create_app(store).test_client().get("/s/hostile").text
    document = Document(page)
    assert len(document.all("script")) == 1
    assert not document.all("img")
    assert "{{ 7 * 7 }}" in html.unescape(page)


def test_all_a_survey_needs_weighs_under_60_kb(client: FlaskClient, root: Path) -> None:
    files = sum(path.stat().st_size for path in (root / "static").iterdir())
    assert files + len(client.get("/s/wellbeing").data) < WEIGHT


def test_scripts_are_served_as_scripts_and_kept_fresh(client: FlaskClient, root: Path) -> None:
    for path in (root / "static").glob("*.mjs"):
        with client.get(f"/static/{path.name}") as answer:
            assert answer.mimetype == "text/javascript"
            assert answer.headers["Cache-Control"] == "no-cache"
            known = {"If-None-Match": answer.headers["ETag"]}
        with client.get(f"/static/{path.name}", headers=known) as answer:
            assert answer.status_code == 304


def renamed(survey: Survey, name: str, title: str, languages: tuple[str, ...] = ("en",)) -> Survey:
    return Survey(name, title, languages, survey.questions, survey.groups, survey.target)
