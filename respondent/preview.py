"""The preview of a survey file in the browser.

The survey file is read again when it changes, and every screen is marked as a preview. Without a store of test
responses, the preview checks responses and discards them. With a store of test responses, the preview keeps responses,
which count as simulated.
"""

import socket
from collections.abc import Callable
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from flask import Flask

from collector.store.published import Published, SurveyState
from collector.store.quota import Quota
from collector.store.reception import Admit
from collector.store.store import Invitations, Outcome, Sent, Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import read_survey_file
from respondent.app import create_app
from respondent.file_texts import Place, put_text, texts_of
from respondent.server import Server

Mark = Literal["preview", "test", "draft"]


def filled_in(document: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[Place, str]]]:
    """Return the values of a survey file in which missing translations are replaced by another language or a name.

    Args:
        document: Values of the survey file, which are not changed.

    Returns:
        The values with all translations, and the path and language of each translation that was filled in.
    """
    languages = document.get("languages")
    if not (isinstance(languages, list) and languages and all(isinstance(each, str) for each in languages)):
        return document, []
    filled, missing = deepcopy(document), list[tuple[Place, str]]()
    for text in texts_of(document):
        is_plain = len(languages) == 1 and not isinstance(text.said, dict)
        if text.said is None if text.is_word else not (isinstance(text.said, dict) or text.said or text.name):
            continue  # there is nothing to show, or a value reads as it is called
        if text.said and not isinstance(text.said, str | dict):
            continue  # it is no text, and the survey file's reader says so
        there = text.by_language(languages[0])
        words = next((there[each] for each in languages if each in there), text.name)
        lacking = [each for each in languages if each not in there] if words else []
        if lacking:
            put_text(filled, text, words if is_plain else there | dict.fromkeys(lacking, words))
            missing += [(text.place, each) for each in lacking]
    return filled, missing


class WatchedFile:
    """A survey file, which is read again after each change."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int] | None = None
        self._survey: Survey | None = None

    def survey(self) -> Survey:
        """Return the survey in the current content of the file.

        Raises:
            InputError: If the survey file cannot be read as text.
            SurveyError: If the survey file is not valid.
        """
        try:
            stat = self._path.stat()
            seen = (stat.st_mtime_ns, stat.st_size)
        except OSError:
            seen = None  # reading says what is wrong
        if self._survey is None or seen is None or seen != self._seen:
            self._survey, self._seen = read_survey_file(self._path), seen
        return self._survey


class NoStore(Store):
    """A substitute for a store, which has the survey of a file, and checks responses without keeping them.

    Args:
        path: Path of the survey file.
        survey: Function that returns the current survey. [default: the survey is read from the file]
    """

    def __init__(self, path: Path, survey: Callable[[], Survey] | None = None) -> None:  # it opens nothing
        self.path = path
        self._survey = survey or WatchedFile(path).survey

    def _published(self) -> Published:
        survey = self._survey()
        return Published(survey.name, 1, survey.fingerprint, survey)

    def states(self) -> list[SurveyState]:
        """Return the state of the file's survey, which is always open."""
        return [SurveyState(self._published(), is_closed=False, is_simulated=False, quota=Quota())]

    def state(self, name: str) -> SurveyState | None:
        """Return the state of the file's survey if it has this name, otherwise None."""
        return next((each for each in self.states() if each.newest.name == name), None)

    def picture(self, name: str) -> bytes | None:
        """Return the bytes of a picture of the survey."""
        return next((each.content for each in self._survey().pictures if each.name == name), None)

    def version_of(self, name: str, fingerprint: str) -> Published | None:
        """Return the file's survey if it has this name and fingerprint, otherwise None."""
        found = self._published()
        return found if (found.name, found.fingerprint) == (name, fingerprint) else None

    def invitations(self, name: str) -> Invitations:
        """Return zero invitations, because a preview needs no invitations."""
        del name
        return Invitations(0, 0)

    def receive(self, survey: Survey, sent: Sent, admit: Admit | None = None) -> Outcome:
        """Discard a response, and report that the response is stored."""
        del survey, sent, admit
        return Outcome.STORED

    def has(self, survey: Survey, receipt: bytes) -> bool:
        """Return False, because no response is kept."""
        del survey, receipt
        return False

    def withdraw(self, survey: Survey, receipt: bytes) -> Outcome:
        """Report that a response is deleted, because no response is kept."""
        del survey, receipt
        return Outcome.WITHDRAWN

    def sealed(self, name: str, what: bytes) -> bytes:
        """Return 32 arbitrary bytes, because the forms of a preview need no proof."""
        return sha256(name.encode() + what).digest()


class TestStore(Store):
    """A store of test responses, in which the current survey of a file is published.

    Raises:
        StoreError: If the file is a store of real responses.
    """

    def __init__(self, path: Path, survey_path: Path) -> None:
        super().__init__(path, create=True, tests=True)
        self._file = WatchedFile(survey_path)

    def states(self) -> list[SurveyState]:
        """Return the state of the survey after publishing the current content of the file."""
        self.publish(self._file.survey())
        return super().states()

    def state(self, name: str) -> SurveyState | None:
        """Return the state of the survey that has a name, or None."""
        self.publish(self._file.survey())
        return super().state(name)


class PreviewServer(Server):
    """The server that shows the survey of a file."""

    def __init__(self, survey_path: Path, test_store: Path | None, listener: socket.socket) -> None:
        self._survey_path, self._test_store = survey_path, test_store
        super().__init__(test_store or survey_path, listener)

    def _tidy(self, arbiter: Any) -> None:  # noqa: ANN401 - gunicorn brings no types
        if self._test_store is not None:
            super()._tidy(arbiter)

    def load(self) -> Flask:
        """Return the application of the preview, for one worker process."""
        tests = None if self._test_store is None else TestStore(self._test_store, self._survey_path)
        return preview_app(tests, self._survey_path)


def preview_app(test_store: TestStore | None, survey_path: Path) -> Flask:
    """Return the application that previews a survey file.

    Args:
        test_store: Store of test responses, which the caller closes, or None to keep nothing.
        survey_path: Path of the survey file.
    """
    if test_store is None:
        return create_app(NoStore(survey_path), mark="preview")
    return create_app(test_store, mark="test")
