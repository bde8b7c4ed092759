"""docs/extending.md: the channel that it adds is one like any other, without a change of the packages."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from channel_cases import (
    arrays_are_the_exact_table,
    cases,
    forward_times_inverse_is_the_identity,
    one_question_is_the_group_of_one,
    ratio_is_that_of_enumeration,
    simulation_has_the_frequencies_of_the_table,
    survey_of,
    variance_is_that_of_enumeration,
)
from collector.channel.channel import REPLACEMENTS
from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import QueryError
from collector.survey.design import survey_from_json
from miner.estimates.likelihood import likeliest_frequencies
from miner.simulation.simulation import simulate
from miner.weights.layout import Disguise
from miner.weights.weights import ProductWeights

PAGE = Path(__file__).resolve().parents[2] / "docs" / "extending.md"
FIRST, SECOND = Fraction(4, 5), Fraction(2, 5)
YES_NO = 'kind = "yes_no"'


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names that the page's code defines, with its channel registered."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {"__name__": "extending"}
    exec(compile(code, str(PAGE), "exec", dont_inherit=True), names)  # noqa: S102 - the page is ours
    names["truth"], names["replacement"] = names["kuk"](FIRST, SECOND)
    monkeypatch.setitem(REPLACEMENTS, "kuk", names["replacement"])
    return names


def test_the_channel_of_the_page_passes_the_suite_of_the_registry(page: dict[str, Any]) -> None:
    for channel, codings in cases(page["replacement"], two_valued=True):
        forward_times_inverse_is_the_identity(channel, codings)
        ratio_is_that_of_enumeration(channel, codings)
        variance_is_that_of_enumeration(channel, codings)
        one_question_is_the_group_of_one(channel, codings)
    for questions in (1, 2):
        survey = survey_of("kuk", str(page["truth"]), [YES_NO] * questions)
        arrays_are_the_exact_table(survey)
        simulation_has_the_frequencies_of_the_table(survey)


def test_its_forward_table_is_that_of_two_decks_of_cards(page: dict[str, Any]) -> None:
    survey = survey_of("kuk", str(page["truth"]), [YES_NO])
    (group,), codings = survey.groups, [survey.questions[0].coding]
    assert group.channel.transition(codings) == [[FIRST, 1 - FIRST], [SECOND, 1 - SECOND]]


def test_it_is_published_checked_and_estimated_like_any_other(page: dict[str, Any]) -> None:
    survey = survey_of("kuk", str(page["truth"]), [YES_NO, YES_NO])
    assert survey_from_json(survey.canonical) == survey
    alone = SurveyPrivacy(survey_of("kuk", str(page["truth"]), [YES_NO]))
    assert alone.epsilon == pytest.approx(np.log(3))  # black: (1 - 2/5) / (1 - 4/5); red: 2
    values = np.stack([np.arange(20_000) % 10 >= 3, np.arange(20_000) % 2], axis=1).astype(np.int16)
    responses = simulate(survey, values, np.random.default_rng(3))
    weights = ProductWeights(responses).of({"q0": frozenset({0})})
    assert weights.mean() == pytest.approx(0.3, abs=5 * weights.std() / 20_000**0.5)
    found = likeliest_frequencies(responses, ["q0", "q1"])
    assert found is not None


def test_what_is_compiled_for_the_channels_of_the_package_says_that_it_does_not_know_it(page: dict[str, Any]) -> None:
    survey = survey_of("kuk", str(page["truth"]), [YES_NO, YES_NO])
    with pytest.raises(QueryError, match='group "g": trees and models do not know the kuk channel'):
        Disguise.of(survey, "q0")
