"""Factors: the inverse of what is sent given the answers, in every channel; and the one place that has it."""

from __future__ import annotations

import re
from itertools import product
from math import prod
from pathlib import Path

import numpy as np
import pytest

from channel_cases import sent_given_values, survey_of
from collector.channel.channel import REPLACEMENTS
from miner.counting import factors
from miner.counting.factors import Factor, largest_sum
from miner.evaluation.copies import beside

MINER = Path(__file__).parents[3] / "miner"
YES_NO = 'kind = "yes_no"'
THREE = 'kind = "choice"\nvalues = ["a", "b", "c"]'
UNEVEN = THREE + '\nreplacement = { a = "1/2", b = "1/3", c = "1/6" }'
FIVE = 'kind = "choice"\nvalues = ["a", "b", "c", "d", "e"]'
SHARED = FIVE + '\ncoding = "szucs"'
DESIGNS = [(name, kinds) for name in REPLACEMENTS for kinds in ([YES_NO, THREE], [THREE, THREE], [FIVE, YES_NO])]
DESIGNS += [("uniform", [UNEVEN]), ("complement", [SHARED, YES_NO])]


@pytest.mark.parametrize(("name", "kinds"), DESIGNS)
def test_the_weights_of_every_answer_are_the_inverse_of_what_is_sent(name: str, kinds: list[str]) -> None:
    """The sum over codes of P(codes | answers) W(codes, other answers) is 1 for the same answers, else 0."""
    survey = survey_of(name, "4/7", kinds)
    table = sent_given_values(survey)
    codes = np.array(list(next(iter(table.values()))), np.int16)
    factor = Factor.of(survey, survey.groups[0], range(len(kinds)), len(kinds) - 1, codes)
    assert factor.listed is not None
    rows, place, weight = beside([factor.listed])
    assert np.abs(weight).sum(axis=(1, 2)).max() <= factor.size + 1e-12
    for true, other in product(table, repeat=2):
        same = (rows[place][:, :, :-1] == other[:-1]).all(axis=2)
        counted = (weight[:, :, other[-1]] * same).sum(axis=1)[factor.kind]
        mean = sum(float(chance) * count for chance, count in zip(table[true].values(), counted, strict=True))
        assert mean == pytest.approx(float(true == other), abs=1e-12)


@pytest.mark.parametrize(("name", "kinds"), DESIGNS)
def test_answers_that_are_too_many_to_list_are_drawn_with_the_same_weights(
    name: str, kinds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = survey_of(name, "4/7", kinds)
    codes = np.array(list(next(iter(sent_given_values(survey).values()))), np.int16)
    groups = survey.groups[0], range(len(kinds)), len(kinds) - 1
    listed, draws = Factor.of(survey, *groups, codes).listed, 20_000
    assert listed is not None
    monkeypatch.setattr(factors, "MOST_LISTED", 0)
    factor = Factor.of(survey, *groups, codes)
    assert factor.listed is None
    drawn = factor.drawn(draws, np.random.default_rng(1))
    for cls in range(len(survey.questions[-1].values)):
        exact = listed.weight[:, :, cls].sum(axis=1)[factor.kind]
        found = drawn.weight[:, :, cls].mean(axis=1)
        bound = prod(largest_sum(survey, [question.name], question.name) for question in survey.questions)
        assert found == pytest.approx(exact, abs=6 * bound / draws**0.5)


def test_classes_are_drawn_for_each_response_where_all_sent_the_same_codes() -> None:
    survey = survey_of("uniform", "4/7", [THREE, THREE])
    codes, draws = np.tile(np.array([1, 2], np.int16), (5, 1)), 20_000
    factor = Factor.of(survey, survey.groups[0], range(2), 1, codes)
    listed, drawn = factor.listed, factor.drawn(draws, np.random.default_rng(1))
    assert listed is not None
    assert drawn.weight.shape == (*drawn.place.shape, 3) == (5, draws, 3)
    for cls in range(3):
        exact = float(listed.weight[:, :, cls].sum())
        assert drawn.weight[:, :, cls].mean(axis=1) == pytest.approx(exact, abs=6 * factor.size / draws**0.5)


ONE = {
    "signed weights of a group": r"weights_at\(",
    "weights of a replacement": r"\.means\(",
    "readings of codes": r"coding\.reading\.items\(",
}
"""What is sought. Fitted readings replace those of codes, and the weights of an event those of a replacement."""
ELSEWHERE = {"weights/weights.py", "weights/fitted_weights.py"}


@pytest.mark.parametrize("what", ONE)
def test_what_a_response_counts_is_known_in_one_place(what: str) -> None:
    found = {
        path.relative_to(MINER).as_posix()
        for path in MINER.rglob("*.py")
        if path.parts[-2] != "channels" and re.search(ONE[what], path.read_text(encoding="utf-8"))
    }
    assert found - ELSEWHERE == {"counting/factors.py"}


def test_no_measure_asks_which_learner_it_measures() -> None:
    for room in ("evaluation", "models"):
        texts = [path.read_text(encoding="utf-8") for path in (MINER / room).glob("*.py")]
        assert not [text for text in texts if re.search(r"isinstance\([^)]*ID3Classifier", text)]
