"""Marginal and pairwise frequencies beside multi-freq-ldpy and pure-ldp, at the same epsilon of a whole response.

    python3 -m venv peers
    peers/bin/pip install multi-freq-ldpy==0.2.5 pure-ldp==1.2.0 "xxhash<4" scikit-learn statsmodels
    python -m benchmarks.local_privacy.frequencies --peer peers/bin/python [--quick]
        [--data NAME] [--epsilon E] [--repetitions N]
    python -m benchmarks.local_privacy.frequencies --ours [--data NAME] [--aim AIM] [--epsilon E] [--repetitions N]
    python -m benchmarks.local_privacy.frequencies --foretold [--data NAME] [--aim AIM] [--epsilon E]
    python -m benchmarks.local_privacy.frequencies --planned

Everybody of votes, nursery, Adult and Census-Income (`benchmarks.data.trusted`) answers. Ours is what a survey file
with ``[privacy] epsilon`` and ``aim = "shares"``, or ``"pairs"``, publishes: nothing else is set, and no prior is
known. Theirs is every mechanism of `benchmarks.local_privacy.peer_protocols`; the packages estimate no pairs, so that
each pair of questions is made a question for them. Measured is the mean squared error over all cells, of unbiased
estimates and of the same clipped and scaled. Runs are appended to a file, and one that is there is not made again; the
summary is `docs/results/frequencies.csv`. It also has what formulas foretell of SMP's mechanisms and of our shares,
free of the luck of a few repetitions; `--foretold` prints that, `--planned` what planning expects of pairs, `--ours`
our errors alone, which are then not kept.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from math import comb, exp, expm1, log, prod
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.data.trusted import TABLES
from benchmarks.learning.runs import RAW, append
from benchmarks.results import RESULTS
from collector.allocation.epsilon_plan import best_option, every_option
from collector.allocation.problem import PAIRS, Asked, Problem
from collector.disclosure.precision import response_variance
from collector.survey.question import Question
from collector.survey.survey import Survey
from collector.survey_file.privacy_file import Promise, SamplingWish, planned
from collector.survey_file.question_file import Draft
from miner.arrays import Floats
from miner.estimates.estimate import estimates
from miner.responses.responses import Responses, Values, codes_of_values
from miner.simulation.simulation import simulate
from miner.weights.fitted_inverse import FittedReading
from miner.weights.weights import Event

STREAM = 91  # of seeds
REPETITIONS = 5
DATA = ("votes", "nursery", "adult", "census")
EPSILONS = ("1", "2", "4", "8")
AIMS = ("shares", "pairs")
COLUMNS = ("data", "aim", "epsilon", "repetition", "mechanism", "unbiased", "clipped", "stream")
OURS = "ours"
SMOOTHED = 10**6  # people for each that is counted, to whom one more of each value is added
MOST_ASKED = 8  # questions of one person, of pairs: more are never best up to epsilon 8


class Cell(NamedTuple):
    """One comparison."""

    data: str
    aim: str
    epsilon: str


def design(table: Survey, epsilon: str, aim: str) -> Survey:
    """What a survey file with this epsilon and aim publishes, ``ask`` and ``always`` left to it."""
    drafts = [
        Draft(replace(question, sensitive=True), f'question "{question.name}"', None, None, None)
        for question in table.questions
    ]
    promise = Promise(Fraction(epsilon), None, aim)
    found, _ = planned(promise, drafts, SamplingWish(None, None), None)
    return Survey(table.name, table.title, table.languages, found.questions, found.groups, sampling=found.sampling)


def estimated(sent: Responses, tables: Sequence[tuple[str, ...]]) -> list[Floats]:
    """The published estimates of the cells of tables of one or two questions; 0 where nobody was asked, as theirs."""
    told = [names for names in tables if sent.asked_all(names).any()]
    cells = estimates(sent, (event for names in told for event in events(sent.survey, names)))
    found = iter([each.estimate for each in cells])
    shapes = [tuple(len(sent.survey.question(name).values) for name in names) for names in tables]
    return [
        np.array([next(found) if names in told else 0.0 for _ in range(prod(shape))]).reshape(shape)
        for names, shape in zip(tables, shapes, strict=True)
    ]


def events(survey: Survey, names: tuple[str, ...]) -> Iterator[Event]:
    """The cells of a table, row by row."""
    questions = [survey.question(name) for name in names]
    each_value = [[codes_of_values(each, {value}) for value in range(len(each.values))] for each in questions]
    yield from (dict(zip(names, some, strict=True)) for some in product(*each_value))


def frequency(values: Values, kinds: list[int], places: tuple[int, ...]) -> Floats:
    """Of every cell of a table, as it is."""
    shape = tuple(kinds[place] for place in places)
    flat = np.ravel_multi_index(tuple(values[:, place].astype(np.int64) for place in places), shape)
    return np.asarray(np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape) / len(values))


def our_errors(survey: Survey, values: Values, cell: Cell, repetition: int) -> tuple[float, float]:
    """Mean squared error of the estimates over all cells, and of them clipped and scaled."""
    sent = simulate(survey, values, np.random.default_rng((STREAM, repetition)))
    kinds = [len(question.values) for question in survey.questions]
    every = list(combinations(range(len(kinds)), 1 + (cell.aim == "pairs")))
    names = [tuple(survey.questions[place].name for place in places) for places in every]
    gaps: list[list[Floats]] = [[], []]
    for places, found in zip(every, estimated(sent, names), strict=True):
        truth, clipped = frequency(values, kinds, places), found.clip(0)
        gaps[0].append(((found - truth) ** 2).ravel())
        gaps[1].append(((clipped / max(clipped.sum(), 1e-12) - truth) ** 2).ravel())
    unbiased, projected = (float(np.concatenate(each).mean()) for each in gaps)
    return unbiased, projected


def peer_errors(
    kinds: list[int], values: Values, cell: Cell, repetitions: Sequence[int], python: str
) -> list[dict[str, tuple[float, float]]]:
    """The same of every mechanism of the packages, for each repetition."""
    seeds = [STREAM * 1000 + each for each in repetitions]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "answers.npz")
        np.savez(path, values=values, kinds=kinds, epsilon=float(cell.epsilon), seeds=seeds, pairs=cell.aim == "pairs")
        command = [python, "-W", "ignore", str(Path(__file__).with_name("peer_protocols.py")), str(path)]
        printed = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout  # noqa: S603 - our script
    found: list[dict[str, tuple[float, float]]] = json.loads(printed)
    return found


def own_rows(cell: Cell, repetitions: Sequence[int]) -> Iterator[tuple[object, ...]]:
    """Of each repetition: ours."""
    table = TABLES[cell.data]()
    survey = design(table.survey, cell.epsilon, cell.aim)
    for repetition in repetitions:
        yield (*cell, repetition, OURS, *our_errors(survey, table.values, cell, repetition), STREAM)


def peer_rows(cell: Cell, repetitions: Sequence[int], python: str) -> Iterator[tuple[object, ...]]:
    """Of each repetition: every mechanism of the packages."""
    table = TABLES[cell.data]()
    kinds = [len(question.values) for question in table.survey.questions]
    for repetition, found in zip(repetitions, peer_errors(kinds, table.values, cell, repetitions, python), strict=True):
        yield from ((*cell, repetition, name, *each, STREAM) for name, each in found.items())


def told_of_everything(epsilon: float, questions: int) -> float:
    """The epsilon of a whole response of RS+FD that is called with one, for which its clients spend more on an answer.

    That they may spend ln(questions (e^epsilon - 1) + 1) holds between people who differ in one answer. Of two who
    differ in all, the response that is the one's answers throughout has this log ratio, whichever question is told.
    """
    return log(questions * expm1(epsilon) + 1)


def moments(kinds: int, epsilon: float) -> dict[str, tuple[float, float]]:
    """For each mechanism of SMP how likely a report supports a value that is the truth, and one that is not."""
    odds, half = exp(epsilon), exp(epsilon / 2)
    size, cells = int(max(1, np.rint(kinds / (odds + 1)))), round(odds) + 1
    whole = size * odds + kinds - size
    stray = ((size - 1) * size * odds + (kinds - size) * size) / ((kinds - 1) * whole)
    return {
        "SMP GRR": (odds / (odds + kinds - 1), 1 / (odds + kinds - 1)),
        "SMP SUE": (half / (half + 1), 1 / (half + 1)),
        "SMP OUE": (1 / 2, 1 / (odds + 1)),
        "SMP OLH": (odds / (odds + cells - 1), 1 / cells),
        "SMP SS": (size * odds / whole, stray),
    }


def foretold(cell: Cell) -> dict[str, float]:
    """The mean squared error of unbiased shares to expect at the table's frequencies: of ours, and of SMP's."""
    table = TABLES[cell.data]()
    survey, n = design(table.survey, cell.epsilon, cell.aim), len(table.values)
    found: dict[str, list[float]] = {}
    for column, question in zip(table.values.T, survey.questions, strict=True):
        counts = np.bincount(column, minlength=len(question.values))
        found.setdefault(OURS, []).extend((own_variances(survey, question, counts) / n).tolist())
        for name, (kept, stray) in moments(len(counts), float(cell.epsilon)).items():
            support = counts / n * (kept - stray) + stray
            variances = support * (1 - support) / (kept - stray) ** 2 * len(survey.questions) / n
            found.setdefault(name, []).extend(variances.tolist())
    return {name: float(np.mean(each)) for name, each in found.items()}


def own_variances(survey: Survey, question: Question, counts: NDArray[np.intp]) -> Floats:
    """Of the share of each value, times the respondents: where codes are shared, read as fitted to these counts."""
    shares = counts / counts.sum()
    if question.coding.shared and survey.sampling is not None and survey.sampling.ask == 1:
        home = survey.group_of(question.name)
        assert home is not None  # noqa: S101 - all are sensitive
        truth = float(survey.truth_at(home, [question.name]))
        return FittedReading(question.coding, truth, shares).variances * len(survey.questions)
    some = (SMOOTHED * counts + 1).tolist()  # no prior is 0
    known = replace(question, prior=tuple(Fraction(each, sum(some)) for each in some))
    return np.array([float(response_variance(survey, known, value)) for value in range(len(counts))])


def foretold_pairs(cell: Cell) -> dict[str, float]:
    """The same of the tables of two questions, each cell counted once: of SMP's mechanisms.

    What our separate code of each answer makes of a table depends on more than its frequencies.
    """
    table = TABLES[cell.data]()
    n = len(table.values)
    kinds = [len(question.values) for question in table.survey.questions]
    found: dict[str, list[float]] = {}
    for places in combinations(range(len(kinds)), 2):
        shares = frequency(table.values, kinds, places).ravel()
        asked = n / comb(len(kinds), 2)
        for name, (kept, stray) in moments(len(shares), float(cell.epsilon)).items():
            support = shares * (kept - stray) + stray
            found.setdefault(name, []).extend((support * (1 - support) / (kept - stray) ** 2 / asked).tolist())
    return {name: float(np.mean(each)) for name, each in found.items()}


def planned_pairs(data: str, epsilon: str) -> tuple[float, float]:
    """Variance of the tables of two questions over that of open answers, mean over tables, even priors: ours, SMP's."""
    kinds = [len(question.values) for question in TABLES[data]().survey.questions]
    asked = tuple(Asked(f"q{number}", each, sensitive=True, always=False) for number, each in enumerate(kinds))
    problem = Problem(Fraction(epsilon), asked, None, PAIRS)
    options = [*every_option(problem, range(2, min(MOST_ASKED, len(kinds) - 1) + 1))]
    sums: dict[str, float] = {}
    for one, other in combinations(kinds, 2):
        cells = one * other
        for name, (kept, stray) in moments(cells, float(epsilon)).items():
            support = (kept - stray) / cells + stray
            variance = cells * support * (1 - support) / (kept - stray) ** 2
            sums[name] = sums.get(name, 0.0) + variance / (1 - 1 / cells)
    return best_option(options, PAIRS).measure, min(sums.values())


def print_ours(cell: Cell, repetitions: int) -> None:
    """Print the mean of our errors with its standard error, and what was asked."""
    table = TABLES[cell.data]()
    survey = design(table.survey, cell.epsilon, cell.aim)
    found = np.array([our_errors(survey, table.values, cell, each) for each in range(repetitions)])
    means, errors = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(repetitions)
    asked = survey.sampling.ask if survey.sampling else len(survey.questions)
    codings = sorted({(len(each.values), each.coding.written) for each in survey.questions if each.coding.shared})
    print(*cell, f"{asked} asked: {means[0]:.4g} ({errors[0]:.3g}), clipped {means[1]:.4g} ({errors[1]:.3g})", codings)


def print_foretold(cell: Cell) -> None:
    """Print what formulas say of ours, where they do, and of the best of SMP."""
    found = (foretold if cell.aim == "shares" else foretold_pairs)(cell)
    own = found.pop(OURS, None)
    best = min(found, key=lambda name: found[name])
    told = "" if own is None else f"ours {own:.4g}, theirs / ours {found[best] / own:.3f}, "
    print(*cell, f"{told}{best} {found[best]:.4g}", flush=True)


def print_alone(options: argparse.Namespace, wanted: Iterator[Cell]) -> None:
    """Print what needs no peer."""
    for name, epsilon in product(DATA, EPSILONS) if options.planned else ():
        ours, theirs = planned_pairs(name, epsilon)
        print(f"{name} {epsilon}: ours {ours:.4g}, SMP's best {theirs:.4g}, theirs / ours {theirs / ours:.3f}")
    for cell in () if options.planned else wanted:
        if options.foretold:
            print_foretold(cell)
        else:
            print_ours(cell, options.repetitions)


def cells(data: str | None, aim: str | None, epsilon: str | None) -> Iterator[Cell]:
    """Those of one table, aim or epsilon; of all where it is not said."""
    kinds = product([data] if data else DATA, [aim] if aim else AIMS, [epsilon] if epsilon else EPSILONS)
    yield from (Cell(*each) for each in kinds)


def kept() -> Path:
    """Where runs are appended."""
    return RAW / f"frequencies-{STREAM}.csv"


def read() -> pd.DataFrame:
    """The runs that were made."""
    return pd.read_csv(kept(), dtype={"epsilon": str}) if kept().exists() else pd.DataFrame(columns=list(COLUMNS))


def add(cell: Cell, repetitions: int, python: str) -> None:
    """Make the repetitions that are not there, ours and theirs, and append them."""
    made = read()
    same = made[(made.data == cell.data) & (made.aim == cell.aim) & (made.epsilon == cell.epsilon)]
    own = same.mechanism == OURS
    for some, runs in ((same[own], own_rows), (same[~own], partial(peer_rows, python=python))):
        missing = [each for each in range(repetitions) if each not in set(some.repetition)]
        if missing:
            append(kept(), COLUMNS, list(runs(cell, missing)))
            print(*cell, f"{len(missing)} repetitions", flush=True)


def summary(made: pd.DataFrame) -> pd.DataFrame:
    """Means with their standard errors, and over those of ours."""
    grouped = made.groupby(["data", "aim", "epsilon", "mechanism"], sort=False)
    table = grouped.agg(
        repetitions=("unbiased", "size"),
        unbiased=("unbiased", "mean"),
        unbiased_error=("unbiased", "sem"),
        clipped=("clipped", "mean"),
        clipped_error=("clipped", "sem"),
    ).reset_index()
    ours = table[table.mechanism == OURS].set_index(["data", "aim", "epsilon"])
    for kind in ("unbiased", "clipped"):
        own = ours[kind].reindex(pd.MultiIndex.from_frame(table[["data", "aim", "epsilon"]])).to_numpy()
        table[f"{kind}_over_ours"] = table[kind] / own
    told = {cell: (foretold if cell[1] == "shares" else foretold_pairs)(Cell(*cell)) for cell in ours.index}
    made_of = zip(table.data, table.aim, table.epsilon, table.mechanism, strict=True)
    table["foretold"] = [told[data, aim, epsilon].get(name) for data, aim, epsilon, name in made_of]
    return table


def main() -> None:
    """Run, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", help="an interpreter that has multi-freq-ldpy and pure-ldp")
    parser.add_argument("--planned", action="store_true", help="what is expected of pairs: no peer is needed")
    parser.add_argument("--foretold", action="store_true", help="by formula, ours and SMP's: no peer is needed")
    parser.add_argument("--ours", action="store_true", help="our errors alone: no peer is needed")
    parser.add_argument("--quick", action="store_true", help="votes at one epsilon: seconds")
    parser.add_argument("--data", choices=DATA)
    parser.add_argument("--aim", choices=AIMS)
    parser.add_argument("--epsilon", choices=EPSILONS)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    options = parser.parse_args()
    wanted = cells(options.data, options.aim, options.epsilon)
    if options.planned or options.foretold or options.ours:
        print_alone(options, wanted)
        return
    if options.peer is None:
        parser.error("--peer is missing: an interpreter that has multi-freq-ldpy and pure-ldp")
    if options.quick:
        cell = Cell("votes", "shares", "2")
        for row in (*own_rows(cell, [0]), *peer_rows(cell, [0], options.peer)):
            print(*row)
        return
    for cell in wanted:
        add(cell, options.repetitions, options.peer)
    found = summary(read())
    found.to_csv(RESULTS / "frequencies.csv", index=False, float_format="%.5g")
    print(found.to_string())


if __name__ == "__main__":
    main()
