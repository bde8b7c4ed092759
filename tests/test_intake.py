"""The one door in: a good response is stored, and everything else is refused in one line and changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from collector.errors import StoreError
from collector.store import Store
from collector.survey_file import parse_survey
from make_vectors import SMALL, SPLIT
from malformed import MALFORMED_CODES
from respondent.app import create_app

SURVEY = parse_survey(SMALL)
ADDRESS = "/api/v1/surveys/small/responses"
CODES = {"year": 1, "drug": 2, "fear": 0, "income": 1}
RECEIPT = "A" * 43
GOOD = {"fingerprint": SURVEY.fingerprint, "codes": CODES, "receipt": RECEIPT}
BODY = json.dumps(GOOD)
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "deniable.db", create=True) as store:
        store.publish(SURVEY)
        yield store


@pytest.fixture
def client(store: Store) -> FlaskClient:
    return create_app(store).test_client()


def post(client: FlaskClient, body: str | bytes = BODY, **headers: str) -> TestResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post(ADDRESS, data=body, headers=JSON | named)


def test_a_response_is_stored(client: FlaskClient, store: Store) -> None:
    answer = post(client)
    assert (answer.status_code, answer.data) == (201, b"")
    assert store.rows(SURVEY) == [(1, 2, 0, 1)]


def test_the_order_of_keys_is_free(client: FlaskClient, store: Store) -> None:
    body = json.dumps({**dict(reversed(GOOD.items())), "codes": dict(reversed(CODES.items()))}, indent=2)
    assert post(client, body).status_code == 201
    assert store.rows(SURVEY) == [(1, 2, 0, 1)]


@pytest.mark.parametrize(
    "headers",
    [
        {"Content_Type": "application/json; charset=utf-8"},
        {"Origin": "http://localhost"},
        {"Origin": "https://localhost"},  # a proxy in front speaks TLS
        {"Origin": "http://LOCALHOST", "Sec_Fetch_Site": "same-origin"},
    ],
)
def test_our_own_page_may_send(client: FlaskClient, headers: dict[str, str]) -> None:
    assert post(client, **headers).status_code == 201


def altered(**changes: Any) -> str:  # noqa: ANN401 - JSON
    return json.dumps(GOOD | changes)


def coded(text: str) -> str:
    """A body with one code written so."""
    return BODY.replace('"income": 1', f'"income": {text}')


BODIES: dict[str, tuple[str | bytes, int, str]] = {
    **{
        f"codes: {why}": (altered(codes=codes), 400, "body:" if why == "a decimal" else f"{place}:")
        for why, codes, place in MALFORMED_CODES
        if why != "a code beyond 2^53"
    },
    "empty": ("", 400, "body:"),
    "a space": (" ", 400, "body:"),
    "not JSON": ("codes=1", 400, "body:"),
    "half of it": (BODY[: len(BODY) // 2], 400, "body:"),
    "two of it": (BODY + BODY, 400, "body:"),
    "a byte order mark": ("\ufeff" + BODY, 400, "body:"),
    "not UTF-8": (BODY.encode("utf-16"), 400, "body:"),
    "a stray byte": (BODY.encode().replace(b"year", b"y\xffar"), 400, "body:"),
    "a lone surrogate, encoded": (BODY.encode().replace(b"year", b"\xed\xa0\x80"), 400, "body:"),
    "a lone surrogate, escaped": (BODY.replace("year", "\\ud800"), 400, "codes:"),
    "a comment": (BODY + " // sent", 400, "body:"),
    "a comma at the end": (BODY.replace("1},", "1,},"), 400, "body:"),
    "single quotes": (BODY.replace('"', "'"), 400, "body:"),
    "nested too deeply": ("[" * 60_000, 400, "body:"),
    "nested too deeply, and closed": ('{"codes":' * 6_000 + "0" + "}" * 6_000, 400, "body:"),
    "a list": (f"[{BODY}]", 400, "body:"),
    "null": ("null", 400, "body:"),
    "a number": ("1", 400, "body:"),
    "text": (json.dumps(BODY), 400, "body:"),
    "no keys": ("{}", 400, "body:"),
    "no receipt": (json.dumps({"fingerprint": SURVEY.fingerprint, "codes": CODES}), 400, "body:"),
    "an empty receipt": (altered(receipt=""), 400, "receipt:"),
    "a receipt too short": (altered(receipt="A" * 42), 400, "receipt:"),
    "a receipt too long": (altered(receipt="A" * 44), 400, "receipt:"),
    "a receipt with padding": (altered(receipt="A" * 43 + "="), 400, "receipt:"),
    "a receipt in another spelling of the same bytes": (altered(receipt="A" * 42 + "B"), 400, "receipt:"),
    "a receipt of plain base64": (altered(receipt="+" + "A" * 42), 400, "receipt:"),
    "a receipt that is no ASCII": (altered(receipt="é" * 43), 400, "receipt:"),
    "a receipt that is a number": (altered(receipt=1), 400, "receipt:"),
    "a receipt that is null": (altered(receipt=None), 400, "receipt:"),
    "an invitation that is null": (altered(invitation=None), 400, "invitation:"),
    "an invitation that is a number": (altered(invitation=7), 400, "invitation:"),
    "no codes": (json.dumps({"fingerprint": SURVEY.fingerprint}), 400, "body:"),
    "no fingerprint": (json.dumps({"codes": CODES}), 400, "body:"),
    "an extra key": (altered(time="now"), 400, "body:"),
    "another extra key": (altered(id=1), 400, "body:"),
    "a key twice": (BODY.replace('"codes"', f'"fingerprint": "{SURVEY.fingerprint}", "codes"'), 400, "body:"),
    "a question twice": (BODY.replace('"year": 1', '"year": 1, "year": 1'), 400, "body:"),
    "a question twice, once escaped": (BODY.replace('"year": 1', '"year": 1, "y\\u0065ar": 2'), 400, "body:"),
    "the fingerprint of another design": (altered(fingerprint="0" * 64), 409, "fingerprint:"),
    "the fingerprint in capitals": (altered(fingerprint=SURVEY.fingerprint.upper()), 409, "fingerprint:"),
    "an empty fingerprint": (altered(fingerprint=""), 409, "fingerprint:"),
    "the fingerprint as a number": (altered(fingerprint=1), 400, "fingerprint:"),
    "the fingerprint as null": (altered(fingerprint=None), 400, "fingerprint:"),
    "NaN": (coded("NaN"), 400, "body:"),
    "Infinity": (coded("Infinity"), 400, "body:"),
    "minus Infinity": (coded("-Infinity"), 400, "body:"),
    "a whole number written as a decimal": (coded("1.0"), 400, "body:"),
    "a whole number written with an exponent": (coded("1e0"), 400, "body:"),
    "a number with a leading nought": (coded("01"), 400, "body:"),
    "a number with a plus": (coded("+1"), 400, "body:"),
    "a hexadecimal number": (coded("0x1"), 400, "body:"),
    "a number of 30 digits": (coded("1" * 30), 400, "body:"),
    "a number of 5,000 digits": (coded("1" * 5_000), 400, "body:"),
    "a number beyond 64 bits": (coded(str(2**64)), 400, 'question "income":'),
    "a number beyond 2^53": (coded(str(2**53)), 400, 'question "income":'),
    "one byte too many": (BODY.ljust(64 * 1024 + 1), 413, "body:"),
    "a megabyte": ("x" * 2**20, 413, "body:"),
}


def test_there_are_at_least_50_malformed_bodies() -> None:
    assert len(BODIES) >= 50


@pytest.mark.parametrize("why", BODIES)
def test_a_malformed_body_is_refused_in_one_line_and_changes_nothing(
    why: str, client: FlaskClient, store: Store
) -> None:
    body, status, place = BODIES[why]
    answer = post(client, body)
    assert answer.status_code == status
    refused_in_one_line(answer, place)
    assert store.count(SURVEY) == 0


def refused_in_one_line(answer: TestResponse, place: str) -> None:
    assert answer.mimetype == "application/json"
    assert answer.json is not None
    assert sorted(answer.json) == ["error", "reason"]
    line = answer.json["error"]
    assert line.startswith(place)
    assert line.isprintable()
    assert "; " in line  # the remedy


def test_a_body_of_just_the_largest_size_is_read(client: FlaskClient) -> None:
    assert post(client, BODY.ljust(64 * 1024)).status_code == 201


REQUESTS: dict[str, tuple[dict[str, str], int]] = {
    "no media type": ({"Content-Type": ""}, 415),
    "a form": ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    "a form with files": ({"Content-Type": "multipart/form-data; boundary=x"}, 415),
    "plain text, as a simple request from another site would have it": ({"Content-Type": "text/plain"}, 415),
    "JSON of another kind": ({"Content-Type": "application/json-seq"}, 415),
    "another site": ({"Sec-Fetch-Site": "cross-site"}, 403),
    "a sister site": ({"Sec-Fetch-Site": "same-site"}, 403),
    "no page": ({"Sec-Fetch-Site": "none"}, 403),
    "a fetch site nobody knows": ({"Sec-Fetch-Site": "?"}, 403),
    "another origin": ({"Origin": "http://example.org"}, 403),
    "another port": ({"Origin": "http://localhost:8080"}, 403),
    "our name at the end of another": ({"Origin": "http://not-localhost"}, 403),
    "our name before another": ({"Origin": "http://localhost.example.org"}, 403),
    "our name as a user": ({"Origin": "http://localhost@example.org"}, 403),
    "an origin that hides itself": ({"Origin": "null"}, 403),
    "an empty origin": ({"Origin": ""}, 403),
    "an origin that is no address": ({"Origin": "http://[localhost"}, 403),
    "our origin from another site": ({"Origin": "http://localhost", "Sec-Fetch-Site": "cross-site"}, 403),
}


@pytest.mark.parametrize("why", REQUESTS)
def test_a_request_that_is_not_from_our_page_is_refused(why: str, client: FlaskClient, store: Store) -> None:
    headers, status = REQUESTS[why]
    answer = client.post(ADDRESS, data=BODY, headers=JSON | headers)
    assert answer.status_code == status
    refused_in_one_line(answer, "request:")
    assert store.count(SURVEY) == 0


@pytest.mark.parametrize("name", ["nothing", "Small", "small ", "sm%61ll_", "..", "small%2f", "%00"])
def test_a_survey_that_is_not_open_is_not_found(name: str, client: FlaskClient) -> None:
    answer = client.post(f"/api/v1/surveys/{name}/responses", data=BODY, headers=JSON)
    assert answer.status_code == 404
    refused_in_one_line(answer, "address:")


def test_an_older_version_is_outdated_and_the_newest_taken(client: FlaskClient, store: Store) -> None:
    newer = parse_survey(SMALL.replace("Which year?", "In which year are you?"))
    store.publish(newer)
    answer = post(client)
    assert answer.status_code == 409
    assert answer.json == {
        "error": "fingerprint: this is not the survey as it is published now; reload the page",
        "reason": "outdated",
    }
    assert post(client, altered(fingerprint=newer.fingerprint)).status_code == 201
    assert (store.count(SURVEY), store.count(newer)) == (0, 1)


# Repeats, receipts, invitations


def reason(answer: TestResponse) -> tuple[int, str | None]:
    return answer.status_code, (answer.json or {}).get("reason")


def test_a_repeat_is_200_and_a_change_409(client: FlaskClient, store: Store) -> None:
    assert post(client).status_code == 201
    again = post(client)
    assert (again.status_code, again.data) == (200, b"")
    assert reason(post(client, altered(codes=CODES | {"year": 2}))) == (409, "changed")
    assert store.count(SURVEY) == 1


def test_a_repeat_is_recognised_even_after_a_new_version_or_the_closing(client: FlaskClient, store: Store) -> None:
    post(client)
    store.publish(parse_survey(SMALL.replace("Which year?", "In which year are you?")))
    assert post(client).status_code == 200
    store.close_survey("small")
    assert post(client).status_code == 200


def test_a_closed_survey_refuses_politely_on_every_surface(client: FlaskClient, store: Store) -> None:
    store.close_survey("small")
    assert reason(post(client)) == (410, "closed")
    assert "thank you for coming" in (post(client).json or {})["error"]
    assert reason(delete(client)) == (410, "closed")
    assert "/s/small" not in client.get("/").text
    store.open_survey("small")
    assert post(client).status_code == 201


def test_invitations_are_needed_known_and_used_once(client: FlaskClient, store: Store) -> None:
    (code,) = store.invite("small", 1)
    assert reason(post(client)) == (404, "unknown-invitation")
    assert reason(post(client, altered(invitation="7ZQ4K-0B1CD-EFGHJ-KMNPQ-RSTVWX"))) == (404, "unknown-invitation")
    assert store.count(SURVEY) == 0
    assert post(client, altered(invitation=f" {code.lower()} ")).status_code == 201
    assert post(client, altered(invitation=code)).status_code == 200
    assert reason(post(client, altered(invitation=code, receipt="B" * 42 + "A"))) == (409, "used-invitation")
    assert store.count(SURVEY) == 1


def test_a_survey_without_invitations_refuses_one(client: FlaskClient) -> None:
    assert reason(post(client, altered(invitation="7ZQ4K"))) == (404, "unknown-invitation")


def delete(client: FlaskClient, **changes: Any) -> TestResponse:  # noqa: ANN401 - JSON
    wish = {"fingerprint": SURVEY.fingerprint, "receipt": RECEIPT} | changes
    return client.delete(ADDRESS, data=json.dumps(wish), headers=JSON)


def test_a_receipt_deletes_its_response_once(client: FlaskClient, store: Store) -> None:
    post(client)
    post(client, altered(receipt="B" * 42 + "A"))
    assert reason(delete(client, receipt="C" * 42 + "A")) == (404, "no-such-response")
    answer = delete(client)
    assert (answer.status_code, answer.data) == (204, b"")
    assert reason(delete(client)) == (404, "no-such-response")
    assert store.count(SURVEY) == 1


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"receipt": "A"}, (400, "malformed")),
        ({"receipt": None}, (400, "malformed")),
        ({"codes": CODES}, (400, "malformed")),
        ({"fingerprint": 1}, (400, "malformed")),
        ({"fingerprint": "0" * 64}, (409, "outdated")),
    ],
)
def test_a_malformed_wish_to_delete_deletes_nothing(
    changes: dict[str, Any], expected: tuple[int, str], client: FlaskClient, store: Store
) -> None:
    post(client)
    assert reason(delete(client, **changes)) == expected
    assert store.count(SURVEY) == 1


# By hand


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
    statuses = [by_hand(client, FORM | {"receipt": RECEIPT}).status_code for _ in range(2)]
    assert statuses == [201, 200]
    assert by_hand(client, FORM | {"receipt": RECEIPT, "q-year": "2"}).status_code == 409
    assert store.count(SURVEY) == 1


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


SECRETS = ["blue-heron", "0x6e6f", "8675309"]


@pytest.mark.parametrize("secret", SECRETS)
def test_nothing_that_was_sent_is_ever_repeated(secret: str, client: FlaskClient) -> None:
    for body in (
        secret,
        json.dumps(secret),
        json.dumps({secret: 1}),
        altered(fingerprint=secret),
        altered(codes=secret),
        altered(codes={secret: secret}),
        altered(codes={**CODES, "fear": secret}),
        altered(**{secret: 1}),
        f'{{"{secret}": 1, "{secret}": 2}}',
        coded("8675309"),
        coded("8675309e1"),
    ):
        answer = post(client, body)
        assert answer.status_code >= 400
        assert secret not in answer.text
        assert secret not in str(answer.headers)


@pytest.fixture
def breaking(store: Store, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], FlaskClient]:
    """A client of an app whose store fails in one of its methods."""

    def with_failing(method: str) -> FlaskClient:
        def fail(*_: object) -> None:
            raise StoreError("/srv/deniable.db", "another program has locked it", "try again later")

        monkeypatch.setattr(store, method, fail)
        return create_app(store).test_client()

    return with_failing


@pytest.mark.parametrize("method", ["receive", "version_of"])
def test_a_store_that_cannot_be_used_means_try_again(
    method: str, breaking: Callable[[str], FlaskClient], caplog: pytest.LogCaptureFixture
) -> None:
    answer = post(breaking(method))
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
    refused_in_one_line(answer, "server:")
    assert "deniable.db" not in answer.text
    assert "/srv/deniable.db: another program has locked it" in caplog.text


def test_a_page_of_a_store_that_cannot_be_used_says_so(breaking: Callable[[str], FlaskClient]) -> None:
    answer = breaking("state").get("/s/small")
    assert answer.status_code == 503
    assert "try again in a minute" in answer.text
    assert "deniable.db" not in answer.text


def test_a_locked_store_loses_nothing(
    client: FlaskClient, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3  # noqa: PLC0415 - another program, as it were

    monkeypatch.setattr("collector.connections.BUSY_SECONDS", 0.1)
    with Store(tmp_path / "deniable.db") as impatient:
        other = sqlite3.connect(tmp_path / "deniable.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        busy = create_app(impatient).test_client()
        assert post(busy).status_code == 503
        other.execute("ROLLBACK")
        other.close()
        assert store.count(SURVEY) == 0
        assert post(busy).status_code == 201
    assert store.count(SURVEY) == 1
    assert post(client).status_code == 200


SAMPLED = parse_survey(SPLIT)
ASKED = {"fear": 1, "city": 6, "diet": 5, "vice": 0, "rent": 0, "income": 2}
SPLIT_CODES = {question.name: ASKED.get(question.name) for question in SAMPLED.questions}


def post_split(client: FlaskClient, codes: Any) -> TestResponse:  # noqa: ANN401 - JSON
    body = json.dumps({"fingerprint": SAMPLED.fingerprint, "codes": codes, "receipt": RECEIPT}) + " " * 20
    return client.post(ADDRESS.replace("small", "split"), data=body, headers=JSON)


def test_a_sampled_response_keeps_null_for_what_was_not_asked(client: FlaskClient, store: Store) -> None:
    store.publish(SAMPLED)
    assert post_split(client, SPLIT_CODES).status_code == 201
    assert post_split(client, SPLIT_CODES).status_code == 200
    assert post_split(client, SPLIT_CODES | {"vice": 1}).status_code == 409
    assert store.rows(SAMPLED) == [tuple(SPLIT_CODES.values())]


@pytest.mark.parametrize(
    "changes",
    [
        {"fear": None, "debt": 0},  # who is always asked was not
        {"vice": None},
        {"debt": 0},
        dict.fromkeys(ASKED),
        {"vice": None, "debt": 2},
        {"other": None},
        {"vice": "null"},
        {"vice": False},
    ],
)
def test_a_response_to_other_questions_than_one_respondent_is_asked_is_refused(
    changes: dict[str, Any], client: FlaskClient, store: Store
) -> None:
    store.publish(SAMPLED)
    assert post_split(client, SPLIT_CODES | changes).status_code == 400
    assert store.rows(SAMPLED) == []


def test_a_response_that_leaves_out_what_was_not_asked_is_refused(client: FlaskClient, store: Store) -> None:
    store.publish(SAMPLED)
    answer = post_split(client, ASKED)
    assert answer.status_code == 400
    assert "send null for each that was not asked" in answer.json["error"]
    assert store.rows(SAMPLED) == []


def test_nobody_draws_questions_by_hand(client: FlaskClient, store: Store) -> None:
    store.publish(SAMPLED)
    page = client.get("/s/split/by-hand")
    assert "a script draws which" in page.text
    assert "<form" not in page.text
    fields = {"fingerprint": SAMPLED.fingerprint, "receipt": RECEIPT} | {
        f"q-{name}": code for name, code in ASKED.items()
    }
    assert client.post("/s/split/by-hand", data=fields).status_code == 400
    assert store.rows(SAMPLED) == []
