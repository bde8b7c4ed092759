"""The kind ``scale``: one of several values with an order."""

from __future__ import annotations

from collector.survey_file.kinds.kind import QuestionKind


class ScaleKind(QuestionKind):
    """The kind of a question whose values have an order."""

    name, surveyjs = "scale", "rating"
