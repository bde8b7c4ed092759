"""Removing a survey: nothing of it stays in the file, and nothing of any other goes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from collector.errors import StoreError
from collector.maintenance.audit_store import audit_store
from collector.maintenance.backup import back_up, restore
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


def other_coins(survey: Survey, preview: str) -> Survey:
    """A design that responses to the survey cannot be pooled with."""
    return replace(survey, preview=preview)


def test_a_version_without_responses_is_removed_and_the_one_before_it_takes_responses_again(
    store: Store, wellbeing: Survey, path: Path
) -> None:
    mistake = other_coins(wellbeing, "off")
    reworded = replace(mistake, title=Text.of(en="Zanzibar"))
    with Store(path) as server:
        store.publish(mistake)
        store.publish(reworded)
        assert server.receive(wellbeing, Sent(ROW, b"1" * 32)) is Outcome.OUTDATED
        assert server.version_of("wellbeing", reworded.fingerprint)  # as a server that knows it
        store.remove_version("wellbeing", 2)
        assert [each.version for each in server.versions("wellbeing")] == [1]
        assert server.receive(mistake, Sent(ROW, b"2" * 32)) is Outcome.OUTDATED
        assert server.receive(reworded, Sent(ROW, b"3" * 32)) is Outcome.OUTDATED
        assert server.receive(wellbeing, Sent(ROW, b"1" * 32)) is Outcome.STORED
        assert store.rows(wellbeing) == [ROW]
        assert server.states()[0].newest.version == 1
    store.close()
    assert not any(b"Zanzibar" in each for each in bytes_of(path))
    assert [check for check in audit_store(path).checks if not check.green] == []


def test_number_and_fingerprints_of_a_removed_version_are_not_used_again(store: Store, wellbeing: Survey) -> None:
    mistake = other_coins(wellbeing, "off")
    reworded = replace(mistake, title=Text.of(en="Zanzibar"))
    store.publish(mistake)
    store.publish(reworded)
    store.remove_version("wellbeing", 2)
    for each in (mistake, reworded):
        with pytest.raises(StoreError) as refused:
            store.publish(each)
        assert "version 2" in refused.value.problem
    again = store.publish(mistake, new_version=True)
    assert (again.version, again.survey.wave) == (3, wellbeing.wave + 1)
    assert store.published("wellbeing", 3).fingerprint == again.fingerprint
    with pytest.raises(StoreError, match="use one of: 1, 3"):
        store.published("wellbeing", 2)


def test_a_version_in_the_middle_is_removed(store: Store, wellbeing: Survey) -> None:
    middle, newest = other_coins(wellbeing, "off"), replace(other_coins(wellbeing, "off"), title=Text.of(en="New"))
    store.publish(middle)
    store.publish(newest, new_version=True)
    store.remove_version("wellbeing", 2)
    assert [each.version for each in store.versions("wellbeing")] == [1, 3]
    revised = replace(store.published("wellbeing").survey, title=Text.of(en="Newer"))
    assert store.publish(revised).version == 3
    assert store.receive(revised, Sent(ROW, b"1" * 32)) is Outcome.STORED
    assert store.remove("wellbeing") == 1
    assert store.publish(middle).version == 1  # nothing of the survey is left, no number either


def test_a_version_that_has_or_had_responses_stays(store: Store, wellbeing: Survey, path: Path) -> None:
    newer = other_coins(wellbeing, "off")
    with pytest.raises(StoreError, match="only version"):
        store.remove_version("wellbeing", 1)
    store.receive(wellbeing, Sent(ROW, b"1" * 32))
    store.publish(newer)
    before = query(path, "SELECT * FROM surveys")
    with pytest.raises(StoreError, match=r"\(1\)"):
        store.remove_version("wellbeing", 1)
    store.registry.start(newer.fingerprint, {}, 20)
    with pytest.raises(StoreError, match="trained on 20 responses"):
        store.remove_version("wellbeing", 2)
    with pytest.raises(StoreError, match="use one of: 1, 2"):
        store.remove_version("wellbeing", 3)
    assert query(path, "SELECT * FROM surveys") == before


def test_a_backup_keeps_that_a_version_was_removed(store: Store, wellbeing: Survey, path: Path, tmp_path: Path) -> None:
    store.publish(other_coins(wellbeing, "off"))
    store.remove_version("wellbeing", 2)
    back_up(path, tmp_path / "b.backup")
    restore(tmp_path / "b.backup", tmp_path / "again.db")
    with Store(tmp_path / "again.db") as again:
        assert [each.version for each in again.versions("wellbeing")] == [1]
        assert again.next_version("wellbeing") == 3


def test_there_must_be_something_to_remove(store: Store) -> None:
    with pytest.raises(StoreError, match='no survey "nothing"'):
        store.remove("nothing")
