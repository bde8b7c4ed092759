"""The changelog: a section for each version, what is to come above them, and the present version the newest."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"^## ", TEXT, flags=re.MULTILINE)[1:]
KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")


def test_what_is_to_come_stands_first_and_then_the_present_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert SECTIONS[0].startswith("[Unreleased]\n")
    assert re.match(rf"\[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d\n", SECTIONS[1])
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_each_kind_of_change_stands_once_in_a_version() -> None:
    for section in SECTIONS:
        kinds = re.findall(r"^### (.+)$", section, re.MULTILINE)
        remedy = f"lines of {section.splitlines()[0]} stand twice: a merge brought back lines"
        assert kinds == [kind for kind in KINDS if kind in kinds], remedy
