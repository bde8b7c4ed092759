"""How well a comparison of learners can tell a good classifier from none, and what that hangs on.

    python -m benchmarks.learning.judging                       # one trait under an epsilon of 4 in all, three deals
    python -m benchmarks.learning.judging --table fair --people 4000

Learners are compared by the log loss of the codes that were sent, over answers drawn from a fitted P(x)
(`miner.behind.rows.drawn_rows`). Here, a classifier fitted to the undisguised table is compared with the shares of the
classes alone, on a quarter of the responses. P(x) is fitted to the other three quarters, by the mixtures that `auto`
takes, or with all questions independent; or it is made of 1,500 rows of the table itself, which nobody has. A line says
by how much the classifier is ahead, with its standard error, and the divergence of P(x) from that of the table.
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.learning.unseen_tables import CLASS, TABLES, survey_of
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.behind.mixture.fit import margins
from miner.behind.mixture.mixture import Mixture
from miner.behind.mixture.model import LatentModel
from miner.behind.mixture.seeded import seeded_mixture
from miner.behind.patterns import Patterns
from miner.behind.rows import JUDGING_DRAWS, _drawn
from miner.responses.responses import Values
from miner.simulation.simulation import simulate

ATOMS, KEPT = 1_500, 0.98  # rows of the table in its P(x), and the share of each that stays as it is


def one_hot(survey: Survey, values: Values) -> Floats:
    """Indicators of the values of each question but the class, shape (rows, values)."""
    sizes = [len(each.values) for each in survey.questions[:-1]]
    return np.concatenate([np.eye(size)[values[:, place]] for place, size in enumerate(sizes)], axis=1)


def divergence(mixture: Mixture, survey: Survey, values: Values) -> float:
    """Kullback-Leibler divergence of a mixture's P(x) from that of a table, in nats."""
    sizes = [len(each.values) for each in survey.questions[:-1]]
    counts = np.bincount(np.ravel_multi_index(tuple(values[:, :-1].T), sizes), minlength=int(np.prod(sizes)))
    shares = counts / len(values)
    cells = np.array(np.unravel_index(np.arange(len(shares)), sizes)).T
    rows = np.column_stack([cells, np.zeros(len(cells))]).astype(np.int16)
    logs = mixture.log_joint(rows, len(sizes))[0]
    logs -= np.logaddexp.reduce(logs)
    some = shares > 0
    return float(shares[some] @ (np.log(shares[some]) - logs[some]))


def lines_of(table: str, deal: int, people: int, shared: float | None) -> list[str]:
    """A line for each P(x)."""
    values, rng = TABLES[table](), np.random.default_rng((61, deal))
    survey = survey_of(table, values, 2.0, shared)
    responses = simulate(survey, values[rng.integers(len(values), size=people)], rng)
    dealt = rng.permutation(people)
    known, judged = (responses.take(np.sort(some)) for some in (dealt[people // 4 :], dealt[: people // 4]))
    column, plain = survey.column(CLASS), LogisticRegression(max_iter=500).fit(one_hot(survey, values), values[:, -1])
    atoms = values[rng.integers(len(values), size=ATOMS)]
    sizes = [len(each.values) for each in survey.questions]
    kinds = np.concatenate([np.eye(size)[atoms[:, place]].T for place, size in enumerate(sizes)])
    shares = np.bincount(values[:, -1], minlength=sizes[-1]) / len(values)
    priors = {
        "fitted": seeded_mixture(known, np.random.default_rng(deal), column),
        "independent": Mixture.normalised(survey, np.ones(1), margins(Patterns.of(known))[:, None]),
        "the table's": Mixture.normalised(survey, np.ones(ATOMS), KEPT * kinds + (1 - KEPT) / max(sizes)),
    }
    lines = []
    for name, prior in priors.items():
        rows = _drawn(judged, column, LatentModel((prior,), np.zeros(0)), JUDGING_DRAWS, np.random.default_rng(deal))
        classes = np.zeros((len(rows.values), sizes[-1]))
        classes[:, plain.classes_] = plain.predict_proba(one_hot(survey, rows.values))
        ahead = rows.losses(np.tile(shares, (len(classes), 1))) - rows.losses(classes)
        error = ahead.std(ddof=1) / np.sqrt(len(ahead))
        lines.append(
            f"{table} {deal}: P(x) {name}, divergence {divergence(prior, survey, values):.2f}: "
            f"ahead by {ahead.mean():+.4f} ({error:.4f}) on {len(ahead)}"
        )
    return lines


def main() -> None:
    """Print a line for each deal and P(x)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", choices=TABLES, default="one_trait")
    parser.add_argument("--deals", type=int, default=3)
    parser.add_argument("--people", type=int, default=2_000)
    parser.add_argument("--shared", type=float, default=4.0, help="epsilon in all")
    options = parser.parse_args()
    for deal in range(options.deals):
        print("\n".join(lines_of(options.table, deal, options.people, options.shared)), flush=True)


if __name__ == "__main__":
    main()
