"""The pictures of the README and the documentation, from the demonstration's survey: nobody real is in them.

    make pictures

Writes docs/pictures/page.png, a question on a phone, docs/pictures/report.png, the top of a report of 1,500 responses
of made-up people, and docs/pictures/design.png, privacy.png and balance.png, the page of `respondent design`. Each has
at most `LARGEST` bytes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, ViewportSize, sync_playwright

from demo import FOLDER, ROOT, run, served
from population import draw_answers

PICTURES = ROOT / "docs" / "pictures"
LARGEST = 150_000  # bytes
PHONE = ViewportSize(width=390, height=600)
SHEET = ViewportSize(width=1000, height=1000)
DESK = ViewportSize(width=1100, height=640)
HIGH = ViewportSize(width=1100, height=960)  # the four words of privacy are in view
TALL = ViewportSize(width=1440, height=2400)  # what a pane would scroll is in view


def main() -> None:
    """Make them all."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    PICTURES.mkdir(exist_ok=True)
    run("collector", "publish", "../examples/wellbeing.toml")
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        with served() as port:
            picture_of_the_page(browser, f"http://127.0.0.1:{port}/s/wellbeing")
        picture_of_the_report(browser)
        with designed() as address:
            pictures_of_the_design(browser, address)
        browser.close()
    for path in sorted(PICTURES.glob("*.png")):
        size = path.stat().st_size
        print(f"{path.relative_to(ROOT)}: {size:,} bytes")
        if size > LARGEST:
            sys.exit(f"{path.name}: it has more than {LARGEST:,} bytes; show less")


def picture_of_the_page(browser: Browser, address: str) -> None:
    """The second question, with its odds."""
    page = browser.new_page(viewport=PHONE, device_scale_factor=1.5)
    page.goto(address)
    page.get_by_role("button", name="I agree: start").click()
    page.locator('[data-question="year"]').get_by_role("radio").nth(1).check()
    page.get_by_role("button", name="Continue").click()
    page.locator('[data-question="cannabis"]').wait_for()
    page.screenshot(path=PICTURES / "page.png")
    page.close()


def picture_of_the_report(browser: Browser) -> None:
    """The summary, and the first estimates."""
    answers, sent, report = (FOLDER / name for name in ("answers.csv", "sent.csv", "report.html"))
    draw_answers(1500, np.random.default_rng(2026)).to_csv(answers, index=False)
    run("miner", "simulate", "../examples/wellbeing.toml", str(answers), "--seed", "1", "-o", str(sent))
    run("collector", "import", "wellbeing", str(sent))
    run("miner", "report", "wellbeing", "-o", str(report))
    page = browser.new_page(viewport=SHEET)
    page.goto(report.as_uri())
    page.screenshot(path=PICTURES / "report.png")
    page.close()


@contextmanager
def designed() -> Iterator[str]:
    """The example in `respondent design`; the link that it prints."""
    text = (ROOT / "examples" / "wellbeing.toml").read_text("utf-8")
    uniform = text.replace('substances = { truth = "4/5" }', 'substances = { truth = "4/5", channel = "uniform" }')
    (FOLDER / "wellbeing.toml").write_text(uniform, "utf-8")  # so that an epsilon holds for the whole response
    command = [Path(sys.executable).parent / "respondent", "design", "wellbeing.toml"]
    with subprocess.Popen(command, cwd=FOLDER, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own command
        if process.stdout is None:
            raise AssertionError
        yield process.stdout.readline().strip()
        process.terminate()


def pictures_of_the_design(browser: Browser, address: str) -> None:
    """A question, its preview and what it costs; and the slider, on its way."""
    page = browser.new_page(viewport=DESK)
    page.goto(address)
    page.locator('[id="q.3"]').click()
    page.frame_locator("iframe").locator('[data-question="income"]').wait_for()
    page.screenshot(path=PICTURES / "design.png")
    page.set_viewport_size(HIGH)
    page.locator("#strength").evaluate("(form) => form.scrollIntoView()")
    page.locator('[id="strength.doubled"]').wait_for()
    page.locator('[id="pane.form"]').screenshot(path=PICTURES / "privacy.png")
    page.click('[id="figures.open"]')
    page.locator("#truth").focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(2000)  # until the figures are those of the slider
    page.set_viewport_size(TALL)
    page.locator("#figures").screenshot(path=PICTURES / "balance.png")
    page.close()


if __name__ == "__main__":
    main()
