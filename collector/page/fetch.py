"""Requests such as a browser sends, and a strict reader of what comes.

Browsers and Python's HTTP library disagree on malformed heads, for example on folded lines and on a lone carriage
return. The reader therefore takes well-formed answers only, in which both read the same headers and the same body.
"""

import re
import zlib
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from io import BytesIO
from typing import Any
from urllib import request
from urllib.error import HTTPError
from urllib.parse import urlsplit

from collector.errors import InputError

PATIENCE = 20.0  # time limit of one HTTP response, in seconds
LARGEST = 4_000_000  # maximum size of one HTTP response, in bytes
LONGEST_HEAD = 65_536  # maximum size of the head of one HTTP response, in bytes
HEAD = re.compile(rb"HTTP/1\.[01] [1-9][0-9]{2}(?: [\t\x20-\x7e]*)?\r\n(?:[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e]*\r\n)*\r\n")
GZIP = 31  # window of zlib for one gzip member with its header
BROWSER = {
    "User-Agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language": "en-US,en;q=0.5",
    "Accept-Encoding": "gzip, deflate, br, zstd",
    "Connection": "keep-alive",
    "Upgrade-Insecure-Requests": "1",
    "Sec-Fetch-Dest": "document",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Site": "none",
    "Sec-Fetch-User": "?1",
    "Priority": "u=0, i",
}
"""What Firefox sends when somebody opens a page, in its order."""
FOR_PAGES = {"Upgrade-Insecure-Requests", "Sec-Fetch-User"}
PARTS = {
    ".mjs": {"Accept": "*/*", "Sec-Fetch-Dest": "script", "Sec-Fetch-Mode": "cors"},
    ".css": {"Accept": "text/css,*/*;q=0.1", "Sec-Fetch-Dest": "style", "Sec-Fetch-Mode": "no-cors"},
    "": {"Accept": "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5"}
    | {"Sec-Fetch-Dest": "image", "Sec-Fetch-Mode": "no-cors"},
}
"""What differs in requests for the parts of a page, by the suffix of the address. All others are images."""
WORKER = BROWSER | {
    "Accept": "*/*",
    "Service-Worker": "script",
    "Sec-Fetch-Dest": "serviceworker",
    "Sec-Fetch-Mode": "same-origin",
    "Sec-Fetch-Site": "same-origin",
}
"""What a browser sends when it looks for a newer script of a service worker."""


@dataclass(frozen=True)
class Answer:
    """An HTTP answer.

    Attributes:
        status: Status, such as 200.
        headers: Names and values of the headers, in their order.
        body: Body, without its Content-Encoding.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def part_headers(path: str) -> dict[str, str]:
    """Return what a browser sends with the request for a part of a page, such as a script."""
    changed = PARTS[next((suffix for suffix in PARTS if path.endswith(suffix)), "")]
    kept = {name: value for name, value in BROWSER.items() if name not in FOR_PAGES}
    return kept | changed | {"Sec-Fetch-Site": "same-origin", "Priority": "u=2"}


class _StrictResponse(HTTPResponse):
    """A response whose head is well-formed."""

    def begin(self) -> None:
        """Read the head, and refuse what browsers may read in another way.

        Raises:
            HTTPException: If the head is malformed, or its body has two lengths.
        """
        rest, head = self.fp, b""
        while not head.endswith(b"\r\n\r\n") and (line := rest.readline(LONGEST_HEAD)) and len(head) < LONGEST_HEAD:
            head += line
        if not HEAD.fullmatch(head):
            raise HTTPException
        self.fp = BytesIO(head)  # type: ignore[assignment] # a reader, too
        super().begin()
        self.fp = rest
        framed = [name.lower() for name in self.headers if name.lower() in {"content-length", "transfer-encoding"}]
        if len(framed) > 1 or ("transfer-encoding" in framed and not (self.chunked and self.version == 11)):
            raise HTTPException


class _Connection(HTTPConnection):
    """A connection that sends headers as browsers do."""

    response_class = _StrictResponse

    def request(self, method: str, url: str, body: Any = None, headers: Any = None, **rest: Any) -> None:  # noqa: ANN401 - http.client's own
        """Send a request which does not say that the connection ends with it, as urllib has it."""
        super().request(method, url, body, dict(headers) | {"Connection": "keep-alive"}, **rest)


class _TlsConnection(_Connection, HTTPSConnection):
    """The same over TLS."""


class _Handler(request.HTTPHandler):
    def http_open(self, req: request.Request) -> HTTPResponse:
        """Open an http address."""
        return self.do_open(_Connection, req)


class _TlsHandler(request.HTTPSHandler):
    def https_open(self, req: request.Request) -> HTTPResponse:
        """Open an https address."""
        return self.do_open(_TlsConnection, req)


HANDLERS = (
    request.ProxyHandler,
    _Handler,
    _TlsHandler,
    request.HTTPDefaultErrorHandler,
    request.HTTPErrorProcessor,
    request.UnknownHandler,
)


def fetch(address: str, headers: dict[str, str]) -> Answer:
    """Fetch an address without following redirects.

    Raises:
        InputError: If the address cannot be fetched, or the answer is not one that every browser reads the same.
    """
    opener = request.OpenerDirector()
    for handler in HANDLERS:
        opener.add_handler(handler())
    try:
        sent = headers if urlsplit(address).scheme == "https" else headers | {"Accept-Encoding": "gzip, deflate"}
        with opener.open(request.Request(address, headers=sent), timeout=PATIENCE) as answer:  # noqa: S310 - the caller checks
            content, given, status = answer.read(LARGEST + 1), answer.headers.items(), answer.status
    except HTTPError as error:
        raise InputError(address, f"the server answers {error.code}", "check the web address") from None
    except (OSError, HTTPException, ValueError) as error:
        problem = f"it cannot be fetched ({type(getattr(error, 'reason', error)).__name__})"
        raise InputError(address, problem, "check the address and the network") from None
    encodings = [value for name, value in given if name.lower() == "content-encoding"]
    body = unpacked(content) if encodings == ["gzip"] else content
    if body is None:
        raise InputError(address, "the compressed answer is damaged", "check the server")
    if max(len(body), len(content)) > LARGEST:
        raise InputError(address, f"the page is longer than {LARGEST} bytes", "give the address of a survey's page")
    return Answer(status, tuple(given), body)


def unpacked(content: bytes) -> bytes | None:
    """Return what one gzip member contains, or None if it is damaged or anything follows it."""
    member = zlib.decompressobj(GZIP)
    try:
        body = member.decompress(content, LARGEST + 1)
    except zlib.error:
        return None
    return body if len(body) > LARGEST or (member.eof and not member.unused_data) else None
