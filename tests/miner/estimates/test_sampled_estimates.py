"""Split questionnaires: estimates of every kind are unbiased over every draw, code and coin, for every truth."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from collector.errors import QueryError, ResponseError
from collector.survey.survey import Survey
from every_draw import YES_NO, designs, responses_of, sent_by, split_survey, truths
from miner.behind.rows import listed_rows
from miner.estimates.estimate import estimate
from miner.responses.condition import event_of
from miner.responses.responses import NOT_ASKED, Responses
from miner.simulation.simulation import simulate
from miner.weights.weights import ProductWeights, every_state

DESIGNS = designs()


@pytest.fixture(params=list(DESIGNS))
def survey(request: pytest.FixtureRequest) -> Survey:
    return DESIGNS[request.param]


def conditions(survey: Survey) -> list[dict[str, frozenset[int]]]:
    """Of one, two and three questions: the first value, and all but the first."""
    names = [question.name for question in survey.questions]
    found = []
    for size in (1, 2, 3):
        for some in combinations(names, size):
            found.append(dict.fromkeys(some, frozenset({0})))
            found.append({name: frozenset(range(1, len(survey.question(name).values))) for name in some})
    return found


def test_a_weight_given_the_draw_is_unbiased_for_every_truth(survey: Survey) -> None:
    for values in truths(survey):
        holding = dict(zip([question.name for question in survey.questions], values, strict=True))
        for asked, sent in sent_by(survey, values):
            responses, chances = responses_of(survey, sent)
            assert chances.sum() == pytest.approx(1, abs=1e-12)
            weights = ProductWeights(responses)
            for condition in conditions(survey):
                mean = chances @ weights.of(event_of(survey, condition))
                holds = all(holding[name] in wanted for name, wanted in condition.items())
                expected = float(holds) if set(condition) <= set(asked) else 0.0
                assert mean == pytest.approx(expected, abs=1e-10)


def test_weights_over_all_draws_are_unbiased_with_the_published_probability_of_being_asked(survey: Survey) -> None:
    for values in list(truths(survey))[::5]:
        every = list(sent_by(survey, values))
        for condition in conditions(survey):
            event, share = event_of(survey, condition), float(survey.asking_probability(condition))
            if share:
                means = [
                    chances @ ProductWeights(rows).of(event)
                    for rows, chances in (responses_of(survey, s) for _, s in every)
                ]
                holding = dict(zip([question.name for question in survey.questions], values, strict=True))
                holds = all(holding[name] in wanted for name, wanted in condition.items())
                assert np.mean(means) / share == pytest.approx(float(holds), abs=1e-10)


def test_no_weight_is_outside_its_range(survey: Survey) -> None:
    for values in list(truths(survey))[::7]:
        for asked, sent in sent_by(survey, values):
            responses, _ = responses_of(survey, sent)
            weights = ProductWeights(responses)
            for condition in conditions(survey):
                if set(condition) <= set(asked):
                    event = event_of(survey, condition)
                    low, high = weights.range(event)
                    found = weights.of(event)
                    assert low - 1e-9 <= found.min()
                    assert found.max() <= high + 1e-9


def test_what_a_response_may_have_meant_has_the_chances_of_the_channel(survey: Survey) -> None:
    names = [question.name for question in survey.questions][:2]
    for values in truths(survey):
        for asked, sent in sent_by(survey, values):
            if not set(names) & set(asked):
                continue
            responses, chances = responses_of(survey, sent)
            rows = listed_rows(responses, names)
            assert rows is not None
            holds = (rows.values == np.array(values[:2])).all(axis=1).astype(float)
            likely = rows.sent(holds[:, None])  # of each pattern in these questions, if everybody has these values
            columns = [responses.survey.questions.index(survey.question(name)) for name in names]
            patterns = len(np.unique(responses.codes[:, columns], axis=0))
            assert len(likely) == patterns
            assert likely.sum() == pytest.approx(1, abs=1e-10)
            _, which = np.unique(responses.codes[:, columns], axis=0, return_inverse=True)
            assert likely == pytest.approx(np.bincount(which.ravel(), chances), abs=1e-10)


def test_pretend_responses_have_all_kinds_and_shares_that_add_up(survey: Survey) -> None:
    values = np.array(list(truths(survey)), np.int16)
    sent = simulate(survey, np.repeat(values, 9, axis=0), np.random.default_rng(1))
    for question in survey.questions:
        every, shares = every_state(sent, [question.name])
        codes = every.codes[:, survey.questions.index(question)]
        assert set(codes.tolist()) == set(question.codes)
        assert shares.sum() == pytest.approx(len(question.codes))


def test_an_estimate_is_the_mean_among_those_who_were_asked() -> None:
    survey = split_survey(1, [], {}, (YES_NO, ""), (YES_NO, ""))
    codes = np.array([[0, NOT_ASKED]] * 9 + [[1, NOT_ASKED]] * 3 + [[NOT_ASKED, 1]] * 6, np.int16)
    found = estimate(Responses(survey, codes), event_of(survey, {"q0": frozenset({0})}))
    assert found.estimate == pytest.approx(0.75)
    assert found.n == 12
    assert found.standard_error == pytest.approx(np.sqrt(0.75 * 0.25 / 11))


def test_a_condition_that_nobody_is_asked_is_refused_in_words() -> None:
    survey = split_survey(1, [], {}, (YES_NO, ""), (YES_NO, ""))
    responses = Responses(survey, np.array([[0, NOT_ASKED], [1, NOT_ASKED]], np.int16))
    both = event_of(survey, {"q0": frozenset({0}), "q1": frozenset({0})})
    with pytest.raises(QueryError, match="all 2 questions"):
        estimate(responses, both)
    with pytest.raises(QueryError, match="all 1 questions"):
        estimate(responses, event_of(survey, {"q1": frozenset({0})}))


def test_a_code_may_be_missing_only_where_the_design_says_so() -> None:
    survey = split_survey(2, ["q0"], {}, (YES_NO, ""), (YES_NO, ""), (YES_NO, ""))
    with pytest.raises(ResponseError, match=r'column "q0"'):
        Responses(survey, np.array([[NOT_ASKED, 0, 0]], np.int16))
    frame = Responses(survey, np.array([[0, 0, NOT_ASKED]], np.int16)).frame
    assert Responses.from_frame(survey, frame).codes.tolist() == [[0, 0, NOT_ASKED]]
    frame["q2"] = 1
    with pytest.raises(ResponseError, match="row 1: "):
        Responses.from_frame(survey, frame)


def test_pretend_respondents_are_asked_as_published() -> None:
    survey = DESIGNS["one coin for some, the class with it"]
    assert survey.sampling is not None
    sent = simulate(survey, np.zeros((30_000, 4), np.int16), np.random.default_rng(5))
    assert (sent.asked.sum(axis=1) == survey.sampling.ask).all()
    for pair in combinations([question.name for question in survey.questions], 2):
        share = float(survey.asking_probability(pair))
        # each of six fails once in 150,000
        assert sent.asked_all(pair).mean() == pytest.approx(
            share, abs=4.5 * np.sqrt(share * (1 - share) / 30_000) + 1e-12
        )
