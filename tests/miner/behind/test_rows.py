"""The answers that may be behind responses: their chances are the channel's, whatever the channel."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from collector.survey.survey import Survey
from miner.behind import rows as rows_module
from miner.behind.rows import Rows, rows_behind
from miner.channels import registry
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from small_surveys import survey_of
from split_surveys import split_survey

YES_NO, THREE = 'kind = "yes_no"', 'kind = "choice"\nvalues = ["a", "b", "c"]'
PLAIN = "\nsensitive = false"
UNIFORM, COMPLEMENT = 'truth = "2/3", channel = "uniform"', 'truth = "4/5"'
DESIGNS = {
    "class alone": [(YES_NO, "one", COMPLEMENT), (THREE + PLAIN, "", ""), (YES_NO + PLAIN, "", "")],
    "class of uniform": [(THREE, "one", UNIFORM), (THREE, "two", COMPLEMENT), (YES_NO, "two", COMPLEMENT)],
    "class shares its coin": [(YES_NO, "one", COMPLEMENT), (THREE, "one", COMPLEMENT), (YES_NO, "two", UNIFORM)],
    "uniform class shares its coin": [(THREE, "one", UNIFORM), (YES_NO, "one", UNIFORM), (THREE + PLAIN, "", "")],
}
each_design = pytest.mark.parametrize("design", DESIGNS)


def every_response(survey: Survey) -> Responses:
    """One response of every kind that can be sent."""
    return Responses(survey, np.array(list(product(*(each.codes for each in survey.questions))), np.int16))


def summed(found: Rows) -> dict[tuple[int, ...], float]:
    """For each combination of answers, the class's first, the sum of the chances of all responses."""
    whole: dict[tuple[int, ...], float] = {}
    for row, chances in zip(found.values.tolist(), found.chances.tolist(), strict=True):
        for cls, chance in enumerate(chances):
            whole[cls, *row[1:]] = whole.get((cls, *row[1:]), 0.0) + chance
    return whole


@each_design
def test_of_each_combination_of_answers_the_chances_of_all_responses_add_up_to_one(
    design: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows_module, "_prior", lambda _, values, *__: np.ones(len(values)))
    survey = survey_of(*DESIGNS[design])
    whole = summed(rows_behind(every_response(survey), "q0", np.random.default_rng(1)))
    assert len(whole) == np.prod([len(each.values) for each in survey.questions])
    assert list(whole.values()) == pytest.approx([1.0] * len(whole))


@each_design
def test_a_channel_that_has_no_arrays_of_its_own_gives_the_same_chances(
    design: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows_module, "_prior", lambda _, values, *__: np.ones(len(values)))
    sent = every_response(survey_of(*DESIGNS[design]))
    fast = rows_behind(sent, "q0", np.random.default_rng(1))
    monkeypatch.setattr(registry, "ARRAYS", {})
    exact = rows_behind(sent, "q0", np.random.default_rng(1))
    first, second = ({key: value for key, value in summed(each).items() if value} for each in (fast, exact))
    assert first == pytest.approx(second)
    shares = np.random.default_rng(3).random((3, 3, 3))
    heights = [
        each.posterior(np.array([shares[row[1], row[2], : each.chances.shape[1]] for row in each.values.tolist()]))[0]
        for each in (fast, exact)
    ]
    assert heights[0] == pytest.approx(heights[1])


@pytest.mark.parametrize("most", [64, 1])
def test_the_share_of_the_class_comes_out_whether_answers_are_written_out_or_drawn(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows_module, "MOST_ANSWERS", most)
    for design in (DESIGNS["class of uniform"], DESIGNS["class shares its coin"]):
        survey, rng = survey_of(*design), np.random.default_rng(5)
        values = np.stack([rng.choice(len(q.values), 4000, p=share(len(q.values))) for q in survey.questions], axis=1)
        found = rows_behind(simulate(survey, values.astype(np.int16), rng), "q0", rng)
        assert found.counts.sum() == 4000
        assert found.class_shares() == pytest.approx(share(len(survey.questions[0].values)), abs=0.05)


def test_answers_drawn_from_several_mixtures_give_the_likelihood_of_all_answers_written_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each mixture is fitted to a sample of few responses, and explains those that are in it best."""
    homes = [("a", COMPLEMENT), ("a", COMPLEMENT), ("b", COMPLEMENT), ("b", COMPLEMENT), ("c", COMPLEMENT)]
    survey = survey_of((YES_NO, "own", COMPLEMENT), *((YES_NO, *home) for home in homes))
    values = np.random.default_rng(1).integers(2, size=(60, 6)).astype(np.int16)
    sent = simulate(survey, values, np.random.default_rng(3))
    monkeypatch.setattr(rows_module, "DRAWS", 4000)
    gains = []
    for most in (64, 1):
        monkeypatch.setattr(rows_module, "MOST_ANSWERS", most)
        found = rows_behind(sent, "q0", np.random.default_rng(4))
        chance = np.where(found.values[:, 1] == found.values[:, 3], 0.9, 0.2)
        flat, fitted = (found.posterior(np.column_stack([each, 1 - each]))[0] for each in (chance * 0 + 0.5, chance))
        gains.append(fitted - flat)
    assert gains[1] == pytest.approx(gains[0], abs=0.3)


def share(count: int) -> list[float]:
    """Unequal shares of values."""
    return {2: [0.7, 0.3], 3: [0.6, 0.3, 0.1]}[count]


def test_a_split_questionnaire_has_answers_too() -> None:
    survey, rng = split_survey(), np.random.default_rng(6)
    values = np.stack([rng.integers(len(q.values), size=400) for q in survey.questions], axis=1).astype(np.int16)
    name = next(q.name for q in survey.questions if not survey.may_miss(q.name))
    found = rows_behind(simulate(survey, values, rng), name, rng)
    assert np.isfinite(found.chances).all()
    assert (np.add.reduceat(found.chances.sum(axis=1), found.first) > 0).all()


def test_plain_rows_are_people_who_are_known() -> None:
    survey, rng = survey_of(*DESIGNS["class of uniform"]), np.random.default_rng(7)
    rows = np.zeros((3, 3), np.int16)
    sent = simulate(survey, np.zeros((5, 3), np.int16), rng)
    found = rows_behind(sent, "q0", rng, PlainRows.of(survey, rows, np.array([1.0, 2.5, 4.0])))
    assert found.counts[-3:].tolist() == [1.0, 2.5, 4.0]
    assert found.chances[-3:].tolist() == [[1.0, 0.0, 0.0]] * 3
    assert found.counts.sum() == pytest.approx(5 + 7.5)
