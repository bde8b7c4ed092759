"""Describe a survey as counting and splitting need it: numbers of values, groups, and weights of copies."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from collector.errors import QueryError
from collector.survey.routing import Rule
from collector.survey.survey import Group, Survey
from miner.channels.registry import arrays_of, drawn_groups
from miner.counting.factors import group_weights
from miner.responses.possible import predictors


def uncountable(survey: Survey, target: str) -> str | None:
    """Return the reason why trees cannot count single responses of the survey, or None if they can."""
    if survey.sampling is not None:
        return "not everybody was asked every question"
    for group in survey.groups:
        arrays = arrays_of(group.channel.replacement)
        for question in survey.members(group):
            if question.coding.routed and question.name == target:
                return f'answers to "{target}" are drawn where it is not asked'
            if question.coding.shared:
                return f'codes of "{question.name}" stand for several values'
            if arrays.partners(question) is None and arrays.odds(question) is None:
                return f'what is sent in place of an answer to "{question.name}" is drawn depending on the answer'
    return None


def check_countable(survey: Survey, target: str) -> None:
    """Check that trees can count the single responses of a survey.

    Raises:
        QueryError: If trees cannot be grown on the signed copies of single responses.
    """
    problem = uncountable(survey, target)
    if problem is not None:
        raise QueryError(f'survey "{survey.name}"', problem, 'use a tree or a forest with mode="latent"')


@dataclass(frozen=True, eq=False)
class Disguise:
    """Survey in the form that counting needs: sizes, groups and signed weights.

    Attributes:
        kinds: Number of values of each question.
        target: Index of the class question.
        home: Group index of each question, or -1 for a plain question (sent as it is).
        shares: Weights of the two copies of a response (as sent, as replaced) by the state of the group, shape (groups,
            3, 2).
        drawn: Flags of the groups whose replacements are drawn at random. In all other groups, codes are replaced by
            their partners.
        odds: Odds of each value in a random replacement as whole numbers, shape (questions, largest number of values).
        rules: Rules on which answers are possible together.
        features: Questions that can predict the class question (`miner.responses.possible.predictors`).
        routed: Questions whose answers are drawn for people who are not asked.
        ordered: Number of values of each question, from the first value on, that have an order.
    """

    kinds: tuple[int, ...]
    target: int
    home: tuple[int, ...]
    shares: NDArray[np.float64]
    drawn: tuple[bool, ...]
    odds: NDArray[np.float64]
    ordered: tuple[int, ...]
    rules: tuple[Rule, ...]
    features: tuple[int, ...]
    routed: frozenset[int] = frozenset()

    @classmethod
    def of(cls, survey: Survey, target: str) -> Self:
        """Return the counting layout of a survey for predicting one of its questions."""
        homes = {name: number for number, group in enumerate(survey.groups) for name in group.questions}
        weights = [_weights(survey, group) for group in survey.groups]
        return cls(
            kinds=tuple(len(question.values) for question in survey.questions),
            target=survey.column(target),
            home=tuple(homes.get(question.name, -1) for question in survey.questions),
            shares=np.array([[each, (1.0, 0.0), (0.0, 1.0)] for each in weights]).reshape(-1, 3, 2),
            drawn=drawn_groups(survey),
            odds=value_odds(survey),
            ordered=tuple(question.in_order for question in survey.questions),
            rules=survey.rules,
            features=predictors(survey, target),
            routed=frozenset(at for at, question in enumerate(survey.questions) if question.coding.routed),
        )

    @property
    def classes(self) -> int:
        """Return the number of classes."""
        return self.kinds[self.target]

    @property
    def possible(self) -> NDArray[np.bool_]:
        """Return flags of the values that each question has, shape (questions, largest number of values)."""
        return np.arange(max(self.kinds)) < np.array(self.kinds)[:, None]


def value_odds(survey: Survey) -> NDArray[np.float64]:
    """Return the odds of each value in a random replacement as whole numbers, or 1 if replacements are not drawn.

    The odds have shape (questions, largest number of values).
    """
    odds = np.ones((len(survey.questions), max(len(question.values) for question in survey.questions)))
    for number, question in enumerate(survey.questions):
        group = survey.group_of(question.name)
        found = None if group is None else arrays_of(group.channel.replacement).odds(question)
        if found is not None:
            odds[number, : len(found)] = found
    return odds


def _weights(survey: Survey, group: Group) -> tuple[float, float]:
    """Return the signed weights of a group's copies.

    If the weights of copies depend on the questions asked, only plain (undisguised) rows can be counted.
    """
    return (1.0, 0.0) if group.channel.coin.varies else group_weights(survey, group)
