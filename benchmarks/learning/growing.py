"""Whether latent mode under uniform coins loses by more responses, where questions are numbers.

    python -m benchmarks.learning.growing                 # four designs, 4,000, 16,000 and 64,000: some ten minutes
    python -m benchmarks.learning.growing --design wide --responses 4000,16000
    python -m benchmarks.learning.growing --design documented --responses 65536 --people 60000 --learner id3

Each question has a coin of its own at an epsilon of 2. A line has the mean log loss of the true class of 10,000 other
people, given their true answers: of the prediction that is the same for all (`constant`), of the additive
model that latent mode is made of, and of the learners from it; the accuracy of the learners (`right`); and the
processor time of all fits.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from itertools import islice
from time import process_time

import numpy as np

from benchmarks.performance.designs import COIN, DESIGNS, Design, answers, text
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.arrays import Floats
from miner.learners.classifier import DisguisedClassifier
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.learners.logit import AdditiveClassifier
from miner.responses.responses import Values
from miner.simulation.simulation import simulate

TEST, TREES, TINY = 10_000, 20, 1e-9


def _numbers(*values: int) -> Design:
    return Design(values, tuple((COIN, (number,)) for number in range(len(values))), cuts=True)


SURVEYS = {
    "documented": DESIGNS["documented"],
    "wide": DESIGNS["wide"],
    "sevens": _numbers(*(7,) * 8, 2),
    "three_classes": _numbers(*(6, 9) * 4, 3),
    "mixed": _numbers(*(9,) * 4, *(2,) * 6),
}
LEARNERS: dict[str, Callable[[Survey], DisguisedClassifier]] = {
    "logit": lambda survey: AdditiveClassifier(survey, random_state=1),
    "id3": lambda survey: ID3Classifier(survey, mode="latent", random_state=1),
    "forest": lambda survey: ForestClassifier(survey, mode="latent", n_estimators=TREES, random_state=1),
}


def loss(shares: Floats, classes: Values) -> float:
    """Mean log loss in nats."""
    return round(float(-np.log(np.maximum(shares[np.arange(len(classes)), classes], TINY)).mean()), 4)


def one(name: str, count: int, test: Values, learners: Sequence[str]) -> dict[str, float]:
    """The figures of a design and a number of responses."""
    DESIGNS.setdefault(name, SURVEYS[name])
    survey = parse_survey(text(name))
    values = np.concatenate(list(answers(SURVEYS[name], count)))
    responses = simulate(survey, values, np.random.default_rng((1, count)))
    shares = np.bincount(values[:, -1], minlength=len(survey.questions[-1].values)) / count
    start = process_time()
    found = {"constant": loss(np.tile(shares, (len(test), 1)), test[:, -1])}
    for label in learners:
        predicted = np.asarray(LEARNERS[label](survey).fit(responses.frame).probabilities(test))
        found[label] = loss(predicted, test[:, -1])
        found[f"{label} right"] = round(float((predicted.argmax(axis=1) == test[:, -1]).mean()), 4)
    return found | {"seconds": round(process_time() - start, 1)}


def main() -> None:
    """Print a line for each design and number of responses."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--design", choices=SURVEYS, action="append")
    parser.add_argument("--responses", default="4000,16000,64000")
    parser.add_argument("--people", type=int, default=TEST, help="number of other people, at most 65536")
    parser.add_argument("--learner", choices=LEARNERS, action="append")
    options = parser.parse_args()
    for name in options.design or [name for name in SURVEYS if name != "documented"]:
        later = next(islice(answers(SURVEYS[name], 10**7), 1, None))[: options.people]  # 65,536 come before them
        for count in map(int, options.responses.split(",")):
            print(name, count, one(name, count, later, options.learner or [*LEARNERS]), flush=True)


if __name__ == "__main__":
    main()
