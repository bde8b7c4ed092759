"""The published versions of surveys, as the store keeps them, and which of them take responses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collector.database.connections import RESTORE, Connections
from collector.database.sqlite import Database
from collector.errors import StoreError, SurveyError
from collector.store.schema import (
    CLOSE_SQL,
    CLOSED_FOR_GOOD_SQL,
    FORGET_WITHDRAWN_SQL,
    OPEN_SQL,
    STATE_SQL,
    STATES_SQL,
    forget_sql,
    table_sql,
    view_sql,
)
from collector.store.simulated import UNDO
from collector.survey.design import survey_from_json
from collector.survey.survey import Survey


@dataclass(frozen=True)
class Published:
    """One published version of a survey.

    Attributes:
        name: Of the survey.
        version: 1, 2, ... in the order of publication.
        fingerprint: SHA-256 of the survey's canonical JSON.
        survey: The design itself, read back and checked against its fingerprint.
    """

    name: str
    version: int
    fingerprint: str
    survey: Survey

    @property
    def table(self) -> str:
        """The table that holds the responses, as codes."""
        return f"responses_{self.view}"

    @property
    def view(self) -> str:
        """The view that shows the responses in words."""
        return f"{self.name}_{self.version}"


@dataclass(frozen=True)
class State:
    """What is published under a name just now.

    Attributes:
        newest: The newest version.
        is_open: Whether it takes responses: it is not closed, has no simulated ones, and its last day is not over.
        is_simulated: Whether simulated responses were imported into it.
    """

    newest: Published
    is_open: bool
    is_simulated: bool


class Catalogue:
    """Reads and writes what is published. Methods raise `StoreError` as `collector.store.store.Store` says."""

    def __init__(self, path: Path, connections: Connections) -> None:
        self._path = path
        self._connections = connections
        self._known: dict[str, Published] = {}

    def publish(self, survey: Survey) -> Published:
        """Publish a survey under its next version number, with a table for its responses."""
        with self._connections.writing() as database:
            if not self._find(database, "fingerprint = ?", survey.fingerprint):
                survey.check_length()
                self._refuse_closed_for_good(database, survey.name)
                version = 1 + len(self._find(database, "name = ?", survey.name))
                published = Published(survey.name, version, survey.fingerprint, survey)
                database.execute(
                    "INSERT INTO surveys (fingerprint, name, version, design) VALUES (?, ?, ?, ?)",
                    [survey.fingerprint, survey.name, version, survey.canonical],
                )
                database.execute(table_sql(published.table, survey))
                database.execute(view_sql(published.view, published.table, survey))
        return self.published_as(survey.fingerprint)

    def surveys(self) -> list[Published]:
        """Every published version, by name and then by version."""
        with self._connections.reading() as database:
            return self._find(database)

    def versions(self, name: str) -> list[Published]:
        """Every published version of one survey, the oldest first."""
        with self._connections.reading() as database:
            versions = self._find(database, "name = ?", name)
            names = [row[0] for row in database.execute("SELECT DISTINCT name FROM surveys ORDER BY name")]
        if not versions:
            remedy = f"use one of: {', '.join(names)}" if names else "publish it first"
            raise StoreError(str(self._path), f'no survey "{name}" is published here', remedy)
        return versions

    def published(self, name: str, version: int | None = None) -> Published:
        """One published version of a survey, the newest unless said."""
        versions = self.versions(name)
        if version is None:
            return versions[-1]
        if not 1 <= version <= len(versions):
            remedy = f"use one of: {', '.join(str(each.version) for each in versions)}"
            raise StoreError(str(self._path), f'survey "{name}" has no version {version}', remedy)
        return versions[version - 1]

    def version_of(self, name: str, fingerprint: str) -> Published | None:
        """The version of this survey with this fingerprint; None if there is none. No query once it is known."""
        if fingerprint not in self._known and fingerprint.isascii():  # SQLite takes no half of a surrogate pair
            with self._connections.reading() as database:
                self._find(database, "fingerprint = ?", fingerprint)
        found = self._known.get(fingerprint)
        return found if found and found.name == name else None

    def published_as(self, fingerprint: str) -> Published:
        """The published version with this fingerprint."""
        if fingerprint not in self._known:  # a design never changes once it is published
            with self._connections.reading() as database:
                self._find(database, "fingerprint = ?", fingerprint)
        if fingerprint not in self._known:
            raise StoreError(str(self._path), "this design is not published here", "publish its survey file first")
        return self._known[fingerprint]

    def state(self, name: str) -> State | None:
        """What is published under a name; None if nothing is."""
        with self._connections.reading() as database:
            row = database.conn.execute(STATE_SQL, (name,)).fetchone()
        return None if row is None else self._state(row[0], row[1], row[3])

    def states(self) -> list[State]:
        """What is published, by name."""
        with self._connections.reading() as database:
            rows = database.conn.execute(STATES_SQL).fetchall()
        return [self._state(*row[2:]) for row in rows]

    def _state(self, fingerprint: str, closed: int, simulated: int) -> State:
        newest = self.published_as(fingerprint)
        is_open = not (closed or simulated or newest.survey.is_over)
        return State(newest, is_open, is_simulated=bool(simulated))

    def close_survey(self, name: str, *, for_good: bool) -> None:
        """Take no more responses to a survey; for good also erases every receipt of every version."""
        versions = self.versions(name)
        with self._connections.writing() as database:
            database.execute(CLOSE_SQL, [name, int(for_good)])
            if for_good:
                for each in versions:
                    database.execute(forget_sql(each.table))
                database.execute(FORGET_WITHDRAWN_SQL, [name])

    def open_survey(self, name: str) -> None:
        """Take responses again."""
        study = self.published(name).survey.study
        if study is not None and study.is_over:
            place = f'{self._path}: survey "{name}"'
            raise StoreError(place, f"its last day, {study.until}, is over", "publish it again with a later one")
        state = self.state(name)
        if state is not None and state.is_simulated:
            raise StoreError(f'{self._path}: survey "{name}"', "it has simulated responses", UNDO)
        with self._connections.writing() as database:
            self._refuse_closed_for_good(database, name)
            database.execute(OPEN_SQL, [name])

    def _refuse_closed_for_good(self, database: Database, name: str) -> None:
        if database.execute(CLOSED_FOR_GOOD_SQL, [name]).fetchone()[0]:
            place = f'{self._path}: survey "{name}"'
            raise StoreError(place, "it was closed for good", "publish it under another name")

    def _find(self, database: Database, where: str | None = None, *parameters: str) -> list[Published]:
        rows = database["surveys"].rows_where(where, parameters, order_by="name, version")
        return [self._read(row) for row in list(rows)]

    def _read(self, row: dict[str, Any]) -> Published:
        fingerprint = row["fingerprint"]
        if fingerprint not in self._known:
            place = f'{self._path}: survey "{row["name"]}" version {row["version"]}'
            try:
                survey = survey_from_json(row["design"])
            except SurveyError as error:
                raise StoreError(f"{place}: {error.place}", error.problem, RESTORE) from None
            if survey.fingerprint != fingerprint or survey.name != row["name"]:
                raise StoreError(place, "its design does not have its fingerprint", RESTORE)
            self._known[fingerprint] = Published(survey.name, row["version"], fingerprint, survey)
        return self._known[fingerprint]
