"""Importances with uncertainty: how often permutation intervals hold the truth, and what a forest's spread stands for.

    python -m benchmarks.calibration.importances [--quick] [--json]

For each setting of `benchmarks.calibration.coverage`: permutation importances of one classifier on 500 fresh samples,
disguised afresh, against its true importances in the population; and impurity importances of 40 robust forests, each of
a fresh sample: the standard deviation over trees that a forest reports (`feature_importances_std_`), on average,
divided by how much the forests' importances really scatter. Some ten minutes; the quick run takes 20 samples and 4
forests.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.calibration.coverage import QUESTIONS, SETTINGS, Setting, population, scores, survey_of
from miner.evaluation.importances import permutation_importances
from miner.learners.forest import ForestClassifier
from miner.responses.responses import Values
from miner.simulation.simulation import simulate

TARGET = f"q{QUESTIONS}"


def true_importances(people: Values) -> dict[str, float]:
    """How far the classifier's accuracy falls when one question's answers are shuffled among all."""
    rows, frequency = np.unique(people, axis=0, return_counts=True)

    def accuracy(answered: Values) -> float:
        right = scores(answered).argmax(axis=1) == rows[:, QUESTIONS]
        return float(frequency @ right) / len(people)

    falls = {}
    for question in range(QUESTIONS):
        left = 0.0
        for value, count in enumerate(np.bincount(people[:, question])):
            answered = rows.copy()
            answered[:, question] = value
            left += count / len(people) * accuracy(answered)
        falls[f"q{question}"] = accuracy(rows) - left
    return falls


def permutation(setting: Setting, samples: int, seed: int) -> dict[str, Any]:
    """How often each interval held the truth, and the mean of the estimates."""
    rng = np.random.default_rng(seed)
    survey, people = survey_of(setting), population(rng)
    truth = true_importances(people)
    held, sums = dict.fromkeys(truth, 0), dict.fromkeys(truth, 0.0)
    for _ in range(samples):
        sent = simulate(survey, people[rng.integers(len(people), size=setting.n)], rng)
        for name, found in permutation_importances(sent, scores, TARGET, rng=rng).items():
            sums[name] += found.estimate
            held[name] += found.interval is not None and found.interval[0] <= truth[name] <= found.interval[1]
    return {
        "samples": samples,
        "true": truth,
        "mean": {name: each / samples for name, each in sums.items()},
        "covered": {name: count / samples for name, count in held.items()},
    }


def spread(setting: Setting, forests: int, seed: int) -> list[float]:
    """For each question, what forests report as their spread over what they really scatter by."""
    rng = np.random.default_rng(seed)
    survey, people = survey_of(setting), population(rng)
    taken: list[NDArray[np.float64]] = []
    told: list[NDArray[np.float64]] = []
    for number in range(forests):
        sent = simulate(survey, people[rng.integers(len(people), size=setting.n)], rng)
        model = ForestClassifier(survey, TARGET, mode="robust", random_state=number).fit(sent.frame)
        taken.append(model.feature_importances_)
        told.append(model.feature_importances_std_)
    ratios: list[float] = (np.mean(told, axis=0) / np.std(taken, axis=0, ddof=1)).tolist()
    return ratios


QUICK = (20, 4)  # samples and forests of the quick run


@click.command()
@click.option("--quick", is_flag=True, help="20 samples and 4 forests in place of 500 and 40.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def main(*, quick: bool, as_json: bool) -> None:
    """Measure what is said about the uncertainty of importances."""
    samples, forests = QUICK if quick else (500, 40)
    found = [
        asdict(setting) | permutation(setting, samples, seed) | {"spread_ratio": spread(setting, forests, seed)}
        for seed, setting in enumerate(SETTINGS, start=1)
    ]
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    for each in found:
        covered = "  ".join(f"{name} {share:.3f}" for name, share in each["covered"].items())
        ratios = " ".join(f"{ratio:.1f}" for ratio in each["spread_ratio"])
        click.echo(f"{each['groups']} {each['channel']} groups at {each['truth']}, n {each['n']}: {covered}")
        click.echo(f"  spread over trees, in deviations of the forest's importances: {ratios}")


if __name__ == "__main__":
    main()
