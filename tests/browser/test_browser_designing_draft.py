"""The draft that `respondent design --show` shows, in a real Chromium: read by everybody, and sent by nobody."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Page, expect

from browser_fixtures import Visit
from design_looks import LOOKS, look_at
from owner.link import Link
from owner.server import listen, server_of
from respondent.designing.app import create_app
from respondent.designing.document import SurveyDocument
from respondent.designing.showing.draft import DraftAddress
from vector_surveys import EXAMPLES

pytestmark = pytest.mark.browser

SEND = "(address) => fetch(address, { method: 'POST', body: '{}' }).then(() => 'sent', () => 'refused')"


@pytest.fixture
def survey_file(tmp_path: Path) -> Path:
    path = tmp_path / "wellbeing.toml"
    shutil.copy(EXAMPLES / path.name, path)
    return path


@pytest.fixture
def address(survey_file: Path) -> Iterator[str]:
    """The address that is shown to others."""
    draft = DraftAddress()
    server = server_of(create_app(SurveyDocument(survey_file), Link(), draft), listen(0))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.port}{draft.address}"
    server.shutdown()
    thread.join()
    server.server_close()


def answered(page: Page) -> None:
    """Answer all questions, up to the screen that shows the answers."""
    page.click("#start")
    for _ in range(6):
        box = page.locator("#survey section:not([hidden]) :is([type=radio], [type=checkbox], [type=text])")
        if box.first.get_attribute("type") == "text":
            box.first.fill("500")
        else:
            box.first.check()
        page.click("#next")
    expect(page.locator("#check")).to_be_visible()


@pytest.mark.parametrize("look", LOOKS[:2], ids=str)  # axe computes no forced colours of the respondent's page
def test_everybody_can_read_a_draft(look: dict[str, str], address: str, visit: Callable[..., Visit]) -> None:
    here = visit(viewport={"width": 360, "height": 900}, **look)
    here.page.goto(address)
    expect(here.page.locator("#start")).to_be_enabled()
    expect(here.page.locator("header b")).to_have_text("Draft: nothing is sent")
    look_at(here.page, 360)
    answered(here.page)
    expect(here.page.locator("header b")).to_be_visible()
    look_at(here.page, 360)
    assert here.complaints == []


@pytest.mark.parametrize("preview", ["after", "before"])
def test_a_draft_ends_before_sending_and_the_browser_sends_nothing(
    preview: str, survey_file: Path, address: str, visit: Callable[..., Visit]
) -> None:
    text = survey_file.read_text("utf-8")
    assert 'preview = "after"' in text
    survey_file.write_text(text.replace('preview = "after"', f'preview = "{preview}"'), "utf-8")
    here = visit(viewport={"width": 1280, "height": 900})
    page = here.page
    page.goto(address)
    expect(page.locator("#start")).to_be_enabled()
    expect(page.locator('[data-delete="old"]')).to_be_hidden()
    answered(page)
    if preview == "before":
        page.click("#next")
        expect(page.locator("#bytes")).to_be_visible()
    expect(page.locator("#next")).to_be_hidden()
    expect(page.locator("#leave")).to_be_visible()
    assert here.complaints == []
    page.evaluate("document.getElementById('survey').requestSubmit()")
    expect(page.locator("#failure")).to_be_visible()
    assert page.evaluate(SEND, "../api/v1/surveys/wellbeing/responses") == "refused"
    assert [each for each in here.requests if each.method != "GET" and each.failure is None] == []
