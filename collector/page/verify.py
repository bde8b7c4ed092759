"""The comparison of a survey's site on a server with the one that this installation makes of the same design.

The design is taken out of the page. This installation makes the page, the form by hand, the list of surveys and the
start page of it, in each language, and compares them byte by byte with what came, and every header with every header.
Nothing that came is parsed as HTML, because browsers read malformed HTML in other ways than parsers do. A server that
passes the comparison can still send other files to other visitors, or at other times.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from importlib.metadata import entry_points
from typing import Any
from urllib.parse import urlencode, urlsplit

from collector.errors import DeniableError, InputError
from collector.page.fetch import BROWSER, WORKER, Answer, fetch, part_headers, unpacked
from collector.page.static_files import disguise_hash, static_files
from collector.page.style import style_name

MAKER = "deniable.page"
"""Group of the entry point that finds the maker of pages, because this package imports no web framework."""
PICTURE = re.compile(r'(?<=")([0-9a-f]{64})\.(?:jpg|png|webp)(?=")')
"""Pattern of a picture's name in a design: SHA-256 and suffix."""
MARKS = ("", "test", "preview")  # marks that a page may have
FULL = "full"  # key of the page's data that changes: the answers whose quotas are reached
CARRIED = '<script type="application/json" id="{}">'
PLACES = (
    re.compile(r'(?<=<input type="hidden" name="receipt" value=")[A-Za-z0-9_-]{43}(?=">)'),
    re.compile(r'(?<=<input type="hidden" name="proof" value=")[A-Za-z0-9_-]{43}(?=">)'),
    re.compile(
        r'(?<=<ul class="surveys">)\n'
        r'(?:<li><a href="(?:/[A-Za-z0-9_.-]+)+" lang="[A-Za-z0-9-]+">[^<>]*</a></li>\n)+(?=</ul>)'
    ),
)
"""The places that may differ: what a form by hand draws anew for each visitor, and which other surveys are open.

In the place of the list there are links to this server with text, and no other tag.
"""
TRANSPORT = {
    "connection": r"(?i:keep-alive|close)",
    "content-encoding": r"gzip",
    "content-length": r"[0-9]+",
    "date": r".*",
    "etag": r".*",
    "keep-alive": r".*",
    "server": r".*",
    "transfer-encoding": r"chunked",
    "via": r".*",
    "alt-svc": r'(?:(?:, )?h[23]=":[0-9]+"(?:; ma=[0-9]+)?)+',  # the same host by a newer protocol
}
"""Patterns of the headers that a server or proxy sets for the transport, which change nothing that a browser does."""
SHOWN = 40  # number of characters that are shown of a difference


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


Make = Callable[[str, str, Mapping[str, str]], tuple[int, list[tuple[str, str]], bytes]]


@dataclass
class _Comparison:
    """The comparison of one address after the other.

    Attributes:
        base: Address of the server, below which ``/s/`` begins.
        make: Function that answers requests as this installation does.
        found: Paths with each difference.
    """

    base: str
    make: Make
    found: dict[str, list[str]] = field(default_factory=dict)

    def compare(self, path: str, headers: dict[str, str], given: Answer | None = None) -> None:
        """Compare what the server answers to a request with what this installation answers."""
        try:
            given = given or fetch(self.base + path, headers)
        except InputError as error:
            self.found.setdefault(error.problem, []).append(path)
            return
        for line in differences(given, made(self.make, self.base, path, headers)):
            self.found.setdefault(line, []).append(path)

    def lines(self) -> tuple[str, ...]:
        """Return each difference once, with the first address that has it."""
        more = {line: f" and {len(paths) - 1} more" if len(paths) > 1 else "" for line, paths in self.found.items()}
        return tuple(f"{paths[0].removeprefix('/') or '/'}{more[line]}: {line}" for line, paths in self.found.items())


def verify_page(address: str) -> PageCheck:
    """Fetch a survey's page with all its files, and compare them with this installation.

    Raises:
        InputError: If the address is not an http or https address, cannot be fetched, or does not show a survey's page.
    """
    parts = urlsplit(address)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise InputError("URL", "the text is not a web address", "write https://HOST/s/NAME")
    above, found, survey = parts.path.rpartition("/s/")
    base, name = parts._replace(path=above, query="", fragment="").geturl(), f"/s/{survey}"
    asked = name + (f"?{parts.query}" if parts.query else "")
    given = fetch(parts._replace(fragment="").geturl(), BROWSER)
    page = given.body.decode("utf-8", "replace")
    design, data = _carried(page, "design"), _carried(page, "data")
    if not found or design is None or data is None:
        raise InputError(
            address, "the address does not lead to a survey page", "give the address that respondents open, /s/NAME"
        )
    makers = list(entry_points(group=MAKER))
    if not makers:
        raise InputError(
            "page", "the software that makes survey pages is not installed", "install the package deniable again"
        )
    files, fingerprint = static_files(), sha256(design.encode()).hexdigest()
    pictures = sorted({each[0] for each in PICTURE.finditer(design)})
    checked = _pictures(base, pictures)
    try:
        answer: Callable[..., tuple[int, list[tuple[str, str]], bytes]] = makers[0].load()(
            design, pictures=checked, full=_full(data), by_invitation='id="invited"' in page
        )
    except DeniableError as error:
        line = f"the design is none that this version reads: {error}"
        return PageCheck(address, len(files), disguise_hash(files), fingerprint, (line,))
    makes = [partial(answer, mark) for mark in MARKS]
    make = max(makes, key=lambda each: _alike(given.body, made(each, base, asked, BROWSER).body))
    comparison = _Comparison(base, make)
    comparison.compare(asked, BROWSER, given)
    comparison.compare("/", BROWSER)
    for tag in json.loads(design)["languages"]:
        lang = urlencode({"lang": tag})
        comparison.compare(name, BROWSER | {"Accept-Language": f"{tag},en-US;q=0.7,en;q=0.3"})
        for path in (name, f"{name}/by-hand", "/", "/exit"):
            comparison.compare(f"{path}?{lang}", BROWSER)
    loaded = [*(f"/static/{each}" for each in files), *_style(design), *(f"/pictures/{each}" for each in pictures)]
    for path in loaded:
        comparison.compare(path, part_headers(path))
    for path in ("/", name, f"/static/{next(iter(files))}"):
        comparison.compare(path, WORKER)
    return PageCheck(address, len(files), disguise_hash(files), fingerprint, comparison.lines())


def made(make: Make, base: str, path: str, headers: Mapping[str, str]) -> Answer:
    """Return what this installation answers to a request."""
    status, given, body = make(base, path, headers)
    encoded = any(name.lower() == "content-encoding" for name, _ in given)
    return Answer(status, tuple(given), (unpacked(body) or b"") if encoded else body)


def differences(given: Answer, expected: Answer) -> list[str]:
    """Return the differences between two answers in words."""
    found = [] if given.status == expected.status else [f"the status is {given.status}, not {expected.status}"]
    return [*found, *_headers(given.headers, expected.headers), *_bodies(given.body, expected.body)]


def _headers(given: Sequence[tuple[str, str]], expected: Sequence[tuple[str, str]]) -> list[str]:
    """Return the headers that differ, apart from those of the transport."""
    left = [(name.lower(), value.strip()) for name, value in expected if name.lower() not in TRANSPORT]
    found = []
    for name, value in given:
        key, said = name.lower(), value.strip()
        if key in TRANSPORT and re.fullmatch(TRANSPORT[key], said):
            continue
        if (key, said) in left:
            left.remove((key, said))
        else:
            found.append(f"it comes with the header {name}: {said[:SHOWN]!r}, which this installation does not send")
    return [*found, *(f"it comes without the header {name}: {value}" for name, value in left)]


def _bodies(given: bytes, expected: bytes) -> list[str]:
    """Return the first difference between two bodies apart from the named places, or an empty list."""
    if given == expected:
        return []
    try:
        one, other = given.decode(), expected.decode()
    except UnicodeDecodeError:
        return ["it is another file"]
    for place in PLACES:
        ours, theirs = place.search(other), place.search(one)
        if ours and theirs and (ours[0].strip() in theirs[0] or "<li>" not in ours[0]):  # our survey is in the list
            other = other.replace(ours[0], theirs[0])
    if one == other:
        return []
    at = _alike(one, other)
    start, line = max(0, at - SHOWN // 2), one.count("\n", 0, at) + 1
    shown = [text[start : at + SHOWN // 2] for text in (one, other)]
    return [f"line {line} has {shown[0]!r} where it should have {shown[1]!r}"]


def _alike(one: bytes | str, other: bytes | str) -> int:
    """Return the length of the common beginning of two texts."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _carried(page: str, what: str) -> str | None:
    """Return the last JSON data of a name in a page, with the characters that HTML would act on."""
    begun, _, rest = page.rpartition(CARRIED.format(what))
    kept = rest.partition("</script>")[0].split("\\\\")  # an escaped backslash, behind which "u003c" is text
    return "\\\\".join(part.replace("\\u003c", "<") for part in kept) if begun else None


def _full(data: str) -> dict[str, Any]:
    """Return the answers whose quotas are reached, as the page's data say, or an empty dictionary."""
    try:
        full = json.loads(data)[FULL]
    except (ValueError, KeyError, TypeError):
        return {}
    return {name: values for name, values in full.items() if isinstance(values, list)} if isinstance(full, dict) else {}


def _style(design: str) -> list[str]:
    """Return the path of the style sheet that belongs to a design, if it has one."""
    study = json.loads(design).get("study") or {}
    name = style_name(study.get("accent"), study.get("font"))
    return [f"/style/{name}"] if name else []


def _pictures(base: str, names: Sequence[str]) -> dict[str, bytes]:
    """Return the pictures that have the right hash, by their names."""
    found = {}
    for name in names:
        try:
            content = fetch(f"{base}/pictures/{name}", part_headers(name)).body
        except InputError:
            continue  # the comparison says so
        if sha256(content).hexdigest() == name.partition(".")[0]:
            found[name] = content
    return found
