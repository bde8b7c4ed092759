"""Characters of texts: one spelling for each text at every door, and texts that look alike.

Unicode writes one text in several ways: an accent apart from its letter, a space that does not break, an invisible
mark. `shown` and `compared` make one of them (normalization form C); `same` finds a value that was written in another.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any
from unicodedata import category, decimal, name, normalize

from collector.errors import SurveyError

INVISIBLE = "Cf"  # Unicode's category of characters without a look, such as marks of direction
SPELLING = "\u200c\u200d"  # joiners, which Persian, Hindi and emoji are written with
OVERRIDES = "\u202d\u202e"  # show what follows in the wrong order
LOOKS = dict(
    zip(
        "АВЕКМНОРСТУХІЅЈаеорсухіѕјһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρıɑɡیىک‐‑‒–—―−‘’ʼ‚“”„«»",  # noqa: RUF001
        'ABEKMHOPCTYXISJaeopcyxisjhdqwABEZHIKMNOPTYXovpiagييك-------\'\'\'\'"""""',
        strict=True,
    )
)
"""Cyrillic, Greek and phonetic letters that look like Latin ones, Persian ones like Arabic ones, dashes and quotes."""


def shown(text: str) -> str:
    """A text for people to read, in form C, without marks that show it in another order than it is written in."""
    return text if text.isascii() else "".join(each for each in normalize("NFC", text) if each not in OVERRIDES)


def compared(text: str) -> str:
    """A text that others are compared with (a value, a name, a cell), in form C, without what is invisible."""
    if text.isascii():
        return text
    return "".join(each for each in normalize("NFC", text) if category(each) != INVISIBLE or each in SPELLING)


def same(text: str, texts: Sequence[str]) -> str | None:
    """The one of some texts that is the same: as it is written, or in another way of writing it; None if none is.

    Spaces of every kind are the same, and so is a text with and without invisible characters.
    """
    if text in texts:
        return text
    if text.isascii() and all(each.isascii() for each in texts):
        return None
    key = _key(text)
    found = [each for each in texts if _key(each) == key]
    return found[0] if len(found) == 1 else None


def _key(text: str) -> str:
    return "".join(" " if each.isspace() else each for each in compared(text))


def look(text: str) -> str:
    """The look of a text: two texts that a reader takes for one have one look.

    Letters of another alphabet that look like Latin ones, capitals, kinds of spaces, dashes and quotes, digits of other
    scripts, and what `unicodedata` calls compatible (full-width letters, ligatures) are alike. Not covered are letters
    of other alphabets among each other, and ``l``, ``I`` and ``1``, or ``0`` and ``O``, of which codes are made.
    """
    if text.isascii():
        return " ".join(text.casefold().split())
    plain = (LOOKS.get(each, each) for each in normalize("NFKD", text) if category(each) != INVISIBLE)
    digits = (str(decimal(each)) if each.isdecimal() else each for each in plain)
    return " ".join("".join(digits).casefold().split())


def is_lookalike(text: str, texts: Iterable[str]) -> bool:
    """Whether a text with other characters than those of English looks like one of some texts."""
    return not text.isascii() and look(text) in map(look, texts)


def looking_alike(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of different texts that have one look."""
    by_look: dict[str, list[str]] = {}
    for text in dict.fromkeys(texts):
        by_look.setdefault(look(text), []).append(text)
    return [pair for alike in by_look.values() for pair in combinations(alike, 2)]


def difference(one: str, other: str) -> str:
    """The characters in which two texts that look alike differ, with their code points, for a message."""
    apart = [each for each in other if each not in one] or [each for each in one if each not in other]
    odd = [each for each in apart if not each.isascii()]
    return ", ".join(map(code_point, dict.fromkeys(odd))) or "capitals or spaces"


def code_point(character: str) -> str:
    """A character as messages name it: ``U+200B (zero width space)``."""
    return f"U+{ord(character):04X} ({name(character, 'without a name').lower()})"


def cleaned(document: Any, texts: Container[str], kept: Container[str] = ()) -> tuple[Any, list[tuple[str, str]]]:  # noqa: ANN401 - TOML, JSON
    """A document of tables, lists and values with every text in one spelling.

    Args:
        document: Plain values.
        texts: Keys of what people read, and of all below them. Everything else is compared, and so are all keys.
        kept: Keys of what stays as it is, such as names of files.

    Returns:
        The document, and the characters that were dropped, each with its place.

    Raises:
        SurveyError: If two keys of a table are the same in one spelling, or tables nest too deep.
    """
    dropped: dict[tuple[str, str], None] = {}

    def clean(value: Any, place: str, *, read: bool) -> Any:  # noqa: ANN401
        if isinstance(value, str):
            return one(value, place, read=read)
        if isinstance(value, list):
            return [clean(each, _place(place, each, number), read=read) for number, each in enumerate(value, start=1)]
        if not isinstance(value, dict):
            return value
        table: dict[Any, Any] = {}
        for key, each in value.items():
            plain = one(key, place, read=False) if isinstance(key, str) else key
            inner = f"{place}, {plain}" if place else str(plain)
            if plain in table:
                raise SurveyError(inner, "it is there twice, in two ways of writing it", "drop one")
            table[plain] = each if plain in kept else clean(each, inner, read=read or plain in texts)
        return table

    def one(text: str, place: str, *, read: bool) -> str:
        plain = shown(text) if read else compared(text)
        dropped.update(dict.fromkeys((place, each) for each in lost(text, plain)))
        return plain

    try:
        return clean(document, "", read=False), list(dropped)
    except RecursionError:
        raise SurveyError("file", "lists or tables nest too deep", "write fewer inside each other") from None


def _place(place: str, value: object, number: int) -> str:
    """The place of an item of a list: by its name where it has one, as errors name it."""
    if not isinstance(value, dict | list):
        return place
    named = value.get("name") if isinstance(value, dict) else None
    return f'{place.removesuffix("s")} "{compared(named)}"' if isinstance(named, str) and named else f"{place} {number}"


def lost(text: str, plain: str) -> Iterator[str]:
    """The invisible characters of a text that its spelling does without, each once."""
    if text != plain:
        yield from dict.fromkeys(each for each in text if category(each) == INVISIBLE and each not in plain)
