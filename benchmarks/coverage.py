"""How often a 95 % interval holds the truth: every measure and supports, over fresh samples disguised afresh.

    python -m benchmarks.coverage            # six settings, 1,000 disguises each: some ten minutes
    python -m benchmarks.coverage --quick    # 100 disguises each: under a minute

Each repetition draws respondents from a large made-up population and disguises them; the truth is the population's.
For out-of-bag accuracy each repetition (500, of the quick run 10) grows a robust forest on them, with its own truth:
how often it is right about the population.
A right interval is seen to cover 95 % with a standard error of 0.7 % in 1,000 repetitions, of 2.2 % in 100.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from collector.survey import Survey
from collector.survey_file import parse_survey
from miner.estimate import Estimate, estimate
from miner.evaluate.measures import evaluate
from miner.forest.classifier import ForestClassifier
from miner.responses import Responses, Values, codes_of_values
from miner.simulation import simulate

FRESH = 100  # seeds that nothing in the miner was fitted with
POPULATION = 400_000
QUESTIONS = 5  # besides the class
TOLD = 0.4  # how often an answer is what the class says


@dataclass(frozen=True)
class Setting:
    """How a survey is disguised, and how many answer it.

    Attributes:
        groups: Into which the questions and the class are dealt in turn.
        truth: Truth probability of every group.
        channel: Of every group; "both" for one after the other.
        n: Respondents.
    """

    groups: int
    truth: str
    channel: str
    n: int


SETTINGS = (
    Setting(1, "9/10", "complement", 200),
    Setting(1, "3/5", "complement", 2000),
    Setting(3, "4/5", "complement", 600),
    Setting(2, "3/10", "complement", 1000),
    Setting(6, "3/4", "uniform", 500),
    Setting(4, "4/5", "both", 1000),
)


def survey_of(setting: Setting) -> Survey:
    """Five choices of three values and a class of two."""
    lines = ['name = "made_up"', 'title = "Made up"', 'languages = ["en"]']
    for number in range(QUESTIONS + 1):
        values = '["a", "b"]' if number == QUESTIONS else '["a", "b", "c"]'
        lines += ["[[questions]]", f'name = "q{number}"', 'label = "Q?"', 'kind = "choice"', f"values = {values}"]
        lines.append(f'group = "g{number % setting.groups}"')
    lines.append("[groups]")
    for number in range(setting.groups):
        both = ("complement", "uniform")[number % 2]
        channel = both if setting.channel == "both" else setting.channel
        lines.append(f'g{number} = {{ truth = "{setting.truth}", channel = "{channel}" }}')
    return parse_survey("\n".join(lines))


def population(rng: np.random.Generator) -> Values:
    """True values: a third have class a; each question says something about the class."""
    classes = (rng.random(POPULATION) < 2 / 3).astype(np.int16)
    told = rng.random((QUESTIONS, POPULATION)) < TOLD
    columns = [np.where(each, classes, rng.integers(3, size=POPULATION)) for each in told]
    return np.stack([*columns, classes], axis=1).astype(np.int16)


def scores(rows: Values) -> NDArray[np.float64]:
    """The classifier: the more answers say b, the likelier class b."""
    votes = (rows[:, :QUESTIONS] == 1).sum(axis=1) - (rows[:, :QUESTIONS] == 0).sum(axis=1)
    share = 1 / (1 + np.exp(-0.8 * votes - 0.3))
    return np.stack([1 - share, share], axis=1)


def true_measures(people: Values) -> dict[str, float]:
    """Every measure of the classifier, and a support, among all."""
    shares, classes = scores(people), people[:, QUESTIONS]
    predicted = shares.argmax(axis=1)
    return {
        "accuracy": float((predicted == classes).mean()),
        "auc": float(roc_auc_score(classes, shares[:, 1])),
        "support": float((people[:, [0, 1, QUESTIONS]] == 1).all(axis=1).mean()),
        "log loss": float(-np.log(shares[np.arange(len(people)), classes]).mean()),
        "Brier score": float(((shares[:, 0] - (classes == 0)) ** 2).mean()),
        "precision of a": float((classes == 0)[predicted == 0].mean()),
        "recall of a": float((predicted == 0)[classes == 0].mean()),
    }


def estimated_measures(sent: Responses, rng: np.random.Generator) -> dict[str, Estimate | None]:
    """The same from disguised responses."""
    target = f"q{QUESTIONS}"
    event = {name: codes_of_values(sent.survey.question(name), {1}) for name in ("q0", "q1", target)}
    found = evaluate(sent, scores, target, rng=rng)
    return {
        "accuracy": found.accuracy,
        "auc": found.auc,
        "support": estimate(sent, event),
        "log loss": found.log_loss,
        "Brier score": found.brier,
        "precision of a": found.precision["a"],
        "recall of a": found.recall["a"],
    }


def measured(setting: Setting, repetitions: int, seed: int) -> dict[str, Any]:
    """How often each interval held the truth, and how often there was none, what it divides by being lost in noise."""
    rng = np.random.default_rng(seed)
    survey, people = survey_of(setting), population(rng)
    truth = true_measures(people)
    held, without = dict.fromkeys(truth, 0), dict.fromkeys(truth, 0)
    for _ in range(repetitions):
        sent = simulate(survey, people[rng.integers(len(people), size=setting.n)], rng)
        for name, found in estimated_measures(sent, rng).items():
            if found is None or found.interval is None:
                without[name] += 1
            else:
                held[name] += found.interval[0] <= truth[name] <= found.interval[1]
    covered = {name: count / max(1, repetitions - without[name]) for name, count in held.items()}
    lost = {name: count / repetitions for name, count in without.items()}
    return {**asdict(setting), "repetitions": repetitions, "true": truth, "covered": covered, "without_interval": lost}


def out_of_bag(setting: Setting, repetitions: int, seed: int) -> dict[str, Any]:
    """How often the interval of the out-of-bag accuracy held the forest's own true accuracy."""
    rng = np.random.default_rng(seed)
    survey, people = survey_of(setting), population(rng)
    rows, frequency = np.unique(people, axis=0, return_counts=True)
    held, gaps = 0, []
    for repetition in range(repetitions):
        sent = simulate(survey, people[rng.integers(len(people), size=setting.n)], rng)
        model = ForestClassifier(survey, f"q{QUESTIONS}", mode="robust", oob_score=True, random_state=repetition)
        found = model.fit(sent.frame).oob_estimate_
        truth = frequency @ (model.probabilities(rows).argmax(axis=1) == rows[:, QUESTIONS]) / len(people)
        gaps.append(found.estimate - truth)
        held += found.interval is not None and bool(found.interval[0] <= truth <= found.interval[1])
    error = float(np.std(gaps) / np.sqrt(repetitions))
    return {"repetitions": repetitions, "covered": held / repetitions, "bias": float(np.mean(gaps)), "error": error}


@click.command()
@click.option("--quick", is_flag=True, help="100 disguises in place of 1,000.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def main(*, quick: bool, as_json: bool) -> None:
    """Measure how often 95 % intervals hold the truth."""
    times, forests = (100, 10) if quick else (1000, 500)
    results = [
        measured(setting, times, seed) | {"out_of_bag": out_of_bag(setting, forests, FRESH + seed)}
        for seed, setting in enumerate(SETTINGS, start=1)
    ]
    if as_json:
        click.echo(json.dumps(results, indent=2))
        return
    for result in results:
        covered = "  ".join(f"{name} {share:.3f}" for name, share in result["covered"].items())
        click.echo(f"{result['groups']} {result['channel']} groups at {result['truth']}, n {result['n']}: {covered}")
        judged = result["out_of_bag"]
        click.echo(f"  out-of-bag {judged['covered']:.3f} in {judged['repetitions']} (bias {judged['bias']:+.4f})")


if __name__ == "__main__":
    main()
