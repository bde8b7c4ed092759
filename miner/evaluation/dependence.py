"""Estimate the partial dependence of a classifier on each question, from disguised responses.

Partial dependence (Friedman 2001) is the mean over people of the predicted probability of a class if everybody gave the
same answer to one question. Signed copies (`miner.evaluation.copies`) represent the true answers, so that partial
dependence is unbiased for any classifier. The interval of a partial dependence includes the sampling of people, but not
the uncertainty of the classifier. The intervals of a logit's margins include the uncertainty of the model
(`miner.effects.coefficients`).
"""

from collections.abc import Collection

import numpy as np

from collector.errors import QueryError
from miner.arrays import Floats
from miner.estimates.estimate import estimates
from miner.evaluation.accuracy import FEWEST_ASKED, stretched
from miner.evaluation.copies import Copies, asked_questions, signed_sums
from miner.evaluation.copy_sums import CopySums
from miner.evaluation.predictor import Classifier, Predict, predictor
from miner.figures.estimate import NOT_KNOWN, Estimate
from miner.figures.means import mean_estimate
from miner.responses.condition import event_of
from miner.responses.responses import Responses

Dependence = dict[str, dict[str, dict[str, Estimate]]]
"""For each question, for each of its values that people gave, for each class: the mean probability of the class."""

NOWHERE = (0.0, 0.0)  # interval that stands for a missing interval


def partial_dependence(
    responses: Responses,
    classifier: Classifier | Predict,
    target: str,
    *,
    rng: np.random.Generator,
    asked: Collection[str] | None = None,
) -> Dependence:
    """Estimate the mean probability of each class if all people gave the same answer, for each value of each question.

    If the interval of a value's share contains 0, the value is left out.

    Args:
        responses: Disguised responses, preferably of people that the classifier was not fitted to.
        classifier: Fitted classifier, of a kind that `evaluate` accepts.
        target: Name of the class question.
        rng: Random generator that draws signed copies if there are too many to list.
        asked: Names of the questions that the classifier uses. If `asked` is None, the names are the classifier's
            `feature_names_in_`, or all questions but the class question.

    Raises:
        QueryError: If a name is not a question, there are no responses, or fewer than `FEWEST_ASKED` people were asked
            all questions of the classifier.
        ModelError: If the classifier knows a class that is not a value of the class question.
    """
    survey = responses.survey
    names = asked_questions(survey, getattr(classifier, "feature_names_in_", None) if asked is None else asked, target)
    if responses.asked_all([*names, target]).sum() < min(FEWEST_ASKED, len(responses)):
        raise QueryError("partial dependence", NOT_KNOWN, "leave out the partial dependence")
    copies, rows = signed_sums(responses, target, names, rng)
    predict, classes = predictor(classifier, survey, target, names), survey.question(target).values
    found: Dependence = {}
    for name in names:
        column, question = survey.column(name), survey.question(name)
        given = estimates(responses, [event_of(survey, {name: {value}}) for value in range(len(question.values))])
        found[name] = {}
        for value, word in enumerate(question.values):
            if (given[value].interval or NOWHERE)[0] <= 0:
                continue
            answered = rows.copy()
            answered[:, column] = value
            shares = predict(answered)
            every = np.ones_like(shares)
            means = {cls: _mean(copies, every * shares[:, [n]]) for n, cls in enumerate(classes)}
            found[name][word] = means
    return found


def _mean(copies: Copies | CopySums, shares: Floats) -> Estimate:
    terms, counts = copies.weighed(shares), copies.counts
    ends = (1 - copies.size) / 2, (1 + copies.size) / 2
    return mean_estimate(terms, stretched(ends, float(counts @ terms / counts.sum()), copies.times), counts)
