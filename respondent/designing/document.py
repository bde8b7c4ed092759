"""A survey file that is edited in the designer, with undo and redo."""

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

MOST_KEPT = 200  # maximum number of versions that can be undone


class OvertakenError(EditError):
    """The error for an edit of a version of the survey file that is no longer current."""


@dataclass(frozen=True)
class Previewed:
    """The survey that the preview shows, and the translations that are missing in it.

    Attributes:
        survey: The survey.
        missing: Path and language of each missing translation.
        is_stale: Whether the preview shows an earlier version because the current version has errors.
    """

    survey: Survey
    missing: tuple[tuple[Place, str], ...] = ()
    is_stale: bool = False


class SurveyDocument:
    """A survey file in the designer. Each change is written to disk before it becomes the current version.

    Args:
        path: Path of the file, which may be missing until the first edit.

    Attributes:
        version: Number of the current version, which grows by 1 with each change, undo and redo.
        text: Text of the current version.
        is_changed: Whether another program wrote the current version.
        last: Last version without errors, compiled, or None.
        originals: The original texts from which the translations were made.
        store: Store in which the survey was published last, or empty text.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.version = path, 1
        self.text = self._on_disk() or ""
        self.is_changed = False
        self._undo, self._redo, self._lock = list[str](), list[str](), RLock()
        self._compiled: tuple[str, Compiled | SurveyError] | None = None
        self.last: Compiled | None = None
        self.originals = Originals()
        self.store = ""
        self._previewed: tuple[str, Previewed | None] | None = None
        self._figures: SurveyFigures | None = None
        self._values: tuple[str, dict[str, Any], Places] | None = None
        self.compiled()

    @property
    def lock(self) -> RLock:
        """Lock that a caller must hold while reading or changing the document."""
        return self._lock

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to undo."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Whether there is a change to redo."""
        return bool(self._redo)

    @property
    def values(self) -> dict[str, Any]:
        """Values of the survey file, or an empty dictionary if the file is not valid TOML."""
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
        """Object that finds paths in the current version of the survey file."""
        return Places(self.values) if self._values is None else self._values[2]

    def compiled(self) -> Compiled | SurveyError:
        """Return the compiled survey of the current version, or its errors."""
        if self._compiled is None or self._compiled[0] != self.text:
            found: Compiled | SurveyError
            try:
                found = self.last = compiled(self.text, self.path.parent)
            except SurveyError as error:
                found = error
            self._compiled = (self.text, found)
        return self._compiled[1]

    def previewed(self) -> Previewed | None:
        """Return the survey to preview, or None if every version so far has errors.

        If the current version has errors other than missing translations, the last valid version is returned.
        """
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
        """Return the privacy and precision of the last version without errors, or None without such a version."""
        self.compiled()
        kept = self._figures
        if self.last is None or (kept and kept.compiled is self.last and kept.respondents == respondents):
            return kept
        self._figures = SurveyFigures(self.last, respondents)
        return self._figures

    def found(self, lint: Lint, respondents: int) -> FoundLint:
        """Return a lint together with the current version of the survey file."""
        return FoundLint(lint, self.text, self.values, self.places, self.path.parent, respondents)

    def mended(self, mend: str, respondents: int) -> str:
        """Return the text of the survey file after a lint is fixed.

        Args:
            mend: Id of the fix.
            respondents: Assumed number of respondents.

        Raises:
            EditError: If no lint of the current version has this fix, or the survey file cannot be fixed in this way.
        """
        return self.mending(mend, respondents)()

    def mending(self, mend: str, respondents: int) -> Callable[[], str]:
        """Return a function that fixes a lint and returns the new text of the survey file.

        The function for a fix may be slow, and may be called without the lock.

        Args:
            mend: Id of the fix.
            respondents: Assumed number of respondents.

        Raises:
            EditError: If no lint of the current version has this fix.
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
        """Make the file on disk the current version if another program has changed it.

        Raises:
            InputError: If the file cannot be read as text.
        """
        with self._lock:
            found = self._on_disk()
            if found is not None and found != self.text:
                self._go_on(found, is_changed=True)

    def edit(self, version: int, edits: list[dict[str, Any]]) -> None:
        """Make edits of the survey file, all of them or none.

        Raises:
            OvertakenError: If the given version is not the current version.
            EditError: If an edit is not valid.
            OutputError: If the file cannot be written.
        """
        with self._writing(version):
            self._put(edited(self.text, edits))

    def replace(self, version: int, text: str) -> None:
        """Replace the whole text of the survey file."""
        with self._writing(version):
            self._put(text)

    def undo(self, version: int) -> None:
        """Undo the last change of the survey file."""
        self._step(version, self._undo, self._redo)

    def redo(self, version: int) -> None:
        """Redo the change of the survey file that was undone last."""
        self._step(version, self._redo, self._undo)

    def check(self, version: int) -> None:
        """Check that a version number is the number of the current version.

        Raises:
            OvertakenError: If the version is not the current version.
        """
        self.look()
        if version != self.version:
            problem = "another program changed this survey" if self.is_changed else "another window changed this survey"
            raise OvertakenError(self.path.name, problem, "look at the new state, and make the change again")

    def _step(self, version: int, source: list[str], target: list[str]) -> None:
        with self._writing(version):
            if not source:
                raise EditError(self.path.name, "there is nothing to undo or redo", "make a change first")
            self._write(source[-1])
            target.append(self.text)
            self.text, self.is_changed = source.pop(), False
            self.version += 1

    @contextmanager
    def _writing(self, version: int) -> Iterator[None]:
        """Check the version number, and lock the survey file while the block writes the file."""
        with self._lock, locked(self.path):
            self.check(version)
            yield

    def _put(self, text: str) -> None:
        if text != self.text:
            self._write(text)
            self._go_on(text, is_changed=False)

    def _write(self, text: str) -> None:
        """Write the file, unless a program that ignores the lock has changed it in the meantime."""
        write_text(self.path, [text], partial(self.check, self.version))

    def _go_on(self, text: str, *, is_changed: bool) -> None:
        self._undo = [*self._undo, self.text][-MOST_KEPT:]
        self._redo.clear()
        self.text, self.is_changed = text, is_changed
        self.version += 1

    def _on_disk(self) -> str | None:
        return text_of(self.path, "a TOML file") if self.path.exists() else None
