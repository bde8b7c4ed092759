"""A population in the likeness of a pilot."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from collector.survey.survey import Survey
from collector.survey_file.survey_file import read_survey_file
from miner.planning.pilot_population import PilotPopulation
from miner.responses.responses import value_indices
from population import draw_answers


@pytest.mark.statistical
def test_people_in_a_pilots_likeness_answer_as_often_and_together_as_the_pilot(wellbeing: Survey) -> None:
    # Seeded. Shares of 20,000 people, and of pairs of their answers, are known to .35 points; the mixture of 1,500
    # strays from its pilot by less than 1: .03 is more than six standard deviations of both together.
    pilot = value_indices(wellbeing, draw_answers(1500, np.random.default_rng(7)))
    rng = np.random.default_rng(1)
    people = PilotPopulation.of(wellbeing, pilot, rng).people(20_000, rng)
    assert people.shape == (20_000, len(wellbeing.questions))
    for first in range(len(wellbeing.questions)):
        for second in range(first + 1):
            found, wanted = (
                np.histogram2d(rows[:, first], rows[:, second], bins=(range(8), range(8)))[0] / len(rows)
                for rows in (people, pilot)
            )
            np.testing.assert_allclose(found, wanted, atol=0.03)


def test_its_people_come_in_no_order(wellbeing: Survey) -> None:
    # Seeded. A share of 10,000 people differs between halves by 1.4 points at most but once in a hundred draws.
    pilot = value_indices(wellbeing, draw_answers(600, np.random.default_rng(8)))
    rng = np.random.default_rng(2)
    people = PilotPopulation.of(wellbeing, pilot, rng).people(20_000, rng)
    for column in people.T:
        halves = [np.bincount(half, minlength=8) / 10_000 for half in np.split(column, 2)]
        np.testing.assert_allclose(halves[0], halves[1], atol=0.03)


def test_everybody_in_it_answers_all_of_a_split_questionnaire(root: Path) -> None:
    survey = read_survey_file(root / "examples" / "wellbeing_split.toml")
    rng = np.random.default_rng(4)
    pilot = np.stack([rng.integers(len(each.values), size=60, dtype=np.int16) for each in survey.questions], axis=1)
    people = PilotPopulation.of(survey, pilot, rng).people(500, rng)
    assert people.min() == 0
    assert people.max(axis=0).tolist() == [len(each.values) - 1 for each in survey.questions]
