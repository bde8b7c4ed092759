"""How long the first screen takes on slow 3G: ``python -m benchmarks.collecting.first_screen [--runs 5] [--json]``.

Chromium with an empty cache opens the three published questionnaires in English, Arabic and Hindi, from the server of
``respondent serve``. The browser holds every answer back for 400 ms, lets 400 kbit/s through, and runs on a quarter of
the processor. *drawn* is when the first text is on the screen, *usable* when "I agree: start" can be pressed: all
scripts have come and run, the design is checked, and every screen of the survey is built. The worst of all runs must
stay under 4 seconds.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from playwright.sync_api import Browser, sync_playwright

from benchmarks.collecting.serving import running
from benchmarks.collecting.weight import PUBLISHED, example
from benchmarks.record import record
from collector.commands.command import print_json, print_table
from collector.store.store import Store
from collector.survey.survey import Survey

SLOW_3G = {"offline": False, "latency": 400, "downloadThroughput": 400_000 / 8, "uploadThroughput": 400_000 / 8}
SLOWER = 4  # times, the processor
LIMIT = 4.0  # seconds
PHONE = {"viewport": {"width": 320, "height": 640}}
TIMES = """() => ({
  drawn: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
  files: performance.getEntriesByType("resource").map(({ name, transferSize }) => [name, transferSize]),
})"""
USABLE = """new MutationObserver(() => {
  if (document.querySelector("#start:enabled")) globalThis.usable ??= performance.now();
}).observe(document, { subtree: true, attributeFilter: ["disabled"] });"""


@dataclass(frozen=True)
class Opened:
    """One survey's page, opened once: seconds, requests, and bytes as they came over the network."""

    survey: str
    language: str
    drawn: float
    usable: float
    requests: int
    transferred: int


def opened(browser: Browser, address: str, survey: str, language: str) -> Opened:
    """Open a page with an empty cache."""
    context = browser.new_context(**PHONE)  # type: ignore[arg-type]
    try:
        context.add_init_script(USABLE)
        page = context.new_page()
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", SLOW_3G)
        session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        page.goto(f"{address}/s/{survey}?lang={language}", wait_until="commit")
        page.wait_for_selector("#start:enabled", timeout=60_000)
        usable = page.evaluate("usable")
        found = page.evaluate(TIMES)
        own = page.evaluate("performance.getEntriesByType('navigation')[0].transferSize")
        sizes = dict(found["files"])
        drawn, usable = (round(each / 1000, 2) for each in (found["drawn"], usable))
        return Opened(survey, language, drawn, usable, len(sizes) + 1, sum(sizes.values()) + own)
    finally:
        context.close()


def measured(surveys: list[Survey], runs: int) -> Iterator[Opened]:
    """Each survey in each of its languages, so often."""
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "deniable.db"
        with Store(path, create=True) as store:
            for survey in surveys:
                store.publish(survey)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        with running(path) as server:
            address = f"http://127.0.0.1:{server.port}"
            for _ in range(runs):
                for survey in surveys:
                    for language in survey.languages[survey.name.endswith("_hi") :]:
                        yield opened(browser, address, survey.name, language)
        browser.close()


@click.command()
@click.option("--runs", default=5, show_default=True, help="How often each page is opened.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(runs: int, *, as_json: bool) -> None:
    """Measure, print the slowest of each page, and exit with 1 where one is not usable in time."""
    found = list(measured([example(name, language) for name in PUBLISHED for language in ("ar", "hi")], runs))
    pages = sorted({(each.survey, each.language) for each in found})
    worst = [
        max((each for each in found if (each.survey, each.language) == page), key=lambda it: it.usable)
        for page in pages
    ]
    if as_json:
        print_json(
            record(
                "python -m benchmarks.collecting.first_screen",
                runs=runs,
                limit=LIMIT,
                pages=[asdict(each) for each in worst],
            )
        )
    else:
        print_table(list(asdict(worst[0])), [[str(cell) for cell in asdict(each).values()] for each in worst])
    sys.exit(any(each.usable > LIMIT for each in worst))


if __name__ == "__main__":
    main()
