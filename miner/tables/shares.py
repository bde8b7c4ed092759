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
from miner.figures.sampled_figure import JointFigures, Numbers, sampled_figure
from miner.responses.condition import ValueSets, read_condition
from miner.responses.responses import Data
from miner.tables.careless import ASSUMED, CARELESS, Anchor, chance_of
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
    careless: str | None = None,
) -> FigureTable:
    """Estimate the share of a condition, or of each answer to a question, in each group.

    Args:
        responses: Disguised responses, or a sample.
        what: Condition as text or as accepted values, or the name of a question, or None for all questions that do not
            define the groups ("Table 1"). P values are then adjusted for all differences of the table.
        by: Name of the question, or names of the questions, whose values define the groups, or None for a single group.
        among: Condition that restricts the table to a subgroup, or None for everybody.
        careless: Condition that every attentive person meets (`miner.tables.careless`), so that shares are those among
            the attentive, or None for shares among all.

    Raises:
        QueryError: If there are no responses, or a name, a condition or the sampling design does not fit the survey.
    """
    survey = responses.survey
    if what is None:
        return _of_all_questions(responses, by, among, careless)
    terms, answers = _answers(survey, what)
    groups = Groups.of(survey, by, among)
    anchor = None if careless is None else Anchor.of(survey, careless, answers, groups.boxes)
    if anchor is None and groups.boxes == (EVERYBODY,) and not isinstance(responses, Sample):
        every = shares_of(responses, answers)
        return FigureTable((), tuple(map(partial(GroupFigure, ()), terms, every)), (), None, every[0].n)
    families = [answers, groups.boxes, *([] if anchor is None else [[anchor.boxes]])]
    cells, size = Partition.of(responses, families), len(groups.values)
    people = [{} if boxes is EVERYBODY else {1: group} for group, boxes in enumerate(groups.boxes)]
    figures_of = []
    for answer, each in product(range(len(answers)), people):
        counted: tuple[Numbers, Numbers] = [(1.0, {0: answer} | each)], []
        if anchor is not None:
            counted = anchor.numbers({0: answer} | each, chance_of(survey, answers[answer]), each, 2)
        figures_of.append(sampled_figure(cells, counted[0], each, less=counted[1]))
    joint = JointFigures(cells, figures_of)
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
    if anchor is not None:
        known = [sampled_figure(cells, anchor.careless(each, 2), each) for each in people]
        figures += tuple(
            GroupFigure(group, CARELESS, None if each is None else each.estimate)
            for group, each in zip(groups.values, known, strict=True)
        )
    remarks = notes_of(figures) if anchor is None else (ASSUMED.format(anchor.text), *notes_of(figures))
    return FigureTable(groups.names, figures, differences, test, cells.found.people, remarks, few)


def _of_all_questions(
    responses: Data, by: str | Sequence[str] | None, among: ValueSets | str | None, careless: str | None
) -> FigureTable:
    """Return the shares of the answers to all questions in each group."""
    survey, names = responses.survey, Groups.of(responses.survey, by, among).names
    known = {name for box in read_condition(survey, careless or {}) for name in box}
    left = [each.name for each in survey.questions if each.name not in {*names, *known}]
    every = [shares(responses, name, by=by, among=among, careless=careless) for name in left]
    if not every:
        raise QueryError("by", "no question is left to estimate", "leave out a question of --by")
    differences = [each for table in every for each in table.differences]
    adjusted = holm([nan if each.p_value is None else each.p_value for each in differences])
    return FigureTable(
        names,
        tuple(dict.fromkeys(each for table in every for each in table.figures)),  # the careless once
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
