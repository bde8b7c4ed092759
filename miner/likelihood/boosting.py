"""Boosted trees by the likelihood of disguised responses, grown on histograms of its slopes.

Each tree adds to the log odds of one class, along the slope ``g = P(x, class | r) - P(x | r) P(class | x)`` of the
log-likelihood at each possible answer x (`miner.likelihood.ascent`): the gradient of the log loss that has been
corrected for the disguise (Patrini et al. 2017, "forward"). A leaf adds ``G / (V + RIDGE)``, G the sum of slopes and V
that of their squares: by the information identity V is the curvature that the responses really have under their
disguise, where P (1 - P) would be that of plain rows. A split gains ``G^2 / (V + RIDGE)``: the score statistic, so that
what noise gains is known (one, on average), and splits that gain less than `LEAST_GAIN` are not made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.compiled import compiled
from miner.likelihood.answers import PossibleAnswers
from miner.likelihood.ascent import slopes_of, softmax
from miner.responses.responses import Values

RIDGE = 5.0  # added to the curvature of a leaf
LEAST_GAIN = 4.0  # of a split
FARTHEST = 2.0  # that one tree moves the log odds, before the learning rate
KEPT_OUT = 0.2  # share of the responses on which the number of rounds is chosen
PAIR = 2  # classes, of which the log odds of one say it all
SAMPLE = 200_000  # rows that a tree is grown on; of more, a random sample
Places = NDArray[np.int64]


class BoostedTree(NamedTuple):
    """A tree of full depth: node n of a level has the children 2n and 2n + 1 of the next; one without split the first.

    Attributes:
        question: Shape (nodes,), level by level: column of the question; -1 where all go on to the first child.
        passes: Shape (nodes, most values): whether a value goes to the first child.
        leaf: Shape (2 ^ depth,): what is added to the log odds.
    """

    question: NDArray[np.int64]
    passes: NDArray[np.bool_]
    leaf: Floats


@compiled
def histograms(values: Values, node: Places, slopes: Floats, weights: Floats, shape: tuple[int, int, int]) -> Floats:
    """Weighted sums of slopes and of their squares: shape (2, nodes, questions, most values)."""
    found = np.zeros((2, shape[0], shape[1], shape[2]))
    for i in range(len(node)):
        slope = weights[i] * slopes[i]
        square = slope * slopes[i]
        for question in range(shape[1]):
            found[0, node[i], question, values[i, question]] += slope
            found[1, node[i], question, values[i, question]] += square
    return found


@compiled
def landed(values: Values, question: Places, passes: NDArray[np.bool_], depth: int) -> Places:
    """Shape (rows,): the node that each reaches after so many levels; an answer that is not known goes second."""
    found = np.zeros(len(values), np.int64)
    for i in range(len(values)):
        for level in range(depth):
            place = (1 << level) - 1 + found[i]
            asked, second = question[place], 0
            if asked >= 0:
                value = values[i, asked]
                second = 0 if value >= 0 and passes[place, value] else 1
            found[i] = 2 * found[i] + second
    return found


@dataclass(frozen=True)
class Growth:
    """How trees grow.

    Attributes:
        features: Columns of the questions that may be asked.
        kinds: How many values each question has.
        ordered: How many of them, from the first on, have an order: 0 where there is none.
        depth: Of each tree.
        rate: Share of a tree's step that is taken.
    """

    features: tuple[int, ...]
    kinds: tuple[int, ...]
    ordered: tuple[int, ...]
    depth: int
    rate: float

    def grown(self, values: Values, slopes: Floats, weights: Floats) -> BoostedTree:
        """A tree along the slopes of weighted rows."""
        question = np.full(2**self.depth - 1, -1, np.int64)
        passes = np.zeros((len(question), max(self.kinds)), np.bool_)
        for level in range(self.depth):
            node = landed(values, question, passes, level)
            sums, squares = histograms(values, node, slopes, weights, (2**level, len(self.kinds), max(self.kinds)))
            for place in range(2**level):
                at = 2**level - 1 + place
                question[at], passes[at] = self._split(sums[place], squares[place])
        node = landed(values, question, passes, self.depth)
        sums, squares = (
            np.bincount(node, each, minlength=2**self.depth) for each in (weights * slopes, weights * slopes**2)
        )
        step = np.clip(sums / (squares + RIDGE), -FARTHEST, FARTHEST)
        return BoostedTree(question, passes, self.rate * step)

    def _split(self, sums: Floats, squares: Floats) -> tuple[int, NDArray[np.bool_]]:
        """The question of a node, and which values go first; -1 if nothing gains enough."""
        best, chosen, passes = LEAST_GAIN, -1, np.zeros(sums.shape[1], np.bool_)
        for column in self.features:
            kinds = self.kinds[column]
            g, v = sums[column, :kinds], squares[column, :kinds]
            whole, total = g.sum(), v.sum()
            for order in _orders(self.ordered[column], g / (v + RIDGE)):
                left, spread = g[order].cumsum()[:-1], v[order].cumsum()[:-1]
                gains = left**2 / (spread + RIDGE) + (whole - left) ** 2 / (total - spread + RIDGE)
                gains -= whole**2 / (total + RIDGE)
                if len(gains) and gains.max() > best:
                    cut = int(gains.argmax())
                    best, chosen = float(gains[cut]), column
                    passes = np.isin(np.arange(sums.shape[1]), order[: cut + 1])
        return chosen, passes


def _orders(ordered: int, means: Floats) -> list[Places]:
    """The orders of a question's values in which it may be cut: values beside its order stand behind it or before."""
    if not ordered:
        return [np.argsort(means, kind="stable")]
    places = np.arange(len(means))
    return [places] if ordered == len(means) else [places, np.roll(places, len(means) - ordered)]


@dataclass(frozen=True, eq=False, repr=False)
class Boosted:
    """Log odds of classes as sums of trees.

    Attributes:
        intercept: Shape (classes,).
        rounds: Of each round a tree for each class but the first where there are two, for each class where more.
        depth: Of the trees.
    """

    intercept: Floats
    rounds: tuple[tuple[BoostedTree, ...], ...]
    depth: int

    def __repr__(self) -> str:
        return f"<Boosted: {sum(map(len, self.rounds))} trees in {len(self.rounds)} rounds>"

    def probabilities(self, values: Values) -> Floats:
        """Shape (rows, classes), for rows of value indices."""
        scores = np.tile(self.intercept, (len(values), 1))
        for trees in self.rounds:
            _add(scores, trees, values, self.depth)
        return softmax(scores)


def _add(scores: Floats, trees: tuple[BoostedTree, ...], values: Values, depth: int) -> None:
    for number, tree in enumerate(trees, start=scores.shape[1] - len(trees)):
        scores[:, number] += tree.leaf[landed(values, tree.question, tree.passes, depth)]


def boosted(answers: PossibleAnswers, growth: Growth, most: int, patience: int, rng: np.random.Generator) -> Boosted:
    """Trees fitted to what may be behind responses, as many as responses kept out advise.

    Args:
        answers: Behind the responses.
        growth: How trees grow.
        most: Rounds, at most.
        patience: Rounds without a gain in the likelihood of responses kept out, after which no more are tried.
        rng: Keeps responses out, and draws the rows of each tree.
    """
    out = rng.binomial(np.floor(answers.counts).astype(np.int64), KEPT_OUT).astype(np.float64)
    judges, learners = replace(answers, counts=out), replace(answers, counts=answers.counts - out)
    best, height, rounds = 0, -np.inf, []
    intercept = np.log(learners.class_shares())
    for trees, scores in _rounds(learners, growth, intercept, rng):
        rounds.append(trees)
        reached = judges.posterior(softmax(scores))[0]
        if reached > height:
            best, height = len(rounds), reached
        if len(rounds) >= most or len(rounds) - best >= patience:
            break
    if len(answers.values) > SAMPLE:
        return Boosted(intercept, tuple(rounds[:best]), growth.depth)
    intercept = np.log(answers.class_shares())
    again = _rounds(answers, growth, intercept, rng)
    return Boosted(intercept, tuple(next(again)[0] for _ in range(best)), growth.depth)


def _rounds(
    answers: PossibleAnswers, growth: Growth, intercept: Floats, rng: np.random.Generator
) -> Iterator[tuple[tuple[BoostedTree, ...], Floats]]:
    """The trees of one round after the other, and the scores of all rows with them."""
    scores, weights = np.tile(intercept, (len(answers.values), 1)), answers.counts[answers.response]
    kept = np.flatnonzero(weights > 0)
    while True:
        shares = softmax(scores)
        slopes = slopes_of(answers.posterior(shares)[1], shares)
        some = kept if len(kept) <= SAMPLE else np.sort(rng.choice(kept, SAMPLE, replace=False))
        values, told = answers.values[some], slopes[some]
        first = 1 if len(intercept) == PAIR else 0
        trees = tuple(growth.grown(values, told[:, cls], weights[some]) for cls in range(first, len(intercept)))
        _add(scores, trees, answers.values, growth.depth)
        yield trees, scores
