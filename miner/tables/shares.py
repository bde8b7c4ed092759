"""Estimate the share of a condition or of each answer by group, with differences between all groups."""

from collections.abc import Sequence
from functools import partial
from itertools import product

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.estimates.estimate import shares_of
from miner.figures.partition import EVERYBODY, Boxes, Partition
from miner.figures.sample import Sample
from miner.figures.sampled_figure import JointFigures, sampled_figure
from miner.responses.condition import ValueSets, read_condition
from miner.responses.responses import Data
from miner.tables.figures import FigureTable, GroupFigure, Groups, differences_of, notes_of

PAIR = 2  # number of values of a question for which one share determines the other


def shares(
    responses: Data,
    what: ValueSets | str,
    *,
    by: str | Sequence[str] | None = None,
    among: ValueSets | str | None = None,
) -> FigureTable:
    """Estimate the share of a condition, or of each answer to a question, in each group.

    Args:
        responses: Disguised responses, or a sample.
        what: Condition as text or as accepted values, or the name of a question.
        by: Name of the question, or names of the questions, whose values define the groups, or None for a single group.
        among: Condition that restricts the table to a subgroup, or None for everybody.

    Raises:
        QueryError: If there are no responses, or a name, a condition or the sampling design does not fit the survey.
    """
    survey = responses.survey
    terms, answers = _answers(survey, what)
    groups = Groups.of(survey, by, among)
    if groups.boxes == (EVERYBODY,) and not isinstance(responses, Sample):
        every = shares_of(responses, answers)
        return FigureTable((), tuple(map(partial(GroupFigure, ()), terms, every)), (), None, every[0].n)
    cells, size = Partition.of(responses, [answers, groups.boxes]), len(groups.values)
    people = [{} if boxes is EVERYBODY else {1: group} for group, boxes in enumerate(groups.boxes)]
    pairs = product(range(len(answers)), people)
    joint = JointFigures(cells, [sampled_figure(cells, [(1.0, {0: answer} | each)], each) for answer, each in pairs])
    figures = tuple(
        GroupFigure(group, term, None if each is None else each.estimate)
        for place, group in enumerate(groups.values)
        for term, each in zip(terms, joint.figures[place::size], strict=True)
    )
    compared = terms[:1] if len(terms) == PAIR else terms
    differences, test = differences_of(joint, compared, groups)
    return FigureTable(groups.names, figures, differences, test, cells.found.people, notes_of(figures))


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
