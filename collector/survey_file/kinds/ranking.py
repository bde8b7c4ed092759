"""The kind ``ranking``, whose answers are an order of several items."""

from __future__ import annotations

from collector.errors import SurveyError
from collector.survey.screen import MOST_RANKED, RANKING, rankings
from collector.survey_file.kinds.kind import QuestionTable, Table
from collector.survey_file.kinds.parts import PartsKind


class RankingKind(PartsKind):
    """The kind of a ranking, which becomes a choice whose values are all orders of the items."""

    name, parts, pictured = RANKING, "items", False
    surveyjs, xlsform = "ranking", "rank"

    def read(self, table: QuestionTable) -> list[Table]:  # noqa: D102
        items = self.items(table)
        if len(items) > MOST_RANKED:
            problem = f"{len(items)} items have more orders than a disguise can hide among"
            remedy = f'ask for {MOST_RANKED} at most, or which are most important: kind = "multiple" with most = 3'
            raise SurveyError(table.fields.within(self.parts), problem, remedy)
        table.say(kind=self.name, items=tuple(items.items()))
        return [table.plain(kind="choice", values=list(rankings(list(items))))]
