"""The store: disguised codes and nothing else, all or nothing, from many threads, and clear about every trouble."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from sqlite_utils import Database

from collector.coding.coding import plain_coding
from collector.errors import ResponseError, StoreError
from collector.store.staging import random_ids
from collector.store.store import Store
from collector.survey.question import Question
from collector.survey.survey import MOST_QUESTIONS, Survey
from collector.survey.text import Text
from made_up_surveys import surveys_with_rows
from store_rows import OTHER, ROW, query


def retitled(survey: Survey, title: str = "Second wave") -> Survey:
    return replace(survey, title=Text.of(en=title))


def open_survey(*questions: Question, name: str = "made_up") -> Survey:
    return Survey(name, Text.of(en="Made up"), ("en",), questions, ())


def open_question(name: str, *values: str) -> Question:
    prior = (Fraction(1, len(values)),) * len(values)
    return Question(name, Text.of(en="Q?"), "choice", values, prior, plain_coding(len(values)), sensitive=False)


# What is kept


def test_what_was_added_is_there_in_the_order_of_its_ids(store: Store, wellbeing: Survey, path: Path) -> None:
    rows = [(year, code, 3, 2, 0, 1) for year in range(4) for code in (0, 1)]
    assert store.add(wellbeing, rows) == 8
    assert store.count(wellbeing) == 8
    assert sorted(store.rows(wellbeing)) == rows
    in_order = query(
        path, "SELECT year, cannabis, drinking, income, debt, distress FROM responses_wellbeing_1 ORDER BY id"
    )
    assert store.rows(wellbeing) == in_order


def test_a_store_is_opened_by_a_path_as_text(store: Store, path: Path) -> None:
    with Store(str(path)) as opened:
        assert opened.path == path
        assert opened.surveys() == store.surveys()


def test_nothing_else_is_kept(store: Store, wellbeing: Survey, path: Path) -> None:
    store.add(wellbeing, [ROW])
    with closing(Database(path)) as database:
        tables = {table.name: [(c.name, c.type) for c in table.columns] for table in database.tables}
        register = {tables.pop("runs")[0], tables.pop("waits")[0]}  # of trained models: `collector.store.registry`
        assert register == {("number", "INTEGER"), ("fingerprint", "TEXT")}
        assert tables == {
            "surveys": [("fingerprint", "TEXT"), ("name", "TEXT"), ("version", "INTEGER"), ("design", "TEXT")],
            "revisions": [("fingerprint", "TEXT"), ("version", "TEXT"), ("number", "INTEGER"), ("design", "TEXT")],
            "pictures": [("name", "TEXT"), ("content", "BLOB")],
            "closed": [("name", "TEXT"), ("for_good", "INTEGER")],
            "invitations": [("survey", "TEXT"), ("code", "BLOB"), ("used", "INTEGER")],
            "withdrawn": [("survey", "TEXT"), ("receipt", "BLOB")],
            "imports": [
                ("fingerprint", "TEXT"),
                ("digest", "BLOB"),
                ("responses", "INTEGER"),
                ("times", "INTEGER"),
                ("simulated", "TEXT"),
            ],
            "responses_wellbeing_1": [
                ("id", "INTEGER"),
                *((q.name, "INTEGER") for q in wellbeing.questions),
                ("_receipt", "BLOB"),
                ("_by_hand", "INTEGER"),
            ],
        }
        assert all(table.strict for table in database.tables)
        assert database.table("responses_wellbeing_1").pks == ["id"]
        assert [view.name for view in database.views] == ["wellbeing_1"]
        assert database.triggers == []


def test_ids_are_random_numbers_of_63_bits(store: Store, wellbeing: Survey, path: Path) -> None:
    store.add(wellbeing, [ROW] * 200)
    ids = [row[0] for row in query(path, "SELECT id FROM responses_wellbeing_1")]
    assert all(isinstance(each, int) and 0 <= each < 2**63 for each in ids)
    assert max(each for each in ids if isinstance(each, int)) > 2**62, "fails once in 2^200 runs"


def test_ids_do_not_tell_the_order_of_arrival(path: Path, wellbeing: Survey) -> None:
    ids = iter([20, 10, 30])
    with Store(path, create=True, draw_ids=lambda count: [next(ids) for _ in range(count)]) as store:
        store.publish(wellbeing)
        store.add(wellbeing, [(year, 0, 0, 0, 0, 0) for year in (1, 2, 3)])
        assert [row[0] for row in store.rows(wellbeing)] == [2, 1, 3]


def test_an_id_that_is_taken_is_drawn_again(path: Path, wellbeing: Survey) -> None:
    ids = iter([5, 5, 5, 7, 7, 9])
    with Store(path, create=True, draw_ids=lambda count: [next(ids) for _ in range(count)]) as store:
        store.publish(wellbeing)
        assert store.add(wellbeing, [ROW, OTHER]) == 2
        assert store.add(wellbeing, [ROW]) == 1
    assert query(path, "SELECT id FROM responses_wellbeing_1") == [(5,), (7,), (9,)]


def test_as_many_ids_are_drawn_as_are_asked_for_and_all_differ() -> None:
    ids = random_ids(100)
    assert len(set(ids)) == 100, "fails once in 10^15 runs"
    assert all(0 <= each < 2**63 for each in ids)


def test_a_view_shows_responses_in_words_and_shared_codes_as_codes(store: Store, wellbeing: Survey, path: Path) -> None:
    store.add(wellbeing, [(0, 1, 1, 3, 0, 1)])
    words = query(path, "SELECT year, cannabis, drinking, income, debt, distress FROM wellbeing_1")
    assert words == [("first", "no", "#1", ">=1500", "yes", "no")]


@given(surveys_with_rows())
@settings(max_examples=60)
def test_any_survey_can_be_published_filled_and_read_in_words(
    case: tuple[Survey, list[tuple[int | None, ...]]],
) -> None:
    survey, rows = case
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.db"
        with Store(path, create=True) as store:
            assert store.publish(survey).survey == survey
            assert store.add(survey, rows) == len(rows)
            assert sorted(store.rows(survey), key=repr) == sorted(rows, key=repr)
        columns = ", ".join(f'"{question.name}"' for question in survey.questions)
        shown = query(path, f'SELECT {columns} FROM "{survey.name}_1"')  # noqa: S608 - checked names
        told = [
            tuple(None if code is None else q.word_of(code) for q, code in zip(survey.questions, row, strict=True))
            for row in rows
        ]
        assert sorted(shown, key=repr) == sorted(told, key=repr)


def test_questions_may_be_named_with_words_of_sql_and_values_hold_quotes(path: Path) -> None:
    names = ["order", "group", "select", "rowid", "oid", "from", "check", "table"]
    survey = open_survey(*(open_question(name, "it's", 'a "b"', "c; --") for name in names), name="select")
    rows = [(0, 1, 2, 2, 1, 0, 1, 2)]
    with Store(path, create=True) as store:
        store.publish(survey)
        store.add(survey, rows)
        assert store.rows(survey) == rows
    assert query(path, 'SELECT "order", "group", "select" FROM select_1') == [("it's", 'a "b"', "c; --")]


def test_a_survey_of_1000_questions_has_a_table(path: Path) -> None:
    survey = open_survey(*(open_question(f"q{number}", "a", "b") for number in range(MOST_QUESTIONS)))
    row = tuple(number % 2 for number in range(MOST_QUESTIONS))
    with Store(path, create=True) as store:
        store.publish(survey)
        store.add(survey, [row])
        assert store.rows(survey) == [row]


# Versions


def test_the_same_design_again_changes_nothing(store: Store, wellbeing: Survey, path: Path) -> None:
    before = query(path, "SELECT * FROM surveys")
    assert store.publish(wellbeing).version == 1
    assert query(path, "SELECT * FROM surveys") == before


def test_a_changed_design_is_a_new_version_with_its_own_responses(store: Store, wellbeing: Survey) -> None:
    second = retitled(wellbeing)
    store.add(wellbeing, [ROW])
    assert store.publish(second, new_version=True).version == 2
    store.add(second, [OTHER, OTHER])
    assert (store.count(wellbeing), store.count(second)) == (1, 2)
    assert store.published("wellbeing").survey == second
    assert store.published("wellbeing", 1).survey == wellbeing
    assert store.published_as(second.fingerprint).version == 2


def test_surveys_are_listed_by_name_and_version(store: Store, wellbeing: Survey) -> None:
    for number in range(2, 12):
        store.publish(retitled(wellbeing, f"Wave {number}"), new_version=True)
    store.publish(replace(wellbeing, name="ageing"))
    listed = [(each.name, each.version) for each in store.surveys()]
    assert listed == [("ageing", 1), *(("wellbeing", version) for version in range(1, 12))]


def test_what_one_store_publishes_another_on_the_same_file_sees(store: Store, wellbeing: Survey, path: Path) -> None:
    with Store(path) as other:
        store.publish(retitled(wellbeing), new_version=True)
        assert other.published("wellbeing").version == 2


UNKNOWN: dict[str, tuple[Callable[[Store, Survey], object], str]] = {
    "a name": (
        lambda store, _: store.published("welbeing"),
        'no survey "welbeing" is published here; use one of: wellbeing',
    ),
    "a version": (
        lambda store, _: store.published("wellbeing", 2),
        'survey "wellbeing" has no version 2; use one of: 1',
    ),
    "version nought": (
        lambda store, _: store.published("wellbeing", 0),
        'survey "wellbeing" has no version 0; use one of: 1',
    ),
    "a fingerprint": (
        lambda store, _: store.published_as("0" * 64),
        "this design is not published here; publish the survey file first",
    ),
    "rows of a design": (
        lambda store, survey: store.rows(retitled(survey)),
        "this design is not published here; publish the survey file first",
    ),
    "responses to a design": (
        lambda store, survey: store.add(retitled(survey), [ROW]),
        "this design is not published here; publish the survey file first",
    ),
}


@pytest.mark.parametrize("what", UNKNOWN)
def test_what_is_not_published_is_told(what: str, store: Store, wellbeing: Survey, path: Path) -> None:
    ask, line = UNKNOWN[what]
    with pytest.raises(StoreError) as raised:
        ask(store, wellbeing)
    assert str(raised.value) == f"{path}: {line}"


def test_an_empty_store_says_to_publish_first(path: Path) -> None:
    with Store(path, create=True) as store, pytest.raises(StoreError, match="publish it first"):
        store.published("wellbeing")


# All or nothing


BAD_ROWS: dict[str, tuple[object, ...]] = {
    "a code of no value": (0, 2, 3, 2, 0, 1),
    "a negative code": (-1, 1, 3, 2, 0, 1),
    "an empty cell": (0, None, 3, 2, 0, 1),
    "text": (0, "no", 3, 2, 0, 1),
    "a fraction": (0, 0.5, 3, 2, 0, 1),
    "an object": (0, Fraction(1), 3, 2, 0, 1),
    "too few": (0, 1, 3, 2, 0),
    "too many": (0, 1, 3, 2, 0, 1, 1),
    "beyond 64 bits": (0, 2**64, 3, 2, 0, 1),
}


@pytest.mark.parametrize("kind", BAD_ROWS)
def test_one_bad_row_and_none_is_stored(kind: str, store: Store, wellbeing: Survey) -> None:
    with pytest.raises(ResponseError) as raised:
        store.add(wellbeing, [ROW, OTHER, BAD_ROWS[kind], ROW])  # type: ignore[list-item]
    line = (
        "response number 3: the response does not have one code for each question; check "
        "the response against the survey first"
    )
    assert str(raised.value) == line
    assert store.count(wellbeing) == 0
    assert store.add(wellbeing, [ROW]) == 1, "the store goes on working"


def test_rows_that_end_in_an_error_are_not_stored(store: Store, wellbeing: Survey) -> None:
    def rows() -> Iterator[tuple[int, ...]]:
        yield ROW
        raise KeyError("reading went wrong")

    with pytest.raises(KeyError):
        store.add(wellbeing, rows())
    assert store.count(wellbeing) == 0


def test_no_rows_are_none(store: Store, wellbeing: Survey) -> None:
    assert store.add(wellbeing, []) == 0
