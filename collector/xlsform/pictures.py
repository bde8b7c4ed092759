"""Reading of the pictures that the column ``media::image`` of an XLSForm names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from collector.errors import InputError
from collector.forms.reading import FormReading
from collector.survey.picture import LARGEST, NO_TEXT, Picture
from collector.survey.text import Text, in_languages
from collector.survey_file.text_file import check_file
from collector.xlsform.columns import PICTURE_TEXT
from collector.xlsform.sheet import Form, SheetRow
from collector.xlsform.text import Languages


def picture_of(row: SheetRow, text: Text, form: Form, languages: Languages) -> Picture | None:
    """Return the picture of a row, or None if the row has no picture or the picture is left out.

    Picture files are searched for in the folder of the form, and in the folder FORM-media as in ODK.
    """
    cells = {column: cell for column, cell in row.cells.items() if column.name == "image"}
    if not cells:
        return None
    column, name = next(iter(cells.items()))
    if len(set(cells.values())) > 1:
        languages.reading.note("a picture is the same in every language", f"{row.line}, {name}")
    folder = form.path.parent
    inside = not PurePath(name).is_absolute() and ".." not in PurePath(name).parts

    def read() -> Picture:
        for place in (folder, folder / f"{form.path.stem}-media") if inside else ():
            try:
                check_file(place / name, "a picture")
                with (place / name).open("rb") as file:
                    return Picture.of(file.read(LARGEST + 1), text, row.place(column))
            except (OSError, ValueError, InputError):
                continue
        remedy = f"put it there, or into {form.path.stem}-media, or empty the cell"
        raise row.error(column, f'there is no picture "{name}" beside the form', remedy)

    found = languages.reading.part(read, None)
    if found is not None:
        languages.reading.pictures[found.name] = found
    return found


def picture_of_question(row: SheetRow, form: Form, languages: Languages) -> dict[str, Any]:
    """Return the keys ``picture`` and ``picture_text`` of a question, or an empty dictionary."""
    text = languages.reading.part(lambda: languages.text(row, PICTURE_TEXT), None)
    column = next((each for each in row.cells if each.name == "image"), None)
    if column is not None and text is None:
        remedy = f"say it in a column {PICTURE_TEXT}, for people who do not see it"
        languages.reading.leave(row.error(column, "nothing says what the picture shows", remedy))
        return {}
    picture = None if text is None else picture_of(row, text, form, languages)
    return {} if picture is None else {"picture": picture.name, "picture_text": in_languages(picture.text)}


def leave_picture(row: SheetRow, reading: FormReading) -> None:
    """Leave out the picture of a row that asks no question."""
    for column in row.cells:
        if column.name == "image":
            reading.leave(row.error(column, "a picture stands with a question", "move it to the row of a question"))


def pictures_of_choices(choices: Mapping[str, SheetRow], form: Form, languages: Languages) -> dict[str, str]:
    """Return the pictures of choices, by value of the question."""
    found = {name: picture_of(row, NO_TEXT, form, languages) for name, row in choices.items()}
    return {name: picture.name for name, picture in found.items() if picture is not None}
