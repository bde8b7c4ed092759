"""Every registered channel on arrays: weights, candidates and simulation are those of the exact table."""

from __future__ import annotations

import numpy as np
import pytest

from channel_cases import arrays_are_the_exact_table, simulation_has_the_frequencies_of_the_table, survey_of
from collector.channel.channel import REPLACEMENTS
from collector.survey.survey import Survey
from miner.channels.registry import ARRAYS, arrays_of
from miner.channels.replacement import ArrayReplacement

YES_NO = 'kind = "yes_no"'
THREE = 'kind = "choice"\nvalues = ["a", "b", "c"]'
SURVEYS = [
    survey_of(name, truth, kinds)
    for name in REPLACEMENTS
    for truth, kinds in (("3/5", [YES_NO]), ("2/7", [THREE]), ("9/10", [THREE, YES_NO]))
]
SURVEYS.append(survey_of("uniform", "1/3", [THREE + '\nreplacement = { a = "1/2", b = "1/3", c = "1/6" }']))


@pytest.mark.parametrize("survey", SURVEYS)
def test_weights_and_candidates_are_those_of_the_exact_table(survey: Survey) -> None:
    arrays_are_the_exact_table(survey)


@pytest.mark.parametrize("survey", SURVEYS)
def test_simulated_responses_have_the_frequencies_of_the_exact_table(survey: Survey) -> None:
    simulation_has_the_frequencies_of_the_table(survey)


@pytest.mark.parametrize("survey", SURVEYS)
def test_a_channel_without_a_class_of_its_own_has_the_same_weights_and_candidates(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = survey.groups[0].channel.name
    monkeypatch.delitem(ARRAYS, name)
    assert type(arrays_of(REPLACEMENTS[name])) is ArrayReplacement
    arrays_are_the_exact_table(survey)
    simulation_has_the_frequencies_of_the_table(survey, 20_000)


def test_every_registered_channel_has_a_class_for_arrays() -> None:
    assert set(ARRAYS) == set(REPLACEMENTS)
    assert np.all([issubclass(each, ArrayReplacement) for each in ARRAYS.values()])
