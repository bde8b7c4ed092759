"""The product weights: what each disguised response counts for an event. Exact fractions become floats here.

For a condition E = AND of "question in set of codes", with E_g its part in group g, a response counts

    complement   w_g(r) = a [r in E_g] + b [complement of r in E_g]
    uniform      w_g(r) = ( [r in E_g] - (1 - theta) u(E_g) ) / theta
    not disguised        [r in E_g]

and W(E) = product over g of w_g, where u(E_g) is the chance that a replacement is in E_g. The mean of W over responses
is unbiased for P(truth in E), and equal to the inverse of Du & Zhan's 2^M x 2^M matrix applied to the 2^M observed
frequencies (their section 3.3), at a cost linear in the number of groups (docs/guarantee.md, section 2).

Where a code stands for several values, [r in E_g] becomes what the code counts for the event's values if it is the
truth's (`collector.coding.coding.Coding.reading`). Where questions are sampled within a uniform group, theta is that of
the questions a respondent was asked of it; and a respondent who was not asked all of E counts nothing: the mean is to
be taken among those who were (`miner.responses.responses.Responses.among_asked`).

Where a question is not asked of everybody, and is coded as a draw for those who are not, "f in S" means that it was
asked and f in S: the event has the conditions of the question too. If the event has those who are not asked as well, it
is everything less "it was asked, and f not in S" (`expanded`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.disclosure.false_responses import asked_ends
from collector.survey.survey import Group, Survey
from miner.arrays import Floats
from miner.behind.coins import sampled_within
from miner.channels.registry import arrays_of
from miner.responses.distinct import distinct_rows
from miner.responses.responses import NOT_ASKED, Codes, Responses
from miner.weights.events import Event, Events, expanded, membership, names_of, with_conditions


def group_weights(survey: Survey, group: Group) -> tuple[float, float]:
    """The signed weights of the two copies of a response, as it is and replaced, to all questions of one group."""
    own, replacement = survey.weights_at(group, group.questions)
    return float(own), float(replacement)


def signed_weights(survey: Survey, group: Group, asked: NDArray[np.bool_]) -> tuple[Any, Any]:
    """The signed weights of the two copies of each response, as it is and replaced, for one group.

    Args:
        survey: The published design.
        group: One of its groups.
        asked: Shape (responses, questions of the survey): whether each respondent was asked each question.

    Returns:
        Two numbers, or two arrays of shape (responses,) where they depend on the questions asked.
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


@dataclass(frozen=True)
class _EventPart:
    """An event's part in one group: the columns it touches, and what their codes count.

    Attributes:
        group: None for questions sent as they are.
        columns: Columns of the survey.
        counts: For each column, shape (codes up to the largest + 1,): 1 for a wanted code, 0 for another; a part where
            a code stands for several values. The last stands for `NOT_ASKED`.
        replaced: What the replacement of each code counts on average, likewise.
    """

    group: Group | None
    columns: tuple[int, ...]
    counts: tuple[Floats, ...]
    replaced: tuple[Floats, ...]

    def of(self, codes: Codes) -> Floats:
        """The count of each row if it is the truth."""
        return self._product(self.counts, codes)

    def of_replacements(self, codes: Codes) -> Floats:
        """The mean count of each row's replacement; one number, shape (1,), where all are equal."""
        same = all((counts[:-1] == counts[0]).all() for counts in self.replaced)
        return self._product(self.replaced, codes[:1] if same else codes)

    def _product(self, every: tuple[Floats, ...], codes: Codes) -> Floats:
        found = np.ones(len(codes))
        for column, counts in zip(self.columns, every, strict=True):
            found *= counts[codes[:, column]]
        return found


class ProductWeights:
    """Weights of these responses for any event."""

    def __init__(self, responses: Responses) -> None:
        self._survey = responses.survey
        self._columns = {question.name: number for number, question in enumerate(self._survey.questions)}
        self._homes = {name: group for group in self._survey.groups for name in group.questions}
        self._responses = responses
        self._codes = np.asfortranarray(responses.codes)

    @property
    def survey(self) -> Survey:
        """The survey of the responses."""
        return self._survey

    def of(self, event: Events) -> Floats:
        """W(E) of every response: shape (responses,), 1 for the empty event, possibly negative or above 1.

        It is 0 for a respondent who was not asked all of the event's questions. Disjoint events add up, response by
        response, so that the spread of what is returned is that of their sum.

        Raises:
            QueryError: If the event names no question, or a code that is not the question's.
        """
        found = np.zeros(len(self._responses))
        for sign, term in expanded(self._survey, event):
            weights = self.asked(event).astype(np.float64)
            for part in self._parts(term):
                weights *= self._factors(part)
            found += sign * weights
        return found

    def terms(self, event: Events, counts: Floats) -> Floats:
        """Terms of the responses in the mean weight of those who were asked; their spread is that of the mean.

        With p their mean, n responses and m of them asked, a term is ``p + (n / m) (weight - p)``, or p if not asked.

        Args:
            event: As for `of`.
            counts: Shape (responses,): how many each stands for.
        """
        weights, asked = self.of(event), self.asked(event)
        if asked.all():
            return weights
        times = asked * (counts.sum() / (counts @ asked))
        mean = float(counts @ (times * weights) / counts.sum())
        found: Floats = mean + times * (weights - mean)
        return found

    def asked(self, event: Events) -> NDArray[np.bool_]:
        """Flags of the respondents who were asked all of the event's questions, and so stand for everybody."""
        return self._responses.asked_all(names_of(event))

    def _parts(self, event: Event) -> Iterator[_EventPart]:
        """The event taken apart by group; the questions in none, sent as they are, make one part."""
        touched: dict[str | None, list[str]] = {}
        for name in event:
            self._survey.question(name)
            home = self._homes.get(name)
            touched.setdefault(home.name if home else None, []).append(name)
        for names in touched.values():
            group = self._homes.get(names[0])
            counts, replaced = zip(*(self._read(group, name, event[name]) for name in names), strict=True)
            yield _EventPart(group, tuple(self._columns[name] for name in names), counts, replaced)

    def _read(self, group: Group | None, name: str, wanted: frozenset[int]) -> tuple[Floats, Floats]:
        """The count of each code of a question for an event, and its mean for the replacement."""
        question = self._survey.question(name)
        counts = membership(question, wanted)
        return counts, counts if group is None else arrays_of(group.channel.replacement).means(question, counts)

    def _factors(self, part: _EventPart) -> Floats:
        own = part.of(self._codes)
        if part.group is None:
            return own
        kept, replaced = signed_weights(self._survey, part.group, self._responses.asked)
        return np.asarray(kept * own + replaced * part.of_replacements(self._codes))

    def range(self, event: Events) -> tuple[float, float]:
        """The smallest and the largest W(E) of anybody who is asked, whether or not a response has it.

        Bounds of these, where `expanded` makes several events of one.
        """
        ends = [(0.0, 0.0)]
        for sign, term in expanded(self._survey, event):
            low, high = 1.0, 1.0
            for part in self._parts(term):
                factors = self._possible_factors(part)
                corners = [end * factor for end in (low, high) for factor in factors]
                low, high = min(corners), max(corners)
            ends.append((low, high) if sign > 0 else (-high, -low))
        return sum(low for low, _ in ends), sum(high for _, high in ends)

    def _possible_factors(self, part: _EventPart) -> list[float]:
        """Every w_g(r) there can be, from the ways in which a state and its replacement can count."""
        found = {(1.0, 1.0)}
        for column, counts, replaced in zip(part.columns, part.counts, part.replaced, strict=True):
            pairs = {(counts[code], replaced[code]) for code in self._survey.questions[column].codes}
            found = {(float(a * c), float(b * d)) for a, b in found for c, d in pairs}
        if part.group is None:
            return [own for own, _ in found]
        weights = self._possible_weights(part.group, part.columns)
        return [kept * own + times * other for own, other in found for kept, times in weights]

    def _possible_weights(self, group: Group, columns: Sequence[int]) -> list[tuple[float, float]]:
        """The signed weights of a group; where they depend on the questions asked, the smallest and the largest."""
        if not group.channel.coin.varies:
            return [group_weights(self._survey, group)]
        ends = asked_ends(self._survey, group, [self._survey.questions[column].name for column in columns])
        return [(float(one), float(two)) for one, two in (self._survey.weights_at(group, end) for end in ends)]


def touched(survey: Survey, names: Iterable[str]) -> list[int]:
    """The columns that decide what a response counts for an event of these questions.

    Raises:
        QueryError: If a name is no question.
    """
    columns = [survey.column(name) for name in with_conditions(survey, names)]
    return [*columns, *sampled_within(survey, columns)]


def every_state(responses: Responses, names: Sequence[str], people: Floats | None = None) -> tuple[Responses, Floats]:
    """Pretend responses of every kind that may be sent for some questions, by people who are asked them all.

    Args:
        responses: Responses of people who were asked these questions.
        names: Names of the questions.
        people: Shape (responses,): how many each response stands for; one if None.

    Returns:
        One for each combination of codes of these questions, in lexicographic order; where theta depends on what else
        was asked, these again for each set of questions that was. With them the share of the responses that were
        asked the same, shape (pretend responses,): all 1 unless theta depends on it.
    """
    survey = responses.survey
    columns = [survey.column(name) for name in names]
    states = np.array(list(product(*(survey.questions[column].codes for column in columns))), np.int16)
    within = sampled_within(survey, columns)
    sets, counts = np.ones((1, 0), np.bool_), np.ones(1)
    if within:
        sets, which = np.unique(responses.asked[:, within], axis=0, return_inverse=True)
        counts = np.bincount(which.ravel(), people).astype(np.float64)
    codes = np.tile(np.array([question.codes[0] for question in survey.questions], np.int16), (len(sets), 1))
    codes[:, within] = np.where(sets, codes[:, within], NOT_ASKED)
    codes = np.repeat(codes, len(states), axis=0)
    codes[:, columns] = np.tile(states, (len(sets), 1))
    return Responses(survey, codes), np.repeat(counts / counts.sum(), len(states))
