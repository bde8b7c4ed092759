"""Static files are served without comments and white space for people, and with nothing else taken out."""

from __future__ import annotations

import re
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

  return /** @type {any} */ (1); // and behind
}
const address = "http://x.example";
"""
    assert tight(text) == 'function f() {\nreturn (1);\n}\nconst address = "http://x.example";\n'


def test_a_style_sheet_loses_its_spaces_too_where_they_mean_nothing() -> None:
    text = """/* One sheet. */
:root, a :focus {
  font: 1rem/1.5 "A B", serif;
}
@media (max-width: 30rem) { .x { margin: 0 auto; } }
"""
    assert tight(text, style=True) == (
        ':root,a :focus{\nfont:1rem/1.5 "A B",serif;\n}\n@media (max-width:30rem){ .x{ margin:0 auto; } }\n'
    )


def sources() -> list[Path]:
    return sorted((Path(__file__).resolve().parent.parent / "static").glob("*.*"))


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.name)
def test_no_file_holds_in_a_text_what_the_rules_would_take_out(path: Path) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        assert line.count("`") % 2 == 0, "a template over several lines"
        for mark in ("/*", " // "):
            code, found, _ = line.partition(mark)
            for quote in "\"'`" if found else "":
                assert code.count(quote) % 2 == 0, "a comment's beginning in a text"


def test_no_style_sheet_holds_a_text_that_its_rules_would_change() -> None:
    for path in sources():
        for text in re.findall(r'"[^"]*"', path.read_text(encoding="utf-8")) if path.suffix == ".css" else ():
            assert tight(text, style=True).strip() == text
