"""Whether people answered as asked: known frequencies, and two truth probabilities."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import chisquare

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.estimates.anchors import anchored, anchors, arms, shared_arms
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from small_surveys import survey_of
from soak import likely, part_of

YES_NO = 'kind = "yes_no"\nprior = { yes = 0.2, no = 0.8 }'
CHOICE = 'kind = "choice"\nvalues = ["a", "b", "c"]\nprior = { a = 0.6, b = 0.3, c = 0.1 }'
KNOWN = [0.6, 0.3, 0.1]


def answered(how: str, n: int, careless: float, seed: int) -> Responses:
    rng = np.random.default_rng(seed)
    values = np.where(rng.random(n) < careless, rng.integers(0, 3, n), rng.choice(3, n, p=KNOWN))
    return simulate(survey_of((CHOICE, "g", how)), values[:, None].astype(np.int16), rng)


def arm(truth: str, n: int, cautious: float, rng: np.random.Generator) -> Responses:
    """Three in ten would say yes; the cautious send a no whatever the coin says."""
    survey = survey_of((YES_NO, "g", f'truth = "{truth}"'))
    sent = simulate(survey, (rng.random((n, 1)) >= 0.3).astype(np.int16), rng).codes.copy()
    sent[rng.random(n) < cautious] = survey.questions[0].coding.codes_of(1)[0]
    return Responses(survey, sent)


def test_undisguised_it_is_the_chi_square_test_of_goodness_of_fit() -> None:
    sent = answered('truth = "1"', 500, careless=0.1, seed=4)
    found = anchored(sent, "q0")
    codes = [sent.survey.questions[0].coding.codes_of(value) for value in range(3)]
    counts = [int(np.isin(sent.codes[:, 0], each).sum()) for each in codes]
    theirs = chisquare(counts, np.array(KNOWN) * 500)
    assert found.statistic == pytest.approx(theirs.statistic)
    assert (found.degrees_of_freedom, found.p_value) == (2, pytest.approx(theirs.pvalue))
    assert anchors(sent, "q0") == [found]


@pytest.mark.statistical
@pytest.mark.parametrize("how", ['truth = "3/4"', 'truth = "1/2", channel = "uniform"'])
def test_careful_answers_pass_and_the_careless_share_is_covered(how: str) -> None:
    # Seeded. More called careless, or fewer covered, once in 1,000 each; 4 figures.
    wrong, held, surveys = 0, [0, 0], part_of(200)
    for seed in range(surveys):
        for place, careless in enumerate((0.0, 0.2)):
            found = anchored(answered(how, 600, careless, 2 * seed + place), "q0")
            assert found.share is not None
            assert found.share.interval is not None
            held[place] += found.share.interval[0] <= careless <= found.share.interval[1]
            wrong += found.p_value < 0.05 and careless == 0
    assert wrong <= likely(surveys, 0.05)[1]
    assert min(held) >= likely(surveys)[0]


def test_even_frequencies_tell_nothing_of_the_careless() -> None:
    survey = survey_of(('kind = "choice"\nvalues = ["a", "b", "c"]', "g", 'truth = "3/4"'))
    sent = simulate(
        survey, np.random.default_rng(1).integers(0, 3, (100, 1)).astype(np.int16), np.random.default_rng(1)
    )
    assert anchored(sent, "q0", even=True).share is None
    assert anchors(sent, even=["q0"]) == [anchored(sent, "q0", even=True)]
    with pytest.raises(QueryError, match=r'question "q0": .* no prior'):
        anchored(sent, "q0")


@pytest.mark.statistical
def test_arms_agree_where_the_disguise_is_followed_and_tell_the_cautious_where_not() -> None:
    # Seeded. More called different, or fewer covered, once in 1,000 each; 2 figures.
    rng = np.random.default_rng(9)
    wrong, held, pairs = 0, [0, 0], part_of(200)
    for _ in range(pairs):
        for place, cautious in enumerate((0.0, 0.15)):
            found = arms(arm("3/4", 1500, cautious, rng), arm("19/20", 1500, cautious, rng), "q0")
            assert found.share is not None
            assert found.share.interval is not None
            held[place] += found.share.interval[0] <= cautious <= found.share.interval[1]
            wrong += found.p_value < 0.05 and cautious == 0
    assert wrong <= likely(pairs, 0.05)[1]
    assert min(held) >= likely(pairs)[0]


def test_every_shared_question_is_compared_and_told_as_json() -> None:
    rng = np.random.default_rng(1)
    (found,) = shared_arms(arm("3/4", 200, 0, rng), arm("9/10", 200, 0, rng))
    printed = json.loads(json.dumps(found.as_json))
    assert printed["question"] == "q0"
    assert printed["share"]["n"] == 400
    (alike,) = shared_arms(arm("3/4", 200, 0, rng), arm("3/4", 200, 0, rng))
    assert alike.share is None


def test_arms_that_are_all_alike_agree() -> None:
    survey = survey_of((YES_NO, "g", 'truth = "1"'))
    alike = Responses(survey, np.zeros((9, 1), np.int16))
    assert arms(alike, alike, "q0").p_value == 1


def other_values() -> Survey:
    return survey_of((CHOICE, "g", 'truth = "3/4"'))


def test_what_cannot_be_compared_is_refused() -> None:
    rng = np.random.default_rng(1)
    one, other = arm("3/4", 20, 0, rng), Responses(other_values(), np.zeros((20, 1), np.int16))
    with pytest.raises(QueryError, match="differ between the versions"):
        arms(one, other, "q0")
    with pytest.raises(QueryError, match="share no disguised question"):
        shared_arms(one, other)
    with pytest.raises(QueryError, match="too few responses"):
        anchored(one.take([0]), "q0")
