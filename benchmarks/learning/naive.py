"""What ignoring the disguise, or the simplest correction, achieves, beside our learners on the same deals.

    python -m benchmarks.learning.naive [--table NAME] [--design NAME] [--deals N] [--rows N] [--learners WORDS]

Five real tables in four designs, two thirds of the rows disguised and learnt from, accuracy and AUC (of several
classes: each against the rest, weighted by frequency) on the others as they are:

    mixed             the class and three questions, drawn for each deal, are disguised, each by a coin of its own of
                      the complement channel at 4/5; the others are sent as they are
    three 4/5         everything is dealt into three complement groups at 4/5
    three 3/5         at 3/5
    uniform 4/5       every question has its own group of the uniform channel at 4/5
    coins 4/5         every question has its own complement group at 4/5; made only where `--design` names it
    total 4           an epsilon of 4 for the whole response: some questions are drawn for each respondent (`ldp`)

The uncorrected learners take what was sent for true: a code that stands for a value for that value. Beside them are
auto, and each single candidate that it compares. Each deal of a cell is a line of a file, written as it ends; a line
that is there is not made again. `docs/results/naive.csv` has the means and the paired differences from `auto`;
`--verdicts` prints by how much auto is ahead of the best naive learner and of the best single candidate in each cell.

Two more tables are made only where `--table` names them: tic-tac-toe, whose class is an interaction of nine questions,
and cars, whose class is a rule on six.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from benchmarks.data.coded import data_folder, read_rows
from benchmarks.data.tables import quartile_cuts
from benchmarks.learning.runs import RAW
from benchmarks.local_privacy import ldp, scaled, uniform
from benchmarks.local_privacy.ldp import accuracy_and_auc
from benchmarks.local_privacy.uniform import ValueTable, dealt, survey_of, table_of
from benchmarks.results import RESULTS
from collector.channel.channel import channel
from collector.coding.coding import balanced_coding, plain_coding
from collector.survey.survey import Group, Survey
from miner.arrays import Floats
from miner.learners.auto import AutoClassifier
from miner.learners.baselines import MajorityClassifier, NaiveBayesClassifier, UncorrectedClassifier, as_sent
from miner.learners.boosted import BoostedClassifier
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.learners.logit import AdditiveClassifier, LogitClassifier
from miner.responses.responses import Responses, Values

STREAM, DEVELOPMENT = 2311, 77  # of seeds: of the figures reported, and of all that was tried before
TREES, LEAF = 100, 20
MUSHROOM = [f"q{number}" for number in range(22)]


def mushroom() -> ValueTable:
    """Mushroom: 22 nominal questions, edible or poisonous."""
    frame = read_rows("agaricus-lepiota.data", ["label", *MUSHROOM])
    return table_of("mushroom", frame[[*(name for name in MUSHROOM if len(set(frame[name])) > 1), "label"]])


def loans() -> ValueTable:
    """Loans: the purpose, the credit policy, numbers cut at their quartiles; whether it is not fully paid."""
    frame = pd.read_csv(data_folder() / "loan_data.csv.gz", lineterminator="\r")
    for name in frame.columns[:-1]:
        if frame[name].dtype.kind in "if" and frame[name].nunique() > 2:  # numbers
            whole = (frame[name] * 10_000).round().astype(int)
            cut = np.searchsorted(quartile_cuts(whole), whole, side="right")
            frame[name] = pd.Categorical(cut, ordered=True)
    return table_of("loans", frame)


def tic_tac_toe() -> ValueTable:
    """Tic-tac-toe: nine squares at the end of a game; whether x has won."""
    return table_of("tic_tac_toe", read_rows("tic-tac-toe.data", [*(f"q{square}" for square in range(9)), "label"]))


def car() -> ValueTable:
    """Cars: six nominal properties; how acceptable, in four classes."""
    return table_of("car", read_rows("car.data", [*(f"q{number}" for number in range(6)), "label"]))


TABLES: dict[str, Callable[[], ValueTable]] = {
    "votes": uniform.votes,
    "nursery": scaled.nursery,
    "adult": scaled.adult,
    "mushroom": mushroom,
    "loans": loans,
}
FURTHER: dict[str, Callable[[], ValueTable]] = {"tic-tac-toe": tic_tac_toe, "car": car}
DESIGNS = ("mixed", "three 4/5", "three 3/5", "uniform 4/5", "total 4")
RARE = ("coins 4/5",)
NAIVE = ("naive logistic", "naive forest", "naive boosting", "corrected naive Bayes")


def design(table: ValueTable, name: str, rng: np.random.Generator) -> Survey:
    """The survey of a design."""
    if name == "total 4":
        return ldp.design(table, name)
    kind, _, truth = name.partition(" ")
    plain = survey_of(table, "1")
    count = len(plain.questions)
    home = rng.permutation(np.arange(count) % 3)
    if kind == "mixed":
        home = np.full(count, -1)
        home[rng.permutation(count - 1)[:3]], home[-1] = np.arange(3), 3
    if kind in {"uniform", "coins"}:
        home = np.arange(count)
    how = channel("uniform" if kind == "uniform" else "complement", Fraction(truth or "4/5"))
    questions = []
    for number, question in enumerate(plain.questions):
        counts = 1 + np.bincount(table.values[:, number], minlength=table.kinds[number])
        prior = tuple(Fraction(int(each), int(counts.sum())) for each in counts)
        paired = kind != "uniform" and home[number] >= 0
        coding = balanced_coding(prior) if paired else plain_coding(table.kinds[number])
        questions.append(replace(question, prior=prior, coding=coding, sensitive=bool(home[number] >= 0)))
    names = np.array([question.name for question in questions])
    groups = tuple(Group(f"g{each}", how, tuple(names[home == each].tolist())) for each in range(home.max() + 1))
    return Survey(plain.name, plain.title, plain.languages, tuple(questions), groups, "label")


def indicators(values: Values, kinds: tuple[int, ...]) -> Floats:
    """A column for each value of each question but the class; all 0 where it was not asked."""
    columns = [np.vstack([np.eye(count), np.zeros(count)])[values[:, at]] for at, count in enumerate(kinds[:-1])]
    return np.hstack(columns)


def uncorrected(model: Any, learnt: Values, test: Values, kinds: tuple[int, ...]) -> Floats:  # noqa: ANN401 - any
    """Class probabilities of a learner of scikit-learn that takes rows for true."""
    model.fit(indicators(learnt, kinds), learnt[:, -1])
    found = np.zeros((len(test), kinds[-1]))
    found[:, model.classes_] = model.predict_proba(indicators(test, kinds))
    return found


Learner = Callable[[Responses, Values, tuple[int, ...], int], Floats]


def ours(kind: type, **parameters: object) -> Learner:
    """One of our classifiers."""

    def probabilities(responses: Responses, test: Values, _: tuple[int, ...], seed: int) -> Floats:
        model = kind(responses.survey)
        known = {"random_state": seed} | parameters
        model.set_params(**{name: each for name, each in known.items() if name in model.get_params()})
        return np.asarray(model.fit(responses.frame).probabilities(test))

    return probabilities


def naive(make: Callable[[int], Any]) -> Learner:
    """One of scikit-learn's, on what was sent."""
    return lambda responses, test, kinds, seed: uncorrected(
        make(seed), as_sent(responses.survey, responses.codes), test, kinds
    )


LEARNERS: dict[str, Learner] = {
    "majority": ours(MajorityClassifier),
    "naive logistic": ours(UncorrectedClassifier),
    "naive forest": naive(lambda seed: RandomForestClassifier(TREES, min_samples_leaf=LEAF, random_state=seed)),
    "naive boosting": naive(lambda seed: HistGradientBoostingClassifier(random_state=seed)),
    "corrected naive Bayes": ours(NaiveBayesClassifier),
    "auto": ours(AutoClassifier),
    "logit": ours(LogitClassifier),
    "additive": ours(AdditiveClassifier),
    "boosted": ours(BoostedClassifier),
    "forest robust": ours(ForestClassifier, mode="robust"),
    "forest latent": ours(ForestClassifier, mode="latent"),
    "forest auto": ours(ForestClassifier),
    "id3 auto": ours(ID3Classifier),
    "id3 latent": ours(ID3Classifier, mode="latent"),
}
USUAL = tuple(LEARNERS)[: tuple(LEARNERS).index("forest auto")]
SAME = {"uncorrected": "naive logistic", "naive-bayes": "corrected naive Bayes"}  # names of candidates as here
SINGLE = ("majority", "naive logistic", "corrected naive Bayes", *USUAL[USUAL.index("logit") :])


def run(table: ValueTable, name: str, deal: int, learners: list[str], seeds: tuple[int, int]) -> dict[str, Any]:
    """Accuracy, AUC and CPU seconds of each learner on one deal.

    Args:
        table: Dealt at random.
        name: Name of the design.
        deal: Its number.
        learners: Names.
        seeds: The stream, and how many rows of the table to use; 0 for all.
    """
    rng = np.random.default_rng((seeds[0], deal, *name.encode()))
    if seeds[1]:
        some = rng.permutation(len(table.values))[: seeds[1]]
        table = table._replace(values=table.values[some])
    responses, _, test = dealt(table, design(table, name, rng), rng)
    found: dict[str, Any] = {}
    compared = [each.name for each in AutoClassifier(responses.survey).candidates("label")]
    known = {SAME.get(each, each) for each in compared}
    for learner in learners:
        if learner in SINGLE and learner not in known:
            continue
        start = process_time()
        scores = accuracy_and_auc(test, LEARNERS[learner](responses, test, table.kinds, deal))
        found[learner] = [*(round(each, 5) for each in scores), round(process_time() - start, 2)]
    return found


def lines(stream: int) -> list[dict[str, Any]]:
    """What was made."""
    path = RAW / f"naive-{stream}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def summary(made: list[dict[str, Any]], against: str = "auto") -> pd.DataFrame:
    """Means over the deals of each cell, and how far `against` is ahead on the same deals, with standard errors."""
    rows = []
    long = pd.DataFrame(
        [
            (each["table"], each["design"], each["rows"], each["deal"], learner, *scores)
            for each in made
            for learner, scores in each["scores"].items()
        ],
        columns=["table", "design", "rows", "deal", "learner", "accuracy", "auc", "seconds"],
    )
    for (table, name, size), cell in long.groupby(["table", "design", "rows"], sort=False):
        wide = {each: cell.pivot_table(index="deal", columns="learner", values=each) for each in ("accuracy", "auc")}
        for learner in wide["auc"].columns:
            row: dict[str, object] = {"table": table, "design": name, "rows": size, "learner": learner}
            row["deals"] = int(wide["auc"][learner].count())
            for measure, scores in wide.items():
                row[measure] = scores[learner].mean()
                if against in scores and learner != against:
                    ahead = (scores[against] - scores[learner]).dropna()
                    row[f"{measure}_ahead"], row[f"{measure}_error"] = ahead.mean(), ahead.sem()
            row["seconds"] = cell[cell.learner == learner].seconds.mean()
            rows.append(row)
    return pd.DataFrame(rows)


def verdicts(made: list[dict[str, Any]]) -> pd.DataFrame:
    """Of each cell and measure: by how much auto is ahead, on the same deals, of the best of several, by their means.

    `naive` is ahead of the best of `NAIVE`, and `single` of the best candidate; `error` is the standard error.
    """
    found = summary(made)
    rows = []
    for cell, part in found.groupby(["table", "design", "rows"], sort=False):
        rivals = part[part.learner != "auto"].set_index("learner")
        for measure in ("accuracy", "auc"):
            row: dict[str, object] = dict(zip(("table", "design", "rows"), cell, strict=True), measure=measure)
            row["deals"] = int(part.deals.max())
            for kind, names in (("naive", NAIVE), ("single", SINGLE), ("majority", ("majority",))):
                there = rivals[rivals.index.isin(names)].sort_values(measure)
                if len(there):
                    row[f"{kind}_best"], row[kind] = there.index[-1], there[f"{measure}_ahead"].iloc[-1]
                    row[f"{kind}_error"] = there[f"{measure}_error"].iloc[-1]
            rows.append(row)
    return pd.DataFrame(rows)


def main() -> None:
    """Run what is not there yet, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", choices=TABLES | FURTHER, help="all of the five unless said")
    parser.add_argument("--design", choices=(*DESIGNS, *RARE), help="all of the five unless said")
    parser.add_argument("--deals", type=int, default=10)
    parser.add_argument("--rows", type=int, default=0, help="of a table, drawn for each deal; all if 0")
    parser.add_argument("--learners", help="names, separated by commas; if not said, all but the last")
    parser.add_argument("--verdicts", action="store_true", help="run nothing: print what is there")
    parser.add_argument("--stream", type=int, default=STREAM, help=f"of seeds; {DEVELOPMENT} to try things out")
    options = parser.parse_args()
    if options.verdicts:
        print(verdicts(lines(options.stream)).round(4).to_string(index=False))
        return
    learners = list(USUAL) if options.learners is None else options.learners.split(",")
    RAW.mkdir(parents=True, exist_ok=True)
    tables = {name: (TABLES | FURTHER)[name]() for name in ([options.table] if options.table else TABLES)}
    designs = [options.design] if options.design else DESIGNS
    for deal, name, each in product(range(options.deals), tables, designs):  # one deal of every cell, then the next
        rows = options.rows if options.rows < len(tables[name].values) else 0
        cell = {"table": name, "design": each, "rows": rows, "deal": deal}
        there = {key for line in lines(options.stream) if cell.items() <= line.items() for key in line["scores"]}
        missing = [learner for learner in learners if learner not in there]
        found = run(tables[name], each, deal, missing, (options.stream, rows)) if missing else {}
        if found:  # there is nothing where only candidates are missing that this design does not have
            with (RAW / f"naive-{options.stream}.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(cell | {"scores": found}) + "\n")
            print(name, each, deal, found, flush=True)
    if options.stream == STREAM:
        summary(lines(STREAM)).to_csv(RESULTS / "naive.csv", index=False, float_format="%.5g")


if __name__ == "__main__":
    main()
