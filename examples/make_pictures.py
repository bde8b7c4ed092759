"""The pictures of the README, from the demonstration's survey and its made-up people: nobody real is in them.

    make pictures

Writes docs/pictures/page.png, a question on a phone, and docs/pictures/report.png, the top of a report of 1,500
responses. Each has at most `LARGEST` bytes.
"""

from __future__ import annotations

import shutil
import sys

import numpy as np
from playwright.sync_api import Browser, ViewportSize, sync_playwright

from demo import FOLDER, ROOT, run, served
from population import draw_answers

PICTURES = ROOT / "docs" / "pictures"
LARGEST = 150_000  # bytes
PHONE = ViewportSize(width=390, height=600)
SHEET = ViewportSize(width=1000, height=1000)


def main() -> None:
    """Make both."""
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


if __name__ == "__main__":
    main()
