"""Brings the interface's catalogues up to date with the code: ``python docs/make_catalogues.py``.

Every string in `_("...")` of collector/wording/, respondent/ and templates/ gets an entry in each .po file; a
translator fills it in; running this again compiles the .mo file that is read at run time. A new language is a new,
empty .po file: months, and how days, numbers and lists are written, come from Unicode's CLDR. Of numbers check "1,234":
a language that parts no thousands below 10,000 has "1234" there.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from babel.numbers import format_decimal

from collector.wording.languages import CATALOGUES, DOMAIN

NO_DATE = datetime(2000, 1, 1, tzinfo=UTC)  # so that nothing but the translations changes the file
ROOT = Path(__file__).resolve().parent.parent
DAY_PART = re.compile(r"d+|M+|L+|y+")
DAY_PARTS = {"d": "{day}", "M": "{month}", "L": "{month}", "y": "{year}"}
NUMBERS = ("1,234", "1,234,567.8")
SOURCES = {
    "collector/wording": [("**.py", "python")],
    "respondent": [("**.py", "python")],
    "templates": [("**.html", "jinja2")],
}


def extracted() -> list[str]:
    """Every string of the interface, as it stands in the code, sorted."""
    found = set()
    for folder, methods in SOURCES.items():
        for _file, _line, message, _comments, _context in extract_from_dir(ROOT / folder, methods):
            found.add(str(message))
    return sorted(found)


def from_cldr(language: str) -> dict[str, str]:
    """What Unicode's CLDR knows of a language: its months, and how it writes days, numbers and lists."""
    locale, english = Locale.parse(language), Locale.parse("en")
    pattern = locale.date_formats["long"].pattern.replace("M月", "L")  # where months are numbers with a sign behind
    width = "abbreviated" if "L" in pattern else "wide"
    months = {name: locale.months["format"][width][number] for number, name in english.months["format"]["wide"].items()}
    pieces = pattern.split("'")  # every second one stands between quotation marks
    pieces[::2] = [DAY_PART.sub(lambda found: DAY_PARTS[found[0][0]], piece) for piece in pieces[::2]]
    day = "".join(pieces)
    pair = {kind: locale.list_patterns[kind]["2"].format("{first}", "{last}") for kind in ("standard", "or")}
    comma = locale.list_patterns["standard"]["middle"].format("", "")
    lists = {"{first} and {last}": pair["standard"], "{first} or {last}": pair["or"], ", ": comma}
    signs = locale.number_symbols["latn"]
    numbers = {each: format_decimal(each.replace(",", ""), locale=locale, numbering_system="latn") for each in NUMBERS}
    return months | {"{day} {month} {year}": day, "-1": f"{signs['minusSign']}1"} | lists | numbers


def updated(language: str, po: bytes) -> Catalog:
    """The catalogue with an entry for every string and for no other; what was translated stays."""
    old = read_po(BytesIO(po), locale=language)
    new = Catalog(locale=language, domain=DOMAIN, fuzzy=False, header_comment=f"# {language}: the respondent's pages.")
    cldr = from_cldr(language)
    for message in extracted():
        known = old.get(message)
        new.add(message, known.string if known and known.string else cldr.get(message, ""))
    return new


def po_bytes(catalogue: Catalog) -> bytes:
    """The .po file."""
    stream = BytesIO()
    write_po(stream, catalogue, width=120, omit_header=True, sort_output=True)
    header = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n\n'
    return header.encode() + stream.getvalue()


def mo_bytes(catalogue: Catalog) -> bytes:
    """The .mo file."""
    compiled = Catalog(locale=catalogue.locale, creation_date=NO_DATE, revision_date=NO_DATE, fuzzy=False)
    for message in catalogue:
        if message.id and message.string:
            compiled.add(message.id, message.string)
    compiled.mime_headers = [("Content-Type", "text/plain; charset=utf-8")]
    stream = BytesIO()
    write_mo(stream, compiled)
    return stream.getvalue()


def main() -> None:
    """Write every .po and .mo file anew."""
    for path in sorted(CATALOGUES.glob(f"*/LC_MESSAGES/{DOMAIN}.po")):
        catalogue = updated(path.parent.parent.name, path.read_bytes())
        path.write_bytes(po_bytes(catalogue))
        path.with_suffix(".mo").write_bytes(mo_bytes(catalogue))


if __name__ == "__main__":
    main()
