"""Shares among the attentive: unbiased with careless people, with intervals that hold the truth."""

from __future__ import annotations

import numpy as np
import pytest

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.estimates.estimate import estimate
from miner.figures.sample import Sample
from miner.figures.sample_design import SampleDesign
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner.tables.shares import shares
from small_surveys import survey_of
from soak import likely, part_of

REGION = 'kind = "choice"\nsensitive = false\nvalues = ["north", "south"]'
COLOUR = 'kind = "choice"\nvalues = ["red", "green", "blue", "black"]'
YES_NO = 'kind = "yes_no"'
ANCHOR = "q1 = blue"
TRUTHS = {"north": 0.1, "south": 0.3}


def survey(channel: str = "uniform", colour: str = COLOUR, group: str = "a") -> Survey:
    how = 'truth = "4/5", channel = "uniform"' if group == "a" else f'truth = "4/5", channel = "{channel}"'
    return survey_of((REGION, "", ""), (colour, group, how), (YES_NO, "g", f'truth = "4/5", channel = "{channel}"'))


def sent(design: Survey, n: int, careless: float, rng: np.random.Generator) -> Responses:
    """People of two regions; twice as many are careless in the south, on average a given share."""
    south = rng.integers(0, 2, n)
    random = rng.random(n) < careless * (1 + south) / 1.5
    yes = rng.random(n) < np.where(south, TRUTHS["south"], TRUTHS["north"])
    colour = np.where(random, rng.integers(0, 4, n), 2)
    answer = np.where(random, rng.integers(0, 2, n), ~yes)
    return simulate(design, np.stack([south, colour, answer], axis=1).astype(np.int16), rng)


@pytest.mark.statistical
@pytest.mark.parametrize("channel", ["uniform", "complement"])
@pytest.mark.parametrize("careless", [0.0, 0.3])
def test_shares_among_the_attentive_are_unbiased_and_covered(channel: str, careless: float) -> None:
    design, rng, times = survey(channel), np.random.default_rng(1), part_of(400, 60)
    found = np.array(
        [
            [
                (each.estimate.estimate, *each.estimate.interval)
                for each in shares(sent(design, 1500, careless, rng), "q2 = yes", by="q0", careless=ANCHOR).figures
                if each.estimate is not None and each.estimate.interval is not None
            ]
            for _ in range(times)
        ]
    )
    truths = np.array([*TRUTHS.values(), *(careless * each / 1.5 for each in (1, 2))])  # the careless come last
    errors = found[:, :, 0].std(axis=0) / times**0.5
    assert (np.abs(found[:, :, 0].mean(axis=0) - truths) < 4 * errors).all()
    held = ((found[:, :, 1] <= truths) & (truths <= found[:, :, 2])).sum(axis=0)
    least, _ = likely(times, 0.95)
    assert (held >= least).all()


@pytest.mark.statistical
def test_uncorrected_shares_miss_the_truth() -> None:
    rng = np.random.default_rng(2)
    found = estimate(sent(survey(), 20_000, 0.3, rng), "q2 = yes and q0 = north").estimate * 2
    assert found > 0.15  # 2 in 10 careless people say yes half of the time


def test_without_careless_people_the_figure_is_the_share_with_a_larger_error() -> None:
    people = sent(survey(), 4000, 0.0, np.random.default_rng(3))
    corrected, known = shares(people, "q2 = yes", careless=ANCHOR).figures
    alone = estimate(people, "q2 = yes")
    assert corrected.estimate is not None
    assert known.estimate is not None
    assert corrected.estimate.standard_error is not None
    assert alone.standard_error is not None
    assert alone.standard_error < corrected.estimate.standard_error < 2 * alone.standard_error
    assert corrected.estimate.estimate == pytest.approx(alone.estimate, abs=3 * corrected.estimate.standard_error)
    assert known.estimate.interval is not None
    assert known.estimate.interval[0] < 0 < known.estimate.interval[1]  # not cut at 0


def test_the_estimate_is_the_formula_and_equal_weights_change_nothing() -> None:
    people = sent(survey(), 3000, 0.3, np.random.default_rng(4))
    corrected, known = shares(people, "q2 = yes", careless=ANCHOR).figures
    anchored, share = estimate(people, ANCHOR).estimate, estimate(people, "q2 = yes").estimate
    careless = (1 - anchored) / (1 - 1 / 4)
    assert known.estimate is not None
    assert corrected.estimate is not None
    assert known.estimate.estimate == pytest.approx(careless, rel=1e-9)
    assert corrected.estimate.estimate == pytest.approx((share - careless / 2) / (1 - careless), rel=1e-9)
    weighted = Sample(people, SampleDesign({"q0": {"north": 2.0, "south": 2.0}}))
    again = shares(weighted, "q2 = yes", careless=ANCHOR).figures[0].estimate
    assert again is not None
    assert again.interval == pytest.approx(corrected.estimate.interval, rel=1e-9)


@pytest.mark.parametrize(
    ("what", "anchor", "place"),
    [
        ("q2 = yes and q0 = north", ANCHOR, "condition"),
        ("q1 = red", ANCHOR, 'anchor "q1"'),
        ("q2 = yes", "q1 in (red, green, blue, black)", "anchor"),
    ],
)
def test_what_an_anchor_does_not_correct_is_refused(what: str, anchor: str, place: str) -> None:
    people = sent(survey(), 200, 0.1, np.random.default_rng(5))
    with pytest.raises(QueryError) as caught:
        shares(people, what, careless=anchor)
    assert caught.value.place == place


def test_an_anchor_that_shares_its_coin_is_refused() -> None:
    people = sent(survey("uniform", group="g"), 200, 0.1, np.random.default_rng(6))
    with pytest.raises(QueryError) as caught:
        shares(people, "q0 = north", careless=ANCHOR)
    assert caught.value.place == 'anchor "q1"'


def test_all_questions_but_the_anchor_are_corrected() -> None:
    people = sent(survey(), 600, 0.1, np.random.default_rng(7))
    terms = [each.term for each in shares(people, by="q0", careless=ANCHOR).figures]
    assert sorted(terms) == sorted(["q2 = yes", "q2 = no", "careless"] * 2)
