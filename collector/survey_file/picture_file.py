"""Reading and checking of the pictures in the folder of a survey file, which are identified by their SHA-256."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePath

from collector.errors import SurveyError
from collector.survey.fields import Fields
from collector.survey.picture import LARGEST, LARGEST_TOGETHER, NAME, NO_TEXT, Picture, is_picture
from collector.survey.text import Text, read_optional_text


def read_picture(fields: Fields, key: str, languages: Sequence[str], folder: Path | None) -> Picture | None:
    """Return the picture under a key such as ``picture``, with its description under ``picture_text``, or None.

    Args:
        fields: Table that may have a picture.
        key: Key under which the table names the picture.
        languages: Languages of the survey.
        folder: Folder of the survey file, or None if there is no file.

    Raises:
        SurveyError: If the picture or its text is not valid.
    """
    name, text = fields.take_optional(key, str), read_optional_text(fields, f"{key}_text", languages)
    place = fields.within(key)
    if name is None:
        if text is not None:
            raise SurveyError(
                place, "there is a description, but no picture", "name the picture's file, or remove the description"
            )
        return None
    if text is None:
        raise SurveyError(
            place, f'"{key}_text" is missing', "describe what the picture shows, for people who cannot see it"
        )
    return _read(name, text, folder, place)


def read_pictures(fields: Fields, key: str, folder: Path | None) -> dict[str, Picture]:
    """Return the pictures of the answers to a question, by answer.

    Raises:
        SurveyError: If a picture is not valid.
    """
    table = fields.take_optional(key, dict) or {}
    inner = Fields(table, fields.within(key))
    return {answer: _read(inner.take(answer, str), NO_TEXT, folder, inner.within(answer)) for answer in table}


def _read(name: str, text: Text, folder: Path | None, place: str) -> Picture:
    """Return the picture in a file in the folder of the survey file.

    The picture's file may be missing if its name is the SHA-256 of the picture.
    """
    if NAME.fullmatch(name):
        return beside(Picture(name, text), folder)
    if folder is None:
        raise SurveyError(
            place, "the survey was not read from a file, so its pictures cannot be found", "read the survey from a file"
        )
    if PurePath(name).is_absolute() or ".." in PurePath(name).parts:
        raise SurveyError(
            place,
            "the picture is not in the folder of the survey file",
            "put the picture in that folder, and write its file name",
        )
    try:
        content = _bytes(folder / name)
    except (OSError, ValueError):
        raise SurveyError(
            place, f'"{name}" cannot be read', "put the picture in the folder of the survey file"
        ) from None
    return Picture.of(content, text, place)


def _bytes(path: Path) -> bytes:
    """Return the content of a picture's file, up to the largest size of a picture.

    Pipes and devices are refused, because reading them might never end.
    """
    if not path.is_file():
        raise FileNotFoundError
    with path.open("rb") as file:
        return file.read(LARGEST + 1)


def beside(picture: Picture, folder: Path | None) -> Picture:
    """Return a picture that is named by its SHA-256, with its bytes if the folder contains the file.

    If the folder does not contain the file, the store that publishes the survey must contain the picture.
    """
    if folder is not None:
        with suppress(OSError):
            content = _bytes(folder / picture.name)
            return replace(picture, content=content) if is_picture(picture.name, content) else picture
    return picture


def pictures_beside(pictures: Iterable[Picture], target: Path) -> dict[Path, bytes]:
    """Return the pictures of a survey as files, for writing next to another survey file."""
    return {target.parent / each.name: each.content for each in pictures if each.content is not None}


def check_weight(pictures: Iterable[Picture]) -> None:
    """Refuse pictures whose total size is too large, because every respondent loads all pictures.

    Raises:
        SurveyError: If the pictures are too large.
    """
    size = sum(len(each.content or b"") for each in pictures)
    if size > LARGEST_TOGETHER:
        problem = f"the pictures have {size:,} bytes together, and {LARGEST_TOGETHER:,} is the most"
        raise SurveyError(
            "survey", problem, "save the pictures smaller, or use fewer: every respondent loads all of them"
        )
