"""All usual measures of a classifier on the true answers, estimated from disguised test responses.

For any classifier that predicts from true values, ours or scikit-learn's. Signed copies (`miner.evaluation.copies`)
stand for the answers; their weighted means are unbiased. `miner.evaluation.evaluation` says what is measured, and how.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from miner.evaluation.accuracy import FEWEST_ASKED
from miner.evaluation.copies import Copies, asked_questions, tree_questions
from miner.evaluation.evaluation import Evaluation
from miner.evaluation.model_based import evaluate_by_model
from miner.evaluation.predictor import Classifier, Predict, predictor
from miner.responses.responses import Responses
from miner.trees.paths import fewest_at_leaves
from miner.trees.tree import Tree


def evaluate(
    responses: Responses,
    classifier: Classifier | Predict,
    target: str,
    *,
    rng: np.random.Generator,
    asked: Collection[str] | None = None,
) -> Evaluation:
    """Measure a classifier on disguised responses that it was not trained on.

    Where questions are sampled, those answer who were asked all that it looks at, and the target. If they are fewer
    than `FEWEST_ASKED`, the measures are a model's (`miner.evaluation.model_based`), and `Evaluation.basis` says so.

    Args:
        responses: Disguised test responses.
        classifier: Fitted; it is given frames of true values in words, a column for each question it asks. Or a
            function from value indices to class probabilities (`miner.evaluation.predictor.Predict`).
        target: Name of the class question.
        rng: Draws signed copies where there are too many to write out (`miner.evaluation.copies`).
        asked: Names of the questions it looks at; if None those in its `feature_names_in_`, else all but the target.
            The fewer, the smaller the error.

    Raises:
        QueryError: If a name is no question, or there are no responses.
        ModelError: If the classifier knows a class that is no value of the target.
    """
    names = getattr(classifier, "feature_names_in_", None) if asked is None else asked
    names = asked_questions(responses.survey, names, target)
    predict = predictor(classifier, responses.survey, target, names)
    if len(responses) and responses.asked_all([*names, target]).sum() < min(FEWEST_ASKED, len(responses)):
        return evaluate_by_model(responses, predict, target, names, rng)
    copies, rows = Copies.of(responses, target, names, rng)
    return Evaluation(responses.survey, target, copies, predict(rows))


def evaluate_tree(responses: Responses, tree: Tree, target: str, rng: np.random.Generator) -> Evaluation:
    """Measure a tree: exactly, whatever the number of groups, unless it predicts very many different things.

    Only what arrives at its leaves is looked at. Where questions are sampled, each leaf is measured with those who were
    asked all questions on the way to it; if at some leaf these are fewer than `FEWEST_ASKED`, the measures are a
    model's. As for `evaluate`.
    """
    few = responses.survey.sampling is not None and fewest_at_leaves(responses, tree, target) < FEWEST_ASKED
    arrived = None if few else Copies.at_leaves(responses, tree, target)
    if arrived is None:
        asked = tree_questions(responses.survey, tree)
        return evaluate(responses, tree.predict_proba, target, rng=rng, asked=asked)
    return Evaluation(responses.survey, target, *arrived)
