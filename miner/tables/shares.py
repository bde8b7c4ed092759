"""Estimate the share of a condition or of each answer by group, with differences between all groups."""

from collections.abc import Sequence
from functools import partial

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.estimates.estimate import estimates
from miner.figures.cells import EVERYBODY, Boxes
from miner.figures.grouped import GroupedCells, GroupRatio
from miner.figures.sample_design import SampleDesign
from miner.responses.condition import ValueSets, events_of, read_condition
from miner.responses.responses import Data
from miner.tables.figures import FigureTable, GroupFigure, Groups, differences_of, notes_of

PAIR = 2  # number of values of a question for which one share determines the other


def shares(
    responses: Data,
    what: ValueSets | str,
    *,
    by: str | Sequence[str] | None = None,
    among: ValueSets | str | None = None,
    sample: SampleDesign | None = None,
) -> FigureTable:
    """Estimate the share of a condition, or of each answer to a question, in each group.

    Args:
        responses: Disguised responses.
        what: Condition as text or as accepted values, or the name of a question.
        by: Name of the question, or names of the questions, whose values define the groups, or None for a single group.
        among: Condition that restricts the table to a subgroup, or None for everybody.
        sample: Sampling design of the respondents, or None for a simple random sample.

    Raises:
        QueryError: If there are no responses, or a name, a condition or the sampling design does not fit the survey.
    """
    survey = responses.survey
    terms, answers = _answers(survey, what)
    groups = Groups.of(survey, by, among)
    if groups.boxes == (EVERYBODY,) and sample is None:
        every = estimates(responses, [events_of(survey, boxes) for boxes in answers])
        return FigureTable((), tuple(map(partial(GroupFigure, ()), terms, every)), (), None, every[0].n)
    grouped = GroupedCells.of(responses, sample or SampleDesign(), answers, groups.boxes)
    size = len(groups.values)
    wanted = [
        GroupRatio([float(each == answer) for each in range(len(answers))], group)
        for answer in range(len(answers))
        for group in range(size)
    ]
    joint = grouped.ratios(wanted)
    figures = tuple(
        GroupFigure(group, term, None if ratio is None else ratio.estimate)
        for place, group in enumerate(groups.values)
        for term, ratio in zip(terms, joint.ratios[place::size], strict=True)
    )
    compared = terms[:1] if len(terms) == PAIR else terms
    differences, test = differences_of(joint, compared, groups)
    people, notes = grouped.cells.rows.found.people, notes_of(figures)
    return FigureTable(groups.names, figures, differences, test, people, notes)


def _answers(survey: Survey, what: ValueSets | str) -> tuple[list[str], list[Boxes]]:
    """Return the name and the condition of each share to estimate."""
    if not isinstance(what, str):
        return ["share"], [(what,)]
    if what.strip() in {question.name for question in survey.questions}:
        question = survey.question(what.strip())
        values = [[{question.name: frozenset({value})}] for value in range(len(question.values))]
        return [f"{question.name} = {value}" for value in question.values], [*values]
    try:
        return [what], [read_condition(survey, what)]
    except QueryError as error:
        if what.isidentifier():
            survey.question(what)  # names the question that is like it
        raise error from None
