"""All usual measures of a classifier on the true answers, estimated from disguised test responses.

The classifier may be any that predicts from true values, of this project or of scikit-learn. Signed copies
(`miner.evaluation.copies`) represent the answers; their weighted means are unbiased. `miner.evaluation.evaluation`
defines the measures.
"""

from collections.abc import Collection

import numpy as np

from miner.evaluation.accuracy import FEWEST_ASKED
from miner.evaluation.copies import Copies, asked_questions, exact_sums, tree_questions
from miner.evaluation.evaluation import Evaluation, NotMeasured
from miner.evaluation.predictor import Classifier, Predict, predictor, used_names
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

    In a split questionnaire, only respondents who were asked the target and all questions that the classifier uses are
    included. If they are fewer than `FEWEST_ASKED`, there are no figures (`NotMeasured`), and
    `Evaluation.basis` is ``none``.

    Args:
        responses: Disguised test responses.
        classifier: A fitted classifier; its input is a frame of true values in words, one column per question. Or a
            function from value indices to class probabilities (`miner.evaluation.predictor.Predict`).
        target: Name of the class question.
        rng: Draws signed copies if there are too many to enumerate (`miner.evaluation.copies`).
        asked: Names of the questions that the classifier uses; if None those in its `used_` or `feature_names_in_`,
            else all but the target. Fewer questions give smaller errors.

    Raises:
        QueryError: If a name is no question, or there are no responses.
        ModelError: If the classifier knows a class that is no value of the target.
    """
    names = asked_questions(responses.survey, used_names(classifier) if asked is None else asked, target)
    predict = predictor(classifier, responses.survey, target, names)
    if len(responses) and responses.asked_all([*names, target]).sum() < min(FEWEST_ASKED, len(responses)):
        return NotMeasured.on(responses, target)
    copies, predictions = Copies.predicted(responses, target, names, rng, predict)
    sums = None if copies.exact else exact_sums(responses, target, names)
    whole = None if sums is None else (sums, predict(sums.rows))
    return Evaluation(responses.survey, target, copies, predictions, sums=whole)


def evaluate_tree(responses: Responses, tree: Tree, target: str, rng: np.random.Generator) -> Evaluation:
    """Measure a tree: exactly for any number of groups, unless it has very many distinct predictions.

    In a split questionnaire, each leaf is measured on the respondents who were asked all questions on its path; if
    these are fewer than `FEWEST_ASKED` at some leaf, the tree is measured as any other classifier. Otherwise as
    `evaluate`.
    """
    few = responses.survey.sampling is not None and fewest_at_leaves(responses, tree, target) < FEWEST_ASKED
    arrived = None if few else Copies.at_leaves(responses, tree, target)
    if arrived is None:
        asked = tree_questions(responses.survey, tree)
        return evaluate(responses, tree.predict_proba, target, rng=rng, asked=asked)
    return Evaluation(responses.survey, target, *arrived)
