"""Compute factors: the weights of a response for the answers to one group's questions, for any channel and coding.

For a group g, the matrix W_g(codes sent, answers) is the inverse of the matrix P(codes sent | answers). The weights W_g
are signed, and add up to 1 over the answers:

    W(codes, answers) = kept * product over questions of own(code, answer) + replaced * product of other(code, answer)

``kept`` is the signed weight of the codes that were sent, and ``replaced`` is the signed weight of their replacement.
``own`` is the weight of a true code for a value. The weight ``own`` is 1 or 0, unless the code stands for several
values. ``other`` is the mean weight of the code's replacement for a value. The weight of a response for an event is a
product over groups: each factor is the sum of W_g over the event's answers. Every estimate is a sum of products of
weights (docs/guarantee.md, section 2).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from collector.disclosure.false_responses import asked_ends
from collector.survey.question import Question
from collector.survey.survey import Group, Survey
from miner.arrays import Flags, Floats, Indices
from miner.behind.coins import sampled_within
from miner.channels.registry import arrays_of
from miner.responses.distinct import LARGEST_KEY, distinct_rows
from miner.responses.responses import NOT_ASKED, Codes, Values

MOST_LISTED = 2**12  # largest number of answers to one group's questions that are listed for a combination of codes
MOST_WEIGHTS = 2**23  # largest number of weights of one group, for all combinations of codes
MOST_CODES = 2**12  # number of combinations of codes up to which the largest weight is searched exactly
SMALLEST = 1e-300
CodeCounts = Mapping[int, tuple[Floats, Floats]]
"""For each column, what its codes count for an event as the truth's, and what their replacements count on average.

Both are of shape (largest code + 2,); the last stands for `NOT_ASKED`.
"""


def group_weights(survey: Survey, group: Group) -> tuple[float, float]:
    """Return the signed weights of a response's sent codes and of their replacement, for all questions of one group."""
    own, replacement = survey.weights_at(group, group.questions)
    return float(own), float(replacement)


def signed_weights(survey: Survey, group: Group, asked: NDArray[np.bool_]) -> tuple[Any, Any]:
    """Return the signed weights of each response's sent codes and of their replacement, for one group.

    Args:
        survey: Published survey.
        group: Group of the survey.
        asked: Flags of the questions that each respondent was asked, shape (responses, questions of the survey).

    Returns:
        Two numbers, or two arrays of shape (responses,) if they depend on the questions asked.
    """
    if not group.channel.coin.varies:
        return group_weights(survey, group)
    members = [survey.questions.index(question) for question in survey.members(group)]
    first, which = distinct_rows(asked[:, members])
    pairs = []
    for each in asked[first][:, members]:
        names = [survey.questions[member].name for member, there in zip(members, each, strict=True) if there]
        pairs.append([float(weight) for weight in survey.weights_at(group, names)])
    found = np.array(pairs).reshape(-1, 2)[which]
    return found[:, 0], found[:, 1]


def possible_pairs(survey: Survey, group: Group, names: Sequence[str]) -> list[tuple[float, float]]:
    """Return the pairs (weight of sent codes, weight of their replacement) possible for people asked some questions.

    If the weights depend on the other questions asked, two extreme pairs of weights are returned, otherwise the only
    pair.
    """
    if not group.channel.coin.varies:
        return [group_weights(survey, group)]
    ends = (survey.weights_at(group, end) for end in asked_ends(survey, group, names))
    return [(float(own), float(replaced)) for own, replaced in ends]


def code_weights(group: Group | None, question: Question) -> tuple[Floats, Floats]:
    """Return the weight of each true code for each value, and the mean weight of the code's replacement.

    Returns:
        Two arrays of shape (largest code + 2, values). The last row of each array belongs to `NOT_ASKED`.
    """
    own = np.zeros((question.codes[-1] + 2, len(question.values)))
    for code, weights in question.coding.reading.items():
        own[code] = [float(weight) for weight in weights]
    return own, own if group is None else arrays_of(group.channel.replacement).means(question, own)


@dataclass(frozen=True, eq=False)
class Listed:
    """Answers that may be behind each distinct combination of codes (a *kind*), with the weights of the answers.

    Attributes:
        table: Value indices of the group's questions, shape (rows, questions of the survey), with -1 for all other
            questions and the class question.
        place: Row of `table` for each answer, shape (kinds, answers).
        weight: Weight of each answer with each class, shape (kinds or 1, answers, classes, or 1 without the class).
    """

    table: Values
    place: Indices
    weight: Floats

    @property
    def copies(self) -> int:
        """Return the largest number of pairs (answer, class) that have a weight for one combination of codes."""
        return int((self.weight != 0).sum(axis=(1, 2)).max(initial=1))

    def padded(self, answers: int) -> Self:
        """Fill up the answers to a given number with answers of weight 0."""
        more = (0, answers - self.place.shape[1])
        return replace(
            self, place=np.pad(self.place, ((0, 0), more)), weight=np.pad(self.weight, ((0, 0), more, (0, 0)))
        )

    def merged(self) -> Self:
        """Merge equal answers behind one combination of codes, and add their weights."""
        kind, answer = np.nonzero(self.weight.any(axis=2))
        key, which = np.unique(kind * len(self.table) + self.place[kind, answer], return_inverse=True)
        weights = np.zeros((len(key), self.weight.shape[2]))
        np.add.at(weights, which.ravel(), self.weight[kind, answer])
        kind, row = np.divmod(key, max(1, len(self.table)))
        answer = np.arange(len(key)) - np.searchsorted(kind, kind)
        shape = len(self.place), int(answer.max(initial=0)) + 1
        place, weight = np.zeros(shape, np.intp), np.zeros((*shape, self.weight.shape[2]))
        place[kind, answer], weight[kind, answer] = row, weights
        return replace(self, place=place, weight=weight)


@dataclass(frozen=True, eq=False)
class Factor:
    """Weights of responses for the answers to some questions of one group, or to plain questions (sent as they are).

    Attributes:
        survey: Published survey.
        group: Group of the questions, or None for plain questions.
        columns: Column indices of the questions.
        target: Column index of the class question, which may be outside the group.
        kept: Signed weight of the sent codes for each distinct combination of codes (a kind), shape (kinds, 1).
        replaced: Signed weight of the replacement, for each distinct combination of codes (a kind), shape (kinds, 1).
        tables: For each question, the weights of the code and of its replacement for each value: two arrays of shape
            (kinds, values).
        kind: Index of each response's combination of codes, shape (responses,).
    """

    survey: Survey
    group: Group | None
    columns: tuple[int, ...]
    target: int
    kept: Floats
    replaced: Floats
    tables: tuple[tuple[Floats, Floats], ...]
    kind: Indices

    @classmethod
    def of(cls, survey: Survey, group: Group | None, columns: Sequence[int], target: int, codes: Codes) -> Self:
        """Return the factor of some questions of one group."""
        first, kind = distinct_rows(codes[:, sorted({*columns, *sampled_within(survey, columns)})])
        some, pair = codes[first], (1.0, 0.0)
        if group is not None:
            pair = signed_weights(survey, group, some != NOT_ASKED)
        kept, replaced = (np.broadcast_to(np.reshape(each, (-1, 1)), (len(some), 1)) for each in pair)
        weights = [code_weights(group, survey.questions[column]) for column in columns]
        tables = [(own[some[:, c]], other[some[:, c]]) for c, (own, other) in zip(columns, weights, strict=True)]
        return cls(survey, group, tuple(columns), target, kept, replaced, tuple(tables), kind)

    @cached_property
    def answers(self) -> int:
        """Return the number of combinations of answers to the questions, or 2^62 if it is larger."""
        number: int = prod(own.shape[1] for own, _ in self.tables)
        return min(number, LARGEST_KEY)

    @cached_property
    def size(self) -> float:
        """Return the largest sum of absolute weights that any response has.

        If there are too many combinations of codes, an upper bound is returned.
        """
        if self.group is None:
            return 1.0
        questions = [self.survey.questions[column] for column in self.columns]
        own, other = zip(*(code_weights(self.group, each) for each in questions), strict=True)
        if prod(len(each.codes) for each in questions) * self.answers > MOST_WEIGHTS:
            one, two = (prod(float(np.abs(each).sum(axis=1).max()) for each in some) for some in (own, other))
            return max(abs(kept) * one + abs(replaced) * two for kept, replaced in self._coins)
        codes = np.array(list(product(*(each.codes for each in questions)))).T
        left, right = (_product([each[at] for each, at in zip(some, codes, strict=True)]) for some in (own, other))
        return max(float(np.abs(kept * left + replaced * right).sum(axis=1).max()) for kept, replaced in self._coins)

    @property
    def _coins(self) -> list[tuple[float, float]]:
        """Return the possible pairs (weight of the codes sent, weight of their replacement).

        If the weights depend on the questions asked, two extreme pairs of weights are returned, otherwise the only
        pair.
        """
        if self.group is None:
            return [(1.0, 0.0)]
        return possible_pairs(self.survey, self.group, [self.survey.questions[column].name for column in self.columns])

    @cached_property
    def listed(self) -> Listed | None:
        """Return the answers with a weight for each distinct combination of codes, or None if there are too many."""
        both = [self._supports(side) for side in (0, 1)]
        if not np.any(self.replaced):
            both = both[:1]
        count = sum(prod(each.shape[1] for each in some) for some in both)
        every = min(self.answers, count)
        if every > MOST_LISTED or every * len(self.kept) > MOST_WEIGHTS:
            return None
        if self.answers <= count:
            values = np.array(list(product(*(range(own.shape[1]) for own, _ in self.tables))), np.int16)
            values = np.broadcast_to(values, (len(self.kept), *values.shape))
        else:
            values = np.concatenate([_crossed(some) for some in both], axis=1)
        weight = self._weights(values)
        if len(both) > 1 and self.answers > count:
            weight = np.where(_repeated(values), 0.0, weight)
        ranked = np.argsort(np.where(weight == 0, np.inf, -weight), axis=1, kind="stable")  # those of no weight last
        order = ranked[:, : int((weight != 0).sum(axis=1).max(initial=1))]
        values = np.take_along_axis(values, order[:, :, None], axis=1)
        listed = self._listed(values, np.take_along_axis(weight, order, axis=1))
        return listed.merged() if self.target in self.columns else listed

    def _supports(self, side: int) -> list[Values]:
        """Return the values that each code may stand for, by question."""
        found = []
        for pair in self.tables:
            there = pair[side] != 0
            order = np.argsort(~there, axis=1, kind="stable")[:, : int(there.sum(axis=1).max(initial=1))]
            found.append(order.astype(np.int16))
        return found

    def _weights(self, values: Values) -> Floats:
        """Return the weight of each answer behind each combination of codes (kind), shape (kinds, answers)."""
        sides = np.ones((2, *values.shape[:2]))
        for place, pair in enumerate(self.tables):
            for side, table in enumerate(pair):
                sides[side] *= np.take_along_axis(table, values[:, :, place].astype(np.intp), axis=1)
        return np.asarray(self.kept * sides[0] + self.replaced * sides[1])

    def _listed(self, values: Values, weight: Floats) -> Listed:
        """Return an array of answers, with their weights, as `Listed`."""
        rows, answers, _ = values.shape
        features = [place for place, column in enumerate(self.columns) if column != self.target]
        every = values[:, :, features].reshape(rows * answers, len(features))
        first, place = distinct_rows(every)
        table = np.full((len(first), len(self.survey.questions)), -1, np.int16)
        table[:, [self.columns[each] for each in features]] = every[first]
        if self.target not in self.columns:
            return Listed(table, place.reshape(rows, answers), _shared(weight)[:, :, None])
        classes = np.arange(len(self.survey.questions[self.target].values))
        has = values[:, :, self.columns.index(self.target), None] == classes
        return Listed(table, place.reshape(rows, answers), weight[:, :, None] * has)

    def drawn(self, draws: int, rng: np.random.Generator) -> Listed:
        """Draw answers for each response, with probability proportional to the sum of absolute weights over classes.

        Classes are not drawn: a drawn answer has a weight for each class. The weights of the answers drawn for a
        response add up to 1 on average.
        """
        if self.listed is None:
            return self._drawn_by_question(draws, rng)
        listed, kind = self.listed, self.kind
        if listed.place.shape[1] == 1:
            return Listed(listed.table, listed.place[kind], _rows(listed.weight, kind))
        size = np.abs(listed.weight).sum(axis=2)
        picked, total = _drawn(np.broadcast_to(size, listed.place.shape), kind, rng.random((len(kind), draws)))
        each = kind[:, None]
        unit = listed.weight / np.maximum(size, SMALLEST)[:, :, None]
        weight = unit[each if len(unit) > 1 else 0, picked] * total[:, :, None]
        return Listed(listed.table, listed.place[each, picked], weight)

    def _drawn_by_question(self, draws: int, rng: np.random.Generator) -> Listed:
        """Draw answers question by question, after drawing whether the sent codes or their replacement are true."""
        kind, shape = self.kind, (len(self.kind), draws)
        picked = [[_drawn(each, kind, rng.random(shape)) for each in pair] for pair in self.tables]
        sides = []
        for side, signed in enumerate((self.kept, self.replaced)):
            sides.append(np.asarray(signed[kind] * prod(each[side][1] for each in picked)))
        size = np.abs(sides[0]) + np.abs(sides[1])
        kept = rng.random(shape) < np.abs(sides[0]) / size
        values = np.stack([np.where(kept, own[0], other[0]) for own, other in picked], axis=2).astype(np.int16)
        return self._listed(values, size * np.sign(np.where(kept, *sides)))


def factors_of(survey: Survey, asked: Collection[str], target: str, codes: Codes) -> list[Factor]:
    """Return one factor for each group that has a used question or the class question.

    The first factor is that of all plain questions (sent as they are).

    Args:
        survey: Published survey.
        asked: Names of the used questions.
        target: Name of the class question.
        codes: Disguised codes, shape (responses, questions of the survey).

    Raises:
        QueryError: If a name is not a question.
    """
    touched = sorted({survey.column(name) for name in (*asked, target)})
    found = []
    for group in (None, *survey.groups):
        columns = [column for column in touched if survey.group_of(survey.questions[column].name) is group]
        if columns:
            found.append(Factor.of(survey, group, columns, survey.column(target), codes))
    return found


def largest_sum(survey: Survey, asked: Collection[str], target: str) -> float:
    """Return the largest possible sum of a response's absolute weights, which bounds its influence.

    Raises:
        QueryError: If a name is not a question.
    """
    nobody: Codes = np.zeros((0, len(survey.questions)), np.int16)
    return prod(factor.size for factor in factors_of(survey, asked, target, nobody))


def event_weights(tables: CodeCounts, pair: tuple[Any, Any], codes: Codes) -> Floats:
    """Return the weights of responses for an event in the questions of one group, shape (responses,).

    Args:
        tables: Weights of the codes, and of their replacements, for the event.
        pair: Signed weights of the sent codes and of their replacement, as numbers or arrays of shape (responses,).
        codes: Disguised codes, shape (responses, questions of the survey).
    """
    own, other = np.ones(len(codes)), np.ones(1)
    for column, (counts, replaced) in tables.items():
        own *= counts[codes[:, column]]
        same = (replaced[:-1] == replaced[0]).all()
        other = other * (replaced[0] if same else replaced[codes[:, column]])
    return np.asarray(pair[0] * own + pair[1] * other)


def _product(tables: Sequence[Floats]) -> Floats:
    """Return all products of one number from each table, row by row, shape (rows, combinations)."""
    found = np.ones((len(tables[0]), 1))
    for table in tables:
        found = (found[:, :, None] * table[:, None, :]).reshape(len(table), -1)
    return found


def _crossed(values: Sequence[Values]) -> Values:
    """Combine the values of several questions in all ways, shape (kinds, combinations, questions)."""
    places = np.array(list(product(*(range(each.shape[1]) for each in values))), np.intp)
    return np.stack([each[:, place] for each, place in zip(values, places.T, strict=True)], axis=2)


def _repeated(values: Values) -> Flags:
    """Return flags of repeated answers within a row, shape (kinds, answers)."""
    number = distinct_rows(values.reshape(-1, values.shape[2]))[1].reshape(values.shape[:2])
    order = np.argsort(number, axis=1, kind="stable")
    ranked, found = np.take_along_axis(number, order, axis=1), np.zeros(number.shape, np.bool_)
    np.put_along_axis(found, order[:, 1:], ranked[:, 1:] == ranked[:, :-1], axis=1)
    return found


def _shared(weight: Floats) -> Floats:
    """Return a single row of weights if all rows are equal."""
    return weight[:1] if len(weight) and (weight == weight[0]).all() else weight


def _rows(weight: Floats, kind: Indices) -> Floats:
    """Return the row of weights for each response, or a single row if all rows are equal."""
    return weight if len(weight) == 1 else weight[kind]


def _drawn(weights: Floats, kind: Indices, lots: Floats) -> tuple[Indices, Floats]:
    """Draw answers with probability proportional to their absolute weight, and return their weights.

    Args:
        weights: Signed weights of the answers, shape (kinds, answers).
        kind: Row of `weights` that each response uses, shape (responses,).
        lots: Uniform random numbers between 0 and 1, shape (responses, draws).

    Returns:
        Index of each drawn answer, and the sum of absolute weights with the sign of the answer's weight, both of shape
        (responses, draws).
    """
    sizes = np.abs(weights).sum(axis=1, keepdims=True)
    ends = np.cumsum(np.abs(weights), axis=1) / np.maximum(sizes, SMALLEST)
    ends[:, -1] = 1.0
    entries, first = weights.shape[1], kind[:, None] * weights.shape[1]
    flat = (ends + np.arange(len(weights))[:, None]).ravel()
    picked = np.clip(np.searchsorted(flat, lots + kind[:, None], side="right") - first, 0, entries - 1)
    return picked, sizes[kind] * np.sign(weights[kind[:, None], picked])
