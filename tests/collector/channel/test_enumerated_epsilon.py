"""The epsilon stated of any design, split questionnaires included, is that of all its responses, counted one by one.

The chances are those of what is published: the JSON that the browser gets, read here without the code that wrote it.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import comb, inf, isfinite, log, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from numpy.typing import NDArray

from collector.disclosure.privacy import SurveyPrivacy
from made_up_surveys import MadeUp, made_up_surveys
from soak import part_of

Chances = NDArray[np.float64]
FEW, MANY = 20_000, 10**6
NEAR = 1e-12
SLOW = (HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large)


def fraction(pair: list[int]) -> Fraction:
    return Fraction(*pair)


def draws(design: dict[str, Any]) -> list[tuple[str, ...]]:
    """Every set of questions that somebody may be asked."""
    names = [question["name"] for question in design["questions"]]
    sampling = design.get("sampling")
    if sampling is None:
        return [tuple(names)]
    others = [name for name in names if name not in sampling["always"]]
    room = sampling["ask"] - len(sampling["always"])
    return [
        tuple(name for name in names if name in {*sampling["always"], *some}) for some in combinations(others, room)
    ]


def group_chances(group: dict[str, Any], members: list[dict[str, Any]]) -> list[list[Fraction]]:
    """P(codes sent | values): a row for each combination of values, a column for each of codes."""
    codings = [each["coding"] for each in members]
    every = list(product(*(each["codes"] for each in codings)))
    truth = fraction(group["truth"]) if "truth" in group else None
    if truth is None:
        odds = fraction(group["odds"])
        truth = odds / (odds + prod(Fraction(len(each["codes"]), len(each["draws"][0])) for each in codings))
    rows = []
    for values in product(*(range(len(each["values"])) for each in members)):
        row = []
        for sent in every:
            own = lie = Fraction(1)
            for coding, value, code in zip(codings, values, sent, strict=True):
                drawn = dict(coding["draws"][value])
                whole = sum(drawn.values())
                own *= Fraction(drawn.get(code, 0), whole)
                if group["channel"] == "complement":
                    other = coding["complements"][coding["codes"].index(code)]
                    lie *= Fraction(drawn.get(other, 0), whole)
                else:
                    weights = coding.get("replacement") or [1] * len(coding["codes"])
                    lie *= Fraction(weights[coding["codes"].index(code)], sum(weights))
            row.append(truth * own + (1 - truth) * lie)
        rows.append(row)
    return rows


def outcomes(design: dict[str, Any]) -> int:
    """How many (values, response) there are, over all draws."""
    sizes = {each["name"]: len(each["values"]) * len(each["coding"]["codes"]) for each in _disguised(design)}
    return sum(prod(size for name, size in sizes.items() if name in asked) for asked in draws(design))


def _disguised(design: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in design["questions"] if each["sensitive"]]


def largest_log_ratio(design: dict[str, Any]) -> float:
    """Of the chances of one response under two sets of values, over all pairs of these and all draws."""
    return max(_log_ratio(design, asked) for asked in draws(design))


def _log_ratio(design: dict[str, Any], asked: tuple[str, ...]) -> float:
    whole: Chances = np.zeros((1, 1))
    for group in design["groups"]:
        members = [each for each in design["questions"] if each["name"] in asked and each["name"] in group["questions"]]
        if members:
            rows = [[log(each) if each else -inf for each in row] for row in group_chances(group, members)]
            own = np.array(rows)
            whole = (whole[:, None, :, None] + own[None, :, None, :]).reshape(len(whole) * len(own), -1)
    low, high = whole.min(axis=0), whole.max(axis=0)
    sent = high > -inf
    return float((high[sent] - low[sent]).max())


def check(made_up: MadeUp) -> None:
    survey = made_up.survey
    assume(survey.groups)  # what is sent as it is has no epsilon
    found, stated = largest_log_ratio(survey.design), SurveyPrivacy(survey).epsilon
    if isfinite(stated):
        assert found <= stated + NEAR
        assert found >= stated - NEAR
    else:
        assert found == inf


@settings(max_examples=40, suppress_health_check=SLOW)
@given(made_up_surveys())
def test_the_stated_epsilon_of_any_design_is_that_of_its_responses(made_up: MadeUp) -> None:
    assume(outcomes(made_up.survey.design) <= FEW)
    check(made_up)


@pytest.mark.slow
@settings(max_examples=part_of(300), suppress_health_check=SLOW)
@given(made_up_surveys())
def test_the_same_of_designs_of_up_to_a_million_outcomes(made_up: MadeUp) -> None:
    assume(outcomes(made_up.survey.design) <= MANY)
    check(made_up)


def test_draws_are_all_that_there_can_be() -> None:
    questions = [{"name": name} for name in "abcde"]
    found = draws({"questions": questions, "sampling": {"ask": 3, "always": ["c"]}})
    assert len(found) == len(set(found)) == comb(4, 2)
    assert all("c" in each and list(each) == sorted(each) for each in found)
    assert draws({"questions": questions}) == [("a", "b", "c", "d", "e")]
