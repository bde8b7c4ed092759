"""A drafted survey file fits its table, and nobody can use it before it is confirmed."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from collector.cli import main
from collector.drafting.draft import Draft, draft_survey
from collector.errors import ResponseError, SurveyError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.table.plain_table import Reading
from said import figures

TABLE = """patient,age,sex,rooms,smokes,diagnosis
p1,31.5,f,2,yes,well
p2,47,m,3,no,ill
p3,62,f,10,no,"ill, very"
"""


@pytest.fixture
def table(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a table."""

    def write(text: str, name: str = "Patients 2026.csv") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def many(rows: int) -> str:
    return "person,age,ill\n" + "".join(
        f"name {number},{number % 60 + 18},{'yes' if number % 7 else 'no'}\n" for number in range(rows)
    )


def test_a_draft_has_a_question_of_the_right_kind_for_each_column(table: Callable[[str], Path]) -> None:
    draft = draft_survey(table(TABLE), "diagnosis")
    survey = parse_survey(draft.text.replace("confirmed = false", "confirmed = true"))
    kinds = {question.name: (question.kind, question.values) for question in survey.questions}
    assert survey.name == "patients_2026"
    assert survey.target == "diagnosis"
    assert kinds["rooms"] == ("scale", ("2", "3", "10"))
    assert kinds["smokes"] == ("yes_no", ("yes", "no"))
    assert kinds["diagnosis"] == ("choice", ("ill", "ill, very", "well"))
    assert not any(question.sensitive for question in survey.questions)


def test_many_numbers_are_cut_at_their_quartiles_and_names_of_people_are_left_out(
    table: Callable[[str], Path],
) -> None:
    draft = draft_survey(table(many(600)), "ill")
    survey = parse_survey(draft.text.replace("confirmed = false", "confirmed = true"))
    assert draft.left_out == ("person",)
    assert survey.question("age").cuts == (33, 48, 63)
    assert survey.question("age").whole
    wide = "person,income,ill\n" + "".join(f"p{n},{1000 + 7 * n},{'yes' if n % 3 else 'no'}\n" for n in range(1000))
    rounded = parse_survey(draft_survey(table(wide), "ill").text.replace("confirmed = false", "confirmed = true"))
    assert rounded.question("income").cuts == (2800, 4500, 6200), "2750, 4500 and 6250 with two digits"
    assert "name 1" not in draft.text


def test_no_reader_takes_a_draft_until_every_question_is_confirmed(table: Callable[[str], Path]) -> None:
    text = draft_survey(table(TABLE), "diagnosis").text
    assert text.count("confirmed = false") == 6
    for left in range(6, 0, -1):
        assert text.count("confirmed = false") == left
        with pytest.raises(SurveyError, match="confirmed: "):
            parse_survey(text)
        text = text.replace("confirmed = false", "confirmed = true", 1)
    parse_survey(text)


def test_confirming_leaves_no_trace_in_the_published_design(table: Callable[[str], Path]) -> None:
    text = draft_survey(table(TABLE), "diagnosis").text
    confirmed = parse_survey(text.replace("confirmed = false", "confirmed = true"))
    assert confirmed.fingerprint == parse_survey(text.replace("confirmed = false\n", "")).fingerprint


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "table: the table is empty"),
        ("a,ill\n", "table: it has no header or no rows"),
        ("a,ill\n1,2\n3\n", "line 3: it has 1 cells, not 2"),
        ('a,ill\n1,"2\n', "line 2: the table is not CSV"),
        ("a,well\n1,2\n3,4\n", 'column "ill": there is no such column; use one of: a, well'),
        ("a,ill\n1,2\n3,2\n", 'column "ill": its values are too many or only one'),
    ],
)
def test_what_is_no_table_is_refused_in_one_line(table: Callable[[str], Path], text: str, told: str) -> None:
    path = table(text)
    with pytest.raises(ResponseError) as refused:
        draft_survey(path, "ill")
    assert str(refused.value).startswith(f"{path}: {told}")


def test_other_formats_are_refused(table: Callable[..., Path]) -> None:
    with pytest.raises(ResponseError, match=r"\.parquet"):
        draft_survey(table(TABLE, "patients.parquet"), "diagnosis")


def test_the_command_writes_the_draft_and_says_what_is_to_be_done(table: Callable[[str], Path], tmp_path: Path) -> None:
    output = tmp_path / "survey.toml"
    result = CliRunner().invoke(main, ["draft", str(table(many(600))), "--target", "ill", "-o", str(output)])
    assert result.exit_code == 0
    assert "2 questions drafted" in result.stdout
    assert "1 column left out" in result.stdout
    assert "person: left out: " in result.stdout
    check = CliRunner().invoke(main, ["check", str(output)])
    assert check.exit_code == 2
    assert "add confirmed = true" in check.stderr


@pytest.mark.parametrize("force", [False, True])
def test_a_file_that_exists_is_overwritten_with_force_only(
    table: Callable[[str], Path], tmp_path: Path, *, force: bool
) -> None:
    output = tmp_path / "survey.toml"
    output.write_text("my edits", encoding="utf-8")
    line = ["draft", str(table(many(600))), "--target", "ill", "-o", str(output), *(["--force"] if force else [])]
    result = CliRunner().invoke(main, line)
    if force:
        assert result.exit_code == 0
        assert "confirmed = false" in output.read_text(encoding="utf-8")
    else:
        assert result.exit_code == 2
        assert "--force" in result.stderr
        assert output.read_text(encoding="utf-8") == "my edits"


def test_each_column_that_is_left_out_has_its_own_reason(table: Callable[[str], Path]) -> None:
    rows = "".join(
        f"{7 * n},2026/01/02 10:00:{n % 60:02},because of {n},{f'code {n % 300}'},same,{'yes' if n % 2 else 'no'}\n"
        for n in range(900)
    )
    draft = draft_survey(table("id,timestamp,why,code,place,ill\n" + rows), "ill")
    reasons = dict(note.split(": left out: ") for note in draft.notes if ": left out: " in note)
    assert tuple(reasons) == draft.left_out == ("q_id", "timestamp", "why", "code", "place")
    assert "names the rows" in reasons["q_id"]
    assert "2026-12-31" in reasons["timestamp"]
    assert "free text" in reasons["why"]
    assert figures(reasons["code"]) == [300, 256]
    assert "the same" in reasons["place"]


def test_the_command_leaves_nothing_behind_when_it_refuses(table: Callable[[str], Path], tmp_path: Path) -> None:
    output = tmp_path / "survey.toml"
    result = CliRunner().invoke(main, ["draft", str(table(TABLE)), "--target", "x", "-o", str(output)])
    assert result.exit_code == 2
    assert not output.exists()


AS_PUBLISHED = """"Patient No.";"Age (years)";Smokes?;"Town; district";class
1;31,5;yes;"A; north";1
2;47;;"B; south";2
3;62;no;"A; north";2
4;;no;NA;1
"""


def test_a_table_is_taken_as_it_was_published(table: Callable[[str], Path]) -> None:
    draft = draft_survey(table(AS_PUBLISHED), "class")
    survey = parse_survey(draft.text.replace("confirmed = false", "confirmed = true"))
    assert [each.name for each in survey.questions] == ["patient_no", "age_years", "smokes", "town_district", "class"]
    assert survey.question("town_district").label["en"] == "Town; district?"
    assert survey.question("smokes").values == ("yes", "no", "no_answer")
    assert survey.question("town_district").values == ("A; north", "B; south", "no_answer")
    assert draft.notes[:4] == (
        'renamed: "Patient No." is patient_no',
        'renamed: "Age (years)" is age_years',
        'renamed: "Smokes?" is smokes',
        'renamed: "Town; district" is town_district',
    )
    empty, decided = draft.notes[4:7], draft.notes[7:]
    assert [(each.partition(":")[0], figures(each)) for each in empty] == [
        (name, [1]) for name in ("age_years", "smokes", "town_district")
    ]
    assert [each.split(": ")[:2] for each in decided] == [
        [name, "to be decided"] for name in ("age_years", "town_district")
    ]
    assert figures(decided[0]) == [32, 46, 48, 61, 31.5, 62, 32, 47, 62]
    assert '"NA" (1 cells)' in decided[1]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found(separator: str, table: Callable[[str], Path]) -> None:
    text = separator.join(["a", "b"]) + "\n" + "\n".join(separator.join(row) for row in (["1", "x"], ["2", "y"]))
    assert draft_survey(table(text), "b").questions == ("a", "b")


def test_headings_that_would_be_one_name_become_two(table: Callable[[str], Path]) -> None:
    assert draft_survey(table("A b,a_b,id\n1,2,x\n2,3,y\n"), "id").questions == ("a_b", "a_b_2", "q_id")


def test_letters_with_marks_stay_letters_in_names(table: Callable[[str], Path]) -> None:
    assert draft_survey(table("Höhe (EUR),Spaß,été\n1,2,x\n2,3,y\n"), "été").questions == ("hohe_eur", "spass", "ete")


def test_a_survey_to_ask_has_groups_coins_and_priors(table: Callable[[str], Path]) -> None:
    text = "ill,town,age\n" + "".join(f"{'yes' if n < 20 else 'no'},{'AB'[n % 2]},{n}\n" for n in range(100))
    draft = draft_survey(table(text), None, ask=True)
    survey = parse_survey(draft.text.replace("confirmed = false", "confirmed = true"))
    assert all(survey.is_disguised(question.name) for question in survey.questions)
    assert [len(group.questions) for group in survey.groups] == [1, 1, 1]
    assert survey.question("ill").prior == (Fraction(1, 5), Fraction(4, 5))
    assert survey.target is None
    with pytest.raises(SurveyError, match="and are not confirmed"):
        parse_survey(draft.text)


def test_a_published_table_is_drafted_as_a_survey_to_ask(datasets: Path, table: Callable[[str], Path]) -> None:
    text = gzip.decompress((datasets / "loan_data.csv.gz").read_bytes()).decode()
    draft = draft_survey(table(text), None, ask=True)
    survey = parse_survey(draft.text.replace("confirmed = false", "confirmed = true"))
    assert len(survey.questions) == len(text.splitlines()[0].split(",")) - len(draft.left_out) > 5


def confirmed(draft: Draft) -> Survey:
    return parse_survey(draft.text.replace("confirmed = false", "confirmed = true"))


HEADLESS = "".join(
    f"{'private' if n % 3 else 'state'}, {20 + n % 40}, {'?' if n % 10 == 7 else 'yes'}\n" for n in range(90)
)


def test_a_table_without_a_header_is_not_taken_for_one_with_the_answers_of_a_person(
    table: Callable[[str], Path],
) -> None:
    with pytest.raises(ResponseError, match=r"line 1: .* 3 of its 3 .* --columns age,sex"):
        draft_survey(table(HEADLESS), None, ask=True)
    draft = draft_survey(table(HEADLESS), None, ask=True, reading=Reading(("work class", "age", "well")))
    assert draft.questions == ("work_class", "age", "well")
    renamed, empty, decided = draft.notes
    assert renamed == 'renamed: "work class" is work_class'
    assert (empty.partition(":")[0], figures(empty)) == ("well", [9])
    assert decided.startswith('well: to be decided: "?" (9 cells)')
    assert 'values = ["yes", "?"]' in decided
    with pytest.raises(ResponseError, match=r"--columns: .* 1 columns, .* 3 cells"):
        draft_survey(table(HEADLESS), None, ask=True, reading=Reading(("age",)))


def test_numbers_with_decimal_commas_and_with_commas_between_thousands_are_numbers(
    table: Callable[[str], Path],
) -> None:
    text = "pay;ill\n" + "".join(f"{n},5;{'yes' if n % 2 else 'no'}\n" for n in range(100, 140))
    pay = confirmed(draft_survey(table(text), "ill")).question("pay")
    assert (pay.kind, pay.whole) == ("number", False)
    text = "pay,ill\n" + "".join(f'"{n},000",{"yes" if n % 2 else "no"}\n' for n in range(1, 41))
    assert confirmed(draft_survey(table(text), "ill")).question("pay").cuts == (11000, 21000, 31000)


def test_years_stay_apart_and_what_most_people_have_none_of_is_cut_among_the_others(
    table: Callable[[str], Path],
) -> None:
    text = "born,gain\n" + "".join(f"{1950 + n % 60},{10 * n + 1234 if n >= 90 else 0}\n" for n in range(100))
    survey = confirmed(draft_survey(table(text), None, ask=True))
    assert survey.question("born").cuts == (1962, 1975, 1987)
    assert survey.question("gain").cuts == (2150, 2180, 2200)
    assert survey.question("gain").prior[0] == Fraction(92, 100)


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("adult.data", 15),
        ("agaricus-lepiota.data", 23),
        ("breast-cancer-wisconsin.data", 11),
        ("car.data", 7),
        ("house-votes-84.data", 17),
        ("nursery.data", 9),
    ],
)
def test_published_tables_are_drafted_as_they_are(
    name: str, columns: int, datasets: Path, table: Callable[..., Path]
) -> None:
    text = gzip.decompress((datasets / f"{name}.gz").read_bytes()).decode()
    path = table("\n".join(text.splitlines()[:600]), name)
    with pytest.raises(ResponseError, match="a row and no header"):
        draft_survey(path, None, ask=True)
    draft = draft_survey(path, None, ask=True, reading=Reading(tuple(f"column {number}" for number in range(columns))))
    survey = confirmed(draft)
    assert len(survey.questions) + len(draft.left_out) == columns
    assert len(survey.groups) == len(survey.questions) >= columns - 4
    assert not any("?" in question.values for question in survey.questions)


def test_columns_that_number_the_rows_are_no_questions_wherever_they_stand(table: Callable[[str], Path]) -> None:
    rows = "".join(f"{n},{n % 3},{1000 + 7 * n},{'ab'[n % 2]}\n" for n in range(1, 41))
    assert draft_survey(table("rownames,rooms,patient_id,class\n" + rows), "class").left_out == (
        "rownames",
        "patient_id",
    )
    assert draft_survey(table("unlikely,rooms,income,class\n" + rows), "class").left_out == ("unlikely",)
    assert draft_survey(table("rownames,rooms,id,class\n" + rows), "id").questions == ("rooms", "q_id", "class"), (
        "asked"
    )


def test_free_text_is_no_choice_and_texts_that_people_share_are(table: Callable[[str], Path]) -> None:
    text = "why,town,class\n" + "".join(f"because of {n},town {n % 12},{'ab'[n % 2]}\n" for n in range(60))
    draft = draft_survey(table(text), "class")
    assert (draft.questions, draft.left_out) == (("town", "class"), ("why",))


@pytest.mark.parametrize(
    "values",
    [
        ("0", "1-2", "3-9", "10-19", "20+"),
        ("under 18", "18-24", "25-64", "65 or more"),
        ("<5", "5 to 9", ">9"),
        ("<1,000", "1,000-9,999", "10,000 and over"),
        ("2", "3", "4", "5more"),
    ],
)
def test_texts_that_begin_with_numbers_are_a_scale_in_the_order_of_the_numbers(
    values: tuple[str, ...], table: Callable[[str], Path]
) -> None:
    text = "n;class\n" + "".join(f"{value};{'ab'[n % 2]}\n" for n in range(8) for value in sorted(values))
    question = confirmed(draft_survey(table(text), "class")).question("n")
    assert (question.kind, question.values) == ("scale", values)


def test_texts_that_begin_with_one_number_are_a_choice(table: Callable[[str], Path]) -> None:
    text = "n,class\n" + "1 apple,a\n1 pear,b\n2 pears,a\n" * 9
    assert confirmed(draft_survey(table(text), "class")).question("n").kind == "choice"


def test_a_survey_to_ask_expects_as_many_empty_answers_as_the_pilot_had(table: Callable[[str], Path]) -> None:
    text = "ill,age\n" + "yes,1\nno,2\n?,\nno,NA\n" * 25
    survey = confirmed(draft_survey(table(text), None, ask=True))
    assert survey.question("ill").prior == (Fraction(1, 4), Fraction(1, 2), Fraction(1, 4))
    assert survey.question("age").values == ("1", "2", "no_answer")


def test_a_column_of_numbers_with_all_the_digits_of_a_double_is_a_number(table: Callable[[str], Path]) -> None:
    rows = "".join(f"{row / 7!r},{'yes' if row % 2 else 'no'}\n" for row in range(1, 40))
    draft = draft_survey(table(f"score,well\n{rows}"), None, ask=True)
    assert draft.questions == ("score", "well")
    assert 'kind = "number"' in draft.text


@pytest.mark.parametrize("heading", ["Which of these languages and databases have you used in the last year", "h" * 63])
def test_a_long_heading_of_ticked_options_gets_names_that_the_survey_takes(heading: str, tmp_path: Path) -> None:
    ticked = ["Python;R (statistics)", "Other, please say which one;Python", "R (statistics)", "Python"]
    rows = "".join(f'"{cell}",{"ab"[row % 2]}\n' for row, cell in enumerate(ticked * 20))
    (tmp_path / "t.csv").write_text(f'"{heading}",class\n{rows}', encoding="utf-8")
    drafted = draft_survey(tmp_path / "t.csv", None, ask=True)
    first, _ = drafted.questions
    assert any(f"is {first}" in note for note in drafted.notes)
    confirmed = drafted.text.replace("confirmed = false", "confirmed = true")
    survey = parse_survey(confirmed)
    assert [question.name.startswith(f"{first}_") for question in survey.questions] == [True, True, True, False]
    assert len({question.name for question in survey.questions}) == 4
