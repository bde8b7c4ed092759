"""Sampling: the chances of being asked are what counting all draws says, and what does not fit is refused."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations
from math import prod
from pathlib import Path

import pytest
from click.testing import CliRunner

from collector.cli import main
from collector.database.batch import batch_from
from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import ResponseError, SurveyError
from collector.maintenance.audit_store import audit_store
from collector.store.store import Outcome, Sent, Store
from collector.survey.design import survey_from_design, survey_from_json
from collector.survey.sampling import Sampling, draws_sum
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey, read_survey_file
from collector.survey_file.survey_writer import survey_text
from collector.table.table import read_table, write_table
from small_surveys import mixed_survey
from split_surveys import GROUPS, HEAD, SPLIT, split_survey
from store_rows import dealt_rows

NAMES = ["a", "b", "c", "d", "e", "f"]
FINGERPRINTS = {
    "wellbeing": "445dca045fefb42494b702fddfb72e261a538ae070b8e50e712378d9b8d2f610",
    "wellbeing_two_languages": "141fcc74d8eb68be6ed60bf5ce0d5e41172f3a542f0c268579fd3169db948e5d",
}
CODES = {"sick": 0, "sad": 2, "sore": None, "drug": None, "job": 19, "year": None, "debt": None}


@pytest.mark.parametrize("always", [(), ("b",), ("a", "f")])
@pytest.mark.parametrize("ask", [3, 4, 6])
def test_the_chance_of_being_asked_is_the_share_of_the_draws(ask: int, always: tuple[str, ...]) -> None:
    sampling = Sampling(ask, always)
    draws = list(sampling.draws(NAMES))
    assert len(draws) == len(set(draws)) == sampling.count(len(NAMES))
    assert all(len(draw) == ask and set(always) <= set(draw) for draw in draws)
    assert all(list(draw) == [name for name in NAMES if name in draw] for draw in draws)
    for size in range(len(NAMES) + 1):
        for wanted in combinations(NAMES, size):
            share = Fraction(sum(set(wanted) <= set(draw) for draw in draws), len(draws))
            assert sampling.probability(wanted, len(NAMES)) == share


@pytest.mark.parametrize("drawn", range(6))
def test_the_sum_over_draws_of_products_is_what_listing_them_gives(drawn: int) -> None:
    sizes = [2, 3, 5, 7, 2]
    assert draws_sum(sizes, drawn) == sum(prod(each) for each in combinations(sizes, drawn))


def test_fingerprints_of_surveys_without_sampling_stay(root: Path) -> None:
    for name, fingerprint in FINGERPRINTS.items():
        text = (root / "examples" / f"{name}.toml").read_text(encoding="utf-8")
        assert parse_survey(text.replace("until = 2099-12-31", "until = 2027-06-30")).fingerprint == fingerprint
    mixed = "f9b7dfe3976a0e0a41d9624e7fe9692f28fb3eceee415c3f380a1b808f96df74"
    assert mixed_survey().fingerprint == mixed


def test_a_sampled_survey_travels_as_json_and_as_a_file() -> None:
    survey = split_survey()
    assert survey.design["sampling"] == {"ask": 3, "always": ["sick"]}
    assert "sampling" not in mixed_survey().design
    assert survey_from_json(survey.canonical) == survey
    assert parse_survey(survey_text(survey, "as it was")).fingerprint == survey.fingerprint


def test_what_is_always_asked_may_be_listed_in_any_order() -> None:
    assert split_survey(4, '"year", "sick"').fingerprint == split_survey(4, '"sick", "year"').fingerprint


@pytest.mark.parametrize(
    ("sampling", "line"),
    [
        (
            'ask = 1\nalways = ["sick"]',
            "sampling, ask: it is not more than the 1 always asked and at most all 7; ask",
        ),
        ("ask = 8", "sampling, ask: it is not more than the 0 always asked and at most all 7; ask 1 to 7"),
        ("ask = 0", "sampling, ask: it is not more than the 0 always asked and at most all 7; ask 1 to 7"),
        (
            'ask = 3\nalways = ["sic"]',
            (
                "sampling, always: the list contains a name that is not a question; "
                "use some of: sick, sad, sore, drug, job"
            ),
        ),
        ('ask = 3\nalways = ["sick", "sick"]', "sampling, always: a question is named twice; name each question once"),
        ('ask = "3"', 'sampling, ask: the value is not a whole number; write a whole number, or "auto" with [privacy]'),
        (
            "ask = true",
            'sampling, ask: the value is not a whole number; write a whole number, or "auto" with [privacy]',
        ),
        (
            'always = ["sick"]',
            (
                "sampling: the number of questions to ask is missing; write a number such as ask "
                "= 3, or give an epsilon under [privacy]"
            ),
        ),
        ('ask = 3\nalways = "sick"', "sampling, always: it is not a list; write a list"),
        ("ask = 3\nalways = [3]", "sampling, always: it is not text; write text"),
        ("ask = 3\nsome = 2", 'sampling: the key "some" is unknown; remove it, or use one of: ask, always'),
    ],
)
def test_a_sampling_that_does_not_fit_is_refused(sampling: str, line: str) -> None:
    with pytest.raises(SurveyError) as raised:
        parse_survey(f"{HEAD}{''.join(SPLIT)}[groups]\n{GROUPS}\n[sampling]\n{sampling}\n")
    assert str(raised.value).startswith(line)


@pytest.mark.parametrize(
    ("edit", "place"),
    [
        ({"ask": 1, "always": ["sick"]}, "sampling, ask"),
        ({"ask": True, "always": []}, "sampling, ask"),
        ({"ask": 3}, "sampling"),
        ({"ask": 3, "always": ["sad", "sick"]}, "sampling, always"),
        ({"ask": 3, "always": [], "more": 1}, "sampling"),
        ([], "design, sampling"),
    ],
)
def test_a_design_with_a_malformed_sampling_is_refused(edit: object, place: str) -> None:
    with pytest.raises(SurveyError) as raised:
        survey_from_design(split_survey().design | {"sampling": edit})
    assert raised.value.place == place


# Responses


def test_a_question_that_was_not_asked_has_no_code() -> None:
    survey = split_survey()
    assert survey.checked_codes(CODES) == (0, 2, None, None, 19, None, None)
    assert survey.checked_codes({"sick": 0, "sad": 2, "job": 19}) == (0, 2, None, None, 19, None, None)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"year": 1}, "codes"),
        ({"job": None}, "codes"),
        ({"sick": None, "year": 0}, 'question "sick"'),
        ({"job": 20}, 'question "job"'),
        ({"job": -1}, 'question "job"'),
        ({"job": True}, 'question "job"'),
        ({"job": "19"}, 'question "job"'),
        ({"other": None}, "codes"),
    ],
)
def test_more_or_fewer_questions_than_one_person_is_asked_are_refused(change: dict[str, object], place: str) -> None:
    with pytest.raises(ResponseError) as raised:
        split_survey().checked_codes(CODES | change)
    assert raised.value.place == place
    assert "19" not in str(raised.value).split(";")[0]


def test_a_survey_that_asks_everything_takes_no_gaps(wellbeing: Survey) -> None:
    with pytest.raises(ResponseError):
        wellbeing.checked_codes(dict.fromkeys([each.name for each in wellbeing.questions]))


@pytest.fixture
def rows() -> list[tuple[int | None, ...]]:
    """One response for each draw."""
    survey = split_survey()
    draws = survey.sampling.draws([each.name for each in survey.questions]) if survey.sampling else ()
    return [tuple(each.codes[-1] if each.name in draw else None for each in survey.questions) for draw in draws]


def test_the_store_keeps_nothing_for_what_was_not_asked(tmp_path: Path, rows: list[tuple[int | None, ...]]) -> None:
    with Store(tmp_path / "deniable.db", create=True) as store:
        survey = store.publish(split_survey()).survey
        assert store.add(survey, rows) == len(rows) == 15
        assert sorted(store.rows(survey), key=str) == sorted(rows, key=str)
        learnt, held_out = dealt_rows(store, survey, Fraction(1, 3))
        assert sorted(learnt + held_out, key=str) == sorted(rows, key=str)


@pytest.mark.parametrize(
    "row",
    [
        (0, 2, None, None, 19, 1, None),
        (0, 2, None, None, None, None, None),
        (None, 2, None, None, 19, 1, None),
        (0, 2, None, None, 20, None, None),
        (0, None, None, None, None, None, None),
    ],
)
def test_the_table_itself_refuses_other_than_one_persons_questions(tmp_path: Path, row: tuple[int | None, ...]) -> None:
    with Store(tmp_path / "deniable.db", create=True) as store:
        survey = store.publish(split_survey()).survey
        with pytest.raises(ResponseError):
            store.add(survey, [(0, 2, None, None, 19, None, None), row])
        assert store.rows(survey) == []


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_tables_have_an_empty_cell_for_what_was_not_asked(
    tmp_path: Path, form: str, rows: list[tuple[int | None, ...]]
) -> None:
    survey, path = split_survey(), tmp_path / f"responses.{form}"
    path.write_text("".join(write_table(survey, [batch_from(survey, rows)], form)), encoding="utf-8")
    assert read_table(survey, path).rows == rows
    first = path.read_text(encoding="utf-8").splitlines()[form == "csv"]
    assert first.startswith("sick1,sad2,sore3,,,," if form == "csv" else '{"sick": "sick1", "sad": "sad2"')


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (",sad0,sore0,,,,", 'line 2, column "sick": the cell is empty'),
        (
            "sick0,sad0,,,,,",
            "line 2: codes: the number of answered questions is not the number that one respondent is asked",
        ),
        (
            "sick0,sad0,sore0,,,year0,",
            "line 2: codes: the number of answered questions is not the number that one respondent is asked",
        ),
    ],
)
def test_a_table_with_other_questions_than_one_persons_is_refused(tmp_path: Path, line: str, problem: str) -> None:
    path = tmp_path / "responses.csv"
    path.write_text(f"sick,sad,sore,drug,job,year,debt\n{line}\n", encoding="utf-8")
    with pytest.raises(ResponseError) as raised:
        read_table(split_survey(), path)
    assert str(raised.value).startswith(f"{path}: {problem}")


# Commands and remarks


def test_a_store_with_gaps_passes_its_audit(tmp_path: Path, rows: list[tuple[int | None, ...]]) -> None:
    path = tmp_path / "deniable.db"
    with Store(path, create=True) as store:
        survey = store.publish(split_survey()).survey
        store.add(survey, rows)
        store.tidy()
    found = audit_store(path)
    assert found.green
    assert {each.holds for each in found.columns if each.name == "sad"} == {"a disguised code, or nothing: not asked"}
    assert {each.holds for each in found.columns if each.name == "sick"} == {"a disguised code"}


def test_a_response_with_gaps_is_received_once_and_recognised(tmp_path: Path) -> None:
    with Store(tmp_path / "deniable.db", create=True) as store:
        survey = store.publish(split_survey()).survey
        sent = Sent(survey.checked_codes(CODES), bytes(32))
        other = Sent(survey.checked_codes(CODES | {"job": None, "year": 0}), bytes(32))
        assert store.receive(survey, sent) is Outcome.STORED
        assert store.receive(survey, sent) is Outcome.REPEATED
        assert store.receive(survey, other) is Outcome.REPEATED
        assert store.rows(survey) == [sent.codes]


def test_the_split_example_goes_through_every_command(root: Path, tmp_path: Path) -> None:
    file, store = root / "examples" / "wellbeing_split.toml", tmp_path / "deniable.db"
    told = run(["check", str(file), "--json"])
    plan = json.loads(told)["plan"]
    assert plan["chosen"] == {
        "kind": "one coin",
        "ask": 7,
        "epsilons": {},
        "codings": {},
        "measure": pytest.approx(2.34, abs=0.01),
    }
    assert json.loads(told)["epsilon"] <= 8
    run(["publish", str(file), "--store", str(store)])
    survey = read_survey_file(file)
    assert survey.sampling is not None
    draw = next(survey.sampling.draws([each.name for each in survey.questions]))
    row = tuple(each.codes[0] if each.name in draw else None for each in survey.questions)
    table = tmp_path / "responses.csv"
    table.write_text("".join(write_table(survey, [batch_from(survey, [row] * 3)], "csv")), encoding="utf-8")
    run(["import", "wellbeing_split", str(table), "--store", str(store)])
    assert run(["export", "wellbeing_split", "--store", str(store)]) == table.read_text(encoding="utf-8")


def test_the_check_tells_epsilon_by_question_and_person_and_why(root: Path) -> None:
    told = run(["check", str(root / "examples" / "wellbeing_split.toml"), "--respondents", "1000"])
    assert told.startswith("Planned for epsilon 8 ")
    assert "one coin for all that a person is asked, 7 of 11" in told
    assert "cannabis  response       8.000    " in told
    assert "epsilon 8.000 at most" in told
    assert "more than 2,981 times" in told


def run(arguments: list[str]) -> str:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize(
    ("sampling", "told"),
    [
        (
            "ask = 3",
            'warn: sampling: the target "sick" is asked of 43% of respondents only; no other can teach it; add it',
        ),
        (
            'ask = 2\nalways = ["sick"]',
            "warn: sampling: no two of the questions drawn are ever asked of the same person",
        ),
        ('ask = 3\nalways = ["sick"]', None),
        ('ask = 7\nalways = ["sick", "sad", "sore", "drug", "job", "year"]', None),
    ],
)
def test_a_sampling_that_teaches_little_is_remarked_on(sampling: str, told: str | None) -> None:
    text = f'{HEAD}{"".join(SPLIT)}[groups]\n{GROUPS}\n[sampling]\n{sampling}\n[mining]\ntarget = "sick"\n'
    found = [str(lint) for lint in SurveyPrivacy(parse_survey(text)).lints if lint.place == "sampling"]
    assert len(found) == (told is not None)
    assert told is None or found[0].startswith(told)
