"""Sentences on what a change of a design costs."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from pathlib import Path

from respondent.designing.meaning.prices import price_of_mend

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
WELLBEING = (EXAMPLES / "wellbeing.toml").read_text("utf-8")
DEBTS = 'debts = { truth = "'
PRESENT = WELLBEING.split(DEBTS)[1].split('"')[0]


def half_width(truth: float, respondents: int) -> float:
    """Half the 95 % interval of the share of "yes" to debt, whose prior is 3 in 10, under the complement channel."""
    yes = 0.3 * truth + 0.7 * (1 - truth)
    return 100 * 1.959964 * sqrt(yes * (1 - yes) / respondents) / (2 * truth - 1)


def test_a_change_costs_what_the_question_that_loses_most_needs_more() -> None:
    present = float(Fraction(PRESENT))
    after = WELLBEING.replace(f"{DEBTS}{PRESENT}", f"{DEBTS}3/5")
    price = price_of_mend(WELLBEING, after, EXAMPLES, 2000)
    old, new = half_width(present, 2000), half_width(0.6, 2000)
    figures = [f"± {half:.1f} points (95 % interval)" for half in (new, old)]
    assert price.short == f"{(new / old) ** 2:.1f} times as many people as the present design, for the same precision"
    assert price.sentence == (
        f'This costs precision, most at "debt": 2,000 people give {figures[0]} in place of {figures[1]}. '
        f"For the same precision you need {(new / old) ** 2:.1f} times as many people as with the present design."
    )


def test_a_change_that_makes_shares_more_precise_costs_nothing() -> None:
    after = WELLBEING.replace(f"{DEBTS}{PRESENT}", f"{DEBTS}0.9")
    price = price_of_mend(WELLBEING, after, EXAMPLES, 1000)
    assert price.short == "no more people than the present design"
    assert price.sentence == "This takes no more people than the present design for the same precision."


def test_what_cannot_be_compared_is_said_to_be_so() -> None:
    said = price_of_mend(WELLBEING, WELLBEING.replace('kind = "scale"', 'kind = "scales"'), EXAMPLES, 1000)
    assert said.sentence == "What this costs is known once nothing is left to fix."
