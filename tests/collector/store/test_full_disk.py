"""A store on a disk that is full: no response is stored, but people can withdraw, and the survey can be closed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from collector.database.reserve import RESERVE
from collector.errors import DiskFullError
from collector.store.store import Outcome, Sent, Store
from collector.survey.survey import Survey
from store_rows import ROW

ENOUGH = 200  # responses
WITHDRAWN = 20


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of eight megabytes."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "none", str(folder)]
    if subprocess.run(command, check=False, capture_output=True).returncode:  # noqa: S603 - constants
        pytest.skip("this user may not mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)  # noqa: S603, S607 - as above


def fill(folder: Path) -> None:
    """Leave no room on a disk."""
    file = os.open(folder / "other", os.O_CREAT | os.O_WRONLY)
    try:
        while True:
            os.write(file, bytes(4096))
    except OSError:
        os.close(file)


def filled(store: Store, survey: Survey) -> list[bytes]:
    """Publish and fill a store until the disk is full, and return the receipts of what is stored."""
    store.publish(survey)
    store.check_intake()
    receipts = [number.to_bytes(32, "big") for number in range(ENOUGH)]
    assert {store.receive(survey, Sent(ROW, each)) for each in receipts} == {Outcome.STORED}
    fill(Path(store.path).parent)
    for number in count(ENOUGH):
        receipt = number.to_bytes(32, "big")
        try:
            assert store.receive(survey, Sent(ROW, receipt)) is Outcome.STORED
        except DiskFullError:
            break
        receipts.append(receipt)
    return receipts


def withdraw_all(store: Store, survey: Survey, receipts: list[bytes]) -> None:
    """Withdraw all responses, and let others take what room that leaves."""
    for each in receipts:
        assert store.withdraw(survey, each) is Outcome.WITHDRAWN
        fill(Path(store.path).parent)


def test_people_withdraw_and_the_survey_is_closed_on_a_full_disk(small_disk: Path, wellbeing: Survey) -> None:
    with Store(small_disk / "deniable.db", create=True) as store:
        receipts = filled(store, wellbeing)
        withdraw_all(store, wellbeing, receipts[:WITHDRAWN])
        store.close_survey("wellbeing")
        assert store.receive(wellbeing, Sent(ROW, b"n" * 32)) is Outcome.CLOSED
        assert store.count(wellbeing) == len(receipts) - WITHDRAWN


def test_a_store_is_opened_and_closed_to_responses_on_a_full_disk(small_disk: Path, wellbeing: Survey) -> None:
    with Store(small_disk / "deniable.db", create=True) as store:
        filled(store, wellbeing)
    fill(small_disk)
    with Store(small_disk / "deniable.db") as again:
        again.close_survey("wellbeing")
        state = again.state("wellbeing")
        assert state is not None
        assert state.is_closed


def test_the_room_is_kept_again_once_there_is_some(small_disk: Path, wellbeing: Survey) -> None:
    kept = small_disk / "deniable.db-reserve"
    with Store(small_disk / "deniable.db", create=True) as store:
        receipts = filled(store, wellbeing)
        assert store.withdraw(wellbeing, receipts[0]) is Outcome.WITHDRAWN
        assert kept.stat().st_size < RESERVE
        (small_disk / "other").unlink()
        store.tidy()
    assert (kept.stat().st_size, kept.stat().st_mode & 0o777) == (RESERVE, 0o600)


def test_without_any_room_left_a_withdrawal_is_refused_and_said_to_be(small_disk: Path, wellbeing: Survey) -> None:
    with Store(small_disk / "deniable.db", create=True) as store:
        receipts = filled(store, wellbeing)
        os.truncate(small_disk / "deniable.db-reserve", 0)
        fill(small_disk)
        with pytest.raises(DiskFullError):
            withdraw_all(store, wellbeing, receipts)
