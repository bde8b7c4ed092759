"""A store in PostgreSQL: what it keeps, what it refuses, and what it tells of its troubles."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from benchmarks.collecting.postgres_faults import measure
from benchmarks.collecting.postgres_server import PostgresServer, postgres_server
from collector.cli import main as collector
from collector.database.address import Address, read_place
from collector.errors import StoreError
from collector.maintenance.audit_store import audit_store
from collector.store.invitation import KEY_VARIABLE
from collector.store.store import Outcome, Sent, Store
from collector.survey.survey import Survey
from soak import part_of
from store_rows import OTHER, ROW

psycopg = pytest.importorskip("psycopg", reason='PostgreSQL needs psycopg: pip install "deniable[postgres]"')


def query(address: Address, sql: str) -> list[tuple[object, ...]]:
    """What some SQL finds, read past the store."""
    with psycopg.connect(address.url, autocommit=True) as connection:
        cursor = connection.execute(sql)
        return cursor.fetchall() if cursor.description else []


def filled(address: Address, survey: Survey) -> Store:
    store = Store(address, create=True)
    store.publish(survey)
    return store


def run(address: Address, *arguments: str) -> Result:
    return CliRunner().invoke(collector, [*arguments, "--store", address.url])


def test_after_tidying_no_row_says_when_it_came_and_none_is_left_of_those_deleted(
    database: Address, wellbeing: Survey
) -> None:
    with filled(database, wellbeing) as store:
        receipts = [secrets.token_bytes(32) for _ in range(40)]
        for receipt in receipts:
            store.receive(wellbeing, Sent(ROW, receipt))
        for receipt in receipts[:10]:
            store.withdraw(wellbeing, receipt)
        codes = store.invite("wellbeing", 20)
        for code in codes[:7]:
            assert store.receive(wellbeing, Sent(OTHER, secrets.token_bytes(32), code)) is Outcome.STORED
        arrival = query(database, "SELECT count(DISTINCT xmin::text) FROM responses_wellbeing_1")
        assert arrival == [(37,)], "each came in a transaction of its own, whose number tells when"
        store.tidy()
        assert store.count(wellbeing) == 37
    query(database, "CREATE EXTENSION pageinspect")
    for table, key in (("responses_wellbeing_1", "id"), ("invitations", "code"), ("withdrawn", "receipt")):
        found = query(database, f"SELECT {key}, xmin::text FROM {table} ORDER BY ctid")  # noqa: S608 - constants
        assert found == sorted(found), "they lie in the order of their keys"
        assert len({number for _, number in found}) == 1, "one transaction wrote them"
        assert query(database, f"SELECT pg_relation_size('{table}')") == [(8192,)]
        kept = query(database, f"SELECT count(*) FROM heap_page_items(get_raw_page('{table}', 0))")  # noqa: S608 - constants
        assert kept == [(len(found),)], "none that was deleted is left in the page"


def red(address: Address) -> list[str]:
    return [check.what for check in audit_store(address).checks if not check.green]


def test_the_audit_is_green_on_a_tidy_store_and_knows_every_column(database: Address, wellbeing: Survey) -> None:
    with filled(database, wellbeing) as store:
        (code,) = store.invite("wellbeing", 1)
        store.receive(wellbeing, Sent(ROW, secrets.token_bytes(32), code))
        store.tidy()
    found = audit_store(database)
    assert found.green, red(database)
    # what a file has, and the two columns of the table about
    assert len(found.columns) == 9 + 2 + 4 + 2 + 5 + 9 + 9 + 2
    assert not [column for column in found.columns if "NOT KNOWN" in column.holds]
    assert "postgresql" not in str(found)


def test_the_audit_is_red_where_rows_tell_the_order_or_deleted_ones_are_left(
    database: Address, wellbeing: Survey
) -> None:
    receipts = [secrets.token_bytes(32) for _ in range(20)]
    order = "the rows of responses_wellbeing_1 lie in the order"
    with filled(database, wellbeing) as store:
        for receipt in receipts:
            store.receive(wellbeing, Sent(ROW, receipt))
        assert [what.startswith(order) for what in red(database)] == [True]
        store.tidy()
        assert red(database) == []
        store.withdraw(wellbeing, receipts[0])
        query(database, "TRUNCATE withdrawn")
    query(database, "DELETE FROM responses_wellbeing_1 WHERE id = (SELECT min(id) FROM responses_wellbeing_1)")
    assert [what.startswith(order) for what in red(database)] == [True]


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TABLE arrivals (id BIGINT, came TIMESTAMP)",
        "ALTER TABLE responses_wellbeing_1 ADD COLUMN came TIMESTAMP DEFAULT now()",
        "ALTER TABLE responses_wellbeing_1 DROP CONSTRAINT responses_wellbeing_1_cannabis_check",
        (
            "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';"
            "CREATE TRIGGER noted BEFORE INSERT ON responses_wellbeing_1 FOR EACH ROW EXECUTE FUNCTION note()"
        ),
        "CREATE OR REPLACE VIEW wellbeing_1 AS SELECT * FROM wellbeing_1_before",
    ],
    ids=["table", "column", "constraint", "trigger", "view"],
)
def test_the_audit_is_red_where_somebody_changed_the_database(
    database: Address, wellbeing: Survey, change: str
) -> None:
    filled(database, wellbeing).close()
    if "before" in change:
        (columns,) = query(database, "SELECT pg_get_viewdef('wellbeing_1')")
        change = f"DROP VIEW wellbeing_1; CREATE VIEW wellbeing_1 AS {columns[0].rstrip(';')} LIMIT 1"
    query(database, change)
    (problem,) = red(database)
    assert "tables and views" in problem


def test_tidying_waits_for_who_still_sees_deleted_rows_and_says_so(
    database: Address, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("collector.database.postgres.SECONDS", 0.3)
    with filled(database, wellbeing) as store, psycopg.connect(database.url) as reader:
        store.add(wellbeing, [ROW] * 5)
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        assert reader.execute("SELECT count(*) FROM responses_wellbeing_1").fetchone() == (5,)
        with pytest.raises(StoreError, match="keeps rows that were deleted"):
            store.tidy()
        assert reader.execute("SELECT count(*) FROM responses_wellbeing_1").fetchone() == (5,), "it misses none"
        reader.rollback()
        store.tidy()


def test_nothing_that_is_sent_reaches_the_server_s_log_or_its_statistics(
    postgres: PostgresServer, database: Address, wellbeing: Survey
) -> None:
    before = len(postgres.log)
    with filled(database, wellbeing) as store:
        first = Sent(ROW, secrets.token_bytes(32))
        for sent in (first, first, replace(first, codes=OTHER), Sent(ROW, None, "7ZQ4K-00000")):
            store.receive(wellbeing, sent)
        store.add(wellbeing, [ROW] * 300)
        query(database, "ANALYZE")
    assert "ERROR" not in postgres.log[before:]
    assert "responses" not in postgres.log[before:]
    sampled = "SELECT attname FROM pg_stats WHERE schemaname = 'public' AND attname IN ('_receipt', 'code', 'receipt')"
    assert query(database, sampled) == []


@pytest.mark.parametrize(("setting", "value"), [("log_statement", "'all'"), ("log_min_duration_statement", "0")])
def test_a_server_that_writes_down_when_responses_come_is_refused(
    database: Address, wellbeing: Survey, setting: str, value: str
) -> None:
    filled(database, wellbeing).close()
    (name,) = query(database, "SELECT current_database()")
    query(database, f"ALTER DATABASE {name[0]} SET {setting} = {value}")
    with pytest.raises(StoreError, match=rf"\({setting}\); set {setting} = "):
        Store(database)


def test_a_server_that_keeps_the_time_of_each_transaction_is_refused(postgres: PostgresServer) -> None:
    del postgres  # skips where there is none
    with postgres_server("track_commit_timestamp=on") as server:
        address = server.new_database()
        with pytest.raises(StoreError, match=r"\(track_commit_timestamp\)"):
            Store(address, create=True)


def test_a_database_without_a_store_or_with_other_tables_is_refused(database: Address, wellbeing: Survey) -> None:
    with pytest.raises(StoreError, match="no store in this database"):
        Store(database)
    query(database, "CREATE TABLE payroll (wage INTEGER)")
    with pytest.raises(StoreError, match="not those of a store"):
        Store(database, create=True)
    query(database, "DROP TABLE payroll")
    filled(database, wellbeing).close()
    query(database, "UPDATE about SET format = 99")
    with pytest.raises(StoreError, match="another version"):
        Store(database)


def test_a_web_host_with_another_pepper_takes_nothing(
    database: Address, wellbeing: Survey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(database, wellbeing).close()
    other = tmp_path / "other.pepper"
    monkeypatch.setenv(KEY_VARIABLE, str(other))
    with Store(database) as store, pytest.raises(StoreError, match="the pepper cannot be read"):
        store.check_intake()
    other.write_bytes(bytes(32))
    with Store(database) as store, pytest.raises(StoreError, match="pepper"):
        store.receive(wellbeing, Sent(ROW, secrets.token_bytes(32)))


def test_a_name_that_postgresql_would_cut_is_refused(database: Address, wellbeing: Survey) -> None:
    with Store(database, create=True) as store, pytest.raises(StoreError, match="cuts names after 63 characters"):
        store.publish(replace(wellbeing, name="a" * 60))
    with Store(database) as store:
        assert store.surveys() == [], "nothing of it is left"


@pytest.mark.parametrize("name", ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"])
def test_a_question_with_the_name_of_a_column_of_postgresql_is_refused(
    name: str, database: Address, wellbeing: Survey
) -> None:
    year = replace(wellbeing.questions[0], name=name)
    survey = replace(wellbeing, questions=(year, *wellbeing.questions[1:]))
    with Store(database, create=True) as store:
        with pytest.raises(StoreError, match=rf'^question "{name}": PostgreSQL'):
            store.publish(survey)
        assert store.surveys() == [], "nothing of it is left"
        store.publish(wellbeing)


@pytest.mark.parametrize("text", ["postgresql://[secret/db", "postgresql://me:secret@[::1/db", "postgres://a]/secret"])
def test_a_malformed_address_is_told_in_one_line_without_its_words(text: str) -> None:
    with pytest.raises(StoreError, match=r"^store: the database address"):
        read_place(text)
    result = CliRunner().invoke(collector, ["list", "--store", text])
    assert (result.exit_code, result.stderr.count("\n"), "secret" in result.stderr) == (2, 1, False)


@pytest.mark.parametrize("text", ["postgresql://localhost/db?secret", "postgresql://%zz/"])
def test_an_address_that_postgresql_does_not_take_is_told_in_one_line(text: str) -> None:
    result = CliRunner().invoke(collector, ["list", "--store", text])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "the database address" in result.stderr


def test_an_address_is_told_without_its_password(tmp_path: Path) -> None:
    place = read_place(f"postgresql://me:secret@/db?host={tmp_path}&password=secret")
    with pytest.raises(StoreError, match="it cannot be reached") as caught:
        Store(place)
    assert str(caught.value).startswith(f"postgresql://me@/db?host={tmp_path}: ")
    assert "secret" not in str(caught.value)


def test_commands_work_on_a_database_and_those_for_files_name_what_to_do_instead(
    database: Address, root: Path, tmp_path: Path
) -> None:
    published = run(database, "publish", str(root / "examples" / "wellbeing.toml"), "--json")
    assert (published.exit_code, json.loads(published.stdout)["version"]) == (0, 1)
    assert "wellbeing" in run(database, "status", "wellbeing").stdout
    assert run(database, "export", "wellbeing").exit_code == 0
    assert run(database, "tidy").exit_code == 0
    for arguments, remedy in (
        (("backup", str(tmp_path / "backup")), "run pg_dump, and copy the pepper"),
        (("restore", str(tmp_path / "backup")), "run pg_restore, and copy the pepper"),
    ):
        refused = run(database, *arguments)
        assert refused.exit_code == 2
        assert refused.stderr.count("\n") == 1
        assert refused.stderr.rstrip().endswith(remedy)


def test_without_an_address_psycopg_is_neither_needed_nor_imported(tmp_path: Path) -> None:
    code = """if True:
        import sys
        from pathlib import Path
        sys.modules["psycopg"] = None
        from collector.store.store import Store
        from collector.database.address import read_place
        import collector.cli, respondent.server
        Store(Path(sys.argv[1]), create=True).close()
        try:
            Store(read_place("postgresql://localhost/db"))
        except Exception as error:
            print(error)
    """
    command = [sys.executable, "-c", code, str(tmp_path / "deniable.db")]
    found = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - ours
    problem = "a store in PostgreSQL needs the package psycopg"
    assert found.stdout == f'postgresql://localhost/db: {problem}; pip install "deniable[postgres]"\n'


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["kill -9 of the web server", "a restart of PostgreSQL"])
def test_whatever_breaks_nothing_acknowledged_is_lost_or_there_twice(postgres: PostgresServer, fault: str) -> None:
    found = measure(fault, part_of(3000, least=1200), postgres, quick=True)
    assert found.holds, found
