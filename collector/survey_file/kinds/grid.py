"""The kind ``grid``: several statements that share one scale."""

from __future__ import annotations

from collector.survey.screen import GRID
from collector.survey_file.kinds.kind import CompiledScreen, QuestionTable, Table
from collector.survey_file.kinds.parts import TogetherKind


class GridKind(TogetherKind):
    """The kind of a grid, which becomes a scale question for each statement."""

    name, parts, pictured = GRID, "statements", False
    surveyjs = "matrix"

    def read(self, table: QuestionTable) -> list[Table]:  # noqa: D102 - as its base says
        items, coins = self.whole(table)
        return [self.part(table, item, text, coins, kind="scale") for item, text in items.items()]

    def write(self, asked: CompiledScreen) -> Table | None:  # noqa: D102
        table = self.folded(asked)
        prior = asked.members[0].get("prior")
        return table if table is None or prior is None else table | {"prior": prior}
