"""Published versions and current states of surveys, and how the store reads them."""

from collections.abc import Sequence
from dataclasses import dataclass

from collector.database.address import Place
from collector.database.connections import RESTORE
from collector.database.session import Session
from collector.errors import StoreError, SurveyError
from collector.store.quota import Quota
from collector.store.schema import REVISIONS_SQL, SURVEYS_SQL
from collector.survey.design import survey_from_json
from collector.survey.revision import coded_part
from collector.survey.survey import Survey

NOT_ITS_OWN = "its design does not have its fingerprint"


@dataclass(frozen=True)
class Published:
    """One published version of a survey, in one of its wordings.

    Attributes:
        name: Name of the survey.
        version: Number of the version: 1, 2, ... in the order of publication.
        fingerprint: SHA-256 of the canonical JSON of the version's first wording, which identifies the version in the
            store.
        survey: Design in the first wording or in the requested wording, checked against its fingerprint.
    """

    name: str
    version: int
    fingerprint: str
    survey: Survey

    @property
    def table(self) -> str:
        """The name of the table that holds the responses as codes."""
        return f"responses_{self.view}"

    @property
    def view(self) -> str:
        """The name of the view that shows the responses in words."""
        return f"{self.name}_{self.version}"


@dataclass(frozen=True)
class SurveyState:
    """The current state of a published survey.

    Attributes:
        newest: Newest version in its newest wording.
        is_closed: Whether the survey was closed or its last day is over.
        is_simulated: Whether the survey contains imported simulated responses.
        quota: Numbers of responses that the survey still takes.
        for_good: Whether the survey is closed and cannot be opened again.
    """

    newest: Published
    is_closed: bool
    is_simulated: bool
    quota: Quota
    for_good: bool = False

    @property
    def is_early(self) -> bool:
        """Whether the survey has not opened yet."""
        study = self.newest.survey.study
        return study is not None and study.is_early

    @property
    def is_full(self) -> bool:
        """Whether the survey has reached its quota of responses."""
        return self.quota.left is not None and self.quota.left <= 0

    @property
    def is_open(self) -> bool:
        """Whether the survey takes responses."""
        return not (self.is_closed or self.is_simulated or self.is_early or self.is_full)


class Designs:
    """The reader of the published versions of surveys from the store.

    Each design is read and checked only once, because a fingerprint identifies one design. The list of versions is read
    each time, because another process may change it.

    Args:
        path: Path of the store, for error messages.

    Raises:
        StoreError: From every method, if a design does not match its fingerprint.
    """

    def __init__(self, path: Place) -> None:
        self._path = path
        self._surveys: dict[str, Survey] = {}
        self.known: dict[str, Published] = {}
        """Wordings by fingerprint as they were last read. The store checks a wording again when a response is
        stored."""

    def find(self, database: Session, where: str = "true", *parameters: str) -> list[Published]:
        """Return the published versions that meet an SQL condition, in their first wording, sorted by name."""
        rows = database.execute(f"{SURVEYS_SQL} AND {where} ORDER BY name, version", parameters)
        return [self._read(*row) for row in rows.fetchall()]

    def wording(self, database: Session, fingerprint: str) -> Published | None:
        """Return the published version in the wording that a fingerprint identifies, or None."""
        versions = self.find(database, "fingerprint = ?", fingerprint)
        found = versions[0] if versions else None
        if found is None:
            row = database.execute(f"{REVISIONS_SQL} AND fingerprint = ?", [fingerprint]).fetchone()
            found = self.revision(database, row) if row else None
        if found is None:
            self.known.pop(fingerprint, None)
        else:
            self.known[fingerprint] = found
        return found

    def survey(self, database: Session, fingerprint: str) -> Survey:
        """Return the design of a published wording, which is read only once."""
        if fingerprint not in self._surveys and self.wording(database, fingerprint) is None:
            raise StoreError(str(self._path), "the store lacks the design of a survey", RESTORE)
        return self._surveys[fingerprint]

    def revision(self, database: Session, row: Sequence[str]) -> Published:
        """Return the published version in a later wording, given the wording's row in the table ``revisions``."""
        fingerprint, version, design = row
        place = f"{self._path}: revision {fingerprint[:16]}"
        versions = self.find(database, "fingerprint = ?", version)
        survey = self._survey(design, fingerprint, place)
        if not versions or coded_part(versions[0].survey) != coded_part(survey):
            raise StoreError(place, "the revision does not belong to the version that it names", RESTORE)
        return Published(survey.name, versions[0].version, version, survey)

    def _read(self, fingerprint: str, name: str, version: int, design: str) -> Published:
        place = f'{self._path}: survey "{name}" version {version}'
        survey = self._survey(design, fingerprint, place)
        if survey.name != name:
            raise StoreError(place, NOT_ITS_OWN, RESTORE)
        return Published(survey.name, version, fingerprint, survey)

    def _survey(self, design: str, fingerprint: str, place: str) -> Survey:
        if fingerprint not in self._surveys:
            try:
                survey = survey_from_json(design)
            except SurveyError as error:
                raise StoreError(f"{place}: {error.place}", error.problem, RESTORE) from None
            if survey.fingerprint != fingerprint:
                raise StoreError(place, NOT_ITS_OWN, RESTORE)
            self._surveys[fingerprint] = survey
        return self._surveys[fingerprint]
