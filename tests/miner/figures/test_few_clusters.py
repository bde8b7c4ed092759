"""Samples with few clusters: a subgroup has the degrees of freedom of its clusters, and nothing of other groups."""

from __future__ import annotations

import json
from math import sqrt

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit
from scipy.stats import t as students_t

from api_schools import HEAD, QUESTION, schools
from collector.errors import QueryError
from collector.survey_file.survey_file import parse_survey
from miner.estimates.comparison import difference
from miner.estimates.estimate import estimate
from miner.estimates.regress import regress
from miner.figures.sample import Sample
from miner.figures.sample_design import SampleDesign
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner.tables.numbers import mean, quantile
from miner.tables.shares import shares
from small_surveys import survey_of

PLAIN = "sensitive = false"
GROUP = f'kind = "choice"\n{PLAIN}\nvalues = ["a", "b", "c"]'
SCHOOL = f'kind = "choice"\n{PLAIN}\nvalues = {json.dumps([f"s{number}" for number in range(40)])}'
YES_NO = 'kind = "yes_no"'
CLUSTERS = SampleDesign(clusters="q1")


def sample(group: list[int], school: list[int], outcome: list[int], truth: str | None = None) -> Responses:
    """A group, a school, an outcome (0 is yes), and a predictor that is nearly balanced; q2 may be disguised."""
    how = (f"{YES_NO}\n{PLAIN}", "", "") if truth is None else (YES_NO, "g", f'truth = "{truth}"')
    survey = survey_of((GROUP, "", ""), (SCHOOL, "", ""), how, (f"{YES_NO}\n{PLAIN}", "", ""))
    values = np.stack([group, school, outcome, np.arange(len(group)) % 3 > 0], axis=1).astype(np.int16)
    return simulate(survey, values, np.random.default_rng(1))


def with_one_cluster(truth: str | None = None) -> Responses:
    """Group a lies in school 0, where exactly half say yes; group b in schools 1 to 6, where shares differ."""
    schools_ = np.repeat(np.arange(7), 40)
    yes = np.arange(280) % 40 < np.repeat([20, 5, 10, 15, 20, 25, 30], 40)
    return sample((schools_ > 0).tolist(), schools_.tolist(), (~yes).tolist(), truth)


@pytest.mark.parametrize("truth", [None, "4/5"])
def test_a_group_in_one_cluster_has_no_error_interval_or_p_value(truth: str | None) -> None:
    sent = with_one_cluster(truth)
    table = shares(Sample(sent, CLUSTERS), "q2 = yes", by="q0")
    alone, others = (each.estimate for each in table.figures[:2])
    assert alone is not None
    assert others is not None
    assert (alone.standard_error, alone.interval) == (None, None)
    assert "too few clusters" in alone.line
    assert "too few clusters" in alone.figures["why"]
    assert others.interval is not None
    apart = table.differences[0]
    assert apart.estimate is not None
    assert (apart.estimate.standard_error, apart.estimate.interval, apart.p_value) == (None, None, None)
    compared = difference(Sample(sent, CLUSTERS), "q2 = yes", "q0 = a", "q0 = b").difference
    assert compared is not None
    assert compared.standard_error is None
    with pytest.raises(QueryError, match="for 0 degrees of freedom"):
        regress(Sample(sent, CLUSTERS), "q2 ~ q3", among="q0 = a")


def test_clusters_that_happen_to_have_equal_shares_are_not_certain() -> None:
    schools_ = np.repeat(np.arange(4), 60)
    sent = sample([0] * 240, schools_.tolist(), (np.arange(240) % 2).tolist())
    found = estimate(Sample(sent, CLUSTERS), "q2 = yes")
    assert found.interval is not None
    assert found.interval[0] < 0.2
    assert found.interval[1] > 0.8
    with pytest.raises(QueryError, match="the clusters do not differ"):
        regress(Sample(sent, CLUSTERS), "q2 ~ q3")


def test_if_the_clusters_are_all_there_are_the_coins_error_is_left() -> None:
    whole = SampleDesign(clusters="q1", sizes=7)
    plain, sent = with_one_cluster(), with_one_cluster("4/5")
    sure = difference(Sample(plain, whole), "q2 = yes", "q0 = a", "q0 = b").first
    assert sure is not None
    assert (sure.standard_error, sure.interval) == (0, (0.5, 0.5))
    drawn = difference(Sample(sent, whole), "q2 = yes", "q0 = a", "q0 = b").first
    assert drawn is not None
    assert drawn.interval is not None
    assert drawn.standard_error == pytest.approx(sqrt(0.8 * 0.2 / 40) / 0.6, rel=1e-9)
    reach = 2.0 * drawn.standard_error
    assert drawn.interval == pytest.approx((drawn.estimate - reach, drawn.estimate + reach), abs=0.02)


def test_a_regression_has_the_degrees_of_freedom_of_the_clusters_of_its_people() -> None:
    sent = with_one_cluster()
    drawn = Sample(sent, CLUSTERS)
    assert [each.freedom for each in regress(drawn, "q2 ~ q3", among="q0 = b").terms] == [6 - 1 - 1] * 2
    assert [each.freedom for each in regress(drawn, "q2 ~ q3", among="q1 in (s1, s2, s3)").terms] == [1, 1]
    with pytest.raises(QueryError, match=r"2 coefficients .* 1 degrees"):
        regress(drawn, "q2 ~ q3", among="q1 in (s1, s2)")


@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0), (1.0, 10.0, 100.0), (100.0, 1.0, 1.0)])
def test_a_share_of_0_in_a_group_does_not_depend_on_other_groups_weights(weights: tuple[float, ...]) -> None:
    group = np.repeat([0, 1, 2], 100)
    sent = sample(group.tolist(), [0] * 300, ((group == 0) | (np.arange(300) % 2 > 0)).tolist())
    design = SampleDesign({"q0": dict(zip("abc", weights, strict=True))})
    found = [each.estimate for each in shares(Sample(sent, design), "q2 = yes", by="q0").figures]
    assert found[0] is not None
    assert found[1] is not None
    assert found[0].interval == pytest.approx((0, 0.037), abs=5e-4)
    assert found[1].interval == pytest.approx((0.4025, 0.5975), abs=1e-3)


def test_nobody_in_few_clusters_is_as_many_draws_as_there_are_clusters() -> None:
    sent = sample([0] * 183, (np.arange(183) % 15).tolist(), [1] * 183)
    found = estimate(Sample(sent, CLUSTERS), "q2 = yes")
    square = students_t(14).ppf(0.975) ** 2
    assert found.interval == pytest.approx((0, square / (15 + square)))


def districts(table: pd.DataFrame) -> Responses:
    """The districts of apiclus1, and a number with an interval for each value of api00."""
    texts, columns = [HEAD], []
    names, codes = np.unique(table["dnum"], return_inverse=True)
    texts.append(QUESTION.format("dnum", json.dumps([str(each) for each in names])))
    columns.append(codes)
    cuts = [400 + 5 * number for number in range(1, 120)]
    texts.append(
        f'[[questions]]\nname = "api00"\nlabel = "Q?"\nkind = "number"\nsensitive = false\ncuts = {cuts}\n'
        "minimum = 400\nmaximum = 1000\n"
    )
    columns.append(np.searchsorted(cuts, table["api00"], side="right"))
    return Responses(parse_survey("\n".join(texts)), np.stack(columns, axis=1).astype(np.int16))


def test_undisguised_schools_of_unequal_districts_have_the_intervals_of_t_and_logit(apiclus1: pd.DataFrame) -> None:
    design, reach = SampleDesign(clusters="dnum", sizes=757.0), students_t(14).ppf(0.975)
    (figure,) = mean(Sample(districts(apiclus1), design), "api00").figures
    assert figure.estimate is not None
    assert figure.estimate.standard_error is not None
    assert figure.estimate.interval is not None
    assert (figure.estimate.estimate, figure.estimate.standard_error) == pytest.approx((644, 23.5), rel=0.02)
    width = (figure.estimate.interval[1] - figure.estimate.interval[0]) / 2
    assert np.mean(figure.estimate.interval) == pytest.approx(figure.estimate.estimate)
    assert 1 <= width / (reach * figure.estimate.standard_error) <= 1.25
    (median,) = quantile(Sample(districts(apiclus1), design), "api00", 0.5).figures
    assert median.estimate is not None
    assert median.estimate.interval is not None
    assert median.estimate.interval[1] - median.estimate.interval[0] < 160
    sent = Sample(schools(apiclus1)[0], design)
    for condition in ("stype = E", "stype = H", "sch_wide = No"):
        found = estimate(sent, condition)
        assert found.standard_error is not None
        assert found.interval is not None
        apart = reach * found.standard_error / (found.estimate * (1 - found.estimate))
        low, high = expit(logit(found.estimate) + np.array([-apart, apart]))
        assert 0 < found.interval[0] <= low < high <= found.interval[1] < 1
        assert found.interval[1] - found.interval[0] <= 1.25 * (high - low) * (1 + 1e-9)
        assert not found.says_nothing
        assert "worth" in found.note


def test_few_equal_clusters_or_few_cases_are_warned_of() -> None:
    schools_ = np.arange(400) % 40
    yes = np.arange(400) < 30
    sent = sample([0] * 400, schools_.tolist(), (~yes).tolist())
    drawn = Sample(sent, CLUSTERS)
    assert estimate(drawn, "q2 = yes").note == ""
    assert "fewer than 10" in estimate(drawn, "q2 = yes and q1 in (s0, s1, s2, s3)").note
    table = shares(Sample(sent, CLUSTERS), "q2 = yes", among="q1 in (s0, s1, s2, s3)")
    assert any("worth 4.0" in each for each in table.remarks)


def test_a_difference_from_a_group_of_two_clusters_has_about_one_degree_of_freedom() -> None:
    schools_ = np.repeat(np.arange(32), 40)
    yes = np.arange(1280) % 40 < np.repeat([20, 36, *([9, 11] * 15)], 40)  # group a is schools 0 and 1, far apart
    sent = sample((schools_ > 1).tolist(), schools_.tolist(), (~yes).tolist())
    found = shares(Sample(sent, CLUSTERS), "q2 = yes", by="q0").differences[0]
    assert found.estimate is not None
    assert found.estimate.standard_error is not None
    distance = abs(found.estimate.estimate + 1e-9) / found.estimate.standard_error
    by_hand = [2 * students_t(freedom).sf(distance) for freedom in (1.1, 0.9)]
    assert found.p_value is not None
    assert by_hand[0] <= found.p_value <= by_hand[1]
