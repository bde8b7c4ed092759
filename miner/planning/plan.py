"""Show the expected precision and privacy of a survey as a table and a chart (`collector.planning.expectations`).

The expected accuracy of models is computed in `miner.planning.forecast`.
"""

from dataclasses import dataclass

import pandas as pd

from collector.errors import QueryError
from collector.planning.expectations import QuestionPlan, SurveyPlan, TruthPlan, planned_questions
from collector.survey.survey import Survey
from miner.drawing.chart import Axis, Chart, Line, Point
from miner.drawing.notebook_table import TableResult

MOST_WIDTH = 2.0  # largest interval on the plot


@dataclass(frozen=True, repr=False)
class Plan(TableResult, SurveyPlan):
    """Expected precision and privacy of a survey, as a table and a chart."""

    @property
    def frame(self) -> pd.DataFrame:
        """Return one row per value, indexed by question and value."""
        rows = [{"question": each.question.name, **vars(value)} for each in self.questions for value in each.values]
        return pd.DataFrame(rows).set_index(["question", "value"])

    @property
    def chart(self) -> Chart:
        """Return a chart of privacy against precision, with a line for each disguised question.

        Raises:
            QueryError: If nothing is disguised, or not everybody is asked everything.
        """
        if self.survey.sampling is not None:
            problem = "in a split questionnaire the truth alone does not decide, and there are no curves to draw"
            raise QueryError("--plot", problem, "leave out --plot")
        lines = [_line(each) for each in self.questions if each.truths]
        if not lines:
            raise QueryError("plot", "the survey disguises nothing", "disguise a question")
        described = "; ".join(
            f"{each.question.name}: {_own(each).bits:.2f} bits unknown, intervals {_own(each).width:.3f} wide"
            for each in self.questions
            if each.truths
        )
        return Chart(
            title=f"{self.survey.name}: privacy against precision",
            description=(
                f"The more bits of an answer stay unknown, the wider the 95 % intervals of {self.respondents} "
                f"respondents. As designed: {described}."
            ),
            x=Axis("bits of an answer that stay unknown to the collector"),
            y=Axis(f"width of the 95 % interval ({self.respondents} respondents)", logarithmic=True),
            lines=tuple(lines),
        )


def plan(survey: Survey, respondents: int, target_width: float | None = None) -> Plan:
    """Compute the expected precision and privacy of a survey (`collector.planning.expectations`).

    Args:
        survey: Survey whose priors are assumed to be correct.
        respondents: Number of respondents.
        target_width: Wanted width of 95 % intervals, above 0 and below 1. If a width is given, the number of
            respondents and the disguise for the width are computed.

    Raises:
        QueryError: If the number of respondents is not above 0, or the width is out of range.
    """
    return Plan(survey, respondents, target_width, planned_questions(survey, respondents, target_width))


def _own(planned: QuestionPlan) -> TruthPlan:
    truth = None if planned.group is None else planned.group.channel.coin.fixed
    return next(each for each in planned.truths if each.truth == truth)


def _line(planned: QuestionPlan) -> Line:
    kept = [each for each in planned.truths if each.width <= MOST_WIDTH or each == _own(planned)]
    points = tuple(Point(each.bits, each.width) for each in kept)
    return Line(planned.question.name, points, frozenset({kept.index(_own(planned))}))
