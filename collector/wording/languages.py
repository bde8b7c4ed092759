"""The catalogues of the pages' languages, and the way each language writes numbers and days.

Catalogues are in gettext's format, in ``translations/LANGUAGE/LC_MESSAGES``. `docs/make_catalogues.py` writes them. A
language without a catalogue is shown in English.
"""

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import cache
from gettext import translation
from itertools import accumulate, chain, pairwise, repeat
from pathlib import Path

DOMAIN = "deniable"
CATALOGUES = Path(__file__).resolve().parent / "translations"
SHIPPED = ("en", "ar", "de", "es", "fr", "he", "hi", "it", "nl", "pl", "pt", "zh")
AS_THOUSANDS = re.compile(r"[1-9]\d{0,2}\.\d{3}")


@cache
def catalogue(language: str) -> Callable[[str], str]:
    """Return the translations of strings into a language. A string without a translation is in English."""
    tags = [language.replace("-", "_"), language.split("-", maxsplit=1)[0]]
    return translation(DOMAIN, CATALOGUES, tags, fallback=True).gettext


def day_words(day: date, language: str) -> str:
    """Return a day in words: 30 June 2027."""
    _ = catalogue(language)
    months = (
        *(_("January"), _("February"), _("March"), _("April"), _("May"), _("June")),
        *(_("July"), _("August"), _("September"), _("October"), _("November"), _("December")),
    )
    return _("{day} {month} {year}").format(day=day.day, month=months[day.month - 1], year=day.year)


def number_words(number: Decimal, language: str) -> str:
    """Return a number with all its digits, with the thousands separator of the language.

    In a language that is not `SHIPPED`, such as es-MX, no separator is used: its signs may differ, and 1.500 could be
    read as one and a half. Three decimals get a fourth, as in 1.2340, so that they are not read as thousands.
    """
    _ = catalogue(language)
    thousands, millions, minus = _("1,234"), _("1,234,567.8"), _("-1")  # as the language writes them
    part, *_rest, point = re.findall(r"\D", millions)
    plain = f"{abs(number.normalize()):f}"
    whole, _point, decimals = f"{plain}{'0' * bool(AS_THOUSANDS.fullmatch(plain))}".partition(".")
    if language in SHIPPED and len(whole) >= (5 if thousands.isdecimal() else 4):
        pair = 2 if re.match(r"\d\d\D", millions) else 3  # digits between two marks: 12,34,567
        ends = [len(whole) - each for each in accumulate(chain([3], repeat(pair, len(whole)))) if each < len(whole)]
        cuts = [0, *reversed(ends), len(whole)]
        whole = part.join(whole[start:end] for start, end in pairwise(cuts))
    signed = minus.replace("1", whole) if number < 0 else whole
    return f"{signed}{point}{decimals}" if decimals else signed
