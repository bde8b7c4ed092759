"""Quotas, and a survey that is not open yet: what is taken, refused, and counted."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from collector.store.quota import Quota
from collector.store.store import Outcome, Sent, Store
from collector.survey.study import Study
from collector.survey.survey import Survey
from collector.survey.text import Text
from store_rows import ROW


def sent(number: int, year: int = 0) -> Sent:
    return Sent((year, *ROW[1:]), number.to_bytes(32, "big"))


def publish(store: Store, survey: Survey, **study: object) -> Survey:
    with_study = replace(survey, study=Study(**study))  # type: ignore[arg-type]
    store.publish(with_study)
    return with_study


def test_a_quota_on_all_responses_is_kept_whichever_wording_was_answered(store: Store, wellbeing: Survey) -> None:
    store.receive(wellbeing, sent(1))
    survey = publish(store, wellbeing, quota=2)
    assert store.receive(wellbeing, sent(2)) is Outcome.STORED
    assert store.receive(wellbeing, sent(3)) is Outcome.FULL
    assert store.receive(survey, sent(3)) is Outcome.FULL
    assert store.receive(survey, sent(2)) is Outcome.REPEATED, "what is stored is acknowledged"
    assert store.count(survey) == 2
    (state,) = store.states()
    assert (state.is_open, state.is_full) == (False, True)
    assert store.withdraw(survey, sent(1).receipt or b"") is Outcome.WITHDRAWN
    assert store.receive(survey, sent(4)) is Outcome.STORED, "a place became free"


def test_a_quota_of_a_value_turns_away_that_value_alone(store: Store, wellbeing: Survey) -> None:
    survey = publish(store, wellbeing, quotas=(("year", (("first", 1), ("second", 2))),))
    assert [store.receive(survey, sent(number)) for number in (1, 2)] == [Outcome.STORED, Outcome.FULL]
    assert [store.receive(survey, sent(number, 1)) for number in (3, 4, 5)] == [
        Outcome.STORED,
        Outcome.STORED,
        Outcome.FULL,
    ]
    assert store.receive(survey, sent(6, 2)) is Outcome.STORED
    (state,) = store.states()
    assert state.is_open
    assert state.quota.full_values(survey) == {"year": ["first", "second"]}


def test_a_quota_counts_the_question_that_it_names_wherever_it_stands(store: Store, wellbeing: Survey) -> None:
    turned = replace(wellbeing, name="turned", questions=(*wellbeing.questions[1:], wellbeing.questions[0]))
    survey = publish(store, turned, quota=5, quotas=(("year", (("second", 2), ("first", 1))),))
    for number, year in enumerate((0, 1, 0, 2)):
        store.receive(survey, Sent((*ROW[1:], year), number.to_bytes(32, "big")))
    assert store.states()[0].quota == Quota(2, {(5, 1): 1, (5, 0): 0})


def test_a_survey_without_a_quota_has_no_end(store: Store, wellbeing: Survey) -> None:
    survey = publish(store, wellbeing, why=Text.of(en="To know."))
    store.receive(survey, sent(1))
    assert [each.quota for each in store.states()] == [Quota(None, {})]


def test_whether_a_response_is_turned_away_does_not_depend_on_disguised_codes(store: Store, wellbeing: Survey) -> None:
    survey = publish(store, wellbeing, quotas=(("year", (("first", 0),)),))
    for number, codes in enumerate([(0, 0, 0, 0, 0, 0), (0, 1, 3, 2, 1, 1)]):
        assert store.receive(survey, Sent(codes, number.to_bytes(32, "big"))) is Outcome.FULL
        assert store.receive(survey, Sent((1, *codes[1:]), number.to_bytes(32, "big"))) is Outcome.STORED


def test_senders_that_come_together_do_not_overrun_a_quota(store: Store, wellbeing: Survey) -> None:
    from test_reception import received_together  # noqa: PLC0415 - its neighbour's helper

    survey = publish(store, wellbeing, quota=3)
    outcomes = received_together(store, [(survey, sent(number)) for number in range(6)])
    assert sorted(outcomes) == ["FULL"] * 3 + ["STORED"] * 3


def test_an_older_version_is_outdated_even_if_the_newest_counts_a_question_that_it_has_not(
    store: Store, wellbeing: Survey
) -> None:
    first, *rest = wellbeing.questions
    newer = replace(wellbeing, questions=(replace(first, name="stage"), *rest))
    publish(store, newer, quotas=(("stage", (("first", 1),)),))
    assert store.receive(wellbeing, sent(1)) is Outcome.OUTDATED


def test_nothing_is_taken_before_a_survey_opens(
    store: Store, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = publish(store, wellbeing, opens=date(2050, 1, 1), until=date(2050, 1, 2))
    for moment, outcome in (
        (datetime(2049, 12, 31, 23, 59, 59, tzinfo=UTC), Outcome.EARLY),
        (datetime(2050, 1, 1, tzinfo=UTC), Outcome.STORED),
        (datetime(2050, 1, 3, tzinfo=UTC), Outcome.CLOSED),
    ):
        monkeypatch.setattr("collector.survey.study.time", moment.timestamp)
        assert store.states()[0].is_open is (outcome is Outcome.STORED)
        assert store.receive(survey, sent(moment.day)) is outcome
