"""Forms that were disguised by hand: stored and marked, or refused on a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from collector.store.store import Store
from collector.survey_file.survey_file import parse_survey
from respondent.intake.proof import DAY
from small_intake import FORM, OURS, SURVEY, opened
from vector_surveys import SMALL


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path, create=True) as store:
        store.publish(SURVEY)
        yield store


def by_hand(client: FlaskClient, form: dict[str, Any]) -> TestResponse:
    """Send a form from our own page, with a receipt and a proof from there unless it has its own."""
    return client.post("/s/small/by-hand", data=opened(client) | form, headers=OURS)


def test_a_form_disguised_by_hand_is_stored_and_marked(client: FlaskClient, store: Store) -> None:
    answer = by_hand(client, FORM)
    assert answer.status_code == 201
    assert "Thank you" in answer.text
    assert store.rows(SURVEY) == [(1, 2, 0, 1)]
    with store._connections.reading() as database:  # noqa: SLF001 - the mark shows nowhere else
        assert database.execute("SELECT _by_hand FROM responses_small_1").fetchall() == [(1,)]


def test_a_form_with_a_receipt_counts_once(client: FlaskClient, store: Store) -> None:
    form = FORM | opened(client)
    first, again, changed = [by_hand(client, form | {"q-year": year}) for year in ("1", "1", "2")]
    assert [each.status_code for each in (first, again, changed)] == [201, 200, 200]
    assert "had been stored before" not in first.text
    assert "had been stored before" in again.text
    assert changed.text == again.text, "who has the receipt learns nothing of the codes"
    assert store.rows(SURVEY) == [(1, 2, 0, 1)]


def test_a_form_may_bring_an_invitation(client: FlaskClient, store: Store) -> None:
    (code,) = store.invite("small", 1)
    assert by_hand(client, FORM | {"invitation": ""}).status_code == 404
    assert by_hand(client, FORM | {"invitation": code}).status_code == 201
    assert by_hand(client, FORM | {"invitation": code}).status_code == 409


@pytest.mark.parametrize("wrong", ["", "nonsense", "used"])
def test_a_form_whose_invitation_is_refused_is_not_lost(wrong: str, client: FlaskClient, store: Store) -> None:
    used, spare = store.invite("small", 2)
    assert by_hand(client, FORM | {"invitation": used}).status_code == 201
    form = FORM | opened(client) | {"invitation": used if wrong == "used" else wrong}
    page = by_hand(client, form).text
    fields = dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', page))
    assert fields == {key: value for key, value in form.items() if key != "invitation"}
    assert '<form method="post" autocomplete="off">' in page, "it goes to the address that it came from"
    assert by_hand(client, fields | {"invitation": spare}).status_code == 201
    assert store.count(SURVEY) == 2


def test_what_is_refused_for_another_reason_is_not_sent_back(client: FlaskClient, store: Store) -> None:
    assert "hidden" not in by_hand(client, FORM | {"q-fear": '"><script>'}).text
    (code,) = store.invite("small", 1)
    hostile = by_hand(client, FORM | {'q-"><script>': "1", "invitation": code})
    assert "<script>" not in hostile.text


def test_a_form_with_questions_left_out_comes_back_as_it_was_with_each_of_them_named(
    client: FlaskClient, store: Store
) -> None:
    sent = opened(client) | {key: value for key, value in FORM.items() if key not in {"q-fear", "q-year"}}
    answer = client.post("/s/small/by-hand", data=sent, headers=OURS)
    assert answer.status_code == 400
    assert store.count(SURVEY) == 0
    links = re.findall(r'<li><a href="#([^"]+)">Question (\d+) of 4: Choose an answer.</a></li>', answer.text)
    names = [each.name for each in SURVEY.questions]
    assert sorted(links) == sorted((f"q-{name}", str(names.index(name) + 1)) for name in ("fear", "year"))
    for name, _ in links:
        assert len(re.findall(f'<input[^>]* id="{name}"', answer.text)) == 1, "the link leads to an answer"
        assert f'aria-describedby="{name}-error"' in answer.text
        assert f'id="{name}-error">Error: Choose an answer.' in answer.text
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', answer.text))
    assert hidden == {key: sent[key] for key in ("fingerprint", "receipt", "proof")}
    marked = [re.findall(r'(name|value)="([^"]*)"', each) for each in re.findall("<input checked[^>]*>", answer.text)]
    kept = {dict(each)["name"]: dict(each)["value"] for each in marked}
    assert kept == {key: value for key, value in sent.items() if key.startswith("q-")}
    assert client.post("/s/small/by-hand", data=hidden | FORM, headers=OURS).status_code == 201


def test_a_form_with_questions_left_out_keeps_its_invitation_and_is_refused_once_the_survey_is_closed(
    client: FlaskClient, store: Store
) -> None:
    (code,) = store.invite("small", 1)
    sent = opened(client) | {key: value for key, value in FORM.items() if key != "q-fear"}
    answer = client.post("/s/small/by-hand", data=sent | {"invitation": f'{code}"><b>'}, headers=OURS)
    assert f'value="{code}&#34;&gt;&lt;b&gt;"' in answer.text
    store.close_survey("small")
    assert client.post("/s/small/by-hand", data=sent, headers=OURS).status_code == 410


BAD_FORMS: dict[str, tuple[dict[str, Any], int]] = {
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


def test_nothing_is_no_form(client: FlaskClient) -> None:
    assert client.post("/s/small/by-hand", headers=OURS).status_code == 415


PAGE = "http://localhost/s/small/by-hand"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://localhost"}, 201),
        ({"Origin": "https://localhost", "Sec-Fetch-Site": "same-origin"}, 201),
        ({"Referer": PAGE}, 201),
        ({}, 201),  # a browser that says nothing, or no browser
        ({"Origin": "null"}, 403),
        ({"Origin": "null", "Referer": PAGE}, 403),
        ({"Origin": "null", "Sec-Fetch-Site": "same-origin"}, 403),
        ({"Origin": "http://localhost", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "http://example.org", "Referer": PAGE}, 403),
        ({"Referer": "http://example.org/s/small/by-hand"}, 403),
        ({"Referer": "http://localhost@example.org/"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "multipart/form-data; boundary=x"}, 415),
    ],
)
def test_a_form_comes_from_our_own_page(headers: dict[str, str], status: int, client: FlaskClient) -> None:
    answer = client.post("/s/small/by-hand", data=FORM | opened(client), headers=headers)
    assert answer.status_code == status


def test_a_form_without_the_proof_of_its_own_receipt_and_survey_is_refused(client: FlaskClient, store: Store) -> None:
    store.publish(parse_survey(SMALL.replace('name = "small"', 'name = "other"', 1)))
    here, there, other = opened(client), opened(client), opened(client, "other")
    assert {"receipt", "proof"} == here.keys() == other.keys()
    for wrong in (
        {"receipt": here["receipt"]},
        here | {"proof": ""},
        here | {"proof": "\u00e9"},
        here | {"proof": there["proof"]},
        other,
    ):
        answer = client.post("/s/small/by-hand", data=FORM | wrong, headers=OURS)
        assert (answer.status_code, "Open it again" in answer.text) == (403, True)
    assert client.post("/s/small/by-hand", data=FORM | here, headers=OURS).status_code == 201
    assert store.count(SURVEY) == 1


def test_a_form_is_good_on_the_day_it_was_opened_and_the_next(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("respondent.intake.proof.time", lambda: 20_000.0 * DAY - 1)
    form = FORM | opened(client)
    # the form is of day 19,999; a clock that is set back by a day may say 19,998
    for day, status in ((19_997.9, 403), (19_998.0, 201), (20_000.5, 200), (20_001.0, 403)):
        monkeypatch.setattr("respondent.intake.proof.time", lambda day=day: day * DAY)
        assert client.post("/s/small/by-hand", data=form, headers=OURS).status_code == status
