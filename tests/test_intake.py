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
from make_vectors import SMALL
from malformed import MALFORMED_CODES
from respondent import create_app

SURVEY = parse_survey(SMALL)
ADDRESS = "/api/v1/surveys/small/responses"
CODES = {"year": 1, "drug": 2, "fear": 0, "income": 1}
GOOD = {"fingerprint": SURVEY.fingerprint, "codes": CODES}
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
    assert (answer.status_code, answer.json) == (201, {"stored": True})
    assert store.rows(SURVEY) == [(1, 2, 0, 1)]


def test_the_order_of_keys_is_free(client: FlaskClient, store: Store) -> None:
    body = json.dumps({"codes": dict(reversed(CODES.items())), "fingerprint": SURVEY.fingerprint}, indent=2)
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
    "a comma at the end": (BODY.replace("1}}", "1,}}"), 400, "body:"),
    "single quotes": (BODY.replace('"', "'"), 400, "body:"),
    "nested too deeply": ("[" * 60_000, 400, "body:"),
    "nested too deeply, and closed": ('{"codes":' * 6_000 + "0" + "}" * 6_000, 400, "body:"),
    "a list": (f"[{BODY}]", 400, "body:"),
    "null": ("null", 400, "body:"),
    "a number": ("1", 400, "body:"),
    "text": (json.dumps(BODY), 400, "body:"),
    "no keys": ("{}", 400, "body:"),
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
    assert list(answer.json) == ["error"]
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
    }
    assert post(client, altered(fingerprint=newer.fingerprint)).status_code == 201
    assert (store.count(SURVEY), store.count(newer)) == (0, 1)


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


@pytest.mark.parametrize("method", ["add", "surveys"])
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
    answer = breaking("surveys").get("/s/small")
    assert answer.status_code == 503
    assert "try again in a minute" in answer.text
    assert "deniable.db" not in answer.text


def test_a_locked_store_loses_nothing(
    client: FlaskClient, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3  # noqa: PLC0415 - another program, as it were

    monkeypatch.setattr("collector.store.BUSY_SECONDS", 0.1)
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
    assert post(client).status_code == 201
