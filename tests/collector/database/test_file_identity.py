"""A store that is removed, moved or replaced while a server has it open: nothing is acknowledged that is lost."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from collector.database.file_identity import Identity
from collector.errors import StoreError
from collector.store.store import Outcome, Sent, Store
from collector.survey.survey import Survey
from store_rows import OTHER, ROW


def remove(path: Path) -> None:
    for each in path.parent.glob("deniable.db*"):
        each.unlink()


def move_away(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))


def replace(path: Path) -> None:
    shutil.copy(path, path.with_name("older.db"))
    path.with_name("older.db").replace(path)


def remove_log(path: Path) -> None:
    path.with_name("deniable.db-wal").unlink()


def replace_log(path: Path) -> None:
    log = path.with_name("deniable.db-wal")
    shutil.copy(log, path.with_name("copy"))
    path.with_name("copy").replace(log)


TAKEN = [remove, move_away, replace, remove_log, replace_log]
LINE = "removed or replaced after it was opened; stop the programs that use it"


@pytest.mark.parametrize("take", TAKEN, ids=lambda each: each.__name__)
def test_a_store_that_is_taken_away_acknowledges_nothing(
    take: Callable[[Path], None], store: Store, wellbeing: Survey, path: Path
) -> None:
    assert store.receive(wellbeing, Sent(ROW, b"r" * 32)) is Outcome.STORED
    take(path)
    for act in (
        lambda: store.receive(wellbeing, Sent(OTHER, b"s" * 32)),
        lambda: store.withdraw(wellbeing, b"r" * 32),
        lambda: store.add(wellbeing, [ROW]),
        lambda: store.close_survey("wellbeing"),
        store.tidy,
    ):
        with pytest.raises(StoreError, match=LINE):
            act()


def test_a_log_that_is_removed_before_anything_was_stored_is_missed(
    store: Store, wellbeing: Survey, path: Path
) -> None:
    store.close()
    with Store(path) as again:
        remove_log(path)
        with pytest.raises(StoreError, match=LINE):
            again.receive(wellbeing, Sent(ROW, None))


def test_a_store_that_is_taken_away_while_it_stores_acknowledges_nothing(
    store: Store, wellbeing: Survey, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store.receive(wellbeing, Sent(ROW, b"r" * 32)) is Outcome.STORED
    check = Identity.check
    monkeypatch.setattr(Identity, "check", lambda self: (remove(path), check(self)))
    with pytest.raises(StoreError, match=LINE):
        store.receive(wellbeing, Sent(OTHER, b"s" * 32))


def test_a_server_whose_store_is_taken_away_says_so_in_one_line(
    store: Store, wellbeing: Survey, path: Path, client: FlaskClient, caplog: pytest.LogCaptureFixture
) -> None:
    store.count(wellbeing)
    remove(path)
    with caplog.at_level(logging.ERROR):
        answers = [client.get("/s/wellbeing") for _ in range(5)]
    assert {each.status_code for each in answers} == {HTTPStatus.SERVICE_UNAVAILABLE}
    (record,) = caplog.records
    assert record.getMessage().startswith(f"{path}: the file was {LINE}")
