"""The kind ``date``, whose answers are days that are sent as intervals between days."""

from __future__ import annotations

from datetime import date

from collector.errors import SurveyError
from collector.survey.fields import Fields
from collector.survey.screen import DATE
from collector.survey_file.kinds.kind import CompiledScreen, QuestionTable, Table
from collector.survey_file.kinds.number import IntervalKind


class DateKind(IntervalKind):
    """The kind of a question for a day, which becomes a scale of intervals between days."""

    name, xlsform = DATE, "date"

    def read(self, table: QuestionTable) -> list[Table]:  # noqa: D102
        taken = table.take("cuts", "minimum", "maximum")
        cuts = taken.take_optional("cuts", list)
        if not cuts:
            raise SurveyError(taken.within("cuts"), "the date has no cut points", "write a list of days")
        days = [_written(taken, "cuts", each) for each in cuts]
        low, high = (taken.take_optional_any(key) for key in ("minimum", "maximum"))
        bounds = {
            "minimum": low and _written(taken, "minimum", low),
            "maximum": high and _written(taken, "maximum", high),
        }
        return self.cut(table, days, **bounds)

    def write(self, asked: CompiledScreen) -> Table | None:  # noqa: D102
        table = super().write(asked) or {}
        bounds = {key: date.fromisoformat(table[key]) for key in ("minimum", "maximum") if key in table}
        return table | {"cuts": [date.fromisoformat(each) for each in table["cuts"]]} | bounds


def _written(fields: Fields, key: str, day: object) -> str:
    """Return a day in the form in which designs write days."""
    if type(day) is not date:
        problem = "a cut point is not a day" if key == "cuts" else f"the {key} is not a day"
        raise SurveyError(fields.within(key), problem, "write a day such as 2026-12-31, without quotation marks")
    return day.isoformat()
