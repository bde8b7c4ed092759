"""How far below the truth's maximum of the likelihood fitted mixtures end, and what that does to shares of pairs.

    python -m benchmarks.calibration.maxima                     # 24 surveys of a design: one minute
    python -m benchmarks.calibration.maxima --design uneven --surveys 8

A made-up population has four latent classes and answers yes/no questions, which are dealt into groups of the complement
channel. `even` has margins of exactly one half, where the complement of a whole group explains responses about as well
as the group; `uneven` has margins near .2; `strong` is `even` at 3/4, and `single` has a coin for each question. For
each survey a line says:

    below      by how many nats a mixture with four classes, grown from random splits on all responses with turns, is
               less likely than the mixture that EM reaches from the true classes on the same responses
    classes    the number of latent classes that `fit_latent` chose
    fit        by how many nats each mixture of `fit_latent` is less likely than the same EM from the truth; fewer
               classes than four cannot reach it
    held out   mean ln P of fresh responses under them, less that under the truth's maximum, in nats per response
    error      the mean absolute error of P(both answers are yes), of pairs of questions in two groups, in `fit_latent`
    mirrored   pairs of these groups whose associations come out with the wrong sign: correlation of the estimated with
               the true covariances of their pairs below 0
    seconds    processor time of `fit_latent`
"""

from __future__ import annotations

import argparse
from itertools import combinations, islice
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.arrays import Floats
from miner.behind.mixture.fit import climbed, grown_mixtures, margins
from miner.behind.mixture.mixture import Mixture
from miner.behind.mixture.model import LatentModel, fit_latent, synthetic
from miner.behind.patterns import Patterns
from miner.simulation.simulation import simulate

STREAM = 4111  # of seeds; what was chosen was chosen on 4112
CLASSES = 4
NEAR, FAR = 5.0, 20.0  # nats


class Design(NamedTuple):
    """A survey and its population.

    Attributes:
        questions: Their number.
        groups: Number of groups that they are dealt to.
        truth: Truth probability of each.
        common: P(yes) of all questions.
    """

    questions: int = 12
    groups: int = 3
    truth: str = "3/5"
    common: float = 0.5


DESIGNS = {
    "even": Design(),
    "pairs": Design(12, 6),
    "many": Design(20, 4),
    "strong": Design(truth="3/4"),
    "single": Design(8, 8),
    "uneven": Design(common=0.2),
}


def survey_of(design: Design) -> Survey:
    """The survey of a design."""
    prior = f"prior = {{ yes = {design.common}, no = {1 - design.common} }}"
    asked = [
        f'[[questions]]\nname = "q{number}"\nlabel = "?"\nkind = "yes_no"\n{prior}\ngroup = "g{number % design.groups}"'
        for number in range(design.questions)
    ]
    groups = [f'g{number} = {{ truth = "{design.truth}" }}' for number in range(design.groups)]
    return parse_survey("\n".join(['name = "maxima"\ntitle = "?"\nlanguages = ["en"]', *asked, "[groups]", *groups]))


def population(design: Design, survey: Survey, rng: np.random.Generator) -> Mixture:
    """Four classes; each question has the design's margin, and is answered by yes more often in some of them."""
    weights = rng.dirichlet(np.full(CLASSES, 10.0))
    yes = rng.uniform(0.05, 0.95, (design.questions, CLASSES))
    for _ in range(100):  # to the margins by shifts of the log odds
        share = yes @ weights
        odds = design.common / (1 - design.common) * (1 - share) / share
        yes = (ratio := yes / (1 - yes) * odds[:, np.newaxis]) / (1 + ratio)
    return Mixture(survey, weights, np.stack([yes, 1 - yes], axis=1).reshape(-1, CLASSES))


def pair_shares(mixtures: tuple[Mixture, ...]) -> Floats:
    """Shape (questions, questions): the mean over mixtures of P(both are answered by yes)."""
    yes = [mixture.table[::2] for mixture in mixtures]
    pairs = [(each * mixture.weights) @ each.T for each, mixture in zip(yes, mixtures, strict=True)]
    return np.asarray(np.mean(pairs, axis=0))


def mirrored(found: Floats, true: Floats, groups: int) -> int:
    """Number of pairs of groups whose estimated covariances point away from the true ones."""
    home = np.arange(len(true)) % groups
    count = 0
    for one, other in combinations(range(groups), 2):
        cell = np.ix_(home == one, home == other)
        count += int((found[cell] * true[cell]).sum() < 0)
    return count


def covariances(shares: Floats, mixtures: tuple[Mixture, ...]) -> Floats:
    """Covariances of pairs, from their shares and the margins of the mixtures."""
    yes = np.mean([mixture.table[::2] @ mixture.weights for mixture in mixtures], axis=0)
    return np.asarray(shares - np.outer(yes, yes))


def one(name: str, seed: int, people: int, stream: int) -> dict[str, Any]:
    """The figures of one survey."""
    design, rng = DESIGNS[name], np.random.default_rng((stream, seed, *name.encode()))
    survey = survey_of(design)
    truth = population(design, survey, rng)
    drawn, fresh = (
        simulate(survey, synthetic(LatentModel((truth,), np.zeros(1)), count, rng), rng) for count in (people, people)
    )
    patterns, later = Patterns.of(drawn), Patterns.of(fresh)
    prior = margins(patterns)
    best = climbed(truth, patterns, prior)

    def below(mixture: Mixture) -> float:
        return float((best.log_likelihood_of(patterns) - mixture.log_likelihood_of(patterns)).sum())

    grown = next(islice(grown_mixtures(drawn, np.random.default_rng(seed), turning=True), CLASSES - 1, None))
    start = process_time()
    model = fit_latent(drawn, np.random.default_rng(seed))
    seconds = process_time() - start
    shares, true = pair_shares(model.mixtures), pair_shares((truth,))
    home = np.arange(design.questions) % design.groups
    apart = home[:, np.newaxis] < home
    logs = np.logaddexp.reduce([each.log_likelihood_of(later) for each in model.mixtures])
    return {
        "below": round(below(grown), 1),
        "classes": model.classes,
        "fit": [round(below(each), 1) for each in model.mixtures],
        "held out": round(float((logs - np.log(len(model.mixtures)) - best.log_likelihood_of(later)).mean()), 5),
        "error": round(float(np.abs(shares - true)[apart].mean()), 4),
        "mirrored": mirrored(covariances(shares, model.mixtures), covariances(true, (truth,)), design.groups),
        "seconds": round(seconds, 2),
    }


def main() -> None:
    """Print a line for each survey, and how many ended near the truth's maximum."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--design", choices=DESIGNS, default="even")
    parser.add_argument("--surveys", type=int, default=24)
    parser.add_argument("--people", type=int, default=12_000)
    parser.add_argument("--stream", type=int, default=STREAM)
    options = parser.parse_args()
    found = []
    for seed in range(options.surveys):
        found.append(one(options.design, seed, options.people, options.stream))
        print(seed, found[-1], flush=True)
    fitted = np.array([lag for each in found for lag in each["fit"]])
    table = {key: [each[key] for each in found] for key in found[0]}
    for what, lags in (("grown", np.array(table["below"])), ("of fit_latent", fitted)):
        near, far = (lags < NEAR).sum(), (lags > FAR).sum()
        print(f"{what}: within {NEAR:.0f} nats: {near}; more than {FAR:.0f} below: {far} of {len(lags)}")
    wrong = np.count_nonzero(table["mirrored"])
    print(f"chosen: {sorted(table['classes'])}; surveys with a mirrored pair of groups: {wrong}")
    print({key: round(float(np.mean(np.array(table[key], float))), 4) for key in ("held out", "error", "seconds")})


if __name__ == "__main__":
    main()
