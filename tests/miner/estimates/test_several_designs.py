"""One regression of responses to several versions, whose disguises differ."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize  # type: ignore[import-untyped] # scipy brings no types

from collector.errors import QueryError
from collector.store.store import Store
from miner.estimates.regress import regress
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner_command import printed, refused, run
from small_surveys import survey_of

SEX = ('kind = "yes_no"\nsensitive = false', "", "")
ASKED = ('kind = "yes_no"\nsensitive = false', "", "")
CARDS = ('kind = "yes_no"', "g", 'truth = "7/10"')
DIE = ('kind = "yes_no"\nreplacement = { yes = "1/4", no = "3/4" }', "g", 'truth = "2/3", channel = "uniform"')
DESIGNS = {"asked": (ASKED, (1.0, 0.0)), "cards": (CARDS, (0.7, 0.3)), "die": (DIE, (0.75, 1 / 12))}
"""The outcome, and how probable it is that yes is sent by people whose answer is yes, and no."""


def sent(design: str, n: int, seed: int) -> Responses:
    """The outcome is commoner among those who answer yes to the predictor."""
    rng = np.random.default_rng(seed)
    sex = rng.random(n) < 0.5
    stole = rng.random(n) < np.where(sex, 0.5, 0.25)
    values = np.stack([~sex, ~stole], axis=1).astype(np.int16)
    return simulate(survey_of(SEX, DESIGNS[design][0]), values, rng)


def test_direct_and_disguised_answers_are_fitted_together_by_their_joint_likelihood() -> None:
    parts = {name: sent(name, 1500, seed) for seed, name in enumerate(DESIGNS)}
    found = regress(parts["cards"], "q1 ~ q0", others=[parts["asked"], parts["die"]])
    assert found.n == 4500

    def loss(point: np.ndarray) -> float:
        total = 0.0
        for name, part in parts.items():
            true, false = DESIGNS[name][1]
            share = 1 / (1 + np.exp(-point[0] - point[1] * (part.codes[:, 0] == 0)))
            yes = share * true + (1 - share) * false
            total -= float(np.log(np.where(part.codes[:, 1] == 0, yes, 1 - yes)).sum())
        return total

    best = minimize(loss, np.zeros(2), method="BFGS", options={"gtol": 1e-8})
    assert [term.coefficient for term in found.terms] == pytest.approx(best.x, abs=1e-4)
    step, errors = 1e-3, []
    for places in ((1, 0), (0, 1)):
        away = np.array(places) * step
        errors.append((loss(best.x + away) - 2 * loss(best.x) + loss(best.x - away)) / step**2)
    ends = np.array([[step, step], [step, -step], [-step, step], [-step, -step]])
    corner = [loss(best.x + each) for each in ends]
    mixed = (corner[0] - corner[1] - corner[2] + corner[3]) / (4 * step**2)
    covariance = np.linalg.inv(np.array([[errors[0], mixed], [mixed, errors[1]]]))
    assert found.covariance.to_numpy() == pytest.approx(covariance, rel=1e-3)


def test_parts_of_one_design_are_fitted_as_the_whole() -> None:
    whole = sent("cards", 3000, 7)
    apart = regress(whole.take(range(1000)), "q1 ~ q0", others=[whole.take(range(1000, 3000))])
    together = regress(whole, "q1 ~ q0")
    assert [each.coefficient for each in apart.terms] == pytest.approx([each.coefficient for each in together.terms])
    assert apart.covariance.to_numpy() == pytest.approx(together.covariance.to_numpy())


def test_a_predictor_that_is_disguised_in_one_version_only_is_fitted_too() -> None:
    survey = survey_of(CARDS, ASKED)
    rng = np.random.default_rng(11)
    answer = rng.random(6000) < 0.4
    outcome = rng.random(6000) < np.where(answer, 0.6, 0.3)
    values = np.stack([~answer, ~outcome], axis=1).astype(np.int16)
    disguised = simulate(survey, values[:3000], rng)
    direct = simulate(survey_of(SEX, ASKED), values[3000:], rng)
    both, one, other = (
        regress(direct, "q1 ~ q0", others=[disguised]).terms[1],
        regress(direct, "q1 ~ q0").terms[1],
        regress(disguised, "q1 ~ q0").terms[1],
    )
    assert both.standard_error < one.standard_error < other.standard_error
    weights = np.array([1 / one.standard_error**2, 1 / other.standard_error**2])
    pooled = (weights @ [one.coefficient, other.coefficient]) / weights.sum()
    assert both.coefficient == pytest.approx(pooled, abs=0.25 * both.standard_error)


def test_a_version_with_other_values_is_refused() -> None:
    other = survey_of(SEX, ('kind = "choice"\nvalues = ["a", "b"]', "g", 'truth = "7/10"'))
    strange = Responses(other, np.zeros((20, 2), np.int16))
    with pytest.raises(QueryError, match='question "q1": '):
        regress(sent("cards", 500, 1), "q1 ~ q0", others=[strange])


def test_the_command_fits_other_versions_together(tmp_path: Path) -> None:
    parts = [sent(design, 1000, seed) for seed, design in enumerate(("asked", "cards"))]
    with Store(tmp_path / "a.db", create=True) as store:
        for part in parts:
            store.add(store.publish(part.survey).survey, part.codes.tolist())
        before, newest = (Responses.from_store(store, "small", version) for version in (1, 2))
    command = ("regress", "small", "q1 ~ q0", "--store", tmp_path / "a.db", "--version", 2)
    expected = regress(newest, "q1 ~ q0", others=[before])
    shown = printed(*command, "--with-version", 1)
    assert [(each["version"], each["responses"]) for each in shown.pop("origin")["versions"]] == [(2, 1000), (1, 1000)]
    assert shown == expected.as_json | {"simulated": None}
    assert expected.n == 2000
    assert "it is version 2 itself" in refused(*command, "--with-version", 2)
    assert "version 1 is named twice" in refused(*command, "--with-version", 1, "--with-version", 1)
    assert "left aside" in run(*command[:-2]).stderr
    assert "left aside" not in run(*command[:-2], "--with-version", 1).stderr
    sample = tmp_path / "sample.toml"
    sample.write_text("population = 10000\n", encoding="utf-8")
    assert "one version" in refused(*command, "--with-version", 1, "--sample", sample)
