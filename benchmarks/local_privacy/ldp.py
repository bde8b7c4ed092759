"""Trees from real local differential privacy: the forest of latent mode on Adult, nursery and votes.

    python -m benchmarks.local_privacy.ldp [--quick] [--data NAME] [--budget WORDS] [--repetitions N]

Two thirds of the rows are disguised and learnt from; accuracy and AUC (of several classes: each against the rest,
weighted by frequency) are measured on the others as they are. Two kinds of budget:

    question 1, 2, 4   epsilon of every question, each its own group, everybody asked everything, in the codings that a
                       survey file publishes unless it says more
    trend 1, 2         the same, but scales have the coding "trend"; only where it is asked for
    total 4, 8, 16     epsilon of a whole response: the class and some other questions, drawn for each respondent,
                       under one coin; how many is `asked_of`'s rule, the same for every table

Values that have an order are asked for on scales (`scaled`); the "nominal" tables are the same without. Nothing else is
set. Beside the forest: the logit that it learns from. Runs are appended to a file, and a run that is there is not made
again; the summary is `docs/results/ldp.csv`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import exp, expm1, log
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from benchmarks.learning.runs import RAW, append
from benchmarks.local_privacy import scaled, uniform
from benchmarks.local_privacy.uniform import ValueTable, dealt, survey_of
from benchmarks.results import RESULTS
from collector.allocation.best_coding import best_coding
from collector.allocation.trend_coding import trend_coding
from collector.channel.channel import Channel, channel, uniform_odds
from collector.channel.coin import sharp
from collector.channel.rounding import truth_below
from collector.coding.coding import Coding
from collector.survey.sampling import Sampling
from collector.survey.survey import Group, Survey
from miner.arrays import Floats
from miner.effects.copies import latent_copies
from miner.learners.forest import ForestClassifier
from miner.learners.logit import AdditiveClassifier
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Values

STREAM = 139  # of seeds, on which nothing was chosen
REPETITIONS = {  # more where single ones scatter,
    ("votes", "question 1"): 40,
    ("votes", "question 2"): 20,
    ("votes", "question 4"): 20,
    ("nursery", "question 1"): 20,
    ("nursery, nominal", "question 1"): 40,
    ("adult, nominal", "question 1"): 10,
}
FEW_REPETITIONS = 5  # and elsewhere
BUDGETS = ("question 1", "question 2", "question 4", "total 4", "total 8", "total 16")
ALL_BUDGETS = (*BUDGETS, "trend 1", "trend 2")
TABLES: dict[str, Callable[[], ValueTable]] = {
    "votes": uniform.votes,
    "nursery": scaled.nursery,
    "adult": scaled.adult,
    "nursery, nominal": uniform.nursery,
    "adult, nominal": uniform.adult,
}
COLUMNS = ("data", "budget", "asked", "repetition", "learner", "accuracy", "auc", "stream")
ROUNDED = 1000  # odds are whole thousandths, rounded down


class Run(NamedTuple):
    """One table under one budget."""

    data: str
    budget: str
    repetition: int


def odds_of(epsilon: float) -> Fraction:
    """e^epsilon - 1, rounded down; whole where it is large, so that a coin is one word."""
    scale = ROUNDED if expm1(epsilon) < ROUNDED else 1
    return Fraction(int(expm1(epsilon) * scale), scale)


def asked_of(kinds: tuple[int, ...], epsilon: float) -> int:
    """How many questions to ask, the class among them: for a of the others the greatest a theta.

    theta = o / (o + K) is the chance that all is true, K what a questions of the usual (geometric mean) number of
    values and the class have together. What is learnt of pairs of questions and the class goes with the square.
    """
    usual = float(np.mean([log(each) for each in kinds[:-1]]))
    odds = expm1(epsilon)
    worth = [a * odds / (odds + kinds[-1] * exp(a * usual)) for a in range(1, len(kinds))]
    return 2 + int(np.argmax(worth))


def design(table: ValueTable, budget: str) -> Survey:
    """The survey that a budget buys."""
    kind, _, epsilon = budget.partition(" ")
    single = survey_of(table, epsilon)
    if kind in {"question", "trend"}:
        return coded(single, Fraction(epsilon), trend_coding if kind == "trend" else best_coding)
    names = tuple(question.name for question in single.questions)
    ask, odds = asked_of(table.kinds, float(epsilon)), odds_of(float(epsilon))
    sampling = Sampling(ask, ("label",)) if ask < len(names) else None
    whole: Channel = uniform_odds(odds)
    if sampling is None:
        whole = channel("uniform", odds / (odds + int(np.prod(table.kinds, dtype=np.int64))))
    groups = (Group("all", whole, names),)
    return Survey(single.name, single.title, single.languages, single.questions, groups, "label", sampling=sampling)


def coded(survey: Survey, epsilon: Fraction, of_scales: Callable[[Sequence[Fraction], Fraction], Coding]) -> Survey:
    """Scales in this coding, and any other question in that which survey files give it without a word."""
    questions = [
        replace(each, coding=(of_scales if each.ordered else best_coding)(each.prior, epsilon))
        for each in survey.questions
    ]
    groups = [
        replace(group, channel=channel("uniform", truth_below(epsilon, sharp(question.coding))))
        for group, question in zip(survey.groups, questions, strict=True)
    ]
    return replace(survey, questions=tuple(questions), groups=tuple(groups))


def scores(run: Run) -> Iterator[tuple[str, float, float]]:
    """Learner, accuracy and AUC."""
    table = TABLES[run.data]()
    generator = np.random.default_rng((STREAM, run.repetition))
    responses, _, test = dealt(table, design(table, run.budget), generator)
    copies = latent_copies(responses, "label", generator)
    # rows are of values: whatever disguised them, the forest is that of the same questions
    forest = ForestClassifier(survey_of(table, "1"), mode="latent", random_state=run.repetition)
    forest.fit(PlainRows.of(forest.survey, copies.values, copies.weights * copies.times))
    yield "forest", *accuracy_and_auc(test, forest.probabilities(test))
    logit = AdditiveClassifier(responses.survey, random_state=run.repetition).fit(responses.frame)
    yield "logit", *accuracy_and_auc(test, logit.probabilities(test))


def accuracy_and_auc(test: Values, probabilities: Floats) -> tuple[float, float]:
    """On rows of value indices, the class last."""
    truth = test[:, -1]
    right = float((probabilities.argmax(axis=1) == truth).mean())
    present, counts = np.unique(truth, return_counts=True)
    areas = [roc_auc_score(truth == cls, probabilities[:, cls]) for cls in present.tolist()]
    return right, float(np.average(areas, weights=counts))


def kept() -> Path:
    """Where runs are appended."""
    return RAW / f"ldp-{STREAM}.csv"


def read() -> pd.DataFrame:
    """The runs that were made."""
    return pd.read_csv(kept()) if kept().exists() else pd.DataFrame(columns=list(COLUMNS))


def add(run: Run) -> None:
    """Make a run unless it is there, and append it."""
    made = read()
    same = (made.data == run.data) & (made.budget == run.budget) & (made.repetition == run.repetition)
    if (same & (made.stream == STREAM)).any():
        return
    table = TABLES[run.data]()
    survey = design(table, run.budget)
    asked = survey.sampling.ask if survey.sampling else len(survey.questions)
    rows = [(run.data, run.budget, asked, run.repetition, *each, STREAM) for each in scores(run)]
    append(kept(), COLUMNS, rows)
    print(*rows, sep="\n", flush=True)


def summary() -> pd.DataFrame:
    """Means with their standard errors."""
    made = read()
    grouped = made[made.stream == STREAM].groupby(["data", "budget", "asked", "learner"], sort=False)
    table = grouped.agg(
        repetitions=("auc", "size"),
        accuracy=("accuracy", "mean"),
        accuracy_error=("accuracy", "sem"),
        auc=("auc", "mean"),
        auc_error=("auc", "sem"),
    )
    return table.reset_index()


def main() -> None:
    """Run, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="votes once, at a total of 8: under a minute")
    parser.add_argument("--data", choices=TABLES)
    parser.add_argument("--budget", choices=ALL_BUDGETS)
    parser.add_argument("--repetitions", type=int, help="5 to 40 if not said")
    options = parser.parse_args()
    if options.quick:
        for learner, accuracy, auc in scores(Run("votes", "total 8", 0)):
            print(f"votes, total 8: {learner} {accuracy:.3f}/{auc:.3f}")
        return
    for name in [options.data] if options.data else TABLES:
        for budget in [options.budget] if options.budget else BUDGETS:
            for repetition in range(options.repetitions or REPETITIONS.get((name, budget), FEW_REPETITIONS)):
                add(Run(name, budget, repetition))
    found = summary()
    found.to_csv(RESULTS / "ldp.csv", index=False, float_format="%.5g")
    print(found.to_string())


if __name__ == "__main__":
    main()
