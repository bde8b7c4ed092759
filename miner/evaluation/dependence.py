"""Partial dependence of a classifier on each question, estimated from disguised responses.

Friedman (2001): the mean over people of the probability that the classifier gives a class, if all gave one answer to a
question, their other answers being what they are. Signed copies (`miner.evaluation.copies`) stand for the answers, so
that the mean is unbiased for any classifier. Its interval is of the mean over all people *of this classifier*: how
uncertain the classifier itself is, is not in it (for a logit that is: `miner.effects.coefficients`).
"""

from collections.abc import Collection

import numpy as np

from collector.errors import QueryError
from miner.arrays import Floats
from miner.estimates.estimate import NOT_KNOWN, Estimate, estimates, mean_estimate
from miner.evaluation.accuracy import FEWEST_ASKED, stretched
from miner.evaluation.copies import Copies, asked_questions, signed_sums
from miner.evaluation.copy_sums import CopySums
from miner.evaluation.predictor import Classifier, Predict, predictor
from miner.responses.condition import event_of
from miner.responses.responses import Responses

Dependence = dict[str, dict[str, dict[str, Estimate]]]
"""For each question, for each of its values that people gave, for each class: the mean probability of the class."""

NOWHERE = (0.0, 0.0)  # the interval where there is none


def partial_dependence(
    responses: Responses,
    classifier: Classifier | Predict,
    target: str,
    *,
    rng: np.random.Generator,
    asked: Collection[str] | None = None,
) -> Dependence:
    """The mean probability of each class if all people gave one answer, for each value of each question.

    A value that nobody may have given, as the interval of its share reaches 0, is left out: what the classifier says of
    it was learnt from nobody.

    Args:
        responses: Disguised, best of people that the classifier was not fitted to.
        classifier: Fitted, as for `evaluate`.
        target: Name of the class question.
        rng: Draws signed copies if there are too many to enumerate.
        asked: Names of the questions that the classifier uses; if None those in its `feature_names_in_`, else all but
            the target.

    Raises:
        QueryError: If a name is not a question, there are no responses, or fewer than `FEWEST_ASKED` people were asked
            all that the classifier uses.
        ModelError: If the classifier knows a class that is no value of the target.
    """
    survey = responses.survey
    names = asked_questions(survey, getattr(classifier, "feature_names_in_", None) if asked is None else asked, target)
    if responses.asked_all([*names, target]).sum() < min(FEWEST_ASKED, len(responses)):
        raise QueryError("partial dependence", NOT_KNOWN, "leave it out")
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
