"""Rankings as first choices and mean places, and options that are ticked together, one by one."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from benchmarks.calibration.rankings import DESIGNS, held
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.estimates.estimate import estimate, frequencies
from miner.estimates.option_shares import option_estimates
from miner.figures.estimate import Estimate
from miner.reporting.composed import MeanPlace, composed
from miner.reporting.figure import UNKNOWN, in_places
from miner.responses.responses import Responses, value_indices
from miner.simulation.simulation import simulate
from varied_survey import AFTER, HELP, varied_answers, varied_survey

PEOPLE = 1500


@pytest.fixture(scope="module")
def sent() -> Responses:
    """Responses to the varied survey."""
    survey, rng = varied_survey(), np.random.default_rng(7)
    return simulate(survey, value_indices(survey, varied_answers(PEOPLE, rng)), rng)


def ranking(more: str, home: str) -> Survey:
    """A survey of one ranking of three things."""
    return parse_survey(
        'name = "one"\ntitle = "One"\nlanguages = ["en"]\n[[questions]]\nname = "order"\nlabel = "Order?"\n'
        f'kind = "ranking"\nitems = {{ a = "A", b = "B", c = "C" }}\n{more}{home}'
    )


def test_a_first_choice_is_the_sum_of_its_orders_with_an_interval_of_its_own(sent: Responses) -> None:
    question, shares = sent.survey.question("helps"), frequencies(sent)["helps"]
    for name, (words, found) in zip(HELP, composed(sent)["helps"].shares, strict=True):
        orders = [place for place, value in enumerate(question.values) if value.startswith(f"{name}>")]
        assert words == HELP[name]
        assert found is not None
        assert found.estimate == pytest.approx(
            sum(share.estimate for share in map(shares.__getitem__, orders) if share)
        )
        assert found == estimate(sent, "helps in (" + ", ".join(f'"{question.values[each]}"' for each in orders) + ")")


def test_of_rankings_sent_as_they_are_places_are_plain_means_with_their_standard_errors() -> None:
    survey, rng = ranking("", "sensitive = false\n"), np.random.default_rng(1)
    values = rng.integers(0, 6, size=(400, 1)).astype(np.int16)
    places = np.array(
        [[value.split(">").index(item) + 1 for item in "abc"] for value in survey.question("order").values]
    )
    seen = places[values[:, 0]]
    for column, (_, found) in enumerate(composed(simulate(survey, values, rng))["order"].places):
        assert isinstance(found, MeanPlace)
        assert found.estimate == pytest.approx(seen[:, column].mean())
        assert found.standard_error == pytest.approx(seen[:, column].std() / sqrt(399))


def test_the_error_of_a_mean_place_has_the_correlation_of_the_orders_in_it(sent: Responses) -> None:
    question = sent.survey.question("helps")
    place = {value: value.split(">").index("pay") + 1 for value in question.values}
    theta, codes = 3 / 4, sent.codes[:, sent.survey.column("helps")]
    mean = np.mean(list(place.values()))
    terms = (np.array([place[question.values[code]] for code in codes]) - (1 - theta) * mean) / theta
    _, found = composed(sent)["helps"].places[0]
    assert found is not None
    assert found.estimate == pytest.approx(terms.mean())
    assert found.standard_error == pytest.approx(terms.std() / sqrt(PEOPLE - 1))
    parts = zip(frequencies(sent)["helps"], place.values(), strict=True)
    apart = sqrt(sum((share.standard_error or 0) ** 2 * at**2 for share, at in parts if share))
    assert found.standard_error != pytest.approx(apart, rel=0.1), "orders are not independent"


def test_mean_places_of_all_items_add_up(sent: Responses) -> None:
    for name, items in (("helps", HELP), ("after", AFTER)):
        found = [each for _, each in composed(sent)[name].places]
        total = sum(each.estimate for each in found if each is not None)
        assert total == pytest.approx(len(items) * (len(items) + 1) / 2)


def test_who_declines_has_no_first_choice_and_no_place() -> None:
    survey, rng = ranking("decline = true\n", "sensitive = false\n"), np.random.default_rng(1)
    values = np.array([[0], [1], [2], [6]] * 25, np.int16)  # a>b>c, a>c>b, b>a>c
    found = composed(simulate(survey, values, rng))["order"]
    assert [(words, share.estimate) for words, share in found.shares if share] == [
        ("A", 0.5),
        ("B", 0.25),
        ("C", 0.0),
        ("Prefer not to say", 0.25),
    ]
    assert [each.estimate for _, each in found.places if each] == pytest.approx([4 / 3, 2, 8 / 3])


def test_options_that_are_ticked_together_are_counted_one_by_one(sent: Responses) -> None:
    found = composed(sent)["drugs"]
    assert not found.is_ranking
    ticked = option_estimates(sent)["drugs"]
    assert [share for _, share in found.shares[:-1]] == list(ticked.values())
    assert found.shares[-1] == ("Nothing of this", frequencies(sent)["drugs"][0])


def test_with_few_responses_there_is_a_place_without_an_interval_and_it_is_not_stated() -> None:
    survey = ranking("", "sensitive = false\n")
    (_, few), *_ = composed(simulate(survey, np.zeros((9, 1), np.int16), np.random.default_rng(1)))["order"].places
    assert few is not None
    assert few.interval is None
    assert in_places(few) == UNKNOWN
    assert in_places(MeanPlace(2.0, 1.0, (0.5, 3.5), 20, items=3)) == UNKNOWN
    assert in_places(MeanPlace(0.9, 0.1, (0.7, 1.1), 20, items=3)) == "0.90* (0.70 to 1.10)"


def test_intervals_for_every_look_are_longer_around_the_same_figures(sent: Responses) -> None:
    once, every = composed(sent), composed(sent, lambda _: 2.0)
    for name, found in once.items():
        for (_, one), (_, two) in zip(
            (*found.shares, *found.places), (*every[name].shares, *every[name].places), strict=True
        ):
            assert isinstance(one, Estimate)
            assert isinstance(two, Estimate)
            assert one.interval is not None
            assert two.interval is not None
            assert one.estimate == two.estimate
            assert two.interval[0] < one.interval[0] < one.interval[1] < two.interval[1]


@pytest.mark.parametrize("design", DESIGNS[:2], ids=lambda each: f"{each.things} things")
def test_intervals_hold_first_choices_and_places_of_three_and_four_things(design: object) -> None:
    found = held(design, 200, np.random.default_rng(11))  # type: ignore[arg-type]
    assert 0.925 <= found.first <= 0.98  # of 200 surveys: .95 within two standard errors, items counted as one
    assert 0.925 <= found.place <= 0.98
    assert abs(found.lean) < 0.1
    assert 0.9 < found.spread < 1.1
