"""The headers on every answer: what the browser must never do with our pages."""

from __future__ import annotations

from flask import Flask, Response, request

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "connect-src": "'self'",
    "img-src": "'self'",
    "form-action": "'none'",  # a native submit must carry answers nowhere
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
NO_FEATURES = ("accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "microphone", "payment", "usb")
FORM_ENDPOINT = "pages.by_hand"  # the one page whose form the browser itself sends: it holds disguised values only


def _policy(**changes: str) -> str:
    return "; ".join(f"{what} {who}" for what, who in (POLICY | changes).items())


HEADERS = {
    "Content-Security-Policy": _policy(),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in NO_FEATURES),
}
FORM_HEADERS = HEADERS | {"Content-Security-Policy": _policy(**{"form-action": "'self'"})}


def protect(app: Flask) -> None:
    """Put the headers on every answer of the app, errors included; nothing but static files may be kept in a cache."""

    @app.after_request
    def add_headers(response: Response) -> Response:
        response.headers.extend(FORM_HEADERS if request.endpoint == FORM_ENDPOINT else HEADERS)
        if "Cache-Control" not in response.headers:  # static files bring theirs: no-cache, with an ETag
            response.headers["Cache-Control"] = "no-store"
        return response
