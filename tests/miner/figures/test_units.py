"""The variance of totals by strata and clusters: the digits of R, and every sample and fall of the coins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product
from math import inf, prod, sqrt

import numpy as np
import pandas as pd
import pytest

from api_schools import POPULATION, schools
from collector.errors import QueryError
from miner.figures.partition import Partition
from miner.figures.sample import Sample
from miner.figures.sample_design import SampleDesign
from miner.figures.units import Units, one_stratum
from miner.responses.responses import Responses
from small_surveys import survey_of

PLAIN = 'kind = "choice"\nsensitive = false\nvalues = ["a", "b", "c", "d", "e", "f"]'
STRATUM = 'kind = "choice"\nsensitive = false\nvalues = ["north", "south"]'
YES = [[{"q2": frozenset({0})}]]
SHARE = np.array([[1.0, 1.0], [0.0, 1.0]])


def weighted_mean(table: pd.DataFrame, design: SampleDesign) -> tuple[float, float]:
    """The mean of api00, and its standard error, by the totals of schools with each value."""
    responses, values = schools(table)
    cells = Partition.of(
        Sample(responses, design), [[[{"api00": frozenset({number})}] for number in range(len(values))]]
    )
    truth = np.stack([np.array([*values, 0.0], np.float64), np.ones(len(values) + 1)], axis=1)
    sums, spread = cells.totals(truth), cells.covariance(truth)
    slope = np.array([1, -sums[0] / sums[1]]) / sums[1]
    return float(sums[0] / sums[1]), sqrt(slope @ spread @ slope)


def test_the_mean_of_a_stratified_sample_has_the_digits_of_r(apistrat: pd.DataFrame) -> None:
    weights = apistrat.groupby("stype")["pw"].first().to_dict()
    sizes = apistrat.groupby("stype")["fpc"].first().astype(float).to_dict()
    mean, error = weighted_mean(apistrat, SampleDesign({"stype": weights}, strata="stype", sizes=sizes))
    assert (round(mean, 2), round(error, 4)) == (662.29, 9.4089)


def test_the_mean_of_a_sample_of_clusters_has_the_digits_of_r(apiclus1: pd.DataFrame) -> None:
    mean, error = weighted_mean(apiclus1, SampleDesign(clusters="dnum", sizes=757.0))
    assert (round(mean, 2), round(error, 3)) == (644.17, 23.542)


def test_the_mean_of_a_raked_sample_has_the_digits_of_r(apiclus1: pd.DataFrame) -> None:
    mean, error = weighted_mean(apiclus1, SampleDesign(clusters="dnum", sizes=757.0, margins=POPULATION))
    assert (round(mean, 2), round(error, 3)) == (641.23, 23.704)


def sample_of(how: str, people: list[tuple[int, int, int]], codes: tuple[int, ...], design: SampleDesign) -> Partition:
    """Totals of responses of people with a stratum, a cluster and a code of the disguised question."""
    survey = survey_of((STRATUM, "", ""), (PLAIN, "", ""), ('kind = "yes_no"', "g", how))
    rows = [(stratum, cluster, code) for (stratum, cluster, _), code in zip(people, codes, strict=True)]
    return Partition.of(Sample(Responses(survey, np.array(rows, np.int16)), design), [YES])


def every_sample(
    population: list[tuple[int, int, int]], truth: float, unit: Callable[[tuple[int, int, int]], int], drawn: list[int]
) -> Iterator[tuple[float, list[tuple[int, int, int]], tuple[int, ...]]]:
    """The chance of each sample of units of each stratum and of each way in which its coins fall, with both."""
    strata = sorted({stratum for stratum, _, _ in population})
    chosen = [
        list(combinations(sorted({unit(each) for each in population if each[0] == stratum}), drawn[stratum]))
        for stratum in strata
    ]
    for units in product(*chosen):
        people = [each for each in population if unit(each) in units[each[0]]]
        for flips in product((False, True), repeat=len(people)):
            chance = prod(1 - truth if flip else truth for flip in flips) / prod(map(len, chosen))
            yield chance, people, tuple(each[2] ^ flip for each, flip in zip(people, flips, strict=True))


@pytest.mark.parametrize(("how", "truth"), [('truth = "4/5"', 0.8), ('truth = "1"', 1.0)])
@pytest.mark.parametrize("clustered", [False, True])
def test_over_all_samples_and_coins_totals_are_right_and_so_is_their_variance(
    how: str, truth: float, *, clustered: bool
) -> None:
    # Stratum, cluster and answer (0 is yes) of everybody in the population.
    north = (
        [(0, 0, 0), (0, 1, 1), (0, 2, 0), (0, 3, 1)] if not clustered else [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 2, 0)]
    )
    population = [*north, (1, 0, 1), (1, 1, 0), (1, 2, 0)]
    sizes = {"north": 3.0 if clustered else 4.0, "south": 3.0}
    weights = {"north": sizes["north"] / 2, "south": 1.5}
    design = SampleDesign({"q0": weights}, "q0", "q1" if clustered else None, sizes)
    chances, totals, spreads = [], [], []
    for chance, people, codes in every_sample(population, truth, lambda each: each[1], [2, 2]):
        cells = sample_of(how, people, codes, design)
        chances.append(chance)
        totals.append(cells.totals(SHARE))
        spreads.append(cells.covariance(SHARE))
    mean = np.average(totals, axis=0, weights=chances)
    assert mean == pytest.approx([sum(answer == 0 for _, _, answer in population), len(population)], abs=1e-12)
    gaps = np.array(totals) - mean
    varied = np.einsum("s,si,sj->ij", chances, gaps, gaps)
    assert np.average(spreads, axis=0, weights=chances) == pytest.approx(varied, abs=1e-12)


@pytest.mark.parametrize(("how", "truth"), [('truth = "4/5"', 0.8), ('truth = "3/5", channel = "uniform"', 0.8)])
def test_the_coins_keep_their_variance_where_everybody_is_in_the_sample(how: str, truth: float) -> None:
    people = [(0, number, number % 2) for number in range(4)] + [(1, number, 0) for number in range(2)]
    weights, sizes = {"north": 1.0, "south": 1.0}, {"north": 4.0, "south": 2.0}
    design = SampleDesign({"q0": weights}, "q0", None, sizes)
    chances, totals, spreads = [], [], []
    for chance, some, codes in every_sample(people, truth, lambda each: each[1], [4, 2]):
        cells = sample_of(how, some, codes, design)
        chances.append(chance)
        totals.append(cells.totals(SHARE)[0])
        spreads.append(cells.covariance(SHARE)[0, 0])
    variance = len(people) * truth * (1 - truth) / (2 * truth - 1) ** 2  # of the coins alone, exactly
    assert np.average((np.array(totals) - 4) ** 2, weights=chances) == pytest.approx(variance)
    assert np.average(spreads, weights=chances) == pytest.approx(variance)


def test_a_stratum_with_one_cluster_is_refused_unless_it_is_all_there_is() -> None:
    stratum, cluster = np.array([0, 0, 1, 1]), np.array([0, 1, 2, 2])
    with pytest.raises(QueryError, match='stratum "south": ') as caught:
        Units(np.ones(4), stratum, cluster, np.array([inf, inf]), ["north", "south"])
    assert "join it with another stratum" in caught.value.remedy
    assert Units(np.ones(4), stratum, cluster, np.array([inf, 1.0]), ["north", "south"]).freedom == 1


def test_a_sample_larger_than_its_population_is_refused() -> None:
    with pytest.raises(QueryError, match="more responses than its population"):
        one_stratum(np.ones(4), 3)


def test_degrees_of_freedom_are_those_of_the_strata_that_vary() -> None:
    units = Units(np.ones(12), np.repeat([0, 1, 2], 4), None, np.full(3, inf))
    terms = np.tile([1.0, -1.0, 2.0, -2.0], 3)
    assert units.freedom_of(terms) == pytest.approx(9) == pytest.approx(units.freedom)
    assert units.freedom_of(terms * (np.arange(12) < 4)) == pytest.approx(3)
    assert 3 < units.freedom_of(terms * np.repeat([1.0, 2.0, 3.0], 4)) < 9
    assert units.freedom_of(np.zeros(12)) == 9


def test_responses_that_are_alike_may_share_a_row() -> None:
    terms = np.array([[1.0, 2.0], [0.0, 3.0], [4.0, 1.0]])
    each = Units(np.array([2.0, 1.0, 3.0]), np.array([0, 0, 0]), None, np.array([20.0]))
    alone = Units(np.ones(6), np.zeros(6, np.intp), None, np.array([20.0]))
    assert each.covariance(terms) == pytest.approx(alone.covariance(np.repeat(terms, [2, 1, 3], axis=0)))
