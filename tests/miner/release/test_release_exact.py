"""Differential privacy, exactly: every data set of at most three records, and noise that is enumerated."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from collector.ledger.budget import Cost
from enumerated_noise import EnumeratedNoise, outcomes, worst_ratio
from miner.release.families import methods as families
from miner.release.families.diffpid3 import DiffPID3
from miner.release.families.dpdf import DPDF, PublishedDPDF
from miner.release.families.greedy import GreedyTree
from miner.release.families.k_anonymous_rdt import KAnonymousRDT
from miner.release.families.naive_bayes import NaiveBayes
from miner.release.families.private_rdt import PrivateRDT, VerticalRDT, bare
from miner.release.families.sum_queries import SumQueriesID3
from miner.release.family import COUNTING, ReleaseMethod
from release_audit import Rows, data_sets, exact_epsilon, neighbours, table_of, transcript_epsilon
from soak import some_of

ONE = Fraction(1)
ROUNDING = 1e-9
TIGHT = 0.9
LIMIT = 1.01  # beyond rounding; every family here has epsilon 1
SMALL: dict[str, tuple[ReleaseMethod, int]] = {
    "naive-bayes": (NaiveBayes(ONE, 3), 2),
    "ours, scores": (GreedyTree(ONE, 3, form="scores"), 2),
    "private-rdt": (PrivateRDT(ONE, 3, trees=1, depth=1), 2),
    "private-rdt-improved": (PrivateRDT(ONE, 3, trees=1, depth=1, improved=True), 2),
}
"""Families small enough to enumerate all outputs, and how many questions, the class among them, their data have."""
LARGER: dict[str, tuple[ReleaseMethod, int]] = {
    "ours, max": (GreedyTree(ONE, 3, form="tree", splits="multiway", score="max", depth=1), 3),
    "ours, gini": (GreedyTree(ONE, 3, form="tree", splits="binary", score="gini", depth=2), 3),
    "ours, scores": (GreedyTree(ONE, 3, form="scores"), 3),
    "ours, mixture": (GreedyTree(ONE, 3, form="mixture", splits="multiway", score="max", depth=1), 3),
    "dp-id3": (SumQueriesID3(ONE, 3), 2),
    "diffpid3-max": (DiffPID3(ONE, 3, score="max", depth=2), 3),
    "diffpid3-gini": (DiffPID3(ONE, 3, score="gini", depth=2), 3),
    "diffpid3-gain": (DiffPID3(ONE, 3, score="gain", depth=2), 3),
    "dpdf": (DPDF(ONE, 3, trees=2, levels=2, least=0), 3),
    "private-rdt": (PrivateRDT(ONE, 3, trees=3, depth=2), 3),
    "vertical": (VerticalRDT(ONE, 3, trees=2, depth=1, parties=(("q0",), ("q1",))), 3),
    "naive-bayes": (NaiveBayes(ONE, 3), 3),
}
"""Families whose transcripts are too many to enumerate: random ones, each with its exact ratio."""


def batches_tell(disjoint: bool) -> float:  # noqa: FBT001 - one of two cases
    """The worst log-ratio of what two batches tell: of the same table, or of two of which one never changes."""
    family, questions = PrivateRDT(ONE, 3, trees=1, depth=1), 2

    def told(rows: Rows, noise: EnumeratedNoise) -> str:
        table = table_of(rows, questions)
        first = family.fit(table, noise, np.random.default_rng(1))
        later = table_of(((0, 1), (1, 1)), questions) if disjoint else table
        second = family.counted([bare(tree) for tree in first.trees], later, noise)
        return json.dumps(family.merged([first, second], [1, 1]).learnt)

    found = {rows: outcomes(partial(told, rows)) for rows in data_sets(questions, 2)}
    return max(worst_ratio(found[fewer], found[more]) for fewer, more in neighbours(questions, 2))


def test_a_batch_of_the_same_table_costs_its_epsilon_again_and_a_disjoint_one_does_not() -> None:
    assert 2 * TIGHT <= batches_tell(disjoint=False) <= 2 + ROUNDING
    assert TIGHT <= batches_tell(disjoint=True) <= 1 + ROUNDING


def test_the_number_of_records_is_paid_for_with_a_part_of_epsilon() -> None:
    family = families.family("naive-bayes", ONE, None)
    assert family.statement(table_of((), 2).survey, "q1").adding == Cost(ONE)

    def told(rows: Rows, noise: EnumeratedNoise) -> str:
        sized = family.with_size_of(table_of(rows, 2), noise)
        return json.dumps([sized.size, sized.fit(table_of(rows, 2), noise, np.random.default_rng(1)).learnt])

    found = {rows: outcomes(partial(told, rows)) for rows in data_sets(2, 2)}
    worst = max(worst_ratio(found[fewer], found[more]) for fewer, more in neighbours(2, 2))
    assert 1 - float(COUNTING) + ROUNDING < worst <= 1 + ROUNDING


# A single question leaves nothing to choose: what is spent on choosing is not seen here, and the bound is not tight.
CHOOSING: dict[str, tuple[ReleaseMethod, int]] = {
    "diffpid3": (DiffPID3(ONE, 3, depth=1), 2),
    "dpdf": (DPDF(ONE, 3, trees=1, levels=2, least=0), 2),
}


@pytest.mark.parametrize("name", CHOOSING)
def test_no_output_tells_neighbours_apart_by_more_than_epsilon(name: str) -> None:
    family, questions = CHOOSING[name]
    assert exact_epsilon(family, questions) <= 1 + ROUNDING
    assert exact_epsilon(family, questions, "empty") > LIMIT


@pytest.mark.parametrize("name", SMALL)
def test_no_output_tells_neighbours_apart_by_more_than_epsilon_and_some_by_as_much(name: str) -> None:
    family, questions = SMALL[name]
    found = exact_epsilon(family, questions)
    assert found <= float(family.epsilon) + ROUNDING
    assert found >= TIGHT * float(family.epsilon)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("plant", ["empty", "half"])
def test_planted_bugs_in_the_noise_are_caught(name: str, plant: str) -> None:
    family, questions = SMALL[name]
    assert exact_epsilon(family, questions, plant) > LIMIT


@pytest.mark.parametrize("name", some_of(LARGER, ("ours, max", "ours, scores", "dp-id3", "dpdf", "vertical")))
def test_no_transcript_costs_more_than_what_is_charged(name: str) -> None:
    family, questions = LARGER[name]
    guarantee = family.guarantee
    assert guarantee is not None
    assert transcript_epsilon(family, questions) <= float(guarantee.epsilon) + ROUNDING


@pytest.mark.parametrize(
    "name", ["ours, max", "ours, gini", "ours, mixture", "diffpid3-max", "diffpid3-gini", "diffpid3-gain", "dpdf"]
)
def test_selections_for_too_much_are_caught(name: str) -> None:
    family, questions = LARGER[name]
    assert transcript_epsilon(family, questions, 8, "eager", LIMIT) > LIMIT


@pytest.mark.parametrize("name", ["dp-id3", "ours, max"])
def test_epsilon_is_used_up_and_noise_for_half_the_sensitivity_is_caught(name: str) -> None:
    family, questions = LARGER[name]
    assert transcript_epsilon(family, questions, 8, enough=TIGHT) > TIGHT
    assert transcript_epsilon(family, questions, 8, "half", LIMIT) > LIMIT


def test_a_mixture_with_noise_for_half_the_sensitivity_is_caught() -> None:
    family, questions = LARGER["ours, mixture"]
    assert transcript_epsilon(family, questions, 8, "half", LIMIT) > LIMIT


def test_vertical_parties_cost_epsilon_each() -> None:
    family, questions = LARGER["vertical"]
    assert transcript_epsilon(family, questions, 8, enough=1.5) > 1.5  # one epsilon, as the paper says, would be wrong


def test_the_published_dpdf_exceeds_what_it_claims() -> None:
    published = PublishedDPDF(ONE, 3, trees=1, levels=2, least=0)
    assert published.guarantee is None
    assert transcript_epsilon(published, 3, 8, enough=1.5) > 1.5


@pytest.mark.parametrize(("k", "beta"), [(1, Fraction(1, 5)), (2, Fraction(2, 5)), (3, Fraction(1, 2))])
def test_a_sampled_threshold_gives_its_exact_delta_and_no_less(k: int, beta: Fraction) -> None:
    family = KAnonymousRDT(ONE, 3, delta=Fraction(99, 100), trees=1, k=k, beta=beta, depth=1)
    delta = family.cell.exact_delta(1.0)
    assert exact_epsilon(family, 2, delta=delta) <= 1 + ROUNDING


@pytest.mark.parametrize(("k", "beta"), [(1, Fraction(1, 5)), (2, Fraction(2, 5)), (3, Fraction(1, 2))])
def test_too_large_a_sample_is_caught(k: int, beta: Fraction) -> None:
    family = KAnonymousRDT(ONE, 3, delta=Fraction(99, 100), trees=1, k=k, beta=beta, depth=1)
    assert exact_epsilon(family, 2, "more", delta=family.cell.exact_delta(1.0)) > LIMIT


@pytest.mark.parametrize(("k", "beta"), [(2, Fraction(2, 5)), (3, Fraction(1, 2))])
def test_too_low_a_threshold_is_caught(k: int, beta: Fraction) -> None:
    sound, low = (
        KAnonymousRDT(ONE, 3, delta=Fraction(99, 100), trees=1, k=each, beta=beta, depth=1) for each in (k, k - 1)
    )
    assert exact_epsilon(low, 2, delta=sound.cell.exact_delta(1.0)) > LIMIT
