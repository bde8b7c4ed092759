"""The catalogue of published surveys in the store, with their versions and whether they take responses."""

from dataclasses import replace

from collector.database.address import Place
from collector.database.session import Engine, Session
from collector.errors import StoreError, SurveyError
from collector.store.pictures import forget_pictures, keep_pictures
from collector.store.published import Designs, Published, SurveyState
from collector.store.quota import quota_of
from collector.store.registry import TRAINED_SQL
from collector.store.schema import (
    CLOSE_SQL,
    CLOSED_FOR_GOOD_SQL,
    EMPTIED_SQL,
    EMPTY_VERSION_SQL,
    FOR_GOOD,
    FORGET_WITHDRAWN_SQL,
    NEXT_SQL,
    OPEN_SQL,
    PUBLISH_SQL,
    REMOVE_SQL,
    REMOVE_VERSION_SQL,
    REVISE_SQL,
    REVISIONS_SQL,
    STATE_SQL,
    STATES_SQL,
    count_sql,
    forget_sql,
    table_sql,
    view_sql,
)
from collector.store.simulated import UNDO
from collector.survey.revision import coded_part
from collector.survey.survey import Survey


def _check_wave(survey: Survey, newest: int) -> None:
    """Check that the number of a survey's wave equals the newest version's number, or is the next number."""
    if survey.wave not in {newest, newest + 1}:
        problem = f"it is {survey.wave} (1 where the survey file names none), and the newest version is wave {newest}"
        remedy = f"write wave = {newest} to change that wave, or wave = {newest + 1} to begin the next"
        raise SurveyError("wave", problem, remedy)


class Catalogue:
    """The part of `collector.store.store.Store` that publishes surveys, lists versions, and opens and closes surveys.

    Raises:
        StoreError: From every method, for the reasons that `collector.store.store.Store` lists.
    """

    def __init__(self, path: Place, connections: Engine) -> None:
        self._path = path
        self._connections = connections
        self._designs = Designs(path)

    def publish(self, survey: Survey, *, new_version: bool = False) -> Published:
        """Publish a survey under its next version number, with a table for its responses.

        A survey that differs from the newest version only in wording becomes a revision of this version, and their
        responses are pooled. A survey whose wave is the next one always becomes a new version. If `new_version` is set,
        every survey becomes a new version, and a design that was published before becomes the next wave.

        Returns:
            The published version in the wording of `survey`. A version that was published before stays unchanged.

        Raises:
            SurveyError: If a response could be longer than a server accepts, or the wave is neither the newest
                version's wave nor the next wave.
        """
        with self._connections.writing() as database:
            keep_pictures(database, survey)
            versions = self._designs.find(database, "name = ?", survey.name)
            if versions and new_version:
                survey = replace(survey, wave=max(survey.wave, versions[-1].survey.wave))
            elif versions:
                _check_wave(survey, versions[-1].survey.wave)
            while new_version and self._is_used(database, survey.fingerprint):
                survey = replace(survey, wave=survey.wave + 1)
            if (number := self._emptied(database, survey.fingerprint)) is not None:
                place = f'{self._path}: survey "{survey.name}"'
                problem = f"this design was version {number}, which was removed, and its fingerprint is not used again"
                raise StoreError(place, problem, "publish it with --new-version, or change the survey file")
            version = self._version_of(database, survey, [] if new_version else versions)
            if version is None:
                survey.check_length()
                self._refuse_closed_for_good(database, survey.name)
                following = self._next(database, survey.name)
                self._add_version(database, Published(survey.name, following, survey.fingerprint, survey))
            elif version.version == versions[-1].version and survey.fingerprint != self._shown(database, survey.name):
                self._refuse_closed_for_good(database, survey.name)
                database.execute(
                    REVISE_SQL, [survey.fingerprint, version.fingerprint, survey.canonical, version.fingerprint]
                )
        return self.published_as(survey.fingerprint)

    def kept_version(self, survey: Survey) -> Published | None:
        """Return the version that `publish` would keep or revise, or None if it would add another version."""
        with self._connections.reading() as database:
            return self._version_of(database, survey, self._designs.find(database, "name = ?", survey.name))

    def next_version(self, name: str) -> int:
        """Return the number of the next new version of a survey: 1 if there is none yet."""
        with self._connections.reading() as database:
            return self._next(database, name)

    @staticmethod
    def _next(database: Session, name: str) -> int:
        return int(database.execute(NEXT_SQL, [name]).fetchone()[0])

    def _version_of(self, database: Session, survey: Survey, versions: list[Published]) -> Published | None:
        """Return the version that has a survey as a wording, or else the newest version if their responses pool."""
        version = self._designs.wording(database, survey.fingerprint)
        return versions[-1] if version is None and versions and self._pools(versions[-1], survey) else version

    @staticmethod
    def _pools(published: Published, survey: Survey) -> bool:
        return coded_part(published.survey) == coded_part(survey)

    @staticmethod
    def _shown(database: Session, name: str) -> str:
        """Return the fingerprint of the newest wording of the newest version."""
        return str(database.execute(STATE_SQL, (name,)).fetchone()[4])

    @staticmethod
    def _add_version(database: Session, published: Published) -> None:
        survey = published.survey
        database.execute(PUBLISH_SQL, [published.fingerprint, published.name, published.version, survey.canonical])
        database.execute(table_sql(published.table, survey))
        database.execute(view_sql(published.view, published.table, survey))

    def revisions(self, published: Published) -> list[Survey]:
        """Return every wording of a version in the order of publication.

        The survey's page shows the last wording.
        """
        with self._connections.reading() as database:
            rows = database.execute(f"{REVISIONS_SQL} AND version = ? ORDER BY number", [published.fingerprint])
            later = [self._designs.revision(database, row).survey for row in rows.fetchall()]
        return [self.published_as(published.fingerprint).survey, *later]

    def surveys(self) -> list[Published]:
        """Return every published version, sorted by name and version."""
        with self._connections.reading() as database:
            return self._designs.find(database)

    def versions(self, name: str) -> list[Published]:
        """Return every published version of one survey, the oldest first."""
        with self._connections.reading() as database:
            return self._versions(database, name)

    def _versions(self, database: Session, name: str) -> list[Published]:
        versions = self._designs.find(database, "name = ?", name)
        if not versions:
            names = [row[0] for row in database.execute("SELECT DISTINCT name FROM surveys ORDER BY name")]
            remedy = f"use one of: {', '.join(names)}" if names else "publish it first"
            if not name.isidentifier():
                remedy = f"the name of the survey comes first, then the condition or formula; {remedy}"
            raise StoreError(str(self._path), f'no survey "{name}" is published here', remedy)
        return versions

    def published(self, name: str, version: int | None = None) -> Published:
        """Return a published version of a survey, by default the newest.

        Raises:
            StoreError: If the survey or the version does not exist.
        """
        versions = self.versions(name)
        return versions[-1] if version is None else self._numbered(versions, name, version)

    def _numbered(self, versions: list[Published], name: str, version: int) -> Published:
        for each in versions:
            if each.version == version:
                return each
        remedy = f"use one of: {', '.join(str(each.version) for each in versions)}"
        raise StoreError(str(self._path), f'survey "{name}" has no version {version}', remedy)

    def version_of(self, name: str, fingerprint: str) -> Published | None:
        """Return the published version of a survey with the fingerprint of one of its wordings, or None.

        Versions are cached, because the design of a version cannot change. The method `Store.receive` checks whether a
        version is still published.
        """
        found = self._designs.known.get(fingerprint) or self._as_published(fingerprint)
        return found if found and found.name == name else None

    def published_as(self, fingerprint: str) -> Published:
        """Return the published version in the wording that a fingerprint identifies.

        Raises:
            StoreError: If the fingerprint belongs to no published wording.
        """
        found = self._as_published(fingerprint)
        if found is None:
            raise StoreError(str(self._path), "this design is not published here", "publish the survey file first")
        return found

    def _as_published(self, fingerprint: str) -> Published | None:
        if not fingerprint.isascii():  # SQLite takes no half of a surrogate pair
            return None
        with self._connections.reading() as database:
            return self._designs.wording(database, fingerprint)

    def state(self, name: str) -> SurveyState | None:
        """Return the current state of a survey, or None if the survey does not exist."""
        with self._connections.reading() as database:
            row = database.execute(STATE_SQL, (name,)).fetchone()
            if row is None:
                return None
            fingerprint, closed, _, simulated, shown, version = row
            return self._state(database, name, version, fingerprint, shown, closed, simulated)

    def states(self) -> list[SurveyState]:
        """Return the current state of every survey, sorted by name."""
        with self._connections.reading() as database:
            rows = database.execute(STATES_SQL).fetchall()
            return [self._state(database, *row) for row in rows]

    def _state(  # noqa: PLR0913, PLR0917 - as the statement selects them
        self,
        database: Session,
        name: str,
        version: int,
        fingerprint: str,
        shown: str,
        closed: int | None,
        simulated: int,
    ) -> SurveyState:
        newest = Published(name, version, fingerprint, self._designs.survey(database, shown))
        quota = quota_of(database, newest.table, newest.survey)
        is_closed = bool(closed or newest.survey.is_over)
        return SurveyState(newest, is_closed, bool(simulated), quota, for_good=closed == FOR_GOOD)

    def close_survey(self, name: str, *, for_good: bool = False) -> None:
        """Stop taking responses to a survey.

        Args:
            name: Name of the survey.
            for_good: Whether to erase every receipt, so that no response can be withdrawn and the survey cannot be
                opened again.
        """
        with self._connections.writing() as database:
            versions = self._versions(database, name)
            database.execute(CLOSE_SQL, [name, int(for_good)])
            if for_good:
                for each in versions:
                    database.execute(forget_sql(each.table))
                database.execute(FORGET_WITHDRAWN_SQL, [name])

    def open_survey(self, name: str) -> None:
        """Open a closed survey, which then takes responses again.

        Raises:
            StoreError: If the survey was closed for good, is past its last day, or has simulated responses.
        """
        self.published(name)  # says which names there are if this is none
        state, place = self.state(name), f'{self._path}: survey "{name}"'
        study = state.newest.survey.study if state else None
        if study is not None and study.is_over and state and not state.for_good:
            raise StoreError(
                place, f"its last day, {study.until}, is over", "publish the survey again with a later closing time"
            )
        if state is not None and state.is_simulated:
            raise StoreError(place, "the survey has simulated responses", UNDO)
        with self._connections.writing() as database:
            self._refuse_closed_for_good(database, name)
            database.execute(OPEN_SQL, [name])

    def remove(self, name: str) -> int:
        """Delete a survey and everything that belongs to it, and return the number of deleted responses."""
        with self._connections.writing() as database:
            versions = self._versions(database, name)
            count = sum(int(database.execute(count_sql(each.table)).fetchone()[0]) for each in versions)
            for each in versions:
                self._drop(database, each, REMOVE_VERSION_SQL)
            for sql in REMOVE_SQL:
                database.execute(sql, [name])
            forget_pictures(database)
        return count

    def remove_version(self, name: str, version: int) -> None:
        """Delete a version that has no responses. Its number and its fingerprints are not used again.

        Raises:
            StoreError: If the version does not exist, is the only one, has responses, or was trained on responses.
        """
        with self._connections.writing() as database:
            versions = self._versions(database, name)
            doomed = self._numbered(versions, name, version)
            place = f'{self._path}: survey "{name}" version {version}'
            if len(versions) == 1:
                raise StoreError(place, "it is the only version", f"remove the survey: collector remove {name}")
            count = int(database.execute(count_sql(doomed.table)).fetchone()[0])
            trained = int(database.execute(TRAINED_SQL, [doomed.fingerprint] * TRAINED_SQL.count("?")).fetchone()[0])
            if count or trained:
                problem = (
                    f"responses to it are stored ({count})"
                    if count
                    else f"a model was trained on {trained} responses to it"
                )
                raise StoreError(place, problem, "keep it, or publish the survey under another name")
            self._drop(database, doomed, EMPTY_VERSION_SQL)
            forget_pictures(database)

    @staticmethod
    def _drop(database: Session, version: Published, forgetting: tuple[str, ...]) -> None:
        """Delete the table of a version, and run the statements that forget what else belongs to it."""
        database.execute(f'DROP VIEW "{version.view}"')
        database.execute(f'DROP TABLE "{version.table}"')
        for sql in forgetting:
            database.execute(sql, [version.fingerprint] * sql.count("?"))

    def _is_used(self, database: Session, fingerprint: str) -> bool:
        """Return whether a fingerprint belongs to a wording that is published, or to a version that was removed."""
        if self._emptied(database, fingerprint) is not None:
            return True
        return self._designs.wording(database, fingerprint) is not None

    @staticmethod
    def _emptied(database: Session, fingerprint: str) -> int | None:
        """Return the number of the removed version to which a fingerprint belongs, or None."""
        found = database.execute(EMPTIED_SQL, [fingerprint] * 2).fetchone()
        return None if found is None else int(found[0])

    def _refuse_closed_for_good(self, database: Session, name: str) -> None:
        if database.execute(CLOSED_FOR_GOOD_SQL, [name]).fetchone()[0]:
            place = f'{self._path}: survey "{name}"'
            raise StoreError(place, "the survey was closed for good", "publish the survey under another name")
