"""What signed copies of responses are made of: a part for each group that is touched."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import prod

from collector.survey import Group, Survey
from miner.evaluate.copied_evenly import ComplementPart, UniformPart
from miner.evaluate.copied_part import Part, PlainPart
from miner.evaluate.copied_unevenly import UnevenPart


def parts_of(survey: Survey, asked: Collection[str], target: str) -> list[Part]:
    """What the asked questions and the target touch, group by group, those sent as they are first.

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
    if group.channel.name != "uniform":
        return ComplementPart(questions, columns, survey, target, group)
    codings = [question.coding for question in questions]
    uneven = any(coding.shared or coding.replacement is not None for coding in codings)
    return (UnevenPart if uneven else UniformPart)(questions, columns, survey, target, group)


def largest_sum(parts: Sequence[Part]) -> float:
    """The largest sum of the absolute weights of the copies of a response: how far estimates may scatter."""
    return prod(part.size for part in parts)
