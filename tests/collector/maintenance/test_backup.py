"""Backups: all of a store and its key in one file, written under load; and the same store again out of it."""

from __future__ import annotations

import json
import secrets
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from benchmarks.collecting import backups
from benchmarks.collecting.backups import Backups
from collector.cli import main
from collector.errors import StoreError
from collector.ledger.budget import Charge, Cost
from collector.ledger.ledger import DataSet, Ledger
from collector.maintenance.audit_store import audit_store
from collector.maintenance.backup import back_up, restore
from collector.maintenance.seal import SEAL_BYTES, seal
from collector.store.invitation import pepper_path, read_pepper
from collector.store.store import Outcome, Sent, Store
from collector.survey.survey import Survey
from elsewhere import elsewhere
from store_rows import OTHER, ROW, query

SENT = Sent(ROW, b"r" * 32)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


@pytest.fixture
def target(path: Path) -> Path:
    """Where a backup is to be."""
    folder = path.parent / "backups"
    folder.mkdir()
    return folder / "one.backup"


@pytest.fixture
def again(path: Path) -> Path:
    """Where a store is to be made of it."""
    folder = path.parent / "again"
    folder.mkdir()
    return folder / "deniable.db"


def files(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_copying_the_files_of_a_store_in_use_loses_what_its_log_holds(
    store: Store, wellbeing: Survey, path: Path, again: Path
) -> None:
    store.receive(wellbeing, SENT)
    for each in (path, pepper_path(path)):
        shutil.copy(each, again.parent)
    with pytest.raises(StoreError), Store(again) as copied:
        copied.published("wellbeing")


def test_a_backup_of_a_store_in_use_has_everything_and_is_its_owners_only(
    store: Store, wellbeing: Survey, path: Path, target: Path, again: Path
) -> None:
    store.receive(wellbeing, SENT)
    codes = store.invite("wellbeing", 2)
    store.receive(wellbeing, Sent(OTHER, b"s" * 32, codes[0]))
    told = run("backup", target, "--store", path).stdout
    assert told.startswith(f"{target}: 1 surveys, 2 responses, 2 invitations")
    assert files(target.parent) == ["one.backup"]
    assert target.stat().st_mode & 0o777 == 0o600
    result = run("restore", target, "--store", again)
    assert result.exit_code == 0
    assert "deleted since" in result.stderr
    assert "WARNING" not in result.stderr, "there is no ledger"
    assert files(again.parent) == ["deniable.db", "deniable.db.pepper"]
    assert {each.stat().st_mode & 0o777 for each in again.parent.iterdir()} == {0o600}
    assert read_pepper(again) == read_pepper(path)
    assert audit_store(again).green
    with Store(again) as restored:
        assert sorted(restored.rows(wellbeing)) == sorted([ROW, OTHER])
        assert restored.receive(wellbeing, SENT) is Outcome.REPEATED
        assert restored.receive(wellbeing, Sent(OTHER, b"t" * 32, codes[0])) is Outcome.USED_INVITATION
        assert restored.receive(wellbeing, Sent(OTHER, b"t" * 32, codes[1])) is Outcome.STORED


def test_nothing_of_the_key_is_left_in_the_restored_file(store: Store, path: Path, target: Path, again: Path) -> None:
    assert store.path == path
    back_up(path, target)
    restore(target, again)
    key = read_pepper(path)
    assert key in target.read_bytes()
    assert key not in again.read_bytes()


def test_a_backup_does_not_keep_the_order_of_arrival(
    store: Store, wellbeing: Survey, path: Path, target: Path, again: Path
) -> None:
    for _ in range(60):
        store.receive(wellbeing, Sent(ROW, secrets.token_bytes(32)))
    assert not audit_store(path).green
    back_up(path, target)
    restore(target, again)
    assert audit_store(again).green


def test_a_backup_replaces_an_older_one_and_nothing_else(
    store: Store, wellbeing: Survey, path: Path, target: Path
) -> None:
    assert back_up(path, target).responses == 0
    store.add(wellbeing, [ROW])
    assert back_up(path, target).responses == 1
    for each, text in (
        (path, "the file exists already and is not a backup"),
        (path.parent / "notes", "not a SQLite file"),
    ):
        if each != path:
            each.write_text("notes\n" * 100, encoding="utf-8")
        before = each.read_bytes()
        result = run("backup", each, "--store", path)
        assert result.exit_code == 2
        assert text in result.stderr
        assert each.read_bytes() == before


def test_a_backup_that_is_not_sound_does_not_replace_the_one_before(
    store: Store, wellbeing: Survey, path: Path, target: Path
) -> None:
    back_up(path, target)
    before = target.read_bytes()
    store.add(wellbeing, [ROW])
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE surveys SET design = '{'")
    with pytest.raises(StoreError):
        back_up(path, target)
    assert target.read_bytes() == before
    assert files(target.parent) == ["one.backup"]


def test_a_store_is_never_replaced(store: Store, wellbeing: Survey, path: Path, target: Path, again: Path) -> None:
    back_up(path, target)
    store.receive(wellbeing, SENT)
    remedy = "stop the server and move it away, with the files beside it, or give another --store"
    result = run("restore", target, "--store", path)
    assert (result.exit_code, result.stderr) == (2, f"{path}: the file exists already; {remedy}\n")
    log = again.with_name("deniable.db-wal")
    log.touch()
    assert run("restore", target, "--store", again).stderr == f"{log}: the file exists already; {remedy}\n"
    log.unlink()
    pepper_path(again).write_bytes(b"k" * 32)
    assert "another key" in run("restore", target, "--store", again).stderr
    assert pepper_path(again).read_bytes() == b"k" * 32
    assert files(again.parent) == ["deniable.db.pepper"]
    pepper_path(again).write_bytes(read_pepper(path))
    assert run("restore", target, "--store", again).exit_code == 0


def test_what_is_no_backup_is_told(store: Store, path: Path, again: Path) -> None:
    assert store.path == path
    notes = path.with_name("notes")
    notes.write_text("notes\n" * 100, encoding="utf-8")
    for each, text in (
        (path, "it is a store, not a backup; give the path of a backup (collector backup)"),
        (path.with_name("none"), "there is no such file; give the path of a backup (collector backup)"),
        (notes, "it is not a SQLite file; give the path of a store"),
    ):
        result = run("restore", each, "--store", again)
        assert (result.exit_code, result.stderr) == (2, f"{each}: {text}\n")
    assert files(again.parent) == []


def test_a_backup_is_told_from_a_store(store: Store, path: Path, target: Path) -> None:
    assert store.path == path
    back_up(path, target)
    before = target.read_bytes()
    line = f"{target}: the file is a backup, not a store; restore the backup first (collector restore)\n"
    assert run("list", "--store", target).stderr == line
    assert target.read_bytes() == before


def test_a_damaged_backup_makes_no_store(
    store: Store, wellbeing: Survey, path: Path, target: Path, again: Path
) -> None:
    store.add(wellbeing, [ROW] * 2000)
    back_up(path, target)
    whole = target.read_bytes()
    target.write_bytes(whole[: 5 * 4096] + b"\xff" * (len(whole) - 5 * 4096))
    result = run("restore", target, "--store", again)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"{target}: ")
    assert files(again.parent) == []


def test_no_single_bit_of_a_backup_may_flip(
    store: Store, wellbeing: Survey, path: Path, target: Path, again: Path
) -> None:
    store.publish(replace(wellbeing, name="other"))
    store.add(wellbeing, [ROW, OTHER] * 200)
    back_up(path, target)
    whole, refused = target.read_bytes(), 0
    for number in range(400):
        place = number * (len(whole) - 1) // 399
        changed = bytearray(whole)
        changed[place] ^= 1 << number % 8
        target.write_bytes(changed)
        with pytest.raises(StoreError):
            restore(target, again)
        refused += 1
        assert files(again.parent) == []
    assert refused == 400
    for cut in (1, SEAL_BYTES, len(whole) - 100):
        target.write_bytes(whole[:-cut])
        with pytest.raises(StoreError, match="digest"):
            restore(target, again)
    target.write_bytes(whole)
    assert restore(target, again).responses == 400
    assert files(target.parent) == ["one.backup"], "SQLite leaves nothing beside it"


ALTERED = {
    "a trigger": "CREATE TRIGGER x AFTER INSERT ON responses_wellbeing_1 BEGIN DELETE FROM closed; END",
    "a table": "CREATE TABLE notes (text)",
    "an index": "CREATE INDEX x ON closed (for_good)",
    "a view": "CREATE VIEW notes AS SELECT 1",
    "another design": "UPDATE surveys SET design = replace(design, 'year', 'tear')",
    "a row that does not fit": "INSERT INTO surveys SELECT 'f', 'g', 1, '{}'",
    "a picture": "INSERT INTO pictures VALUES ('a.png', x'00')",
    "no pictures": "DROP TABLE pictures",
}


@pytest.mark.parametrize("what", ALTERED)
def test_a_backup_that_was_altered_is_refused_though_it_was_sealed_again(
    what: str, store: Store, path: Path, target: Path, again: Path
) -> None:
    key = read_pepper(store.path)
    back_up(path, target)
    target.write_bytes(target.read_bytes()[:-SEAL_BYTES])
    with closing(sqlite3.connect(target, isolation_level=None)) as connection:
        connection.execute(ALTERED[what])
    seal(target, key)
    result = run("restore", target, "--store", again)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert result.stderr.startswith(f"{target}: ")
    assert files(again.parent) == []


def test_the_digest_is_printed_when_a_backup_is_written_and_restored(
    store: Store, wellbeing: Survey, path: Path, target: Path, again: Path
) -> None:
    written = json.loads(run("backup", target, "--store", path, "--json").stdout)["digest"]
    assert written == target.read_bytes()[-32:].hex()
    assert json.loads(run("restore", target, "--store", again, "--json").stdout)["digest"] == written
    store.add(wellbeing, [ROW])
    assert back_up(path, target).digest != written


def test_a_restored_store_that_the_audit_does_not_like_is_told(
    store: Store, wellbeing: Survey, path: Path, target: Path, again: Path
) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for number in range(300):
            connection.execute("INSERT INTO responses_wellbeing_1 VALUES (?, 0, 0, 0, 0, 0, 0, NULL, 0)", [number])
    assert store.count(wellbeing) == 300
    back_up(path, target)
    result = run("restore", target, "--store", again)
    assert result.exit_code == 0
    assert "WARNING: not so: the ids of wellbeing_1 " in result.stderr


def test_a_backup_that_is_written_while_32_connections_send_is_restored(
    store: Store, wellbeing: Survey, path: Path, target: Path, again: Path
) -> None:
    def send(_: int) -> Outcome:
        return store.receive(wellbeing, Sent(ROW, secrets.token_bytes(32)))

    with ThreadPoolExecutor(32) as threads:
        sending = [threads.submit(send, number) for number in range(1500)]
        while store.count(wellbeing) < 100:
            sending[-1].cancel()
        kept = back_up(path, target)
        assert {each.result() for each in sending if not each.cancelled()} == {Outcome.STORED}
    assert 100 <= kept.responses <= 1500
    assert restore(target, again).responses == kept.responses
    assert audit_store(again).green


def test_a_backup_of_a_newer_version_is_told(store: Store, path: Path, target: Path, again: Path) -> None:
    assert store.path == path
    back_up(path, target)
    target.write_bytes(target.read_bytes()[:-SEAL_BYTES])
    with closing(sqlite3.connect(target, isolation_level=None)) as connection:
        connection.execute("PRAGMA user_version = 99")
    seal(target, read_pepper(path))
    line = f"{target}: another version of this project made it (format 99); use that version to read it\n"
    assert run("restore", target, "--store", again).stderr == line
    assert files(again.parent) == []


def test_a_restore_that_brings_back_an_older_ledger_warns(path: Path, target: Path, again: Path) -> None:
    with Ledger(path, create=True) as ledger:
        ledger.open(DataSet("patients", Cost(Fraction(1), Fraction(0)), "add/remove", 1))
        back_up(path, target)
        ledger.charge("patients", b"d" * 32, Charge("a tree", Cost(Fraction(1), Fraction(0))))
    result = run("restore", target, "--store", again, "--json")
    assert "WARNING: the ledger" in result.stderr
    assert json.loads(result.stdout)["charges"] == 0
    assert query(again, "SELECT count(*) FROM charges") == [(0,)], "so it must be said"


def test_a_store_without_its_key_is_told(store: Store, path: Path, target: Path) -> None:
    assert store.path == path
    pepper_path(path).unlink()
    line = "restore a backup under another name (collector restore), and copy its key here\n"
    assert run("backup", target, "--store", path).stderr.endswith(line)
    assert files(target.parent) == []


@pytest.mark.slow
def test_what_was_acknowledged_before_a_backup_under_load_is_restored_from_it(tmp_path: Path) -> None:
    found = elsewhere(backups.measure, 1, 300, 700, tmp_path)
    assert (found.before, found.missing, found.torn, found.refused) == (300, 0, 0, 0)
    assert found.during == 700


@pytest.mark.parametrize(
    ("changes", "holds"),
    [({}, True), ({"missing": 1}, False), ({"torn": 1}, False), ({"refused": 1}, False), ({"unfinished": 1}, False)],
)
def test_backups_that_miss_or_tear_something_do_not_hold(changes: dict[str, int], *, holds: bool) -> None:
    sound = {"rounds": 2, "before": 600, "during": 900, "unfinished": 2, "missing": 0, "torn": 0, "refused": 0}
    assert Backups(**(sound | changes)).holds is holds
