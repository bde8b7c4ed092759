"""The benchmarks of releases: that they say what they measured; and that ours is as accurate as it was made to be."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from benchmarks.data.trusted import TABLES
from benchmarks.performance import release_speed
from benchmarks.releasing import fletcher, jagannathan, waseda
from benchmarks.releasing.accuracies import measured
from benchmarks.releasing.release_forms import CANDIDATES, Cell, chosen, report
from benchmarks.results import RESULTS
from miner.release.cross_validated import family_learner
from miner.release.families.k_anonymous_rdt import KAnonymousRDT
from miner.release.families.methods import family
from miner.release.parts.budget_shares import FITTED, FORMS, Facts, likely_form
from miner.release.seeded_noise import SeededNoise
from soak import some_of

FACTS = Facts((3,) * 42, 3, 60.0 * 378)  # 60 records times epsilon for each cell of all tables
RIGHT = {"tree": 0.7, "mixture": 0.8, "scores": 0.9, "tables": 0.6}


def test_a_loss_is_against_the_best_form() -> None:
    assert likely_form(FACTS, Fraction(1, 2)) == "scores"
    assert Cell("one", FACTS, RIGHT).loss(FITTED) == 0
    assert Cell("one", FACTS, dict.fromkeys(FORMS, 0.5) | {"mixture": 0.75}).loss(FITTED) == 0.25


def test_limits_are_chosen_without_the_data_set_that_is_left_out() -> None:
    """The two disagree whether 60 is enough for a mixture; each is judged by what the other wants."""
    cells = [Cell("one", FACTS, RIGHT), Cell("two", FACTS, RIGHT | {"mixture": 1.0})]
    assert chosen(cells[:1]).rich > 60 >= chosen(cells[1:]).rich
    lost = {row[0]: row[2] for row in report(cells)}
    assert lost == {"one": "10.00", "two": "10.00"}
    assert FITTED.fair in {each.fair for each in CANDIDATES}
    assert FITTED.rich in {each.rich for each in CANDIDATES}


def test_curves_are_named_by_what_they_show() -> None:
    """No file claims a number that a figure of a paper has: the papers were not at hand."""
    names = [f"jagannathan_{each}" for each in jagannathan.CURVES] + [
        f"fletcher_accuracy_{each}" for each in fletcher.NAMES
    ]
    page = (RESULTS / "releases.md").read_text("utf-8")
    assert not [path.name for path in RESULTS.glob("*_figure_*")]
    assert "Figure" not in page
    for name in names:
        assert (RESULTS / f"{name}.svg").is_file()
        with (RESULTS / f"{name}.csv").open(encoding="utf-8") as lines:
            assert len(list(csv.DictReader(lines))) > 10
    for name in ("chess", "connect_4"):
        with (RESULTS / f"fletcher_accuracy_{name}.csv").open(encoding="utf-8") as lines:
            shares = {(row["what"], row["at"]): 100 * float(row["accuracy"]) for row in csv.DictReader(lines)}
        cells = [f"{shares['DPDF, valid', at]:.0f}" for at in ("0.1000", "0.5000", "1.0000", "2.0000")]
        assert f"| {name.replace('_', '-')} | {'/'.join(cells)} |" in page


def test_the_page_has_the_nearest_cells_to_what_waseda_print() -> None:
    with (RESULTS / "waseda_delta.csv").open(encoding="utf-8") as lines:
        cells = [
            (row["table"], int(row["k"]), int(row["trees"]), *(float(row[each]) for each in list(row)[3:]))
            for row in csv.DictReader(lines)
        ]
    page = (RESULTS / "releases.md").read_text("utf-8")
    for printed in waseda.PRINTED:
        (line,) = [each for each in page.splitlines() if each.startswith(f"| {printed:g} ".replace("0.", "."))]
        assert all(waseda.nearest(printed, name, cells).lstrip("0") in line for name in waseda.NAMES)


def test_an_accuracy_at_a_large_delta_keeps_to_it() -> None:
    for k, trees in ((5, 8), (10, 11)):
        made = KAnonymousRDT(Fraction(1), 12_960, delta=waseda.LARGE, trees=trees, k=k)
        assert 0 < made.guarantee.delta <= waseda.LARGE
        assert made.cell.admits(1 / trees)


def test_memory_of_a_further_row_is_between_two_sizes() -> None:
    rows = [{"rows": 5}, {"rows": 1024, "command_mebibytes": 100.0}, {"rows": 3 * 1024, "command_mebibytes": 102.0}]
    assert release_speed.bytes_per_row(rows) == [1024.0]


@pytest.mark.slow
def test_a_release_is_timed_in_memory_and_as_a_command(tmp_path: Path) -> None:
    table = release_speed.made_up(500)
    assert 0 < release_speed.in_memory(table, "ours") < 60
    seconds, memory = release_speed.whole_command(table, "naive-bayes", tmp_path)
    assert 0 < seconds < 120
    assert 50 < memory < 2000
    assert (tmp_path / "model.json").is_file()


ASKED = {
    "nursery": (0.87, 0.90, 0.915, 0.93),
    "mushroom": (0.985, 0.995, 0.997, 0.998),
    "votes": (0.85, 0.93, 0.94, 0.95),
    "adult": (0.82, 0.842, 0.85, 0.85),
}


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("name", some_of(ASKED, ("votes",)))
@pytest.mark.usefixtures("datasets")
def test_ours_is_as_accurate_as_asked_give_or_take_a_deal_of_the_folds(name: str) -> None:
    """A deal scatters by .1 to .4 points, on votes by 1: half a point, or two, below fails for fewer than 1 in 20."""
    table, margin = TABLES[name](), 0.02 if name == "votes" else 0.005
    for epsilon, asked in zip((Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(2)), ASKED[name], strict=True):
        learner = family_learner(family("ours", epsilon, len(table) * 9 // 10), SeededNoise)
        assert measured(table, learner, 1, 8)[0] > asked - margin, epsilon


@pytest.mark.parametrize("name", ["ours", "dpdf"])
def test_made_up_tables_can_be_learnt(name: str) -> None:
    table = release_speed.made_up(4_000)
    made = family(name, Fraction(20), len(table)).fit(table, SeededNoise(1), np.random.default_rng(1))
    assert (made.probabilities(table.values).argmax(axis=1) == table.labels).mean() > 0.7
