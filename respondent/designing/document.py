"""A survey file that is edited: its versions, what undo and redo go to, and what happens to it on the disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import RLock
from typing import Any

from collector.disclosure.lint import Lint
from collector.errors import SurveyError
from collector.output import locked, write_text
from collector.survey.survey import Survey
from collector.survey_file.survey_file import Compiled, compiled, compiled_values
from collector.survey_file.text_file import text_of
from respondent.designing.edits import values_of
from respondent.designing.figures import SurveyFigures
from respondent.designing.mends import FoundLint, mend_of
from respondent.designing.operations import edited
from respondent.designing.places import Places
from respondent.designing.translating.table import Originals
from respondent.designing.values import EditError
from respondent.file_texts import Place
from respondent.preview import filled_in

MOST_KEPT = 200  # texts that undo goes back to


class OvertakenError(EditError):
    """An edit is of a version that is not the present one."""


@dataclass(frozen=True)
class Previewed:
    """Survey that the preview shows, and what stands in it for missing translations.

    Attributes:
        survey: The design.
        missing: Path and language of each translation that another language or a name stands for.
        is_stale: Whether it is a version from before, as the present one does not compile.
    """

    survey: Survey
    missing: tuple[tuple[Place, str], ...] = ()
    is_stale: bool = False


class SurveyDocument:
    """A survey file while it is edited. Every change is on the disk, whole, before it is the present version.

    Args:
        path: Path of the file, which need not exist before the first edit.

    Attributes:
        version: Counts all changes, those by undo and by others too.
        text: The present version.
        is_changed: Whether the present version was written by somebody else.
        last: The last version that compiled.
        originals: What its translations were made from.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.version = path, 1
        self.text = self._on_disk() or ""
        self.is_changed = False
        self._undo, self._redo, self._lock = list[str](), list[str](), RLock()
        self._compiled: tuple[str, Compiled | SurveyError] | None = None
        self.last: Compiled | None = None
        self.originals = Originals()
        self._previewed: tuple[str, Previewed | None] | None = None
        self._figures: SurveyFigures | None = None
        self._values: tuple[str, dict[str, Any], Places] | None = None
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
        """The values of the file; none while it is not TOML, or nested too deep to be read or shown."""
        if self._values is None or self._values[0] != self.text:
            try:
                found = values_of(self.text)
                json.dumps(found, default=str)
            except (ValueError, RecursionError):
                found = {}
            self._values = (self.text, found, Places(found))
        return self._values[1]

    @property
    def places(self) -> Places:
        """Places in the present version."""
        return Places(self.values) if self._values is None else self._values[2]

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

    def previewed(self) -> Previewed | None:
        """The present version, with missing translations filled in, or else the last that compiled; None without."""
        if self._previewed is None or self._previewed[0] != self.text:
            self._previewed = (self.text, self._preview())
        return self._previewed[1]

    def _preview(self) -> Previewed | None:
        found = self.compiled()
        if isinstance(found, Compiled):
            return Previewed(found.survey)
        values, missing = filled_in(self.values)
        try:
            if missing:
                return Previewed(compiled_values(values, self.path.parent).survey, tuple(missing))
        except SurveyError:
            pass  # something else is wrong as well
        before = None if self._previewed is None else self._previewed[1]
        last = before.survey if before else self.last.survey if self.last else None
        return None if last is None else Previewed(last, is_stale=True)

    def figures(self, respondents: int) -> SurveyFigures | None:
        """Figures of the last version that compiled; None where none has."""
        self.compiled()
        kept = self._figures
        if self.last is None or (kept and kept.compiled is self.last and kept.respondents == respondents):
            return kept
        self._figures = SurveyFigures(self.last, respondents)
        return self._figures

    def found(self, lint: Lint, respondents: int) -> FoundLint:
        """A lint on the present version."""
        return FoundLint(lint, self.text, self.values, self.places, self.path.parent, respondents)

    def mended(self, mend: str, respondents: int) -> str:
        """The text of the file once a lint is mended.

        Args:
            mend: Its id.
            respondents: How many are reckoned with.

        Raises:
            EditError: If no lint of the present version has this mend, or nothing mends it.
        """
        return self.mending(mend, respondents)()

    def mending(self, mend: str, respondents: int) -> Callable[[], str]:
        """What makes that text, which may take long and needs no lock.

        Args:
            mend: Its id.
            respondents: How many are reckoned with.

        Raises:
            EditError: If no lint of the present version has this mend.
        """
        figures = self.figures(respondents)
        lints = () if figures is None or figures.compiled is not self.compiled() else figures.check.lints
        for each in lints:
            way = mend_of(self.found(each, respondents))
            if way is not None and way.id == mend:
                text = self.text
                return lambda: edited(text, way.make())
        raise EditError("mend", "the remark does not exist any more", "look at the current remarks")

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
        with self._writing(version):
            self._put(edited(self.text, edits))

    def replace(self, version: int, text: str) -> None:
        """Put another text in place of the file; otherwise as `edit`."""
        with self._writing(version):
            self._put(text)

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
            raise OvertakenError(self.path.name, problem, "look at the current survey, and make the change again")

    def _step(self, version: int, source: list[str], target: list[str]) -> None:
        with self._writing(version):
            if not source:
                raise EditError(self.path.name, "there is nothing to undo or redo", "edit it")
            self._write(source[-1])
            target.append(self.text)
            self.text, self.is_changed = source.pop(), False
            self.version += 1

    @contextmanager
    def _writing(self, version: int) -> Iterator[None]:
        """Change a version that is the present one, while no other window and no other process does."""
        with self._lock, locked(self.path):
            self.check(version)
            yield

    def _put(self, text: str) -> None:
        if text != self.text:
            self._write(text)
            self._go_on(text, is_changed=False)

    def _write(self, text: str) -> None:
        """Write the file, unless somebody who knows of no lock has changed it by now."""
        write_text(self.path, [text], partial(self.check, self.version))

    def _go_on(self, text: str, *, is_changed: bool) -> None:
        self._undo = [*self._undo, self.text][-MOST_KEPT:]
        self._redo.clear()
        self.text, self.is_changed = text, is_changed
        self.version += 1

    def _on_disk(self) -> str | None:
        return text_of(self.path, "a TOML file") if self.path.exists() else None
