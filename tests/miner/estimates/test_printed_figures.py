"""Figures that other programs print, to the printed digit (docs/collected-elsewhere.md)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from miner.estimates.estimate import estimate
from miner.figures.sample import Sample
from miner.figures.sample_design import SampleDesign
from miner.responses.responses import Responses
from small_surveys import survey_of

POPULATION, PEOPLE = 10_777, 710
# The survey of the vignette of RRTCS: an unrelated question of known frequency, asked with probability 1/2.
PRINTED = [
    (328, "1/12", ".8406103", ".001389716"),
    (180, "1/10", ".4070423", ".001045196"),
    (280, "20/30", ".1220657", ".001337415"),
    (81, "1/10", ".128169", ".0005597858"),
    (164, "10/30", ".1286385", ".000991658"),
    (53, "1/12", ".06596244", ".000383954"),
]


@pytest.mark.parametrize(("yes", "frequency", "share", "variance"), PRINTED)
def test_an_unrelated_question_in_a_finite_population_is_that_of_rrtcs(
    yes: int, frequency: str, share: str, variance: str
) -> None:
    other = Fraction(frequency)
    kind = f'kind = "yes_no"\nreplacement = {{ yes = "{other}", no = "{1 - other}" }}'
    survey = survey_of((kind, "g", 'truth = "1/2", channel = "uniform"'))
    sent = Responses(survey, np.repeat(np.array([[0], [1]], np.int16), [yes, PEOPLE - yes], axis=0))
    found = estimate(Sample(sent, SampleDesign(sizes=POPULATION)), "q0 = yes")
    assert found.standard_error is not None
    assert f"{found.estimate:.7g}" == f"0{share}"
    assert f"{found.standard_error**2:.7g}" == f"0{variance}"
    # The same by hand: (1 - n / N) s^2 / n of the terms, and 1 / N of the mean variance of a coin, which is r (r - 1).
    terms = (np.repeat([1.0, 0.0], [yes, PEOPLE - yes]) - float(other) / 2) * 2
    sampled = (1 - PEOPLE / POPULATION) * terms.var(ddof=1) / PEOPLE
    assert found.standard_error**2 == pytest.approx(sampled + (terms * (terms - 1)).mean() / POPULATION, rel=1e-12)


def test_a_direct_question_is_that_of_rrreg() -> None:
    sent = Responses(
        survey_of(('kind = "yes_no"\nsensitive = false', "", "")),
        np.repeat(np.array([[0], [1]], np.int16), [158, 365 - 158], axis=0),
    )
    found = estimate(sent, "q0 = yes")
    assert (f"{found.estimate:.2f}", f"{found.standard_error:.2f}") == ("0.43", "0.03")
