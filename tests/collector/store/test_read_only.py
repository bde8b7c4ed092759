"""A store where nothing can be written: what reads works, what writes says so in one line."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from collector.cli import main as collector
from collector.database import read_only
from collector.errors import StoreError
from collector.store.store import Store
from collector.survey.survey import Survey
from miner.cli import main as miner
from respondent.cli import main as respondent
from store_rows import ROW

READ_ONLY = "it is read-only here; make the file and its folder writable\n"
Frozen = Callable[[Path], AbstractContextManager[Path]]


@contextmanager
def by_mount(folder: Path) -> Iterator[Path]:
    """The content of a folder on a mount that is read-only."""
    seen = folder.parent / "mounted"
    seen.mkdir()
    tried = subprocess.run(["mount", "--bind", folder, seen], capture_output=True, text=True, check=False)  # noqa: S603, S607
    if tried.returncode:
        pytest.skip(f"no folder can be mounted here: {tried.stderr.strip()}")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", seen], check=True)  # noqa: S603, S607
        yield seen
    finally:
        subprocess.run(["umount", "--lazy", seen], check=True)  # noqa: S603, S607


@contextmanager
def by_permission(folder: Path) -> Iterator[Path]:
    """A folder without the permission to write in it."""
    folder.chmod(0o500)
    try:
        if os.access(folder, os.W_OK):
            pytest.skip("permissions keep root from nothing")
        yield folder
    finally:
        folder.chmod(0o700)


@pytest.fixture(params=[by_mount, by_permission])
def frozen(request: pytest.FixtureRequest) -> Frozen:
    way: Frozen = request.param
    return way


@pytest.fixture
def folder(tmp_path: Path, wellbeing: Survey) -> Path:
    folder = tmp_path / "kept"
    folder.mkdir()
    with Store(folder / "a.db", create=True) as store:
        store.publish(wellbeing)
        store.add(wellbeing, [ROW] * 60)
        store.tidy()
    return folder


def test_commands_that_read_work(frozen: Frozen, folder: Path, tmp_path: Path) -> None:
    before = {each.name: each.read_bytes() for each in folder.iterdir()}
    with frozen(folder) as seen:
        path = str(seen / "a.db")
        for program, *words in (
            (collector, "list"),
            (collector, "status", "wellbeing"),
            (collector, "export", "wellbeing", "-o", str(tmp_path / "out.csv")),
            (collector, "audit-store"),
            (collector, "backup", str(tmp_path / "backup.db")),
            (miner, "estimate", "wellbeing"),
        ):
            result = CliRunner().invoke(program, [*words, "--store", path])
            assert (result.exit_code, "Traceback" in result.output) == (0, False), (words, result.output)
        assert len((tmp_path / "out.csv").read_text().splitlines()) == 61
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == before


def test_commands_that_write_say_that_the_store_is_read_only(frozen: Frozen, folder: Path, tmp_path: Path) -> None:
    exported = tmp_path / "out.csv"
    words = ["export", "wellbeing", "-o", str(exported), "--store", str(folder / "a.db")]
    assert CliRunner().invoke(collector, words).exit_code == 0
    with frozen(folder) as seen:
        path = str(seen / "a.db")
        for program, *words in (
            (collector, "close", "wellbeing"),
            (collector, "remove", "wellbeing", "--yes"),
            (collector, "tidy"),
            (collector, "import", "wellbeing", str(exported)),
            (respondent, "serve", "--port", "0"),
        ):
            result = CliRunner().invoke(program, [*words, "--store", path])
            assert (result.exit_code, result.output) == (2, f"{path}: {READ_ONLY}"), words


def test_what_is_written_while_a_server_runs_is_read_too(folder: Path, wellbeing: Survey) -> None:
    with Store(folder / "a.db") as store:
        store.add(wellbeing, [ROW] * 3)
        with by_mount(folder) as seen, Store(seen / "a.db") as reading:
            assert reading.count(wellbeing) == 63


def test_a_log_that_cannot_be_read_is_reported(frozen: Frozen, folder: Path, tmp_path: Path, wellbeing: Survey) -> None:
    copy = tmp_path / "copy"
    with Store(folder / "a.db") as store:
        store.add(wellbeing, [ROW] * 3)
        shutil.copytree(folder, copy)
    (copy / "a.db-shm").unlink()
    with frozen(copy) as seen:
        with pytest.raises(StoreError) as raised:
            Store(seen / "a.db")
        problem = "a write-ahead log waits beside it, which cannot be read in a folder that cannot be written"
        assert str(raised.value) == f"{seen / 'a.db'}: {problem}; {read_only.LOG_REMEDY}"
    with Store(copy / "a.db") as store:
        assert store.count(wellbeing) == 63  # the remedy


def test_a_file_that_another_program_writes_meanwhile_is_reported(
    folder: Path, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "a.db"
    with monkeypatch.context() as patch:
        patch.setattr(read_only.os, "access", lambda *_: False)  # a folder that is the other program's
        store = Store(path)
    with store:
        assert store.count(wellbeing) == 60
        with closing(sqlite3.connect(path)) as other:
            other.execute("DELETE FROM pictures")
            other.commit()
        with pytest.raises(StoreError, match="changed the file while"):
            store.count(wellbeing)
