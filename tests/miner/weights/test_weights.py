"""What responses count for events where not everybody is asked everything: ends that are reached, and states."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from collector.errors import QueryError
from collector.survey.survey import Survey
from every_draw import EITHER, YES_NO, designs
from miner.responses.condition import event_of
from miner.responses.responses import NOT_ASKED, Responses
from miner.simulation.simulation import simulate
from miner.weights.layout import check_countable
from miner.weights.weights import ProductWeights, every_state, touched
from small_surveys import survey_of

DESIGNS = designs()


@pytest.fixture(params=list(DESIGNS))
def survey(request: pytest.FixtureRequest) -> Survey:
    return DESIGNS[request.param]


def every_response(survey: Survey) -> Responses:
    """All responses that may be sent: of each draw of questions, each combination of codes."""
    assert survey.sampling is not None
    rows: list[tuple[int, ...]] = []
    for asked in survey.sampling.draws([question.name for question in survey.questions]):
        rows += product(*(each.codes if each.name in asked else (NOT_ASKED,) for each in survey.questions))
    return Responses(survey, np.array(rows, np.int16))


def simulated(survey: Survey, people: int) -> Responses:
    rng = np.random.default_rng(4)
    kinds = [len(question.values) for question in survey.questions]
    return simulate(survey, rng.integers(0, kinds, size=(people, len(kinds))).astype(np.int16), rng)


def test_the_range_of_an_event_ends_at_weights_that_responses_have(survey: Survey) -> None:
    every, names = every_response(survey), [question.name for question in survey.questions]
    weights = ProductWeights(every)
    for some in [*combinations(names, 1), *combinations(names, 2)]:
        asked = every.asked_all(some)
        if asked.any():
            event = event_of(survey, dict.fromkeys(some, frozenset({0})))
            found = weights.of(event)[asked]
            assert weights.range(event) == pytest.approx((found.min(), found.max()), abs=1e-9)


def test_who_was_not_asked_adds_the_mean_of_those_who_were(survey: Survey) -> None:
    sent = simulated(survey, 200)
    weights, counts = ProductWeights(sent), np.arange(200.0) % 3 + 1
    name = survey.questions[-1].name
    event, asked = event_of(survey, {name: frozenset({0})}), sent.asked_all([name])
    found, each = weights.terms(event, counts), weights.of(event)
    mean = (counts[asked] @ each[asked]) / counts[asked].sum()
    assert found[~asked] == pytest.approx(np.full((~asked).sum(), mean))
    assert found[asked] - mean == pytest.approx((each[asked] - mean) * counts.sum() / counts[asked].sum())
    assert counts @ found / counts.sum() == pytest.approx(mean)


def test_a_survey_whose_copies_cannot_be_counted_is_refused_with_a_way_out() -> None:
    check_countable(survey_of((YES_NO, "a", 'truth = "3/4"'), (f"{YES_NO}\nsensitive = false", "", "")), "q0")
    shared = survey_of((EITHER, "a", 'truth = "3/4", channel = "uniform"'))
    for survey, name, problem in (
        (DESIGNS["complement groups, the class always"], "split", "not everybody was asked every question"),
        (shared, shared.name, 'codes of "q0" stand for several values'),
    ):
        with pytest.raises(QueryError) as raised:
            check_countable(survey, "q0")
        assert str(raised.value).startswith(f'survey "{name}": {problem}; ')
        assert 'mode="latent"' in raised.value.remedy


def test_every_state_of_questions_comes_once_for_each_set_that_their_coin_depends_on(survey: Survey) -> None:
    names = [survey.questions[0].name]
    sent = simulated(survey, 60).among_asked(names)
    people = np.arange(float(len(sent))) % 4 + 1
    states, shares = every_state(sent, names, people)
    columns = touched(survey, names)
    sets: dict[tuple[bool, ...], float] = {}
    within = [column for column in dict.fromkeys(columns) if columns.count(column) > 1 or column != 0]
    for row, count in zip(sent.asked[:, within].tolist(), people, strict=True):
        sets[tuple(row)] = sets.get(tuple(row), 0.0) + count
    codes = survey.questions[0].codes
    assert states.codes[:, 0].tolist() == [*codes] * len(sets)
    assert shares == pytest.approx(np.repeat([sets[each] / people.sum() for each in sorted(sets)], len(codes)))
    assert states.asked[:, within].tolist() == [list(each) for each in sorted(sets) for _ in codes]
    once, even = every_state(sent, names)
    assert len(once) == len(states)
    assert even.sum() == pytest.approx(len(codes))
