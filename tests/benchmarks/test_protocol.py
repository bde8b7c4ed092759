"""The protocol of the accuracy benchmarks: theta and its mirror, direct encoding, runs on file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.data.coded import Table, bit_survey
from benchmarks.du_zhan import MIRRORED, TRUTHS, cells, plan, with_mirrors
from benchmarks.learning import runs as files
from benchmarks.learning.protocol import KINDS, LEARNERS, Cell, Contest, disguised_split
from benchmarks.learning.runs import Runs, behind_best
from benchmarks.local_privacy.uniform import Split, ValueTable, dealt, direct_encoding_gap, survey_of, truth_of
from miner.responses.responses import Responses


@pytest.fixture
def table() -> Table:
    """Six bits that follow one hidden bit, and the hidden bit as the class."""
    generator = np.random.default_rng(1)
    hidden = generator.integers(0, 2, (300, 1))
    bits = (hidden ^ (generator.random((300, 6)) < 0.2)).astype(np.int16)
    return Table("made-up", bits, hidden[:, 0].astype(np.int16))


@pytest.fixture
def nominal() -> ValueTable:
    """Three questions of two, three and four values."""
    generator = np.random.default_rng(2)
    values = np.stack([generator.integers(0, kinds, 600) for kinds in (3, 4, 2)], axis=1).astype(np.int16)
    return ValueTable("made_up", values, (3, 4, 2), (False, False, False))


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("mode", ["faithful", "robust"])
def test_one_minus_theta_with_every_code_complemented_gives_the_same_model(table: Table, kind: str, mode: str) -> None:
    home, chances = np.array([0, 1, 0, 1, 0, 1, 0]), {"mode": mode, "random_state": 3}
    if kind == "forest":
        chances["bootstrap"] = False  # it draws the same numbers, but not of the same responses
    above, below = (bit_survey(table, home, truth) for truth in ("7/10", "3/10"))
    sent, test = disguised_split(table, Cell("7/10", 2), 0)
    both = Responses(above, sent.codes), Responses(below, 1 - sent.codes)
    found = [KINDS[kind](each.survey).set_params(**chances).fit(each.frame).probabilities(test) for each in both]
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)


def test_every_theta_of_the_paper_is_run_or_mirrored() -> None:
    assert len({*TRUTHS, *MIRRORED.values()}) == 13


def test_a_learner_that_waits_for_advice_scores_as_the_mode_that_is_taken(table: Table) -> None:
    contest = Contest(*disguised_split(table, Cell("4/5", 2), 0), 0)
    auto = contest.scores("id3 auto")
    assert auto[2] in {"robust", "latent"}
    assert auto == contest.scores(f"id3 {auto[2]}")


def test_runs_are_taken_up_where_they_were_left(table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "RAW", tmp_path)
    asked = []

    def disguised(cell: Cell, repetition: int) -> tuple[Responses, np.ndarray[tuple[int, ...], np.dtype[np.int16]]]:
        asked.append(repetition)
        return disguised_split(table, cell, repetition)

    learners = LEARNERS[1:3]
    assert len(Runs("some").add(table.name, Cell("4/5", 2), learners[:1], 0, disguised)) == 1
    again = Runs("some")
    assert [run.learner for run in again.add(table.name, Cell("4/5", 2), learners, 0, disguised)] == [learners[1]]
    assert Runs("some").add(table.name, Cell("4/5", 2), learners, 0, disguised) == []
    assert asked == [0, 0]
    again.add(table.name, Cell("4/5", 2), learners, 1, disguised)
    summary = with_mirrors(Runs("some").summary())
    assert summary["repetitions"].tolist() == [2] * 4
    assert summary["copy_of"].tolist() == ["", "", "4/5", "4/5"]


def test_the_default_mode_is_compared_with_the_best_on_the_same_repetitions() -> None:
    scores = {"faithful": (0.7, 0.8), "robust": (0.9, 0.8), "latent": (0.6, 0.8), "auto": (0.85, 0.8)}
    design = ("some", "complement", "4/5", 3, True)
    rows = [
        (*design, f"id3 {mode}", repetition, accuracy)
        for mode, both in scores.items()
        for repetition, accuracy in enumerate(both)
    ]
    rows += [(*design, "id3 robust", 2, 1.0), (*design, "forest auto", 0, 0.5)]
    (found,) = behind_best(pd.DataFrame(rows, columns=[*files.KEY, "repetition", "accuracy"])).itertuples()
    assert (found.learner, found.best_mode) == ("id3 auto", "robust")
    assert found.behind == pytest.approx(0.025)
    assert found.behind_error == pytest.approx(0.025)


def test_every_repetition_of_every_design_is_planned_once_and_in_turn(table: Table) -> None:
    order = [(cell, repetition) for _, cell, repetition in plan([replace(table, name="adult-14")])]
    assert order == [(cell, repetition) for repetition in range(50) for cell in cells(TRUTHS)]


def test_marginals_are_those_of_direct_encoding(nominal: ValueTable) -> None:
    for epsilon in ("1/2", "4"):
        responses, _ = Split(nominal)(Cell(f"epsilon {epsilon}", 0, channel="uniform"), 0)
        assert direct_encoding_gap(responses) < 1e-12


def test_a_deal_disguises_two_thirds_of_the_rows_and_keeps_the_others(nominal: ValueTable) -> None:
    deal = dealt(nominal, survey_of(nominal, "20"), np.random.default_rng(4))

    assert len(deal.rows) == 400
    both = np.concatenate([deal.rows, deal.test])
    assert not np.array_equal(both, nominal.values)
    np.testing.assert_array_equal(sorted(map(tuple, both)), sorted(map(tuple, nominal.values)))
    np.testing.assert_array_equal(deal.responses.codes, deal.rows)  # an epsilon of 20 is rounded to no lies


def test_marginals_are_those_of_pure_ldp(nominal: ValueTable) -> None:
    encoding = pytest.importorskip("pure_ldp.frequency_oracles.direct_encoding")
    responses, _ = Split(nominal)(Cell("epsilon 1", 0, channel="uniform"), 0)
    for column, kinds in enumerate(nominal.kinds):
        theta = float(truth_of("1", kinds))
        server = encoding.DEServer(np.log(1 + theta * kinds / (1 - theta)), kinds, index_mapper=lambda code: code)
        for code in responses.codes[:, column].tolist():
            server.aggregate(code)
        shares = [server.estimate(value, suppress_warnings=True) / len(responses) for value in range(kinds)]
        sent = np.bincount(responses.codes[:, column], minlength=kinds) / len(responses)
        ours = (sent - (1 - theta) / kinds) / theta
        np.testing.assert_allclose(shares, ours, atol=1e-12)
