"""Estimate all usual measures of a classifier on the true answers, from disguised test responses.

Any classifier that predicts from true values can be measured, of this project or of scikit-learn. Signed copies
(`miner.evaluation.copies`) represent the true answers, and weighted means over the copies are unbiased. The measures
are defined in `miner.evaluation.evaluation`.
"""

from collections.abc import Collection

import numpy as np

from miner.arrays import Floats
from miner.evaluation.accuracy import FEWEST_ASKED
from miner.evaluation.copies import Copies, asked_questions, exact_sums, too_many_copies, tree_questions
from miner.evaluation.evaluation import Evaluation, NotMeasured
from miner.evaluation.predictor import Classifier, Predict, predictor, tree_of, used_names
from miner.responses.responses import Responses
from miner.trees.paths import fewest_at_leaves
from miner.trees.tree import Tree


def evaluate(
    responses: Responses,
    classifier: Classifier | Tree | Predict,
    target: str,
    *,
    rng: np.random.Generator,
    asked: Collection[str] | None = None,
) -> Evaluation:
    """Measure a classifier on disguised responses that it was not trained on.

    A tree is measured at its leaves, without drawn copies unless it has very many distinct predictions. In a split
    questionnaire, only respondents who were asked the class question and all questions of the classifier are included.
    A tree only requires that respondents were asked the questions on the path to each leaf. If fewer than
    `FEWEST_ASKED` people were asked all questions, the evaluation has no figures (`NotMeasured`).

    Args:
        responses: Disguised test responses.
        classifier: Fitted classifier whose input is a frame of true values in words with one column per question; or a
            tree; or a function from value indices to class probabilities (`miner.evaluation.predictor.Predict`).
        target: Name of the class question.
        rng: Random generator that draws signed copies if there are too many to list (`miner.evaluation.copies`).
        asked: Names of the questions that the classifier uses. If `asked` is None, the names come from the classifier's
            tree, `used_` or `feature_names_in_`; without these, all questions but the class question are used. The
            fewer questions are named, the smaller are the standard errors.

    Raises:
        QueryError: If a name is not a question, or there are no responses.
        ModelError: If the classifier knows a class that is not a value of the class question.
    """
    tree = tree_of(classifier)
    if tree is not None and (arrived := _at_leaves(responses, tree, target)) is not None:
        return Evaluation(responses.survey, target, *arrived)
    if asked is None:
        asked = used_names(classifier) if tree is None else tree_questions(responses.survey, tree)
    names = asked_questions(responses.survey, asked, target)
    predict = predictor(classifier, responses.survey, target, names)
    if len(responses) and responses.asked_all([*names, target]).sum() < min(FEWEST_ASKED, len(responses)):
        return NotMeasured.on(responses, target)
    sums = exact_sums(responses, target, names) if too_many_copies(responses, target, names) else None
    whole = None if sums is None else (sums, predict(sums.rows))
    copies, predictions = Copies.predicted(responses, target, names, rng, predict)
    return Evaluation(responses.survey, target, copies, predictions, sums=whole)


def _at_leaves(responses: Responses, tree: Tree, target: str) -> tuple[Copies, Floats] | None:
    """Return the signed copies of responses at the leaves of a tree, with the leaves' predictions.

    The function returns None if there are too many copies, or too few people were asked.
    """
    if responses.survey.sampling is not None and fewest_at_leaves(responses, tree, target) < FEWEST_ASKED:
        return None
    return Copies.at_leaves(responses, tree, target)
