"""Results of every engine under a channel, as checks that one suite runs over the registry: survey to forest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from channel_cases import sent_given_values, survey_of
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from drawn_trees import random_responses, random_tree
from miner.behind.mixture.mixture import Mixture
from miner.behind.patterns import Patterns
from miner.evaluation.copies import Copies
from miner.forest.forest import Forest
from miner.forest.packing import BinaryTests, packed_responses
from miner.forest.records import Rules
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.learners.mode_classifier import ModeClassifier
from miner.learners.random_trees import RandomTreesClassifier
from miner.responses.responses import Responses, Values, codes_of_values
from miner.simulation.simulation import simulate
from miner.trees.counts import Level
from miner.trees.criteria import Robust
from miner.trees.grow import grow
from miner.trees.paths import leaf_weights
from miner.trees.tree import Event
from miner.weights.weights import ProductWeights

CLOSE = 1e-9
FULL = Rules(2, bootstrap=False, candidates=10_000, max_depth=10_000, least_gain=0.0, least_leaf=0.0, least_size=4.0,
             kappa=1.0, shrinkage=2.0, clipped=0)  # fmt: skip


def grouped_survey(name: str, truth: str, kinds: Sequence[str]) -> Survey:
    """The questions of these kinds, and one that is sent as it is.

    They stand in groups of two, or each in its own where some have a published replacement.
    """
    size = 1 if any("replacement" in kind for kind in kinds) else 2
    lines = ['name = "some"\ntitle = "Some"\nlanguages = ["en"]']
    lines += [
        f'[[questions]]\nname = "q{at}"\nlabel = "Q?"\ngroup = "g{at // size}"\n{kind}' for at, kind in enumerate(kinds)
    ]
    lines += ['[[questions]]\nname = "told"\nlabel = "Q?"\nkind = "yes_no"\nsensitive = false', "[groups]"]
    lines += [f'g{at} = {{ truth = "{truth}", channel = "{name}" }}' for at in range(-(-len(kinds) // size))]
    return parse_survey("\n".join(lines))


def event_weights(responses: Responses, event: Event, target: str, cls: int) -> np.ndarray:
    """W of each response for value indices by column, and a class."""
    survey = responses.survey
    wanted = {survey.questions[column].name: values for column, values in event.items()}
    wanted[target] = wanted.get(target, frozenset([cls])) & frozenset([cls])
    codes = {name: codes_of_values(survey.question(name), values) for name, values in wanted.items()}
    return ProductWeights(responses).of(codes)


def paths_are_the_product_weights(survey: Survey, target: str) -> None:
    """The weights at the leaves of trees drawn at random, which ask some questions again."""
    for seed in range(4):
        sent, tree = random_responses(survey, 40, seed), random_tree(survey, target, 8, seed)
        weights = leaf_weights(sent, tree, target, np.arange(len(tree)))
        for leaf, cls in product(tree.leaves(), range(len(survey.question(target).values))):
            exact = event_weights(sent, leaf.event, target, cls)
            assert weights[:, leaf.node, cls] == pytest.approx(exact, abs=CLOSE)


def counts_at_leaves_are_the_product_weights(survey: Survey, target: str) -> None:
    """Check counts at the leaves of random trees, the counts of growth, and the sums that splits are scored by."""
    paths_are_the_product_weights(survey, target)
    for seed in range(4):
        sent, tree = random_responses(survey, 40, seed), random_tree(survey, target, 8, seed)
        level = Level.at_root(survey, sent.codes, target)
        counts, cells = level.landed(tree).totals(len(tree)), level.counts(1, level.disguise.features)
        for cls in range(level.disguise.classes):
            for leaf in tree.leaves():
                exact = event_weights(sent, leaf.event, target, cls).sum()
                assert counts[leaf.node, cls] == pytest.approx(exact, abs=CLOSE)
            for place, column in enumerate(level.disguise.features):
                exact = event_weights(sent, {column: frozenset([0])}, target, cls).sum()
                assert cells[0, place, 0, cls] == pytest.approx(exact, abs=CLOSE)


def a_packed_tree_is_the_tree_on_product_weights(survey: Survey, values: Values, target: str) -> None:
    """The forest's compiled engine grows the tree that plain growth does, where every question is yes or no."""
    codes = simulate(survey, values, np.random.default_rng(3)).codes
    plain, tests = (
        grow(Level.at_root(survey, codes, target), Robust(kappa=1.0, least_size=4.0)),
        BinaryTests.of(survey, target),
    )
    forest = Forest.grown(tests, packed_responses(survey, codes, target, tests), FULL, np.array([1], np.uint64))
    assert len(plain) > 1
    assert len(forest.test) == len(plain)
    assert forest.vote(values[:500], hard=False) == pytest.approx(plain.predict_proba(values[:500]), abs=1e-6)
    assert np.sort(forest.counts.sum(axis=1)) == pytest.approx(np.sort(plain.counts.sum(axis=1)), rel=1e-4, abs=1e-3)


def signed_copies_are_the_product_weights(survey: Survey, target: str) -> None:
    """Check, for every combination of values, that copies weigh as much as the event; drawn ones on average."""
    sent, asked = random_responses(survey, 12, 5), [each.name for each in survey.questions if each.name != target]
    copies, rows = Copies.of(sent, target, asked, np.random.default_rng(0))
    assert copies.exact
    column = survey.questions.index(survey.question(target))
    for values in product(*(range(len(question.values)) for question in survey.questions)):
        event = {number: frozenset([value]) for number, value in enumerate(values) if number != column}
        exact = event_weights(sent, event, target, values[column])
        same = (rows == [-1 if number == column else value for number, value in enumerate(values)]).all(axis=1)
        has = np.arange(len(survey.questions[column].values)) == values[column]
        found = copies.weighed((same[:, None] & has).astype(np.float64))
        assert np.sort(np.repeat(found, copies.counts.astype(int))) == pytest.approx(np.sort(exact), abs=CLOSE)
    assert np.abs(copies.weight).sum(axis=(1, 2)).max() <= copies.size + CLOSE


def a_mixture_has_the_likelihood_of_the_exact_table(name: str, truth: str, kinds: Sequence[str]) -> None:
    """Check every response to one group, by enumeration of the values behind it."""
    survey, rng = survey_of(name, truth, kinds), np.random.default_rng(4)
    tables = [rng.dirichlet(np.ones(len(question.values)), 2).T for question in survey.questions]
    mixture = Mixture(survey, np.array([0.3, 0.7]), np.concatenate(tables))
    exact = sent_given_values(survey)
    states = list(next(iter(exact.values())))
    found = np.exp(mixture.log_likelihood_of(Patterns.of(Responses(survey, np.array(states, np.int16)))))
    for state, likelihood in zip(states, found, strict=True):
        chances = np.zeros(2)
        for values, sent in exact.items():
            chances += float(sent[state]) * np.prod([t[v] for t, v in zip(tables, values, strict=True)], axis=0)
        assert likelihood == pytest.approx(chances @ mixture.weights, rel=1e-9)


def every_learner_learns(survey: Survey, values: Values, target: str, modes: Sequence[str]) -> None:
    """Check that accuracy is close to that on true answers, and its disguised estimate within its interval."""
    rng, column = np.random.default_rng(7), survey.questions.index(survey.question(target))
    half = len(values) // 2
    sent, truth = simulate(survey, values, rng), values[half:, column]
    learners = [RandomTreesClassifier(survey, target, random_state=1)]
    for mode in modes:
        learners += [ID3Classifier(survey, target, mode=mode, random_state=1)]
        learners += [
            ForestClassifier(survey, target, mode=mode, n_estimators=20, oob_score=mode != "latent", random_state=1)
        ]
    best = max(np.mean(truth == label) for label in range(2))
    for learner in learners:
        learner.fit(sent.take(np.arange(half)).frame)
        right = float((learner.probabilities(values[half:]).argmax(axis=1) == truth).mean())
        assert right > best + 0.1, learner
        estimated = learner.score(sent.take(np.arange(half, len(values))).frame)
        assert estimated == pytest.approx(right, abs=0.08)
        if isinstance(learner, ForestClassifier) and learner.oob_score:
            assert learner.oob_estimate_.estimate == pytest.approx(right, abs=0.08)
        assert not isinstance(learner, ModeClassifier) or learner.choice_.mode


def answers_that_agree(survey: Survey, people: int) -> Values:
    """Rows whose answers all follow one hidden bit, in two thirds of the cases."""
    rng = np.random.default_rng(11)
    hidden, kinds = rng.random((people, 1)) < 0.4, [len(question.values) for question in survey.questions]
    follows = rng.random((people, len(kinds))) < 0.7
    return np.where(follows, hidden * (np.array(kinds) - 1), rng.integers(0, kinds, (people, len(kinds)))).astype(
        np.int16
    )
