"""The security headers of every HTTP response, which restrict what browsers do with pages."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import TYPE_CHECKING

from flask import Flask

if TYPE_CHECKING:
    from _typeshed import OptExcInfo
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "connect-src": "'self'",
    "img-src": "'self'",
    "worker-src": "'none'",  # a service worker would stay in the browser, and could change every later page
    "form-action": "'none'",  # a native submit must carry answers nowhere
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
NO_FEATURES = ("accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "microphone", "payment", "usb")
FORM_PAGE = re.compile(r"/s/[^/]+/by-hand")  # page whose form the browser itself sends, with disguised values only


def _policy(**changes: str) -> str:
    return "; ".join(f"{what} {who}" for what, who in (POLICY | changes).items())


HEADERS = {
    "Content-Security-Policy": _policy(),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in NO_FEATURES),
    "X-Robots-Tag": "noindex",
}
FORM_HEADERS = HEADERS | {
    "Content-Security-Policy": _policy(**{"form-action": "'self'"}),
    "Referrer-Policy": "same-origin",  # with no-referrer browsers send a form as if from "null", as any site may
}
INTEGRITY = "blocked-destinations=(script)"  # forbids scripts whose hash the page does not name
ONLY_TLS = ("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
LEAVING = b"""self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(leave()));

async function leave() {
  await self.registration.unregister();
  const pages = await self.clients.matchAll({ includeUncontrolled: true, type: "window" });
  await Promise.allSettled(pages.map((page) => page.navigate(page.url)));
}
"""
"""Script that takes a service worker out of a browser and loads its pages anew.

No page of ours registers a worker. A page that somebody altered may have registered one, at any address, before it was
mended. Browsers look for a newer script of a worker past the worker itself, and say in a header that they do.
"""
LEAVING_HEADERS = {
    "Content-Type": "text/javascript; charset=utf-8",
    "Content-Length": str(len(LEAVING)),
    "Service-Worker-Allowed": "/",  # the worker may have been registered for more than the folder of its script
    "Clear-Site-Data": '"cache"',  # pages that were altered
}
UNCACHED = {"Cache-Control": "no-store"}  # static files have headers that allow caching: no-cache, with an ETag


def headers_with(import_map: str, style: str) -> dict[str, str]:
    """Return the headers of a page with scripts, which allow the page's import map and style by their hashes."""
    policy = _policy(**{"script-src": f"'self' {_source(import_map)}", "style-src": f"'self' {_source(style)}"})
    return {"Content-Security-Policy": policy, "Integrity-Policy": INTEGRITY}


def _source(content: str) -> str:
    return f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"


def protect(app: Flask) -> None:
    """Add the security headers to every HTTP response of the application, including errors.

    Whatever script a browser asks for as that of a service worker, it is given the one that takes the worker away.
    """
    unprotected = app.wsgi_app
    usual, form = list((HEADERS | UNCACHED).items()), list((FORM_HEADERS | UNCACHED).items())

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        ours = form if FORM_PAGE.fullmatch(environ["PATH_INFO"]) else usual  # a form that is refused may come back

        def start(
            status: str, headers: list[tuple[str, str]], failure: OptExcInfo | None = None, /
        ) -> Callable[[bytes], object]:
            brought = {name for name, _ in headers}
            secure = [ONLY_TLS] if environ["wsgi.url_scheme"] == "https" else []  # as the trusted proxy says by now
            own = [each for each in (*ours, *secure) if each[0] not in brought]
            return start_response(status, headers + own, failure)

        if environ.get("HTTP_SERVICE_WORKER") == "script" and environ["REQUEST_METHOD"] in {"GET", "HEAD"}:
            start("200 OK", list(LEAVING_HEADERS.items()))
            return (LEAVING if environ["REQUEST_METHOD"] == "GET" else b"",)
        return unprotected(environ, start)

    app.wsgi_app = answer  # type: ignore[method-assign] # as Flask's documentation has it
