"""Which form, depth and splits public facts speak for."""

from __future__ import annotations

from fractions import Fraction

import pytest

from miner.release.families.greedy import GreedyTree
from miner.release.parts.budget_shares import FORMS, Facts, likely_form, likely_score
from small_surveys import plain_survey

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("facts", "form"),
    [
        (Facts((3,) * 16, 2, 40.0), "tree"),
        (Facts((10,) * 9, 2, 600.0), "tables"),
        (Facts((3, 5, 4, 4, 3, 2, 3, 3), 5, 11_000.0), "tree"),
        (Facts((3,) * 42, 3, 6_000.0), "scores"),
        (Facts((3,) * 42, 3, 60_000.0), "mixture"),
        (Facts((6,) * 20, 2, 7_000.0), "scores"),
        (Facts((5,) * 20, 2, 7_000.0), "tree"),
        (Facts((5,) * 20, 2, 70_000.0), "mixture"),
    ],
)
def test_the_form_goes_by_records_times_epsilon_for_what_has_to_be_counted(facts: Facts, form: str) -> None:
    assert likely_form(facts, HALF) == form
    assert form in FORMS


def test_more_evidence_means_more_levels_until_a_tree_tells_most_of_a_record() -> None:
    facts = [Facts((4,) * 8, 2, 10.0**power) for power in range(2, 7)]
    depths = [each.depth("multiway", 0.5) for each in facts]
    assert depths == sorted(depths)
    assert depths[-1] > depths[0]
    assert facts[-1].reach("multiway", 0.5) == pytest.approx(depths[-1] / 8)
    assert likely_form(facts[-1], HALF) == "tree"


def test_few_records_are_chosen_for_by_the_max_operator() -> None:
    assert [likely_score(Facts((2, 2), 2, evidence)) for evidence in (4_999.0, 5_000.0)] == ["max", "gini"]
    assert likely_score(Facts((2, 2), 3, 4_999.0)) == "gini"


def test_the_plan_of_a_tree_spends_what_it_was_given() -> None:
    family = GreedyTree(Fraction(1, 3), 50_000, selecting=Fraction(2, 5))
    plan = family.plan(plain_survey(9), "q8")
    assert sum(plan.selections) + plan.counting == family.epsilon
    assert sum(plan.selections) == family.epsilon * family.selecting
    assert list(plan.selections) == sorted(plan.selections)
