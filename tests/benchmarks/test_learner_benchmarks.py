"""The benchmarks of pruning and of importances run, print what they say, and measure the truth rightly."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks.calibration import coverage, importances
from benchmarks.data.coded import Table
from benchmarks.learning import judging, pruning


def test_a_short_run_measures_pruning(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2, (150, 4)).astype(np.int16)
    table = Table("bits", bits, bits[:, 0] | bits[:, 1])
    monkeypatch.setattr(pruning, "votes", lambda: table)
    monkeypatch.setattr(pruning, "CELLS", pruning.CELLS[:1])
    in_words = CliRunner().invoke(pruning.main, ["--quick"])
    assert in_words.exit_code == 0, in_words.output
    assert in_words.stdout.startswith("bits at 9/10, 1 groups, faithful: ")
    found = json.loads(CliRunner().invoke(pruning.main, ["--quick", "--json"]).stdout)
    assert [each["learner"] for each in found] == ["faithful", "faithful, pruned", "robust", "robust, pruned"]
    assert all(0.5 < each["accuracy"] <= 1 for each in found)


def test_a_short_run_measures_importances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importances, "SETTINGS", (coverage.Setting(1, "1", "complement", 60),))
    monkeypatch.setattr(coverage, "POPULATION", 2000)
    monkeypatch.setattr(importances, "QUICK", (5, 2))
    in_words = CliRunner().invoke(importances.main, ["--quick"])
    assert in_words.exit_code == 0, in_words.output
    assert in_words.stdout.startswith("1 complement groups at 1, n 60: q0 ")
    (found,) = json.loads(CliRunner().invoke(importances.main, ["--quick", "--json"]).stdout)
    assert found["samples"] == 5
    assert len(found["spread_ratio"]) == 5


def test_true_importances_are_the_mean_over_shuffles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "POPULATION", 3000)
    rng = np.random.default_rng(2)
    people = coverage.population(rng)
    truth = importances.true_importances(people)
    right = coverage.scores(people).argmax(axis=1) == people[:, coverage.QUESTIONS]
    falls = []
    for _ in range(100):
        shuffled = people.copy()
        rng.shuffle(shuffled[:, 2])
        falls.append(right.mean() - (coverage.scores(shuffled).argmax(axis=1) == people[:, coverage.QUESTIONS]).mean())
    assert truth["q2"] == pytest.approx(np.mean(falls), abs=4 * np.std(falls) / 10)


def test_a_short_run_judges_a_classifier_with_each_distribution_of_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["judging", "--deals", "1", "--people", "400"])
    judging.main()
    lines = capsys.readouterr().out.splitlines()
    found = {
        line.partition("P(x) ")[2].partition(",")[0]: float(line.split("divergence ")[1].split(":")[0])
        for line in lines
    }
    assert list(found) == ["fitted", "independent", "the table's"]
    assert found["the table's"] < min(found["fitted"], found["independent"])
