"""The whole of ``miner train`` on a million disguised responses of 15 questions: seconds and memory.

    python -m benchmarks.performance.million                    # everything: some ten minutes
    python -m benchmarks.performance.million --design split --model forest
    python -m benchmarks.performance.million --quick            # the first on 20,000 responses; nothing is written down

Two designs: `split`, where each respondent is asked the class and four other questions, drawn for each, under one coin
of epsilon 8; and `all`, where everybody is asked everything, each question with a coin of its own of epsilon 2.
Respondents are made up, stored, and then the command runs in a process of its own from the store to the model file,
mode and share of test responses as they come, after one on a small store that leaves the compiled code on disk. The
memory is the largest resident set of that process. Figures stand in docs/results/million.csv.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.performance.release_speed import KIBIBYTES, run
from benchmarks.results import RESULTS
from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.responses.responses import NOT_ASKED, Values
from miner.simulation.simulation import simulate

RESPONSES, QUICK, FEW = 1_000_000, 20_000, 3_000
QUESTIONS, VALUES, ASKED = 15, 4, 5
KINDS = 6  # of made-up people
MODELS = ("forest", "id3")
DESIGNS = ("split", "all")


class Figures(NamedTuple):
    """One run of the command."""

    design: str
    model: str
    responses: int
    processors: int
    seconds: float
    mebibytes: float


def survey(design: str) -> Survey:
    """Fourteen questions of four values and a class of two."""
    names, split = [f"q{number}" for number in range(QUESTIONS)], design == "split"
    listed = ", ".join(f'"v{value}"' for value in range(VALUES))
    kinds = [f'kind = "choice"\nvalues = [{listed}]'] * (QUESTIONS - 1) + ['kind = "yes_no"']
    groups = ["all"] * QUESTIONS if split else [f"g_{name}" for name in names]
    parts = ['name = "million"', 'title = "A million"', 'languages = ["en"]']
    for name, kind, group in zip(names, kinds, groups, strict=True):
        parts.append(f'[[questions]]\nname = "{name}"\nlabel = "{name}?"\ngroup = "{group}"\n{kind}')
    parts.append("[groups]")
    parts += [f'{each} = {{ channel = "uniform", epsilon = {8 if split else 2} }}' for each in dict.fromkeys(groups)]
    parts.append(f'[mining]\ntarget = "{names[-1]}"')
    if split:
        parts.append(f'[sampling]\nask = {ASKED}\nalways = ["{names[-1]}"]')
    return parse_survey("\n".join(parts))


def people(count: int, generator: np.random.Generator) -> Values:
    """Of a few kinds, whose answers lean one way; the class follows two questions and an interaction."""
    kinds = generator.integers(0, KINDS, count)
    leaning = generator.integers(0, VALUES, (KINDS, QUESTIONS))[kinds]
    values = np.where(generator.random(leaning.shape) < 1 / 2, leaning, generator.integers(0, VALUES, leaning.shape))
    odds = 1.5 * (values[:, 0] - values[:, 1]) * (values[:, 2] > 0) - 0.5  # any law with an interaction
    values[:, -1] = generator.random(count) < 1 / (1 + np.exp(-odds))
    return values.astype(np.int16)


def stored(design: str, count: int, path: Path) -> None:
    """Disguised answers in a store."""
    generator = np.random.default_rng(count)
    asked = survey(design)
    codes = simulate(asked, people(count, generator), generator).codes
    with Store(path, create=True) as store:
        store.publish(asked)
        store.add(asked, ([None if code == NOT_ASKED else code for code in row] for row in codes.tolist()))


def trained(design: str, model: str, count: int) -> Figures:
    """From the store to the model file."""
    with tempfile.TemporaryDirectory() as folder:
        train(design, model, FEW, Path(folder) / "few")
        seconds, memory = train(design, model, count, Path(folder) / "many")
    return Figures(design, model, count, os.cpu_count() or 1, round(seconds, 1), round(memory))


def train(design: str, model: str, count: int, path: Path) -> tuple[float, float]:
    """Seconds and mebibytes."""
    stored(design, count, path)
    start = perf_counter()
    told = run(["train", "million", "--model", model, "--seed", "1", "--store", str(path), "-o", f"{path}.json"])
    return perf_counter() - start, int(told.splitlines()[-1]) / KIBIBYTES


def runs(options: argparse.Namespace) -> Iterator[Figures]:
    """What was asked for."""
    designs = [options.design] if options.design else DESIGNS[: 1 if options.quick else None]
    models = [options.model] if options.model else MODELS[: 1 if options.quick else None]
    for design, model in product(designs, models):
        yield trained(design, model, QUICK if options.quick else RESPONSES)


def main() -> None:
    """Run, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--design", choices=DESIGNS)
    parser.add_argument("--model", choices=MODELS)
    options = parser.parse_args()
    path = RESULTS / "million.csv"
    for found in runs(options):
        print(found, flush=True)
        if not options.quick:
            kept = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=list(Figures._fields))
            kept = kept[(kept.design != found.design) | (kept.model != found.model)]
            pd.DataFrame([*kept.itertuples(index=False), found], columns=list(Figures._fields)).to_csv(
                path, index=False
            )


if __name__ == "__main__":
    main()
