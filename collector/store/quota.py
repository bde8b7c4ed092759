"""Quotas on all responses to a survey, and on responses with a value of an undisguised question."""

from dataclasses import dataclass, field

from collector.database.session import Session
from collector.survey.survey import Row, Survey


@dataclass
class Quota:
    """The numbers of responses that a version still takes. The class `Survey` refuses quotas on disguised answers.

    Attributes:
        left: Number of responses that the version still takes, or None if the version has no quota.
        cells: Number of responses that the version still takes, by position and code of an undisguised question.
    """

    left: int | None = None
    cells: dict[tuple[int, int], int] = field(default_factory=dict)

    def takes(self, codes: Row) -> bool:
        """Return whether the quotas still allow a response with these codes."""
        full = any(codes[question] == code and left <= 0 for (question, code), left in self.cells.items())
        return not full and (self.left is None or self.left > 0)

    def count(self, codes: Row) -> None:
        """Count a stored response towards the quotas of the version."""
        self.left = None if self.left is None else self.left - 1
        for question, code in self.cells:
            self.cells[question, code] -= codes[question] == code

    def full_values(self, survey: Survey) -> dict[str, list[str]]:
        """Return the values that have reached their quota, by name of the question."""
        full: dict[str, list[str]] = {}
        for (question, code), left in self.cells.items():
            if left <= 0:
                found = survey.questions[question]
                full.setdefault(found.name, []).append(found.values[code])
        return full


def quota_of(database: Session, table: str, survey: Survey) -> Quota:
    """Return the remaining quota of a version, from the numbers of stored responses."""
    study = survey.study
    if study is None or not (study.quota or study.quotas):
        return Quota()
    names = [question.name for question in survey.questions]
    most = {
        (index, survey.questions[index].values.index(value)): number  # plain coding: a code is a value's index
        for name, values in study.quotas
        for index in [names.index(name)]
        for value, number in values
    }
    sums = [f'count(*) FILTER (WHERE "{names[index]}" = {code})' for index, code in most]
    counted = database.execute(f'SELECT {", ".join(["count(*)", *sums])} FROM "{table}"').fetchone()  # noqa: S608 - checked names
    left = None if study.quota is None else study.quota - counted[0]
    return Quota(left, {key: number - there for (key, number), there in zip(most.items(), counted[1:], strict=True)})
