"""What our page sends is stored before Flask sees it; everything else is answered as before, and counted once."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from io import BytesIO
from typing import Any

import pytest
from flask import Flask

from collector.store.store import Store
from collector.survey.survey import LARGEST_RESPONSE, Survey
from respondent.app import create_app
from respondent.intake.callers import Limits

RESPONSES = "/api/v1/surveys/wellbeing/responses"


def sent(survey: Survey) -> dict[str, Any]:
    """A response that fits."""
    codes = {question.name: question.codes[0] for question in survey.questions}
    receipt = urlsafe_b64encode(bytes(32)).decode().rstrip("=")
    return {"fingerprint": survey.fingerprint, "codes": codes, "receipt": receipt}


@pytest.fixture
def seen() -> list[str]:
    """The addresses that Flask saw."""
    return []


@pytest.fixture
def app(store: Store, seen: list[str]) -> Flask:
    app = create_app(store, limits=Limits(per_minute=3))

    @app.before_request
    def see() -> None:
        seen.append("one")

    return app


def test_a_response_that_is_stored_and_its_repeat_do_not_pass_through_flask(
    app: Flask, wellbeing: Survey, seen: list[str]
) -> None:
    client = app.test_client()
    for status in (201, 200):
        answer = client.post(RESPONSES, json=sent(wellbeing))
        assert (answer.status_code, answer.data, answer.headers["Cache-Control"]) == (status, b"", "no-store")
    assert not seen


def test_what_is_refused_is_answered_by_flask_and_counted_once(app: Flask, wellbeing: Survey) -> None:
    client = app.test_client()
    wrong = sent(wellbeing) | {"codes": {}}
    answers = [client.post(RESPONSES, json=wrong) for _ in range(4)]
    assert [each.status_code for each in answers] == [400, 400, 400, 429]
    assert answers[0].json["reason"] == "malformed"


def test_a_response_of_no_stated_length_is_stored_through_flask(app: Flask, wellbeing: Survey, seen: list[str]) -> None:
    in_chunks = {"wsgi.input": BytesIO(json.dumps(sent(wellbeing)).encode()), "wsgi.input_terminated": True}
    headers = {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}
    answer = app.test_client().post(RESPONSES, headers=headers, environ_overrides=in_chunks)
    assert (answer.status_code, seen) == (201, ["one"])


@pytest.mark.parametrize(("size", "status"), [(LARGEST_RESPONSE, 201), (LARGEST_RESPONSE + 1, 413), (5_000_000, 413)])
def test_a_response_in_chunks_is_taken_up_to_the_size_that_any_may_have(
    app: Flask, store: Store, wellbeing: Survey, size: int, status: int
) -> None:
    def answer(method: str, body: dict[str, Any]) -> int:
        in_chunks = {"wsgi.input": BytesIO(json.dumps(body).encode().ljust(size)), "wsgi.input_terminated": True}
        headers = {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}
        return (
            app.test_client().open(RESPONSES, method=method, headers=headers, environ_overrides=in_chunks).status_code
        )

    assert answer("POST", sent(wellbeing)) == status
    assert store.count(wellbeing) == (status == 201)
    assert answer("DELETE", {"receipt": sent(wellbeing)["receipt"]}) == (204 if status == 201 else 413)


@pytest.mark.parametrize("host", [f"{'a' * 64}.example.org", "a..example.org"])
def test_a_host_that_no_name_can_be_is_refused_both_ways(
    app: Flask, store: Store, wellbeing: Survey, host: str
) -> None:
    client = app.test_client()
    assert client.post(RESPONSES, json=sent(wellbeing), headers={"Host": host}).status_code == 400
    assert client.get("/s/wellbeing", headers={"Host": host}).status_code == 400
    assert store.count(wellbeing) == 0


def test_what_is_too_long_is_not_read(app: Flask) -> None:
    answer = app.test_client().post(RESPONSES, data=b" " * (LARGEST_RESPONSE + 1), content_type="application/json")
    assert (answer.status_code, answer.json["reason"]) == (413, "too-long")


def test_a_fault_on_the_way_is_told_as_any_other_is(
    app: Flask, store: Store, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(store, "receive", fail)
    answer = app.test_client().post(RESPONSES, json=sent(wellbeing))
    assert (answer.status_code, answer.json["reason"]) == (500, "unavailable")
    assert "test_shortcut.py" in caplog.text, "the operator is told where"
    assert "a secret" not in caplog.text.splitlines()[-1]
