"""The product weights: what each disguised response counts for an event. Exact fractions become floats here.

For a condition E = AND of "question in set of codes", with E_g its part in group g, a response counts

    complement   w_g(r) = a [r in E_g] + b [complement of r in E_g]
    uniform      w_g(r) = ( [r in E_g] - (1 - theta) u(E_g) ) / theta
    not disguised        [r in E_g]

and W(E) = product over g of w_g. The mean of W over responses is unbiased for P(truth in E), and equal to the inverse
of Du & Zhan's 2^M x 2^M matrix applied to the 2^M observed frequencies (their section 3.3), at a cost linear in the
number of groups (DESIGN section 5).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from collector.channel import ComplementChannel
from collector.errors import QueryError
from collector.question import Question
from collector.survey import Group, Survey
from miner.responses import Codes, Responses

Event = Mapping[str, frozenset[int]]
"""Question names, each with the codes that belong to the event. A question that is not named may have any."""
Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


def complement_table(question: Question) -> NDArray[np.int16]:
    """The complement of each code, as an array to index with codes; a plain code is its own."""
    table = np.arange(question.codes[-1] + 1, dtype=np.int16)
    if question.coding.complements is not None:
        table[list(question.codes)] = question.coding.complements
    return table


def complemented(survey: Survey, codes: Codes) -> Codes:
    """Every code complemented, shape unchanged; plain codes stay as they are."""
    flipped = np.empty_like(codes)
    for number, question in enumerate(survey.questions):
        flipped[:, number] = complement_table(question)[codes[:, number]]
    return flipped


def group_weights(group: Group) -> tuple[float, float]:
    """The signed weights of a response's two copies, as it is and replaced, for one group."""
    own, replacement = group.channel.weights
    return float(own), float(replacement)


@dataclass(frozen=True)
class _Part:
    """An event's part in one group: the columns it touches, and which of their codes belong to it."""

    group: Group | None
    columns: tuple[int, ...]
    wanted: tuple[NDArray[np.bool_], ...]

    def matches(self, codes: Codes) -> NDArray[np.bool_]:
        """Whether each row has a wanted code in every touched column."""
        found = np.ones(len(codes), dtype=np.bool_)
        for column, wanted in zip(self.columns, self.wanted, strict=True):
            found &= wanted[codes[:, column]]
        return found


class ProductWeights:
    """What each of these responses counts for any event.

    Args:
        responses: Disguised responses.
    """

    def __init__(self, responses: Responses) -> None:
        self._survey = responses.survey
        self._columns = {question.name: number for number, question in enumerate(self._survey.questions)}
        self._homes = {name: group for group in self._survey.groups for name in group.questions}
        self._codes = np.asfortranarray(responses.codes)
        self._complements = np.asfortranarray(complemented(self._survey, responses.codes))

    def of(self, event: Event) -> Floats:
        """W(E) of every response: shape (responses,), 1 for the empty event, possibly negative or above 1.

        Raises:
            QueryError: If the event names no question, or a code that is not the question's.
        """
        weights = np.ones(len(self._codes))
        for part in self._parts(event):
            weights *= self._factors(part)
        return weights

    def _parts(self, event: Event) -> Iterator[_Part]:
        """The event taken apart by group; the questions in none, sent as they are, make one part."""
        touched: dict[str | None, list[str]] = {}
        for name in event:
            self._survey.question(name)
            home = self._homes.get(name)
            touched.setdefault(home.name if home else None, []).append(name)
        for names in touched.values():
            wanted = tuple(_membership(self._survey.question(name), event[name]) for name in names)
            yield _Part(self._homes.get(names[0]), tuple(self._columns[name] for name in names), wanted)

    def _factors(self, part: _Part) -> Floats:
        """w_g(r) of every response."""
        own = part.matches(self._codes).astype(np.float64)
        if part.group is None:
            return own
        kept, replaced = group_weights(part.group)
        if isinstance(part.group.channel, ComplementChannel):
            return kept * own + replaced * part.matches(self._complements)
        return kept * own + replaced * self._uniform_share(part)

    def range(self, event: Event) -> tuple[float, float]:
        """The smallest and the largest W(E) that any response could have, whether or not one has."""
        low, high = 1.0, 1.0
        for part in self._parts(event):
            factors = self._possible_factors(part)
            corners = [end * factor for end in (low, high) for factor in factors]
            low, high = min(corners), max(corners)
        return low, high

    def _possible_factors(self, part: _Part) -> list[float]:
        """Every w_g(r) there can be, from the ways in which a state and its complement can match."""
        matches = {(True, True)}
        for column, wanted in zip(part.columns, part.wanted, strict=True):
            question = self._survey.questions[column]
            pairs = {(wanted[code], wanted[complement_table(question)[code]]) for code in question.codes}
            matches = {(bool(a & c), bool(b & d)) for a, b in matches for c, d in pairs}
        if part.group is None:
            return [float(own) for own, _ in matches]
        kept, replaced = group_weights(part.group)
        if isinstance(part.group.channel, ComplementChannel):
            return [kept * own + replaced * other for own, other in matches]
        return [kept * own + replaced * self._uniform_share(part) for own, _ in matches]

    def _uniform_share(self, part: _Part) -> float:
        """u(E_g): the product over touched questions of the share of their codes that is in the event."""
        questions = [self._survey.questions[column] for column in part.columns]
        shares = [wanted.sum() / len(q.codes) for q, wanted in zip(questions, part.wanted, strict=True)]
        return float(np.prod(shares))


def _membership(question: Question, wanted: frozenset[int]) -> NDArray[np.bool_]:
    """Which codes belong to the event, as an array to index with codes."""
    if not wanted <= set(question.codes):
        problem = "the event has a code that is not the question's"
        raise QueryError(f'question "{question.name}"', problem, "take them from its codes")
    return np.isin(np.arange(question.codes[-1] + 1), list(wanted))
