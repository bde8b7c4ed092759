"""Estimate the share of a condition or of each answer by group, with differences between all groups."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import isnan, nan

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.estimates.estimate import shares_of
from miner.figures.chi_square import holm
from miner.figures.partition import EVERYBODY, Boxes, Partition
from miner.figures.sample import Sample
from miner.figures.sampled_figure import JointFigures, sampled_figure
from miner.responses.condition import ValueSets, read_condition
from miner.responses.responses import Data
from miner.tables.figures import FigureTable, GroupFigure, Groups, differences_of, notes_of

POINTWISE = "each interval is for its share alone; p values are adjusted for all differences of the table (Holm)"
FEW = 10  # number of people with the same undisguised answers below which a reader may know who they are
PAIR = 2  # number of values of a question for which one share determines the other


def shares(
    responses: Data,
    what: ValueSets | str | None = None,
    *,
    by: str | Sequence[str] | None = None,
    among: ValueSets | str | None = None,
) -> FigureTable:
    """Estimate the share of a condition, or of each answer to a question, in each group.

    Args:
        responses: Disguised responses, or a sample.
        what: Condition as text or as accepted values, or the name of a question, or None for all questions that do not
            define the groups ("Table 1"). P values are then adjusted for all differences of the table.
        by: Name of the question, or names of the questions, whose values define the groups, or None for a single group.
        among: Condition that restricts the table to a subgroup, or None for everybody.

    Raises:
        QueryError: If there are no responses, or a name, a condition or the sampling design does not fit the survey.
    """
    survey = responses.survey
    if what is None:
        return _of_all_questions(responses, by, among)
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
    counts = cells.found.counts
    few = tuple(
        group
        for group, each in zip(groups.values, joint.figures, strict=False)
        if each is not None and each.rule != "fieller" and group and counts[each.inside].sum() < FEW
    )
    return FigureTable(groups.names, figures, differences, test, cells.found.people, notes_of(figures), few)


def _of_all_questions(responses: Data, by: str | Sequence[str] | None, among: ValueSets | str | None) -> FigureTable:
    """Return the shares of the answers to all questions in each group."""
    survey, names = responses.survey, Groups.of(responses.survey, by, among).names
    every = [shares(responses, each.name, by=by, among=among) for each in survey.questions if each.name not in names]
    if not every:
        raise QueryError("by", "no question is left to estimate", "leave out a question of --by")
    differences = [each for table in every for each in table.differences]
    adjusted = holm([nan if each.p_value is None else each.p_value for each in differences])
    return FigureTable(
        names,
        tuple(each for table in every for each in table.figures),
        tuple(
            replace(each, adjusted=None if isnan(p_value) else p_value)
            for each, p_value in zip(differences, adjusted, strict=True)
        ),
        None,
        max(table.n for table in every),
        (POINTWISE, *dict.fromkeys(remark for table in every for remark in table.remarks)),
        tuple(dict.fromkeys(group for table in every for group in table.few)),
    )


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
