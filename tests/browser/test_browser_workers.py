"""A service worker that an altered page would put into the browser is refused, or gone after the next honest visit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page
from werkzeug.serving import make_server

from browser_fixtures import Served, Visit
from respondent.app import create_app

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

REGISTER = """(scope) => navigator.serviceWorker.register("/static/evil.js", { scope })
  .then(() => navigator.serviceWorker.ready).then(() => "registered", (error) => error.name)"""
LEFT = "navigator.serviceWorker.getRegistrations().then((all) => all.length)"
WORKER = b"""
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  if (event.request.mode === "navigate")
    event.respondWith(new Response("<title>altered</title>", { headers: { "Content-Type": "text/html" } }));
});
"""


@dataclass
class Operator:
    """A server whose operator gives out altered pages, all of them or none."""

    honest: Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]]
    altered: frozenset[str] = frozenset()

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        path = environ["PATH_INFO"]
        if path not in self.altered:
            return self.honest(environ, start)
        if path == "/static/evil.js":
            start("200 OK", [("Content-Type", "text/javascript"), ("Service-Worker-Allowed", "/")])
            return [WORKER]
        start("200 OK", [("Content-Type", "text/html")])
        return [b"<title>first</title>"]


def registered(page: Page, address: str, scope: str) -> str:
    """What becomes of a worker that the page at an address registers."""
    page.goto(address)
    outcome: str = page.evaluate(REGISTER, scope)
    return outcome


@pytest.mark.parametrize("altered", ["/", "/s/wellbeing"])
def test_a_worker_that_an_altered_page_registered_is_gone_after_the_next_honest_visit(
    altered: str, served: Served, visit: Callable[..., Visit]
) -> None:
    operator = Operator(create_app(served.store).wsgi_app, frozenset({altered, "/static/evil.js"}))
    server = make_server("127.0.0.1", 0, operator, threaded=True)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        page, address = visit().page, f"http://127.0.0.1:{server.port}"
        assert registered(page, address + altered, "/") == "registered"
        page.goto(f"{address}/s/wellbeing")
        assert page.title() == "altered", "the worker answers in place of the server"
        operator.altered = frozenset()
        page.goto(f"{address}/s/wellbeing")
        page.wait_for_selector("#start:enabled")  # of itself: the worker that leaves loads its pages anew
        assert page.evaluate(LEFT) == 0
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("path", ["/", "/s/wellbeing", "/s/wellbeing/by-hand", "/exit", "/nothing"])
def test_no_page_of_ours_may_register_a_worker(path: str, served: Served, visit: Callable[..., Visit]) -> None:
    page = visit().page
    assert registered(page, served.address + path, "/static/") == "SecurityError"
    assert page.evaluate(LEFT) == 0
