"""Altered pages in a browser and before `collector verify-page`: ``python -m benchmarks.collecting.altered_pages``.

A mutator puts a script, a second design or data, an attribute or a header at random places of a survey's page, and a
script into wrappers that parsers of HTML read in different ways. Chromium opens each altered page and says whether
anything ran or the page's data changed; `verify_page` compares it. No page that ran may be called the same.
"""

from __future__ import annotations

import json
import shutil
import sys
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import cycle, islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING, Any

import click
from playwright.sync_api import Browser, Error, sync_playwright
from werkzeug.serving import WSGIRequestHandler, make_server

from benchmarks.collecting.weight import example
from benchmarks.record import record
from collector.errors import InputError
from collector.page.verify import verify_page
from collector.store.store import Store
from respondent.app import create_app
from respondent.intake.callers import Limits

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

SURVEY = "wellbeing"
PLACES = 500
UNLIMITED = 10**9
EVIL = b'fetch("/ran");'
HASH = f"sha256-{b64encode(sha256(EVIL).digest()).decode()}".encode()
SCRIPT = b"<script type=module src=/static/evil.mjs integrity=%s></script>" % HASH
INLINE = b"<script>%s</script>" % EVIL
DESIGN = b'<script type="application/json" id="design">{"altered":1}</script>'
DATA = b'<script type="application/json" id="data">{"altered":1}</script>'
WRAPPERS = (
    *(b"<!-->%s<!-- -->", b"<!--->%s<!-- -->", b"<!-- --!>%s<!-- -->", b"<!-- --!>%s-->", b"<!--!>%s-->"),
    *(b"<!--->%s-->", b"<!-->%s-->", b"<!---!>%s-->", b"<!-- <!-- -->%s<!-- -->", b"<!->%s<!-- -->", b"<! -->%s-->"),
    *(b"<!%s>", b"<?%s?>", b"<?>%s<?>", b"<?xml -->%s?>", b"</%s>", b"</>%s", b"</ >%s</ >", b"</!-->%s<!-- -->"),
    *(b"<![CDATA[>%s]]>", b"<![CDATA[ %s ]]>", b"<svg><![CDATA[</svg>%s]]>", b"<svg><title>%s</title></svg>"),
    *(b"<math><mtext>%s</mtext></math>", b"<textarea></textarea >%s", b"<title><!--</title>%s<!-- -->"),
    *(b"<style><!--</style>%s<!-- -->", b"<noscript><!--</noscript>%s<!-- -->", b"<xmp><!--</xmp>%s<!-- -->"),
    *(b"<iframe><!--</iframe>%s<!-- -->", b"<a title='>'>%s</a>", b"<a b='\"'c=\"'>\">%s", b"<template></template>%s"),
    *(
        b"<plaintext hidden>%s",
        b"<select>%s</select>",
        b"\x00<!\x00-->%s<!-- -->",
        b"<!--\r-->%s",
        b"<!doctype x [<!--]>%s",
    ),
)
ATTRIBUTES = (
    *(b' onload="%s"' % EVIL.replace(b'"', b"'"), b' autofocus onfocus="%s"' % EVIL.replace(b'"', b"'")),
    *(
        b" hidden",
        b" src=/static/evil.mjs",
        b" href=/static/evil.mjs",
        b" id=design",
        b" id=data",
        b" style=display:none",
    ),
)

Headers = list[tuple[str, str]]


@dataclass(frozen=True)
class Mutant:
    """One way to alter a page.

    Attributes:
        kind: What is put in.
        what: What exactly, in words.
        body: Function that alters the page's bytes.
        headers: Function that alters the page's headers.
    """

    kind: str
    what: str
    body: Callable[[bytes], bytes]
    headers: Callable[[Headers], Headers] = lambda headers: headers


def inserted(place: float, what: bytes) -> Callable[[bytes], bytes]:
    """A change that puts bytes at a place between 0, the beginning of the page, and 1, its end."""

    def change(page: bytes) -> bytes:
        at = int(place * len(page))
        return page[:at] + what + page[at:]

    return change


def attributed(place: float, what: bytes) -> Callable[[bytes], bytes]:
    """A change that puts an attribute into the first tag behind a place."""

    def change(page: bytes) -> bytes:
        tags = [at for at in range(len(page) - 1) if page[at : at + 1] == b"<" and page[at + 1 : at + 2].isalpha()]
        start = tags[int(place * len(tags))]
        end = min(page.index(each, start) for each in (b" ", b">") if each in page[start:])
        return page[:end] + what + page[end:]

    return change


def _without(name: str) -> Callable[[Headers], Headers]:
    return lambda headers: [each for each in headers if each[0] != name]


def _with(name: str, value: str) -> Callable[[Headers], Headers]:
    return lambda headers: [(name, value), *headers]


def _weaker(before: str, after: str) -> Callable[[Headers], Headers]:
    return lambda headers: [(name, value.replace(before, after)) for name, value in headers]


HEADERS: tuple[tuple[str, Callable[[Headers], Headers]], ...] = (
    ("no policy", _without("Content-Security-Policy")),
    ("no integrity policy", _without("Integrity-Policy")),
    ("no opener policy", _without("Cross-Origin-Opener-Policy")),
    ("a second policy", _with("Content-Security-Policy", "script-src * 'unsafe-inline'")),
    ("inline scripts", _weaker("script-src 'self'", "script-src 'self' 'unsafe-inline'")),
    ("only reported", _weaker("default-src 'none'; script-src", "default-src 'none'; x-script-src")),
    ("scripts by no rule", _weaker("script-src 'self' 'sha256-", "script-src * 'unsafe-inline' 'x-")),
    ("a refresh", _with("Refresh", "0; url=/evil")),
    ("a link", _with("Link", "</static/evil.mjs>; rel=modulepreload")),
    ("another charset", _weaker("charset=utf-8", "charset=utf-16")),
    ("another type", _weaker("text/html", "image/svg+xml")),
    ("a download", _with("Content-Disposition", "attachment")),
)


def mutants(number: int, seed: int = 1) -> Iterator[Mutant]:
    """A number of altered pages at random places: scripts, second designs and data, attributes, headers in turn."""
    chance = Random(seed)  # noqa: S311 - no secret
    for kind in islice(cycle(("script", "design", "data", "attribute", "header")), number):
        place = chance.random()
        at = f"at {place:.4f}"
        if kind == "script":
            what = chance.choice((SCRIPT, INLINE))
            yield Mutant(kind, at, inserted(place, what))
        elif kind in {"design", "data"}:
            yield Mutant(kind, at, inserted(place, DESIGN if kind == "design" else DATA))
        elif kind == "attribute":
            what = chance.choice(ATTRIBUTES)
            yield Mutant(kind, f"{what.decode()} {at}", attributed(place, what))
        else:
            name, headers = chance.choice(HEADERS)
            yield Mutant(kind, f"{name} {at}", inserted(place, INLINE), headers)


def wrapped() -> Iterator[Mutant]:
    """A script in each wrapper, before the end of the page's head and before its last script."""
    for wrapper in WRAPPERS:
        for before in (b"</head>", b'<script type="application/json" id="data">'):
            written = wrapper.replace(b"%s", SCRIPT)
            yield Mutant(
                "wrapper",
                f"{wrapper!r} before {before.decode()}",
                lambda page, written=written, before=before: page.replace(before, written + before, 1),  # type: ignore[misc]
            )


@dataclass
class Altering:
    """The app of a server that alters one page, and notes what ran in browsers.

    Attributes:
        app: WSGI application of the honest server.
        mutant: Change of the page, or None.
        is_visited: Whether a browser asks, which is given the page and what was put in alone, to be done sooner.
        ran: Paths of requests that only a script which was put in makes.
    """

    app: Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]]
    mutant: Mutant | None = None
    is_visited: bool = False
    ran: list[str] = field(default_factory=list)

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        path = environ["PATH_INFO"]
        if path in {"/ran", "/evil"}:
            self.ran.append(path)
            start("200 OK", [("Content-Type", "text/plain")])
            return [b""]
        if path == "/static/evil.mjs":
            start("200 OK", [("Content-Type", "text/javascript")])
            return [EVIL]
        if self.is_visited and path.startswith("/static/"):
            start("404 Not Found", [("Content-Type", "text/plain")])
            return [b""]
        if path != f"/s/{SURVEY}" or self.mutant is None or "HTTP_SERVICE_WORKER" in environ:
            return self.app(environ, start)
        begun: list[Any] = []
        body = b"".join(self.app(environ | {"HTTP_ACCEPT_ENCODING": ""}, lambda *parts: begun.extend(parts)))  # type: ignore[arg-type]
        headers = [each for each in begun[1] if each[0] != "Content-Length"]
        start(begun[0], self.mutant.headers(headers))
        return [self.mutant.body(body)]


class _Quiet(WSGIRequestHandler):
    def log(self, *details: object) -> None:
        """Say nothing."""


@contextmanager
def altering(store: Store) -> Iterator[tuple[Altering, str]]:
    """A server that alters pages, and the address of the survey's page."""
    altered = Altering(create_app(store, limits=Limits(UNLIMITED, UNLIMITED)))
    server = make_server("127.0.0.1", 0, altered, threaded=True, request_handler=_Quiet)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield altered, f"http://127.0.0.1:{server.port}/s/{SURVEY}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


CARRIED = """() => ["design", "data"].map((name) => document.getElementById(name)?.textContent)"""
SETTLED = 60  # milliseconds in which the request of a script that ran arrives


def ran_in(browser: Browser, altered: Altering, address: str, honest: list[str]) -> bool:
    """Whether anything that was put into the page ran in the browser, or the page's data are others.

    Args:
        browser: The browser.
        altered: The server.
        address: Address of the page.
        honest: Design and data of the page that is not altered.
    """
    altered.ran.clear()
    altered.is_visited = True
    page = browser.new_page()
    try:
        page.goto(address)
        page.wait_for_timeout(SETTLED)
        carried = page.evaluate(CARRIED)
    except Error:  # a page that is refused, downloaded or left shows no data
        carried = honest
    finally:
        page.close()
        altered.is_visited = False
    return bool(altered.ran) or (carried != honest and all(carried))


def called_the_same(address: str) -> bool:
    """Whether `collector verify-page` calls the page the same."""
    try:
        return verify_page(address).same
    except InputError:
        return False


def tried(browser: Browser, altered: Altering, address: str, mutant: Mutant, honest: list[str]) -> tuple[bool, bool]:
    """Whether an altered page ran in the browser, and whether it is called the same although it ran."""
    altered.mutant = mutant
    ran = ran_in(browser, altered, address, honest)
    return ran, ran and called_the_same(address)


def carried_by(browser: Browser, address: str) -> list[str]:
    """The design and the data of an unaltered page."""
    page = browser.new_page()
    try:
        page.goto(address)
        found: list[str] = page.evaluate(CARRIED)
        return found
    finally:
        page.close()


@click.command()
@click.option("--places", type=click.IntRange(min=0), default=PLACES, show_default=True, help="Random places.")
@click.option("--seed", type=int, default=1, show_default=True)
def main(places: int, seed: int) -> None:
    """Alter pages at random places and in wrappers. Exit with 1 if one that ran is called the same."""
    tally, ran_tally, missed = Counter[str](), Counter[str](), list[str]()
    with (
        TemporaryDirectory() as folder,
        Store(Path(folder) / "deniable.db", create=True) as store,
        sync_playwright() as p,
    ):
        store.publish(example(SURVEY))
        browser = p.chromium.launch(executable_path=shutil.which("chromium-headless-shell") or shutil.which("chromium"))
        with altering(store) as (altered, address):
            honest = carried_by(browser, address)
            if not called_the_same(address):
                raise click.ClickException("the honest page is not called the same")
            for mutant in (*wrapped(), *mutants(places, seed)):
                ran, is_same = tried(browser, altered, address, mutant, honest)
                tally[mutant.kind] += 1
                ran_tally[mutant.kind] += ran
                if is_same:
                    missed.append(f"{mutant.kind}: {mutant.what}")
                click.echo(f"{mutant.kind}, {mutant.what}: ran {ran}, called the same {is_same}", err=True)
            version = browser.version
        browser.close()
    found = {
        "pages": dict(tally),
        "ran": dict(ran_tally),
        "called_the_same": missed,
        "chromium": version,
    }
    print(json.dumps(record("python -m benchmarks.collecting.altered_pages", **found), indent=2))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
