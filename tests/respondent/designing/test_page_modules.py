"""The scripts of the designer's page: each loads others in one direction."""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter
from os.path import normpath
from pathlib import Path

import pytest

from respondent.designing.app import PAGE

IMPORT = re.compile(r'^(?:import|export)\b[^;]*?from "(\.{1,2}/[a-z_/]+\.mjs)";', re.MULTILINE)
TEXT = re.compile(r'"[^"\n]*"|`[^`]*`')


def loads(folder: Path) -> dict[str, set[str]]:
    """The scripts that each script loads."""
    return {
        str(path.relative_to(folder)): {
            normpath(path.relative_to(folder).parent / name) for name in IMPORT.findall(path.read_text("utf-8"))
        }
        for path in folder.rglob("*.mjs")
    }


def test_no_script_of_the_page_loads_one_that_loads_it() -> None:
    found = loads(PAGE)
    assert {"form.mjs", "parts.mjs", "frame/panes.mjs"} <= found["page.mjs"]
    assert set().union(*found.values()) <= set(found)
    order = list(TopologicalSorter(found).static_order())
    assert order[-1] == "page.mjs"


def test_the_page_calls_what_disguises_a_group_a_random_draw() -> None:
    texts = [text for path in PAGE.rglob("*.mjs") for text in TEXT.findall(path.read_text("utf-8"))]
    assert len([text for text in texts if "random draw" in text]) > 4
    assert [
        text
        for text in texts
        if re.search(r"\bcoins? | coins?\b|\b(?<!random )draws? (?:decides|sends|replaces)", text)
    ] == []


def test_a_circle_of_scripts_is_found(tmp_path: Path) -> None:
    (tmp_path / "one.mjs").write_text('import { two } from "./two.mjs";\n')
    (tmp_path / "two.mjs").write_text('import {\n  one,\n} from "./one.mjs";\n')
    with pytest.raises(CycleError):
        list(TopologicalSorter(loads(tmp_path)).static_order())
