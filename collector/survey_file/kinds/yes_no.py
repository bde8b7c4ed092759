"""Yes or no."""

from __future__ import annotations

from collector.survey.fields import Fields
from collector.survey.question import YES_NO, Question
from collector.survey_file.kinds.kind import QuestionKind, Table


class YesNoKind(QuestionKind):
    """A question whose values are yes and no."""

    name, surveyjs = "yes_no", "boolean"

    def values(self, fields: Fields) -> tuple[tuple[str, ...], tuple[float, ...]]:  # noqa: ARG002, D102
        return YES_NO, ()

    def keys(self, question: Question) -> Table:  # noqa: ARG002, D102
        return {}
