"""Removing a survey: nothing of it stays in the file, and nothing of any other goes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from collector.errors import StoreError
from collector.maintenance.audit_store import audit_store
from collector.store.simulated import Coins
from collector.store.store import Outcome, Sent, Store
from collector.survey.survey import Survey
from collector.survey.text import Text
from store_rows import OTHER, ROW, bring_in, query


def bytes_of(path: Path) -> Iterator[bytes]:
    for each in path.parent.glob(f"{path.name}*"):
        yield each.read_bytes()


def test_nothing_of_a_removed_survey_stays(store: Store, wellbeing: Survey, path: Path) -> None:
    doomed = replace(wellbeing, name="doomed", title=Text.of(en="Zanzibar"))
    kept = query(path, "SELECT * FROM surveys")
    for survey in (doomed, replace(doomed, title=Text.of(en="Zanzibar again")), replace(doomed, preview="off")):
        store.publish(survey)
        store.receive(survey, Sent(ROW, survey.fingerprint.encode()[:32]))
    bring_in(store, store.published("doomed", 1), [OTHER, ROW], simulated=Coins.SEEDED, mix=True)
    store.withdraw(doomed, doomed.fingerprint.encode()[:32])
    store.invite("doomed", 3)
    store.registry.wait(doomed.fingerprint)
    store.close_survey("doomed")
    store.receive(wellbeing, Sent(ROW, b"k" * 32))
    assert store.remove("doomed") == 4
    assert query(path, "SELECT * FROM surveys") == kept
    for table in ("revisions", "closed", "invitations", "withdrawn", "imports", "runs", "waits"):
        assert query(path, f"SELECT * FROM {table}") == []  # noqa: S608 - a constant
    assert store.rows(wellbeing) == [ROW]
    assert [each.newest.name for each in store.states()] == ["wellbeing"]
    store.close()
    assert not any(b"doomed" in each or b"Zanzibar" in each for each in bytes_of(path))
    assert [check for check in audit_store(path).checks if not check.green] == []


def test_a_removed_survey_takes_nothing_and_may_be_published_anew(store: Store, wellbeing: Survey, path: Path) -> None:
    with Store(path) as other:
        other.receive(wellbeing, Sent(ROW, b"1" * 32))  # as a server that knows it
        store.remove("wellbeing")
        assert other.receive(wellbeing, Sent(ROW, b"2" * 32)) is Outcome.REMOVED
        assert other.withdraw(wellbeing, b"1" * 32) is Outcome.REMOVED
        assert other.state("wellbeing") is None
        assert store.publish(wellbeing).version == 1
        assert store.rows(wellbeing) == []


def test_there_must_be_something_to_remove(store: Store) -> None:
    with pytest.raises(StoreError, match='no survey "nothing" is published here; use one of: wellbeing'):
        store.remove("nothing")
