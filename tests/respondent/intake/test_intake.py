"""The one door in: a good response is stored, and everything else is refused in one line and changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from collector.errors import StoreError
from collector.store.store import Store
from collector.survey.study import Study
from collector.survey_file.survey_file import parse_survey
from respondent.app import create_app
from small_intake import (
    ADDRESS,
    BODIES,
    BODY,
    CODES,
    FORM,
    GOOD,
    JSON,
    RECEIPT,
    SURVEY,
    altered,
    coded,
    opened,
    post,
    reason,
    refused_in_one_line,
)
from vector_surveys import SMALL

NEWER = parse_survey(SMALL.replace("Which year?", "In which year are you?"))


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path, create=True) as store:
        store.publish(SURVEY)
        yield store


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
    store.publish(NEWER, new_version=True)
    answer = post(client)
    assert answer.status_code == 409
    assert answer.json is not None
    assert answer.json["reason"] == "outdated"
    assert answer.json["error"].startswith("fingerprint: ")
    assert post(client, altered(fingerprint=NEWER.fingerprint)).status_code == 201
    assert (store.count(SURVEY), store.count(NEWER)) == (0, 1)


def every_guess() -> Iterator[str]:
    """Every response there may be with the receipt of the one that is stored."""
    names = [question.name for question in SURVEY.questions]
    for codes in product(*(question.codes for question in SURVEY.questions)):
        yield altered(codes=dict(zip(names, codes, strict=True)))


@pytest.mark.parametrize("end", ["it is open", "a new version is published", "it is closed"])
def test_a_receipt_does_not_tell_the_response_that_was_sent_with_it(
    end: str, client: FlaskClient, store: Store
) -> None:
    assert post(client).status_code == 201
    if end == "a new version is published":
        store.publish(NEWER, new_version=True)
    elif end == "it is closed":
        store.close_survey("small")
    answers = [post(client, guess) for guess in every_guess()]
    assert len(answers) > 30
    assert {(each.status_code, each.data, str(each.headers)) for each in answers} == {
        (200, b"", str(post(client).headers))
    }
    assert store.rows(SURVEY) == [(1, 2, 0, 1)], "the first one stays"


def test_a_repeat_is_recognised_even_after_a_new_version_or_the_closing(client: FlaskClient, store: Store) -> None:
    post(client)
    store.publish(NEWER, new_version=True)
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


def test_once_its_last_day_is_over_a_survey_is_closed_also_to_pages_that_were_opened_before(
    client: FlaskClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = replace(SURVEY, study=Study(until=date(2030, 6, 30)))
    store.publish(survey)
    end = datetime(2030, 7, 1, tzinfo=UTC).timestamp()
    forms = [FORM | {"fingerprint": survey.fingerprint} | opened(client) for _ in range(2)]
    for moment, status in ((end - 1, 201), (end, 410)):
        monkeypatch.setattr("collector.survey.study.time", lambda moment=moment: moment)
        assert post(client, altered(fingerprint=survey.fingerprint)).status_code in {status, 200}
        assert client.post("/s/small/by-hand", data=forms.pop()).status_code == status
        assert ("/s/small" in client.get("/").text) is (status == 201)
        assert client.get("/s/small").status_code == {201: 200}.get(status, status)
    assert reason(post(client, altered(fingerprint=survey.fingerprint, receipt="B" * 42 + "A"))) == (410, "closed")
    assert "thank you for coming" in (post(client, altered(receipt="B" * 42 + "A")).json or {})["error"]
    assert reason(delete(client)) == (410, "closed")
    assert store.count(survey) == 2


def test_invitations_are_needed_known_and_used_once(client: FlaskClient, store: Store) -> None:
    (code,) = store.invite("small", 1)
    assert reason(post(client)) == (404, "unknown-invitation")
    assert reason(post(client, altered(invitation="7ZQ4K-0B1CD-EFGHJ-KMNPQ-RSTVWX"))) == (404, "unknown-invitation")
    assert store.count(SURVEY) == 0
    assert post(client, altered(invitation=f" {code.lower()} ")).status_code == 201
    assert post(client, altered(invitation=code)).status_code == 200
    assert post(client, altered(invitation=code, codes=CODES | {"year": 2})).status_code == 200
    assert reason(post(client, altered(invitation=code, receipt="B" * 42 + "A"))) == (409, "used-invitation")
    assert store.count(SURVEY) == 1


def test_a_survey_without_invitations_refuses_one(client: FlaskClient) -> None:
    assert reason(post(client, altered(invitation="7ZQ4K"))) == (404, "unknown-invitation")


def delete(client: FlaskClient, **changes: Any) -> TestResponse:  # noqa: ANN401 - JSON
    wish = {"fingerprint": SURVEY.fingerprint, "receipt": RECEIPT} | changes
    return delete_with(client, wish)


def delete_with(client: FlaskClient, wish: dict[str, Any]) -> TestResponse:
    return client.delete(ADDRESS, data=json.dumps(wish), headers=JSON)


def test_a_receipt_deletes_its_response_once(client: FlaskClient, store: Store) -> None:
    post(client)
    post(client, altered(receipt="B" * 42 + "A"))
    assert reason(delete(client, receipt="C" * 42 + "A")) == (404, "no-such-response")
    answer = delete(client)
    assert (answer.status_code, answer.data) == (204, b"")
    assert delete(client).status_code == 204, "it is deleted: that stays true"
    assert reason(delete(client, receipt="C" * 42 + "A")) == (404, "no-such-response"), "which is something else"
    assert store.count(SURVEY) == 1


def test_what_was_deleted_is_not_stored_again_whoever_sends_it_late(client: FlaskClient, store: Store) -> None:
    post(client)
    delete(client)
    for body in (BODY, altered(codes=CODES | {"year": 2})):
        assert reason(post(client, body)) == (410, "deleted")
    assert store.count(SURVEY) == 0
    store.close_survey("small")
    assert delete(client).status_code == 204, "also once it is closed"


@pytest.mark.parametrize("fingerprint", ["of the version it was sent to", "of the newest", "of none", None])
def test_a_receipt_deletes_its_response_after_a_new_version_was_published(
    fingerprint: str | None, client: FlaskClient, store: Store
) -> None:
    post(client)
    store.publish(NEWER, new_version=True)
    post(client, altered(fingerprint=NEWER.fingerprint, receipt="B" * 42 + "A"))
    named = {
        "of the version it was sent to": SURVEY.fingerprint,
        "of the newest": NEWER.fingerprint,
        "of none": "0" * 64,
    }
    wish = {"receipt": RECEIPT} | ({"fingerprint": named[fingerprint]} if fingerprint else {})
    assert reason(delete_with(client, wish | {"receipt": "C" * 42 + "A"})) == (404, "no-such-response")
    assert delete_with(client, wish).status_code == 204
    assert (store.count(SURVEY), store.count(NEWER)) == (0, 1)
    assert delete_with(client, wish | {"receipt": "B" * 42 + "A"}).status_code == 204
    assert store.count(NEWER) == 0


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"receipt": "A"}, (400, "malformed")),
        ({"receipt": None}, (400, "malformed")),
        ({"codes": CODES}, (400, "malformed")),
        ({"fingerprint": 1}, (400, "malformed")),
    ],
)
def test_a_malformed_wish_to_delete_deletes_nothing(
    changes: dict[str, Any], expected: tuple[int, str], client: FlaskClient, store: Store
) -> None:
    post(client)
    assert reason(delete(client, **changes)) == expected
    assert store.count(SURVEY) == 1


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
    assert "/srv/deniable.db: " in caplog.text


def test_a_page_of_a_store_that_cannot_be_used_says_so(breaking: Callable[[str], FlaskClient]) -> None:
    answer = breaking("state").get("/s/small")
    assert answer.status_code == 503
    assert "try again in a minute" in answer.text
    assert "deniable.db" not in answer.text


def test_a_locked_store_loses_nothing(
    client: FlaskClient, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3  # noqa: PLC0415 - another program, as it were

    monkeypatch.setattr("collector.database.connections.BUSY_SECONDS", 0.1)
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
