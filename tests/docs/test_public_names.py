"""The public names: those that the documentation uses, imported when they are asked for, and documented."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import collector
import miner

ROOT = Path(__file__).resolve().parents[2]
SHOWN = ("README.md", "docs/tutorial.md", "docs/notebook.md")


@pytest.mark.parametrize("package", [collector, miner])
def test_every_public_name_is_there(package: ModuleType) -> None:
    assert package.__all__ == dir(package) == sorted(package.__all__)
    for name in package.__all__:
        assert getattr(package, name).__name__ == name


@pytest.mark.parametrize("package", [collector, miner])
def test_no_other_name_is(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = package.nothing


def test_the_page_about_python_documents_exactly_these_names() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    found = re.findall(r"^\.\. (?:autofunction|autoclass|autoexception):: (\w+)$", page, re.MULTILINE)
    assert sorted(found) == sorted([*collector.__all__, *miner.__all__])


@pytest.mark.parametrize("page", SHOWN)
def test_what_the_documentation_shows_is_imported_from_the_packages_themselves(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert re.findall(r"^(?:from|import) (?:collector|miner)\.\S+", text, re.MULTILINE) == []


@pytest.mark.parametrize("package", ["collector", "miner"])
def test_a_package_loads_no_library_before_a_name_is_asked_for(package: str) -> None:
    script = f"import sys, {package}; print(*sorted({{'numpy', 'pandas', 'sqlite_utils', 'click'}} & set(sys.modules)))"
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "\n"


def test_every_public_name_has_an_example_that_runs(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    program = "\n".join(re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    used = set(re.findall(r"\w+", re.sub(r"^from \w+ import (?:\([^)]*\)|.*)$", "", program, flags=re.MULTILINE)))
    assert {*collector.__all__, *miner.__all__} - used == set()
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
