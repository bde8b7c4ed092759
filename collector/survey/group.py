"""Groups of questions that one shared coin disguises, and the rules for forming groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from collector.channel.channel import Channel
from collector.channel.coin import sharpness_parts
from collector.errors import SurveyError
from collector.survey.question import Question, check_name, fraction_design
from collector.survey.sampling import Sampling


@dataclass(frozen=True)
class Group:
    """A group of questions, which one shared coin disguises.

    Attributes:
        name: Name of the group.
        channel: Channel of the group, with its coin and its replacement.
        questions: Names of the questions, in survey order.
    """

    name: str
    channel: Channel
    questions: tuple[str, ...]

    @property
    def design(self) -> dict[str, Any]:
        """The group as plain JSON values. Odds set a coin whose truth probability depends on the questions asked."""
        key, number = self.channel.coin.published
        coin = {key: fraction_design(number)}
        return {"name": self.name, "channel": self.channel.name, **coin, "questions": list(self.questions)}


def check_groups(groups: Sequence[Group], questions: Sequence[Question], sampling: Sampling | None) -> None:
    """Check that the groups are consistent with each other, with the questions and with the sampling.

    Raises:
        SurveyError: If the groups are not consistent.
    """
    if len({group.name for group in groups}) < len(groups):
        raise SurveyError("groups", "two groups have the same name", "rename one of them")
    by_name = {question.name: question for question in questions}
    position = {question.name: number for number, question in enumerate(questions)}
    homes: dict[str, str] = {}
    for group in groups:
        _check_group(group, by_name, homes)
        if list(group.questions) != sorted(group.questions, key=position.__getitem__):
            problem = "its questions are not in survey order"
            raise SurveyError(f'group "{group.name}"', problem, "publish the survey file again")
        _check_sampled(group, [by_name[name] for name in group.questions], sampling)
    for question in questions:
        if question.sensitive and question.name not in homes:
            raise SurveyError(
                f'question "{question.name}"',
                "the question is sensitive, but it belongs to no group",
                "put the question in a group, or add sensitive = false to send its answers undisguised",
            )
        if not question.sensitive and (question.coding.scheme != "plain" or question.coding.replacement):
            raise SurveyError(f'question "{question.name}"', "the question is not disguised", "remove the coding")


def _check_group(group: Group, by_name: Mapping[str, Question], homes: dict[str, str]) -> None:
    """Check one group, and record that its questions belong to the group."""
    place = f'group "{group.name}"'
    check_name(group.name, place)
    if not group.questions:
        raise SurveyError(
            place, "the group has no question", f'give a question group = "{group.name}", or drop the group'
        )
    for name in group.questions:
        if name in homes or name not in by_name:
            raise SurveyError(place, "a question is in several groups, or in none", "publish the survey file again")
        homes[name] = group.name
        _check_member(by_name[name], group)


def _check_member(question: Question, group: Group) -> None:
    place, coding = f'question "{question.name}"', question.coding
    if not question.sensitive:
        raise SurveyError(
            place,
            "the question is not sensitive, but it belongs to a group",
            "remove the question's group, or sensitive = false",
        )
    if (coding.complements is None) == group.channel.replacement.paired:
        raise SurveyError(
            f"{place}, coding",
            f"the coding {coding.scheme} cannot be used with the {group.channel.name} channel",
            "remove the coding if the channel is uniform; use balanced or szucs if it is complement",
        )
    if len(group.questions) > 1 and coding.replacement is not None:
        problem = "it shares its group with others, where the replacement would say nothing exact"
        raise SurveyError(f"{place}, replacement", problem, "give the question a group of its own")


def is_sampled_within(names: Sequence[str], sampling: Sampling | None) -> bool:
    """Return whether a split questionnaire may ask a respondent only some of the questions of a group."""
    return sampling is not None and len(names) > 1 and any(name not in sampling.always for name in names)


def _check_sampled(group: Group, members: Sequence[Question], sampling: Sampling | None) -> None:
    """Check that the coin of a group is possible in a split questionnaire.

    A group with the uniform channel must have odds exactly if its epsilon would otherwise depend on the draw. A random
    32-bit number must suffice to draw the coin of a group.
    """
    place, within = f'group "{group.name}"', is_sampled_within(group.questions, sampling)
    if not group.channel.coin.varies:
        if within and group.channel.replacement.keeps_epsilon:
            problem = "with one truth each draw of its questions would have another epsilon"
            raise SurveyError(
                place,
                problem,
                "give the group an epsilon instead of a truth probability, or put each question in its own group",
            )
        return
    if sampling is None or not within:
        raise SurveyError(
            place, "the group has odds, but all of its questions are always asked", "publish the survey file again"
        )
    try:
        group.channel.coin.check_drawn(*largest_coin(members, sampling))
    except SurveyError as error:
        raise SurveyError(f"{place}, {error.place}", error.problem, error.remedy) from None


def largest_coin(members: Sequence[Question], sampling: Sampling) -> tuple[int, int]:
    """Return the largest numerator and denominator of a group's sharpness over all draws of questions."""
    parts = {each.name: sharpness_parts([each.coding]) for each in members}
    always = [part for name, part in parts.items() if name in sampling.always]
    drawn = [part for name, part in parts.items() if name not in sampling.always]
    room = sampling.ask - len(sampling.always)
    states, own = (
        prod(sorted((part[place] for part in drawn), reverse=True)[:room]) * prod(part[place] for part in always)
        for place in (0, 1)
    )
    return states, own


def most_asked(members: Sequence[Question], sampling: Sampling) -> list[Question]:
    """Return the questions of a group in the draw of questions with the most combinations of answers."""
    always = [each for each in members if each.name in sampling.always]
    drawn = [each for each in members if each.name not in sampling.always]
    room = sampling.ask - len(sampling.always)
    return [*always, *sorted(drawn, key=lambda each: -len(each.codes))[:room]]
