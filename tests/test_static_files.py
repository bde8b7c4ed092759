"""Static files are served without comments and indentation, and with nothing else taken out."""

from __future__ import annotations

from pathlib import Path

import pytest

from respondent.static_files import tight


def test_comments_and_indentation_go_and_code_stays() -> None:
    text = """// first
/**
 * A function.
 * @type {number}
 */
function f() {
  // inside

  return /** @type {any} */ (1); // stays
}
"""
    assert tight(text) == "function f() {\nreturn (1); // stays\n}\n"


def sources() -> list[Path]:
    return sorted((Path(__file__).resolve().parent.parent / "static").glob("*.*"))


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.name)
def test_no_file_holds_a_text_over_several_lines_that_the_rules_would_change(path: Path) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        assert line.count("`") % 2 == 0, "a template over several lines"
        for quote in "\"'" if "/**" in line else "":
            assert line.partition("/**")[0].count(quote) % 2 == 0, "a comment's beginning in a text"
