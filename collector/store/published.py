"""One published version of a survey, what is published under a name just now, and how both are read from the store."""

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
        version: 1, 2, ... in the order of publication.
        fingerprint: SHA-256 of the canonical JSON of its first wording, by which the store knows the version.
        survey: The design itself, read back and checked against its fingerprint: in its first wording, or in the one
            whose fingerprint was asked for.
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
class SurveyState:
    """The state of the survey that is published under a name now.

    Attributes:
        newest: The newest version, in its newest wording.
        is_closed: Whether it was closed, or its last day is over; `for_good`: closed without a way back.
        is_simulated: Whether simulated responses were imported into it.
        quota: How many responses it still takes.
    """

    newest: Published
    is_closed: bool
    is_simulated: bool
    quota: Quota
    for_good: bool = False

    @property
    def is_early(self) -> bool:
        """Whether its first day or moment is still to come."""
        study = self.newest.survey.study
        return study is not None and study.is_early

    @property
    def is_full(self) -> bool:
        """Whether it has all the responses it takes."""
        return self.quota.left is not None and self.quota.left <= 0

    @property
    def is_open(self) -> bool:
        """Whether it takes responses."""
        return not (self.is_closed or self.is_simulated or self.is_early or self.is_full)


class Designs:
    """Reads from the store what is published. Any process may remove a survey and publish it again in another order.

    So the versions are read anew each time. A design is read and checked once: its fingerprint says what it is.

    Args:
        path: Path of the store, for messages.

    Raises:
        StoreError: From every method, if a design is not as it was published.
    """

    def __init__(self, path: Place) -> None:
        self._path = path
        self._surveys: dict[str, Survey] = {}
        self.known: dict[str, Published] = {}
        """Wordings by fingerprint as they were last read: good for a guess that the store checks when it is used."""

    def find(self, database: Session, where: str = "true", *parameters: str) -> list[Published]:
        """The versions that meet a condition, in their first wordings, by name and version."""
        rows = database.execute(f"{SURVEYS_SQL} WHERE {where} ORDER BY name, version", parameters)
        return [self._read(*row) for row in rows.fetchall()]

    def wording(self, database: Session, fingerprint: str) -> Published | None:
        """The version with a wording of this fingerprint, in that wording; None if there is none."""
        versions = self.find(database, "fingerprint = ?", fingerprint)
        found = versions[0] if versions else None
        if found is None:
            row = database.execute(f"{REVISIONS_SQL} WHERE fingerprint = ?", [fingerprint]).fetchone()
            found = self.revision(database, row) if row else None
        if found is None:
            self.known.pop(fingerprint, None)
        else:
            self.known[fingerprint] = found
        return found

    def survey(self, database: Session, fingerprint: str) -> Survey:
        """The design of a wording that is published; no query once it was read."""
        if fingerprint not in self._surveys and self.wording(database, fingerprint) is None:
            raise StoreError(str(self._path), "the design of a survey is not there", RESTORE)
        return self._surveys[fingerprint]

    def revision(self, database: Session, row: Sequence[str]) -> Published:
        """The version that a row of later wordings belongs to, in that wording."""
        fingerprint, version, design = row
        place = f"{self._path}: revision {fingerprint[:16]}"
        versions = self.find(database, "fingerprint = ?", version)
        survey = self._survey(design, fingerprint, place)
        if not versions or coded_part(versions[0].survey) != coded_part(survey):
            raise StoreError(place, "it is not a wording of a version that is there", RESTORE)
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
