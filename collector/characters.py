"""Unicode spelling of texts: one spelling for equal texts, and the recognition of texts that look alike.

Unicode can write a text in several ways, for example with a separate accent, a no-break space or an invisible
character. The functions `shown` and `compared` bring a text into one spelling (normalization form C). The function
`same` finds the text of a list that equals a given text apart from its spelling in Unicode.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any
from unicodedata import category, decimal, name, normalize

from collector.errors import SurveyError

INVISIBLE = "Cf"  # Unicode's category of invisible characters, such as marks of direction
SPELLING = "\u200c\u200d"  # joiners, which are part of the spelling in Persian, in Hindi and of emoji
OVERRIDES = "\u202d\u202e"  # characters that show the following text in the wrong order
TURNING = "\u202a\u202b\u202c\u2066\u2067\u2068\u2069"  # characters that turn the direction of the text up to their end
LOOKS = dict(
    zip(
        "АВЕКМНОРСТУХІЅЈаеорсухіѕјһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρıɑɡیىک‐‑‒–—―−‘’ʼ‚“”„«»",  # noqa: RUF001
        'ABEKMHOPCTYXISJaeopcyxisjhdqwABEZHIKMNOPTYXovpiagييك-------\'\'\'\'"""""',
        strict=True,
    )
)
"""The common look of similar characters: Cyrillic, Greek, phonetic and Latin letters, Persian and Arabic letters,
dashes, quotes."""


def shown(text: str) -> str:
    """Return a text in form C for people to read, without characters that change the direction of writing."""
    return text if text.isascii() else "".join(each for each in normalize("NFC", text) if each not in OVERRIDES)


def isolated(text: str) -> str:
    """Return a text to stand beside others in a line: isolated in place of its marks of direction, if it has some."""
    plain = "".join(each for each in text if each not in OVERRIDES + TURNING)
    return text if plain == text else f"\u2068{plain}\u2069"


def compared(text: str) -> str:
    """Return a text in form C for comparison with other texts, without invisible characters."""
    if text.isascii():
        return text
    return "".join(each for each in normalize("NFC", text) if category(each) != INVISIBLE or each in SPELLING)


def same(text: str, texts: Sequence[str]) -> str | None:
    """Return the text in a list that equals a given text in any spelling, or None.

    Invisible characters are ignored, and all kinds of spaces count as equal.
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
    """Return a key that is equal for texts that a reader cannot distinguish.

    Texts have equal keys if they differ only in capitals, similar letters of another alphabet, or similar spaces,
    dashes, quotes and digits. The characters ``l``, ``I`` and ``1``, and ``0`` and ``O``, count as different.
    """
    if text.isascii():
        return " ".join(text.casefold().split())
    plain = (LOOKS.get(each, each) for each in normalize("NFKD", text) if category(each) != INVISIBLE)
    digits = (str(decimal(each)) if each.isdecimal() else each for each in plain)
    return " ".join("".join(digits).casefold().split())


def is_lookalike(text: str, texts: Iterable[str]) -> bool:
    """Return whether a text has characters outside ASCII and looks like one of the other texts."""
    return not text.isascii() and look(text) in map(look, texts)


def looking_alike(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Return the pairs of different texts that look alike."""
    by_look: dict[str, list[str]] = {}
    for text in dict.fromkeys(texts):
        by_look.setdefault(look(text), []).append(text)
    return [pair for alike in by_look.values() for pair in combinations(alike, 2)]


def difference(one: str, other: str) -> str:
    """Return the characters in which two similar texts differ, with their code points, for a message."""
    apart = [each for each in other if each not in one] or [each for each in one if each not in other]
    odd = [each for each in apart if not each.isascii()]
    return ", ".join(map(code_point, dict.fromkeys(odd))) or "capitals or spaces"


def code_point(character: str) -> str:
    """Return the name of a character for messages, such as ``U+200B (zero width space)``."""
    return f"U+{ord(character):04X} ({name(character, 'without a name').lower()})"


def cleaned(document: Any, texts: Container[str], kept: Container[str] = ()) -> tuple[Any, list[tuple[str, str]]]:  # noqa: ANN401 - TOML, JSON
    """Return a document of tables, lists and values in which equal texts have one spelling.

    Args:
        document: Values as TOML or JSON yield them.
        texts: Keys whose texts get the spelling of `shown`; all other texts, and all keys, get the spelling of
            `compared`.
        kept: Keys whose values stay unchanged, such as names of files.

    Returns:
        The document in the new spelling, and a list of the removed characters, each with its place.

    Raises:
        SurveyError: If two keys of a table get equal spellings, or tables are nested too deeply.
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
                raise SurveyError(
                    inner, "the same name is written twice, with different Unicode characters", "drop one"
                )
            table[plain] = each if plain in kept else clean(each, inner, read=read or plain in texts)
        return table

    def one(text: str, place: str, *, read: bool) -> str:
        plain = shown(text) if read else compared(text)
        dropped.update(dict.fromkeys((place, each) for each in lost(text, plain)))
        return plain

    try:
        return clean(document, "", read=False), list(dropped)
    except RecursionError:
        raise SurveyError("file", "lists or tables are nested too deep", "use fewer levels of brackets") from None


def _place(place: str, value: object, number: int) -> str:
    """Return the place of an item in a list for errors, with the item's name or number."""
    if not isinstance(value, dict | list):
        return place
    named = value.get("name") if isinstance(value, dict) else None
    return f'{place.removesuffix("s")} "{compared(named)}"' if isinstance(named, str) and named else f"{place} {number}"


def lost(text: str, plain: str) -> Iterator[str]:
    """Yield the invisible characters that were removed from a text, each once."""
    if text != plain:
        yield from dict.fromkeys(each for each in text if category(each) == INVISIBLE and each not in plain)
