"""Whoever is refused a page reads why, in their language: the survey's if it is one of ours, else the browser's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from collector.errors import StoreError
from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.wording.languages import SHIPPED
from respondent.app import REASONS, create_app
from respondent.errors import NoSuchResponseError, RefusalError
from respondent.intake.callers import Limits
from respondent.pages.languages import interface
from respondent.pages.texts import error_words
from small_intake import opened

ENGLISH, ARABIC = {"Accept-Language": "en"}, {"Accept-Language": "ar-EG, en;q=0.5"}
REASONS_OF_PAGES = {RefusalError.reason, *REASONS.values(), *(each.reason for each in RefusalError.__subclasses__())}
REASONS_OF_PAGES -= {NoSuchResponseError.reason}  # only programs ask for that
REASONS_OF_PAGES |= {"broken"}  # a survey file in a preview


@pytest.fixture
def store(tmp_path: Path, bilingual: Survey) -> Iterator[Store]:
    with Store(tmp_path / "deniable.db", create=True) as store:
        store.publish(bilingual)
        yield store


def spoken(answer: TestResponse) -> tuple[str, str]:
    """The language and the direction that a page says it has, once its words are known to be in it."""
    found = re.search(r'<html lang="([\w-]+)" dir="(\w+)">', answer.text)
    assert found is not None
    heading = re.findall(r"<h1>(.*?)</h1>", answer.text)
    assert (re.search(r"[a-z]", heading[0]) is None) == (found[2] == "rtl")
    return found[1], found[2]


@pytest.mark.parametrize("language", SHIPPED)
def test_every_reason_to_refuse_a_page_has_words_of_its_own(language: str) -> None:
    words = {reason: error_words(reason, interface(language)) for reason in REASONS_OF_PAGES}
    assert len(set(words.values())) == len(REASONS_OF_PAGES)
    assert all(each.heading and each.remedy.endswith((".", "。", "।")) for each in words.values())


def test_a_reason_that_came_later_is_told_in_general_words() -> None:
    assert error_words("something new", interface("en")) == error_words("malformed", interface("en"))


def test_a_page_that_does_not_exist_says_so_in_the_language_of_the_browser(client: FlaskClient) -> None:
    for path in ("/nothing", "/s/nothing"):
        assert spoken(client.get(path, headers=ENGLISH)) == ("en", "ltr")
        assert spoken(client.get(path, headers=ARABIC)) == ("ar", "rtl")
        assert spoken(client.get(f"{path}?lang=ar", headers=ENGLISH)) == ("ar", "rtl")


def test_a_closed_survey_says_so_in_a_language_of_its_own(client: FlaskClient, store: Store, bilingual: Survey) -> None:
    store.publish(parse_survey(TEXT.format(name="arabic", language="ar-EG")))
    store.publish(parse_survey(TEXT.format(name="danish", language="da")))
    for name in (bilingual.name, "arabic", "danish"):
        store.close_survey(name)
    assert spoken(client.get(f"/s/{bilingual.name}", headers=ARABIC)) == ("ar", "rtl")
    assert spoken(client.get("/s/arabic", headers=ENGLISH)) == ("ar-EG", "rtl")
    answer = client.get("/s/danish", headers={"Accept-Language": "da"})
    assert spoken(answer) == ("en", "ltr"), "what is said in English must not be called Danish"
    assert answer.status_code == HTTPStatus.GONE
    assert "It takes no more responses." in answer.text


TEXT = """
name = "{name}"
title = "T"
languages = ["{language}"]
questions = [{{ name = "q", label = "Q", kind = "yes_no", sensitive = false }}]
"""


def test_a_form_by_hand_that_is_refused_keeps_its_language(
    client: FlaskClient, store: Store, bilingual: Survey
) -> None:
    store.publish(replace(bilingual, preview="after"))
    address = f"/s/{bilingual.name}/by-hand?lang=ar"
    form = {"fingerprint": bilingual.fingerprint, "q-year": "0"} | opened(client, bilingual.name)
    for sent in (form, {"stray": "1"}, form | {"fingerprint": "0" * 64}):
        answer = client.post(address, data=sent, headers=ENGLISH)
        assert answer.status_code in {HTTPStatus.BAD_REQUEST, HTTPStatus.CONFLICT}
        assert spoken(answer) == ("ar", "rtl")


def test_whoever_asks_too_much_is_told_in_their_language(store: Store) -> None:
    client = create_app(store, limits=Limits(1, 1)).test_client()
    client.get("/")
    answer = client.get("/", headers=ARABIC)
    assert answer.status_code == HTTPStatus.TOO_MANY_REQUESTS
    assert spoken(answer) == ("ar", "rtl")


def test_a_store_that_cannot_be_read_does_not_silence_the_page_that_says_so(
    client: FlaskClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def state(name: str) -> None:
        raise StoreError(name, "it cannot be read", "try again later")

    monkeypatch.setattr(store, "state", state)
    answer = client.get("/s/anything", headers=ARABIC)
    assert answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE
    assert spoken(answer) == ("ar", "rtl")


def test_no_page_of_errors_quotes_what_programs_read(client: FlaskClient) -> None:
    assert "address:" not in client.get("/s/nothing").text
    assert (
        "address: no survey with this name is open here"
        in client.post(
            "/api/v1/surveys/nothing/responses", json={"fingerprint": "0" * 64, "codes": {}, "receipt": "A" * 43}
        ).get_json()["error"]
    )
