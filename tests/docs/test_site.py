"""The documentation as a site: it builds without a warning, runs its notebook, and its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"])
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """What a heading is called in a link, as GitHub and the site both do it."""
    texts = [re.sub(r"[`*]", "", each).lower() for each in HEADING.findall(page.read_text(encoding="utf-8"))]
    return {re.sub(r"[^\w\- ]", "", each).replace(" ", "-") for each in texts}


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    done = subprocess.run(  # noqa: S603 - our own documentation
        [*command, "-d", str(tmp_path / "trees"), str(ROOT / "docs"), str(tmp_path / "site")],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    index = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert not re.findall(r'(?:src|href)="https?://[^"]+\.(?:js|css|woff2?)"', index)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading_that_are_there(page: Path) -> None:
    broken = []
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        name, _, anchor = link.partition("#")
        target = page if not name else page.parent / name
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert not broken


def test_every_page_is_in_the_contents() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"}
    assert pages == {line for line in index.splitlines() if line in pages}
