"""Train and test a model: hold some responses out, fit on the others, measure on those held out.

Test responses are disguised like all others, so that accuracy is estimated, with an interval (`miner.evaluate`).
"""

from fractions import Fraction

import numpy as np

from collector.errors import ModelError, QueryError
from miner.arrays import Positions
from miner.counting.gathered import LARGE, Gathered
from miner.estimates.estimate import Estimate
from miner.evaluation.accuracy import SEED, always, majority
from miner.evaluation.dependence import Dependence, partial_dependence
from miner.evaluation.evaluation import Evaluation
from miner.evaluation.implied import WIDE, implied_accuracy
from miner.evaluation.importances import Importances, permutation_importances
from miner.evaluation.measures import evaluate
from miner.learners.classifier import DisguisedClassifier, survey_target
from miner.learners.kinds import kind_of
from miner.models.model import Model, ModelAccuracy, Training
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Responses
from miner.responses.source import Source, in_memory

MOST_TESTED = 2**20  # responses


def split(responses: int, test_share: Fraction, seed: int) -> tuple[Positions, Positions]:
    """Positions of responses to train on and of those to keep out: two ascending arrays.

    Args:
        responses: How many there are.
        test_share: The share to keep out: at least 0, below 1.
        seed: Decides which; the same number of responses is always dealt in the same way.

    Raises:
        QueryError: If the share is out of range, or so few responses leave nothing to train or to test on.
    """
    kept_out = np.zeros(responses, np.bool_)
    kept_out[np.random.default_rng(seed).permutation(responses)[: _kept_out(responses, test_share)]] = True
    return np.flatnonzero(~kept_out), np.flatnonzero(kept_out)


def learnt_from(responses: int, test_share: Fraction) -> int:
    """The number of responses that are left to learn from.

    Raises:
        QueryError: As for `split`.
    """
    return responses - _kept_out(responses, test_share)


def _kept_out(responses: int, test_share: Fraction) -> int:
    """The number of responses to keep out: at most `MOST_TESTED`; more hardly shorten an interval."""
    if not 0 <= test_share < 1:
        raise QueryError("test share", "it is not at least 0 and below 1", "give a share such as 1/3")
    kept_out = min(round(responses * test_share), MOST_TESTED)
    if kept_out == responses or (test_share > 0 and not kept_out):
        raise QueryError("responses", f"{responses} cannot be shared out so", "collect more, or give a test share of 0")
    return kept_out


def _dealt(responses: Source, test_share: Fraction, seed: int) -> tuple[Responses | Gathered, Responses]:
    """The responses to train on, and those to keep out; of more than `LARGE` only the latter are in memory."""
    if len(responses) <= LARGE:
        every = in_memory(responses)
        learnt, kept_out = split(len(responses), test_share, seed)
        return every.take(learnt), every.take(kept_out)
    rest, some = Gathered.of(responses).dealt(_kept_out(len(responses), test_share), seed)
    return rest, some.in_memory()


def train(
    responses: Source, classifier: DisguisedClassifier, test_share: Fraction, seed: int, plain: PlainRows | None = None
) -> Model:
    """Train a model, and test it on responses kept out of training.

    Args:
        responses: Disguised responses to one version of a survey. Of more than `miner.counting.gathered.LARGE` a
            classifier that needs all at once learns from a sample of so many, which `Training.n_train` tells.
        classifier: What to fit, with its parameters; a learner of `miner.learners.kinds`, made for this survey.
        test_share: As for `split`.
        seed: As for `split`.
        plain: The analyst's own rows, all of which are learnt from and none tested on.

    Raises:
        QueryError: If there is no target, a parameter is unknown, or there are too few responses.
    """
    return trained(responses, classifier, test_share, seed, plain)[0]


def trained(
    responses: Source, classifier: DisguisedClassifier, test_share: Fraction, seed: int, plain: PlainRows | None = None
) -> tuple[Model, Responses, Evaluation | None]:
    """`train`, with the responses kept out and every measure on them (None where there are none)."""
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
    responses: Source, classifier: DisguisedClassifier, test_share: Fraction, seed: int, plain: PlainRows | None
) -> tuple[Source, Responses]:
    """Fit a classifier. Returns the responses that it learnt from, and those kept out."""
    rest, test = _dealt(responses if plain is None else in_memory(responses), test_share, seed)
    if isinstance(rest, Gathered) and plain is not None:
        rest = rest.in_memory()
    if isinstance(rest, Responses):
        classifier.fit(rest, plain=plain)
        return rest, test
    if classifier.counts_parts:
        classifier.fit_many(rest)
        return rest, test
    sample = rest.sample(LARGE, seed)
    classifier.fit(sample)
    return sample, test


def measured(classifier: DisguisedClassifier, test: Responses, target: str, seed: int) -> Evaluation:
    """Every measure of a fitted model on disguised test responses.

    Raises:
        QueryError: If there are no responses.
    """
    return evaluate(test, classifier, target, rng=np.random.default_rng(seed))


def tested(evaluation: Evaluation, label: int, test: Responses, classifier: DisguisedClassifier) -> ModelAccuracy:
    """The accuracy of a model on disguised test responses, compared with always predicting one class.

    If its standard error is above `miner.evaluation.implied.WIDE`, the accuracy that a fitted model of the test
    responses implies is computed, too.

    Args:
        evaluation: Every measure of the model on the test responses.
        label: Index of the class to compare with.
        test: The test responses.
        classifier: The fitted model.
    """
    baseline, accuracy, implied = always(test, label, evaluation.target), evaluation.accuracy, None
    if not accuracy.model_based and (accuracy.standard_error or 0) > WIDE:
        implied = implied_accuracy(test, classifier.probabilities, evaluation.target, np.random.default_rng(SEED))
    return ModelAccuracy(accuracy, baseline, evaluation.classes[label], evaluation.auc, implied)


def importances(model: Model, test: Responses) -> Importances:
    """The fall of a model's accuracy when the answers to one question are shuffled among test responses.

    Raises:
        QueryError: If there are fewer.
    """
    rng = np.random.default_rng(model.training.seed or 0)
    return permutation_importances(test, model.classifier, model.target, rng=rng)


def dependence(model: Model, test: Responses) -> Dependence:
    """The mean probability of each class if all people gave one answer, for each value of each question.

    Raises:
        QueryError: If there are none, or too few were asked all that it looks at.
    """
    rng = np.random.default_rng(model.training.seed or 0)
    return partial_dependence(test, model.classifier, model.target, rng=rng)


def part_to_test_on(model: Model, responses: Source) -> tuple[Responses, bool]:
    """The responses to test a model on, and whether they were kept out of its training.

    They are if there are just as many responses as there were at training, of which some were kept out then. Otherwise
    all are tested on, or of more than `LARGE` a random sample of `MOST_TESTED`.

    Raises:
        ModelError: If the responses are to another survey, or another version of it.
    """
    if responses.survey.fingerprint != model.survey.fingerprint:
        raise ModelError(
            f'survey "{responses.survey.name}"',
            "it is not the survey, or not the version, that the model was trained on",
            "evaluate it on responses to the same version (--version)",
        )
    training = model.training
    same = len(responses) == training.n_train + training.n_test and training.n_test > 0
    if not same or training.seed is None:
        if len(responses) > LARGE:
            return Gathered.of(responses).sample(MOST_TESTED, training.seed or 0), False
        return in_memory(responses), False
    return _dealt(responses, training.test_share, training.seed)[1], True


def judged(model: Model, test: Responses) -> tuple[ModelAccuracy, Evaluation]:
    """The accuracy of a model on responses to the survey it was trained on, and every other measure of it.

    The baseline predicts the class that was most frequent in training, if a test said so, else here.

    Raises:
        QueryError: If there are none.
    """
    classes = model.survey.question(model.target).values
    outcome = model.training.outcome
    label = classes.index(outcome.label) if outcome else majority(test, model.target)
    evaluation = measured(model.classifier, test, model.target, model.training.seed or 0)
    return tested(evaluation, label, test, model.classifier), evaluation


def out_of_bag(classifier: DisguisedClassifier) -> dict[str, Estimate]:
    """The accuracy of a forest that was asked for it out of bag, as ``out_of_bag``; nothing of any other model."""
    found = getattr(classifier, "oob_estimate_", None)
    return {} if found is None else {"out_of_bag": found}
