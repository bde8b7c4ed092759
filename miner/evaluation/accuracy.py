"""Estimate the accuracy of a classifier on the true answers, from disguised test responses (Du & Zhan, Eq. 15).

There are two unbiased estimators of the accuracy (Du & Zhan 2003, Eq. 15; docs/guarantee.md, section 2). The accuracy
of a tree is the sum over leaves of P(leaf and class = the leaf's label). The accuracy of a tree takes time linear in
the number of groups, because its weights are products over groups. The accuracy of a classifier without a tree is
computed from the signed copies of each response (`miner.evaluation.copies`). Both estimators of the accuracy are means
over responses, which gives a standard error and an interval.
"""

from collections.abc import Callable, Collection

import numpy as np
from numpy.typing import NDArray

from collector.errors import QueryError
from miner.estimates.estimate import estimate
from miner.evaluation.copies import asked_questions, signed_sums
from miner.figures.estimate import Estimate, Range
from miner.figures.means import mean_estimate
from miner.responses.responses import Data, Responses, Values, codes_of_values
from miner.trees.paths import fewest_at_leaves, largest_sum_at_leaves, most_stood_for, right_weights
from miner.trees.tree import Tree

Predict = Callable[[Values], NDArray[np.integer]]
"""From value indices, shape (rows, questions of the survey), -1 in the class column, to class indices."""
ROUNDING = 1e-12
FEWEST_ASKED = 30  # smallest number of asked respondents for an interval, in a split questionnaire
SEED = 1  # seed of drawn copies, so that equal responses give equal accuracies


def tree_accuracy(responses: Responses, tree: Tree, target: str) -> Estimate:
    """Estimate the accuracy of a tree from held-out disguised responses, by a sum over its leaves.

    Raises:
        QueryError: If there are no responses, the target is not a question, or too few people were asked all questions
            on the path to some leaf.
    """
    if len(responses):
        check_asked(responses, tree, target)
    terms = right_weights(responses, tree, target)
    mean = float(terms.sum()) / max(1, len(terms))  # where there are none, the estimate is refused below
    largest = largest_sum_at_leaves(responses.survey, tree, target)
    return mean_estimate(terms, stretched(term_range(largest), mean, most_stood_for(responses, tree, target)))


def stretched(extremes: Range, mean: float, times: float) -> Range:
    """Return a range whose distances from a mean are multiplied by a factor."""
    return mean + times * (extremes[0] - mean), mean + times * (extremes[1] - mean)


def check_asked(responses: Responses, tree: Tree, target: str) -> None:
    """Check that enough respondents were asked all questions on the path to each leaf.

    Raises:
        QueryError: If too few respondents were asked all questions on the path to some leaf.
    """
    if responses.survey.sampling is not None and fewest_at_leaves(responses, tree, target) < FEWEST_ASKED:
        problem = f"to some leaf, fewer than {FEWEST_ASKED} people were asked all questions on the way"
        raise QueryError(
            "sampling",
            problem,
            "limit the depth of the tree, ask each person more questions, or collect more responses",
        )


def copies_accuracy(
    responses: Responses, predict: Predict, target: str, names: Collection[str] | None = None
) -> Estimate:
    """Estimate the accuracy of any classifier as the mean signed weight of its correctly predicted copies.

    Args:
        responses: Disguised test responses.
        predict: Function from value indices to class indices.
        target: Name of the class question.
        names: Names of the questions that the classifier uses, or None for all but the class question.

    Raises:
        QueryError: If there are no responses, or the target is not a question.
    """
    asked = asked_questions(responses.survey, names, target)
    copies, rows = signed_sums(responses, target, asked, np.random.default_rng(SEED))
    right = np.eye(len(responses.survey.question(target).values))[np.asarray(predict(rows))]
    return mean_estimate(copies.weighed(right), term_range(copies.size), copies.counts)


def always(responses: Data, label: int, target: str) -> Estimate:
    """Estimate the accuracy of always predicting one class, which is the baseline for any accuracy."""
    return estimate(responses, {target: codes_of_values(responses.survey.question(target), {label})})


def majority(responses: Data, target: str) -> int:
    """Return the index of the class with the largest estimated share.

    Among equally frequent classes, the first is returned.

    Raises:
        QueryError: If there are no responses, or the target is not a question.
    """
    classes = range(len(responses.survey.question(target).values))
    shares = np.array([always(responses, label, target).estimate for label in classes])
    return int(np.argmax(shares >= shares.max() - ROUNDING))


def term_range(size: float) -> Range:
    """Return the smallest and the largest possible term of a response in the estimated accuracy.

    The term of a response is the sum of the signed weights of its copies that are predicted correctly.
    """
    return (1 - size) / 2, (1 + size) / 2
