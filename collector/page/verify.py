"""The comparison of a survey's page on a server with the files of this installation.

Scripts, style sheets and icons are compared byte for byte. The page's text is compared in each language. A survey's
page must run no other script, must set the right content security policy, and must contain a design with the right
fingerprint. A server that passes the check can still send other files to other visitors.
"""

import json
import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from html.parser import HTMLParser
from http.client import HTTPException
from importlib.metadata import entry_points
from itertools import zip_longest
from typing import Any
from urllib import request
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin, urlsplit

from collector.errors import DeniableError, InputError
from collector.page.static_files import ENTRY, disguise_hash, static_files
from collector.page.style import style_name, style_sheet

PICTURE = re.compile(r'(?<=")([0-9a-f]{64})\.(?:jpg|png|webp)(?=")')
"""Pattern of a picture's name in a design: SHA-256 and suffix."""
PATIENCE = 20.0  # time limit of one HTTP response, in seconds
LARGEST = 4_000_000  # maximum size of one HTTP response, in bytes
DATA = "application/json"
MAKER = "deniable.page"
"""Group of the entry point that finds the maker of pages, because this package imports no web framework."""
MARKS = ("", "test", "preview")  # marks that a page may have
IMPORT_MAP = "importmap"  # type of the only script inside the page, which lists hashes of the others
CHANGING = "full"  # key of the page's data that changes: the answers whose quotas are reached
INTEGRITY = "blocked-destinations=(script)"
POLICY = ("default-src 'none'", "connect-src 'self'", "form-action 'none'", "base-uri 'none'")
FOREIGN = frozenset({"base", "embed", "frame", "iframe", "object", "portal"})
HANDLERS = (
    request.ProxyHandler,
    request.HTTPHandler,
    request.HTTPSHandler,
    request.HTTPDefaultErrorHandler,
    request.HTTPErrorProcessor,
    request.UnknownHandler,
)


@dataclass(frozen=True)
class PageCheck:
    """The result of the check of a survey's page.

    Attributes:
        address: Address of the page.
        files: Number of files that were compared.
        disguise: SHA-384 of static/disguise/ in this installation (see `disguise_hash`).
        fingerprint: SHA-256 of the design in the page.
        differences: Differences from this installation in words.
    """

    address: str
    files: int
    disguise: str
    fingerprint: str
    differences: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether the page equals the page of this installation."""
        return not self.differences


@dataclass
class _Page(HTMLParser):
    scripts: list[str] = field(default_factory=list)
    data: dict[str, str] = field(default_factory=dict)
    foreign: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    inside: str | None = None

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record the code in a tag that a browser would run."""
        attributes = dict(attrs)
        self.parts.append(self.get_starttag_text() or "")
        self.foreign += [f"<{tag} {name}>" for name in attributes if name.startswith("on")]
        if tag in FOREIGN or (tag == "meta" and "http-equiv" in attributes):
            self.foreign.append(f"<{tag}>")
        if tag != "script":
            return
        if attributes.get("src"):
            self.scripts.append(attributes["src"] or "")
        elif attributes.get("type") in {DATA, IMPORT_MAP}:
            self.inside = attributes.get("id") or attributes["type"]
            self.data[self.inside or ""] = ""
        else:
            self.foreign.append("<script> with no address")

    def handle_data(self, data: str) -> None:
        """Record the text of the JSON data in the page."""
        if self.inside is not None:
            self.data[self.inside] += data
        else:
            self.parts.append(data)

    def handle_endtag(self, tag: str) -> None:
        """Record the end of the JSON data in the page."""
        self.parts.append(f"</{tag}>")
        if tag == "script":
            self.inside = None


def verify_page(address: str) -> PageCheck:
    """Fetch a survey's page with all its files, and compare the files with this installation.

    Raises:
        InputError: If the address is not an http or https address, cannot be fetched, or does not show a survey's page.
    """
    if urlsplit(address).scheme not in {"http", "https"} or not urlsplit(address).hostname:
        raise InputError("URL", "the text is not a web address", "write https://HOST/s/NAME")
    files = static_files()
    answer, content = _fetch(address)
    page = _read(content.decode("utf-8", "replace"))
    if not page.scripts or not {"data", "design"} <= page.data.keys():
        raise InputError(
            address, "the address does not lead to a survey page", "give the address that respondents open, /s/NAME"
        )
    entry = urljoin(address, page.scripts[0])
    fingerprint = sha256(_design(page).encode()).hexdigest()
    found = [f"the page has {each}" for each in page.foreign]
    found += [f"the page loads {each}" for each in page.scripts[1:]]
    policy = [each.strip() for each in (answer.get("Content-Security-Policy") or "").split(";")]
    digest = b64encode(sha256(page.data.get(IMPORT_MAP, "").encode()).digest()).decode()
    wanted = (*POLICY, f"script-src 'self' 'sha256-{digest}'")
    found += [f"the policy lacks {each}" for each in wanted if each not in policy]
    if answer.get("Integrity-Policy") != INTEGRITY:
        found.append(f"the page comes without Integrity-Policy: {INTEGRITY}")
    if urlsplit(entry)[:2] != urlsplit(address)[:2] or not urlsplit(entry).path.endswith(f"/static/{ENTRY}"):
        found.append(f"the page loads {page.scripts[0]}")
    else:
        base = entry[: entry.rindex(ENTRY)]
        given = {f"static/{name}": content for name, content in files.items()} | _style(_design(page))
        base = base.removesuffix("static/")
        found += [line for name, expected in given.items() if (line := _difference(base, name, expected))]
    found += _pictures(address, _design(page))
    if _data(page).get("fingerprint") != fingerprint:
        found.append("the design is not the one of the fingerprint that responses name")
    return PageCheck(address, len(files), disguise_hash(files), fingerprint, tuple(found or _words(address, page)))


def _read(html: str) -> _Page:
    page = _Page()
    page.feed(html)
    page.close()
    return page


def _words(address: str, page: _Page) -> list[str]:
    """Return the first difference in each language from the page that this installation makes for the design."""
    makers = list(entry_points(group=MAKER))
    if not makers:
        raise InputError(
            "page", "the software that makes survey pages is not installed", "install the package deniable again"
        )
    make: Callable[..., str] = makers[0].load()
    design, parts, found = _design(page), urlsplit(address), []
    base = parts._replace(path=parts.path.rpartition("/s/")[0], query="", fragment="").geturl()
    invited = any('id="invited"' in each for each in page.parts)

    def difference(given: _Page, query: str) -> str | None:
        made = [_read(make(design, base, query, by_invitation=invited, mark=mark)) for mark in MARKS]
        lines = [_first(_compared(given), _compared(each)) for each in made]
        return None if None in lines else lines[0]

    try:
        found.append(difference(page, parts.query))
    except DeniableError as error:
        return [f"the design is none that this version reads: {error}"]
    for tag in json.loads(design)["languages"]:
        query = urlencode({"lang": tag})
        if query != parts.query:
            _, content = _fetch(parts._replace(query=query).geturl())
            found.append(difference(_read(content.decode("utf-8", "replace")), query))
    return [f"the page {each}" for each in dict.fromkeys(found) if each]


def _compared(page: _Page) -> list[str]:
    """Return the parts of a page that do not change while the survey runs."""
    data = _data(page)
    lines = [f"{key}: {data[key]}" for key in sorted(data) if key != CHANGING]
    return [*"".join(page.parts).splitlines(), *lines, page.data.get(IMPORT_MAP, ""), page.data.get("design", "")]


def _first(given: list[str], made: list[str]) -> str | None:
    """Return the first difference between two pages in words, or None."""
    for one, other in zip_longest(given, made, fillvalue=""):
        if one != other:
            at = next(at for at, (a, b) in enumerate(zip_longest(one, other)) if a != b)
            start = max(0, at - 20)
            return f"has {one[start : at + 20]!r} where it should have {other[start : at + 20]!r}"
    return None


def _pictures(address: str, design: str) -> list[str]:
    """Return the defects of the pictures that a design names."""
    found = []
    for name, digest in sorted({(each[0], each[1]) for each in PICTURE.finditer(design)}):
        try:
            _, content = _fetch(urljoin(address, f"{urlsplit(address).path.rpartition('/s/')[0]}/pictures/{name}"))
        except InputError as error:
            found.append(f"pictures/{name}: {error.problem}")
        else:
            found += [] if sha256(content).hexdigest() == digest else [f"pictures/{name}: it is another picture"]
    return found


def _fetch(address: str) -> tuple[Any, bytes]:
    """Fetch an address without following redirects, and return the headers and the body."""
    opener = request.OpenerDirector()
    for handler in HANDLERS:
        opener.add_handler(handler())
    try:
        with opener.open(address, timeout=PATIENCE) as answer:
            content = answer.read(LARGEST + 1)
            headers = answer.headers
    except HTTPError as error:
        raise InputError(address, f"the server answers {error.code}", "check the web address") from None
    except (OSError, HTTPException, ValueError) as error:
        problem = f"it cannot be fetched ({type(getattr(error, 'reason', error)).__name__})"
        raise InputError(address, problem, "check the address and the network") from None
    if len(content) > LARGEST:
        raise InputError(address, f"the page is longer than {LARGEST} bytes", "give the address of a survey's page")
    return headers, content


def _style(design: str) -> dict[str, bytes]:
    """Return the style sheet that belongs to a design, by its path, or an empty dictionary."""
    try:
        study = json.loads(design)["study"] or {}
        name = style_name(study.get("accent"), study.get("font"))
        content = name and style_sheet(name)
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
    return {f"style/{name}": content} if content else {}


def _difference(base: str, name: str, expected: bytes) -> str | None:
    """Return the first difference between a served file and the installed file in words, or None."""
    try:
        _, content = _fetch(base + name)
    except InputError as error:
        return f"{name}: {error.problem}"
    if content == expected:
        return None
    lines = list(zip(content.split(b"\n"), expected.split(b"\n"), strict=False))
    number = next((at for at, (one, other) in enumerate(lines, start=1) if one != other), len(lines))
    return f"{name}: it differs in line {number}"


def _design(page: _Page) -> str:
    """Return the published design that a page contains."""
    kept = page.data["design"].split("\\\\")  # an escaped backslash, behind which "u003c" is text
    return "\\\\".join(part.replace("\\u003c", "<") for part in kept)


def _data(page: _Page) -> dict[str, Any]:
    """Return the JSON data in a page that the page's script reads, or an empty dictionary if they are damaged."""
    try:
        data = json.loads(page.data.get("data", ""))
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}
