"""Random trees, and random responses to put down them."""

from __future__ import annotations

import numpy as np

from collector.survey.survey import Survey
from miner.responses.responses import Responses
from miner.trees.tree import Tree


def random_responses(survey: Survey, count: int, seed: int) -> Responses:
    rng = np.random.default_rng(seed)
    columns = [rng.choice(np.array(question.codes, dtype=np.int16), count) for question in survey.questions]
    return Responses(survey, np.stack(columns, axis=1))


def random_tree(survey: Survey, target: str, splits: int, seed: int) -> Tree:
    """Splits at random: by every value or in two, of any question but the target, also of one asked before."""
    rng = np.random.default_rng(seed)
    features = [index for index, question in enumerate(survey.questions) if question.name != target]
    asked, children, open_ = [-1], [[]], [0]
    for _ in range(splits):
        node = open_.pop(int(rng.integers(len(open_))))
        asked[node] = int(rng.choice(features))
        kinds = len(survey.questions[asked[node]].values)
        parts = np.arange(kinds) if rng.random() < 0.5 else rng.permutation([0, 1, *rng.integers(0, 2, kinds - 2)])
        first = len(asked)
        children[node] = [first + int(part) for part in parts]
        new = range(first, first + int(parts.max()) + 1)
        asked += [-1 for _ in new]
        children += [[] for _ in new]
        open_ += new
    shares = rng.dirichlet(np.ones(len(survey.question(target).values)), len(asked))
    return Tree.of(asked, children, shares, shares)
