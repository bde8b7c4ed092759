"""The place to design as a web application: who gets in, what is changed by whom, and the preview in its page."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from owner.link import GOOD_SECONDS, Link
from respondent.designing.app import create_app
from respondent.designing.document import SurveyDocument

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
OURS = {"Origin": "http://localhost"}
LABEL = ["questions", 0, "label"]


@dataclass
class OpenedDesign:
    """The place to design behind its link, as the browser that followed it has it."""

    path: Path
    link: Link
    client: FlaskClient
    inside: str

    def get(self, path: str = "") -> TestResponse:
        """Ask for something behind the link."""
        return self.client.get(f"{self.inside}{path}")

    def post(self, path: str, body: dict[str, Any], **headers: str) -> TestResponse:
        """Send something as the page does."""
        return self.client.post(f"{self.inside}{path}", json=body, headers=OURS | headers)

    def state(self) -> dict[str, Any]:
        """The present state."""
        found: dict[str, Any] = self.get("state").get_json()
        return found

    def set(self, value: str, version: int | None = None) -> TestResponse:
        """Set the label of the first question."""
        edits = [{"op": "set", "path": LABEL, "value": value}]
        return self.post("edit", {"version": version or self.state()["version"], "edits": edits})


@pytest.fixture
def opened(tmp_path: Path) -> OpenedDesign:
    path = tmp_path / "wellbeing.toml"
    shutil.copy(EXAMPLES / path.name, path)
    link = Link()
    client = create_app(SurveyDocument(path), link).test_client()
    answer = client.get(f"/open/{link.once}")
    return OpenedDesign(path, link, client, answer.headers["Location"])


def attempts(opened: OpenedDesign) -> dict[str, Callable[[], TestResponse]]:
    client, inside = opened.client, opened.inside
    body = {"version": 1, "edits": [{"op": "set", "path": LABEL, "value": "x"}]}
    return {
        "the link again": lambda: client.get(f"/open/{opened.link.once}"),
        "a wrong link": lambda: client.get("/open/x"),
        "a wrong address": lambda: client.get("/x/state"),
        "an edit at a wrong address": lambda: client.post("/x/edit", json=body, headers=OURS),
        "an edit by a link": lambda: client.get(f"{inside}edit"),
        "an edit from another site": lambda: client.post(f"{inside}edit", json=body, headers={"Origin": "http://e.e"}),
        "an edit from another port": lambda: client.post(
            f"{inside}edit", json=body, headers={"Origin": "http://localhost:99"}
        ),
        "an edit without a word from where": lambda: client.post(f"{inside}edit", json=body),
        "another method from another site": lambda: client.delete(f"{inside}preview/api", headers={"Origin": "null"}),
        "another name of this machine": lambda: client.post(
            f"{inside}edit", json=body, headers={"Host": "evil.example", "Origin": "http://evil.example"}
        ),
        "a file of the package": lambda: client.get(f"{inside}../app.py"),
        "no file of the page": lambda: client.get(f"{inside}design.html"),
        "without the last slash": lambda: client.get(inside[:-1]),
        "a body too long": lambda: client.post(f"{inside}edit", data="x" * 1_000_001, headers=OURS),
    }


def test_whoever_has_not_the_address_gets_a_404_and_changes_nothing(opened: OpenedDesign) -> None:
    before = opened.path.read_bytes()
    answers = {name: attempt().status_code for name, attempt in attempts(opened).items()}
    assert answers == dict.fromkeys(answers, 404)
    assert opened.path.read_bytes() == before
    assert opened.state()["version"] == 1


def test_an_old_link_opens_nothing(tmp_path: Path) -> None:
    now = [0.0]
    link = Link(lambda: now[0])
    client = create_app(SurveyDocument(tmp_path / "new.toml"), link).test_client()
    now[0] = GOOD_SECONDS
    assert client.get(f"/open/{link.once}").status_code == 404


def test_the_page_has_a_strict_policy_and_no_cookie(opened: OpenedDesign) -> None:
    for path in ("", "state", "nothing"):
        answer = opened.get(path)
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "Set-Cookie" not in answer.headers


def test_an_edit_is_in_the_file_and_in_the_state(opened: OpenedDesign) -> None:
    before = opened.path.read_text(encoding="utf-8")
    answer = opened.set("Which year is yours?")
    assert answer.status_code == 200
    state = answer.get_json()
    assert state["document"]["questions"][0]["label"] == "Which year is yours?"
    assert (state["version"], state["undo"], state["redo"], state["disk"]) == (2, True, False, "same")
    assert state["document"]["study"]["until"] == "2099-12-31"
    assert opened.path.read_text(encoding="utf-8") == before.replace("Which year are you in?", "Which year is yours?")
    assert opened.post("undo", {"version": 2}).get_json()["redo"]
    assert opened.path.read_text(encoding="utf-8") == before
    assert opened.post("redo", {"version": 3}).get_json()["undo"]
    assert "Which year is yours?" in opened.path.read_text(encoding="utf-8")


def test_a_second_window_and_another_editor_are_noticed(opened: OpenedDesign) -> None:
    assert opened.set("One?", 1).status_code == 200
    late = opened.set("Two?", 1)
    assert late.status_code == 409
    assert "it was changed in another window" in late.get_json()["problem"]
    assert late.get_json()["state"]["document"]["questions"][0]["label"] == "One?"
    opened.path.write_text(opened.path.read_text(encoding="utf-8").replace("One?", "By hand?"), encoding="utf-8")
    late = opened.set("Three?", 2)
    assert (late.status_code, late.get_json()["state"]["disk"]) == (409, "changed")
    assert late.get_json()["state"]["document"]["questions"][0]["label"] == "By hand?"
    assert "By hand?" in opened.path.read_text(encoding="utf-8")
    assert opened.set("Four?", 3).get_json()["disk"] == "same"


@pytest.mark.parametrize(
    "body",
    [
        b"x",
        b"[]",
        b'{"version": "1", "edits": []}',
        b'{"version": 1, "edits": 3}',
        b'{"version": 1, "edits": [{"op": "set", "path": ["questions", 99, "label"], "value": "x"}]}',
        b'{"version": 1, "edits": [{"op": "set", "path": ["title"], "value": null}]}',
        b'{"version": 1, "edits": [{"op": "set", "path": ["title"], "value": NaN}]}',
        b'{"version": 1, "edits": [{"op": "set", "path": ["title"], "value": "y"}, {"op": "fly", "path": ["title"]}]}',
    ],
)
def test_what_does_not_fit_is_refused_whole(opened: OpenedDesign, body: bytes) -> None:
    before = opened.path.read_bytes()
    answer = opened.client.post(f"{opened.inside}edit", data=body, headers=OURS)
    assert answer.status_code == 400
    assert ": " in answer.get_json()["problem"]
    assert opened.path.read_bytes() == before


def test_the_preview_shows_the_last_version_that_compiled_and_may_stand_in_the_page(opened: OpenedDesign) -> None:
    opened.set("A new label?")
    page = opened.get("preview/s/wellbeing")
    assert page.status_code == 200
    assert "A new label?" in page.text
    assert "frame-ancestors 'self'" in page.headers["Content-Security-Policy"]
    opened.post("edit", {"version": 2, "edits": [{"op": "set", "path": ["questions", 0, "kind"], "value": "no"}]})
    assert opened.state()["survey"] is None
    assert opened.state()["problems"]
    assert "A new label?" in opened.get("preview/s/wellbeing").text
    script = opened.get("preview/static/page/survey.mjs")
    assert (script.status_code, script.mimetype) == (200, "text/javascript")
