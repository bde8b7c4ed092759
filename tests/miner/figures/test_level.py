"""Intervals at another level than 95 %: closed forms, coverage, and what commands print."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from math import inf, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm, t

from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from command_schema import validator
from miner.estimates.comparison import difference
from miner.estimates.crosstab import crosstab
from miner.estimates.estimate import estimate
from miner.figures.estimate import Estimate
from miner.figures.sample import Sample
from miner.figures.sample_design import SampleDesign
from miner.figures.score import level, normal_quantile, student
from miner.responses.responses import Responses, value_indices
from miner.simulation.simulation import simulate
from miner.tables.numbers import imbens_manski, mean, quantile
from miner.tables.shares import shares
from miner.tables.trends import trend
from miner_command import run
from population import draw_answers
from small_surveys import survey_of
from soak import likely, part_of

YES_NO = 'kind = "yes_no"'
PLAIN = f"{YES_NO}\nsensitive = false"
SCHOOL = f'kind = "choice"\nsensitive = false\nvalues = {json.dumps([f"s{number}" for number in range(40)])}'
TRUE_SHARE = 0.3
CLASS = 15  # people of each cluster


@pytest.fixture
def at_90() -> Iterator[None]:
    former = level.set(0.9)
    yield
    level.reset(former)


@pytest.fixture(scope="module")
def sent(wellbeing: Survey) -> Responses:
    rng = np.random.default_rng(3)
    return simulate(wellbeing, value_indices(wellbeing, draw_answers(900, rng)), rng)


def undisguised(rng: np.random.Generator) -> Estimate:
    no = (rng.random(300) >= TRUE_SHARE).astype(np.int16)[:, None]
    return estimate(Responses(survey_of((PLAIN, "", "")), no), "q0 = yes")


def disguised(rng: np.random.Generator) -> Estimate:
    survey = survey_of((YES_NO, "g", 'truth = "4/5"'))
    values = (rng.random(600) >= TRUE_SHARE).astype(np.int16)[:, None]
    return estimate(simulate(survey, values, rng), "q0 = yes")


def clustered(rng: np.random.Generator) -> Estimate:
    """40 clusters, whose shares differ with a correlation of 1/11 within a cluster."""
    survey = survey_of((SCHOOL, "", ""), (PLAIN, "", ""))
    home = np.repeat(np.arange(40), CLASS)
    no = rng.random(len(home)) >= rng.beta(10 * TRUE_SHARE, 10 * (1 - TRUE_SHARE), 40)[home]
    responses = simulate(survey, np.stack([home, no], axis=1).astype(np.int16), rng)
    return estimate(Sample(responses, SampleDesign(clusters="q0")), "q1 = yes")


def test_without_a_level_quantiles_are_those_of_95_percent_intervals() -> None:
    assert normal_quantile() == 1.959963984540054
    assert student(7) == pytest.approx(t.ppf(0.975, 7), rel=1e-12)


@pytest.mark.usefixtures("at_90")
def test_an_undisguised_share_has_wilsons_interval_of_the_level() -> None:
    answers = (np.arange(200) >= 60).astype(np.int16)[:, None]
    found, z = estimate(Responses(survey_of((PLAIN, "", "")), answers), "q0 = yes"), norm.ppf(0.95)
    middle, reach = (0.3 + z**2 / 400) / (1 + z**2 / 200), z * sqrt(0.21 / 200 + z**2 / 160_000) / (1 + z**2 / 200)
    assert found.interval == pytest.approx((middle - reach, middle + reach), abs=1e-9)
    assert "(standard error 0.0325, 90 % interval 0.2" in found.line


@pytest.mark.parametrize("asked", [0.5, 0.9, 0.99, 0.9999])
def test_an_interval_around_bounds_is_one_sided_where_they_lie_apart(asked: float) -> None:
    former = level.set(asked)
    assert imbens_manski(0.0, 1.0) == pytest.approx(norm.ppf((1 + asked) / 2), abs=1e-6)
    assert imbens_manski(inf, 1.0) == pytest.approx(norm.ppf(asked), abs=1e-6)
    level.reset(former)


@pytest.mark.parametrize(
    "figure",
    [
        lambda sent: estimate(sent, "distress = yes"),
        lambda sent: shares(sent, "distress = yes", by="debt").figures[0].estimate,
        lambda sent: shares(sent, "distress = yes", by="year").differences[0].estimate,
        lambda sent: mean(sent, "income", by="year").figures[0].estimate,
        lambda sent: mean(sent, "income").figures[0].bounds,
        lambda sent: quantile(sent, "income", 0.5).figures[0].estimate,
        lambda sent: crosstab(sent, "debt", "distress").cells["yes", "no"],
        lambda sent: difference(sent, "distress = yes", "debt = yes", "debt = no").difference,
        lambda sent: trend({1: sent, 2: sent}, "distress = yes").slope,
    ],
)
def test_every_figure_has_a_shorter_interval_at_a_lower_level(
    sent: Responses, figure: Callable[[Responses], Estimate]
) -> None:
    usual, former = figure(sent).interval, level.set(0.8)
    lower = figure(sent).interval
    level.reset(former)
    assert usual is not None
    assert lower is not None
    assert (usual[0] or 0) <= (lower[0] or 0) < (lower[1] or inf) <= (usual[1] or inf)
    assert usual != lower


@pytest.mark.statistical
@pytest.mark.usefixtures("at_90")
@pytest.mark.parametrize("drawn", [undisguised, disguised, clustered])
def test_intervals_of_90_percent_cover_the_truth_9_times_in_10(
    drawn: Callable[[np.random.Generator], Estimate],
) -> None:
    # Seeded. A correct .9 covers fewer or more once in 500.
    rng, samples = np.random.default_rng(9), part_of(4000)
    limits = [drawn(rng).interval for _ in range(samples)]
    covered = sum(each is not None and each[0] <= TRUE_SHARE <= each[1] for each in limits)
    least, most = likely(samples, 0.9)
    assert least <= covered <= most, f"{covered} of {samples}"


def test_commands_print_the_level_that_was_asked_and_no_other(tmp_path: Path) -> None:
    path, rng = tmp_path / "s.db", np.random.default_rng(5)
    text = (Path(__file__).resolve().parents[3] / "examples" / "wellbeing.toml").read_text(encoding="utf-8")
    with Store(path, create=True) as store:
        for truth in ("4/5", "5/6"):
            survey = parse_survey(re.sub(r'truth = "?[\d./]+"?', f'truth = "{truth}"', text))
            store.publish(survey)
            answers = value_indices(survey, draw_answers(400, rng))
            store.add(survey, simulate(survey, answers, rng).codes.tolist())
    for asked in (
        ("estimate", "wellbeing"),
        ("estimate", "wellbeing", "distress = yes"),
        ("estimate", "wellbeing", "distress", "--by", "year", "--differences"),
        ("estimate", "wellbeing", "income", "--mean"),
        ("crosstab", "wellbeing", "debt", "distress"),
        ("crosstab", "wellbeing", "debt", "distress", "year"),
        ("difference", "wellbeing", "distress = yes", "debt = yes", "debt = no"),
        ("trend", "wellbeing", "distress = yes"),
    ):
        whole = (*asked, "--store", path)
        text = run(*whole, "--level", 0.9).stdout
        assert "90 % interval" in text
        assert "95 %" not in text
        assert "; level 0.9; " in text
        shown, usual = (json.loads(run(*whole, *extra, "--json").stdout) for extra in (("--level", 0.9), ()))
        validator(f"miner {asked[0]}").validate(shown)
        assert shown["level"] == 0.9
        assert "level" not in usual
        assert run(*whole).stdout.count("95 % interval") == text.count("90 % interval"), "the level is set for one call"
    assert run("estimate", "wellbeing", "--store", path, "--level", 95).exit_code == 2
