"""How long the page of `respondent design` takes for 40 questions, in a real Chromium on this machine.

    python -m benchmarks.performance.designing [--questions 40] [--repeats 15]

Prints medians and the longest of each, in milliseconds: from an edit to the state that the server answers, to the
figures on the page and to the respondent's own page in the preview, and from a step of the slider to its exact figures.
Half of the questions are yes-or-no and half have five values, each with a group of its own; every edit sets another
truth.
"""

from __future__ import annotations

import gc
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import Thread
from time import perf_counter

import click
from playwright.sync_api import Page, sync_playwright

from owner.link import Link
from owner.server import listen, server_of
from respondent.designing.app import create_app
from respondent.designing.document import SurveyDocument

YES_NO = 'kind = "yes_no"\nprior = { yes = 0.2, no = 0.8 }'
CHOICE = 'kind = "choice"\nvalues = ["a", "b", "c", "d", "e"]'
TRUTHS = ("2/3", "3/5", "4/5", "5/6", "5/8", "7/10", "7/8")
EDIT = """async ([name, truth]) => {
  const main = document.getElementById("main");
  const done = (until) => new Promise((resolve) => {
    const look = () => (until() ? resolve(performance.now()) : setTimeout(look, 1));
    look();
  });
  const before = document.querySelector("#phone iframe");
  const control = document.getElementById(`f.groups.${name}.truth`);
  performance.clearResourceTimings();
  const start = performance.now();
  control.value = truth;
  control.dispatchEvent(new Event("change"));
  const figures = await done(() => main.getAttribute("aria-busy") === "false");
  const preview = await done(() => {
    const there = document.querySelector("#phone iframe");
    return there !== before && there.contentDocument?.querySelector("#start:enabled");
  });
  const state = performance.getEntriesByType("resource").find((each) => each.name.includes("/edit"));
  return [state.responseEnd - state.startTime, figures - start, preview - start];
}"""
SLIDE = """async (place) => {
  const words = document.getElementById("balance.words");
  const slider = document.getElementById("truth");
  performance.clearResourceTimings();
  const start = performance.now();
  slider.value = place;
  slider.dispatchEvent(new Event("input"));
  while (!performance.getEntriesByType("resource").some((each) => each.name.includes("/slider")))
    await new Promise((resolve) => setTimeout(resolve, 1));
  await new Promise((resolve) => setTimeout(resolve, 0));
  return [performance.now() - start];
}"""


def survey(questions: int, name: str = "long") -> str:
    """A survey file of this many questions."""
    parts = [f'name = "{name}"\ntitle = "A long survey"\nlanguages = ["en"]\n']
    for at in range(questions):
        kind = YES_NO if at % 2 else CHOICE
        parts.append(f'[[questions]]\nname = "q{at}"\nlabel = "Question {at + 1}?"\n{kind}\ngroup = "q{at}"\n')
    parts.append("[groups]")
    parts += [f'q{at} = {{ truth = "3/4", channel = "uniform" }}' for at in range(questions)]
    return "\n".join(parts) + "\n"


@contextmanager
def designing(path: Path) -> Iterator[str]:
    """Serve a survey file as the command does; the link that opens its page."""
    link = Link()
    server = server_of(create_app(SurveyDocument(path), link), listen(0))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}/open/{link.once}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def measured(page: Page, questions: int, repeats: int) -> dict[str, list[float]]:
    """Milliseconds of each, by its name."""
    edits = []
    for repeat in range(repeats + 1):
        name = f"q{repeat % questions}"
        edits.append(page.evaluate(EDIT, [name, TRUTHS[repeat % len(TRUTHS)]]))
        page.wait_for_timeout(1500)  # what one epsilon would choose is asked for meanwhile
    slides = []
    for repeat in range(repeats):
        slides.append(page.evaluate(SLIDE, repeat % 7 + 1))
        page.wait_for_timeout(200)
    first, *rest = edits
    names = ("edit to state", "edit to figures", "edit to preview")
    found = {name: [each[at] for each in rest] for at, name in enumerate(names)}
    return (
        {f"{name}, the first": [first[at]] for at, name in enumerate(names)}
        | found
        | {"slider": [s[0] for s in slides]}
    )


@click.command()
@click.option("--questions", type=click.IntRange(min=2), default=40)
@click.option("--repeats", type=click.IntRange(min=1), default=15)
def main(questions: int, repeats: int) -> None:
    """Measure, and print."""
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "long.toml"
        path.write_text(survey(questions), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        gc.freeze()  # as `owner.server.serve` does
        with designing(path) as link:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            start = perf_counter()
            page.goto(link)
            page.wait_for_selector('main[aria-busy="false"]', timeout=120_000)
            click.echo(f"the page, with its first state: {perf_counter() - start:.1f} s")
            page.click('[id="tab.privacy"]')
            page.wait_for_timeout(3000)
            for name, times in measured(page, questions, repeats).items():
                click.echo(f"{name}: median {median(times):.0f} ms, longest {max(times):.0f} ms")
        browser.close()


if __name__ == "__main__":
    main()
