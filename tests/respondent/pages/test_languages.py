"""Languages: every string of the interface is translated, and a page is shown in the language that fits best."""

from __future__ import annotations

import string
from datetime import date

import pytest
from babel.messages.pofile import read_po
from werkzeug.datastructures import LanguageAccept

from collector.wording.languages import CATALOGUES, DOMAIN, SHIPPED, day_words
from make_catalogues import extracted, mo_bytes, po_bytes, updated
from respondent.pages.languages import Interface, chosen_language, interface

CATALOGUE_PATHS = sorted(CATALOGUES.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))
TRANSLATED = [path.parent.parent.name for path in CATALOGUE_PATHS]


def fields(text: str) -> list[str]:
    """The placeholders of a text, sorted."""
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


def test_twelve_languages_are_shipped_each_under_its_own_name() -> None:
    assert {"en", *TRANSLATED} == set(SHIPPED)
    assert set(SHIPPED) == {"en", "de", "fr", "es", "pt", "it", "nl", "pl", "ar", "he", "zh", "hi"}
    assert {language for language in SHIPPED if interface(language).direction == "rtl"} == {"ar", "he"}
    assert len({Interface.name_of(language) for language in SHIPPED} - set(SHIPPED)) == len(SHIPPED)


@pytest.mark.parametrize(
    ("language", "day", "listed"),
    [
        ("de", "30. Juni 2027", "a, b und c"),
        ("es", "30 de junio de 2027", "a, b y c"),
        ("fr", "30 juin 2027", "a, b et c"),
        ("he", "30 ביוני 2027", "a, b וc"),  # noqa: RUF001 - Hebrew
        ("pl", "30 czerwca 2027", "a, b i c"),
        ("zh", "2027年6月30日", "a、b和c"),
    ],
)
def test_days_and_lists_are_written_as_cldr_has_them(language: str, day: str, listed: str) -> None:
    spoken = interface(language)
    assert (day_words(date(2027, 6, 30), language), spoken.listed(["a", "b", "c"])) == (day, listed)


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_catalogue_is_what_the_code_asks_for(language: str) -> None:
    path = CATALOGUES / language / "LC_MESSAGES" / f"{DOMAIN}.po"
    catalogue = updated(language, path.read_bytes())
    assert path.read_bytes() == po_bytes(catalogue), "run docs/make_catalogues.py"
    assert path.with_suffix(".mo").read_bytes() == mo_bytes(catalogue), "run docs/make_catalogues.py"


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_string_is_translated_with_the_same_placeholders(language: str) -> None:
    path = CATALOGUES / language / "LC_MESSAGES" / f"{DOMAIN}.po"
    with path.open("rb") as stream:
        catalogue = read_po(stream)
    for message in extracted():
        known = catalogue.get(message)
        assert known is not None, message
        assert known.string, message
        assert fields(known.string) == fields(message), message
        assert interface(language).gettext(message) == known.string


def test_a_language_that_is_asked_for_is_shown_if_there_is_one() -> None:
    nobody, arab = LanguageAccept([]), LanguageAccept([("ar-EG", 1), ("en", 0.5)])
    assert chosen_language(["en", "ar"], None, nobody) == "en"
    assert chosen_language(["en", "ar"], None, arab) == "ar"
    assert chosen_language(["en", "ar"], "en", arab) == "en"
    assert chosen_language(["en", "ar"], "xx", arab) == "ar"
    assert chosen_language(["nl"], "en", arab) == "nl"


@pytest.mark.parametrize(("language", "direction"), [("ar-EG", "rtl"), ("FA", "rtl"), ("he", "rtl"), ("arn", "ltr")])
def test_the_direction_is_that_of_the_language_whatever_the_region(language: str, direction: str) -> None:
    assert interface(language).direction == direction


def test_lists_read_as_lists_do() -> None:
    english = interface("en")
    assert [english.listed(list(parts)) for parts in ("a", "ab", "abc")] == ["a", "a and b", "a, b and c"]
