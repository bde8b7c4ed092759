"""A coding added in one line is drawn, written, checked, estimated and mined like those of the package."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from channel_cases import simulation_has_the_frequencies_of_the_table, survey_of
from collector.channel.channel import channel
from collector.channel.value_channel import value_transition
from collector.coding.coding import Coding, block_coding
from collector.coding.shared import SHARED
from collector.errors import SurveyError
from collector.survey.design import survey_from_json
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import survey_text
from engine_cases import a_mixture_has_the_likelihood_of_the_exact_table, signed_copies_are_the_product_weights
from exact_tables import value_weights
from miner.estimates.estimate import estimate
from miner.planning.recode import recode
from miner.responses.responses import codes_of_values
from miner.simulation.simulation import simulate

FOUR = 'kind = "choice"\nvalues = ["a", "b", "c", "d"]\ncoding = "others"'
EVERY = [("projective", 6, 2), ("projective", 9, 3), ("subsets", 5, 2), ("cyclotomic", 10, 13, 4), ("thresholds", 4)]


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    text = (root / "docs" / "extending.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[1]
    names: dict[str, Any] = {"__name__": "extending"}
    exec(compile(code, "extending.md", "exec", dont_inherit=True), names)  # noqa: S102 - the page is ours
    monkeypatch.setitem(SHARED, "others", names["OTHERS"])


@pytest.mark.usefixtures("page")
@pytest.mark.parametrize("truth", [Fraction(1, 3), Fraction(4, 5)])
def test_forward_table_times_weights_is_the_identity_for_every_registered_scheme(truth: Fraction) -> None:
    how = channel("uniform", truth)
    for name, *numbers in [*EVERY, ("others", 4), ("others", 7)]:
        coding = block_coding(name, *numbers)
        sent, weights = value_transition(coding, how), value_weights(coding, how)
        for value in range(numbers[0]):
            for other in range(numbers[0]):
                assert sum(sent[code][value] * weights[code][other] for code in coding.codes) == (value == other)


@pytest.mark.parametrize(("name", "values", "parameters"), [(each[0], each[1], each[2:]) for each in EVERY])
def test_a_coding_is_written_as_it_was_asked_for(name: str, values: int, parameters: tuple[int, ...]) -> None:
    written = block_coding(name, values, *parameters).written
    assert written == "-".join([name, *map(str, parameters)])
    assert len(parameters) == SHARED[name].count


@pytest.mark.usefixtures("page")
def test_a_new_coding_is_published_and_mined() -> None:
    survey = survey_of("uniform", "2/3", [FOUR])
    assert parse_survey(survey_text(survey, "")).questions == survey.questions
    assert survey_from_json(survey.canonical) == survey
    simulation_has_the_frequencies_of_the_table(survey, 20_000)
    signed_copies_are_the_product_weights(survey_of("uniform", "2/3", [FOUR, FOUR]), "q1")
    a_mixture_has_the_likelihood_of_the_exact_table("uniform", "2/3", [FOUR])
    responses = simulate(survey, (np.arange(20_000) % 5 % 4).astype(np.int16)[:, None], np.random.default_rng(1))
    found = estimate(responses, {"q0": codes_of_values(survey.questions[0], frozenset({0}))})
    assert found.estimate == pytest.approx(0.4, abs=5 * (found.standard_error or 0))


def test_a_design_whose_codes_are_not_those_of_its_scheme_is_refused() -> None:
    coding = block_coding("subsets", 4, 2)
    with pytest.raises(SurveyError, match="not those of its scheme"):
        Coding("subsets", coding.codes, None, (*coding.draws[:-1], coding.draws[0]))


def test_the_next_wave_keeps_shared_codes_whose_draw_no_prior_sets() -> None:
    survey = survey_of("uniform", "2/3", [FOUR.replace("others", "subsets-2")])
    responses = simulate(survey, (np.arange(2000) % 4).astype(np.int16)[:, None], np.random.default_rng(2))
    assert recode(responses)[0].questions[0].coding == survey.questions[0].coding
