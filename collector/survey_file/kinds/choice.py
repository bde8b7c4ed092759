"""The kind ``choice``: one of several values without an order."""

from __future__ import annotations

from collector.survey_file.kinds.kind import QuestionKind


class ChoiceKind(QuestionKind):
    """The kind of a question whose values have no order."""

    name, surveyjs = "choice", "radiogroup"
