"""What the papers print of ID3 and of plain trees, and what an earlier run of ours had of Private-RDT.

Accuracies are by 10-fold cross-validation. Jagannathan, Pillaipakkamnatt & Wright (2012) print Table 1 alone: ID3 has
98.19 on nursery, 94.48 on votes (in the text 93.5 to 94.7) and 100 on mushroom. `REFERENCE` is **not** theirs: it is of
an earlier run of this project, with other code, that later runs are held to. Standard errors over seeds are under .7
points for one deal of the folds, so that a margin of 1.5 points fails for about one seed in thirty per cell where the
true figure is that of the earlier run; the seeds here are fixed.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from benchmarks.data.trusted import TABLES
from benchmarks.releasing.accuracies import measured
from benchmarks.releasing.exposed import PRINTED, PRINTED_DEPTHS, as_printed, grown, tables
from benchmarks.releasing.jagannathan import HUGE, NoNoise, in_batches, rdt
from miner.learners.id3 import ID3Classifier
from miner.release.cross_validated import family_learner, plain_learner
from miner.release.seeded_noise import SeededNoise

pytestmark = pytest.mark.statistical
MARGIN = 0.015
PRINTED_ID3 = {"nursery": 0.9819, "votes": 0.9448, "mushroom": 1.0}
REFERENCE = {None: 0.902, "1": 0.892, "0.5": 0.867, "0.25": 0.776}  # by epsilon; None: no noise
REFERENCE_IN_BATCHES = {2: 0.833, 10: 0.654}  # at epsilon 1/2
UNLIKE_PRINTED = {("nursery", 8): 7912.1}  # people in leaves of one class, where the paper prints 7912.7


@pytest.mark.parametrize("name", PRINTED_ID3)
@pytest.mark.usefixtures("datasets")
def test_id3_is_as_accurate_as_the_paper_prints(name: str) -> None:
    accuracy, _ = measured(TABLES[name](), plain_learner(ID3Classifier, "faithful"), 1, 1)
    assert accuracy == pytest.approx(PRINTED_ID3[name], abs=0.006)


@pytest.mark.parametrize("epsilon", REFERENCE)
@pytest.mark.usefixtures("datasets")
def test_private_rdt_on_nursery_is_as_accurate_as_in_an_earlier_run_of_ours(epsilon: str | None) -> None:
    table = TABLES["nursery"]()
    family = rdt("nursery", table, HUGE if epsilon is None else Fraction(epsilon))
    learner = family_learner(family, NoNoise if epsilon is None else SeededNoise)
    assert measured(table, learner, 2, 2)[0] == pytest.approx(REFERENCE[epsilon], abs=MARGIN)


@pytest.mark.parametrize("batches", REFERENCE_IN_BATCHES)
@pytest.mark.usefixtures("datasets")
def test_updates_cost_the_accuracy_that_they_did_in_an_earlier_run_of_ours(batches: int) -> None:
    table = TABLES["nursery"]()
    learner = in_batches(rdt("nursery", table, Fraction(1, 2)), batches)
    assert measured(table, learner, 3, 4)[0] == pytest.approx(REFERENCE_IN_BATCHES[batches], abs=2 * MARGIN)


@pytest.mark.parametrize("name", ["nursery", "mushroom"])
@pytest.mark.usefixtures("datasets")
def test_plain_trees_give_away_what_waseda_print_but_for_one_digit(name: str) -> None:
    features, labels = tables()[name]
    for depth, printed in zip(PRINTED_DEPTHS, PRINTED[name], strict=True):
        accuracy, people, leaves = as_printed(features, labels, depth)
        assert accuracy == pytest.approx(printed[0], abs=0.0006)
        assert people == pytest.approx(UNLIKE_PRINTED.get((name, depth), printed[1]), abs=0.05)
        assert leaves == pytest.approx(printed[2], abs=0.05)


def test_a_tree_without_limit_gives_everybody_on_mushroom_away(datasets: Path) -> None:
    assert datasets
    accuracy, told = grown(*tables()["mushroom"], None, 0)
    assert accuracy == 1
    assert told.homogeneous_people == told.homogeneous_leaves == 1
    assert told.people == 6499
