"""The rooms: how full they may be, and that the page of modules names every module once."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("collector", "owner", "respondent", "miner", "static")
MOST_FILES, MOST_LINES = 15, 450


def code_files() -> list[Path]:
    """Return the files of all packages, sorted."""
    every = [path for package in PACKAGES for path in (ROOT / package).rglob("*.*")]
    return sorted(path for path in every if path.suffix in {".py", ".mjs"})


def test_no_room_has_more_files_than_a_reader_can_take_in() -> None:
    folders = [path.parent for path in code_files() if path.name != "__init__.py"]
    assert {f"{each}": folders.count(each) for each in folders if folders.count(each) > MOST_FILES} == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_no_file_is_longer_than_450_lines(package: str) -> None:
    paths = [path for path in code_files() if path.is_relative_to(ROOT / package)]
    lines = {f"{path}": len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    assert {path: count for path, count in lines.items() if count > MOST_LINES} == {}


def test_the_page_of_modules_names_every_module_once() -> None:
    page = (ROOT / "docs" / "modules.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `([\w./]+\.py)` \|", page, re.MULTILINE)
    modules = [path.relative_to(ROOT).as_posix() for path in code_files() if path.suffix == ".py"]
    assert sorted(named) == [path for path in modules if not path.endswith(("__init__.py", "__main__.py"))]


def test_no_two_classes_have_one_name() -> None:
    modules = [path for path in code_files() if path.suffix == ".py"]
    trees = [ast.walk(ast.parse(path.read_text(encoding="utf-8"))) for path in modules]
    names = [node.name for nodes in trees for node in nodes if isinstance(node, ast.ClassDef)]
    assert len(names) > 400
    assert {name for name in names if names.count(name) > 1} == set()


def test_no_two_files_of_tests_have_one_name_as_pytest_would_leave_one_out() -> None:
    names = [path.name for path in (ROOT / "tests").rglob("*.py") if path.name not in {"__init__.py", "conftest.py"}]
    assert {name for name in names if names.count(name) > 1} == set()
