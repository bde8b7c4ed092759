"""The draft that a designer shows: at another address, read-only, and as the file is by then."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient

from owner.link import Link
from respondent.designing.app import create_app
from respondent.designing.document import SurveyDocument
from respondent.designing.showing.draft import DraftAddress

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
MARK = "Draft: nothing is sent"
OURS = {"Origin": "http://localhost"}


@dataclass
class ShownDraft:
    """A draft, and the designer that shows it."""

    path: Path
    client: FlaskClient
    address: str
    inside: str


@pytest.fixture
def shown(tmp_path: Path) -> ShownDraft:
    path = tmp_path / "wellbeing.toml"
    shutil.copy(EXAMPLES / path.name, path)
    link, draft = Link(), DraftAddress()
    client = create_app(SurveyDocument(path), link, draft).test_client()
    return ShownDraft(path, client, draft.address, client.get(f"/open/{link.once}").headers["Location"])


def test_a_draft_is_the_respondents_page_marked_and_opens_again(shown: ShownDraft) -> None:
    for _ in range(2):
        assert shown.client.get(shown.address).headers["Location"] == f"{shown.address}s/wellbeing"
        page = shown.client.get(f"{shown.address}s/wellbeing")
        assert (page.status_code, MARK in page.text, "<title>Student wellbeing</title>" in page.text) == (
            200,
            True,
            True,
        )
        policy = page.headers["Content-Security-Policy"]
        assert "connect-src 'none'" in policy
        assert "form-action 'none'" in policy
        assert "frame-ancestors 'none'" in policy
    script = shown.client.get(f"{shown.address}static/page/survey.mjs")
    assert script.status_code == 200


def test_a_draft_has_an_address_of_its_own(shown: ShownDraft) -> None:
    secret, token = shown.inside.strip("/"), shown.address.split("/")[2]
    assert secret != token
    for wrong in (f"/draft/{secret}/", "/draft/x/", f"/draft/{token}x/s/wellbeing", f"/{token}/", f"/{token}/state"):
        assert shown.client.get(wrong).status_code == 404, wrong
    link = Link()
    alone = create_app(SurveyDocument(shown.path), link).test_client()
    assert alone.get(shown.address).status_code == 404, "without --show there is none"


@pytest.mark.parametrize(
    "below", ["", "s/wellbeing", "s/wellbeing/by-hand", "api/v1/surveys/wellbeing/responses", "edit"]
)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_can_be_sent_to_a_draft(shown: ShownDraft, method: str, below: str) -> None:
    before = shown.path.read_bytes()
    answer = shown.client.open(f"{shown.address}{below}", method=method, json={"version": 1}, headers=OURS)
    assert answer.status_code == 404
    assert shown.path.read_bytes() == before
    assert [each.name for each in shown.path.parent.iterdir()] == ["wellbeing.toml"]


def test_a_form_by_hand_of_a_draft_has_no_button_and_may_be_sent_nowhere(shown: ShownDraft) -> None:
    page = shown.client.get(f"{shown.address}s/wellbeing/by-hand")
    assert (MARK in page.text, 'type="submit"' in page.text) == (True, False)
    assert "form-action 'none'" in page.headers["Content-Security-Policy"]
    preview = shown.client.get(f"{shown.inside}preview/s/wellbeing/by-hand")
    assert 'type="submit"' in preview.text, "a preview has it"


def test_a_draft_follows_the_designer_and_the_file(shown: ShownDraft) -> None:
    edits = [{"op": "set", "path": ["title"], "value": "Changed here"}]
    answer = shown.client.post(f"{shown.inside}edit", json={"version": 1, "edits": edits}, headers=OURS)
    assert answer.status_code == 200
    assert "<title>Changed here</title>" in shown.client.get(f"{shown.address}s/wellbeing").text
    text = shown.path.read_text("utf-8")
    shown.path.write_text(text.replace("Changed here", "Changed there").replace('"wellbeing"', '"better"', 1), "utf-8")
    assert shown.client.get(shown.address).headers["Location"] == f"{shown.address}s/better"
    assert "<title>Changed there</title>" in shown.client.get(f"{shown.address}s/better").text
    shown.path.write_text(text.replace('kind = "yes_no"', 'kind = "maybe"'), "utf-8")
    assert "<title>Changed there</title>" in shown.client.get(f"{shown.address}s/better").text, "the last that compiled"
    shown.path.write_bytes(b"\xff")
    assert shown.client.get(f"{shown.address}s/better").status_code == 200


def test_a_draft_says_so_while_nothing_can_be_shown(tmp_path: Path) -> None:
    draft = DraftAddress()
    client = create_app(SurveyDocument(tmp_path / "new.toml"), Link(), draft).test_client()
    answer = client.get(draft.address)
    assert (answer.status_code, MARK in answer.text) == (500, True)
    assert "still has errors" in answer.text


def test_the_command_prints_the_address_of_a_draft_once_it_is_wished(shown: ShownDraft) -> None:
    command = [sys.executable, "-m", "respondent", "design", str(shown.path), "--show"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own command
        assert process.stdout is not None
        link, _, said = (process.stdout.readline().strip() for _ in range(3))
        words, _, address = said.rpartition(" ")
        assert words == "The draft, read-only:"
        assert urlsplit(address).netloc == urlsplit(link).netloc
        connection = HTTPConnection(urlsplit(address).netloc, timeout=20)
        connection.request("GET", f"{urlsplit(address).path}s/wellbeing")
        assert MARK in connection.getresponse().read().decode()
        connection.close()
        process.terminate()
