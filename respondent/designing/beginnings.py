"""New survey files: blank, from an example, from a form of another program, or from a table of undisguised answers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from re import sub
from tempfile import TemporaryDirectory
from typing import Any
from unicodedata import normalize

from collector.drafting.draft import draft_survey
from collector.errors import DeniableError, InputError, suggestion
from collector.exchange.surveyjs import from_surveyjs
from collector.survey.survey import check_languages
from collector.survey_file.text_file import text_of
from respondent.designing.edits import values_of
from respondent.designing.meaning.presets import EPSILONS
from respondent.designing.values import EditError, lines_of

PACKAGE = Path(__file__).resolve().parents[1]
TITLE, LANGUAGE = "Survey", "en"
"""Default title and language of a blank survey."""
LONGEST_NAME = 40  # maximum number of characters of a survey name that is derived from a title
KINDS = ("blank", "example", "surveyjs", "xlsform", "table")


@dataclass(frozen=True)
class Begun:
    """A new survey file, with what became of the file that it was made from.

    Attributes:
        text: Text of the survey file.
        tally: Line that counts the questions that were taken and left out, or empty text.
        left_out: Lines about parts that a survey cannot have, each with its place and a remedy.
        notes: Lines about changes.
    """

    text: str
    tally: str = ""
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def report(self) -> dict[str, Any]:
        """What became of the file, as plain JSON values."""
        return {"tally": self.tally, "left_out": self.left_out, "notes": self.notes}


def examples() -> dict[str, str]:
    """Return the text of each example survey, by its name."""
    packed = PACKAGE / "examples"
    folder = packed if packed.is_dir() else PACKAGE.parent / "examples"
    texts = {path.stem: text_of(path, "a survey file") for path in sorted(folder.glob("*.toml"))}
    return {name: text for name, text in texts.items() if "questions" in values_of(text)}


def beginnings() -> list[dict[str, str]]:
    """Return the ``name``, ``title`` and description (``about``) of each example survey."""
    found = []
    for name, text in examples().items():
        values = values_of(text)
        title = values["title"]
        count, is_split = len(values["questions"]), "sampling" in values
        about = [f"{count} question{'s' if count > 1 else ''}", f"in {' and '.join(values['languages'])}"]
        about += ["of which each person is asked some"] if is_split else []
        shown = title if isinstance(title, str) else next(iter(title.values()))
        found.append({"name": name, "title": shown, "about": ", ".join(about)})
    return found


def blank(title: str = TITLE, language: str = LANGUAGE) -> str:
    """Return the text of a survey file with a title, a language and one question.

    The epsilon of the whole response is that of the preset Balanced.

    Args:
        title: Title of the survey.
        language: Language code of the texts.

    Raises:
        SurveyError: If the language code is not valid.
    """
    check_languages([language])
    plain = normalize("NFKD", title.lower()).encode("ascii", "ignore").decode()
    name = sub(r"^[^a-z]+|[^a-z0-9]+$", "", sub(r"[^a-z0-9]+", "_", plain)[:LONGEST_NAME]) or "survey"
    head = lines_of({"name": name, "title": title, "languages": [language]})
    question = lines_of({"name": "question_1", "label": "Question 1", "kind": "yes_no"})
    privacy = lines_of({"epsilon": EPSILONS["balanced"]})
    return f"{head}\n[[questions]]\n{question}\n[privacy]\n{privacy}"


def begun(kind: str, name: str, content: bytes, language: str = LANGUAGE) -> Begun:
    """Return a new survey file.

    Args:
        kind: Source of the new file, one of `KINDS`.
        name: Name of the example or of the uploaded file, or the title of a blank survey.
        content: Bytes of the uploaded file, or empty bytes.
        language: Language code of a blank survey.

    Raises:
        EditError: If the kind or the example does not exist.
        DeniableError: If the uploaded file does not have the format of its kind.
    """
    if kind == "blank":
        return Begun(blank(name.strip() or TITLE, language.strip() or LANGUAGE))
    name = Path(name).name or "file"
    match kind:
        case "example" if (found := examples().get(name)) is not None:
            return Begun(found)
        case "surveyjs":
            try:
                form = from_surveyjs(content.decode(), name)
            except UnicodeDecodeError:
                raise InputError(name, "the file is not UTF-8 text", "save the file as UTF-8") from None
            return Begun(form.content.decode(), str(form.tally or ""), form.left_out, form.notes)
        case "xlsform":
            return _from_xlsform(name, content)
        case "table":
            with _in_memory(content) as path:
                draft = draft_survey(path, None, ask=True)
            tally = f"{len(draft.questions)} taken, {len(draft.left_out) or 'none'} left out"
            return Begun(draft.text, tally, notes=draft.notes)
        case _:
            raise EditError("kind", f'there is no beginning "{kind}" of this name', suggestion(kind, KINDS))


def _from_xlsform(name: str, content: bytes) -> Begun:
    try:
        from collector.xlsform.form import import_form  # noqa: PLC0415 - pyxform is an extra
    except ModuleNotFoundError:
        remedy = 'run: pip install "deniable[xlsform]"'
        raise InputError(name, "the package that reads XLSForms is not installed", remedy) from None
    with TemporaryDirectory() as folder:  # a form has questions, and no answers
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            form = import_form(path)
        except DeniableError as error:
            raise type(error)(error.place.replace(f"{folder}{os.sep}", ""), error.problem, error.remedy) from None
    return Begun(form.text, str(form.tally or ""), form.left_out, form.notes)


@contextmanager
def _in_memory(content: bytes) -> Iterator[Path]:
    """Yield a path to bytes in memory, because a table of true answers must not be written to disk."""
    if not hasattr(os, "memfd_create"):
        raise InputError("table", "this system cannot keep a file in memory only", "run: collector draft --ask")
    number = os.memfd_create("table")
    try:
        os.write(number, content)
        yield Path(f"/proc/self/fd/{number}")
    finally:
        os.close(number)
