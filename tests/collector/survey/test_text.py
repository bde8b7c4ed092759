"""Texts in several languages: read from a survey file as plain text or as a table, and refused where one is missing."""

from __future__ import annotations

import pytest

from collector.errors import SurveyError
from collector.survey.fields import Fields
from collector.survey.text import Text, read_optional_text, read_text


def test_a_survey_in_one_language_is_written_in_plain_text_or_in_a_table() -> None:
    for written in ("Yes", {"en": "Yes"}):
        assert read_text(Fields({"title": written}, "survey"), "title", ["en"])["en"] == "Yes"


def test_the_order_of_languages_does_not_matter() -> None:
    assert Text.of(en="Yes", ar="نعم") == Text.of({"ar": "نعم", "en": "Yes"})
    assert Text.of(en="Yes", ar="نعم").design == {"ar": "نعم", "en": "Yes"}


def test_a_text_that_may_be_absent_is_none() -> None:
    assert read_optional_text(Fields({}, "survey"), "hint", ["en"]) is None


@pytest.mark.parametrize(
    ("languages", "problem"),
    [
        (["en"], "it is in ar, which is no language of the survey"),
        (["en", "nl", "fr"], "it is not in nl and fr, a language of the survey"),
        (["ar"], "it is in en, which is no language of the survey"),
    ],
)
def test_a_text_is_there_in_each_language_and_no_other(languages: list[str], problem: str) -> None:
    with pytest.raises(SurveyError, match=problem):
        Text.of(en="Yes", ar="نعم").check_languages(languages, "title")


WRONG = {
    "plain text for two languages": ("Yes", 'write { en = "...", ar = "..." }'),
    "a number": (3, "it is not a text for each language"),
    "a table of numbers": ({"en": 1, "ar": 2}, "title: the value is not text; write text"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_no_text_is_told_with_what_to_write(kind: str) -> None:
    written, line = WRONG[kind]
    with pytest.raises(SurveyError) as raised:
        read_text(Fields({"title": written}, "survey"), "title", ["en", "ar"])
    assert line in str(raised.value)
