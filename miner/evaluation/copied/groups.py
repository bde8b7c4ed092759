"""The parts of signed copies: one for each group that the classifier uses."""

from collections.abc import Collection, Sequence
from math import prod

from collector.survey.survey import Group, Survey
from miner.channels.registry import arrays_of
from miner.evaluation.copied.evenly import PartnerPart, UniformPart, drawn_evenly
from miner.evaluation.copied.part import Part, PlainPart
from miner.evaluation.copied.unevenly import UnevenPart
from miner.trees.paths import questions_of_leaves
from miner.trees.tree import Tree


def parts_of(survey: Survey, asked: Collection[str], target: str) -> list[Part]:
    """One part for each group that contains a used question or the target; first the questions sent undisguised.

    Raises:
        QueryError: If a name is no question.
    """
    touched = {survey.question(name).name for name in (*asked, target)}
    homes = {name: group for group in survey.groups for name in group.questions}
    parts = []
    for group in (None, *survey.groups):
        columns = tuple(
            number
            for number, question in enumerate(survey.questions)
            if question.name in touched and homes.get(question.name) is group
        )
        if columns:
            parts.append(_part(survey, columns, group, target))
    return parts


def _part(survey: Survey, columns: tuple[int, ...], group: Group | None, target: str) -> Part:
    questions = tuple(survey.questions[column] for column in columns)
    if group is None:
        return PlainPart(questions, columns, survey, target)
    arrays = arrays_of(group.channel.replacement)
    if all(arrays.partners(question) is not None for question in questions):
        return PartnerPart(questions, columns, survey, target, group)
    even = all(drawn_evenly(arrays, question) for question in questions)
    return (UniformPart if even else UnevenPart)(questions, columns, survey, target, group)


def largest_sum(parts: Sequence[Part]) -> float:
    """The largest sum of absolute weights of the copies of one response: a bound on its influence."""
    return prod(part.size for part in parts)


def largest_sum_at_leaves(survey: Survey, tree: Tree, target: str) -> float:
    """The largest sum of absolute weights of one response over the leaves and classes of a tree.

    It is the maximum over leaves of the value for the target and the questions on the path: at a node, the sum for the
    copies of its question, times the largest value below any child.

    Raises:
        QueryError: If the target is no question.
    """
    paths = questions_of_leaves(tree)
    longest = (each for each in paths if not any(each < other for other in paths))
    names = ([survey.questions[column].name for column in sorted(each)] for each in longest)
    return max(largest_sum(parts_of(survey, each, target)) for each in names)
