"""A survey file that is edited: its versions, what undo and redo go to, and what happens to it on the disk."""

from __future__ import annotations

from pathlib import Path
from threading import RLock
from typing import Any

from collector.errors import SurveyError
from collector.output import write_text
from collector.survey_file.survey_file import Compiled, compiled
from collector.survey_file.text_file import text_of
from respondent.designing.edits import TomlText, values_of
from respondent.designing.renames import rename
from respondent.designing.values import EditError

MOST_KEPT = 200  # texts that undo goes back to
PATH = list[str | int]


class OvertakenError(EditError):
    """An edit is of a version that is not the present one."""


class SurveyDocument:
    """A survey file while it is edited. Every change is on the disk, whole, before it is the present version.

    Args:
        path: Of the file, which need not exist before the first edit.

    Attributes:
        version: Counts all changes, those by undo and by others too.
        text: The present version.
        is_changed: Whether the present version was written by somebody else.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.version = path, 1
        self.text = self._on_disk() or ""
        self.is_changed = False
        self._undo, self._redo, self._lock = list[str](), list[str](), RLock()
        self._compiled: tuple[str, Compiled | SurveyError] | None = None
        self.last: Compiled | None = None
        """The last version that compiled."""
        self.compiled()

    @property
    def lock(self) -> RLock:
        """Held by whoever reads a state or changes it."""
        return self._lock

    @property
    def can_undo(self) -> bool:
        """Whether there is a version before."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Whether a version was undone."""
        return bool(self._redo)

    @property
    def values(self) -> dict[str, Any]:
        """The values of the file; none while it is not TOML."""
        try:
            return values_of(self.text)
        except ValueError:
            return {}

    def compiled(self) -> Compiled | SurveyError:
        """The survey of the present version, or what is wrong with it."""
        if self._compiled is None or self._compiled[0] != self.text:
            found: Compiled | SurveyError
            try:
                found = self.last = compiled(self.text, self.path.parent)
            except SurveyError as error:
                found = error
            self._compiled = (self.text, found)
        return self._compiled[1]

    def look(self) -> None:
        """Take over what somebody else wrote; undo brings back the version before.

        Raises:
            InputError: If the file cannot be read as text.
        """
        with self._lock:
            found = self._on_disk()
            if found is not None and found != self.text:
                self._go_on(found, is_changed=True)

    def edit(self, version: int, edits: list[dict[str, Any]]) -> None:
        """Make edits, all or none.

        Raises:
            OvertakenError: If the version is not the present one.
            EditError: If an edit does not fit.
            OutputError: If the file cannot be written; it is left as it was.
        """
        with self._lock:
            self.check(version)
            self.replace(version, edited(self.text, edits))

    def replace(self, version: int, text: str) -> None:
        """Put another text in place of the file; otherwise as `edit`."""
        with self._lock:
            self.check(version)
            if text != self.text:
                write_text(self.path, [text])
                self._go_on(text, is_changed=False)

    def undo(self, version: int) -> None:
        """Go back to the version before; otherwise as `edit`."""
        self._step(version, self._undo, self._redo)

    def redo(self, version: int) -> None:
        """Go on to the version that was undone; otherwise as `edit`."""
        self._step(version, self._redo, self._undo)

    def check(self, version: int) -> None:
        """Look whether a version is the present one.

        Raises:
            OvertakenError: If it is not.
        """
        self.look()
        if version != self.version:
            problem = "it was changed on the disk" if self.is_changed else "it was changed in another window"
            raise OvertakenError(self.path.name, problem, "look at it as it is now, and edit it again")

    def _step(self, version: int, source: list[str], target: list[str]) -> None:
        with self._lock:
            self.check(version)
            if not source:
                raise EditError(self.path.name, "there is no other version to go to", "edit it")
            write_text(self.path, [source[-1]])
            target.append(self.text)
            self.text, self.is_changed = source.pop(), False
            self.version += 1

    def _go_on(self, text: str, *, is_changed: bool) -> None:
        self._undo = [*self._undo, self.text][-MOST_KEPT:]
        self._redo.clear()
        self.text, self.is_changed = text, is_changed
        self.version += 1

    def _on_disk(self) -> str | None:
        return text_of(self.path, "a TOML file") if self.path.exists() else None


def edited(text: str, edits: list[dict[str, Any]]) -> str:
    """The text of a survey file with edits made in it.

    Args:
        text: Of the file.
        edits: Each with its `op` and `path`, and `value`, `to` or neither.

    Raises:
        EditError: If one does not fit.
    """
    try:
        file = TomlText(text)
    except ValueError as error:
        raise EditError("survey file", f"it is not TOML ({error})", "correct that line, or undo") from None
    for edit in edits:
        _make(file, edit)
    return file.text


def _make(file: TomlText, edit: dict[str, Any]) -> None:
    path = edit.get("path")
    if not (isinstance(path, list) and path and all(type(key) in {str, int} for key in path)):
        raise EditError("path", "it is not a list of keys and places", 'write ["questions", 2, "label"]')
    place, to, value = tuple(path), edit.get("to"), edit.get("value")
    match edit.get("op"):
        case "set":
            file.put(place, value)
        case "delete":
            file.delete(place)
        case "insert":
            file.insert(place, value)
        case "move" if type(to) is int:
            file.move(place, to)
        case "rename" if isinstance(to, str) and to:
            rename(file, place, to)
        case _:
            raise EditError("op", "it is none, or lacks what it needs", "use set, delete, insert, move or rename")
