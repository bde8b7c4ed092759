"""The study card: what the survey file says of it comes back from the published design, and nothing else is taken."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from collector.errors import SurveyError
from collector.survey.design import survey_from_json
from collector.survey.study import Study, read_study, study_from_design
from collector.survey.survey import Survey
from collector.survey.text import Text


def test_the_card_of_the_example_is_what_its_file_says(wellbeing: Survey) -> None:
    study = wellbeing.study
    assert study is not None
    assert study.minutes == 3
    assert study.until == date(2099, 12, 31)
    assert study.contact == Text.of(en="wellbeing@university.example")
    assert [key for key, _ in study.texts()] == ["who", "why", "contact", "ethics"]


def test_a_card_comes_back_from_the_design_the_same(wellbeing: Survey, bilingual: Survey) -> None:
    for survey in (wellbeing, bilingual):
        assert survey_from_json(survey.canonical).study == survey.study


def test_every_line_of_a_card_may_be_absent() -> None:
    assert read_study({}, ["en"]) == Study()
    assert read_study(None, ["en"]) is None
    assert study_from_design(Study().design) == Study()


@pytest.mark.parametrize(
    ("moment", "over"),
    [
        (datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC), False),
        (datetime(2027, 1, 1, tzinfo=UTC), True),
        (datetime(2027, 1, 1, 1, tzinfo=timezone(timedelta(hours=2))), False),  # midnight is past in Helsinki only
        (datetime(2026, 12, 31, 20, tzinfo=timezone(timedelta(hours=-6))), True),  # still the evening before in Chicago
    ],
)
def test_the_last_day_ends_in_utc(moment: datetime, *, over: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("collector.survey.study.time", moment.timestamp)
    assert Study(until=date(2026, 12, 31)).is_over is over


@pytest.mark.parametrize("until", [None, date.max])
def test_a_survey_without_a_last_day_or_with_the_last_of_all_is_not_over(until: date | None) -> None:
    assert not Study(until=until).is_over


def test_a_limit_of_responses_stands_in_the_design_only_where_there_is_one() -> None:
    assert "per_address" not in Study().design
    study = Study(per_address=30)
    assert study_from_design(study.design) == study == read_study({"per_address": 30}, ["en"])
    for limit in (0, 10**6 + 1):
        with pytest.raises(SurveyError, match="study, per_address: it is not 1 to 1000000; give responses in an hour"):
            Study(per_address=limit)


@pytest.mark.parametrize("minutes", [-1, 0, 601])
def test_a_length_that_nobody_means_is_refused(minutes: int) -> None:
    with pytest.raises(SurveyError, match="study, minutes: it is not 1 to 600; give whole minutes"):
        Study(minutes=minutes)
