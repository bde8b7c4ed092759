"""The translations of the interface, and the format of numbers and days in each language.

Catalogues are gettext files in ``translations/LANGUAGE/LC_MESSAGES``, written by `docs/make_catalogues.py`. In a
language without a catalogue of translations, the interface is in English.
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
    """Return a function that translates strings of the interface into a language."""
    tags = [language.replace("-", "_"), language.split("-", maxsplit=1)[0]]
    return translation(DOMAIN, CATALOGUES, tags, fallback=True).gettext


def day_words(day: date, language: str) -> str:
    """Return a day as it is written in a language, such as 30 June 2027."""
    _ = catalogue(language)
    months = (
        *(_("January"), _("February"), _("March"), _("April"), _("May"), _("June")),
        *(_("July"), _("August"), _("September"), _("October"), _("November"), _("December")),
    )
    return _("{day} {month} {year}").format(day=day.day, month=months[day.month - 1], year=day.year)


def number_words(number: Decimal, language: str) -> str:
    """Return a number with all its digits, with the thousands separator of the language.

    A number with three decimals is written with a fourth decimal, as in 1.2340, so that it is not read as thousands.
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
