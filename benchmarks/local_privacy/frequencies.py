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
summary is `docs/results/frequencies.csv`. It also has what formulas foretell of SMP's mechanisms and of ours (of pairs
where two answers have one code), free of the luck of a few repetitions; `--foretold` prints that, `--planned` what
planning expects of pairs, `--ours` our errors alone, which are then not kept.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import comb, exp, expm1, log
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.data.trusted import TABLES
from benchmarks.learning.runs import RAW, append
from benchmarks.results import RESULTS
from collector.epsilon_plan import PAIRS, Asked, Problem
from collector.precision import response_variance
from collector.privacy_file import Promise, SamplingWish, planned
from collector.question import Question
from collector.question_file import Draft
from collector.survey import Survey
from miner.pair_codes import AT_ONCE, pairs_of
from miner.responses import Responses, Values
from miner.simulation import simulate
from miner.weights import Floats, signed_weights

STREAM = 91  # of seeds
REPETITIONS = 5
DATA = ("votes", "nursery", "adult", "census")
EPSILONS = ("1", "2", "4", "8")
AIMS = ("shares", "pairs")
COLUMNS = ("data", "aim", "epsilon", "repetition", "mechanism", "unbiased", "clipped", "stream")
OURS = "ours"
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


def reading(question: Question) -> tuple[Floats, Floats]:
    """What each code counts for each value if it is the truth's, and the mean of that over replacements."""
    coding = question.coding
    own = np.zeros((coding.codes[-1] + 1, len(question.values)))
    for code, counts in coding.reading.items():
        own[code] = [float(each) for each in counts]
    chances = np.zeros(len(own))
    for code, chance in coding.replacement_probabilities.items():
        chances[code] = float(chance)
    return own, chances @ own


def estimated(sent: Responses, names: tuple[str, ...]) -> Floats:
    """`miner.estimate.estimate` of every cell of a table of one or two questions at once, all groups uniform.

    0 where nobody was asked, as theirs.
    """
    survey = sent.survey
    if not sent.asked_all(names).any():
        return np.zeros([len(survey.question(name).values) for name in names])
    asked = sent.among_asked(names)
    if survey.together is not None:
        return estimated_together(asked, names)
    places = [survey.questions.index(survey.question(name)) for name in names]
    readings = [reading(survey.questions[place]) for place in places]
    codes, n = asked.codes[:, places].astype(np.int64), len(asked)
    homes = [survey.group_of(name) for name in names]
    coins = [signed_weights(survey, home, asked.asked) for home in dict.fromkeys(homes) if home is not None]
    shape = tuple(len(own) for own, _ in readings)
    flat = np.ravel_multi_index(tuple(codes.T), shape)
    if len(coins) == 1:
        kept, replaced = (np.broadcast_to(each, n) for each in coins[0])
        seen = np.bincount(flat, kept, minlength=int(np.prod(shape))).reshape(shape) / n
        whole = float(replaced.mean())
        if len(names) == 1:
            ((own, lie),) = readings
            return np.asarray(seen @ own + whole * lie)
        (own, lie), (other, other_lie) = readings
        return np.asarray(own.T @ seen @ other + whole * np.outer(lie, other_lie))
    seen = np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape) / n
    one, two = (kept * own + replaced * lie for (kept, replaced), (own, lie) in zip(coins, readings, strict=True))
    return np.asarray(one.T @ seen @ two)


def estimated_together(asked: Responses, names: tuple[str, ...]) -> Floats:
    """The same where two answers have one code, from those who were asked all of a table."""
    survey = asked.survey
    places, channel = [survey.questions.index(survey.question(name)) for name in names], survey.together
    assert channel is not None  # noqa: S101 - the caller knows
    sums = np.zeros([len(survey.question(name).values) for name in names])
    for pair in pairs_of(survey, asked.sent):
        truth = float(pair.coding.truth(channel.odds))
        step = max(1, AT_ONCE // pair.coding.combinations)
        owned = np.zeros(pair.coding.combinations)
        for start in range(0, len(pair.rows), step):
            some = replace(pair, first=pair.first[start : start + step], second=pair.second[start : start + step])
            owned += some.has(np.arange(pair.coding.combinations)).sum(axis=0)
        even = pair.combinations_owned.sum() / pair.coding.combinations
        counted = len(pair.rows) / pair.coding.combinations
        counted = counted + (owned - even) / (truth * (1 - float(pair.coding.common)))
        table = counted.reshape(pair.sizes)
        away = tuple(axis for axis, column in enumerate(pair.columns) if column not in places)
        sums += table.sum(axis=away)
    return np.asarray(sums / len(asked))


def frequency(values: Values, kinds: list[int], places: tuple[int, ...]) -> Floats:
    """Of every cell of a table, as it is."""
    shape = tuple(kinds[place] for place in places)
    flat = np.ravel_multi_index(tuple(values[:, place].astype(np.int64) for place in places), shape)
    return np.asarray(np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape) / len(values))


def our_errors(survey: Survey, values: Values, cell: Cell, repetition: int) -> tuple[float, float]:
    """Mean squared error of the estimates over all cells, and of them clipped and scaled."""
    sent = simulate(survey, values, np.random.default_rng((STREAM, repetition)))
    kinds = [len(question.values) for question in survey.questions]
    gaps: list[list[Floats]] = [[], []]
    for places in combinations(range(len(kinds)), 1 + (cell.aim == "pairs")):
        found = estimated(sent, tuple(survey.questions[place].name for place in places))
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


def rows(cell: Cell, repetitions: Sequence[int], python: str) -> Iterator[tuple[object, ...]]:
    """Of each repetition: ours, and every mechanism."""
    table = TABLES[cell.data]()
    kinds = [len(question.values) for question in table.survey.questions]
    survey = design(table.survey, cell.epsilon, cell.aim)
    theirs = peer_errors(kinds, table.values, cell, repetitions, python)
    for repetition, found in zip(repetitions, theirs, strict=True):
        ours = our_errors(survey, table.values, cell, repetition)
        for name, each in ({OURS: ours} | found).items():
            yield (*cell, repetition, name, *each, STREAM)


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
        known = replace(question, prior=tuple(Fraction(2 * each + 1, 2 * n + len(counts)) for each in counts.tolist()))
        own = [float(response_variance(survey, known, value)) / n for value in range(len(counts))]
        found.setdefault(OURS, []).extend(own)
        for name, (kept, stray) in moments(len(counts), float(cell.epsilon)).items():
            support = counts / n * (kept - stray) + stray
            variances = support * (1 - support) / (kept - stray) ** 2 * len(survey.questions) / n
            found.setdefault(name, []).extend(variances.tolist())
    return {name: float(np.mean(each)) for name, each in found.items()}


def foretold_pairs(cell: Cell) -> dict[str, float]:
    """The same of the tables of two questions, each cell counted once: of SMP's, and of one code for two answers.

    What a separate code of each answer makes of a table depends on more than its frequencies: then ours is left out.
    """
    table = TABLES[cell.data]()
    survey, n = design(table.survey, cell.epsilon, cell.aim), len(table.values)
    kinds = [len(question.values) for question in survey.questions]
    found: dict[str, list[float]] = {}
    for places in combinations(range(len(kinds)), 2):
        shares, sizes = frequency(table.values, kinds, places).ravel(), [kinds[place] for place in places]
        asked = n / comb(len(kinds), 2)
        if survey.together is not None:
            coding, odds = survey.together.coding_of(sizes), float(survey.together.odds)
            own = [coding.variance(share, 1 / len(shares), coding.truth(odds)) / asked for share in shares.tolist()]
            found.setdefault(OURS, []).extend(own)
        for name, (kept, stray) in moments(len(shares), float(cell.epsilon)).items():
            support = shares * (kept - stray) + stray
            found.setdefault(name, []).extend((support * (1 - support) / (kept - stray) ** 2 / asked).tolist())
    return {name: float(np.mean(each)) for name, each in found.items()}


def planned_pairs(data: str, epsilon: str) -> tuple[float, float]:
    """Variance of the tables of two questions over that of open answers, mean over tables, even priors: ours, SMP's."""
    kinds = [len(question.values) for question in TABLES[data]().survey.questions]
    asked = tuple(Asked(f"q{number}", each, sensitive=True, always=False) for number, each in enumerate(kinds))
    options = Problem(Fraction(epsilon), asked, None, PAIRS).options(range(2, min(MOST_ASKED, len(kinds) - 1) + 1))
    sums: dict[str, float] = {}
    for one, other in combinations(kinds, 2):
        cells = one * other
        for name, (kept, stray) in moments(cells, float(epsilon)).items():
            support = (kept - stray) / cells + stray
            variance = cells * support * (1 - support) / (kept - stray) ** 2
            sums[name] = sums.get(name, 0.0) + variance / (1 - 1 / cells)
    return min(each.measure for each in options), min(sums.values())


def print_ours(cell: Cell, repetitions: int) -> None:
    """Print the mean of our errors with its standard error, and what was asked."""
    table = TABLES[cell.data]()
    survey = design(table.survey, cell.epsilon, cell.aim)
    found = np.array([our_errors(survey, table.values, cell, each) for each in range(repetitions)])
    means, errors = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(repetitions)
    asked = survey.sampling.ask if survey.sampling else len(survey.questions)
    codings = sorted({(len(each.values), each.coding.written) for each in survey.questions if each.coding.shared})
    told = "one code for both answers" if survey.together else codings
    print(*cell, f"{asked} asked: {means[0]:.4g} ({errors[0]:.3g}), clipped {means[1]:.4g} ({errors[1]:.3g})", told)


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
    """Make the repetitions that are not there, and append them."""
    made = read()
    same = made[(made.data == cell.data) & (made.aim == cell.aim) & (made.epsilon == cell.epsilon)]
    missing = [each for each in range(repetitions) if each not in set(same.repetition)]
    if not missing:
        return
    new = list(rows(cell, missing, python))
    append(kept(), COLUMNS, new)
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
        for row in rows(Cell("votes", "shares", "2"), [0], options.peer):
            print(*row)
        return
    for cell in wanted:
        add(cell, options.repetitions, options.peer)
    found = summary(read())
    found.to_csv(RESULTS / "frequencies.csv", index=False, float_format="%.5g")
    print(found.to_string())


if __name__ == "__main__":
    main()
