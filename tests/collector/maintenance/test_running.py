"""What is shown of a running survey changes in batches, whose moment tells no time of one response."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.errors import StoreError
from collector.maintenance.running import BATCH, Batches, Counts, Running, counts, state_line, state_of
from collector.store.simulated import Coins
from collector.store.store import Store
from collector.survey.study import Study
from collector.survey.survey import Survey
from store_rows import ROW, bring_in

# How many responses came, or were taken back, between one look and the next.
COMINGS = st.lists(st.one_of(st.integers(-3, 4), st.integers(0, 40)), max_size=80)


def totals_of(comings: list[int]) -> list[int]:
    totals = [0]
    for each in comings:
        totals.append(max(0, totals[-1] + each))
    return totals[1:]


def shown_at(totals: list[int]) -> list[tuple[int, int]]:
    """The looks at which what is shown changed, and what was shown from then on."""
    batches, shown = Batches(), []
    for look, total in enumerate(totals):
        if batches.is_due(total):
            batches.show(total)
            shown.append((look, total))
    return shown


@given(COMINGS)
def test_two_figures_that_are_shown_differ_by_a_batch_at_least(comings: list[int]) -> None:
    shown = [0, *(total for _, total in shown_at(totals_of(comings)))]
    assert all(abs(after - before) >= BATCH for before, after in pairwise(shown))


@given(COMINGS)
def test_a_change_ends_a_window_in_which_a_batch_came(comings: list[int]) -> None:
    """The windows of a scale follow one another whatever comes, so that nothing but their ends can be told."""
    totals = totals_of(comings)
    last = 0
    for look, total in shown_at(totals):
        begins = [look - 2**scale for scale in range(8) if look % 2**scale == 0 and look >= 2**scale]
        before = [totals[begin] for begin in begins] or [0]
        assert look == 0 or any(min(abs(total - each), abs(total - last)) >= BATCH for each in before)
        last = total


@pytest.mark.parametrize("looks", [1, 3, 7, 50, 400])
def test_what_came_is_shown_within_four_times_as_long_as_a_batch_takes(looks: int) -> None:
    """A batch takes so many looks, after nothing came for long; responses come evenly."""
    idle = 1000
    totals = [0] * idle + [BATCH * each // looks for each in range(8 * looks)]
    first = shown_at(totals)[0][0] - idle
    assert first <= 4 * looks


def test_counts_stay_until_a_batch_is_complete(store: Store, wellbeing: Survey) -> None:
    running = Running(store, "wellbeing", counts)
    running.look()
    seen = []
    for coming in (BATCH - 1, 1, 0, BATCH, BATCH - 1, 0):  # 9, 10, 10, 20, 29, 29
        store.add(wellbeing, [ROW] * coming)
        running.look()
        seen.append(running.shown and running.shown.responses)
    assert seen == [None, BATCH, BATCH, 2 * BATCH, 2 * BATCH, 2 * BATCH]
    assert running.shown == Counts(2 * BATCH, store.invitations("wellbeing"))


def test_a_new_version_begins_without_responses(store: Store, wellbeing: Survey) -> None:
    running = Running(store, "wellbeing", counts)
    store.add(wellbeing, [ROW] * BATCH)
    running.look()
    store.publish(replace(wellbeing, target="debt"))
    assert running.shown is not None
    assert running.look().newest.version == 2
    assert running.shown is None


def test_fewer_than_a_batch_are_not_shown_after_many_were_deleted(store: Store, wellbeing: Survey) -> None:
    running, there = Running(store, "wellbeing", counts, lambda *_: there[0]), [15]
    store.add(wellbeing, [ROW] * 15)
    running.look()
    assert running.shown is not None
    there[0] = 3
    running.look()
    assert running.shown is None
    there[0] = 15
    running.look()
    assert running.shown is not None


def test_of_pooled_versions_a_new_one_shows_no_last_few_of_the_one_before(store: Store, wellbeing: Survey) -> None:
    there = [20]
    running = Running(store, "wellbeing", lambda *_: [0] * there[0], lambda *_: there[0], pooled=True)
    running.look()
    assert len(running.shown or ()) == 20
    there[0] = 25
    store.publish(replace(wellbeing, target="debt"))
    running.look()
    assert running.shown is None, "20 were shown, and 25 would tell of five"
    there[0] = 31
    running.look()
    assert len(running.shown or ()) == 31


def test_a_survey_that_was_removed_is_said_to_be(store: Store) -> None:
    running = Running(store, "wellbeing", counts)
    running.look()
    store.remove("wellbeing")
    with pytest.raises(StoreError, match='no survey "wellbeing"'):
        running.look()


STATES = {
    "open": None,
    "open until 2099-01-01 (UTC)": Study(until=date(2099, 1, 1)),
    "open until 2099-01-01 18:00:00 (Europe/Berlin)": Study(
        until=datetime(2099, 1, 1, 18),  # noqa: DTZ001 - in the time zone of the study
        timezone="Europe/Berlin",
    ),
    "closed: its last day, 2001-01-01 (UTC), is over": Study(until=date(2001, 1, 1)),
    "not open yet: it opens 2099-01-01 (UTC)": Study(opens=date(2099, 1, 1)),
    "full: its quota of 1 is reached": Study(quota=1),
    "open, but for year = fourth, third: that quota is reached": Study(
        quotas=(("year", (("fourth", 0), ("third", 0))),)
    ),
}


@pytest.mark.parametrize("line", STATES)
def test_the_state_is_what_the_page_tells_everybody(line: str, store: Store, wellbeing: Survey) -> None:
    survey = replace(wellbeing, study=STATES[line])
    store.publish(survey)
    store.add(survey, [ROW])
    state = state_of(store, "wellbeing")
    assert state_line(state) == line
    assert state.is_open == line.startswith("open")


def test_the_state_says_closed_and_simulated(store: Store) -> None:
    store.close_survey("wellbeing")
    assert state_line(state_of(store, "wellbeing")) == "closed"
    store.open_survey("wellbeing")
    bring_in(store, store.published("wellbeing"), [ROW], simulated=Coins.SEEDED, again=False, mix=False)
    assert "simulated" in state_line(state_of(store, "wellbeing"))


def test_the_state_says_that_a_survey_cannot_be_opened_again(store: Store, wellbeing: Survey) -> None:
    store.publish(replace(wellbeing, study=Study(until=date(2001, 1, 1))))
    store.close_survey("wellbeing", for_good=True)
    store.close_survey("wellbeing")
    assert state_line(state_of(store, "wellbeing")).startswith("closed for good: ")
    (state,) = store.states()
    assert state.for_good
    with pytest.raises(StoreError, match="closed for good"):
        store.open_survey("wellbeing")
