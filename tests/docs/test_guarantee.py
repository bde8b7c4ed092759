"""Pages that name the tests which watch them: a test that is renamed may not leave its page behind."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "guarantee.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.splitlines()[0])
def test_every_guarantee_is_watched_by_tests_that_exist(section: str) -> None:
    assert watched_by(section), "a guarantee names the test that watches it"


def test_the_page_of_the_verification_standard_names_tests_and_files_that_exist() -> None:
    page = (ROOT / "docs" / "asvs.md").read_text(encoding="utf-8")
    assert len(watched_by(page)) > 40
    files = re.findall(
        r"`((?:collector|owner|respondent|miner|static|tests|requirements|examples|docs)/[\w/.]+)`", page
    )
    assert [each for each in files if not (ROOT / each).exists()] == []


def watched_by(text: str) -> list[tuple[str, str]]:
    """The tests that a text names, each in its file, where it is."""
    watched: list[tuple[str, str]] = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    for file, name in watched:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    return watched
