"""How often a 95 % interval holds the truth: every measure and supports, over fresh samples disguised afresh.

    python -m benchmarks.calibration.coverage            # six settings, 500 disguises each: some ten minutes
    python -m benchmarks.calibration.coverage --real     # six others, of real tables
    python -m benchmarks.calibration.coverage --new      # six more, with which nothing was chosen
    python -m benchmarks.calibration.coverage --few      # seven, where many answer alike or trees are few
    python -m benchmarks.calibration.coverage --quick    # 100 disguises each: under a minute

Each repetition draws respondents from a population and disguises them; the truth is the population's. It is made up and
large, or a real table, from which respondents are drawn with replacement.
For out-of-bag accuracy each repetition (of the quick run 10) grows a robust forest and the second one that is tested,
with its own truth: how often that one is right about the population.
A right interval is seen to cover 95 % with a standard error of 1.0 % in 500 repetitions, of 2.2 % in 100.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from benchmarks.data.coded import Table, adult_14, breast_cancer, votes
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.estimates.estimate import estimate
from miner.evaluation.measures import evaluate
from miner.figures.estimate import Estimate
from miner.learners.forest import ForestClassifier
from miner.responses.responses import Responses, Values, codes_of_values
from miner.simulation.simulation import simulate

FRESH = 20_260  # from here on no seed was used while intervals were devised
POPULATION = 400_000
QUESTIONS = 5  # besides the class
TOLD = 0.4  # how often an answer is what the class says
MADE_UP = "made up"
FEW_KINDS = "few kinds of people"
CELLS = 4  # questions of two values, besides the class: 16 kinds
CELLS_TOLD = 0.3
QUICK = (100, 10)  # disguises and forests of the quick run
COMMON = 0.6
KINDS = (3,) * QUESTIONS + (2,)  # values of each made-up question, and of the class
TABLES: dict[str, Callable[[], Table]] = {"votes": votes, "adult-14": adult_14, "breast-cancer": breast_cancer}


@dataclass(frozen=True)
class Setting:
    """How a survey is disguised, and how many answer it.

    Attributes:
        groups: Into which the questions and the class are dealt in turn.
        truth: Truth probability of every group.
        channel: Channel of every group; "both" for one after the other.
        n: Respondents.
        data: The population: made up, or the name of a real table.
        trees: Trees of the forest.
    """

    groups: int
    truth: str
    channel: str
    n: int
    data: str = MADE_UP
    trees: int = 100


SETTINGS = (
    Setting(1, "9/10", "complement", 200),
    Setting(1, "3/5", "complement", 2000),
    Setting(3, "4/5", "complement", 600),
    Setting(2, "3/10", "complement", 1000),
    Setting(6, "3/4", "uniform", 500),
    Setting(4, "4/5", "both", 1000),
)


REAL_SETTINGS = (
    Setting(2, "7/10", "complement", 290, "votes"),
    Setting(3, "7/10", "complement", 1500, "adult-14"),
    Setting(1, "3/4", "complement", 500, "adult-14"),
    Setting(2, "17/20", "complement", 460, "breast-cancer"),
    Setting(5, "9/10", "uniform", 800, "adult-14"),
    Setting(3, "17/20", "both", 400, "votes"),
)
NEW_SETTINGS = (
    Setting(2, "13/20", "complement", 3000, "adult-14"),
    Setting(1, "4/5", "complement", 250, "votes"),
    Setting(3, "4/5", "complement", 600, "breast-cancer"),
    Setting(1, "9/10", "complement", 400, "adult-14"),
    Setting(3, "3/4", "uniform", 800),
    Setting(2, "4/5", "both", 600, "breast-cancer"),
)


FEW_SETTINGS = (
    Setting(1, "3/4", "complement", 3000),
    Setting(1, "3/4", "complement", 1000, FEW_KINDS, 30),
    Setting(1, "3/4", "complement", 3000, FEW_KINDS, 30),
    Setting(1, "3/4", "complement", 1000, FEW_KINDS),
    Setting(1, "3/4", "complement", 3000, FEW_KINDS),
    Setting(1, "3/4", "uniform", 1000, FEW_KINDS, 30),
    Setting(1, "3/4", "uniform", 3000, FEW_KINDS, 30),
)


class Source(NamedTuple):
    """Where respondents come from.

    Attributes:
        people: True values, the class last.
        kinds: How many values each question has.
        scores: The classifier that is measured: from rows to class shares.
    """

    people: Values
    kinds: tuple[int, ...]
    scores: Callable[[Values], NDArray[np.float64]]


def source_of(setting: Setting, rng: np.random.Generator) -> Source:
    """The setting's population."""
    if setting.data == MADE_UP:
        return Source(population(rng), KINDS, scores)
    people = few_kinds(rng) if setting.data == FEW_KINDS else TABLES[setting.data]().values
    return Source(people, (2,) * people.shape[1], naive_bayes(people))


def naive_bayes(people: Values) -> Callable[[Values], NDArray[np.float64]]:
    """The classifier of a table of bits: naive Bayes of the table itself."""
    classes = people[:, -1]
    ones = np.stack([(people[classes == cls, :-1].sum(axis=0) + 1) / ((classes == cls).sum() + 2) for cls in (0, 1)])
    base = np.log(ones[1] / ones[0]), np.log((1 - ones[1]) / (1 - ones[0]))

    def shares(rows: Values) -> NDArray[np.float64]:
        odds = np.where(rows[:, :-1] == 1, *base).sum(axis=1) + np.log(classes.mean() / (1 - classes.mean()))
        share = 1 / (1 + np.exp(-odds))
        return np.stack([1 - share, share], axis=1)

    return shares


def survey_of(setting: Setting, kinds: tuple[int, ...] = KINDS) -> Survey:
    """Choices of so many values each, the class last."""
    lines = ['name = "made_up"', 'title = "Made up"', 'languages = ["en"]']
    for number, count in enumerate(kinds):
        lines += ["[[questions]]", f'name = "q{number}"', 'label = "Q?"', 'kind = "choice"']
        lines += [f"values = {list('abc'[:count])}", f'group = "g{number % setting.groups}"']
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


def few_kinds(rng: np.random.Generator) -> Values:
    """True values of people of whom many answer alike: 16 kinds, each in one class or the other."""
    classes = (rng.random(POPULATION) < COMMON).astype(np.int16)
    told = rng.random((CELLS, POPULATION)) < CELLS_TOLD
    columns = [np.where(each, classes, rng.integers(2, size=POPULATION)) for each in told]
    return np.stack([*columns, classes], axis=1).astype(np.int16)


def scores(rows: Values) -> NDArray[np.float64]:
    """The classifier: the more answers say b, the likelier class b."""
    votes = (rows[:, :QUESTIONS] == 1).sum(axis=1) - (rows[:, :QUESTIONS] == 0).sum(axis=1)
    share = 1 / (1 + np.exp(-0.8 * votes - 0.3))
    return np.stack([1 - share, share], axis=1)


def true_measures(source: Source) -> dict[str, float]:
    """Every measure of the classifier, and a support, among all."""
    people = source.people
    shares, classes = source.scores(people), people[:, -1]
    predicted = shares.argmax(axis=1)
    return {
        "accuracy": float((predicted == classes).mean()),
        "auc": float(roc_auc_score(classes, shares[:, 1])),
        "support": float((people[:, [0, 1, -1]] == 1).all(axis=1).mean()),
        "log loss": float(-np.log(shares[np.arange(len(people)), classes]).mean()),
        "Brier score": float(((shares[:, 0] - (classes == 0)) ** 2).mean()),
        "precision of a": float((classes == 0)[predicted == 0].mean()),
        "recall of a": float((predicted == 0)[classes == 0].mean()),
    }


def estimated_measures(sent: Responses, source: Source, rng: np.random.Generator) -> dict[str, Estimate | None]:
    """The same from disguised responses."""
    target = sent.survey.questions[-1].name
    event = {name: codes_of_values(sent.survey.question(name), {1}) for name in ("q0", "q1", target)}
    found = evaluate(sent, source.scores, target, rng=rng)
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
    source = source_of(setting, rng)
    survey, people, truth = survey_of(setting, source.kinds), source.people, true_measures(source)
    held, without = dict.fromkeys(truth, 0), dict.fromkeys(truth, 0)
    for _ in range(repetitions):
        sent = simulate(survey, people[rng.integers(len(people), size=setting.n)], rng)
        for name, found in estimated_measures(sent, source, rng).items():
            if found is None or found.interval is None:
                without[name] += 1
            else:
                held[name] += found.interval[0] <= truth[name] <= found.interval[1]
    covered = {name: count / max(1, repetitions - without[name]) for name, count in held.items()}
    lost = {name: count / repetitions for name, count in without.items()}
    return {**asdict(setting), "repetitions": repetitions, "true": truth, "covered": covered, "without_interval": lost}


def out_of_bag(setting: Setting, repetitions: int, seed: int) -> dict[str, Any]:
    """How often the interval of the out-of-bag accuracy held the true one of the forest that was tested."""
    rng = np.random.default_rng(seed)
    source = source_of(setting, rng)
    survey, people = survey_of(setting, source.kinds), source.people
    rows, frequency = np.unique(people, axis=0, return_counts=True)
    held, gaps, variances = 0, [], []
    for repetition in range(repetitions):
        sent = simulate(survey, people[rng.integers(len(people), size=setting.n)], rng)
        model = ForestClassifier(
            survey,
            survey.questions[-1].name,
            mode="robust",
            n_estimators=setting.trees,
            oob_score=True,
            random_state=seed + repetition,
        )
        found = model.fit(sent.frame).oob_estimate_
        truth = frequency @ (model.oob_model_.probabilities(rows).argmax(axis=1) == rows[:, -1]) / len(people)
        gaps.append(found.estimate - truth)
        variances.append((found.standard_error or 0.0) ** 2)
        held += found.interval is not None and bool(found.interval[0] <= truth <= found.interval[1])
    return {
        "repetitions": repetitions,
        "covered": held / repetitions,
        "bias": float(np.mean(gaps)),
        "error": float(np.std(gaps) / np.sqrt(repetitions)),
        "squared_gap_in_variances": float(np.mean(np.square(gaps)) / np.mean(variances)),
    }


@click.command()
@click.option("--quick", is_flag=True, help="100 disguises in place of 500.")
@click.option("--real", is_flag=True, help="Six other settings, of real tables.")
@click.option("--new", is_flag=True, help="Six more, with which nothing was chosen.")
@click.option("--few", is_flag=True, help="Seven in which many answer alike or trees are few.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def main(*, quick: bool, real: bool, new: bool, few: bool, as_json: bool) -> None:
    """Measure how often 95 % intervals hold the truth."""
    times, forests = QUICK if quick else (500, 500)
    settings = FEW_SETTINGS if few else NEW_SETTINGS if new else REAL_SETTINGS if real else SETTINGS
    results = [
        measured(setting, times, FRESH + seed) | {"out_of_bag": out_of_bag(setting, forests, 2 * FRESH + seed)}
        for seed, setting in enumerate(settings, start=1)
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
