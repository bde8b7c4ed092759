"""Readings of conditions give, in another program, the figures that are printed here."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from collector.errors import QueryError
from collector.store.store import Store
from collector.survey_file.survey_file import parse_survey
from miner.estimates.estimate import estimate
from miner.figures.sample import Sample
from miner.figures.sample_design import SampleDesign
from miner.microdata.files import table_bytes, write_table
from miner.microdata.readings import readings
from miner.responses.responses import NOT_ASKED, Responses
from miner.simulation.simulation import simulate
from miner.tables.shares import shares
from miner_command import refused, run
from small_surveys import survey_of

REGION = 'kind = "choice"\nsensitive = false\nvalues = ["north", "south"]'
SCHOOL = 'kind = "choice"\nsensitive = false\nvalues = ["s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"]'
YES_NO = 'kind = "yes_no"'
DESIGN = SampleDesign({"q0": {"north": 1.25, "south": 5.0}}, "q0", "q1")
SPLIT = """name = "split"
title = "Split"
languages = ["en"]

[sampling]
ask = 2

[[questions]]
name = "q0"
label = "Q?"
kind = "yes_no"
group = "g"

[[questions]]
name = "q1"
label = "Q?"
kind = "yes_no"
group = "h"

[[questions]]
name = "q2"
label = "Q?"
kind = "yes_no"
group = "i"

[groups]
g = { truth = "4/5" }
h = { truth = "4/5" }
i = { truth = "4/5" }
"""
CONDITIONS = "q2 = yes", "q2 = yes and q3 = no or q3 = yes and q0 = south"


def people(n: int, seed: int, how: str = 'truth = "4/5"') -> Responses:
    """A region, a school, and two questions that share a coin: both are commoner in the south."""
    survey = survey_of((REGION, "", ""), (SCHOOL, "", ""), (YES_NO, "g", how), (YES_NO, "g", how))
    rng = np.random.default_rng(seed)
    region = rng.integers(0, 2, n)
    first = rng.random(n) < 0.2 + 0.2 * region
    second = rng.random(n) < np.where(first, 0.5, 0.2)
    values = np.stack([region, rng.integers(0, 8, n), ~first, ~second], axis=1)
    return simulate(survey, values.astype(np.int16), rng)


def clustered(table: pd.DataFrame, terms: np.ndarray) -> np.ndarray:
    """The covariance of totals by the clusters of each stratum, as textbooks have it (with replacement)."""
    found = np.zeros((terms.shape[1],) * 2)
    totals = pd.DataFrame(terms).groupby([table["stratum"], table["cluster"]], observed=True).sum()
    for _, stratum in totals.groupby(level=0, observed=True):
        gaps = (stratum - stratum.mean()).to_numpy()
        found += len(stratum) / (len(stratum) - 1) * gaps.T @ gaps
    return found


@pytest.mark.parametrize("how", ['truth = "4/5"', 'truth = "3/5", channel = "uniform"'])
def test_the_mean_of_a_reading_is_the_estimate_with_its_error(how: str) -> None:
    sent = people(800, 1, how)
    table = readings(sent, CONDITIONS)
    for number, condition in enumerate(CONDITIONS, start=1):
        ours, column = estimate(sent, condition), table[f"reading_{number}"]
        assert column.mean() == pytest.approx(ours.estimate, rel=1e-9)
        assert column.std() / np.sqrt(len(column)) == pytest.approx(ours.standard_error, rel=1e-9)


def test_weighted_means_and_regressions_on_plain_questions_have_the_printed_digits() -> None:
    sample = Sample(people(900, 2), DESIGN)
    table = readings(sample, CONDITIONS[:1])
    weights, reading = table["weight"].to_numpy(), table["reading_1"].to_numpy()
    mean = np.average(reading, weights=weights)
    error = np.sqrt(clustered(table, (weights * (reading - mean) / weights.sum())[:, None])[0, 0])
    ours = estimate(sample, CONDITIONS[0])
    assert (mean, error) == pytest.approx((ours.estimate, ours.standard_error), rel=1e-9)

    south = (table["q0"] == "south").to_numpy().astype(float)
    columns = np.stack([np.ones(len(table)), south], axis=1)
    information = np.linalg.inv((columns * weights[:, None]).T @ columns)
    coefficients = information @ (columns * weights[:, None]).T @ reading
    slopes = columns * (weights * (reading - columns @ coefficients))[:, None]
    errors = np.sqrt(np.diag(information @ clustered(table, slopes) @ information))
    found = shares(sample, CONDITIONS[0], by="q0")
    north, difference = found.figures[0].estimate, found.differences[0].estimate
    assert north is not None
    assert difference is not None
    assert (coefficients[0], errors[0]) == pytest.approx((north.estimate, north.standard_error), rel=1e-9)
    assert (-coefficients[1], errors[1]) == pytest.approx((difference.estimate, difference.standard_error), rel=1e-9)


def test_a_reading_is_missing_for_people_who_were_not_asked() -> None:
    survey = parse_survey(SPLIT)
    rng = np.random.default_rng(3)
    sent = simulate(survey, rng.integers(0, 2, (600, 3)).astype(np.int16), rng)
    table = readings(sent, ["q1 = yes", "q1 = yes and q2 = yes"])
    asked = (sent.codes != NOT_ASKED).sum(axis=0)
    assert table.notna().sum().tolist() == [asked[1], sent.asked_all(["q1", "q2"]).sum()]
    assert table["reading_1"].mean() == pytest.approx(estimate(sent, "q1 = yes").estimate)


def test_the_order_of_rows_tells_nothing_that_the_rows_do_not() -> None:
    sent = people(500, 4)
    shuffled = sent.take(np.random.default_rng(5).permutation(len(sent)))
    table = readings(sent, CONDITIONS)
    assert table.equals(readings(shuffled, CONDITIONS))
    assert table.equals(table.sort_values([*table]).reset_index(drop=True))


def test_columns_of_the_sample_do_not_take_the_names_of_questions() -> None:
    text = SPLIT.replace('"q0"', '"weight"').replace('"q1"', '"reading_1"').replace("[sampling]\nask = 2\n\n", "")
    survey = parse_survey(text.replace('group = "g"', "sensitive = false").replace('g = { truth = "4/5" }\n', ""))
    rng = np.random.default_rng(6)
    sent = simulate(survey, rng.integers(0, 2, (200, 3)).astype(np.int16), rng)
    table = readings(Sample(sent, SampleDesign({"weight": {"yes": 1.0, "no": 2.0}})), ["reading_1 = yes"])
    assert [*table] == ["weight", "weight_", "reading_1_"]


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".sav", ".dta"])
def test_every_format_holds_the_same_table_for_its_owner_alone(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"readings{suffix}"
    path.write_bytes(b"")
    path.chmod(0o644)
    table = readings(Sample(people(300, 7), DESIGN), CONDITIONS)
    write_table(table, path)
    assert path.stat().st_mode & 0o777 == 0o600
    read = {
        ".csv": pd.read_csv,
        ".parquet": pd.read_parquet,
        ".sav": lambda each: pyreadstat.read_sav(each)[0],
        ".dta": lambda each: pyreadstat.read_dta(each)[0],
    }[suffix](path)
    assert [*read] == [*table]
    for name, column in table.items():
        if column.dtype == float:
            assert read[name].to_numpy() == pytest.approx(column.to_numpy(), rel=1e-12)
        else:
            assert read[name].astype(str).tolist() == column.astype(str).tolist()
    if suffix in {".sav", ".dta"}:
        reader = pyreadstat.read_sav if suffix == ".sav" else pyreadstat.read_dta
        assert reader(path)[1].column_names_to_labels["reading_1"] == "not an answer: unbiased reading of q2 = yes"


def test_a_table_is_held_as_bytes_without_a_file() -> None:
    table = readings(people(50, 8), CONDITIONS[:1])
    assert pd.read_csv(BytesIO(table_bytes(table, ".csv"))).shape == table.shape


def test_no_condition_and_a_wrong_sample_are_refused() -> None:
    with pytest.raises(QueryError) as caught:
        readings(people(50, 9), [])
    assert caught.value.place == "readings"
    with pytest.raises(QueryError):
        readings(Sample(people(50, 9), SampleDesign(strata="q2")), ["q2 = yes"])


def test_the_command_writes_the_table_and_names_its_columns(store: Store, path: Path, tmp_path: Path) -> None:
    survey = store.published("wellbeing").survey
    rng = np.random.default_rng(10)
    values = np.stack([rng.integers(0, len(each.values), 60) for each in survey.questions], axis=1)
    store.add(survey, simulate(survey, values.astype(np.int16), rng).codes.tolist())
    at, file = ("--store", path), tmp_path / "r.csv"
    done = run("readings", "wellbeing", "debt = yes", "cannabis = yes", *at, "-o", file)
    assert done.exit_code == 0, done.stderr
    assert [*pd.read_csv(file)] == ["year", "reading_1", "reading_2"]
    assert "reading_2: not an answer" in done.stdout
    assert "--output" in refused("readings", "wellbeing", "debt = yes", *at, "-o", tmp_path / "r.txt")
    assert "--force" in refused("readings", "wellbeing", "debt = yes", *at, "-o", file)
