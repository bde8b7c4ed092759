"""The central epsilon of shares alone where questions have conditions: a follower's share joins the codes of groups."""

from __future__ import annotations

from itertools import product
from math import exp, log

import numpy as np
import pytest
from numpy.typing import NDArray

from collector.planning.shuffled import central_privacy
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from soak import some_of

Floats = NDArray[np.float64]
HEAD = 'name = "f"\ntitle = "F"\nlanguages = ["en"]\n'


def _survey(questions: dict[str, tuple[str, str]]) -> Survey:
    """A survey of yes-or-no questions, each with a truth probability and a condition or nothing."""
    asked = "".join(
        f'[[questions]]\nname = "{name}"\nlabel = "Q"\nkind = "yes_no"\ngroup = "{name}"\n'
        + (f'ask_if = "{condition}"\n' if condition else "")
        for name, (_, condition) in questions.items()
    )
    groups = "".join(f'{name} = {{ truth = "{truth}" }}\n' for name, (truth, _) in questions.items())
    return parse_survey(f"{HEAD}{asked}[groups]\n{groups}")


def _chain(followers: int) -> Survey:
    rest = {f"f{number}": ("4/5", "h = yes") for number in range(followers)}
    return _survey({"g": ("99/100", ""), "h": ("99/100", "g = yes"), **rest})


def _sent(rows: list[Floats]) -> Floats:
    """The chance of each count of every response but the last, of people with these chances of responses."""
    size, last = len(rows) + 1, len(rows[0]) - 1
    found = np.zeros((size,) * last)
    found[(0,) * last] = 1.0
    for row in rows:
        moved = found * row[last]
        for axis in range(last):
            moved += np.roll(found, 1, axis) * row[axis]  # the last count is never reached before
        found = moved
    return found.ravel()


def _delta(families: list[tuple[Floats, Floats]], epsilon: float) -> float:
    """The hockey-stick divergence of independent collections, under one respondent's two sets of answers."""
    one, other = np.ones(1), np.ones(1)
    for first, second in families:
        one, other = np.outer(one, first).ravel(), np.outer(other, second).ravel()
    return float(np.maximum(one - exp(epsilon) * other, 0).sum())


@pytest.mark.parametrize("people", some_of((4, 20, 60), (4, 20)))
def test_shares_with_followers_are_not_told_apart_better_than_stated(people: int) -> None:
    """Whole brute force: counts of a gate with its follower, and of a question of another family."""
    survey, delta = _survey({"g": ("3/5", ""), "f": ("3/5", "g = yes"), "x": ("3/5", "")}), 1e-2
    stated, joined = central_privacy(survey, people, delta), 0.0
    assert stated.shares is not None
    coin = np.array([[0.6, 0.4], [0.4, 0.6]])
    both = [np.outer(coin[gate], coin[own]).ravel() for gate, own in product((0, 1), repeat=2)]
    for alike in range(4):
        others = [
            [both[alike]] * (people - 1),
            [both[alike ^ 1]] * (people // 2) + [both[alike]] * (people - 1 - people // 2),
        ]
        for rest in others:
            families = [_sent([*rest, both[0]]), _sent([*rest, both[3]])]
            single = [_sent([coin[alike & 1]] * len(rest) + [coin[answer]]) for answer in (0, 1)]
            worst = max(
                _delta([(families[0], families[1]), (single[0], single[1])], stated.shares),
                _delta([(families[1], families[0]), (single[1], single[0])], stated.shares),
            )
            assert worst <= delta
            joined = max(joined, worst)
    assert joined > 0 or people < 10


def test_an_event_of_shares_alone_is_no_likelier_than_stated() -> None:
    """One person sends yes at two gates that all others answer with no: their codes of all followers are seen.

    The event: one response says yes to both gates, and yes to each follower.
    """
    people, delta, followers = 4_000, 1e-6, 4
    found = central_privacy(_chain(followers), people, delta)
    assert found.epsilon == pytest.approx(found.local)
    said = [0.01 * 0.01, 0.99 * 0.99]  # of the others, and of the person
    yes = [[0.5**followers, 0.8**followers], [0.5**followers, 0.2**followers]]
    chances = []
    for others, own in yes:
        nobody = (1 - said[0]) ** (people - 1)
        one = (people - 1) * said[0] * (1 - said[0]) ** (people - 2)
        chances.append(said[1] * nobody * own + (1 - said[1]) * one * others)
    claimed = found.local if found.shares is None else found.shares
    assert chances[0] - exp(claimed) * chances[1] <= delta
    groups = 2 + followers  # what single groups add up to would be passed
    single = sum(
        central_privacy(_survey({"a": (truth, "")}), people, delta / groups).epsilon
        for truth in ("99/100", "99/100", *["4/5"] * followers)
    )
    assert chances[0] - exp(single) * chances[1] > 0.1


def test_two_followers_of_one_gate_are_not_stated_as_if_their_shares_were_apart() -> None:
    """Of 10,000 people who answer no, some hundred send yes at the gate: the counts of their followers are joint."""
    survey = _survey({"g": ("99/100", ""), "f0": ("4/5", "g = yes"), "f1": ("4/5", "g = yes")})
    found = central_privacy(survey, 10_000, 1e-6)
    assert found.shares is None
    apart = central_privacy(_survey({"g": ("99/100", ""), "f0": ("4/5", ""), "f1": ("4/5", "")}), 10_000, 1e-6)
    assert apart.shares == pytest.approx(0.608, abs=0.002)
    assert found.local == pytest.approx(apart.local) == pytest.approx(log(99) + 2 * log(4))


def test_a_family_beside_another_question_has_the_epsilon_of_its_groups_together() -> None:
    survey = _survey({"g": ("3/5", ""), "f": ("3/5", "g = yes"), "x": ("3/5", "")})
    apart = _survey({"g": ("3/5", ""), "f": ("3/5", ""), "x": ("3/5", "")})
    joined, single = (central_privacy(each, 60, 1e-2).shares for each in (survey, apart))
    assert single is not None
    assert joined is not None
    assert joined > single
