"""Seconds of processor that the candidates of an automatic choice take, beside those that its plan expects.

    python -m benchmarks.learning.fit_times                    # examples/wellbeing.toml and a survey of 14 questions
    python -m benchmarks.learning.fit_times --sizes 600 4000 --only logit boosted

Each candidate is fitted twice to responses that are drawn from the survey's priors, and the shorter fit counts, because
the first imports libraries and compiles loops. Run it with OPENBLAS_NUM_THREADS=1.
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
from miner.learners.choice.plan import JUDGING, expected
from miner.simulation.simulation import simulate

SIZES = (600, 4_000, 20_000)
MANY = 14


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


def lines_of(survey: Survey, size: int, only: list[str]) -> list[str]:
    """A line for each candidate, and one for judging, on so many responses."""
    rng = np.random.default_rng(61)
    values = np.column_stack([rng.integers(len(each.values), size=size) for each in survey.questions])
    responses = simulate(survey, values.astype(np.int16), rng)
    target, lines = survey.target or "", []
    questions = len(survey.questions)
    for each in AutoClassifier(survey, random_state=1).candidates(target):
        if only and each.name not in only:
            continue
        taken = []
        for _ in range(2):
            begun = process_time()
            each.make().fit(responses)
            taken.append(process_time() - begun)
        planned = expected(each.name, size, questions)
        lines.append(f"{survey.name:10} {size:6} {each.name:14} {min(taken):8.3f} {planned:8.3f} {min(taken) / planned:6.2f}")
    begun = process_time()
    drawn_rows(responses, responses, target, rng, JUDGING_DRAWS)
    took, planned = process_time() - begun, JUDGING * size * questions
    return [*lines, f"{survey.name:10} {size:6} {'drawing':14} {took:8.3f} {planned:8.3f} {took / planned:6.2f}"]


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
