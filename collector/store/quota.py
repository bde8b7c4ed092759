"""Quotas: how many responses there are in all and with each counted value, of questions that are sent as they are."""

from dataclasses import dataclass, field

from collector.database.session import Session
from collector.survey.survey import Row, Survey


@dataclass
class Quota:
    """The responses that one version still takes. No disguised answer is counted (`Survey` refuses that).

    Attributes:
        left: How many responses; None where there is no end.
        cells: By question index and code, how many responses with it are still taken.
    """

    left: int | None = None
    cells: dict[tuple[int, int], int] = field(default_factory=dict)

    def takes(self, codes: Row) -> bool:
        """Whether a response with these codes is still taken."""
        full = any(codes[question] == code and left <= 0 for (question, code), left in self.cells.items())
        return not full and (self.left is None or self.left > 0)

    def count(self, codes: Row) -> None:
        """Count one that was stored."""
        self.left = None if self.left is None else self.left - 1
        for question, code in self.cells:
            self.cells[question, code] -= codes[question] == code

    def full_values(self, survey: Survey) -> dict[str, list[str]]:
        """The values of which no more are taken, by question."""
        full: dict[str, list[str]] = {}
        for (question, code), left in self.cells.items():
            if left <= 0:
                found = survey.questions[question]
                full.setdefault(found.name, []).append(found.values[code])
        return full


def quota_of(database: Session, table: str, survey: Survey) -> Quota:
    """The quota that is left, by counting the rows of a version's table; no query where the survey has no quota."""
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
