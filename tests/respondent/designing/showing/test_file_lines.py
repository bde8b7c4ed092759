"""The lines of a survey file: all of them, each with what is wrong there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from respondent.designing.document import SurveyDocument
from respondent.designing.showing.file_lines import lines_of
from respondent.designing.state import state_of

TEXT = """# A small survey.
name = "small"
title = "Small"
languages = ["en"]

# The first question.
[[questions]]
name = "work"
label = "Do you work?"
kind = "choice"
values = [
  "none",
  "full",
]
group = "work"

[[questions]]
name = "rest"
label = "Do you rest?"
kind = "yes_no"
group = "rest"

[groups]
work = { truth = "4/5" }

[groups.rest]
truth = "4/5"
"""


def wrong(tmp_path: Path, old: str, new: str) -> dict[str, list[str]]:
    """The problems at each line, once the file is changed."""
    path = tmp_path / "small.toml"
    assert TEXT.count(old) == 1
    path.write_text(TEXT.replace(old, new), "utf-8")
    document = SurveyDocument(path)
    problems: list[dict[str, Any]] = state_of(document, 1000)["problems"]
    lines = lines_of(document.text, problems)
    assert "\n".join(each["text"] for each in lines) + "\n" == document.text
    assert sorted(index for each in lines for index in each["problems"]) == list(range(len(problems)))
    return {
        each["text"]: [problems[index]["problem"] for index in each["problems"]] for each in lines if each["problems"]
    }


def test_a_file_without_faults_has_its_lines_alone(tmp_path: Path) -> None:
    assert wrong(tmp_path, "# A small survey.", "# Another.") == {}


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('title = "Small"', "title = 7", "title = 7"),
        ('  "full",\n]', '  "none",\n]', "values = ["),
        ('kind = "yes_no"', 'kind = "maybe"', 'kind = "maybe"'),
        ('label = "Do you rest?"\n', "", "[[questions]]"),
        ('work = { truth = "4/5" }', 'work = { truth = "9/5" }', 'work = { truth = "9/5" }'),
        ('[groups.rest]\ntruth = "4/5"', '[groups.rest]\ntruth = "8/5"', "[groups.rest]"),
        ('languages = ["en"]\n', "", "# A small survey."),
        ('values = [\n  "none",', 'values = [[\n  "none",', 'group = "work"'),
        ('[groups.rest]\ntruth = "4/5"', "[groups.rest]\ntruth = [", "truth = ["),
    ],
)
def test_a_problem_stands_at_its_line(tmp_path: Path, old: str, new: str, line: str) -> None:
    assert line in wrong(tmp_path, old, new)


def test_an_empty_file_has_one_line() -> None:
    problem = {"place": "survey", "path": [], "problem": "it is empty", "remedy": "begin", "words": ""}
    assert lines_of("", [problem]) == [{"text": "", "problems": [0]}]
