"""The kind ``yes_no``, whose answers are yes or no."""

from __future__ import annotations

from collector.errors import SurveyError
from collector.survey.fields import Fields
from collector.survey.question import YES_NO, Question
from collector.survey_file.kinds.kind import QuestionKind, QuestionTable, Table


class YesNoKind(QuestionKind):
    """The kind of a question whose values are yes and no."""

    name, surveyjs = "yes_no", "boolean"

    def read(self, table: QuestionTable) -> list[Table]:  # noqa: D102 - as its base says
        values = table.left.pop("values", [*YES_NO])
        if values != [*YES_NO]:
            raise SurveyError(
                table.fields.within("values"),
                "a yes_no question has the values yes and no",
                'write kind = "choice" for other values (with a prior for each of them, or no prior), or remove values',
            )
        return super().read(table)

    def values(self, fields: Fields) -> tuple[tuple[str, ...], tuple[float, ...]]:  # noqa: ARG002, D102
        return YES_NO, ()

    def keys(self, question: Question) -> Table:  # noqa: ARG002, D102
        return {}
