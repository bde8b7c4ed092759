"""Pictures in a survey. The design holds the SHA-256 and a description of each picture."""

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
"""Text of a picture in the label of an answer. The label is its description."""


@dataclass(frozen=True)
class Picture:
    """A picture of a question or an answer, or the logo of a survey.

    Attributes:
        name: SHA-256 of the bytes in lower-case hexadecimal, with the type as suffix: ``….png``, ``….jpg`` or
            ``….webp``.
        text: Description for people who cannot see the picture, or `NO_TEXT` for the picture of an answer.
        content: Bytes of the picture, or None in a published design, because the store holds the bytes.
    """

    name: str
    text: Text
    content: bytes | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, content: bytes, text: Text, place: str) -> "Picture":
        """Return a picture made from the bytes of a file.

        Raises:
            SurveyError: If the type is not supported or the picture is too large.
        """
        kind = next((kind for kind, first in FIRST_BYTES.items() if re.match(first, content)), None)
        if kind is None:
            remedy = "save it as one of these; SVG can hold scripts, and is not taken"
            raise SurveyError(place, "the file is not a picture in PNG, JPEG or WebP format", remedy)
        if len(content) > LARGEST:
            problem = f"it is larger than {LARGEST:,} bytes"
            raise SurveyError(place, problem, "save the picture smaller: a phone shows about 400 pixels")
        return cls(f"{sha256(content).hexdigest()}.{kind}", text, content)

    @property
    def mimetype(self) -> str:
        """The media type of the picture."""
        return TYPES[self.name.rpartition(".")[2]]

    def design(self, key: str) -> dict[str, Any]:
        """Return the name and the text of the picture as plain JSON values."""
        return {key: self.name, f"{key}_text": self.text.design}


def picture_from_design(fields: Fields, key: str) -> Picture | None:
    """Return a picture of a published design, or None if the design has no such picture.

    Raises:
        SurveyError: If a field of the picture is not valid.
    """
    name, text = fields.take_optional(key, str), fields.take_optional(f"{key}_text", dict)
    if name is None and text is None:
        return None
    if name is None or not NAME.fullmatch(name):
        raise SurveyError(
            fields.within(key), "the text is not the SHA-256 of a picture", "publish the survey file again"
        )
    return Picture(name, text_table(text or {}, fields.within(f"{key}_text")))


def pictures_from_design(fields: Fields, key: str) -> tuple[tuple[str, Picture], ...]:
    """Return the pictures of answers in a published design, each with its answer.

    Raises:
        SurveyError: If a field is not valid.
    """
    pairs = fields.take_optional(key, list) or []
    for pair in pairs:
        if not (isinstance(pair, list) and [type(each) for each in pair] == [str, str] and NAME.fullmatch(pair[1])):
            raise SurveyError(
                fields.within(key),
                "the pictures are not listed as pairs of an answer and a picture",
                "publish the file again",
            )
    return tuple((answer, Picture(name, NO_TEXT)) for answer, name in pairs)


def is_picture(name: str, content: bytes) -> bool:
    """Return whether a picture's bytes have the hash and the type in the picture's name, and a permitted size."""
    digest, _, kind = name.partition(".")
    fits = kind in FIRST_BYTES and re.match(FIRST_BYTES[kind], content) and len(content) <= LARGEST
    return bool(fits) and digest == sha256(content).hexdigest()
