"""Ways to disguise a gate with its followers, compared by what they disclose of the gate and by standard errors."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product
from math import prod, sqrt
from pathlib import Path

from collector.disclosure.families import family_of
from collector.disclosure.precision import response_variance
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey

PEOPLE, FOLLOWERS = 4_000, 4
HEAD = 'name = "s"\ntitle = "S"\nlanguages = ["en"]\n'
GATE = '[[questions]]\nname = "gate"\nlabel = "Q?"\nkind = "yes_no"\nprior = { yes = 0.2, no = 0.8 }\ngroup = "gate"\n'
FOLLOWER = """
[[questions]]
name = "f{0}"
label = "Q?"
kind = "yes_no"
prior = {{ yes = 0.3, no = 0.7 }}
ask_if = "gate = yes"
group = "g{0}"
unasked = "{1}"
"""
ROW = re.compile(r"^\| (.+?) \| ([0-9.]+) % \| ([0-9.]+) \| ([0-9.]+) \|$", re.MULTILINE)


def coins(unasked: str) -> Survey:
    """A coin of 4/5 for each question."""
    names = ["gate", *(f"g{each}" for each in range(FOLLOWERS))]
    groups = "\n".join(f'{name} = {{ truth = "4/5" }}' for name in names)
    followers = "".join(FOLLOWER.format(each, unasked) for each in range(FOLLOWERS))
    return parse_survey(f"{HEAD}{GATE}{followers}[groups]\n{groups}\n")


def figures(survey: Survey) -> tuple[float, float, float]:
    """The largest P(gate = yes | response), the bits of the gate left, and the standard error of a follower's yes."""
    family, gate = family_of(survey, "gate"), survey.question("gate")
    variance = response_variance(survey, survey.question("f0"), 0)
    return float(family.rises["gate"][0][1]), family.bits(gate) or 0.0, sqrt(variance / PEOPLE)


def one_code() -> tuple[float, float]:
    """One uniform code for the gate and its followers that gives the gate away no further than its coin of 4/5 does.

    Returns:
        The truth probability, and the standard error of a follower's yes.
    """
    states = [
        Fraction(4, 5),
        *(Fraction(1, 5) * prod(each) for each in product((Fraction(3, 10), Fraction(7, 10)), repeat=4)),
    ]
    count, likeliest, share = len(states), max(states[1:]), Fraction(1, 5)
    # P(yes | c) = (t p + (1 - t) / K s) / (t p + (1 - t) / K) = 1/2 at the likeliest code c of a yes
    noise = (Fraction(1, 2) - share) / count
    truth = noise / (noise + likeliest / 2)
    event, drawn = Fraction(6, 100), Fraction(8, count)
    rest = (1 - truth) * drawn
    sent = truth * event + rest
    return float(truth), sqrt(((sent - 2 * rest * sent + rest**2) / truth**2 - event**2) / PEOPLE)


def test_the_table_of_ways_to_disguise_a_gate_with_its_followers_is_what_is_computed(root: Path) -> None:
    text = (root / "docs" / "guarantee.md").read_text("utf-8")
    rows = {name: tuple(map(float, rest)) for name, *rest in ROW.findall(text)}
    for unasked, name in (("sent", '`unasked = "sent"`'), ("drawn", "drawn answers")):
        after, bits, error = figures(coins(unasked))
        assert rows[name] == (round(100 * after, 1), round(bits, 3), round(error, 4))
    truth, error = one_code()
    assert f"at truth {truth:.3f}" in text
    assert f"{error:.4f}" in text
