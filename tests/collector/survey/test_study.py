"""The study card: what the survey file says of it comes back from the published design, and nothing else is taken."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from collector.errors import SurveyError
from collector.survey.design import survey_from_json
from collector.survey.study import Study, read_study, study_from_design
from collector.survey.survey import Survey
from collector.survey.text import Text
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import survey_text


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
        with pytest.raises(SurveyError, match=r"study, per_address: .* 1 to 1000000"):
            Study(per_address=limit)


@pytest.mark.parametrize("minutes", [-1, 0, 601])
def test_a_length_that_nobody_means_is_refused(minutes: int) -> None:
    with pytest.raises(SurveyError, match=r"study, minutes: .* 1 to 600"):
        Study(minutes=minutes)


def at_instant(year: int, month: int, day: int, hour: int) -> float:
    return datetime(year, month, day, hour, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("table", "start", "end"),
    [
        ({"opens": date(2026, 7, 1)}, at_instant(2026, 7, 1, 0), None),
        ({"opens": date(2026, 7, 1), "timezone": "Europe/Berlin"}, at_instant(2026, 6, 30, 22), None),
        ({"until": date(2026, 12, 31), "timezone": "America/Chicago"}, None, at_instant(2027, 1, 1, 6)),
        ({"until": date(2026, 3, 29), "timezone": "Europe/Berlin"}, None, at_instant(2026, 3, 29, 22)),  # 23 hours long
        ({"until": datetime(2026, 7, 1, 18), "timezone": "Europe/Berlin"}, None, at_instant(2026, 7, 1, 16)),  # noqa: DTZ001 - as TOML reads it
        ({"until": datetime(2026, 7, 1, 18, tzinfo=timezone(timedelta(hours=-6)))}, None, at_instant(2026, 7, 2, 0)),
    ],
)
def test_days_and_moments_are_those_of_their_time_zone(
    table: dict[str, object], start: float | None, end: float | None
) -> None:
    study = read_study(table, ["en"])
    assert study is not None
    assert (study.start, study.end) == (start, end)
    assert study_from_design(study.design) == study


REFUSED: list[tuple[dict[str, object], str]] = [
    ({"until": datetime(2026, 7, 1, 18)}, "study, until: the time has no time zone; add timezone"),  # noqa: DTZ001
    ({"until": "soon"}, "study, until: the value is neither a day nor a time"),
    ({"timezone": "Mars/Olympus", "until": date(2026, 1, 1)}, "study, timezone: there is no such time zone"),
    (
        {"opens": date(2026, 1, 2), "until": date(2026, 1, 1)},
        "study, opens: the opening time is not before the closing time",
    ),
    ({"quota": 0}, "study, quota: the number is not from 1 to"),
    ({"quotas": {"year": 3}}, "study, quotas, year: the quota is not a table of values and numbers"),
    ({"quotas": {"year": {"first": -1}}}, "study, quotas, year: the value is not a number of responses"),
    ({"redirect": "http://panel.example/"}, "study, redirect: the address does not begin with https://"),
    ({"redirect": "https://panel.example/ x"}, "study, redirect: the address does not begin"),
    ({"redirect": "javascript:alert(1)"}, "study, redirect: the address does not begin"),
    ({"consent": "a\x07b"}, "study, consent: the text has U+0007 (without a name), which cannot be displayed"),
    ({"who": "two\nlines"}, "study, who: the text has U+000A (without a name), which cannot be displayed"),
    ({"code": ""}, "study, code: the text is empty"),
]


@pytest.mark.parametrize(("table", "line"), REFUSED, ids=[line for _, line in REFUSED])
def test_what_is_wrong_with_a_study_is_told(table: dict[str, object], line: str) -> None:
    with pytest.raises(SurveyError) as raised:
        read_study(table, ["en"])
    assert str(raised.value).startswith(line)


def test_paragraphs_are_parted_by_empty_lines_and_fall_back_to_the_first_language() -> None:
    text = Text.of(de="Eins.\n\nZwei\nauf zwei Zeilen.\n", en="One.")
    text.check("study, consent", paragraphs=True)
    assert text.paragraphs("de") == ["Eins.", "Zwei\nauf zwei Zeilen."]
    assert text.paragraphs("fr") == text.paragraphs("de")


@pytest.mark.parametrize(
    ("quotas", "line"),
    [
        ({"cannabis": {"yes": 3}}, "study, quotas, cannabis: it is not a question that is sent as it is"),
        ({"nothing": {"yes": 3}}, "study, quotas, nothing: it is not a question that is sent as it is"),
        ({"year": {"fifth": 3}}, 'study, quotas, year: "fifth" is no value of the question'),
    ],
)
def test_a_quota_counts_nothing_of_a_disguised_answer(quotas: dict[str, object], line: str, wellbeing: Survey) -> None:
    with pytest.raises(SurveyError) as raised:
        replace(wellbeing, study=read_study({"quotas": quotas}, ["en"]))
    assert str(raised.value).startswith(line)


def test_a_study_with_all_keys_is_written_as_a_survey_file_that_reads_the_same(wellbeing: Survey) -> None:
    table: dict[str, object] = {
        "opens": date(2026, 1, 1),
        "until": datetime(2026, 7, 1, 18),  # noqa: DTZ001 - as TOML reads it
        "timezone": "Europe/Berlin",
        "quota": 9,
        "quotas": {"year": {"first": 3, "second": 0}},
        "code": "C1",
        "no_exit": "A kiosk.",
        "accent": "#1a6b52",
        "font": "serif",
        "redirect": "https://panel.example/done?c=1",
        "thanks": "T",
        "privacy": "P",
        "consent": "A.\n\nB.",
    }
    survey = replace(wellbeing, study=read_study(table, ["en"]))
    assert parse_survey(survey_text(survey, "again")).fingerprint == survey.fingerprint


def read(**table: object) -> None:
    read_study({"timezone": "Europe/Berlin"} | table, ["en"])


@pytest.mark.parametrize(
    ("moment", "line"),
    [
        (
            datetime(2026, 10, 25, 2, 30),  # noqa: DTZ001 - as TOML reads it
            (
                "study, until: 2026-10-25T02:30:00 comes twice, because the clocks go back in Europe/Berlin; "
                "write 2026-10-25T02:30:00+02:00 or 2026-10-25T02:30:00+01:00"
            ),
        ),
        (
            datetime(2026, 3, 29, 2, 30),  # noqa: DTZ001 - likewise
            (
                "study, until: 2026-03-29T02:30:00 never comes, because the clocks go forward in Europe/Berlin; "
                "write 2026-03-29T01:30:00+01:00 or 2026-03-29T03:30:00+02:00"
            ),
        ),
    ],
)
def test_a_moment_that_clocks_skip_or_show_twice_is_refused_with_both_readings(moment: datetime, line: str) -> None:
    with pytest.raises(SurveyError) as raised:
        read(until=moment)
    assert str(raised.value) == line
    read(until=moment.replace(tzinfo=UTC))
    read(until=moment.replace(hour=5))


@pytest.mark.parametrize("zone", ["localtime", "Factory", "posixrules"])
def test_a_zone_that_is_no_place_is_refused(zone: str) -> None:
    with pytest.raises(SurveyError, match="study, timezone: "):
        read(timezone=zone, until=date(2026, 12, 31))
