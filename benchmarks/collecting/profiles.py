"""What a respondent's browser leaves on disk: neither a word of chance, nor a coin, nor an answer.

    python -m benchmarks.collecting.profiles [--runs 10] [--quick] [--json]

Each visit has a profile of its own: a survey is answered, the answers are looked at for up to 6 seconds and the
disguised response for 8, 75 or 150 (Chromium writes `sessionStorage` late), with or without two reloads, one in the
middle and one at the preview; it is sent, and the browser closed. Every file of the profile is then searched for the
words that were drawn, as text and as bytes, and for whatever says what was answered; and once more after the browser
was started and closed again. The receipt of the frozen response is what must be found after a wait: a search that finds
nothing at all proves nothing.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import click
from playwright.sync_api import BrowserContext, Page, Playwright, sync_playwright
from werkzeug.serving import WSGIRequestHandler, make_server

from benchmarks.collecting.profile_files import contents
from benchmarks.record import record
from collector.commands.command import print_json, print_table
from collector.store.store import Store
from collector.survey_file.survey_file import parse_survey
from respondent.app import create_app

SURVEY = parse_survey("""
name = "traces"
title = "Traces"
languages = ["en"]
preview = "before"
questions = [
  { name = "qxcolour", label = "Colour?", kind = "choice", values = ["zqamber", "zqolive", "zqviolet"], group = "one" },
  { name = "qxmetal", label = "Metal?", kind = "scale", values = ["zqcopper", "zqnickel", "zqsilver"], group = "two" },
  { name = "qxweight", label = "Weight?", kind = "number", cuts = [400000, 800000], group = "three" },
]
[groups]
one = { truth = "1/3", channel = "uniform" }
two = { truth = "1/3", channel = "uniform" }
three = { truth = "1/3", channel = "uniform" }
""")
CHOSEN = {"qxcolour": 1, "qxmetal": 2}
TYPED = "731942.25"
WAITS, SHORT_WAITS = (8.0, 75.0, 150.0), (0.0, 8.0)  # seconds on the preview
THINKING = 6.0  # seconds before the answers are locked; Chromium writes what the tab holds every five
FLUSHED = 8.0  # after which Chromium has written what the tab holds
LEAST = 10**6  # shorter numbers stand in a profile for other things
SETTLE = 500  # milliseconds in which a browser that was started again reads its profile
RECORD = """() => {
  globalThis.drawn = [];
  const draw = crypto.getRandomValues.bind(crypto);
  crypto.getRandomValues = (array) => {
    draw(array);
    if (array instanceof Uint32Array) drawn.push(...array);
    return array;
  };
}"""


@dataclass(frozen=True)
class Visit:
    """What a profile is searched for.

    Attributes:
        words: The words of chance that the page drew.
        body: What was sent.
    """

    words: Sequence[int]
    body: str


@dataclass(frozen=True)
class Search:
    """What was found.

    Attributes:
        wait: Seconds on the preview.
        reloads: Whether the page was reloaded, in the middle and at the preview.
        words: How many words were searched for.
        found: What undoes the disguise, and where it is; empty if the promise is kept.
        receipt: Whether the receipt of the frozen response is there.
    """

    wait: float
    reloads: bool
    words: int
    found: tuple[str, ...]
    receipt: bool

    @property
    def holds(self) -> bool:
        """Whether nothing was found that must not be there, by a search that finds what is there."""
        return not self.found and (self.receipt or self.wait < FLUSHED)


class Quiet(WSGIRequestHandler):
    """Writes no request down."""

    def log(self, *details: object) -> None:
        """Say nothing."""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of the survey's page, with a store in this folder."""
    with Store(folder / "deniable.db", create=True) as store:
        store.publish(SURVEY)
        server = make_server("127.0.0.1", 0, create_app(store), threaded=True, request_handler=Quiet)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"http://127.0.0.1:{server.port}/s/{SURVEY.name}"
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def browsing(profile: Path) -> Iterator[BrowserContext]:
    """Chromium with a profile that stays."""
    with sync_playwright() as playwright:
        context = opened(playwright, profile)
        yield context
        context.close()


def opened(playwright: Playwright, profile: Path) -> BrowserContext:
    """Chromium, started with a profile that stays."""
    return playwright.chromium.launch_persistent_context(profile, executable_path=shutil.which("chromium"))


def answer(page: Page) -> None:
    """Answer every question, up to the screen that shows all answers."""
    page.click("#start")
    for question in SURVEY.questions:
        if question.cuts:
            page.fill(f"#q-{question.name}", TYPED)
        else:
            page.click(f"label:has(#q-{question.name}-{CHOSEN[question.name]})")
        page.click("#next", no_wait_after=True)
    page.wait_for_selector("#check:visible")


def reload(page: Page) -> list[int]:
    """Reload; the words that were drawn before."""
    words: list[int] = page.evaluate("drawn")
    page.reload()
    return words


def visit(address: str, profile: Path, wait: float, *, reloads: bool) -> Visit:
    """Answer, wait on the preview, send, and close the browser."""
    words: list[int] = []
    with browsing(profile) as context:
        context.add_init_script(f"({RECORD})()")
        page = context.pages[0]
        page.goto(address)
        page.wait_for_selector("#start:enabled")
        answer(page)
        if reloads:
            words += reload(page)
            page.wait_for_selector("#start:enabled")
            answer(page)
        page.wait_for_timeout(min(wait, THINKING) * 1000)
        page.click("#next", no_wait_after=True)
        page.wait_for_selector("#preview:visible")
        page.wait_for_timeout(wait * 1000)
        if reloads:
            words += reload(page)
            page.click("#whose button >> nth=0")
            page.wait_for_selector("#preview:visible")
        body = page.text_content("#bytes") or ""
        page.click("#next:enabled", no_wait_after=True)
        page.wait_for_selector("#thanks:visible")
        words += page.evaluate("drawn")
    return Visit(words, body)


def needles(found: Visit) -> dict[str, bytes]:
    """What must be nowhere: the words, and all that says what was answered."""
    texts = {f"word {word}": str(word) for word in found.words if word >= LEAST}
    texts |= {"number": TYPED, "number in words": TYPED.replace(".", ","), "number shown": f"{float(TYPED):,}"}
    for question in SURVEY.questions:
        texts |= {f"value {value}": value for value in question.values}
        texts[f"control of {question.name}"] = f"q-{question.name}"
    sought = {what: text.encode() for what, text in texts.items()}
    sought |= {f"{what}, in UTF-16": text.encode("utf-16-le") for what, text in texts.items()}
    for one, other in zip(found.words, found.words[1:], strict=False):  # a single word's four bytes may be chance
        for order in ("little", "big"):
            sought[f"words {one} {other}, {order}"] = b"".join(_bytes(each, order) for each in (one, other))
    return sought | {f"{what}, as bytes": code for what, code in true_codes(found).items()}


def true_codes(found: Visit) -> dict[str, bytes]:
    """Each question's codes other than the one that was sent, as a response would write them."""
    sent: dict[str, int] = json.loads(found.body)["codes"]
    others = {
        (question.name, code): f'"{question.name}":{code}'
        for question in SURVEY.questions
        for code in question.coding.codes
        if code != sent[question.name]
    }
    plain = {f"code {code} of {name}": text.encode() for (name, code), text in others.items()}
    wide = {f"code {code} of {name}, wide": text.encode("utf-16-le") for (name, code), text in others.items()}
    return plain | wide


def _bytes(word: int, order: Any) -> bytes:  # noqa: ANN401 - of two words, which typeshed names by a literal
    return word.to_bytes(4, order)


def search(profile: Path, made: Visit) -> tuple[list[str], bool]:
    """What undoes the disguise, and in which file of the profile it is; and whether the receipt is in any."""
    files, sought = list(contents(profile)), needles(made)
    receipt = json.loads(made.body)["receipt"]
    kept = any(receipt.encode(code) in raw for _, raw in files for code in ("utf-8", "utf-16-le"))
    return [f"{name}: {what}" for name, raw in files for what, needle in sought.items() if needle in raw], kept


def measure(wait: float, *, reloads: bool) -> Search:
    """One visit with a new profile, which is searched, opened once more, and searched again."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, serving(Path(folder)) as address:
        profile = Path(folder) / "profile"
        made = visit(address, profile, wait, reloads=reloads)
        closed, receipt = search(profile, made)
        with browsing(profile) as context:  # LevelDB writes its log into tables when it is opened
            context.pages[0].wait_for_timeout(SETTLE)
        again, _ = search(profile, made)
        return Search(wait, reloads, len(made.words), tuple(dict.fromkeys(closed + again)), receipt)


@click.command()
@click.option("--runs", type=click.IntRange(min=1), default=10, help="How often each visit is made.")
@click.option("--together", type=click.IntRange(min=1), default=6, help="How many browsers run at a time.")
@click.option("--quick", is_flag=True, help="Short waits only.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def main(*, runs: int, together: int, quick: bool, as_json: bool) -> None:
    """Make the visits, print what was found, and exit with 1 if anything was."""
    kinds = [(wait, reloads) for wait in (SHORT_WAITS if quick else WAITS) for reloads in (False, True)] * runs
    with ThreadPoolExecutor(together) as pool:
        found = list(pool.map(lambda kind: measure(kind[0], reloads=kind[1]), kinds))
    if as_json:
        command = f"python -m benchmarks.collecting.profiles --runs {runs}{' --quick' if quick else ''}"
        print_json(record(command, visits=[asdict(each) | {"holds": each.holds} for each in found]))
    else:
        columns = ("wait", "reloads", "words", "receipt", "found")
        rows = [(*(str(getattr(each, name)) for name in columns[:-1]), "; ".join(each.found)) for each in found]
        print_table(columns, rows)
    sys.exit(not all(each.holds for each in found))


if __name__ == "__main__":
    main()
