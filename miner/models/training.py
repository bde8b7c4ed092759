"""Train a model, and test it on responses that were held out from training.

The test responses are disguised as well, so the accuracy of a model is an estimate with an interval.
"""

from fractions import Fraction

import numpy as np

from collector.errors import ModelError, QueryError
from miner.arrays import Positions
from miner.evaluation.accuracy import SEED, always, majority
from miner.evaluation.dependence import Dependence, partial_dependence
from miner.evaluation.evaluation import Evaluation
from miner.evaluation.implied import WIDE, implied_accuracy
from miner.evaluation.importances import Importances, permutation_importances
from miner.evaluation.measures import evaluate
from miner.figures.estimate import Estimate
from miner.learners.classifier import DisguisedClassifier, survey_target
from miner.learners.kinds import kind_of
from miner.learners.mode_classifier import FAITHFUL, ROBUST
from miner.models.model import Model, ModelAccuracy, Training
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Data, Responses

LARGE = 2**22
"""More responses are learnt from in parts or, by what needs all of them at once, from a sample of so many."""
MOST_TESTED = 2**20  # largest number of held-out responses


def split(responses: int, test_share: Fraction, seed: int) -> tuple[Positions, Positions]:
    """Return the positions of responses to train on, and the positions of responses to hold out, both ascending.

    Args:
        responses: Number of responses.
        test_share: Share of responses to hold out, at least 0 and below 1.
        seed: Seed of the split into training and test responses.

    Raises:
        QueryError: If the test share is out of range, or there are too few responses for training and testing.
    """
    kept_out = np.zeros(responses, np.bool_)
    kept_out[np.random.default_rng(seed).permutation(responses)[: _kept_out(responses, test_share)]] = True
    return np.flatnonzero(~kept_out), np.flatnonzero(kept_out)


def learnt_from(responses: int, test_share: Fraction) -> int:
    """Return the number of responses that are not held out from training.

    Raises:
        QueryError: If the test share is out of range, or there are too few responses.
    """
    return responses - _kept_out(responses, test_share)


def _kept_out(responses: int, test_share: Fraction) -> int:
    """Return the number of responses to hold out, at most `MOST_TESTED`."""
    if not 0 <= test_share < 1:
        raise QueryError("test share", "the share is not at least 0 and below 1", "give a share such as 1/3")
    kept_out = min(round(responses * test_share), MOST_TESTED)
    if kept_out == responses or (test_share > 0 and not kept_out):
        raise QueryError(
            "responses",
            f"{responses} responses are too few for this test share",
            "collect more responses, or give a test share of 0",
        )
    return kept_out


def _dealt(responses: Data, test_share: Fraction, seed: int) -> tuple[Data, Responses]:
    """Return the responses to train on, and the responses to hold out.

    If there are more than `LARGE` responses, the training responses are only counted and not held in memory.
    """
    if len(responses) <= LARGE:
        every = responses.in_memory()
        learnt, kept_out = split(len(responses), test_share, seed)
        return every.take(learnt), every.take(kept_out)
    rest, some = responses.dealt(_kept_out(len(responses), test_share), seed)
    return rest, some.in_memory()


def train(
    responses: Data, classifier: DisguisedClassifier, test_share: Fraction, seed: int, plain: PlainRows | None = None
) -> Model:
    """Train a model, and test it on responses that are held out from training.

    Args:
        responses: Disguised responses to one version of a survey.
        classifier: Unfitted learner of `miner.learners.kinds` with its parameters, made for this survey.
        test_share: Share of responses to hold out, at least 0 and below 1.
        seed: Seed of the split into training and test responses.
        plain: Undisguised rows of the analyst, which are used for training but not for testing.

    Raises:
        QueryError: If there is no class question, a parameter is unknown, or there are too few responses.
    """
    return trained(responses, classifier, test_share, seed, plain)[0]


def trained(
    responses: Data, classifier: DisguisedClassifier, test_share: Fraction, seed: int, plain: PlainRows | None = None
) -> tuple[Model, Responses, Evaluation | None]:
    """Return the trained model, the held-out responses, and all measures of the model on these responses."""
    target = survey_target(responses.survey, classifier.target)
    learnt, test = _fitted(responses, classifier, test_share, seed, plain)
    count, label = len(learnt), majority(learnt, target) if len(test) else 0
    del learnt  # so that its memory is free for the test
    evaluation = measured(classifier, test, target, seed) if len(test) else None
    outcome = None if evaluation is None else tested(evaluation, label, test, classifier)
    own = 0 if plain is None else plain.count
    training = Training(count, len(test), test_share, seed, outcome, own, responses.simulated)
    kind = kind_of(classifier)
    return Model(kind, responses.survey, target, classifier, training), test, evaluation


def _fitted(
    responses: Data, classifier: DisguisedClassifier, test_share: Fraction, seed: int, plain: PlainRows | None
) -> tuple[Data, Responses]:
    """Fit a classifier, and return its training responses and the held-out responses."""
    rest, test = _dealt(responses if plain is None else responses.in_memory(), test_share, seed)
    if plain is not None:
        rest = rest.in_memory()
    if not isinstance(rest, Responses) and not learns_in_parts(classifier):
        rest = rest.sample(LARGE, seed)
    classifier.fit(rest, plain=plain)
    return rest, test


def learns_in_parts(classifier: DisguisedClassifier) -> bool:
    """Return whether a learner needs only a part of the responses at once, with its parameters."""
    given = classifier.get_params()
    counts = given.get("mode") in {FAITHFUL, ROBUST} or kind_of(classifier) == "random-trees"
    return counts and given.get("prune_share") is None and not given.get("oob_score")


def measured(classifier: DisguisedClassifier, test: Responses, target: str, seed: int) -> Evaluation:
    """Return all measures of a fitted model on disguised test responses.

    Raises:
        QueryError: If there are no responses.
    """
    return evaluate(test, classifier, target, rng=np.random.default_rng(seed))


def tested(evaluation: Evaluation, label: int, test: Responses, classifier: DisguisedClassifier) -> ModelAccuracy:
    """Return the accuracy of a model on disguised test responses, with the accuracy of always predicting one class.

    If the standard error of the accuracy is large, an accuracy computed from a fitted model of the test responses is
    added.

    Args:
        evaluation: All measures of the model on the test responses.
        label: Index of the class that is always predicted for comparison.
        test: Disguised test responses.
        classifier: Fitted model.
    """
    baseline, accuracy, implied = always(test, label, evaluation.target), evaluation.accuracy, None
    if not accuracy.model_based and (accuracy.standard_error or 0) > WIDE:
        implied = implied_accuracy(test, classifier.probabilities, evaluation.target, np.random.default_rng(SEED))
    return ModelAccuracy(accuracy, baseline, evaluation.classes[label], evaluation.auc, implied)


def importances(model: Model, test: Responses) -> Importances:
    """Return, for each question, how much the accuracy of a model decreases if the answers to it are shuffled.

    Raises:
        QueryError: If there are fewer than two test responses.
    """
    rng = np.random.default_rng(model.training.seed or 0)
    return permutation_importances(test, model.classifier, model.target, rng=rng)


def dependence(model: Model, test: Responses) -> Dependence:
    """Estimate the mean probability of each class if all people gave the same answer, for each value of each question.

    Raises:
        QueryError: If there are no responses, or too few people were asked all questions that the model uses.
    """
    rng = np.random.default_rng(model.training.seed or 0)
    return partial_dependence(test, model.classifier, model.target, rng=rng)


def part_to_test_on(model: Model, responses: Data) -> tuple[Responses, bool]:
    """Return the responses to test a model on, and whether they were held out from its training.

    If the number of responses has changed since training, the model is tested on all responses, or on a random sample
    if there are more than `LARGE`.

    Raises:
        ModelError: If the responses belong to another survey or version than the model.
    """
    if responses.survey.fingerprint != model.survey.fingerprint:
        raise ModelError(
            f'survey "{responses.survey.name}"',
            "the model was trained on another survey or another version",
            "evaluate the model on responses to the same version (--version)",
        )
    training = model.training
    same = len(responses) == training.n_train + training.n_test and training.n_test > 0
    if not same or training.seed is None:
        if len(responses) > LARGE:
            return responses.sample(MOST_TESTED, training.seed or 0), False
        return responses.in_memory(), False
    return _dealt(responses, training.test_share, training.seed)[1], True


def judged(model: Model, test: Responses) -> tuple[ModelAccuracy, Evaluation]:
    """Return the accuracy of a model on test responses, and all other measures of the model.

    The baseline always predicts the most frequent class in training or, if unknown, in the test responses.

    Raises:
        QueryError: If there are no responses.
    """
    classes = model.survey.question(model.target).values
    outcome = model.training.outcome
    label = classes.index(outcome.label) if outcome else majority(test, model.target)
    evaluation = measured(model.classifier, test, model.target, model.training.seed or 0)
    return tested(evaluation, label, test, model.classifier), evaluation


def out_of_bag(classifier: DisguisedClassifier) -> dict[str, Estimate]:
    """Return the out-of-bag accuracy of a forest under the key ``out_of_bag``, or an empty dictionary."""
    found = getattr(classifier, "oob_estimate_", None)
    return {} if found is None else {"out_of_bag": found}
