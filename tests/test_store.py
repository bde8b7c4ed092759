"""The store: disguised codes and nothing else, all or nothing, from many threads, and clear about every trouble."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given, settings
from sqlite_utils import Database

from collector import connections as connections_module
from collector.coding import plain_coding
from collector.errors import ResponseError, StoreError
from collector.question import Question
from collector.store import Store, random_ids
from collector.survey import MOST_QUESTIONS, Survey
from collector.text import Text
from made_up_surveys import surveys_with_rows

ROW = (0, 1, 3, 2, 0, 1)
OTHER = (3, 0, 0, 0, 1, 0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deniable.db"


@pytest.fixture
def store(path: Path, wellbeing: Survey) -> Iterator[Store]:
    """A store in which the example is published."""
    with Store(path, create=True) as each:
        each.publish(wellbeing)
        yield each


def query(path: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


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


def test_nothing_else_is_kept(store: Store, wellbeing: Survey, path: Path) -> None:
    store.add(wellbeing, [ROW])
    with closing(Database(path)) as database:
        tables = {table.name: [(c.name, c.type) for c in table.columns] for table in database.tables}
        register = {tables.pop("runs")[0], tables.pop("waits")[0]}  # of trained models: `collector.registry`
        assert register == {("number", "INTEGER"), ("fingerprint", "TEXT")}
        assert tables == {
            "surveys": [("fingerprint", "TEXT"), ("name", "TEXT"), ("version", "INTEGER"), ("design", "TEXT")],
            "closed": [("name", "TEXT"), ("for_good", "INTEGER")],
            "invitations": [("survey", "TEXT"), ("code", "BLOB"), ("used", "INTEGER")],
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
        assert [row[0] for row in store.rows(wellbeing)] == [2, 3, 1]


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
    assert store.publish(second).version == 2
    store.add(second, [OTHER, OTHER])
    assert (store.count(wellbeing), store.count(second)) == (1, 2)
    assert store.published("wellbeing").survey == second
    assert store.published("wellbeing", 1).survey == wellbeing
    assert store.published_as(second.fingerprint).version == 2


def test_surveys_are_listed_by_name_and_version(store: Store, wellbeing: Survey) -> None:
    for number in range(2, 12):
        store.publish(retitled(wellbeing, f"Wave {number}"))
    store.publish(replace(wellbeing, name="ageing"))
    listed = [(each.name, each.version) for each in store.surveys()]
    assert listed == [("ageing", 1), *(("wellbeing", version) for version in range(1, 12))]


def test_what_one_store_publishes_another_on_the_same_file_sees(store: Store, wellbeing: Survey, path: Path) -> None:
    with Store(path) as other:
        store.publish(retitled(wellbeing))
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
        "this design is not published here; publish its survey file first",
    ),
    "rows of a design": (
        lambda store, survey: store.rows(retitled(survey)),
        "this design is not published here; publish its survey file first",
    ),
    "responses to a design": (
        lambda store, survey: store.add(retitled(survey), [ROW]),
        "this design is not published here; publish its survey file first",
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
    line = "response number 3: it is not one code per question; check it with the survey first"
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


# Files and their troubles


def test_a_new_store_is_readable_by_its_owner_only(store: Store, wellbeing: Survey, path: Path) -> None:
    store.add(wellbeing, [ROW])
    files = sorted(path.parent.iterdir())
    assert [each.name for each in files] == ["deniable.db", "deniable.db-shm", "deniable.db-wal", "deniable.db.pepper"]
    assert {each.stat().st_mode & 0o777 for each in files} == {0o600}


def test_every_connection_is_safe_against_power_cuts_and_wipes_what_it_deletes(store: Store) -> None:
    with store._connections.one() as database:  # noqa: SLF001 - settings of a connection do not show from outside
        settings = {name: database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("synchronous", "secure_delete")}
        assert settings == {"synchronous": 2, "secure_delete": 1}
        assert database.journal_mode == "wal"


def test_closing_leaves_the_store_and_its_pepper(path: Path, wellbeing: Survey) -> None:
    with Store(path, create=True) as store:
        store.publish(wellbeing)
        store.add(wellbeing, [ROW])
    assert sorted(each.name for each in path.parent.iterdir()) == ["deniable.db", "deniable.db.pepper"]


def test_a_closed_store_says_so(store: Store) -> None:
    store.close()
    store.close()
    with pytest.raises(StoreError, match="this store was closed; open it again"):
        store.surveys()


def test_opening_a_store_to_create_it_keeps_what_is_there(store: Store, wellbeing: Survey, path: Path) -> None:
    store.add(wellbeing, [ROW])
    with Store(path, create=True) as again:
        assert again.rows(wellbeing) == [ROW]


def refused(path: Path, *, create: bool = False) -> str:
    with pytest.raises(StoreError) as raised:
        Store(path, create=create)
    assert raised.value.place == str(path)
    return str(raised.value).removeprefix(f"{path}: ")


def test_a_file_that_is_not_there_is_told_and_not_made(path: Path) -> None:
    assert refused(path) == "there is no such file; give --store, or publish a survey first"
    assert not path.exists()


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    assert refused(tmp_path) == "there is no such file; give --store, or publish a survey first"
    assert (
        refused(tmp_path, create=True)
        == "it cannot be made or written (Is a directory); check the path and its permissions"
    )


def test_a_store_in_no_folder_is_told(tmp_path: Path) -> None:
    line = "it cannot be made or written (No such file or directory); check the path and its permissions"
    assert refused(tmp_path / "none" / "a.db", create=True) == line


@pytest.mark.parametrize("create", [False, True])
def test_a_file_that_is_no_database_is_told_and_left_alone(path: Path, *, create: bool) -> None:
    path.write_text("name = 'wellbeing'\n" * 100, encoding="utf-8")
    assert refused(path, create=create) == "it is not a SQLite file; give the path of a store"
    assert path.read_text(encoding="utf-8").startswith("name")


@pytest.mark.parametrize("create", [False, True])
def test_somebody_elses_database_is_told_and_left_alone(path: Path, *, create: bool) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE surveys (a)")
    assert refused(path, create=create) == "it is not a store of this project; give the path of a store"
    assert query(path, "SELECT name FROM sqlite_schema") == [("surveys",)]


def test_an_empty_file_is_no_store_until_it_is_to_be_made_one(path: Path) -> None:
    path.touch()
    assert refused(path) == "it is not a store of this project; give the path of a store"
    Store(path, create=True).close()
    Store(path).close()


def test_a_store_of_another_version_is_told(store: Store, path: Path) -> None:
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    assert refused(path) == "another version of this project made it; use that version to read it"


def test_a_store_whose_file_was_moved_away_is_not_made_anew(store: Store, path: Path) -> None:
    with store._connections.one():  # noqa: SLF001 - so that the next use needs a new connection
        for each in path.parent.iterdir():
            each.unlink()
        line = "it cannot be opened; check the path and its permissions"
        assert trouble(store.surveys, path) == line
    assert not path.exists()


def trouble(act: Callable[[], object], path: Path) -> str:
    with pytest.raises(StoreError) as raised:
        act()
    return str(raised.value).removeprefix(f"{path}: ")


def test_a_locked_store_is_told_after_waiting(path: Path, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections_module, "BUSY_SECONDS", 0.05)
    with Store(path, create=True) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        store.publish(wellbeing)
        other.execute("BEGIN IMMEDIATE")
        line = "another program has locked it; close that program, or try again later"
        assert trouble(lambda: store.add(wellbeing, [ROW]), path) == line
        assert store.count(wellbeing) == 0, "readers are not kept waiting"
        other.execute("ROLLBACK")
        assert store.add(wellbeing, [ROW]) == 1


def test_a_full_disk_is_told_and_nothing_of_the_rows_is_stored(store: Store, wellbeing: Survey, path: Path) -> None:
    with store._connections.one() as database:  # noqa: SLF001 - the one connection there is, limited to its present size
        pages = database.execute("PRAGMA page_count").fetchone()[0]
        database.execute(f"PRAGMA max_page_count = {pages}")
    line = "the disk is full; make room; nothing of this was stored"
    assert trouble(lambda: store.add(wellbeing, [ROW] * 2000), path) == line
    assert store.count(wellbeing) == 0
    assert store.add(wellbeing, [ROW]) == 1


def test_a_store_that_cannot_be_written_is_told(store: Store, wellbeing: Survey, path: Path) -> None:
    with store._connections.one() as database:  # noqa: SLF001 - root may write to any file, so permissions show nothing
        database.execute("PRAGMA query_only = ON")
    line = "it cannot be written; make the file and its folder writable"
    assert trouble(lambda: store.add(wellbeing, [ROW]), path) == line
    assert store.rows(wellbeing) == []


@pytest.mark.parametrize("kept", [2 * 4096, 20 * 4096])
def test_a_damaged_store_is_told(kept: int, store: Store, wellbeing: Survey, path: Path) -> None:
    store.add(wellbeing, [ROW] * 5000)
    store.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:kept] + b"\xff" * (len(whole) - kept))
    with Store(path) as damaged:
        assert trouble(lambda: damaged.rows(wellbeing), path) == "the file is damaged; restore it from a copy"


@pytest.mark.parametrize(
    ("sql", "line"),
    [
        (
            "UPDATE surveys SET design = replace(design, 'Student', 'Worker')",
            "its design does not have its fingerprint",
        ),
        ("UPDATE surveys SET design = '{'", "design: it is not JSON"),
        ("UPDATE surveys SET name = 'other'", "its design does not have its fingerprint"),
        ("UPDATE surveys SET fingerprint = 'x'", "its design does not have its fingerprint"),
    ],
)
def test_a_design_that_was_changed_in_the_file_is_not_believed(sql: str, line: str, store: Store, path: Path) -> None:
    store.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(sql)
    with Store(path) as again, pytest.raises(StoreError) as raised:
        again.surveys()
    assert line in str(raised.value)
    assert str(raised.value).endswith("; restore the store from a copy")


# Threads and processes


def test_many_threads_share_one_store(store: Store, wellbeing: Survey) -> None:
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(25):
                store.add(wellbeing, [ROW])
                store.published("wellbeing")
        except BaseException as error:  # noqa: BLE001 - told to the test
            failures.append(error)

    threads = [Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert store.count(wellbeing) == 200


def _create_and_publish(path: str, design: str) -> None:
    from collector.design import survey_from_json  # noqa: PLC0415 - in the other process

    with Store(Path(path), create=True) as store:
        survey = survey_from_json(design)
        store.publish(survey)
        store.add(survey, [ROW])


def test_processes_that_create_the_same_store_at_once_share_it(path: Path, wellbeing: Survey) -> None:
    context = multiprocessing.get_context("spawn")
    others = [context.Process(target=_create_and_publish, args=(str(path), wellbeing.canonical)) for _ in range(3)]
    for each in others:
        each.start()
    for each in others:
        each.join(60)
    assert [each.exitcode for each in others] == [0, 0, 0]
    with Store(path) as store:
        assert [each.version for each in store.surveys()] == [1]
        assert store.count(wellbeing) == 3


def test_a_forked_process_leaves_its_parents_connections_alone(store: Store, wellbeing: Survey) -> None:
    store.add(wellbeing, [ROW])
    with store._connections.one() as parents:  # noqa: SLF001 - which connection is used does not show from outside
        pass
    child = os.fork()
    if child == 0:
        done = 1
        try:
            with store._connections.one() as own:  # noqa: SLF001 - as above
                done = 0 if own is not parents and store.add(wellbeing, [OTHER]) == 1 else 1
        finally:
            os._exit(done)
    assert os.waitpid(child, 0)[1] == 0
    assert store.add(wellbeing, [ROW]) == 1
    assert store.count(wellbeing) == 3


ADD_UNTIL_KILLED = """
import json, sys
from pathlib import Path
from collector.design import survey_from_json
from collector.store import Store
store = Store(Path(sys.argv[1]))
survey = survey_from_json(sys.stdin.readline())
while True:
    store.add(survey, [tuple(json.loads(sys.argv[2]))])
    print("stored", flush=True)
"""


def test_what_was_acknowledged_survives_a_kill(store: Store, wellbeing: Survey, path: Path) -> None:
    store.close()
    command = [sys.executable, "-c", ADD_UNTIL_KILLED, str(path), json.dumps(ROW)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:  # type: ignore[call-overload] # noqa: S603 - ours
        process.stdin.write(wellbeing.canonical + "\n")
        process.stdin.flush()
        acknowledged = [process.stdout.readline() for _ in range(20)]
        process.send_signal(signal.SIGKILL)
        acknowledged += process.stdout.readlines()
    with Store(path) as again:
        count = again.count(wellbeing)
        assert len(acknowledged) <= count <= len(acknowledged) + 1
        assert set(again.rows(wellbeing)) == {ROW}
