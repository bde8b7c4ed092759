"""Revisions: a change of wording leaves a version as it is, open pages go on, and responses pool."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from sqlite_utils import Database

from collector.database.connections import RESTORE
from collector.errors import StoreError, SurveyError
from collector.maintenance.audit_store import audit_store
from collector.store.store import Outcome, Sent, Store
from collector.survey.design import survey_from_json
from collector.survey.revision import changed_wording, coded_part
from collector.survey.study import Study
from collector.survey.survey import Survey
from collector.survey.text import Text
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import survey_text
from kind_surveys import EVERY_KIND
from store_rows import OTHER, ROW


def retitled(survey: Survey, title: str) -> Survey:
    return replace(survey, title=Text.of(en=title))


def with_first(survey: Survey, **changes: object) -> Survey:
    first, *rest = survey.questions
    return replace(survey, questions=(replace(first, **changes), *rest))  # type: ignore[arg-type]


WORDINGS: dict[str, Callable[[Survey], Survey]] = {
    "title": lambda survey: retitled(survey, "How are you?"),
    "study": lambda survey: replace(survey, study=Study(until=date(2098, 1, 1))),
    "languages": lambda survey: replace(
        survey,
        title=Text.of(en="T", de="T"),
        languages=("en", "de"),
        study=None,
        questions=tuple(replace(each, label=Text.of(en="L", de="L"), hint=None, shown=()) for each in survey.questions),
    ),
    "label": lambda survey: with_first(survey, label=Text.of(en="In which year are you?")),
    "hint": lambda survey: with_first(survey, hint=Text.of(en="The one you are registered for.")),
    "words": lambda survey: with_first(
        survey, shown=tuple(Text.of(en=f"the {value}") for value in survey.questions[0].values)
    ),
}


@pytest.mark.parametrize("what", WORDINGS)
def test_a_change_of_wording_is_a_revision_and_pages_that_are_open_go_on(
    what: str, store: Store, wellbeing: Survey
) -> None:
    revised = WORDINGS[what](wellbeing)
    store.receive(wellbeing, Sent(ROW, b"1" * 32))
    published = store.publish(revised)
    assert (published.version, published.fingerprint, published.survey) == (1, wellbeing.fingerprint, revised)
    state = store.state("wellbeing")
    assert state is not None
    assert state.newest.survey == revised, "what respondents are shown"
    assert store.receive(wellbeing, Sent(ROW, b"2" * 32)) is Outcome.STORED, "from a page that was open"
    assert store.receive(revised, Sent(OTHER, b"3" * 32)) is Outcome.STORED
    assert sorted(store.rows(wellbeing)) == sorted(store.rows(revised)) == sorted([ROW, ROW, OTHER])
    assert store.published("wellbeing").survey == wellbeing, "models name the first wording"
    assert store.withdraw(revised, b"2" * 32) is Outcome.WITHDRAWN


CODED: dict[str, Callable[[Survey], Survey]] = {
    "the preview": lambda survey: replace(survey, preview="off"),
    "a unit": lambda survey: replace(
        survey,
        questions=tuple(replace(each, unit="GBP") if each.unit else each for each in survey.questions),
    ),
    "a value": lambda survey: with_first(survey, values=("1st", "second", "third", "fourth")),
}


@pytest.mark.parametrize("what", CODED)
def test_a_change_of_anything_else_is_a_version_that_does_not_pool(what: str, store: Store, wellbeing: Survey) -> None:
    other = CODED[what](wellbeing)
    store.receive(wellbeing, Sent(ROW, b"1" * 32))
    assert store.publish(other).version == 2
    assert store.receive(wellbeing, Sent(ROW, b"2" * 32)) is Outcome.OUTDATED
    assert store.rows(other) == []


def test_a_wording_that_is_published_again_is_shown_again(store: Store, wellbeing: Survey) -> None:
    revised = retitled(wellbeing, "B")
    store.publish(revised)
    store.publish(revised)
    assert store.revisions(store.published("wellbeing")) == [wellbeing, revised]
    store.publish(wellbeing)
    assert store.revisions(store.published("wellbeing"))[-1] == wellbeing
    store.publish(revised)
    assert [each.title["en"] for each in store.revisions(store.published("wellbeing"))][-1] == "B"
    assert [each.version for each in store.surveys()] == [1]


def test_a_wave_of_new_wording_alone_is_a_version_where_that_is_said(store: Store, wellbeing: Survey) -> None:
    store.receive(wellbeing, Sent(ROW, b"1" * 32))
    wave = retitled(wellbeing, "Second wave")
    assert store.publish(wave, new_version=True).version == 2
    assert store.rows(wave) == []
    assert store.receive(wellbeing, Sent(ROW, b"2" * 32)) is Outcome.OUTDATED
    assert store.publish(retitled(wellbeing, "Third")).version == 2, "a revision of the newest"


def test_a_new_wording_opens_nothing_that_was_closed_for_good(store: Store, wellbeing: Survey) -> None:
    store.close_survey("wellbeing", for_good=True)
    with pytest.raises(StoreError, match="closed for good"):
        store.publish(retitled(wellbeing, "B"))
    assert store.publish(wellbeing).version == 1, "which changes nothing"


def test_what_the_stored_rows_hold_does_not_tell_the_wording(store: Store, wellbeing: Survey, path: Path) -> None:
    revised = retitled(wellbeing, "B")
    store.publish(revised)
    for number, survey in enumerate([wellbeing, revised]):
        store.receive(survey, Sent(ROW, bytes([number]) * 32))
    with closing(Database(path)) as database:
        names = {column.name for column in database["responses_wellbeing_1"].columns}
        assert names == {"id", *(each.name for each in wellbeing.questions), "_receipt", "_by_hand"}
        assert database["revisions"].count == 1
    store.tidy()
    assert all(check.green for check in audit_store(path).checks)


def test_a_revision_that_was_tampered_with_is_told(store: Store, wellbeing: Survey, path: Path) -> None:
    revised = retitled(wellbeing, "B")
    store.publish(revised)
    with closing(Database(path)) as database, database.conn:
        database.execute("UPDATE revisions SET design = replace(design, '\"B\"', '\"C\"')")
    with Store(path) as other, pytest.raises(StoreError, match="fingerprint"):
        other.states()


def test_a_revision_that_is_coded_otherwise_than_its_version_is_told(
    store: Store, wellbeing: Survey, path: Path
) -> None:
    store.publish(retitled(wellbeing, "B"))
    other = replace(wellbeing, target="year")
    with closing(Database(path)) as database, database.conn:
        database.execute("UPDATE revisions SET design = ?, fingerprint = ?", [other.canonical, other.fingerprint])
    problem = "the revision does not belong to the version that it names"
    line = f"{path}: revision {other.fingerprint[:16]}: {problem}; {RESTORE}"
    with Store(path) as again, pytest.raises(StoreError) as raised:
        again.states()
    assert str(raised.value) == line


def test_a_survey_that_is_removed_while_its_state_is_read_is_told(store: Store, path: Path) -> None:
    with store._connections.reading() as database, pytest.raises(StoreError) as raised:  # noqa: SLF001 - between two queries
        store._state(database, "wellbeing", 1, "gone", "gone", 0, 0)  # noqa: SLF001 - likewise
    assert str(raised.value).startswith(f"{path}: the store lacks the design")
    assert str(raised.value).endswith(RESTORE)


@pytest.mark.parametrize(
    ("old", "new", "version"),
    [
        ('en = "At school"', 'en = "School"', 1),
        ('en = "None of these"', 'en = "None"', 1),
        ('en = "Marks"', 'en = "Good marks"', 1),
        ('en = "How were you bullied?"', 'en = "How did they do it?"', 1),
        ('section = { en = "At school", ar = "في المدرسة" }', "", 1),
        ('ask_if = "bullied = yes"', "", 2),
        ("most = 2", "", 2),
        ("maximum = 100000", "maximum = 90000", 2),
    ],
)
def test_the_texts_of_screens_are_wording_and_all_else_of_them_is_coded(
    old: str, new: str, version: int, store: Store
) -> None:
    assert old in EVERY_KIND
    store.publish(parse_survey(EVERY_KIND))
    assert store.publish(parse_survey(EVERY_KIND.replace(old, new))).version == version


def test_the_places_of_changed_wording_are_named(wellbeing: Survey) -> None:
    revised = with_first(retitled(wellbeing, "B"), label=Text.of(en="L"))
    assert changed_wording(wellbeing, revised) == ['question "year", label', "title"]
    assert changed_wording(wellbeing, WORDINGS["study"](wellbeing))[-1] == "study, why"
    assert coded_part(revised) == coded_part(wellbeing)


def test_another_program_reads_every_wording(store: Store, wellbeing: Survey, path: Path) -> None:
    revised = retitled(wellbeing, "How are you?")
    published = store.publish(revised)
    with Store(path) as again:
        assert again.revisions(published) == [wellbeing, revised]


def test_an_unchanged_file_is_a_version_each_time_that_one_is_asked_for(store: Store, wellbeing: Survey) -> None:
    store.receive(wellbeing, Sent(ROW, b"1" * 32))
    waves = [store.publish(wellbeing, new_version=True) for _ in range(2)]
    assert [(each.version, each.survey.wave) for each in waves] == [(2, 2), (3, 3)]
    assert len({wellbeing.fingerprint, *(each.fingerprint for each in waves)}) == 3
    assert store.receive(wellbeing, Sent(ROW, b"2" * 32)) is Outcome.OUTDATED
    assert store.receive(waves[1].survey, Sent(OTHER, b"3" * 32)) is Outcome.STORED
    assert [store.rows(each.survey) for each in store.versions("wellbeing")] == [[ROW], [], [OTHER]]
    assert survey_from_json(waves[1].survey.canonical) == waves[1].survey
    assert parse_survey(survey_text(waves[1].survey, "again")) == waves[1].survey


def test_a_wording_of_a_wave_has_the_number_of_the_wave(store: Store, wellbeing: Survey) -> None:
    wave = store.publish(wellbeing, new_version=True).survey
    assert store.publish(wave).version == 2, "which changes nothing"
    for other in (wellbeing, retitled(wellbeing, "B"), replace(wave, wave=4)):
        with pytest.raises(SurveyError, match="wave 2"):
            store.publish(other)
    revised = store.publish(retitled(wave, "B"))
    assert (revised.version, revised.survey.wave) == (2, 2)
    assert store.revisions(revised)[-1].title["en"] == "B"
    assert [each.version for each in store.surveys()] == [1, 2]


def test_the_next_number_begins_the_next_wave_whatever_else_changed(store: Store, wellbeing: Survey) -> None:
    waves = [store.publish(replace(wellbeing, wave=2)), store.publish(replace(retitled(wellbeing, "B"), wave=3))]
    assert [(each.version, each.survey.wave) for each in waves] == [(2, 2), (3, 3)]
    assert store.publish(waves[1].survey) == waves[1]
    changed = replace(wellbeing, target="year")
    assert store.publish(changed, new_version=True).survey.wave == 3, "never a wave that is over"


def test_a_wording_that_was_a_revision_becomes_a_version_where_that_is_said(store: Store, wellbeing: Survey) -> None:
    store.publish(retitled(wellbeing, "B"))
    wave = store.publish(retitled(wellbeing, "B"), new_version=True)
    assert (wave.version, wave.survey.wave, wave.survey.title["en"]) == (2, 2, "B")
