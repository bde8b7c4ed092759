"""Every answer carries the same headers, errors included, and never a cookie."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from collector.store.store import Store
from collector.survey.survey import Survey
from respondent.app import create_app

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; worker-src 'none'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
RESPONSES = "/api/v1/surveys/wellbeing/responses"
REQUESTS = [
    ("GET", "/", 200),
    ("HEAD", "/", 200),
    ("GET", "/s/wellbeing", 200),
    ("OPTIONS", "/s/wellbeing", 200),
    ("POST", "/s/wellbeing", 405),
    ("GET", "/s/nothing", 404),
    ("GET", "/nothing", 404),
    ("GET", "/static/page/survey.mjs", 200),
    ("GET", "/static/nothing.mjs", 404),
    ("GET", "/static/../respondent/cli.py", 404),
    ("GET", RESPONSES, 405),
    ("OPTIONS", RESPONSES, 200),
    ("POST", RESPONSES, 415),
    ("POST", "/api/v1/surveys/nothing/responses", 415),
    ("GET", "/api/v1/nothing", 404),
    ("GET", "/broken", 500),
]


@pytest.fixture
def app(tmp_path: Path, wellbeing: Survey) -> Iterator[Flask]:
    with Store(tmp_path / "deniable.db", create=True) as store:
        store.publish(wellbeing)
        app = create_app(store)

        @app.get("/broken")
        def broken() -> str:
            raise RuntimeError("a secret")

        yield app


@pytest.mark.parametrize(("method", "path", "status"), REQUESTS)
def test_every_answer_carries_the_headers_and_no_cookie(app: Flask, method: str, path: str, status: int) -> None:
    with app.test_client().open(path, method=method) as answer:
        assert answer.status_code == status
        policy = answer.headers["Content-Security-Policy"]
        has_scripts = path == "/s/wellbeing" and method == "GET"
        assert (re.sub(r" 'sha256-[\w+/]{43}='", "", policy) if has_scripts else policy) == POLICY
        assert answer.headers.get("Integrity-Policy") == ("blocked-destinations=(script)" if has_scripts else None)
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert answer.headers["X-Robots-Tag"] == "noindex"
        assert "geolocation=()" in answer.headers["Permissions-Policy"]
        kept = path.startswith("/static/") and status == 200
        assert answer.headers["Cache-Control"] == ("no-cache" if kept else "no-store")
        assert "Set-Cookie" not in answer.headers
        assert "Access-Control-Allow-Origin" not in answer.headers


def test_behind_tls_and_there_only_browsers_are_held_to_it(app: Flask, tmp_path: Path) -> None:
    name, wanted = "Strict-Transport-Security", "max-age=31536000; includeSubDomains"
    said = {"X-Forwarded-Proto": "https"}
    assert name not in app.test_client().get("/s/wellbeing", headers=said).headers, "no proxy is trusted"
    with Store(tmp_path / "deniable.db") as store:
        behind = create_app(store, proxy_hops=1).test_client()
        for path in ("/s/wellbeing", "/nothing", "/static/page/survey.mjs"):
            assert behind.get(path, headers=said).headers[name] == wanted
            assert name not in behind.get(path).headers


def test_a_fault_that_many_requests_meet_is_logged_once_a_minute(app: Flask, caplog: pytest.LogCaptureFixture) -> None:
    client = app.test_client()
    assert {client.get("/broken").status_code for _ in range(5)} == {500}
    (line,) = (each.getMessage() for each in caplog.records)
    assert line.endswith("RuntimeError")


def test_the_page_for_answering_by_hand_alone_may_send_its_own_form(app: Flask) -> None:
    answer = app.test_client().get("/s/wellbeing/by-hand")
    assert answer.headers["Referrer-Policy"] == "same-origin", "so that browsers name our origin with the form"
    assert answer.headers["Content-Security-Policy"] == POLICY.replace("form-action 'none'", "form-action 'self'")
    sent = app.test_client().post("/s/wellbeing/by-hand")  # which may answer with the form once more
    assert sent.headers["Content-Security-Policy"] == answer.headers["Content-Security-Policy"]


def test_errors_are_json_under_the_interface_and_pages_elsewhere(app: Flask) -> None:
    assert app.test_client().get("/api/v1/nothing").mimetype == "application/json"
    assert app.test_client().get("/nothing").mimetype == "text/html"


def test_a_method_that_is_not_taken_is_answered_with_those_that_are(app: Flask) -> None:
    assert set(app.test_client().get(RESPONSES).headers["Allow"].split(", ")) == {"POST", "DELETE", "OPTIONS"}


def test_an_accident_of_ours_tells_nothing_of_itself(app: Flask, caplog: pytest.LogCaptureFixture) -> None:
    answer = app.test_client().get("/broken?answer=heron")
    assert "test_headers.py" in caplog.text, "the operator is told where"
    assert "RuntimeError" in caplog.text
    assert "a secret" not in caplog.messages[0].splitlines()[-1]
    assert "/broken" not in caplog.messages[0].splitlines()[0]
    assert "heron" not in caplog.text
    assert "secret" not in answer.text
    assert "RuntimeError" not in answer.text
    assert "something went wrong here" in answer.text


@pytest.mark.parametrize("path", ["/", "/s/wellbeing", "/static/page/survey.mjs", "/sw.js", "/static/evil.mjs"])
def test_at_every_address_a_worker_is_given_the_script_that_takes_it_away(path: str, app: Flask) -> None:
    client, asking = app.test_client(), {"Service-Worker": "script"}
    answer = client.get(path, headers=asking)
    assert answer.status_code == 200
    assert answer.mimetype == "text/javascript"
    assert "registration.unregister()" in answer.text
    assert answer.headers["Service-Worker-Allowed"] == "/"
    assert answer.headers["Clear-Site-Data"] == '"cache"'
    assert answer.headers["Cache-Control"] == "no-store"
    assert "worker-src 'none'" in answer.headers["Content-Security-Policy"]
    assert client.head(path, headers=asking).data == b""
    for other in (client.get(path), client.post(path, headers=asking)):
        assert "unregister" not in other.text
        assert "Clear-Site-Data" not in other.headers, "it would take what a tab keeps"
