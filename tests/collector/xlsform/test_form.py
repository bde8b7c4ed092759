"""Bringing in an XLSForm: what it becomes, and the cell that is named where it cannot."""

from __future__ import annotations

import zipfile
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from collector.errors import SurveyError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import read_survey_file
from collector.xlsform.columns import IGNORED, NUMBERS, READ, REFUSED_COLUMNS, REFUSED_TYPES
from collector.xlsform.form import Imported, import_form
from malformed_forms import REFUSED
from pictures import png
from spreadsheets import CANNABIS, COLUMNS, DRINKING, FORM, INCOME, YEAR, Sheets, edited, save_form, with_rows


def survey_of(folder: Path, sheets: Sheets) -> Survey:
    """What a form becomes."""
    return imported(folder, sheets).survey


def imported(folder: Path, sheets: Sheets) -> Imported:
    """What a form becomes, with its text."""
    return import_form(save_form(folder / "form.xlsx", sheets))


# What it becomes


def test_a_form_is_read_in_one_spelling(tmp_path: Path) -> None:
    """With a mark of direction in an Arabic label, and invisible characters in a heading, a name and a condition."""
    drinks = [["d", "cafe\u0301", "Cafe\u0301"], ["d", "t\u200bea", "\u200fTea"]]
    sheets: Sheets = {
        "survey": [
            ["\ufefftype", "name", "label", "relevant"],
            ["select_one d", "drink", "\u200fWhich?", ""],
            ["select_one d", "again", "Which else?", "${drink} = 'cafe\u0301'"],
        ],
        "choices": [["list_name", "name", "label"], *drinks],
    }
    found = imported(tmp_path, sheets)
    assert found.survey.question("drink").values == ("caf\u00e9", "tea")
    assert found.survey.question("drink").label["en"] == "\u200fWhich?"
    assert found.survey.screens[0].ask_if == (("drink", ("caf\u00e9",)),)
    (note,) = [each for each in found.notes if "invisible" in each]
    assert "U+200B" in note
    assert note.endswith(" at sheet choices, row 3, column name")


def test_the_file_reads_as_a_person_would_write_it(tmp_path: Path) -> None:
    assert (
        imported(tmp_path, FORM).text
        == """\
# Imported from form.xlsx. To see what it reveals: collector check, with this file.

name = "student_life"
title = "Student life"
languages = ["en"]

[[questions]]
name = "year"
label = "Which year are you in?"
kind = "choice"
values = ["first", "second"]
sensitive = false

[questions.words]
en = { first = "First", second = "Second" }

[[questions]]
name = "cannabis"
label = "Have you used cannabis?"
kind = "yes_no"
prior = { yes = 0.2, no = 0.8 }
group = "substances"

[[questions]]
name = "drinking"
label = "How often do you drink?"
hint = "Six or more."
kind = "choice"
values = ["never", "every week"]
group = "substances"

[questions.words]
en = { never = "Never", "every week" = "Every week" }

[[questions]]
name = "income"
label = "Monthly income"
kind = "number"
cuts = [400, 800, 1500]
whole = true
group = "money"

[groups]
substances = { truth = "4/5" }
money = { truth = "2/3", channel = "uniform" }
"""
    )


def test_what_is_written_is_what_was_compiled(tmp_path: Path) -> None:
    found = imported(tmp_path, FORM)
    path = tmp_path / "survey.toml"
    path.write_text(found.text, encoding="utf-8")
    assert read_survey_file(path) == found.survey


def test_every_language_of_the_form_is_one_of_the_survey_and_the_default_comes_first(tmp_path: Path) -> None:
    form = edited(
        *(("survey", row, "label::Arabic (ar)", f"سؤال {row}") for row in range(1, 5)),
        ("survey", DRINKING, "hint::Arabic (ar)", "ستة أو أكثر"),
        *(("choices", row, "label::Arabic (ar)", f"خيار {row}") for row in range(1, 7)),
    )
    survey = survey_of(tmp_path, form)
    assert survey.languages == ("en", "ar")
    assert survey.question("year").label["ar"] == "سؤال 1"
    assert survey.question("drinking").hint is not None
    assert [text.design for text in survey.question("cannabis").shown] == [
        {"en": "Yes", "ar": "خيار 1"},
        {"en": "No", "ar": "خيار 2"},
    ]
    assert survey.title.design == {"en": "Student life", "ar": "Student life"}


def test_a_plain_label_column_is_in_the_one_language_that_another_column_names(tmp_path: Path) -> None:
    form = edited(("settings", 1, "default_language", None), ("survey", DRINKING, "hint::French (fr)", "Six."))
    form["survey"][DRINKING][COLUMNS.index("hint")] = None
    assert survey_of(tmp_path, form).languages == ("fr",)


def test_a_language_column_without_a_cell_is_no_language(tmp_path: Path) -> None:
    assert survey_of(tmp_path, edited(("survey", 0, "label::French (fr)", "label::French (fr)"))).languages == ("en",)


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (("yes", "no"), ("Yes", "No")),
        (("No", "Yes"), ("Never", "Ever")),
        ((1, 0), ("Yes", "No")),
        ((0, 1), ("no", "yes")),
    ],
)
def test_a_list_of_just_yes_and_no_is_a_yes_no_question(
    tmp_path: Path, names: tuple[object, object], labels: tuple[str, str]
) -> None:
    form = edited(("survey", CANNABIS, "rr::prior", f"{names[0]} = 0.3, {names[1]} = 7/10"))
    form["choices"][1:3] = [["yes_no", name, label] for name, label in zip(names, labels, strict=True)]
    question = survey_of(tmp_path, form).question("cannabis")
    first_is_yes = str(names[0]).lower() == "yes" or labels[0].lower() == "yes"
    assert (question.kind, question.values) == ("yes_no", ("yes", "no"))
    assert question.prior[0 if first_is_yes else 1] == Fraction(3, 10)
    if question.shown:
        assert question.shown[0]["en"] == labels[0 if first_is_yes else 1]


def test_a_likert_list_is_a_scale_and_other_appearances_change_nothing(tmp_path: Path) -> None:
    form = edited(("survey", YEAR, "appearance", "w1 likert"), ("survey", DRINKING, "appearance", "minimal"))
    survey = survey_of(tmp_path, form)
    assert [survey.question(name).kind for name in ("year", "drinking")] == ["scale", "choice"]


def test_a_minimum_may_stand_as_a_constraint(tmp_path: Path) -> None:
    form = edited(("survey", INCOME, "constraint", ".>= 0"), ("survey", INCOME, "constraint_message", "Not negative"))
    assert survey_of(tmp_path, form).question("income").minimum == 0


def test_an_integer_asks_for_whole_numbers_where_its_cuts_are_whole(tmp_path: Path) -> None:
    for kind, cuts, whole in (("integer", "400 800", True), ("integer", "400.5 800", False), ("decimal", "4", False)):
        form = edited(("survey", INCOME, "type", kind), ("survey", INCOME, "rr::cuts", cuts))
        assert survey_of(tmp_path, form).question("income").whole is whole


def test_decimals_keep_their_digits(tmp_path: Path) -> None:
    form = edited(("survey", INCOME, "type", "decimal"), ("survey", INCOME, "rr::cuts", "0.10 0.25; 3"))
    found = imported(tmp_path, form)
    assert "cuts = [0.10, 0.25, 3]" in found.text
    assert found.survey.question("income").cuts == (0.1, 0.25, 3)


def test_notes_and_the_hint_make_the_hint_of_the_next_question(tmp_path: Path) -> None:
    form = with_rows(
        ["note", None, "Nobody sees\nyour answer."], ["note", "n2", "Take your time.", "Really."], at=DRINKING
    )
    hint = survey_of(tmp_path, form).question("drinking").hint
    assert hint is not None
    assert hint["en"] == "Nobody sees your answer. Take your time. Really. Six or more."


def test_groups_become_sections_and_prefix_only_the_names_that_clash(tmp_path: Path) -> None:
    form = with_rows(
        ["begin_group", "before", "Your life before"], ["select_one years", "since", "Since?"], ["end group"]
    )
    form["survey"] += [
        ["begin group", "now", "Your life now", None, None],
        ["begin_group", "home"],
        ["select_one years", "since", "Since?"],
        ["end_group"],
        ["end_group"],
    ]
    found = imported(tmp_path, form)
    assert [question.name for question in found.survey.questions if "since" in question.name] == [
        "before_since",
        "now_home_since",
    ]
    sections = {screen.questions[0]: screen.section["en"] for screen in found.survey.screens if screen.section}
    assert sections == {"before_since": "Your life before", "now_home_since": "Your life now"}


def test_truth_may_be_said_once_and_in_any_spelling_of_one_number(tmp_path: Path) -> None:
    form = edited(("survey", DRINKING, "rr::truth", 0.8))
    assert survey_of(tmp_path, form).groups[0].channel.truth([]) == Fraction(4, 5)


def test_rows_that_are_switched_off_or_empty_and_comments_are_passed_over(tmp_path: Path) -> None:
    form = edited(("survey", YEAR, "disabled", "yes"))
    form["survey"][2:2] = [[], ["", "", "", "a remark under hint"]]
    form["choices"][3:3] = [[]]
    assert [question.name for question in survey_of(tmp_path, form).questions] == ["cannabis", "drinking", "income"]


def test_columns_that_a_survey_has_no_use_for_are_told(tmp_path: Path) -> None:
    form = edited(("survey", YEAR, "guidance_hint", "Look"), ("survey", YEAR, "my remarks", "ask Ann"))
    form = {**form, "_notes": [["anything"]]}
    assert "columns not used: guidance_hint, my remarks" in imported(tmp_path, form).notes


def test_the_name_and_title_come_from_the_file_where_there_are_no_settings(tmp_path: Path) -> None:
    form = edited(*(("survey", row, "label::en", FORM["survey"][row][2]) for row in range(1, 5)))
    for row in form["survey"][1:]:
        row[2] = None
    form["survey"][DRINKING][3] = None
    del form["settings"]
    survey = survey_of(tmp_path, form)
    assert (survey.name, survey.title.design) == ("form", {"en": "form"})


def test_long_lists_take_a_line_for_each_entry(tmp_path: Path) -> None:
    form = edited(("survey", YEAR, "type", "select_one many"))
    form["choices"] += [["many", f"choice number {each}", f"The choice with number {each}"] for each in range(20)]
    found = imported(tmp_path, form)
    assert '\n  "choice number 7",\n' in found.text
    assert '[questions.words.en]\n"choice number 0" = "The choice with number 0"\n' in found.text
    assert max(map(len, found.text.splitlines())) <= 120
    assert found.survey.question("year").shown[19]["en"] == "The choice with number 19"


def test_quotes_and_backslashes_survive(tmp_path: Path) -> None:
    label = 'Do you say “no” — or "maybe \\ not"? It\'s fine.'
    survey = survey_of(tmp_path, edited(("survey", YEAR, "label", label), ("choices", 3, "name", 'a "b" = \\c')))
    assert survey.question("year").label["en"] == label
    assert survey.question("year").values[0] == 'a "b" = \\c'


@pytest.mark.parametrize(
    ("column", "cell"), [("relevant", "${year} = 'first'"), ("constraint", ""), ("rr::group", "a"), ("hint", "Really")]
)
def test_a_table_is_one_grid_unless_one_of_its_rows_says_what_only_a_question_does(
    tmp_path: Path, column: str, cell: str
) -> None:
    form = with_rows(
        *(["select_one years", "year", "Year?"], ["begin_group", "t", "Table"]),
        *(["select_one often", f"row{number}", f"Row {number}?"] for number in range(2)),
        ["end_group"],
    )
    form["survey"][0] += ["appearance", "constraint"]
    form["survey"][2] += [None] * (len(COLUMNS) - 3) + ["table-list"]
    del form["survey"][6]  # the year that was there
    row, at = form["survey"][4], form["survey"][0].index(column)
    row += [None] * (at + 1 - len(row))
    row[at] = cell or None
    if column == "rr::group":
        row += [None] * (COLUMNS.index("rr::truth") + 1 - len(row))
        row[COLUMNS.index("rr::truth")] = "3/4"
    kinds = [screen.kind for screen in survey_of(tmp_path, form).screens if "row0" in screen.questions[0]]
    assert kinds == (["plain"] if cell else ["grid"])


# What is refused


@pytest.mark.parametrize(
    ("sheets", "place", "words"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_a_form_that_cannot_be_a_survey_is_refused_by_its_cell(
    tmp_path: Path, sheets: Sheets, place: str, words: str
) -> None:
    path = save_form(tmp_path / "form.xlsx", sheets)
    with pytest.raises(SurveyError) as caught:
        import_form(path, strict=True)
    line = str(caught.value)
    assert caught.value.place.startswith(f"{path}: ")
    assert place in caught.value.place
    assert words in line
    assert len(line.splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("absent.xlsx", None, "No such file"),
        ("form.xls", b"", "save the spreadsheet as .xlsx"),
        ("form.csv", b"type,name\n", "save the spreadsheet as .xlsx"),
        ("form.xlsx", b"", "save it again as .xlsx"),
        ("form.xlsx", b"PK\x03\x04 not really", "save it again as .xlsx"),
    ],
)
def test_a_file_that_is_no_spreadsheet_is_refused(tmp_path: Path, name: str, content: bytes | None, words: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SurveyError, match=words):
        import_form(path)


def test_choices_may_have_columns_for_filters_of_other_forms(tmp_path: Path) -> None:
    found = imported(tmp_path, edited(("choices", 1, "group", "north")))
    assert ("columns not used: group" in found.notes, found.left_out) == (True, ())


def test_a_name_that_is_none_is_made_to_fit_and_said(tmp_path: Path) -> None:
    form = edited(("settings", 1, "form_id", None), ("survey", DRINKING, "relevant", "${Q1-Year} = 'first'"))
    for written, name in {"Q1-Year": "q1_year", "1st": "q_1st", "id": "q_id", "سنة": "item_2"}.items():
        form["survey"][YEAR][1], form["survey"][DRINKING][4] = written, f"${{{written}}} = 'first'"
        found = import_form(save_form(tmp_path / "My form (2).xlsx", form))
        assert (found.survey.name, found.survey.questions[0].name) == ("my_form_2", name)
        assert f'renamed: "{written}" is {name}, "My form (2)" is my_form_2' in found.notes
        assert found.survey.screens[0].ask_if == ((name, ("first",)),)


def test_a_spreadsheet_with_features_that_openpyxl_does_not_know_is_read_without_a_warning(tmp_path: Path) -> None:
    plain, path = save_form(tmp_path / "plain.xlsx", FORM), tmp_path / "form.xlsx"
    extension = b'<extLst><ext uri="{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}"/></extLst></worksheet>'
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w") as new:
        for part in old.namelist():
            new.writestr(part, old.read(part).replace(b"</worksheet>", extension))
    assert import_form(path).survey.name == "student_life"


# Whatever is in the file


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_cell_may_hold_anything_and_the_form_is_taken_or_refused_in_one_line(
    tmp_path: Path, data: st.DataObject
) -> None:
    sheet = data.draw(st.sampled_from(sorted(FORM)))
    row = data.draw(st.integers(0, len(FORM[sheet]) - 1))
    heading = data.draw(st.sampled_from(FORM[sheet][0]))
    odd = st.sampled_from(
        ["\u2028", "=1+1", "'", '"""', "]]", "a\nb", "1e999", "-0", "${", "#REF!", "\u202eabc", "nan", "🎲"]
    )
    text = st.text(
        st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"), max_size=9
    )
    cell = data.draw(
        st.one_of(odd, text, st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False))
    )
    path = save_form(tmp_path / "form.xlsx", edited((sheet, row, heading, cell)))
    try:
        found = import_form(path)
    except SurveyError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017 - either is right
    else:
        (tmp_path / "survey.toml").write_text(found.text, encoding="utf-8")
        assert read_survey_file(tmp_path / "survey.toml") == found.survey


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255), cut=st.sampled_from([0, 1]))
def test_a_damaged_file_is_taken_or_refused_and_never_breaks(tmp_path: Path, place: float, byte: int, cut: int) -> None:
    whole = bytearray(save_form(tmp_path / "form.xlsx", FORM).read_bytes())
    index = int(place * len(whole))
    whole[index] = byte
    path = tmp_path / "damaged.xlsx"
    path.write_bytes(whole[: index if cut else None])
    try:
        assert import_form(path).survey.questions
    except SurveyError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017 - either is right


# The page about it


def test_the_page_names_every_column_and_type_that_is_read_left_out_or_refused(root: Path) -> None:
    page = (root / "docs" / "xlsform.md").read_text(encoding="utf-8")
    names = {name for columns in (*READ.values(), *REFUSED_COLUMNS.values()) for name in columns}
    names |= {*IGNORED, *REFUSED_TYPES, *NUMBERS, "note", "begin_group", "end_group"}
    names -= {"type", "name", "list_name"}  # what every XLSForm has
    assert [name for name in sorted(names) if f"`{name}" not in page] == []


def test_a_form_laid_out_as_on_the_page_is_taken(tmp_path: Path, root: Path) -> None:
    lines = (root / "docs" / "xlsform.md").read_text(encoding="utf-8").splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("| type | name"))
    rows = [[cell.strip() or None for cell in line.strip("|").split("|")] for line in lines[start : start + 6]]
    survey = survey_of(tmp_path, {**FORM, "survey": [rows[0], *rows[2:]]})
    assert [len(group.questions) for group in survey.groups] == [2, 1]
    assert survey.question("income").cuts == (400, 800, 1500)


# Pictures


def test_pictures_lie_beside_the_form_or_in_its_media_folder(tmp_path: Path) -> None:
    (tmp_path / "form-media").mkdir()
    (tmp_path / "form-media" / "never.png").write_bytes(png(3, 3, (1, 2, 3)))
    (tmp_path / "glass.png").write_bytes(png(4, 4, (1, 2, 3)))
    cells = [("survey", DRINKING, "media::image", "glass.png"), ("survey", DRINKING, "rr::picture_text::en", "A glass")]
    form = edited(*cells, ("choices", 5, "media::image", "never.png"))
    found = imported(tmp_path, form)
    (screen,) = found.survey.screens
    assert screen.picture is not None
    assert screen.picture.text.design == {"en": "A glass"}
    assert [answer for answer, _ in screen.pictures] == ["never"]
    assert {each.content for each in found.pictures} == {png(3, 3, (1, 2, 3)), png(4, 4, (1, 2, 3))}
    assert not found.left_out


@pytest.mark.parametrize(
    ("cells", "line"),
    [
        (
            [("survey", DRINKING, "image", "glass.png")],
            "row 4, column image: nothing says what the picture shows; say it in a column rr::picture_text",
        ),
        (
            [("survey", DRINKING, "image", "no.png"), ("survey", DRINKING, "rr::picture_text", "No")],
            'there is no picture "no.png" beside the form; put it there, or into form-media, or empty the cell',
        ),
        ([("choices", 5, "image", "../glass.png")], 'there is no picture "../glass.png" beside the form'),
        ([("choices", 5, "image", "form.xlsx")], "the file is not a picture in PNG, JPEG or WebP format"),
    ],
)
def test_a_picture_that_cannot_be_shown_is_left_out_and_named(
    cells: list[tuple[str, int, str, object]], line: str, tmp_path: Path
) -> None:
    (tmp_path / "glass.png").write_bytes(png(4, 4, (1, 2, 3)))
    found = imported(tmp_path, edited(*cells))
    (left,) = found.left_out
    assert line in left
    assert not found.survey.pictures


def test_a_picture_that_stands_with_no_answer_to_choose_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png(4, 4, (1, 2, 3)))
    form = edited(("choices", 5, "image", "a.png"), ("survey", DRINKING, "type", "rank often"))
    (left,) = imported(tmp_path, form).left_out
    assert '"never"' in left
    assert "picture" in left
