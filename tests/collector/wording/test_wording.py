"""The one wording of a value: every kind of answer in English and German, numbers and days in all languages."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from collector.errors import QueryError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.wording.languages import SHIPPED, number_words
from collector.wording.wording import kind_of, unit_of, wording, wordings
from worded_survey import READ, worded_survey

SURVEY = worded_survey()


def one_question(kind: str) -> Survey:
    values = {"yes_no": "", "number": "cuts = [0.5, 800]\nunit = 'EUR'"}.get(kind, 'values = ["x", "y", "z"]')
    return parse_survey(f"""
name = "s"
title = "S"
languages = ["en"]
[[questions]]
name = "q"
label = "Q?"
kind = "{kind}"
sensitive = false
{values}
""")


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", READ)
def test_every_kind_of_answer_reads_as_a_person_would_say_it(name: str, language: str) -> None:
    question, wanted = SURVEY.question(name), READ[name][language]
    assert list(wordings(SURVEY, question, language)) == wanted
    assert [wording(SURVEY, question, value, language) for value in question.values] == wanted


def test_a_value_that_a_question_lacks_has_no_words() -> None:
    with pytest.raises(QueryError, match="there is no such value"):
        wording(SURVEY, SURVEY.question("coat"), "fur", "en")


def test_no_two_values_of_a_question_read_alike_in_any_language() -> None:
    survey = worded_survey(SHIPPED)
    for language in SHIPPED:
        for question in survey.questions:
            words = wordings(survey, question, language)
            assert len(set(words)) == len(words) == len(question.values), (question.name, language)
            if language not in {"en", "de"} and question.name in {"rent", "moved"}:
                assert not {*words} & {*wordings(survey, question, "en")}, "it is in the language of the page"


@pytest.mark.parametrize(
    ("language", "rent", "moved"),
    [
        ("en", "400 to under 1,250.5 crowns", "before 1 March 2015"),
        ("ar", "من 400 إلى أقل من 1,250.5 crowns", "قبل 1 مارس 2015"),
        ("de", "400 bis unter 1.250,5 Kronen", "vor 1. März 2015"),
        ("es", "de 400 a menos de 1250,5 crowns", "antes de 1 de marzo de 2015"),
        ("fr", "de 400 à moins de 1\u202f250,5 crowns", "avant 1 mars 2015"),
        ("he", "400 עד מתחת ל-1,250.5 crowns", "לפני 1 במרץ 2015"),
        ("hi", "400 से 1,250.5 crowns से कम तक", "1 मार्च 2015 से पहले"),
        ("it", "da 400 a meno di 1250,5 crowns", "prima di 1 marzo 2015"),
        ("nl", "400 tot onder 1.250,5 crowns", "voor 1 maart 2015"),
        ("pl", "od 400 do poniżej 1250,5 crowns", "przed 1 marca 2015"),
        ("pt", "de 400 a menos de 1.250,5 crowns", "antes de 1 de março de 2015"),
        ("zh", "400 至 1,250.5 crowns 以下", "2015年3月1日 之前"),
    ],
)
def test_intervals_of_numbers_and_days_are_written_as_each_language_writes_them(
    language: str, rent: str, moved: str
) -> None:
    survey = worded_survey(SHIPPED)
    assert wordings(survey, survey.question("rent"), language)[1] == rent
    assert wordings(survey, survey.question("moved"), language)[0] == moved


@pytest.mark.parametrize(
    ("number", "language", "words"),
    [
        ("0", "en", "0"),
        ("400.0", "en", "400"),
        ("999", "de", "999"),
        ("1234", "de", "1.234"),
        ("1234", "es", "1234"),
        ("12345", "es", "12.345"),
        ("1234", "pl", "1234"),
        ("1234567.125", "pl", "1\u00a0234\u00a0567,125"),
        ("1234567", "fr", "1\u202f234\u202f567"),
        ("123456789", "hi", "12,34,56,789"),
        ("-1500", "en", "-1,500"),
        ("-1500.5", "de", "-1.500,5"),
        ("-1500", "ar", "\u200e-1,500"),
        ("-3", "he", "\u200e-3"),
        ("1.234", "en", "1.2340"),
        ("-12.345", "de", "-12,3450"),
        ("0.125", "de", "0,125"),
        ("1E+9", "zh", "1,000,000,000"),
        ("1E-7", "en", "0.0000001"),
    ],
)
def test_numbers_are_written_as_their_language_writes_them_and_no_decimals_pass_for_thousands(
    number: str, language: str, words: str
) -> None:
    assert number_words(Decimal(number), language) == words


@pytest.mark.parametrize(("language", "words"), [("da", "1500 12.5"), ("es-MX", "1500 12,5"), ("de-CH", "1500 12,5")])
def test_thousands_are_not_parted_where_the_marks_of_a_language_are_not_known(language: str, words: str) -> None:
    assert " ".join(number_words(Decimal(each), language) for each in ("1500", "12.5")) == words


def test_a_number_of_one_stands_without_its_unit() -> None:
    survey = one_question("number")
    assert wordings(survey, survey.question("q"), "en") == ("under 0.5 EUR", "0.5 to under 800 EUR", "800 EUR or more")
    days = replace(survey.question("q"), cuts=(1, 7), values=("<1", "1..7", ">=7"), unit="days")
    assert wordings(survey, days, "en") == ("under 1", "1 to under 7 days", "7 days or more")


def test_values_without_words_read_as_words_unless_two_would_read_the_same() -> None:
    survey = one_question("choice")
    choice = survey.question("q")
    plain = replace(choice, values=("not_at_all", "a bit", "very_much"))
    assert wordings(survey, plain, "en") == ("not at all", "a bit", "very much")
    twins = replace(choice, values=("a_bit", "a bit", "_"))
    assert wordings(survey, twins, "en") == ("a_bit", "a bit", "_")


def test_values_read_as_the_survey_words_them_in_each_language(bilingual: Survey, wellbeing: Survey) -> None:
    drinking = bilingual.question("drinking")
    assert wording(bilingual, drinking, "never", "en") == "Never"
    assert wording(bilingual, drinking, "never", "ar") == "أبدا"
    assert wording(bilingual, bilingual.question("cannabis"), "yes", "ar") == "نعم"
    assert wording(wellbeing, wellbeing.question("cannabis"), "yes", "en") == "Yes"


def test_a_language_without_a_catalogue_reads_in_english() -> None:
    survey = worded_survey(["da"])
    assert wordings(survey, survey.question("smokes"), "da") == ("Yes", "No", "Prefer not to say")


def test_the_kind_and_the_unit_of_a_question_are_those_of_the_survey_file() -> None:
    kinds = ["ranking", "number", "number", "date", *["multiple"] * 4, "grid", "grid", "yes_no", "scale", "choice"]
    assert [kind_of(SURVEY, each) for each in SURVEY.questions] == kinds
    assert [unit_of(SURVEY, SURVEY.question("rent"), language) for language in ("en", "de")] == ["crowns", "Kronen"]
    assert [unit_of(SURVEY, SURVEY.question(name), "de") for name in ("steps", "coat")] == ["m", ""]
