"""The likelihood of the answers to a few questions, given the sent codes.

The answers that may be behind a response are listed once: for each group that the questions touch, the values that the
codes sent may stand for, each with P(sent | values). Under the complement channel these are two (the codes as they are,
and their complements); under the uniform channel every combination. The drawing among several codes of one value is
part of the channel. A question that a respondent was not asked, by design, may have any value: the response has no code
of it. Both maximum-likelihood estimates here, of frequencies and of a regression, are computed from this.

The frequencies that make what was sent likeliest, among those that are frequencies at all, are found by
`miner.estimates.extrapolated_em`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.arrays import Flags, Floats, Indices
from miner.behind.candidates import kinds_of, padded
from miner.estimates.extrapolated_em import SMALLEST, maximum
from miner.responses.condition import ValueSets
from miner.responses.possible import possible
from miner.responses.responses import Values
from miner.responses.source import Source
from miner.weights.events import with_conditions

MOST_ENTRIES = 2**22  # candidates of all distinct responses together


@dataclass(frozen=True, eq=False)
class Explanations:
    """Values of a few questions that may be behind each different response.

    Attributes:
        cells: Shape (cells, questions): the combinations of value indices that some response leaves possible.
        counts: Shape (patterns,): how many responses were alike in these questions.
        cell: Shape (patterns, candidates): row of `cells`.
        chance: Shape (patterns, candidates): P(sent | cell). Candidates in the same cell add up; 0 where a pattern has
            fewer of them.
    """

    cells: Values
    counts: Floats
    cell: Indices
    chance: Floats

    @classmethod
    def of(cls, responses: Source, names: Sequence[str], *, routed: bool = True) -> "Explanations | None":
        """Explain responses by these questions, in this order; respondents who were asked none of them are left out.

        Args:
            responses: Disguised.
            names: Names of the questions.
            routed: Whether combinations that contradict each other (`miner.responses.possible`) are left out; of codes
                that are sent as they are, and do, they are not.

        Returns:
            None if there are too many candidates to enumerate.

        Raises:
            QueryError: If a name is no question or comes twice, or there are no responses.
        """
        columns = _columns(responses, names)
        kinds, counts = kinds_of(responses, columns)
        if sum(map(len, counts)) * max(kind.candidates for kind in kinds) > MOST_ENTRIES:
            return None
        values, chance = padded([kind.explained() for kind in kinds])
        if routed and responses.survey.rules:
            chance = np.where(_sound(responses.survey, columns, values, chance), chance, 0)
            some = values[np.arange(len(values)), chance.argmax(axis=1)][:, None]
            values = np.where(chance[:, :, None] > 0, values, some)
        sizes = [len(responses.survey.questions[column].values) for column in columns]
        place, cell = np.unique(np.ravel_multi_index(tuple(np.moveaxis(values, -1, 0)), sizes), return_inverse=True)
        cells = np.stack(np.unravel_index(place, sizes), axis=1).astype(np.int16)
        return cls(cells, np.concatenate(counts), cell.reshape(chance.shape), chance)

    @property
    def responses(self) -> int:
        """Number of responses."""
        return round(float(self.counts.sum()))

    def expected(self, frequencies: Floats) -> Floats:
        """P(sent) of each pattern, shape (patterns,), if the cells have these frequencies, shape (cells,)."""
        found: Floats = np.einsum("pw,pw->p", self.chance, frequencies[self.cell])
        return found

    def posterior(self, frequencies: Floats) -> Floats:
        """P(candidate | sent), shape (patterns, candidates), if the cells have these frequencies."""
        joint = self.chance * frequencies[self.cell]
        shares: Floats = joint / np.maximum(joint.sum(axis=1, keepdims=True), SMALLEST)
        return shares

    def tallied(self, shares: Floats) -> Floats:
        """Number of responses of each cell, shape (cells,), if they are divided among candidates by these shares."""
        counted = (shares * self.counts[:, None]).ravel()
        found: Floats = np.bincount(self.cell.ravel(), counted, minlength=len(self.cells)).astype(np.float64)
        return found

    def slopes(self, shares: Floats) -> tuple[Floats, float]:
        """Derivatives of the log-likelihood by the cells' frequencies, shape (cells,); and its value."""
        expected = np.maximum(self.expected(shares), SMALLEST)
        return self.tallied(self.chance / expected[:, None]), float(self.counts @ np.log(expected))


@dataclass(frozen=True, eq=False)
class Frequencies:
    """The frequencies that make what was sent likeliest: never below 0, adding up to 1, and hence not unbiased.

    Attributes:
        names: Names of the questions, those of their conditions last.
        cells: Shape (cells, questions): combinations of value indices; any other has frequency 0.
        shares: Shape (cells,).
    """

    names: tuple[str, ...]
    cells: Values
    shares: Floats

    def share(self, condition: ValueSets) -> float:
        """The frequency of a condition on these questions."""
        holds = np.ones(len(self.cells), np.bool_)
        for name, values in condition.items():
            holds &= np.isin(self.cells[:, self.names.index(name)], list(values))
        return float(self.shares[holds].sum())


def likeliest_frequencies(responses: Source, names: Sequence[str]) -> Frequencies | None:
    """The constrained maximum-likelihood estimate of the joint frequencies of a few questions' values.

    Where those who are not asked a question send drawn codes, its codes alone do not say how many were asked: whoever
    was not asked looks like a random sample of those who were. The questions of its conditions are therefore explained
    together with it, and `Frequencies` has them too.

    Returns:
        None if there is too much to write out, or the top is not reached.

    Raises:
        QueryError: If a name is no question or comes twice, or there are no responses, or no one was asked any.
    """
    conditions = (each for each in with_conditions(responses.survey, names) if each not in names)
    together = [*names, *conditions]
    explained = Explanations.of(responses, together)
    if explained is None:
        return None
    shares = maximum(explained, len(explained.cells))
    return None if shares is None else Frequencies(tuple(together), explained.cells, shares)


def _sound(survey: Survey, columns: Sequence[int], values: Values, chance: Floats) -> Flags:
    """Shape (patterns, candidates): those that do not contradict each other; all, if none would be left."""
    found = possible(survey, columns, values)
    return found | ~(found & (chance > 0)).any(axis=1, keepdims=True)


def _columns(responses: Source, names: Sequence[str]) -> list[int]:
    questions = [responses.survey.question(name) for name in names]
    if not len(responses) or len(set(names)) < len(names):
        raise QueryError("responses", "there are none, or a question is named twice", "name each question once")
    return [responses.survey.questions.index(question) for question in questions]
