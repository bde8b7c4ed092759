"""Valid names derived from texts, such as headings of columns and names in other formats."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import combining, normalize

from collector.survey.question import NAME, RESERVED

LONGEST_STEM = 40  # characters of a name made of a text: a question's options add their names to it
LONGEST_NAME = 60
SHORTEST_NAME = 8  # characters to which a long name may be cut


def name_of(text: str, number: int) -> str:
    """Return a valid name similar to a text, or a numbered name if no character of the text can be used."""
    plain = "".join(each for each in normalize("NFKD", text.lower()) if not combining(each)).replace("ß", "ss")
    slug = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")
    if len(slug) > LONGEST_STEM:
        slug = slug[: LONGEST_STEM + 1].rpartition("_")[0] or slug[:LONGEST_STEM]
    if not slug:
        return f"item_{number}"
    return slug if NAME.fullmatch(slug) and slug not in RESERVED else f"q_{slug}"


def item_names(texts: Sequence[str], table: str) -> list[str]:
    """Return different names for the options or statements of a table.

    The names are valid even with the name of the table and an underscore before them. They are o1, o2, ... if a long
    name of the table leaves no room for words.
    """
    names: list[str] = []
    room = LONGEST_NAME - len(table) - 1
    if room < SHORTEST_NAME:
        return [f"o{number}" for number in range(1, len(texts) + 1)]
    for number, text in enumerate(texts, start=1):
        name = name_of(text, number)
        name = name if len(name) <= room else name[:room].rstrip("_")
        names.append(name if name not in names else f"{name[: room - len(str(number)) - 1].rstrip('_')}_{number}")
    return names
