"""Seconds of processor time and peak memory of boosting on made-up responses, most of whose questions are plain.

    python -m benchmarks.performance.boosting [--responses 1e6] [--most-seconds 60] [--most-mebibytes 2048]

Respondents answer 20 questions of two to five values. The class and three others are disguised, each by a coin of its
own of the complement channel at 4/5; the rest are sent as they are. Above a bound the exit code is 1.
"""

from __future__ import annotations

import argparse
import resource
import sys
from time import process_time

import numpy as np

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.learners.boosted import BoostedClassifier
from miner.simulation.simulation import simulate

QUESTIONS, DISGUISED, MOST_VALUES = 20, 4, 5
KIBIBYTES = 1024


def survey() -> Survey:
    """The last questions are disguised; the very last is the class."""
    parts = ['name = "boosting"', 'title = "Boosting"', 'languages = ["en"]']
    for number in range(QUESTIONS):
        kind = "yes_no" if number >= QUESTIONS - DISGUISED else "choice"
        home = f'group = "g{number}"' if kind == "yes_no" else "sensitive = false"
        parts.append(f'[[questions]]\nname = "q{number}"\nlabel = "?"\nkind = "{kind}"\n{home}')
        if kind == "choice":
            parts.append(f"values = {[f'v{value}' for value in range(2 + number % (MOST_VALUES - 1))]!r}")
    coins = [f'g{number} = {{ truth = "4/5" }}' for number in range(QUESTIONS - DISGUISED, QUESTIONS)]
    return parse_survey("\n".join([*parts, "[groups]", *coins, f'[mining]\ntarget = "q{QUESTIONS - 1}"']))


def main() -> int:
    """Run, and print; 1 above a bound."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--responses", type=float, default=1e6)
    parser.add_argument("--most-seconds", type=float, default=60.0)
    parser.add_argument("--most-mebibytes", type=float, default=2048.0)
    options = parser.parse_args()
    rng, design = np.random.default_rng(5), survey()
    kinds = [len(question.values) for question in design.questions]
    values = (rng.random((int(options.responses), QUESTIONS)) * kinds).astype(np.int16)
    odds = (values[:, :6] * rng.normal(size=6)).sum(axis=1) + 2 * values[:, -2] * (values[:, 0] == 0)
    values[:, -1] = rng.random(len(values)) < 1 / (1 + np.exp(odds.mean() - odds))
    frame = simulate(design, values, rng).frame
    BoostedClassifier(design, random_state=1).fit(frame[:1000])  # what is compiled once is not counted
    start = process_time()
    model = BoostedClassifier(design, random_state=1).fit(frame)
    seconds = process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIBIBYTES
    print(f"{len(frame)} responses, {model.text}: {seconds:.1f} s of processor time, {memory:.0f} MiB at most")
    return int(seconds > options.most_seconds or memory > options.most_mebibytes)


if __name__ == "__main__":
    sys.exit(main())
