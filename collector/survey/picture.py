"""Pictures that a survey shows: the design has the SHA-256 of each, and in words what it shows."""

import re
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from collector.errors import SurveyError
from collector.survey.fields import Fields
from collector.survey.text import Text, text_table

TYPES = {"png": "image/png", "jpg": "image/jpeg", "webp": "image/webp"}
FIRST_BYTES = {"png": rb"\x89PNG\r\n\x1a\n", "jpg": rb"\xff\xd8\xff", "webp": rb"RIFF(?s:....)WEBP"}
NAME = re.compile(rf"[0-9a-f]{{64}}\.({'|'.join(TYPES)})")
LARGEST = 100_000
LARGEST_TOGETHER = 400_000


NO_TEXT = Text(())
"""Of a picture that stands in the label of an answer, which says what it shows."""


@dataclass(frozen=True)
class Picture:
    """A picture of a question or an answer, or the logo of a survey.

    Attributes:
        name: SHA-256 of its bytes in lower-case hexadecimal, and its type: ``….png``, ``….jpg`` or ``….webp``.
        text: What it shows, for people who do not see it; `NO_TEXT` for an answer.
        content: Its bytes; None where a published design names it: the store has them.
    """

    name: str
    text: Text
    content: bytes | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, content: bytes, text: Text, place: str) -> "Picture":
        """A picture with these bytes.

        Raises:
            SurveyError: Naming the place, if they are not of ours or too many.
        """
        kind = next((kind for kind, first in FIRST_BYTES.items() if re.match(first, content)), None)
        if kind is None:
            remedy = "save it as one of these; SVG can hold scripts, and is not taken"
            raise SurveyError(place, "it is no picture of the type PNG, JPEG or WebP", remedy)
        if len(content) > LARGEST:
            problem = f"it is larger than {LARGEST:,} bytes"
            raise SurveyError(place, problem, "save it smaller: a phone shows about 400 pixels")
        return cls(f"{sha256(content).hexdigest()}.{kind}", text, content)

    @property
    def mimetype(self) -> str:
        """Its media type."""
        return TYPES[self.name.rpartition(".")[2]]

    def design(self, key: str) -> dict[str, Any]:
        """The picture as plain JSON values, under a key and that of its text."""
        return {key: self.name, f"{key}_text": self.text.design}


def picture_from_design(fields: Fields, key: str) -> Picture | None:
    """A picture of a published design; None where there is none.

    Raises:
        SurveyError: Naming the place.
    """
    name, text = fields.take_optional(key, str), fields.take_optional(f"{key}_text", dict)
    if name is None and text is None:
        return None
    if name is None or not NAME.fullmatch(name):
        raise SurveyError(fields.within(key), "it is not the SHA-256 of a picture", "publish the survey file again")
    return Picture(name, text_table(text or {}, fields.within(f"{key}_text")))


def pictures_from_design(fields: Fields, key: str) -> tuple[tuple[str, Picture], ...]:
    """The pictures of answers in a published design, each with the answer it belongs to.

    Raises:
        SurveyError: Naming the place.
    """
    pairs = fields.take_optional(key, list) or []
    for pair in pairs:
        if not (isinstance(pair, list) and [type(each) for each in pair] == [str, str] and NAME.fullmatch(pair[1])):
            raise SurveyError(fields.within(key), "it is no list of answers and pictures", "publish the file again")
    return tuple((answer, Picture(name, NO_TEXT)) for answer, name in pairs)


def is_picture(name: str, content: bytes) -> bool:
    """Whether these are the bytes of a picture of this name: its hash, its type and its size."""
    digest, _, kind = name.partition(".")
    fits = kind in FIRST_BYTES and re.match(FIRST_BYTES[kind], content) and len(content) <= LARGEST
    return bool(fits) and digest == sha256(content).hexdigest()
