"""Forms that were disguised by hand: stored and marked, or refused on a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from collector.store import Store
from small_intake import CODES, RECEIPT, SURVEY


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path, create=True) as store:
        store.publish(SURVEY)
        yield store


FORM = {"fingerprint": SURVEY.fingerprint, **{f"q-{name}": str(code) for name, code in CODES.items()}}


def by_hand(client: FlaskClient, form: dict[str, Any], **headers: str) -> TestResponse:
    return client.post("/s/small/by-hand", data=form, headers={k.replace("_", "-"): v for k, v in headers.items()})


def test_a_form_disguised_by_hand_is_stored_and_marked(client: FlaskClient, store: Store) -> None:
    answer = by_hand(client, FORM, Origin="null", Sec_Fetch_Site="same-origin")
    assert answer.status_code == 201
    assert "Thank you" in answer.text
    assert store.rows(SURVEY) == [(1, 2, 0, 1)]
    with store._connections.reading() as database:  # noqa: SLF001 - the mark shows nowhere else
        assert database.execute("SELECT _by_hand FROM responses_small_1").fetchall() == [(1,)]


def test_a_form_with_a_receipt_counts_once(client: FlaskClient, store: Store) -> None:
    first, again, changed = [by_hand(client, FORM | {"receipt": RECEIPT, "q-year": year}) for year in ("1", "1", "2")]
    assert [each.status_code for each in (first, again, changed)] == [201, 200, 200]
    assert "had been stored before" not in first.text
    assert "had been stored before. It stays as it was" in again.text
    assert changed.text == again.text, "who has the receipt learns nothing of the codes"
    assert store.rows(SURVEY) == [(1, 2, 0, 1)]


def test_a_form_may_bring_an_invitation(client: FlaskClient, store: Store) -> None:
    (code,) = store.invite("small", 1)
    assert by_hand(client, FORM | {"invitation": ""}).status_code == 404
    assert by_hand(client, FORM | {"invitation": code}).status_code == 201
    assert by_hand(client, FORM | {"invitation": code}).status_code == 409


BAD_FORMS: dict[str, tuple[dict[str, Any], int]] = {
    "nothing": ({}, 415),
    "a question missing": ({key: value for key, value in FORM.items() if key != "q-fear"}, 400),
    "a field twice": (FORM | {"q-fear": ["0", "1"]}, 400),
    "a field that is no question": (FORM | {"time": "now"}, 400),
    "a question that is none": (FORM | {"q-hope": "1"}, 400),
    "a value in words": (FORM | {"q-fear": "yes"}, 400),
    "a code with a sign": (FORM | {"q-fear": "+1"}, 400),
    "a code in other digits": (FORM | {"q-fear": "\u0661"}, 400),
    "a code of none": (FORM | {"q-fear": "7"}, 400),
    "no fingerprint": ({key: value for key, value in FORM.items() if key != "fingerprint"}, 400),
    "another fingerprint": (FORM | {"fingerprint": "0" * 64}, 409),
    "a bad receipt": (FORM | {"receipt": "A"}, 400),
}


@pytest.mark.parametrize("why", BAD_FORMS)
def test_a_malformed_form_is_refused_on_a_page_and_stores_nothing(why: str, client: FlaskClient, store: Store) -> None:
    form, status = BAD_FORMS[why]
    answer = by_hand(client, form)
    assert answer.status_code == status
    assert answer.mimetype == "text/html"
    assert store.count(SURVEY) == 0


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://localhost"}, 201),
        ({"Origin": "null"}, 201),
        ({"Origin": "null", "Sec_Fetch_Site": "cross-site"}, 403),
        ({"Origin": "http://example.org"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "multipart/form-data; boundary=x"}, 415),
    ],
)
def test_a_form_comes_from_our_own_page(headers: dict[str, str], status: int, client: FlaskClient) -> None:
    assert by_hand(client, FORM, **headers).status_code == status
