"""The audit of a store: green when it is as it should be, and red for each thing that is not."""

from __future__ import annotations

import json
import secrets
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from collector.cli import main
from collector.maintenance.audit_store import StoreAudit, audit_store
from collector.store.invitation import pepper_path
from collector.store.store import Sent, Store
from collector.survey.survey import Survey

ROW = (0, 1, 3, 2, 0, 1)
RESPONSES = 250


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory, wellbeing: Survey) -> Path:
    """A store that took responses one by one and was tidied."""
    path = tmp_path_factory.mktemp("sound") / "a.db"
    with Store(path, create=True) as store:
        store.publish(wellbeing)
        fill(store, wellbeing, RESPONSES)
        store.tidy()
    return path


@pytest.fixture
def path(sound: Path, tmp_path: Path) -> Path:
    """A copy of it, with its pepper."""
    for each in (sound, pepper_path(sound)):
        shutil.copy(each, tmp_path)
    return tmp_path / sound.name


def fill(store: Store, survey: Survey, count: int) -> None:
    for _ in range(count):
        store.receive(survey, Sent(ROW, secrets.token_bytes(32)))


def red(audit: StoreAudit) -> list[str]:
    return [check.what for check in audit.checks if not check.green]


def test_a_tidy_store_is_green_and_every_column_is_known(path: Path) -> None:
    audit = audit_store(path)
    assert red(audit) == []
    assert audit.green
    # surveys, their revisions and pictures, invitations, what was taken back, imports, register, responses
    assert len(audit.columns) == 9 + 2 + 4 + 2 + 5 + 9 + 9
    assert not [column for column in audit.columns if "NOT KNOWN" in column.holds]
    told = {column.name: column.holds for column in audit.columns if column.table == "responses_wellbeing_1"}
    assert "not disguised" in told["year"]
    assert told["cannabis"] == "a disguised code"


def test_rows_that_came_one_by_one_lie_in_that_order_until_the_store_is_tidied(path: Path, wellbeing: Survey) -> None:
    with Store(path) as store:
        fill(store, wellbeing, 20)
    (order,) = [check for check in audit_store(path).checks if not check.green]
    assert "the order of their ids" in order.what
    assert order.remedy == "run collector tidy"
    with Store(path) as store:
        store.tidy()
    assert audit_store(path).green


def test_invitations_that_were_used_lie_in_order_until_the_store_is_tidied(tmp_path: Path, wellbeing: Survey) -> None:
    with Store(tmp_path / "b.db", create=True) as store:
        store.publish(wellbeing)
        codes = store.invite("wellbeing", 40)
        store.tidy()
        for code in codes[:20]:
            store.receive(wellbeing, Sent(ROW, secrets.token_bytes(32), code))
        store.tidy()
    assert audit_store(tmp_path / "b.db").green


def test_what_was_taken_back_lies_in_order_until_the_store_is_tidied(path: Path, wellbeing: Survey) -> None:
    with Store(path) as store:
        for receipt in (secrets.token_bytes(32) for _ in range(20)):
            store.receive(wellbeing, Sent(ROW, receipt))
            store.withdraw(wellbeing, receipt)
    assert any("the order of their ids or hashes" in line for line in red(audit_store(path)))
    with Store(path) as store:
        store.tidy()
    assert audit_store(path).green


def test_the_log_of_a_store_in_use_is_red(path: Path, wellbeing: Survey) -> None:
    with Store(path) as store:
        store.receive(wellbeing, Sent(ROW, None))
        assert "the write-ahead log is empty" in red(audit_store(path))
        store.tidy()
        assert audit_store(path).green


def execute(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


SPOILT: dict[str, tuple[Callable[[Path], object], str]] = {
    "a file that all may read": (lambda path: path.chmod(0o644), "a.db is its owner's only"),
    "a pepper that all may read": (
        lambda path: (path.parent / "a.db.pepper").chmod(0o640),
        "a.db.pepper is its owner's only",
    ),
    "no pepper": (lambda path: (path.parent / "a.db.pepper").unlink(), "the pepper is beside the store"),
    "a table more": (lambda path: execute(path, "CREATE TABLE visits (at TEXT)"), "there are the tables"),
    "a column more": (
        lambda path: execute(path, "ALTER TABLE responses_wellbeing_1 ADD COLUMN at TEXT"),
        "there are the tables",
    ),
    "a trigger": (
        lambda path: execute(
            path,
            "CREATE TRIGGER t AFTER INSERT ON responses_wellbeing_1 BEGIN UPDATE invitations SET used = 1; END",
        ),
        "there are the tables",
    ),
    "an index in the order of something": (
        lambda path: execute(path, "CREATE INDEX i ON responses_wellbeing_1 (year)"),
        "there are the tables",
    ),
    "free pages": (
        lambda path: execute(path, "PRAGMA secure_delete = OFF", "DELETE FROM responses_wellbeing_1"),
        "there are no free pages",
    ),
    "another journal": (lambda path: execute(path, "PRAGMA journal_mode = DELETE"), "the journal is a write-ahead log"),
    "ids that count up": (
        lambda path: execute(
            path,
            "DELETE FROM responses_wellbeing_1",
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT 300)"
            "INSERT INTO responses_wellbeing_1 SELECT n, 0, 0, 0, 0, 0, 0, NULL, 0 FROM n",
            "VACUUM",
        ),
        "the ids of wellbeing_1 are spread",
    ),
    "a code of nobody": (
        lambda path: execute(
            path, "PRAGMA ignore_check_constraints = ON", "UPDATE responses_wellbeing_1 SET year = 9", "VACUUM"
        ),
        "every row fits its table",
    ),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_spoilt_store_is_red(how: str, path: Path) -> None:
    spoil, what = SPOILT[how]
    spoil(path)
    found = red(audit_store(path))
    assert [each for each in found if each.startswith(what)], found


def test_an_unknown_column_is_named(path: Path) -> None:
    execute(path, "CREATE TABLE visits (at TEXT)")
    unknown = [column for column in audit_store(path).columns if "NOT KNOWN" in column.holds]
    assert [(column.table, column.name) for column in unknown] == [("visits", "at")]


def test_the_command_exits_with_1_when_red(path: Path) -> None:
    result = CliRunner().invoke(main, ["audit-store", "--store", str(path)])
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-1] == "green"
    path.chmod(0o644)
    result = CliRunner().invoke(main, ["audit-store", "--store", str(path)])
    assert result.exit_code == 1
    assert "mode 644; run chmod 600 a.db\n" in result.stdout
    as_json = json.loads(CliRunner().invoke(main, ["audit-store", "--store", str(path), "--json"]).stdout)
    assert as_json["green"] is False
    assert [check["found"] for check in as_json["checks"] if not check["green"]] == ["mode 644"]
