"""`collector convert` of a form: to a survey that is published; what is left out, and left alone when it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from click.testing import CliRunner, Result

from collector.cli import main
from collector.store.store import Store
from respondent.app import create_app
from said import figures
from spreadsheets import FORM, save_form, with_rows


def run(*arguments: object) -> Result:
    """A subcommand of the collector."""
    return CliRunner().invoke(main, [str(each) for each in arguments])


def test_a_form_becomes_a_survey_file_that_check_publish_and_the_page_take(tmp_path: Path) -> None:
    form, survey_file, store = (
        save_form(tmp_path / "form.xlsx", FORM),
        tmp_path / "survey.toml",
        tmp_path / "deniable.db",
    )
    result = run("convert", form, "-o", survey_file)
    assert (result.exit_code, result.stderr) == (0, "")
    written, required, plain, taken = result.stdout.splitlines()
    assert written == f"{survey_file}: written"
    assert "optional = true" in required
    assert plain == "sent as they are: year"
    assert taken.startswith("4 taken, none")
    assert run("check", survey_file).exit_code == 0
    assert run("publish", survey_file, "--store", store).exit_code == 0
    with Store(store) as opened:
        page = create_app(opened).test_client().get("/s/student_life")
    assert page.status_code == 200
    assert "Have you used cannabis?" in page.text


def test_the_command_prints_the_same_as_json(tmp_path: Path) -> None:
    form = save_form(tmp_path / "form.xlsx", FORM)
    result = run("convert", form, "-o", tmp_path / "survey.toml", "--json")
    printed = json.loads(result.stdout)
    _, plain = printed.pop("notes")
    assert plain == "sent as they are: year"
    assert printed == {
        "output": str(tmp_path / "survey.toml"),
        "left_out": [],
        "taken": 4,
        "left_out_questions": {},
    }


def test_a_refused_form_leaves_the_file_that_was_there(tmp_path: Path) -> None:
    form, output = save_form(tmp_path / "form.xlsx", with_rows(["deviceid", "device"])), tmp_path / "survey.toml"
    output.write_text("before", encoding="utf-8")
    result = run("convert", form, "-o", output, "--strict", "--force")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f'{form}: sheet survey, row 2, column type: "deviceid" ')
    assert output.read_text(encoding="utf-8") == "before"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["form.xlsx", "survey.toml"]
    result = run("convert", form, "-o", output, "--force")
    assert result.stdout.splitlines()[-1].startswith("4 taken, 1 left out: 1 (")
    assert (result.exit_code, "device" in output.read_text(encoding="utf-8")) == (0, False)
    assert result.stderr.startswith('left out: sheet survey, row 2, column type: "deviceid" ')


def test_what_is_left_out_is_one_line_for_each_kind_and_the_last_line_counts_it(tmp_path: Path) -> None:
    texts = [["text", f"word_{number}", "Which?"] for number in range(30)]
    form = save_form(tmp_path / "form.xlsx", with_rows(*texts, ["integer", "age", "Age"]))
    result = run("convert", form, "-o", tmp_path / "survey.toml")
    rows = ", ".join(str(number) for number in range(2, 22))
    text, cuts = result.stderr.splitlines()
    assert text.startswith(f'left out: sheet survey, rows {rows} and 10 more, column type: "text" ')
    assert cuts.startswith("left out: sheet survey, row 32, column rr::cuts: ")
    last = "4 taken, 31 left out: 30 (free text cannot be disguised), 1 (a number is sent as an interval)"
    assert result.stdout.splitlines()[-1] == last
    (line,) = [line for line in result.stdout.splitlines() if "sent as they are" in line]
    assert line == "sent as they are: year"


def test_the_questions_of_a_repeat_and_of_a_panel_that_is_left_out_are_counted(tmp_path: Path) -> None:
    inside = [["begin_repeat", "r", "R"], ["integer", "a", "A"], ["integer", "b", "B"], ["end_repeat"]]
    form = save_form(tmp_path / "form.xlsx", with_rows(*inside))
    *lines, last = run("convert", form, "-o", tmp_path / "survey.toml").stdout.splitlines()
    assert any(line.startswith("left out ") and line.endswith(": a, b") for line in lines)
    assert last.startswith("4 taken, 2 left out: 2 (")
    boolean = {"type": "boolean"}
    panel = {"type": "panel", "name": "p", "visible": False, "elements": [boolean | {"name": each} for each in "abc"]}
    elements = [panel, boolean | {"name": "d"}, boolean | {"name": "e", "readOnly": True}]
    path = tmp_path / "form.json"
    path.write_text(json.dumps({"elements": elements}), encoding="utf-8")
    last = run("convert", path, "-o", tmp_path / "survey.toml", "--force").stdout.splitlines()[-1]
    assert figures(last) == [1, 4, 3, 1]


def test_a_form_that_only_odk_would_refuse_is_taken_and_nothing_of_it_is_said_to_be_left_out(tmp_path: Path) -> None:
    form = save_form(tmp_path / "form.xlsx", with_rows(["note", "about", "Of ${nobody}"], ["calculate", "sum"]))
    result = run("convert", form, "-o", tmp_path / "survey.toml")
    assert result.exit_code == 0
    assert "left out: file" not in result.stderr
    (note,) = [line for line in result.stdout.splitlines() if line.startswith("ODK itself would refuse the form: ")]
    assert "row : " in note


def test_what_pyxform_stumbles_over_is_no_word_about_reading_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(*_: object, **__: object) -> None:
        raise KeyError

    monkeypatch.setattr("collector.xlsform.sheet.convert", stumble)
    result = run("convert", save_form(tmp_path / "form.xlsx", FORM), "-o", tmp_path / "survey.toml")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "pyxform" in result.stdout
    assert "(KeyError)" in result.stdout
    assert result.stdout.splitlines()[-1] == "4 taken, none left out"


def test_parts_that_are_left_out_of_questions_that_are_taken_are_counted(tmp_path: Path) -> None:
    choices = [{"value": each, "text": each, "imageLink": f"{each}.png"} for each in "ab"]
    elements = [{"type": "imagepicker", "name": name, "choices": choices} for name in ("first", "second")]
    path = tmp_path / "form.json"
    for number, parts in ((1, "1 part"), (2, "2 parts")):
        path.write_text(json.dumps({"elements": elements[:number]}), encoding="utf-8")
        result = run("convert", path, "-o", tmp_path / "survey.toml", "--force")
        assert result.stderr.startswith("left out: element")
        assert figures(result.stdout.splitlines()[-1]) == [float(number), *figures(str(parts))]


def test_the_reasons_of_the_last_line_say_what_they_are_about(tmp_path: Path) -> None:
    boolean = {"type": "boolean"}
    unknown = [boolean | {"name": f"q{each}", "visibleIf": f"{{{each}}} = true"} for each in "xyxzuv"]
    elements = [boolean | {"name": "a"}, {"type": "dial", "name": "b"}, *unknown]
    elements += [boolean | {"name": "c", "visibleIf": "{a} = true and"}]
    path = tmp_path / "form.json"
    path.write_text(json.dumps({"elements": elements}), encoding="utf-8")
    last = run("convert", path, "-o", tmp_path / "survey.toml").stdout.splitlines()[-1]
    assert figures(last) == [1, 8, 6, 2, 1, 1]
    assert 'no question "x", "y", "z" and 2 more' in last
    assert '"dial"' in last


@pytest.mark.parametrize("name", ["form.xls", "form.xlsx"])
def test_an_old_spreadsheet_is_called_what_it_is(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600))
    result = run("convert", path, "-o", tmp_path / "survey.toml")
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
    assert "old .xls f" in result.stderr
    assert "as .xlsx" in result.stderr


def test_numbers_are_cut_at_the_quartiles_of_a_table_where_one_is_given(tmp_path: Path) -> None:
    table = tmp_path / "pilot.csv"
    table.write_text("age,rooms\n" + "".join(f"{age},{age % 7}\n" for age in range(20, 100)), encoding="utf-8")
    rows = [["integer", "age", "Age"], ["integer", "rooms", "Rooms"], ["integer", "cars", "Cars"]]
    form = save_form(tmp_path / "form.xlsx", with_rows(*rows))
    other = tmp_path / "form.json"
    number = {"type": "text", "inputType": "number"}
    other.write_text(
        json.dumps({"elements": [number | {"name": "age"}, number | {"name": "rooms", "min": 2}]}), encoding="utf-8"
    )
    for source, cut in ((form, "age 40 60 80, rooms 1 3 5"), (other, "age 40 60 80, rooms 3 5")):
        result = run("convert", source, "-o", tmp_path / "survey.toml", "--cuts-from", table, "--force")
        assert result.exit_code == 0
        said = "cut points are quartiles of the table: they tell of the people in it, and are made public"
        assert f"{said}: {cut}" in result.stdout.splitlines()
    result = run("convert", form, "-o", tmp_path / "survey.toml", "--cuts-from", tmp_path / "none.csv", "--force")
    assert (result.exit_code, "none.csv" in result.stderr) == (2, True)


def test_the_form_is_never_written_over(tmp_path: Path) -> None:
    form = save_form(tmp_path / "form.xlsx", FORM)
    before = form.read_bytes()
    result = run("convert", form, "-o", form)
    assert (result.exit_code, "the command reads this file" in result.stderr) == (2, True)
    assert form.read_bytes() == before


def test_without_the_extra_the_command_says_what_to_install(tmp_path: Path) -> None:
    script = "import sys; sys.modules['pyxform'] = None; from collector.cli import main; main()"
    arguments = ["convert", str(tmp_path / "form.xlsx"), "-o", str(tmp_path / "survey.toml")]
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "deniable[xlsform]" in done.stderr


def test_a_form_that_would_fill_the_memory_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    form = save_form(tmp_path / "form.xlsx", FORM)
    with ZipFile(form, "a", ZIP_DEFLATED) as parts, parts.open("xl/worksheets/sheet9.xml", "w") as cell:
        for _ in range(100):
            cell.write(b"a" * 10**6)
    assert form.stat().st_size < 10**6
    tracemalloc.start()
    try:
        result = run("convert", form, "-o", tmp_path / "survey.toml")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (result.exit_code, result.stdout) == (2, "")
    assert "file: unpacked" in result.stderr
    assert figures(result.stderr)[-2:] == [100, 64]
    assert most < 50 * 10**6
    assert not (tmp_path / "survey.toml").exists()
