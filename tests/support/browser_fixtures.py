"""A real Chromium, the app served to it, and everything a page does written down."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any, NoReturn
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright
from werkzeug.serving import WSGIRequestHandler, make_server

from collector.store.store import Store
from collector.survey.survey import Survey
from respondent.app import create_app
from respondent.errors import RefusalError

Words = tuple[Sequence[int] | None, Sequence[int]] | tuple[Sequence[int], Sequence[int], Sequence[int]]
"""The words of chance that a test injects: for coding, for coins, and for the draw of questions, which comes first.

None for coding: there is no randomness at all.
"""
PAUSE = 20  # milliseconds between looks at a page
DEADLINE = 15_000  # milliseconds for anything the page should do at once
expect.set_options(timeout=DEADLINE)


def wait_until(page: Page, expression: str) -> None:
    """Wait until an expression is true in a page, whose policy forbids Playwright's own wait to evaluate it later."""
    until = monotonic() + DEADLINE / 1000
    while not page.evaluate(expression):
        assert monotonic() < until, f"{expression} does not become true"
        page.wait_for_timeout(PAUSE)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without windows, which takes half the processor time: the system's, else the one of Playwright."""
    with sync_playwright() as playwright:
        path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


@dataclass(frozen=True)
class Served:
    """The app as a browser reaches it, with the store behind it."""

    address: str
    store: Store

    def page(self, survey: Survey) -> str:
        """The address of a survey's page."""
        return f"{self.address}/s/{survey.name}"

    def responses(self, survey: Survey) -> list[tuple[int, ...]]:
        """The responses that were stored."""
        return self.store.rows(survey)


class _Quiet(WSGIRequestHandler):
    def log(self, *details: object) -> None:
        """Say nothing: a failing test tells enough."""


def _refuse(reason: str) -> NoReturn:
    """Refuse with this reason, so that tests can look at every page that says why."""
    raise type("Refusal", (RefusalError,), {"reason": reason})("request", "it is refused", "do not ask")


@contextmanager
def serving(path: Path, surveys: Sequence[Survey]) -> Iterator[Served]:
    """The app on a free port, with these surveys published in a new store at a path."""
    with Store(path, create=True) as store:
        for survey in surveys:
            store.publish(survey)
        app = create_app(store)
        app.add_url_rule("/refuse/<reason>", view_func=_refuse)
        server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=_Quiet)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield Served(f"http://127.0.0.1:{server.port}", store)
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def served(tmp_path: Path, wellbeing: Survey, bilingual: Survey) -> Iterator[Served]:
    """The app with the example surveys published."""
    with serving(tmp_path / "deniable.db", (wellbeing, bilingual)) as each:
        yield each


@dataclass
class Visit:
    """One page in a context of its own, with every request it makes but for the icon, and every complaint."""

    page: Page
    requests: list[Request] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    @property
    def posts(self) -> list[Request]:
        """The requests that are no plain reading."""
        return [request for request in self.requests if request.method != "GET"]

    def paths(self) -> list[str]:
        """The addresses asked for, without the origin."""
        return [urlsplit(request.url)._replace(scheme="", netloc="").geturl() for request in self.requests]

    def open(self, address: str) -> Visit:
        """Open a survey's page and wait until it takes answers."""
        self.page.goto(address)
        self.page.wait_for_selector("#start:enabled")
        return self

    def send(self) -> None:
        """Press the button. The policy blocks a native submit, whose navigation must not be waited for."""
        self.page.click("#next", no_wait_after=True)

    def note_request(self, request: Request) -> None:
        """Write a request down, unless it is for the icon, which a browser loads when it pleases."""
        if not request.url.endswith("/icon.svg"):
            self.requests.append(request)

    def note(self, message: ConsoleMessage) -> None:
        """Write a complaint down."""
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)


# The page tries whether there is chance; the draw of questions takes words, then coding, then the coins; behind those
# given come noughts. A receipt is bytes of 7.
INJECT = """([coding, coins, asking]) => {
  let calls = 0;
  const words = [0, ...(asking ?? []), ...(coding ?? []), ...coins];
  crypto.getRandomValues = (array) => {
    if (coding === null) throw new Error("there is no chance here");
    calls += 1;
    return array.fill(array instanceof Uint8Array ? 7 : words.shift() ?? 0);
  };
  globalThis.draws = () => calls;
}"""


@contextmanager
def visiting(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """Makes visits, whose contexts are closed at the end."""
    contexts = []

    def make(words: Words | None = None, **options: Any) -> Visit:  # noqa: ANN401 - Playwright's own
        context = browser.new_context(**options)
        contexts.append(context)
        context.set_default_timeout(DEADLINE)
        if words is not None:
            context.add_init_script(f"({INJECT})({json.dumps(words)})")
        visit = Visit(context.new_page())
        visit.page.on("request", visit.note_request)
        visit.page.on("console", visit.note)
        visit.page.on("pageerror", lambda error: visit.complaints.append(str(error)))
        return visit

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """Makes visits: ``visit((coding, coins))`` injects the words of chance, other options go to the browser context."""
    with visiting(browser) as make:
        yield make


MODULES = """
const scripted = (words) => {
  const left = [...words];
  return { words: () => { if (left.length === 0) throw new Error("no words are left"); return left.shift(); }, left };
};
const scripts = ["disguise/coins", "disguise/coding", "disguise/disguise", "disguise/sampling"];
const pages = ["page/numbers", "page/odds", "page/words", "page/rises/family", "page/rises/routes"];
const [coins, coding, disguise, sampling, numbers, odds, wording, family, routes] = await Promise.all(
  [...scripts, ...pages].map((name) => import(`/static/${name}.mjs`)),
);
"""


@pytest.fixture(scope="module")
def workbench(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Visit, str]]:
    """A tab for all tests of a module that call modules of the page, and the address of an app without surveys."""
    with serving(tmp_path_factory.mktemp("modules") / "deniable.db", ()) as served, visiting(browser) as make:
        yield make(), f"{served.address}/"


@pytest.fixture
def modules(workbench: tuple[Visit, str]) -> Iterator[Page]:
    """A page of the app, new for each test, under its own policy, from which its modules can be imported."""
    opened, address = workbench
    opened.page.goto(address)
    opened.page.evaluate("sessionStorage.clear()")
    opened.complaints.clear()
    yield opened.page
    assert opened.complaints == []


def in_browser(page: Page, body: str, argument: object) -> Any:  # noqa: ANN401 - JSON
    """The value that the body of a JavaScript function returns, given our pure modules and one argument."""
    return page.evaluate(f"async (argument) => {{ {MODULES} {body} }}", argument)
