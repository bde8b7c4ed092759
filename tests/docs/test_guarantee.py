"""The page of guarantees names the test that watches each; a test that is renamed may not leave it behind."""

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
    watched = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", section)
    assert watched, "a guarantee names the test that watches it"
    for file, name in watched:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
