"""The kind ``number``, and the base class of kinds whose answers are sent as intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from collector.errors import SurveyError
from collector.survey.fields import Fields
from collector.survey.question import Question, interval_labels
from collector.survey.screen import NUMBER
from collector.survey.text import as_written, read_unit
from collector.survey_file.kinds.kind import CompiledScreen, QuestionKind, QuestionTable, Table


class IntervalKind(QuestionKind):
    """The base class of kinds whose answers become a scale of intervals."""

    pictured, surveyjs = False, "text"

    def cut(self, table: QuestionTable, cuts: Sequence[float | str], **said: Any) -> list[Table]:  # noqa: ANN401
        """Return the plain question of a table, and set the cut points, bounds and unit of its screen."""
        table.say(kind=self.name, cuts=tuple(cuts), **said)
        return [table.plain(kind="scale", values=list(interval_labels(tuple(cuts))))]

    def write(self, asked: CompiledScreen) -> Table | None:  # noqa: D102 - as its base says
        screen = asked.screen
        table = {key: each for key, each in asked.members[0].items() if key not in {"values", "words"}}
        said = {"minimum": screen.minimum, "maximum": screen.maximum, "unit": as_written(screen.unit)}
        table |= {"kind": self.name, "cuts": list(screen.cuts)}
        table |= {"whole": True} if screen.whole else {}
        return table | {key: each for key, each in said.items() if each is not None}


class NumberKind(IntervalKind):
    """The kind of a question for a number.

    A ``number`` table becomes a plain question, or a scale of intervals if people need not give a number.
    """

    name, xlsform = NUMBER, "decimal"

    def read(self, table: QuestionTable) -> list[Table]:  # noqa: D102
        if not table.extras or not table.left.get("cuts"):
            return [table.left]
        taken = table.take("cuts", "minimum", "maximum", "unit", "whole")
        bounds = {key: taken.take_number(key) for key in ("minimum", "maximum")}
        whole = taken.take_optional("whole", bool) or False
        return self.cut(table, taken.take_numbers("cuts"), **bounds, unit=read_unit(taken), whole=whole)

    def values(self, fields: Fields) -> tuple[tuple[str, ...], tuple[float, ...]]:  # noqa: D102
        cuts = tuple(fields.take_numbers("cuts"))
        if not cuts or list(cuts) != sorted(set(cuts)):
            place, problem = fields.within("cuts"), "the cuts are not one or more ascending numbers"
            raise SurveyError(place, problem, "sort the cuts, and list each once")
        return interval_labels(cuts), cuts

    def keys(self, question: Question) -> Table:  # noqa: D102
        bounds = {"minimum": question.minimum, "maximum": question.maximum}
        whole = True if question.whole else None
        return {"unit": as_written(question.unit), **bounds, "whole": whole, "cuts": list(question.cuts)}

    def write(self, asked: CompiledScreen) -> Table | None:  # noqa: D102
        return super().write(asked) if asked.screen.cuts else asked.members[0]
