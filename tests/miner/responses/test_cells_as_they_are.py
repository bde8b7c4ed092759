"""True answers are read as tables have them: days, other words for yes, joined ticks, no answer of the unasked."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from collector.drafting.draft import draft_survey
from collector.errors import ResponseError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.cli import main
from miner.responses.answers import read_answers, read_values, value_blocks
from miner.responses.responses import value_indices

SURVEY = """name = "trips"
title = "Trips"
languages = ["en"]

[[questions]]
name = "smokes"
label = "Do you smoke?"
kind = "yes_no"
sensitive = false

[[questions]]
name = "packs"
label = "How many packs?"
kind = "number"
cuts = [1, 5]
ask_if = "smokes = yes"
sensitive = false
{optional}
[[questions]]
name = "born"
label = "Born?"
kind = "date"
cuts = [1970-01-01, 1990-01-01]
sensitive = false

[[questions]]
name = "means"
label = "How do you come?"
kind = "multiple"
options = {{ bus = "By bus", foot = "On foot" }}
sensitive = false
"""
ROWS = [
    ["Yes", "3", "1969-12-31", "By bus;On foot"],
    ["FALSE", "", "1970-01-01", "foot"],
    ["no", "n/a", "2001-05-06 00:00:00", ""],
]


def survey(*, optional: bool = False) -> Survey:
    return parse_survey(SURVEY.format(optional="optional = true\n" if optional else ""))


def table(tmp_path: Path, rows: list[list[str]]) -> Path:
    path = tmp_path / "answers.csv"
    lines = ["smokes,packs,born,means", *(",".join(row) for row in rows)]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def words(design: Survey, path: Path) -> list[list[str]]:
    values = read_values(design, path)
    return [[q.values[value] for q, value in zip(design.questions, row, strict=True)] for row in values]


@pytest.mark.parametrize("optional", [False, True])
def test_a_table_is_read_as_it_is(tmp_path: Path, *, optional: bool) -> None:
    assert words(survey(optional=optional), table(tmp_path, ROWS)) == [
        ["yes", "1..5", "<1970-01-01", "yes", "yes"],
        ["no", "not_applicable", "1970-01-01..1990-01-01", "no", "yes"],
        ["no", "not_applicable", ">=1990-01-01", "no", "no"],
    ]


def test_who_was_asked_and_gave_no_answer_gave_none(tmp_path: Path) -> None:
    path = table(tmp_path, [*ROWS, ["yes", "", "1980-01-01", "bus"]])
    with pytest.raises(ResponseError, match='row 4, column "packs": '):
        read_values(survey(), path)
    assert words(survey(optional=True), path)[3][1] == "no_answer"


def test_a_large_table_without_ticks_is_read_alike(tmp_path: Path) -> None:
    """Its rows have one width, so that it is read by whole columns first."""
    design = parse_survey(SURVEY.format(optional="optional = true\n").partition('[[questions]]\nname = "means"')[0])
    path = tmp_path / "answers.csv"
    path.write_text("smokes,packs,born\nYes,3,1969-12-31\nFALSE,,1990-01-01\n" * 1, encoding="utf-8")
    assert words(design, path) == [["yes", "1..5", "<1970-01-01"], ["no", "not_applicable", ">=1990-01-01"]]


@pytest.mark.parametrize(
    ("place", "cell", "problem"),
    [
        (2, "16.7.1996", 'row 1, column "born": it is not a day; write it as 2026-12-31'),
        (3, "By boat", 'row 1, column "means": an option does not belong to the question; use these, joined by ;'),
        (0, "y\u0435s", 'row 1, column "smokes": it looks like a value of the question, and has other characters'),
    ],
)
def test_what_is_no_answer_is_refused_and_not_repeated(tmp_path: Path, place: int, cell: str, problem: str) -> None:
    row = list(ROWS[0])
    row[place] = cell
    with pytest.raises(ResponseError) as error:
        read_values(survey(), table(tmp_path, [row]))
    assert problem in str(error.value)
    assert cell not in str(error.value)


def test_a_column_for_each_option_is_read_as_before() -> None:
    frame = pd.DataFrame({"means_bus": ["yes", "no"], "means_foot": ["no", "no"]})
    assert value_indices(survey(), frame, ["means_bus", "means_foot"]).tolist() == [[0, 1], [1, 1]]


def test_combinations_of_ticks_are_read_joined_by_semicolons() -> None:
    text = SURVEY.format(optional="").replace('"On foot" }\nsensitive = false', '"On foot" }\nleast = 1\ngroup = "g"')
    design = parse_survey(text + '\n[groups]\ng = { truth = "1/2", channel = "uniform" }\n')
    frame = pd.DataFrame({"means": ["On foot;By bus", "foot", "bus+foot"]})
    read = value_indices(design, frame, ["means"])[:, 0]
    assert [design.question("means").values[value] for value in read] == ["bus+foot", "foot", "bus+foot"]


def test_a_second_row_of_headings_is_no_answer_to_a_simulation(tmp_path: Path) -> None:
    rows = [["Yes", str(number), "1969-12-31", "By bus"] for number in range(1, 6)]
    path, said = table(tmp_path, [["Response"] * 4, *rows]), list[str]()
    (values,) = value_blocks(survey(), path, say=said.append)
    assert len(values) == len(rows)
    (line,) = said
    assert line.startswith(f"{path}: 1 row ")
    (tmp_path / "trips.toml").write_text(SURVEY.format(optional=""), encoding="utf-8")
    result = CliRunner().invoke(main, ["simulate", str(tmp_path / "trips.toml"), str(path), "--seed", "1"])
    assert said[0] in result.stderr
    assert len(result.stdout.splitlines()) == len(rows) + 1


def test_a_value_is_found_in_another_spelling() -> None:
    design = parse_survey(
        'name = "a"\ntitle = "A"\nlanguages = ["en"]\n[[questions]]\nname = "q"\nlabel = "Q"\nkind = "choice"\n'
        'values = ["caf\u00e9", "green tea", "n/a"]\nsensitive = false\n'
    )
    frame = pd.DataFrame({"q": ["cafe\u0301", "green\u00a0tea", "n/a", "caf\u00e9\u200b"]})
    assert value_indices(design, frame)[:, 0].tolist() == [0, 1, 2, 0]


def test_a_drafted_survey_fits_its_table(tmp_path: Path) -> None:
    ticks = ["By bus", "Car;By bus", ""]
    rows = [[["Yes", "No"][n % 2], str(n % 30), f"19{50 + n % 40}-03-01", ticks[n % 3]] for n in range(60)]
    path = table(tmp_path, [["Response"] * 4, *rows])
    text = draft_survey(path, None, ask=True).text.replace("confirmed = false", "confirmed = true")
    assert read_values(parse_survey(text), path).shape == (60, 5)
    assert len(read_answers(path)) == len(rows)
