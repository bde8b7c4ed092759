"""The register of scheduled training: each run has one result, waits are counted, nothing has a time."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from fractions import Fraction

import pytest

from collector.store.registry import INTERRUPTED, KEPT, PROMOTED, Run
from collector.store.store import Store
from collector.survey.survey import Survey
from store_rows import dealt_rows

DIGEST = "a" * 64


def test_a_run_is_listed_from_its_start_with_what_it_was_told(store: Store, wellbeing: Survey) -> None:
    number = store.registry.start(wellbeing.fingerprint, {"model": "id3"}, 100)
    (run,) = store.registry.runs(wellbeing.fingerprint)
    assert run == Run(number, wellbeing.fingerprint, {"model": "id3"}, 100, "started", {}, None)


def test_what_was_announced_stays_when_the_run_ends(store: Store, wellbeing: Survey) -> None:
    number = store.registry.start(wellbeing.fingerprint, {}, 100)
    store.registry.announce(number, {"accuracy": 0.8}, DIGEST)
    store.registry.end(number, PROMOTED, {"accuracy": 0.8})
    (run,) = store.registry.runs(wellbeing.fingerprint)
    assert (run.result, run.model, run.figures) == ("promoted", DIGEST, {"accuracy": 0.8})


def test_a_result_is_final(store: Store, wellbeing: Survey) -> None:
    number = store.registry.start(wellbeing.fingerprint, {}, 100)
    store.registry.end(number, KEPT, {})
    store.registry.end(number, INTERRUPTED, {"late": True})
    store.registry.announce(number, {}, DIGEST)
    (run,) = store.registry.runs(wellbeing.fingerprint)
    assert (run.result, run.model, run.figures) == ("kept", None, {})


def test_runs_of_other_versions_are_not_listed(store: Store, wellbeing: Survey) -> None:
    store.registry.start("0" * 64, {}, 5)
    assert store.registry.runs(wellbeing.fingerprint) == []


def test_waits_are_counted_in_one_row(store: Store, wellbeing: Survey) -> None:
    assert store.registry.waits(wellbeing.fingerprint) == 0
    for _ in range(3):
        store.registry.wait(wellbeing.fingerprint)
    assert store.registry.waits(wellbeing.fingerprint) == 3
    with closing(sqlite3.connect(store.path)) as connection:
        assert connection.execute("SELECT count(*) FROM waits").fetchone() == (1,)


def test_every_response_is_dealt_to_one_part_and_stays_there(store: Store, wellbeing: Survey) -> None:
    rows = [(year, 1, 3, 2, 0, 1) for year in range(4)] * 50
    store.add(wellbeing, rows)
    learnt, held_out = dealt_rows(store, wellbeing, Fraction(1, 4))
    assert sorted(learnt + held_out) == sorted(rows)
    assert 20 < len(held_out) < 80  # binomial, 200 and 1/4: outside once in 10^6
    store.add(wellbeing, rows)
    again = dealt_rows(store, wellbeing, Fraction(1, 4))
    assert len(again[0]) >= len(learnt)
    assert len(again[1]) >= len(held_out)
    assert dealt_rows(store, wellbeing, Fraction(1, 4)) == again


@pytest.mark.parametrize(("share", "sizes"), [(Fraction(0), (40, 0)), (Fraction(1), (0, 40))])
def test_nothing_and_everything_can_be_held_out(
    store: Store, wellbeing: Survey, share: Fraction, sizes: tuple[int, int]
) -> None:
    store.add(wellbeing, [(0, 1, 3, 2, 0, 1)] * 40)
    learnt, held_out = dealt_rows(store, wellbeing, share)
    assert (len(learnt), len(held_out)) == sizes


def test_a_larger_share_holds_out_the_same_responses_and_more(store: Store, wellbeing: Survey) -> None:
    rows = [(year, cannabis, 3, 2, 0, 1) for year in range(4) for cannabis in range(2)] * 25
    store.add(wellbeing, rows)
    few, many = (dealt_rows(store, wellbeing, Fraction(share))[1] for share in ("1/5", "1/2"))
    kept = list(many)
    for row in few:
        kept.remove(row)
    assert len(few) + len(kept) == len(many)
