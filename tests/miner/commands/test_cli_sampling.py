"""The subcommands that estimate, with a sample file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from collector.store.store import Store
from collector.survey.survey import Survey
from command_schema import validator
from miner.estimates.design import Family
from miner.estimates.estimate import estimate
from miner.estimates.regress import regress
from miner.figures.sample import Sample
from miner.figures.sample_design import SampleDesign
from miner.figures.sampled_figure import people_line
from miner.responses.responses import Responses, value_indices
from miner.simulation.simulation import simulate
from miner_command import printed, refused, run
from population import draw_answers

SAMPLE = """
strata = "year"

[weights.year]
first = 1
second = 2.5
third = 4
fourth = 2
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, wellbeing: Survey) -> Path:
    """A store with responses to the example survey."""
    path, rng = tmp_path_factory.mktemp("sampling") / "s.db", np.random.default_rng(3)
    with Store(path, create=True) as store:
        people = draw_answers(1200, rng)
        store.publish(wellbeing)
        store.add(wellbeing, simulate(wellbeing, value_indices(wellbeing, people), rng).codes.tolist())
    return path


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    path = tmp_path / "sample.toml"
    path.write_text(SAMPLE, encoding="utf-8")
    return path


def drawn(store: Path, sample: Path) -> Sample:
    with Store(store) as opened:
        return Sample(Responses.from_store(opened, "wellbeing"), SampleDesign.read(sample))


def test_shares_tables_and_differences_take_a_sample_file(store: Path, sample: Path) -> None:
    at, known = ("--store", store, "--sample", sample), drawn(store, sample)
    share = printed("estimate", "wellbeing", "distress = yes and year in (first, third)", *at)
    expected = estimate(known, "distress = yes and year in (first, third)")
    assert (share["estimate"], share["standard_error"]) == (expected.estimate, expected.standard_error)
    validator("miner estimate").validate(share)
    each = printed("estimate", "wellbeing", *at)
    validator("miner estimate").validate(each)
    assert each["frequencies"]["debt"]["yes"]["estimate"] == estimate(known, "debt = yes").estimate
    table = printed("crosstab", "wellbeing", "debt", "distress", *at)
    validator("miner crosstab").validate(table)
    assert table["cells"][0]["estimate"] == pytest.approx(estimate(known, "debt = yes and distress = yes").estimate)
    found = printed("difference", "wellbeing", "distress = yes", "debt = yes", "debt = no", *at)
    validator("miner difference").validate(found)
    assert found["difference"]["estimate"] == pytest.approx(found["first"]["estimate"] - found["second"]["estimate"])


@pytest.mark.parametrize(
    "command",
    [
        ("estimate", "wellbeing"),
        ("estimate", "wellbeing", "debt = yes"),
        ("crosstab", "wellbeing", "debt", "distress"),
        ("difference", "wellbeing", "distress = yes", "debt = yes", "debt = no"),
    ],
)
def test_what_is_printed_says_how_the_responses_were_sampled(
    store: Path, sample: Path, command: tuple[str, ...]
) -> None:
    result = run(*command, "--store", store, "--sample", sample)
    assert result.exit_code == 0, result.stderr
    assert people_line(drawn(store, sample), 1200) in result.stdout
    assert "1200 responses, by sampling weights" in result.stdout


def test_what_a_sample_file_does_not_go_with_is_refused(store: Path, sample: Path) -> None:
    at = ("--store", store, "--sample", sample)
    assert "leave out --plain and --false" in refused("estimate", "wellbeing", "debt = yes", "--false", 3, *at)
    assert "one wave" in refused("difference", "wellbeing", "debt = yes", "--from-version", 1, *at)
    sample.write_text('strata = "debt"', encoding="utf-8")
    assert "that everybody answers undisguised" in refused("estimate", "wellbeing", *at)
    sample.write_text("strata = 3", encoding="utf-8")
    assert "sample, strata" in refused("estimate", "wellbeing", *at)
    sample.unlink()
    assert "sample.toml" in refused("estimate", "wellbeing", *at)


def test_regressions_take_a_sample_file(store: Path, sample: Path) -> None:
    at, known = ("--store", store, "--sample", sample), drawn(store, sample)
    found = printed("regress", "wellbeing", "distress ~ debt", *at)
    validator("miner regress").validate(found)
    expected = regress(known, "distress ~ debt")
    assert [each["standard_error"] for each in found["terms"]] == [each.standard_error for each in expected.terms]
    assert people_line(known, 1200) in run("regress", "wellbeing", "distress ~ debt", *at).stdout


@pytest.mark.parametrize("family", ["ordinal", "normal"])
def test_every_family_has_errors_by_the_sample(store: Path, sample: Path, family: Family) -> None:
    found = regress(drawn(store, sample), "income ~ debt", family=family)
    shown = printed("regress", "wellbeing", "income ~ debt", "--family", family, "--store", store, "--sample", sample)
    assert [each["standard_error"] for each in shown["terms"]] == [each.standard_error for each in found.terms]
    simple = regress(Sample(drawn(store, sample).responses, SampleDesign()), "income ~ debt", family=family)
    for one, other in zip(found.terms, simple.terms, strict=True):
        assert 1 < one.standard_error / other.standard_error < 1.4  # sampling weights of 1 to 4
        assert one.freedom < other.freedom == pytest.approx(1200 - 1 - 1)
