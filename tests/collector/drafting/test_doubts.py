"""A draft asks about what spreadsheets and survey programs do to answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from collector.drafting.doubts import days_in_disguise, far_codes, missing_numbers
from collector.drafting.draft import Draft, draft_survey
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from said import figures

ROWS = 60
OTHERS = "other whole numbers up to 90"


def drafted(tmp_path: Path, columns: dict[str, list[str]], below: str = "", *, ask: bool = True) -> Draft:
    path = tmp_path / "table.csv"
    header, *rows = [";".join(f'"{cell}"' for cell in row) for row in (columns, *zip(*columns.values(), strict=True))]
    further = [below.replace(",", ";")] if below else []
    path.write_text("\n".join([header, *further, *rows, ""]), encoding="utf-8")
    return draft_survey(path, None, ask=ask)


def confirmed(draft: Draft) -> Survey:
    return parse_survey(draft.text.replace("confirmed = false", "confirmed = true"))


def cycle(*cells: str) -> list[str]:
    return [cells[row % len(cells)] for row in range(ROWS)]


def about(draft: Draft, column: str) -> list[str]:
    return [note for note in draft.notes if note.startswith(f"{column}: ") and "to be decided" in note]


def test_ranges_that_excel_took_for_days_are_asked_about_and_stand_in_their_order(tmp_path: Path) -> None:
    draft = drafted(tmp_path, {"staff": cycle("100-500", "44566", "26-100", "44737"), "well": cycle("yes", "no")})
    (asked,) = about(draft, "staff")
    assert '"44566" (15 cells) was 1-5' in asked
    assert '"44737" (15 cells) was 6-25' in asked
    assert confirmed(draft).question("staff").values == ("44566", "44737", "26-100", "100-500")
    assert f"# {asked.removeprefix('staff: ').capitalize()}\n[[questions]]".lower() in draft.text.lower()


@pytest.mark.parametrize(
    ("cells", "spans"),
    [
        (["05-Jan", "6-10", "11+"], {"05-Jan": (1, 5)}),
        (["1. Mai", "6-10"], {"1. Mai": (1, 5)}),
        (["Dec-10", "Jan-05"], {"Dec-10": (10, 12), "Jan-05": (1, 5)}),
        (["44566", "much", "6-10"], {}),
        (["1-5", "6-10"], {}),
        (["44566", "44737"], {}),
    ],
)
def test_days_are_known_beside_ranges_only(cells: list[str], spans: dict[str, tuple[int, int]]) -> None:
    assert days_in_disguise(dict.fromkeys(cells, 1)) == spans


@pytest.mark.parametrize(
    ("numbers", "codes"),
    [
        (["0", "5", "20", "98", "99"], ["98", "99"]),
        (["1", "2", "5", "-99"], ["-99"]),
        (["18", "60", "97", "98", "99"], ["97", "98", "99"]),
        (["18", "90", "95", "99"], []),
        (["-5", "-1", "3"], []),
        (["99", "98"], []),
        (["100", "250", "999"], ["999"]),
    ],
)
def test_usual_codes_for_no_answer_are_asked_about_far_from_other_numbers(numbers: list[str], codes: list[str]) -> None:
    assert far_codes(dict.fromkeys(numbers, 1)) == codes


def test_such_codes_are_named_with_their_cells(tmp_path: Path) -> None:
    draft = drafted(tmp_path, {"children": cycle("0", "1", "2", "99"), "well": cycle("yes", "no")})
    (asked,) = about(draft, "children")
    assert "99 (15 cells)" in asked
    assert "empty these cells" in asked


def test_not_available_is_no_answer_and_is_named_and_counted(tmp_path: Path) -> None:
    draft = drafted(tmp_path, {"q": cycle("Yes", "n/a", "No"), "well": cycle("yes", "no")})
    assert confirmed(draft).question("q").values == ("yes", "no", "no_answer")
    assert any(each.startswith("q: ") and figures(each) == [20] for each in draft.notes)
    assert '"n/a" (20 cells)' in about(draft, "q")[0]
    assert 'values = ["Yes", "No", "n/a"]' in about(draft, "q")[0]
    values = 'kind = "choice"\nvalues = ["Yes", "No", "n/a"]'
    text = draft.text.replace('kind = "yes_no"\nprior = { yes = 0.34, no = 0.33, no_answer = 0.33 }', values, 1)
    assert parse_survey(text.replace("confirmed = false", "confirmed = true")).question("q").values[:3] == (
        *("Yes", "No", "n/a"),
    )


@pytest.mark.parametrize(("cell", "kind"), [("5", "number"), ("town", "choice")])
def test_what_to_write_of_a_cell_without_an_answer_suits_the_kind(cell: str, kind: str, tmp_path: Path) -> None:
    cells = [f"{cell} {row % 3}" if kind == "choice" else str(row) for row in range(ROWS)]
    draft = drafted(tmp_path, {"q": ["?", *cells[1:]], "well": cycle("yes", "no")})
    assert f'kind = "{kind}"' in draft.text.partition("[[questions]]")[2].partition("[[questions]]")[0]
    remedy = {"number": 'write kind = "choice" and list all values', "choice": "add it to the values"}[kind]
    assert remedy in about(draft, "q")[0]


def test_numbers_that_a_scale_leaves_out_are_named_with_what_to_write(tmp_path: Path) -> None:
    hours = cycle("1", "2", "3", "4", "5", "6", "7", "9", "12", "")
    draft = drafted(tmp_path, {"hours": hours, "well": cycle("yes", "no")})
    (asked,) = about(draft, "hours")
    assert figures(asked)[:5] == [8, 10, 11, 1, 12]
    assert "whole = true" in asked
    assert "cuts = [3, 5, 7]" in asked
    first, _, rest = draft.text.partition("[[questions]]\n")
    rest = re.sub(
        r'kind = "scale"\nvalues = .*\nprior = .*', 'kind = "number"\nwhole = true\ncuts = [3, 5, 7]', rest, count=1
    )
    survey = parse_survey(f"{first}[[questions]]\n{rest}".replace("confirmed = false", "confirmed = true"))
    assert survey.question("hours").values[:4] == ("<3", "3..5", "5..7", ">=7")


@pytest.mark.parametrize(
    ("values", "missing"),
    [
        (["1", "2", "3"], None),
        (["1", "1.5", "3"], "2"),
        (["0", "10", "20"], "1 to 9, 11 to 19"),
        ([str(10 * n) for n in range(10)], f"{', '.join(f'{n}1 to {n}9' for n in ('', *range(1, 8)))}, {OTHERS}"),
    ],
)
def test_whole_numbers_between_values_are_named(values: list[str], missing: str | None) -> None:
    assert missing_numbers(values) == missing


def test_a_scale_without_gaps_has_no_doubt(tmp_path: Path) -> None:
    draft = drafted(tmp_path, {"mood": cycle("1", "2", "3", "4", "5"), "well": cycle("yes", "no")})
    assert about(draft, "mood") == []


@pytest.mark.parametrize("pair", ["TRUE FALSE", "Yes No", "WAHR FALSCH", "Oui Non", "\u0646\u0639\u0645 \u0644\u0627"])
def test_true_and_false_are_yes_and_no(tmp_path: Path, pair: str) -> None:
    yes, no = pair.split()
    question = confirmed(drafted(tmp_path, {"q": cycle(yes, no, no), "well": cycle("yes", "no")})).question("q")
    assert question.kind == "yes_no"
    assert [float(share) for share in question.prior] == [0.33, 0.67]


def test_days_are_a_date_question_cut_at_whole_years(tmp_path: Path) -> None:
    days = [f"{1950 + row}-05-{row % 28 + 1:02}" for row in range(ROWS)]
    survey = confirmed(drafted(tmp_path, {"born": days, "well": cycle("yes", "no")}))
    assert survey.screens[0].kind == "date"
    assert survey.question("born").bounds == ("1965-01-01", "1980-01-01", "1995-01-01")


def test_ticks_joined_by_semicolons_are_a_multiple(tmp_path: Path) -> None:
    columns = {"means": cycle("By bus", "By bus;On foot", "", "Car"), "well": cycle("yes", "no")}
    draft = drafted(tmp_path, columns)
    survey = confirmed(draft)
    assert [each.name for each in survey.questions][:3] == ["means_by_bus", "means_car", "means_on_foot"]
    assert [float(each.prior[0]) for each in survey.questions][:3] == [0.5, 0.25, 0.25]
    assert "nothing ticked" in about(draft, "means")[0]


def test_texts_with_a_semicolon_that_hardly_repeat_are_no_ticks(tmp_path: Path) -> None:
    texts = [f"word {row}; word {row + 100}" for row in range(ROWS)]
    assert drafted(tmp_path, {"comment": texts, "well": cycle("yes", "no")}).left_out == ("comment",)


def test_a_column_that_is_empty_exactly_where_another_is_no_asks_for_a_condition(tmp_path: Path) -> None:
    draft = drafted(tmp_path, {"smokes": cycle("Yes", "No"), "packs": cycle("1", "", "2", "")})
    (asked,) = about(draft, "packs")
    assert "where smokes is not yes" in asked
    assert "ask_if = 'smokes = yes'" in asked
    assert not about(drafted(tmp_path, {"smokes": cycle("Yes", "No"), "packs": cycle("1", "", "", "")}), "packs")


@pytest.mark.parametrize(
    ("heading", "cells", "why"),
    [
        ("When", [f"2026-05-{row % 28 + 1:02} 10:{row:02}:00" for row in range(ROWS)], "the time of each response"),
        ("When", [f"5/{row % 28 + 1}/2026 9:{row:02}" for row in range(ROWS)], "the time of each response"),
        ("latitude", [f"52.{5000 + row}" for row in range(ROWS)], "coordinates"),
        ("place", [f"52.51{row:02} 13.4 0 0" for row in range(ROWS)], "coordinates"),
        ("visit", [f"{row % 28 + 1}.5.2026" for row in range(ROWS)], "such as 2026-12-31"),
        ("seed", [str(7919 * row) for row in range(ROWS)], "a survey program added it"),
        ("IP Address", [f"10.0.0.{row}" for row in range(ROWS)], "a survey program added it"),
        ("_version", cycle("v1", "v2"), "a survey program added it"),
        ("empty", cycle("", "NA"), "every cell is empty"),
        ("G1[SQ1]", cycle("Y", ""), "as a ticked option has"),
        ("share", [f"{row}%" for row in range(ROWS)], "end in %"),
    ],
)
def test_what_is_no_answer_is_left_out_with_the_reason(
    tmp_path: Path, heading: str, cells: list[str], why: str
) -> None:
    draft = drafted(tmp_path, {heading: cells, "well": cycle("yes", "no")})
    assert draft.questions == ("well",)
    assert any("left out" in note and why in note for note in draft.notes)


@pytest.mark.parametrize("name", ["status", "duration"])
def test_a_column_that_programs_add_and_surveys_ask_is_a_question_unless_a_program_added_others(
    tmp_path: Path, name: str
) -> None:
    columns = {name: cycle("1", "2", "3"), "well": cycle("yes", "no")}
    assert drafted(tmp_path, columns).questions == (name, "well")
    ids = [f"R_{row:04}" for row in range(ROWS)]
    assert drafted(tmp_path, {"ResponseId": ids, "IPAddress": ids, **columns}).questions == ("well",)


def test_rows_of_headings_are_named_and_give_the_label(tmp_path: Path) -> None:
    columns = {"Q1": cycle("1", "2", "3"), "Q2": [str(row) for row in range(ROWS)], "Q3": cycle("Yes", "No")}
    below = "How many rooms?,How old are you?,Do you smoke?"
    draft = drafted(tmp_path, columns, below)
    assert draft.notes[0].startswith("1 row below the header")
    assert [each.label["en"] for each in confirmed(draft).questions] == below.split(",")


def test_the_rows_of_surveymonkey_are_known_by_their_word_for_a_response(tmp_path: Path) -> None:
    numbers = [str(11000 + row) for row in range(ROWS)]
    columns = {"Respondent ID": numbers, "Collector ID": numbers, "Children": cycle("0", "1"), "Sex": cycle("f", "m")}
    draft = drafted(tmp_path, columns, ",,Open-Ended Response,Response")
    assert [(each.name, each.label["en"]) for each in confirmed(draft).questions] == [
        ("children", "Children?"),
        ("sex", "Sex?"),
    ]


def test_a_column_that_repeats_those_of_its_options_is_left_out(tmp_path: Path) -> None:
    columns = {"by": cycle("bus car", "car"), "by/bus": cycle("1", "0"), "by/car": cycle("1", "1", "0")}
    assert drafted(tmp_path, columns).questions == ("by_bus", "by_car")


def test_options_that_commas_join_are_asked_about(tmp_path: Path) -> None:
    (asked,) = about(drafted(tmp_path, {"by": cycle("Bus", "Bus, Car", "Car"), "well": cycle("yes", "no")}), "by")
    assert "commas join Bus, Car" in asked
    assert not about(drafted(tmp_path, {"by": cycle("Bern, CH", "Basel"), "well": cycle("yes", "no")}), "by")


def test_the_first_column_is_a_question_if_its_heading_is_in_another_script(tmp_path: Path) -> None:
    ages = [str(18 + row) for row in range(ROWS)]
    columns = {"\u200f\u0627\u0644\u0639\u0645\u0631": ages, "well": cycle("yes", "no")}
    assert drafted(tmp_path, columns).questions == ("item_1", "well")
    assert drafted(tmp_path, {"": ages, "well": cycle("yes", "no")}).questions == ("well",)


def test_a_code_below_zero_is_said_to_stand_below_the_other_numbers(tmp_path: Path) -> None:
    draft = drafted(tmp_path, {"money": cycle("-1", "0", "1"), "age": [str(row) for row in range(ROWS - 1)] + ["999"]})
    (below,), (above,) = about(draft, "money"), about(draft, "age")
    assert "below all other numbers" in below
    assert "far from all other numbers" in above
