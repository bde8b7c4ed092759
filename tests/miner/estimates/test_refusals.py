"""Refusals of regressions name the true reason, and their remedy is accepted; what chance cannot explain is said so."""

from __future__ import annotations

import re

import numpy as np
import pytest

from collector.errors import QueryError
from collector.survey_file.survey_file import parse_survey
from miner.estimates.estimate import estimate
from miner.estimates.regress import regress
from miner.figures.estimate import Difference, Estimate
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner.tables.figures import NumberEstimate
from small_surveys import survey_of

TIRED = (
    'name = "f"\ntitle = "F"\nlanguages = ["en"]\n'
    '[[questions]]\nname = "work"\nlabel = "?"\nkind = "choice"\nvalues = ["full", "part", "none"]\n{work}\n'
    '[[questions]]\nname = "tired"\nlabel = "?"\nkind = "yes_no"\nask_if = "work in (full, part)"\n{tired}\n'
    '[[questions]]\nname = "sex"\nlabel = "?"\nkind = "choice"\nvalues = ["w", "m"]\nsensitive = false\n'
    '[groups]\ng = {{ truth = "4/5" }}\nh = {{ truth = "4/5" }}\n'
)
PLAIN = "sensitive = false"


def workers(work: str, tired: str) -> Responses:
    """People of whom 17.5 % do not work, and are not asked whether work tires them."""
    text = TIRED.format(work=work, tired=tired)
    used = [name for name in "gh" if f'group = "{name}"' in text]
    text = "\n".join(line for line in text.splitlines() if line[:4] not in {"g = ", "h = "} or line[0] in used)
    rng = np.random.default_rng(1)
    job, sex = rng.choice(3, 3000, p=[0.5, 0.325, 0.175]), rng.integers(0, 2, 3000)
    answers = np.where(job == 2, 2, rng.random(3000) > 0.3 + 0.2 * sex)
    return simulate(parse_survey(text), np.stack([job, answers, sex], axis=1).astype(np.int16), rng)


@pytest.mark.parametrize(
    ("work", "tired"), [(PLAIN, PLAIN), (PLAIN, 'group = "h"'), ('group = "g"', 'group = "h"')], ids=str
)
@pytest.mark.parametrize("formula", ["tired ~ work + sex", "(tired = yes) ~ work + sex"])
def test_an_outcome_that_a_predictor_makes_impossible_is_not_called_rare(work: str, tired: str, formula: str) -> None:
    sent = workers(work, tired)
    with pytest.raises(QueryError, match='"work" decides') as caught:
        regress(sent, formula)
    left_out, among = re.findall(r'"([^"]+)"', caught.value.remedy)
    assert left_out == "work"
    found = regress(sent, formula.replace("work + ", ""), among=among)
    assert [each.name for each in found.terms] == ["intercept", "sex = m"]


def test_where_codes_do_not_show_who_was_asked_the_remedy_is_to_fit_those() -> None:
    sent = workers('group = "g"', 'group = "h"')
    with pytest.raises(QueryError, match='not everybody is asked "tired"') as caught:
        regress(sent, "tired ~ sex")
    (among,) = re.findall(r'"([^"]+)"', caught.value.remedy)
    assert regress(sent, "tired ~ sex", among=among).terms


def test_an_outcome_that_the_reference_answers_exclude_is_not_called_rare() -> None:
    survey = survey_of(*[(f'kind = "choice"\n{PLAIN}\nvalues = ["a", "b", "c"]', "", "")] * 2)
    values = np.array([[0, 0], [1, 0], [2, 0], [1, 1], [2, 1], [0, 2], [1, 2], [2, 2]] * 50, np.int16)
    with pytest.raises(QueryError, match='"b" seems impossible'):
        regress(Responses(survey, values[:, ::-1].copy()), "q0 ~ q1", {"q1": "a"})


def test_an_estimate_four_errors_outside_is_not_laid_to_few_responses() -> None:
    survey = survey_of(('kind = "yes_no"', "g", 'truth = "4/5"'))
    found = estimate(Responses(survey, np.repeat([[0], [1]], [50, 950], axis=0).astype(np.int16)), "q0 = yes")
    assert found.estimate < -4 * (found.standard_error or 0)
    assert "miner anchors" in found.warning
    assert "too few responses" not in found.line
    assert "too few responses" in Estimate(-0.05, 0.02, (-0.09, -0.01), 500).warning
    assert "miner anchors" in Difference(1.5, 0.1, (1.3, 1.7), 500).warning
    assert "miner anchors" in NumberEstimate(-5.0, 1.0, (-7.0, -3.0), 500, ends=(0.0, 9.0)).warning
    assert "too few responses" in Estimate(1.2, None, None, 8).warning
