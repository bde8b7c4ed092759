"""A survey as counting and splitting need it: how many values, which groups, what copies weigh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from collector.survey import Survey
from miner.weights import group_weights


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
        homes = {name: number for number, group in enumerate(survey.groups) for name in group.questions}
        return cls(
            kinds=tuple(len(question.values) for question in survey.questions),
            target=survey.questions.index(survey.question(target)),
            home=tuple(homes.get(question.name, -1) for question in survey.questions),
            shares=np.array([[group_weights(group), (1.0, 0.0), (0.0, 1.0)] for group in survey.groups]).reshape(
                -1, 3, 2
            ),
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
