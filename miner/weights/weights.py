"""Compute product weights: the weight of each disguised response for an event.

Let E be an event (a conjunction of "question in set of codes"), and E_g its part in group g. In group g, a response r
has the weight

    complement   w_g(r) = a [r in E_g] + b [complement of r in E_g]
    uniform      w_g(r) = ( [r in E_g] - (1 - theta) u(E_g) ) / theta
    not disguised        [r in E_g]

The weight for the event is W(E) = product over g of w_g, where u(E_g) is the probability that a replacement is in E_g.
The mean of the weights W over responses is unbiased for P(truth in E). The mean weight equals Du & Zhan's inverted 2^M
x 2^M matrix times the observed frequencies (section 3.3), at a cost linear in the number of groups (docs/guarantee.md,
section 2).

If a code stands for several values, [r in E_g] is replaced by the weight of the true code for the event's values
(`collector.coding.coding.Coding.reading`). If a uniform group asks each respondent only some of its questions, theta
depends on the questions asked. A respondent who was not asked all questions of E has weight 0. The mean weight is that
of the respondents who were asked all questions of E (`miner.responses.responses.Responses.among_asked`).

If people who are not asked a question f send a drawn code, "f in S" means that f was asked and its answer is in S. An
event with a question that is not asked of everybody also includes the conditions of the question. If an event on
question f also includes people who are not asked f, its weight is 1 minus the weight of "f was asked, and f is not in
S" (`expanded`).
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from collector.survey.survey import Group, Survey
from miner.arrays import Floats
from miner.behind.coins import sampled_within
from miner.channels.registry import arrays_of
from miner.counting.factors import CodeCounts, event_weights, possible_pairs, signed_weights
from miner.responses.responses import NOT_ASKED, Responses
from miner.weights.events import Event, Events, expanded, membership, names_of, with_conditions


class ProductWeights:
    """Weights of given responses for any event."""

    def __init__(self, responses: Responses) -> None:
        self._survey = responses.survey
        self._columns = {question.name: number for number, question in enumerate(self._survey.questions)}
        self._homes = {name: group for group in self._survey.groups for name in group.questions}
        self._responses = responses
        self._codes = np.asfortranarray(responses.codes)

    @property
    def survey(self) -> Survey:
        """Return the survey of the responses."""
        return self._survey

    def of(self, event: Events) -> Floats:
        """Return W(E) of every response, shape (responses,).

        For an event without conditions (everybody), the weight of a response is 1. For other events, the weight may be
        negative or above 1. Respondents who were not asked all of the event's questions have weight 0. The weights of
        disjoint events are added, response by response.

        Raises:
            QueryError: If the event names an unknown question, or a number that is not a code of its question.
        """
        found = np.zeros(len(self._responses))
        for sign, term in expanded(self._survey, event):
            weights = self.asked(event).astype(np.float64)
            for group, tables in self._parts(term):
                pair = (1.0, 0.0) if group is None else signed_weights(self._survey, group, self._responses.asked)
                weights *= event_weights(tables, pair, self._codes)
            found += sign * weights
        return found

    def terms(self, event: Events, counts: Floats) -> Floats:
        """Return the term of each response in the mean weight among respondents who were asked.

        Let p be the mean weight of the m respondents who were asked, among n responses. The term of a response is ``p +
        (n / m) (weight - p)`` if the respondent was asked, and otherwise p.

        Args:
            event: Event in the form that `of` takes.
            counts: Number of people that each response represents, shape (responses,).
        """
        weights, asked = self.of(event), self.asked(event)
        if asked.all():
            return weights
        times = asked * (counts.sum() / (counts @ asked))
        mean = float(counts @ (times * weights) / counts.sum())
        found: Floats = mean + times * (weights - mean)
        return found

    def asked(self, event: Events) -> NDArray[np.bool_]:
        """Return flags of the respondents who were asked all questions of an event."""
        return self._responses.asked_all(names_of(event))

    def _parts(self, event: Event) -> Iterator[tuple[Group | None, CodeCounts]]:
        """Return the parts of the event, one for each group with a question of the event.

        All plain questions (sent as they are) form one part of an event.
        """
        touched: dict[str | None, list[str]] = {}
        for name in event:
            self._survey.question(name)
            home = self._homes.get(name)
            touched.setdefault(home.name if home else None, []).append(name)
        for names in touched.values():
            group = self._homes.get(names[0])
            yield group, {self._columns[name]: self._read(group, name, event[name]) for name in names}

    def _read(self, group: Group | None, name: str, wanted: frozenset[int]) -> tuple[Floats, Floats]:
        """Return the weight of each code of a question for an event, and the mean weight of its replacement."""
        question = self._survey.question(name)
        counts = membership(question, wanted)
        return counts, counts if group is None else arrays_of(group.channel.replacement).means(question, counts)

    def range(self, event: Events) -> tuple[float, float]:
        """Return the smallest and the largest possible W(E) of a respondent who is asked.

        If `expanded` turns the event into several events, a lower and an upper bound are returned.
        """
        ends = [(0.0, 0.0)]
        for sign, term in expanded(self._survey, event):
            low, high = 1.0, 1.0
            for group, tables in self._parts(term):
                factors = self._possible_factors(group, tables)
                corners = [end * factor for end in (low, high) for factor in factors]
                low, high = min(corners), max(corners)
            ends.append((low, high) if sign > 0 else (-high, -low))
        return sum(low for low, _ in ends), sum(high for _, high in ends)

    def _possible_factors(self, group: Group | None, tables: CodeCounts) -> list[float]:
        """Return every possible weight w_g(r) of a response in one group."""
        found = {(1.0, 1.0)}
        for column, (counts, replaced) in tables.items():
            pairs = {(counts[code], replaced[code]) for code in self._survey.questions[column].codes}
            found = {(float(a * c), float(b * d)) for a, b in found for c, d in pairs}
        if group is None:
            return [own for own, _ in found]
        weights = possible_pairs(self._survey, group, [self._survey.questions[column].name for column in tables])
        return [kept * own + times * other for own, other in found for kept, times in weights]


def touched(survey: Survey, names: Iterable[str]) -> list[int]:
    """Return the columns that determine the weight of a response for an event of some questions.

    Raises:
        QueryError: If a name is not a question.
    """
    columns = [survey.column(name) for name in with_conditions(survey, names)]
    return [*columns, *sampled_within(survey, columns)]


def every_state(responses: Responses, names: Sequence[str], people: Floats | None = None) -> tuple[Responses, Floats]:
    """Make one artificial response for each combination of codes that people may send for some questions.

    Args:
        responses: Responses of people who were asked the named questions.
        names: Names of the questions.
        people: Number of people that each response represents, shape (responses,), or None if each represents one.

    Returns:
        One response for each combination of codes of the questions, in lexicographic order. If theta depends on the
        questions asked, the combinations are repeated for each set of asked questions. The shares of responses with
        equal asked questions are returned, too, or 1 if theta does not depend on the questions asked.
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
