"""The ``[[groups]]`` tables of a survey file, and the codings of the questions in each group."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod

from collector.allocation.best_coding import best_coding
from collector.allocation.trend_coding import trend_coding
from collector.channel.channel import Channel, channel, replacement, uniform_odds
from collector.channel.rounding import check_epsilon, odds_below, truth_below
from collector.coding.coding import Coding, balanced_coding, block_coding, drawn_coding, plain_coding, szucs_coding
from collector.coding.shared import SHARED
from collector.errors import SurveyError, suggestion
from collector.survey.fields import Fields, read_fraction
from collector.survey.group import Group, is_sampled_within, largest_coin
from collector.survey.question import Question, check_name
from collector.survey.sampling import Sampling
from collector.survey_file.question_file import DRAWN, SENT, QuestionDraft

PAIRED = ("balanced", "szucs")
NUMBER = re.compile("[1-9][0-9]{0,2}")
CHOSEN = {None: best_coding, "auto": best_coding, "trend": trend_coding}
"""Functions that choose a coding at an epsilon, by the value of the key coding."""
STRENGTHS = ("truth", "epsilon", "odds")


@dataclass(frozen=True)
class Wish:
    """The settings of a group in a survey file: a channel, or an epsilon for the uniform channel.

    Attributes:
        channel: Channel of the group, or None if the group sets an epsilon.
        epsilon: Epsilon above 0, or None if the group sets a channel.
    """

    channel: Channel | None = None
    epsilon: Fraction | None = None

    @property
    def kind(self) -> str:
        """The name of the group's channel, such as ``uniform``."""
        return "uniform" if self.channel is None else self.channel.name


def read_wishes(groups: Mapping[str, object]) -> dict[str, Wish]:
    """Return the settings in the ``[groups]`` of a survey file.

    Raises:
        SurveyError: If a setting is not valid.
    """
    wishes = {}
    for name, table in groups.items():
        place = f'group "{name}"'
        check_name(name, place)
        fields = Fields(table, place)
        try:
            wishes[name] = _wish(fields)
        except SurveyError as error:
            raise error if error.place.startswith(place) else error.within(place) from None
        fields.finish()
    return wishes


def _wish(fields: Fields) -> Wish:
    given = {key: fields.take_optional_any(key) for key in STRENGTHS}
    kind = fields.take_optional("channel", str)
    said = {key: read_fraction(value, fields.within(key)) for key, value in given.items() if value is not None}
    if not said:
        fields.take_any("truth", 'such as "3/4"')
    if len(said) > 1:
        raise SurveyError(fields.place, f"{' and '.join(said)} determine the same thing", "keep one of these keys")
    if "truth" in said:
        return Wish(channel(kind or "complement", said["truth"]))
    if kind not in {None, "uniform"}:
        problem = f"{', '.join(said)} is of the uniform channel only"
        raise SurveyError(fields.within("channel"), problem, "remove the key, or give truth instead")
    if "odds" in said:
        return Wish(uniform_odds(said["odds"]))
    check_epsilon(said["epsilon"], fields.within("epsilon"))
    return Wish(epsilon=said["epsilon"])


def disguised(
    drafts: Sequence[QuestionDraft], wishes: Mapping[str, Wish], sampling: Sampling | None
) -> tuple[tuple[Question, ...], tuple[Group, ...]]:
    """Return the questions of a survey with their codings, and the groups of the questions.

    Raises:
        SurveyError: If a question is not allowed in its group.
    """
    sizes = Counter(draft.group for draft in drafts)
    codings = [
        _coding(each, _home(each, wishes), alone=sizes[each.group] == 1)
        if not each.routed or each.unasked == SENT or sampling is not None
        else _routed(each, _home(each, wishes))
        for each in drafts
    ]
    questions = tuple(replace(each.question, coding=coding) for each, coding in zip(drafts, codings, strict=True))
    groups, homes = [], dict[str | None, list[Question]]()
    for each, draft in zip(questions, drafts, strict=True):
        homes.setdefault(draft.group, []).append(each)
    for name, wish in wishes.items():
        members = homes.get(name, [])
        try:
            how = wish.channel or keeping(wish.epsilon or Fraction(0), members, sampling)
        except SurveyError as error:
            raise error.within(f'group "{name}"') from None
        groups.append(Group(name, how, tuple(each.name for each in members)))
    return questions, tuple(groups)


def keeping(epsilon: Fraction, members: Sequence[Question], sampling: Sampling | None) -> Channel:
    """Return the uniform channel with which a group of questions keeps an epsilon."""
    sharpness = [each.coding.sharpness for each in members]
    if None in sharpness:
        raise SurveyError(
            "epsilon",
            "a value that is never drawn as a replacement gives no protection",
            "give the value a probability in replacement, or give truth instead of epsilon",
        )
    if sampling is not None and is_sampled_within([each.name for each in members], sampling):
        return uniform_odds(odds_below(epsilon, *largest_coin(members, sampling)))
    return channel("uniform", truth_below(epsilon, prod((each for each in sharpness if each), start=Fraction(1))))


def _home(draft: QuestionDraft, wishes: Mapping[str, Wish]) -> Wish | None:
    if draft.group is None:
        if draft.question.sensitive:
            remedy = 'add group = "...", or sensitive = false to send it as it is'
            raise SurveyError(draft.place, "the question is sensitive, but it belongs to no group", remedy)
        return None
    if not draft.question.sensitive:
        problem, remedy = "the question is not sensitive, but it belongs to a group", "remove the question's group"
        raise SurveyError(draft.place, problem, f"{remedy}, or sensitive = false")
    if draft.group not in wishes:
        raise SurveyError(
            f"{draft.place}, group", f'there is no group "{draft.group}"', "declare the group under [groups]"
        )
    return wishes[draft.group]


def _coding(draft: QuestionDraft, home: Wish | None, *, alone: bool) -> Coding:
    if home is None or replacement(home.kind).paired:
        if draft.replacement is not None:
            problem = "only the uniform channel replaces answers by others"
            raise SurveyError(f"{draft.place}, replacement", problem, 'remove the key, or write channel = "uniform"')
        if home is None and draft.coding is not None:
            raise SurveyError(f"{draft.place}, coding", "the question is not disguised", "remove the coding")
    try:
        if home is None:
            return plain_coding(len(draft.question.values))
        if home.channel is not None and home.channel.replacement.paired:
            return _paired(draft)
        return _uniform(draft, home, alone=alone)
    except SurveyError as error:
        raise error if error.place.startswith(draft.place) else error.within(draft.place) from None


def _routed(draft: QuestionDraft, home: Wish | None) -> Coding:
    """Return the coding of a question, with which people who are not asked the question send a random answer.

    People who are not asked send ``not_applicable`` if codes are shared by values or a replacement is set.
    """
    paired = home is not None and home.channel is not None and home.channel.replacement.paired
    if draft.replacement is not None or draft.coding not in {None, "auto", "balanced" if paired else "plain"}:
        if draft.unasked == DRAWN:
            problem = f"answers are drawn in a plain or balanced coding, not in {draft.coding or 'a replacement'}"
            raise SurveyError(f"{draft.place}, unasked", problem, 'remove the coding, or write unasked = "sent"')
        return _coding(draft, home, alone=False)
    try:
        return drawn_coding(draft.question.prior, paired=paired)
    except SurveyError as error:
        raise error.within(draft.place) from None


def _paired(draft: QuestionDraft) -> Coding:
    if draft.coding not in {None, *PAIRED}:
        remedy = suggestion(draft.coding, PAIRED)
        raise SurveyError(f"{draft.place}, coding", "the complement channel has no such coding", remedy)
    prior = draft.question.prior
    return szucs_coding(prior) if draft.coding == "szucs" else balanced_coding(prior)


def _uniform(draft: QuestionDraft, home: Wish, *, alone: bool) -> Coding:
    """Return the coding of a question, from the survey file or else the best coding for the epsilon."""
    prior, wish = draft.question.prior, draft.coding
    if draft.replacement is not None:
        if wish not in {None, "plain"}:
            raise SurveyError(
                f"{draft.place}, coding", "coding cannot be combined with replacement", "remove coding or replacement"
            )
        return plain_coding(len(prior), draft.replacement)
    scheme, *parameters = (wish or "").split("-")
    shared = SHARED.get(scheme)
    if (wish == "trend" or (shared is not None and shared.of_scales)) and not draft.question.ordered:
        problem, remedy = "its values have no order", 'write kind = "scale", or remove the coding'
        raise SurveyError(f"{draft.place}, coding", problem, remedy)
    if wish in CHOSEN and alone and home.epsilon is not None:
        return CHOSEN[wish](prior, home.epsilon)
    if wish == "trend":
        problem = 'the coding "trend" needs a group with an epsilon and no other question'
        raise SurveyError(
            f"{draft.place}, coding",
            problem,
            'put the question alone in a group with an epsilon, or write coding = "thresholds"',
        )
    if wish in {*CHOSEN, "plain"}:
        return plain_coding(len(prior))
    if shared is None or len(parameters) != shared.count or not all(map(NUMBER.fullmatch, parameters)):
        names = ", ".join(["auto", "trend", "plain", *(name + each.written for name, each in SHARED.items())])
        raise SurveyError(f"{draft.place}, coding", "the uniform channel has no such coding", f"use one of: {names}")
    return block_coding(scheme, len(prior), *map(int, parameters))
