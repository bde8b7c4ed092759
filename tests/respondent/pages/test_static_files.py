"""Static files are served without comments and white space for people, and with nothing else taken out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from respondent.pages.static_files import tight


def test_comments_and_indentation_go_and_code_stays(tmp_path: Path) -> None:
    script = tmp_path / "script.mjs"
    script.write_text("""// first
/**
 * A function.
 * @type {number}
 */
function f() {
  // inside

  return /** @type {any} */ (1); // and behind
}
const address = "http://x.example", pattern = /[/*] \\/ /, text = `// ${ f() }`;
""")
    assert tight(script) == (
        'function f(){return(1);}\nconst address="http://x.example",pattern=/[/*] \\/ /,text=`// ${ f() }`;'
    )


def test_a_style_sheet_loses_its_spaces_too_where_they_mean_nothing(tmp_path: Path) -> None:
    style = tmp_path / "style.css"
    style.write_text("""/* One sheet. */
:root, a :focus {
  font: 1rem/1.5 "A B", serif;
}
@media (max-width: 30rem) { .x { margin: calc(1px + 2px) auto; } }
""")
    assert tight(style) == (
        ':root,a :focus{font:1rem/1.5 "A B",serif}@media (max-width:30rem){.x{margin:calc(1px + 2px) auto}}'
    )


def sources() -> list[Path]:
    return sorted((Path(__file__).resolve().parents[3] / "static").glob("*.*"))


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.name)
def test_every_text_and_every_name_is_served_as_it_was_written(path: Path) -> None:
    source, served = path.read_text(encoding="utf-8"), tight(path)
    texts = r'"[^"\n]*"|`[^`\n]*`'
    assert re.findall(texts, served) == re.findall(texts, without_comments(source))
    assert re.findall(r"[\w$]+", served) == re.findall(r"[\w$]+", without_comments(source))


def without_comments(source: str) -> str:
    """A file of ours, which begins no text with what begins a comment."""
    return re.sub(r"(?s:/\*.*?\*/)|(?m:(^|\s)// .*$)", " ", source)
