"""One published version of a survey, and what is published under a name just now."""

from dataclasses import dataclass

from collector.store.quota import Quota
from collector.survey.survey import Survey


@dataclass(frozen=True)
class Published:
    """One published version of a survey, in one of its wordings.

    Attributes:
        name: Of the survey.
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
class State:
    """What is published under a name just now.

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
