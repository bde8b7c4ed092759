"""What releases cost adds up exactly, and never too low."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import pytest

from collector.errors import BudgetError, SurveyError
from collector.ledger.budget import ADD_REMOVE, REPLACE_ONE, Charge, Cost, DataSet, parallel, read_amount

HALF, TINY = Fraction(1, 2), Fraction(1, 10**6)


def charge(epsilon: str, cohort: str | None = None, delta: Fraction = Fraction(0)) -> Charge:
    return Charge("a tree", Cost(Fraction(epsilon), delta), cohort=cohort)


def test_releases_from_the_same_rows_add_up() -> None:
    people = DataSet("people", Cost(Fraction(4)))
    assert people.spent([charge("0.1")] * 10) == Cost(Fraction(1))


def test_of_disjoint_cohorts_a_person_pays_for_the_dearest_and_for_what_was_made_from_all() -> None:
    people = DataSet("people", Cost(Fraction(4)))
    charges = [charge("0.5", "north"), charge("0.5", "north"), charge("0.7", "south"), charge("0.25")]
    assert people.spent(charges) == Cost(Fraction("1.25"))


def test_two_cohorts_may_each_be_the_dearest_in_something() -> None:
    assert parallel([Cost(Fraction(1), TINY), Cost(HALF, 2 * TINY)]) == Cost(Fraction(1), 2 * TINY)


def test_a_person_with_three_records_pays_three_times() -> None:
    people = DataSet("people", Cost(Fraction(4)), records=3)
    assert people.spent([charge("0.5")]) == Cost(Fraction("1.5"))


def test_delta_of_a_group_is_above_the_formula_and_close_to_it() -> None:
    cost = Cost(HALF, TINY).for_group(3)
    exactly = 1e-6 * (1 + exp(0.5) + exp(1))
    assert cost.epsilon == Fraction(3, 2)
    assert float(cost.delta) == pytest.approx(exactly, rel=1e-12)
    assert cost.delta > TINY * (1 + Fraction(164872127, 10**8) + Fraction(271828182, 10**8))  # digits of e^.5 and e


def test_to_replace_a_record_is_to_remove_one_and_add_one() -> None:
    people = DataSet("people", Cost(Fraction(4)), REPLACE_ONE)
    assert people.spent([charge("0.5")]) == Cost(Fraction(1))
    assert charge("0.5", delta=TINY).replaced.delta == Cost(HALF, TINY).for_group(2).delta


def test_a_mechanism_may_know_a_lower_cost_of_replacing() -> None:
    tight = Charge("a tree", Cost(HALF), replace_one=Cost(HALF))
    assert tight.cost_between(REPLACE_ONE) == tight.cost_between(ADD_REMOVE) == Cost(HALF)


def test_replacing_that_costs_more_than_removing_and_adding_is_refused() -> None:
    with pytest.raises(BudgetError, match="leave out the cost for replacing"):
        Charge("a tree", Cost(HALF), replace_one=Cost(Fraction(2)))


@pytest.mark.parametrize("epsilon", ["0", "-1", "101"])
def test_a_release_costs_something_and_not_everything(epsilon: str) -> None:
    with pytest.raises(BudgetError, match="release: epsilon is not"):
        charge(epsilon)


@pytest.mark.parametrize("delta", [Fraction(-1), Fraction(1)])
def test_delta_is_a_probability_below_one(delta: Fraction) -> None:
    with pytest.raises(BudgetError, match="delta is not"):
        charge("1", delta=delta)


def test_a_data_set_needs_a_name_neighbours_and_a_record_a_person() -> None:
    with pytest.raises(SurveyError, match="data set: the name"):
        DataSet("My people", Cost(HALF))
    with pytest.raises(BudgetError, match="neighbours: "):
        DataSet("people", Cost(HALF), "next door")
    with pytest.raises(BudgetError, match="records: "):
        DataSet("people", Cost(HALF), records=0)


def test_a_mechanism_is_named_on_one_line() -> None:
    with pytest.raises(BudgetError, match="mechanism: "):
        Charge("a\ntree", Cost(HALF))


@pytest.mark.parametrize(("text", "amount"), [("0.1", Fraction(1, 10)), ("1/3", Fraction(1, 3)), ("1e-6", TINY)])
def test_amounts_are_read_as_they_are_written(text: str, amount: Fraction) -> None:
    assert read_amount(text, "--epsilon") == amount


@pytest.mark.parametrize("text", ["", "one", "1/0", "nan", "inf", "0x1", "1" * 40])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(BudgetError, match="--epsilon: "):
        read_amount(text, "--epsilon")


def test_amounts_for_people_are_rounded_away_from_the_good_news() -> None:
    third = Cost(Fraction(1, 3), Fraction(1, 3))
    assert third.line == "epsilon 0.3334, delta 0.3334"
    assert third.line_below == "epsilon 0.3333, delta 0.3333"
    assert Cost(Fraction(100)).line == "epsilon 100"
