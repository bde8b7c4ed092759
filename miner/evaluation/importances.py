"""Estimate the permutation importance of each question for a classifier's accuracy, from disguised test responses.

Breiman (2001) permutes the answers to one question among the test rows and measures the decrease in accuracy. In this
module no answers are permuted. All answers to a question are set to each value v in turn, and the accuracies are
averaged with the frequencies of v as weights. The average over values is the expected accuracy after a permutation. The
frequency of a value and the accuracy under the value are both signed means over responses (`miner.weights.weights`,
`miner.evaluation.copies`). The estimated decrease in accuracy is

    mean over pairs i, j of different responses of   sum over v of  W_j(question = v) (right_i - right_i under v)

The estimate is a U-statistic, unbiased for the decrease on the true answers. Projections on single responses (Hoeffding
1948) give a standard error and an interval that include the error of the values' frequencies. If a question changes no
prediction, its importance and its standard error are 0. As with all permutation importances, correlated questions share
their importance.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import asdict

import numpy as np

from collector.errors import QueryError
from miner.arrays import Floats
from miner.evaluation.copies import asked_questions, distinct_responses, signed_sums, tree_questions
from miner.evaluation.predictor import Classifier, Predict, predictor, tree_of
from miner.figures.estimate import Amount, Difference
from miner.figures.means import mean_estimate
from miner.responses.responses import Responses, codes_of_values
from miner.trees.paths import right_weights
from miner.trees.tree import Tree
from miner.weights.weights import ProductWeights

Importances = dict[str, Amount]
"""For each question, in the survey's order, how much less accurate the classifier is without it: signed, up to 1."""


def permutation_importances(
    responses: Responses,
    classifier: Classifier | Tree | Predict,
    target: str,
    *,
    rng: np.random.Generator,
    asked: Collection[str] | None = None,
) -> Importances:
    """Estimate, for each question, the expected decrease in accuracy if its answers are permuted.

    In a split questionnaire, only respondents who were asked the class question and all questions of the classifier are
    included.

    Args:
        responses: Disguised test responses, at least two.
        classifier: Classifier fitted to other responses. A tree's importances need no drawn copies, because they are
            sums over its leaves (`miner.trees.paths`).
        target: Name of the class question.
        rng: Random generator that draws signed copies if there are too many to list.
        asked: Names of the questions that the classifier uses.

    Raises:
        QueryError: If a name is not a question, or fewer than two respondents were asked all questions of the
            classifier.
        ModelError: If the classifier knows a class that is not a value of the class question.
    """
    survey, tree = responses.survey, tree_of(classifier)
    if tree is not None:
        return _tree_importances(responses, tree, target)
    names = getattr(classifier, "feature_names_in_", None) if asked is None else asked
    names = asked_questions(survey, names, target)
    responses = responses.among_asked({*names, target})
    copies, rows = signed_sums(responses, target, names, rng)
    predict = predictor(classifier, survey, target, names)
    sent = responses.take(distinct_responses(responses, {*names, target})[0]) if copies.exact else responses
    label = np.eye(len(survey.question(target).values))
    own = label[predict(rows).argmax(axis=1)]

    def falls(name: str) -> Iterator[Floats]:
        column = survey.column(name)
        for value in range(len(survey.question(name).values)):
            answered = rows.copy()
            answered[:, column] = value
            yield copies.weighed(own - label[predict(answered).argmax(axis=1)])

    return _importances(sent, copies.counts, names, falls)


def _tree_importances(responses: Responses, tree: Tree, target: str) -> Importances:
    """Return the importances for a tree, by sums over its leaves."""
    survey = responses.survey
    used = tree_questions(survey, tree)
    first, counts = distinct_responses(responses, {*used, target})
    sent = responses.take(first)
    own = right_weights(sent, tree, target, counts)

    def falls(name: str) -> Iterator[Floats]:
        column = survey.column(name)
        for value in range(len(survey.question(name).values)):
            yield (
                own - right_weights(sent, tree.answered(column, value), target, counts)
                if name in used
                else np.zeros(len(own))
            )

    return _importances(sent, counts, asked_questions(survey, None, target), falls)


def _importances(
    sent: Responses, counts: Floats, names: list[str], falls: Callable[[str], Iterator[Floats]]
) -> Importances:
    """Return each question's importance: the mean decrease in accuracy if its answers are replaced at random."""
    if counts.sum() < 2:
        raise QueryError(
            "responses", "there are fewer than two responses, which importances need", "collect more responses first"
        )
    weights = ProductWeights(sent)
    found = {}
    for name in names:
        question = sent.survey.question(name)
        events = [{name: codes_of_values(question, {value})} for value in range(len(question.values))]
        shares = np.stack([weights.terms(event, counts) for event in events], axis=1)
        found[name] = _paired(shares, np.stack(list(falls(name)), axis=1), counts)
    return found


def _paired(shares: Floats, falls: Floats, counts: Floats) -> Amount:
    """Estimate the decrease in accuracy, with an interval, as a mean over pairs of different responses.

    The three arrays have shapes (rows, values), (rows, values) and (rows,).
    """
    n = counts.sum()
    every, fallen = counts @ shares, counts @ falls
    itself = (shares * falls).sum(axis=1)
    mean = (every @ fallen - counts @ itself) / (n * (n - 1))
    terms = (shares @ fallen + falls @ every - 2 * itself) / (n - 1) - mean
    extremes = float(terms.min()), float(terms.max())
    return Difference(**asdict(mean_estimate(terms, extremes, counts)))
