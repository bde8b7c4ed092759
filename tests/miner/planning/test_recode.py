"""The next wave's priors and codings, from this wave's estimates."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import QueryError
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import survey_text
from miner.planning.recode import FLOOR, recode, rounded
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from routed_surveys import routed_people, routed_survey
from small_surveys import mixed_survey, survey_of

CHOICE = 'kind = "choice"\nvalues = ["a", "b", "c", "d"]'


@given(st.lists(st.floats(0, 1), min_size=2, max_size=256).filter(sum))
def test_any_frequencies_become_a_prior_in_thousandths(parts: list[float]) -> None:
    shares = [part / sum(parts) for part in parts]
    prior = rounded(shares)
    assert sum(prior) == 1
    assert all(share >= FLOOR and (share / FLOOR).denominator == 1 for share in prior)
    moved = [abs(float(one) - other) > 0.0011 for one, other in zip(prior, shares, strict=True)]
    assert sum(moved) <= 1  # the largest takes what is left


@pytest.mark.statistical
def test_the_coding_gets_better_where_the_prior_was_wrong() -> None:
    # Seeded; estimates of 20,000 responses are within .03 of the truth: a fresh seed fails once in 10^4.
    survey = survey_of((CHOICE, "g", 'truth = "4/5"'))
    rng = np.random.default_rng(3)
    values = rng.choice(4, (20_000, 1), p=[0.6, 0.2, 0.15, 0.05]).astype(np.int16)
    following, (change,) = recode(simulate(survey, values, rng))
    assert [float(share) for share in change.after.prior] == pytest.approx([0.6, 0.2, 0.15, 0.05], abs=0.03)
    assert change.bits_after > change.bits_before + 0.05
    assert following.questions[0].coding != survey.questions[0].coding
    again = parse_survey(survey_text(following, "next"))
    assert again.fingerprint == following.fingerprint != survey.fingerprint


def test_everything_else_stays() -> None:
    survey = mixed_survey()
    rng = np.random.default_rng(2)
    columns = [rng.choice(np.array(question.codes, dtype=np.int16), 500) for question in survey.questions]
    following, changes = recode(Responses(survey, np.stack(columns, axis=1)))
    assert [group.design for group in following.groups] == [group.design for group in survey.groups]
    for before, after in zip(survey.questions, following.questions, strict=True):
        assert (before.name, before.values, before.label) == (after.name, after.values, after.label)
        assert before.coding.scheme == after.coding.scheme
    printed = json.loads(json.dumps([change.as_json for change in changes]))
    assert sum(printed[0]["prior_after"].values()) == pytest.approx(1)
    assert all(isinstance(share, Fraction) for share in following.questions[0].prior)


def test_bits_are_those_that_the_surveys_own_statement_tells() -> None:
    """Also where the coin follows from what is asked: alone, a question would be kept far oftener."""
    survey = parse_survey("""
      name = "s"
      title = "S"
      languages = ["en"]
      sampling = { ask = 2 }
      groups = { g = { odds = "200" } }
      questions = [
        { name = "a", label = "A", kind = "choice", values = ["x", "y", "z"], group = "g" },
        { name = "b", label = "B", kind = "yes_no", group = "g" },
        { name = "c", label = "C", kind = "choice", values = ["v", "w", "x", "y"], group = "g" },
      ]
    """)
    values = np.random.default_rng(4).integers(0, [3, 2, 4], (500, 3)).astype(np.int16)

    following, changes = recode(simulate(survey, values, np.random.default_rng(5)))

    told = [each.anonymity for each in SurveyPrivacy(following).questions]
    assert [each.bits_after for each in changes] == told
    assert [each.bits_before for each in changes] == told  # plain codings stay
    assert [each.before for each in changes] == list(survey.questions)


def test_without_responses_it_is_refused() -> None:
    survey = mixed_survey()
    with pytest.raises(QueryError):
        recode(Responses(survey, np.zeros((0, len(survey.questions)), np.int16)))


@pytest.mark.statistical
@pytest.mark.parametrize("channel", ["complement", "uniform"])
def test_a_question_that_is_not_asked_of_everybody_stays_one_and_gets_its_share_of_all(channel: str) -> None:
    # Seeded; 20,000 responses: estimates are within .05 of the truth but once in 10^4.
    survey, rng = routed_survey(channel), np.random.default_rng(3)
    following, changes = recode(simulate(survey, routed_people(20_000, rng), rng))
    often = following.question("often")
    assert [float(share) for share in often.prior] == pytest.approx([0.15, 0.09, 0.06, 0.7], abs=0.05)
    assert often.coding.scheme == survey.question("often").coding.scheme == "routed"
    again = parse_survey(survey_text(following, "next"))
    assert again.fingerprint == following.fingerprint
    assert changes[1].bits_after == SurveyPrivacy(again).questions[1].anonymity
