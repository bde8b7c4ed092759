"""How often a 95 % interval holds the truth where not everybody is asked everything.

    python -m benchmarks.calibration.coverage_sampled      # five split questionnaires, 2000 disguises of each: minutes
    python -m benchmarks.calibration.coverage_sampled --quick  # 30 disguises each
    python -m benchmarks.calibration.coverage_sampled --json

Each repetition draws respondents from a real table with replacement, draws whom to ask what, and disguises their
answers afresh; the truth is the table's. The trees have depth two and were grown on the table itself, undisguised.
A right interval is seen to cover 95 % with a standard error of .5 % in 2000 repetitions.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.data.tables import Table, adult, congressional_votes
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.estimates.comparison import difference
from miner.estimates.crosstab import crosstab
from miner.estimates.estimate import estimate
from miner.estimates.regress import regress
from miner.evaluation.accuracy import tree_accuracy
from miner.figures.estimate import Estimate, Range
from miner.responses.condition import ValueSets, event_of, parse_condition
from miner.responses.responses import Responses, Values, value_indices
from miner.simulation.simulation import simulate
from miner.trees.tree import Tree

REPETITIONS, QUICK = 2000, 30
FIRST_SEED = 2000  # nothing was chosen on the seeds from here on
MOST_VALUES = 8  # of a question that a tree asks
ADULT_LEFT_OUT = ["fnlwgt", "education_num"]
TABLES: dict[str, Callable[[], Table]] = {"votes": congressional_votes, "adult": adult}


@dataclass(frozen=True)
class Setting:
    """A split questionnaire, and how many answer it.

    Attributes:
        words: In words.
        data: Name of the table.
        groups: How many; 0 for one for each question.
        how: How a group is disguised, as in a survey file.
        ask: How many questions, the class always among them.
        n: Respondents.
        conditions: Conditions on one, two and three questions.
        predictor: Predictor of the class, in a logistic regression; None for none, where hardly anybody has some value.
        numbers: The coding of numbers; None if no survey file says one.
    """

    words: str
    data: str
    groups: int
    how: str
    ask: int
    n: int
    conditions: tuple[str, ...]
    predictor: str | None = None
    numbers: str | None = None


ADULT = (
    "marital_status = Married-civ-spouse",
    'sex = Female and income = ">50K"',
    'age >= 37 and sex = Male and income = ">50K"',
)
AGED = (
    "age >= 37",
    'age >= 47 and income = ">50K"',
    'age >= 37 and sex = Male and income = ">50K"',
)
VOTES = (
    "physician_fee_freeze = y",
    "physician_fee_freeze = y and party = republican",
    "crime = y and education_spending = y and party = republican",
)
SETTINGS = (
    Setting("a coin for each question", "adult", 0, 'channel = "uniform", epsilon = 3', 5, 4000, ADULT, "sex"),
    Setting("one coin for all that is asked", "adult", 1, 'channel = "uniform", epsilon = 8', 4, 3000, ADULT, "sex"),
    Setting("three complement groups", "votes", 3, 'truth = "4/5"', 6, 1500, VOTES),
    Setting("a coin for each question, hardly any lies", "votes", 0, 'truth = "19/20"', 7, 800, VOTES),
    Setting("numbers in thresholds", "adult", 0, 'channel = "uniform", epsilon = 1', 6, 20_000, AGED, None, "trend"),
)


class Source(NamedTuple):
    """A population and what is asked of it.

    Attributes:
        survey: The split questionnaire.
        people: True values.
        tree: Whose accuracy is measured.
        truth: True value of every figure.
    """

    survey: Survey
    people: Values
    tree: Tree
    truth: dict[str, float]


@cache
def people_of(name: str) -> tuple[Table, Values, Survey]:
    """A table, its true values, and a survey of it that disguises nothing."""
    table = TABLES[name]()
    table = Table(
        table.name, table.title, table.answers.drop(columns=ADULT_LEFT_OUT, errors="ignore"), table.cuts, table.target
    )
    survey = parse_survey(table.survey_toml([[*table.answers.columns]], "1"))
    return table, value_indices(survey, table.answers), survey


def source_of(setting: Setting) -> Source:
    """The population of a setting."""
    table, people, plain = people_of(setting.data)
    groups = table.dealt(setting.groups or len(table.answers.columns), np.random.default_rng(0))
    text = table.survey_toml(groups, "1/3").replace('truth = "1/3", channel = "complement"', setting.how)
    if setting.numbers:
        text = text.replace('kind = "number"', f'kind = "number"\ncoding = "{setting.numbers}"')
    survey = parse_survey(f'{text}\n[sampling]\nask = {setting.ask}\nalways = ["{table.target}"]\n')
    tree = shallow_tree(people, survey, table.target)
    everybody = Responses(plain, simulate(plain, people, np.random.default_rng(0)).codes)
    return Source(
        survey, people, tree, {name: found.estimate for name, found in figures(everybody, setting, tree).items()}
    )


def shallow_tree(people: Values, survey: Survey, target: str) -> Tree:
    """Two levels that lower the Gini impurity most, at the table itself."""
    column = survey.questions.index(survey.question(target))
    kinds = [len(question.values) for question in survey.questions]
    asked, children, shares = [-1], [[0][:0]], [_shares(people[:, column], kinds[column])]
    waiting = [(0, people, 0)]
    for node, here, depth in waiting:
        open_ = [each for each in range(len(kinds)) if each != column and kinds[each] <= MOST_VALUES]
        scores = [_impurity(here[:, each], here[:, column], kinds[each], kinds[column]) for each in open_]
        best = open_[int(np.argmin(scores))]
        asked[node], first = best, len(asked)
        children[node] = list(range(first, first + kinds[best]))
        for value in range(kinds[best]):
            below = here[here[:, best] == value]
            asked.append(-1)
            children.append([])
            shares.append(_shares(below[:, column], kinds[column]))
            if depth == 0 and len(below):
                waiting.append((first + value, below, 1))
    return Tree.of(asked, children, np.array(shares), np.array(shares))


def _shares(classes: NDArray[np.int16], kinds: int) -> NDArray[np.float64]:
    counts = np.bincount(classes, minlength=kinds) + 1 / kinds
    shares: NDArray[np.float64] = np.asarray(counts / counts.sum(), np.float64)
    return shares


def _impurity(values: NDArray[np.int16], classes: NDArray[np.int16], kinds: int, labels: int) -> float:
    table = np.bincount(values * labels + classes, minlength=kinds * labels).reshape(kinds, labels)
    sizes = np.maximum(table.sum(axis=1), 1)
    return float(len(values) - (table**2 / sizes[:, None]).sum())


def figures(sent: Responses, setting: Setting, tree: Tree) -> dict[str, Estimate]:
    """Every figure, from responses to any survey of the table."""
    survey, target = sent.survey, sent.survey.target or ""
    conditions = [parse_condition(survey, each) for each in setting.conditions]
    found = {each: estimate(sent, event_of(survey, parse_condition(survey, each))) for each in setting.conditions}
    pair = next(name for name in conditions[1] if name != target)
    table = crosstab(sent, pair, target)
    found[f"cell of {pair} by {target}"] = next(iter(table.cells.values()))
    found |= _difference(sent, conditions[1], target)
    if setting.predictor is not None:
        found["coefficient"] = _coefficient(sent, f"{target} ~ {setting.predictor}")
    found["accuracy of the tree"] = tree_accuracy(sent, tree, target)
    return found


def _difference(sent: Responses, condition: ValueSets, target: str) -> dict[str, Estimate]:
    """How much more frequent the class is among those of whom the rest of a condition holds."""
    rest = {name: values for name, values in condition.items() if name != target}
    other = {name: frozenset(range(len(sent.survey.question(name).values))) - values for name, values in rest.items()}
    compared = difference(sent, {target: condition[target]}, rest, other)
    return {} if compared.difference is None else {"difference": compared.difference}


def _coefficient(sent: Responses, formula: str) -> Estimate:
    """The last coefficient of a regression."""
    term = regress(sent, formula).terms[-1]
    return Estimate(term.coefficient, term.standard_error, term.interval, len(sent))


def measured(setting: Setting, repetitions: int, seed: int) -> dict[str, Any]:
    """How often each interval held the truth, and how its errors compare with the deviation there was."""
    source, rng = source_of(setting), np.random.default_rng(seed)
    found: dict[str, list[Estimate]] = {name: [] for name in source.truth}
    for _ in range(repetitions):
        drawn = source.people[rng.integers(len(source.people), size=setting.n)]
        for name, each in figures(simulate(source.survey, drawn, rng), setting, source.tree).items():
            found[name].append(each)
    return {
        "setting": asdict(setting),
        "repetitions": repetitions,
        "figures": {name: _summary(each, source.truth[name]) for name, each in found.items()},
    }


def _summary(found: list[Estimate], truth: float) -> dict[str, float]:
    intervals: list[Range] = [each.interval for each in found if each.interval is not None]
    estimates = np.array([each.estimate for each in found])
    errors = np.array([each.standard_error or 0.0 for each in found])
    return {
        "truth": truth,
        "mean": float(estimates.mean()),
        "deviation": float(estimates.std(ddof=1)),
        "mean_standard_error": float(np.sqrt((errors**2).mean())),
        "covered": float(np.mean([low <= truth <= high for low, high in intervals])),
        "without_interval": len(found) - len(intervals),
    }


@click.command()
@click.option("--quick", is_flag=True, help=f"{QUICK} disguises of each.")
@click.option("--repetitions", type=int, default=REPETITIONS, help="Disguises of each.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def main(*, quick: bool, repetitions: int, as_json: bool) -> None:
    """Measure how often intervals hold the truth under split questionnaires."""
    results = []
    for number, setting in enumerate(SETTINGS):
        results.append(measured(setting, QUICK if quick else repetitions, FIRST_SEED + number))
        if not as_json:
            click.echo(f"{setting.words}: {setting.ask} questions asked of {setting.data}, n {setting.n}")
            for name, each in results[-1]["figures"].items():
                click.echo(
                    f"  {each['covered']:.3f} covered, bias {each['mean'] - each['truth']:+.4f}, deviation "
                    f"{each['deviation']:.4f}, standard error {each['mean_standard_error']:.4f}: {name}"
                )
    if as_json:
        click.echo(
            json.dumps(
                {"command": "python -m benchmarks.calibration.coverage_sampled --json", "results": results}, indent=2
            )
        )


if __name__ == "__main__":
    main()
