"""Seconds of processor that the candidates of an automatic choice take, beside those that its plan expects.

    python -m benchmarks.learning.fit_times                    # examples/wellbeing.toml and a survey of 14 questions
    python -m benchmarks.learning.fit_times --sizes 600 4000 --only logit boosted

Two sets of responses are drawn, of people whose answers follow one trait. All candidates are fitted to each, in turn,
as they share what they fit first, and the shorter time of each counts, because the first fits import and compile. Run
it with OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import process_time

import numpy as np

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey, read_survey_file
from miner.behind.rows import JUDGING_DRAWS, drawn_rows
from miner.learners.auto import AutoClassifier
from miner.learners.choice.plan import JUDGING, Size, expected
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate

SIZES = (600, 4_000, 20_000)
MANY = 14
DRAWING, WHOLE = "drawing", "whole choice"


def long_survey() -> Survey:
    """A survey of many scales, each in a group of its own."""
    names = [f"q{number}" for number in range(MANY)]
    asked = "".join(
        f'[[questions]]\nname = "{each}"\nlabel = "{each}"\nkind = "scale"\ngroup = "{each}"\n'
        'values = ["never", "sometimes", "often", "always"]\n'
        for each in names
    )
    coins = "".join(f'{each} = {{ truth = "4/5", channel = "uniform" }}\n' for each in names)
    return parse_survey(
        f'name = "long"\ntitle = "Long"\nlanguages = ["en"]\n{asked}[mining]\ntarget = "q0"\n[groups]\n{coins}'
    )


def drawn(survey: Survey, size: int, rng: np.random.Generator) -> Responses:
    """Responses of people whose answers follow one trait."""
    trait = rng.normal(size=size)
    ranks = [np.argsort(np.argsort(trait + rng.normal(size=size))) for _ in survey.questions]
    values = [rank * len(each.values) // size for rank, each in zip(ranks, survey.questions, strict=True)]
    return simulate(survey, np.column_stack(values).astype(np.int16), rng)


def lines_of(survey: Survey, size: int, only: list[str]) -> list[str]:
    """A line for each candidate, and one for drawing the rows that candidates are judged on."""
    rng, target = np.random.default_rng(61), survey.target or ""
    taken: dict[str, list[float]] = {}
    for _ in range(2):
        responses = drawn(survey, size, rng)
        for each in AutoClassifier(survey, random_state=1).candidates(target):
            if not only or each.name in only:
                begun = process_time()
                each.make().fit(responses)
                taken.setdefault(each.name, []).append(process_time() - begun)
        begun = process_time()
        drawn_rows(responses, responses, target, rng, JUDGING_DRAWS)
        taken.setdefault(DRAWING, []).append(process_time() - begun)
    size_of = Size.of(survey)
    planned = {name: expected(name, size, size_of) for name in taken if name != DRAWING}
    planned[DRAWING] = JUDGING * size_of.answers(size)
    begun, chosen = process_time(), AutoClassifier(survey, random_state=1)
    if not only and (plan := chosen.plan(size, target)) is not None:
        chosen.fit(drawn(survey, size, rng))
        taken[WHOLE], planned[WHOLE] = [process_time() - begun], plan.seconds
    return [
        f"{survey.name:10} {size:6} {name:14} {min(took):8.3f} {planned[name]:8.3f} {min(took) / planned[name]:6.2f}"
        for name, took in taken.items()
    ]


def main() -> None:
    """Print the table, line by line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--only", nargs="+", default=[])
    options = parser.parse_args()
    print("survey  responses  candidate        seconds  planned  ratio", flush=True)
    for size in options.sizes:
        for survey in (read_survey_file(Path("examples/wellbeing.toml")), long_survey()):
            print("\n".join(lines_of(survey, size, options.only)), flush=True)


if __name__ == "__main__":
    main()
