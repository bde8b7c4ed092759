"""The owner's desk in a real Chromium, while 64 connections send responses to the survey."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from threading import Event, Thread
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from axe import violations
from benchmarks.collecting.serving import running
from benchmarks.collecting.traffic import any_codes, body, request, send
from browser_fixtures import Served, Visit
from collector.maintenance.running import BATCH, FEW
from collector.store.store import Store
from collector.survey.survey import Survey
from miner.desk import desk as room
from miner.desk.app import create_app
from miner.desk.desk import Desk
from owner.link import Link
from owner.server import listen, server_of

pytestmark = pytest.mark.browser

CONNECTIONS, ROUND, MOST_ROUNDS = 64, 128, 40
STEPS = 2  # counts that are seen after the first
POLL = 16_000  # milliseconds after which the page has looked again
LOOKS = [(1280, "light"), (320, "light"), (320, "dark")]


@contextmanager
def serving(desk: Desk) -> Iterator[str]:
    """The desk served as the command serves it; the link to it."""
    link = Link()
    desk.look()
    server = server_of(create_app(desk, link), listen(0))
    stopped = Event()
    threads = [
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}),
        Thread(target=desk.keep_looking, args=[stopped]),
    ]
    for thread in threads:
        thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}/open/{link.once}"
    finally:
        stopped.set()
        server.shutdown()
        for thread in threads:
            thread.join()
        server.server_close()


def number_shown(page: Page) -> int:
    words = page.inner_text("#counts b >> nth=0")
    return 0 if words == FEW else int(words)


class Crowd(Thread):
    """Sends responses over 64 connections, round after round, until told that it is enough."""

    def __init__(self, port: int, survey: Survey) -> None:
        super().__init__()
        self._port, self._survey = port, survey
        self.statuses: list[int] = []
        self.enough = Event()

    def run(self) -> None:
        """Send."""
        path = f"/api/v1/surveys/{self._survey.name}/responses"
        for _ in range(MOST_ROUNDS):
            if self.enough.is_set():
                return
            bodies = [body(self._survey, any_codes(self._survey), secrets.token_bytes(32)) for _ in range(ROUND)]
            sent = send(self._port, [request(path, each) for each in bodies], CONNECTIONS)
            self.statuses += [answer.status for answer in sent]


def test_the_desk_while_64_connections_send(
    store: Store, visit: Callable[..., Visit], wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "LOOK_SECONDS", 0.05)
    here, desk = visit(), Desk(store, wellbeing.name, respondents=600)
    with running(store.path) as server, serving(desk) as link:
        page = here.page
        page.clock.install()
        page.goto(link)
        crowd, seen = Crowd(server.port, wellbeing), [number_shown(page)]
        crowd.start()
        while crowd.is_alive() or number_shown(page) <= len(crowd.statuses) - BATCH:
            page.clock.run_for(POLL)
            page.wait_for_timeout(20)
            seen.append(number_shown(page))
            if len(set(seen)) > STEPS:
                crowd.enough.set()
        crowd.join()
        assert set(crowd.statuses) == {201}
        assert store.count(wellbeing) == len(crowd.statuses)
        assert len(set(seen)) > STEPS, "it is shown while they send"
        assert all(after == before or after - before >= BATCH for before, after in pairwise(seen))
        assert page.inner_text("#said") == page.title() == f"{seen[-1]} responses: Student wellbeing"
        assert here.complaints == []
        everybody_may_read(page)
        assert {urlsplit(each.url).hostname for each in here.requests} == {"127.0.0.1"}
        assert {urlsplit(each.url).port for each in here.requests} == {urlsplit(link).port}
        assert page.context.cookies() == []
        assert page.evaluate("localStorage.length + sessionStorage.length") == 0
        other = visit().page
        for stale in (link, link[:-1], f"{link}x", page.url[:-2] + "/"):
            answer = other.goto(stale)
            assert answer is not None
            assert answer.status == 404
        everybody_may_read(other)


def everybody_may_read(page: Page) -> None:
    """On a wide and on a narrow screen, in daylight and in the dark."""
    for width, scheme in LOOKS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(page) == []


def test_the_desk_works_by_keyboard_and_without_scripts(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    served.store.add(wellbeing, [any_codes(wellbeing) for _ in range(40)])
    with serving(Desk(served.store, wellbeing.name)) as link:
        page = visit(java_script_enabled=False).page
        page.goto(link)
        expect(page.locator("#counts b").first).to_have_text("40")
        with page.expect_download() as download:
            page.click("text=Export as CSV")
        assert download.value.suggested_filename == "wellbeing-responses.csv"
        assert len(download.value.path().read_text("utf-8").splitlines()) == 41
        page.focus("summary")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("#state")).to_have_text("closed")
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{43}/", page.url)
        page.click("text=Open the survey again")
        expect(page.locator("#state")).to_have_text("open until 2099-12-31 (UTC)")
        page.click("text=Look again")
        expect(page.locator("h1")).to_have_text("Student wellbeing")


def test_the_page_says_when_the_desk_was_stopped(served: Served, visit: Callable[..., Visit]) -> None:
    here = visit()
    with serving(Desk(served.store, "wellbeing")) as link:
        here.page.clock.install()
        here.page.goto(link)
        expect(here.page.locator("#said")).to_have_class("hidden")
    here.page.clock.run_for(POLL)
    expect(here.page.locator("#said")).to_have_text("The desk does not answer: it was stopped.")
    expect(here.page.locator("#said")).not_to_have_class("hidden")
