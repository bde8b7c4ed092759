"""Responses that come in files: what is kept of a file, and simulated ones beside those of respondents."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlite_utils import Database

from collector.errors import StoreError
from collector.store.simulated import Coins, Simulated
from collector.store.store import Outcome, Sent, Store
from collector.survey.survey import Survey
from collector.survey.text import Text
from said import figures
from store_rows import OTHER, ROW, bring_in, query, take_back

FILE = [ROW, OTHER, ROW]
KEPT_SQL = "SELECT fingerprint, hex(digest), responses, times, simulated FROM imports"
RECEIPT = b"r" * 32
UNSEEDED = Coins.UNSEEDED


def test_what_is_kept_of_a_file_is_one_digest_whatever_its_order(
    store: Store, wellbeing: Survey, path: Path, tmp_path: Path
) -> None:
    bring_in(store, store.published("wellbeing"), FILE)
    ((fingerprint, digest, *others),) = query(path, KEPT_SQL)
    assert (fingerprint, others) == (wellbeing.fingerprint, [3, 1, None])
    bring_in(store, store.published("wellbeing"), FILE[::-1], again=True)
    assert query(path, KEPT_SQL) == [(fingerprint, digest, 3, 2, None)]
    with Store(tmp_path / "other.db", create=True) as other:
        bring_in(other, other.publish(wellbeing), FILE)
    assert query(tmp_path / "other.db", KEPT_SQL) != [(fingerprint, digest, 3, 1, None)], (
        "it is keyed by the store's key"
    )


def test_nothing_ties_a_response_to_the_file_it_came_in(store: Store, wellbeing: Survey, path: Path) -> None:
    store.add(wellbeing, [ROW])
    bring_in(store, store.published("wellbeing"), [ROW])
    columns = ", ".join([*(question.name for question in wellbeing.questions), "_receipt", "_by_hand"])
    one, other = query(path, f"SELECT {columns} FROM responses_wellbeing_1")  # noqa: S608 - names of ours
    assert one == other


@pytest.mark.parametrize(
    ("imports", "line"),
    [
        ([(FILE, Coins.SEEDED)], "all 3 responses were simulated, with seeded coins"),
        ([(FILE, UNSEEDED)], "all 3 responses were simulated, with unseeded coins"),
        (
            [(FILE, Coins.SEEDED), ([ROW], Coins.UNSEEDED)],
            "all 4 responses were simulated, 3 of them with seeded coins",
        ),
        ([(FILE, None), ([ROW], Coins.SEEDED)], "1 of 4 responses were simulated, with seeded coins"),
    ],
)
def test_the_store_says_what_is_simulated(
    imports: list[tuple[list[tuple[int, ...]], Coins | None]], line: str, store: Store
) -> None:
    published = store.published("wellbeing")
    for rows, simulated in imports:
        bring_in(store, published, rows, simulated=simulated, mix=True)
    found = store.imports.simulated(published)
    assert found is not None
    assert found.line == line


def test_simulated_responses_are_not_imported_beside_others_without_a_word(store: Store, wellbeing: Survey) -> None:
    published = store.published("wellbeing")
    store.receive(wellbeing, Sent(ROW, RECEIPT))
    with pytest.raises(StoreError) as raised:
        bring_in(store, published, FILE, simulated=Coins.SEEDED)
    assert (raised.value.place, figures(raised.value.problem)) == ("file", [1])
    assert "--mix" in raised.value.remedy
    assert store.count(wellbeing) == 1
    assert store.imports.simulated(published) is None
    bring_in(store, published, FILE, simulated=Coins.SEEDED, mix=True)
    assert store.imports.simulated(published) == Simulated(3, 3, 4)


def test_others_are_not_imported_beside_simulated_ones_without_a_word(store: Store, wellbeing: Survey) -> None:
    published = store.published("wellbeing")
    bring_in(store, published, FILE, simulated=Coins.SEEDED)
    with pytest.raises(StoreError) as raised:
        bring_in(store, published, [OTHER])
    assert (raised.value.place, figures(raised.value.problem)) == ("file", [3])
    assert "--undo FILE" in raised.value.remedy
    assert store.count(wellbeing) == 3
    bring_in(store, published, [OTHER], mix=True)
    assert store.imports.simulated(published) == Simulated(3, 3, 4)


def test_a_file_that_lost_its_mark_is_known_all_the_same(store: Store) -> None:
    published = store.published("wellbeing")
    bring_in(store, published, FILE, simulated=Coins.SEEDED)
    with pytest.raises(StoreError, match="imported before, saying with seeded coins"):
        bring_in(store, published, FILE, again=True, mix=True)
    bring_in(store, published, FILE, simulated=Coins.SEEDED, again=True)
    assert store.imports.simulated(published) == Simulated(6, 6, 6)


@pytest.mark.parametrize("invitation", [None, "code"])
def test_a_version_with_simulated_responses_takes_none_until_they_are_taken_back(
    invitation: str | None, store: Store, wellbeing: Survey
) -> None:
    published = store.published("wellbeing")
    (code,) = store.invite("wellbeing", 1) if invitation else (None,)
    bring_in(store, published, FILE, simulated=Coins.UNSEEDED)
    sent = Sent(ROW, RECEIPT, code)
    assert store.receive(wellbeing, sent) is Outcome.CLOSED
    state = store.state("wellbeing")
    assert (state and state.is_open, store.states()) == (False, [state])
    with pytest.raises(StoreError, match="simulated responses"):
        store.open_survey("wellbeing")
    take_back(store, published, FILE)
    assert store.receive(wellbeing, sent) is Outcome.STORED
    assert store.imports.simulated(published) is None


def test_the_next_version_takes_responses_and_simulated_ones_beside_somebodys_do_not_keep_it(
    store: Store, wellbeing: Survey
) -> None:
    store.receive(wellbeing, Sent(ROW, RECEIPT))
    bring_in(store, store.published("wellbeing"), FILE, simulated=Coins.SEEDED, mix=True)
    assert store.withdraw(wellbeing, RECEIPT) is Outcome.WITHDRAWN, "whatever else is in the store"
    second = replace(wellbeing, title=Text.of(en="Second wave"))
    store.publish(second, new_version=True)
    assert store.receive(second, Sent(ROW, b"s" * 32)) is Outcome.STORED
    state = store.state("wellbeing")
    assert (state and state.is_open, store.states()) == (True, [state])


def test_a_file_that_was_imported_before_is_refused_with_both_ways_out(store: Store) -> None:
    bring_in(store, store.published("wellbeing"), FILE)
    with pytest.raises(StoreError) as raised:
        bring_in(store, store.published("wellbeing"), FILE)
    problem = "its 3 responses were imported before, in this order or another"
    remedy = "leave the file out, or they count twice; if they come from other people, give --again"
    assert str(raised.value) == f"file: {problem}; {remedy}"


def test_a_file_that_is_not_remembered_is_not_taken_back(store: Store) -> None:
    with pytest.raises(StoreError) as raised:
        take_back(store, store.published("wellbeing"), FILE)
    remedy = "give the file that was imported, and its --version"
    assert (raised.value.place, raised.value.remedy) == ("file", remedy)
    assert "remembered" in raised.value.problem


def test_a_file_whose_responses_are_gone_is_not_taken_back(store: Store, path: Path) -> None:
    published = store.published("wellbeing")
    bring_in(store, published, FILE)
    with closing(Database(path)) as database:
        database["responses_wellbeing_1"].delete_where()
    with pytest.raises(StoreError) as raised:
        take_back(store, published, FILE)
    remedy = "nothing was changed; restore a backup that has these responses, and take the import back in it"
    assert (raised.value.place, raised.value.remedy) == ("file", remedy)
    assert "no longer in the store" in raised.value.problem


def test_a_store_of_tests_holds_simulated_responses_alone(store: Store, wellbeing: Survey, path: Path) -> None:
    store.imports.are_tests = True
    assert store.imports.simulated(store.published("wellbeing")) is None
    store.add(wellbeing, FILE)
    assert store.imports.simulated(store.published("wellbeing")) == Simulated(3, 0, 3)
    with pytest.raises(StoreError) as raised:
        store.refuse_tests()
    assert raised.value.place == str(path)
    assert "test responses" in raised.value.problem
