"""A survey as counting and splitting need it: how many values, which groups, what copies weigh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from collector.errors import QueryError
from collector.survey.survey import Group, Survey
from miner.channels.registry import check_compiled
from miner.weights.weights import group_weights


def uncountable(survey: Survey) -> str | None:
    """Why the signed copies of single responses cannot be counted node by node; None if they can."""
    if survey.sampling is not None:
        return "not everybody was asked every question"
    for question in survey.questions:
        if question.coding.shared:
            return f'codes of "{question.name}" stand for several values'
        if question.coding.replacement is not None:
            return f'"{question.name}" is replaced more often by some values than by others'
    return None


def check_countable(survey: Survey) -> None:
    """Do nothing, if trees can be grown on the signed copies of single responses.

    Raises:
        QueryError: If not.
    """
    problem = uncountable(survey)
    if problem is not None:
        raise QueryError(f'survey "{survey.name}"', problem, 'grow a tree or a forest with mode="latent"')


@dataclass(frozen=True, eq=False)
class Disguise:
    """A survey as the counting needs it: sizes, groups and signed weights.

    Attributes:
        kinds: How many values each question has.
        target: Index of the class question.
        home: The group index of each question, -1 where it is sent as it is.
        shares: Shape (groups, 3, 2): the weights of the own and the replaced copy that an entry gives, by its state.
        uniform: Which groups are replaced by uniform draws, not by complements.
        ordered: Whether the values of each question have an order.
    """

    kinds: tuple[int, ...]
    target: int
    home: tuple[int, ...]
    shares: NDArray[np.float64]
    uniform: tuple[bool, ...]
    ordered: tuple[bool, ...]

    @classmethod
    def of(cls, survey: Survey, target: str) -> Self:
        """Of a survey, to predict one of its questions."""
        check_compiled(survey)
        homes = {name: number for number, group in enumerate(survey.groups) for name in group.questions}
        weights = [_weights(survey, group) for group in survey.groups]
        return cls(
            kinds=tuple(len(question.values) for question in survey.questions),
            target=survey.questions.index(survey.question(target)),
            home=tuple(homes.get(question.name, -1) for question in survey.questions),
            shares=np.array([[each, (1.0, 0.0), (0.0, 1.0)] for each in weights]).reshape(-1, 3, 2),
            uniform=tuple(group.channel.name == "uniform" for group in survey.groups),
            ordered=tuple(question.ordered for question in survey.questions),
        )

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return self.kinds[self.target]

    @property
    def features(self) -> list[int]:
        """Every question but the target."""
        return [question for question in range(len(self.kinds)) if question != self.target]

    @property
    def possible(self) -> NDArray[np.bool_]:
        """Shape (questions, largest number of values): which values there are."""
        return np.arange(max(self.kinds)) < np.array(self.kinds)[:, None]


def _weights(survey: Survey, group: Group) -> tuple[float, float]:
    """The signed weights of a group's copies; where they depend on the questions asked, only plain rows are counted."""
    return (1.0, 0.0) if group.channel.coin.varies else group_weights(survey, group)
