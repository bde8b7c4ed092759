"""What a report says, before it is laid out: estimates, a tree, a forest, how good they are, and who learns what.

Tree and forest learn from the same responses and are measured on the same others, which neither has seen.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import QueryError
from collector.store.simulated import Simulated
from collector.survey.question import Question
from collector.survey.survey import Survey
from miner.attacks.audit_survey import FEWEST_PER_FOLD, FOLDS, SurveyAudit, audit_survey
from miner.estimates.estimate import Estimate, estimates
from miner.evaluation.evaluation import Evaluation
from miner.evaluation.importances import Importances
from miner.learners.classifier import DisguisedClassifier, survey_target
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.models.model import Model
from miner.models.training import importances, measured, split, train
from miner.responses.responses import Responses, codes_of_values

FEWEST = 60  # responses that tell anything about a model
TEST_SHARE = Fraction(1, 3)
LIBRARIES = ("deniable", "numpy", "pandas", "scikit-learn", "numba")


@dataclass(frozen=True)
class Frequencies:
    """The estimated frequency of every value of a question.

    Attributes:
        question: Which.
        values: In its order.
    """

    question: Question
    values: tuple[tuple[str, Estimate], ...]


@dataclass(frozen=True, eq=False)
class Learnt:
    """A model with how it does on responses that it has not seen.

    Attributes:
        model: Trained.
        evaluation: On the test responses.
        importances: How far its accuracy falls without each question; None where too few were asked all it looks at.
    """

    model: Model
    evaluation: Evaluation
    importances: Importances | None


@dataclass(frozen=True, eq=False)
class Findings:
    """All that a report says.

    Attributes:
        survey: The published design.
        responses: How many.
        simulated: What is known of simulated ones among them; None if nothing says that there are.
        privacy: What the design reveals.
        frequencies: One for each question, in order.
        tree: None where the survey has no target, or there are too few responses.
        forest: Likewise.
        audit: How well the coins could be guessed; None where there are too few responses, or none can be made.
        seed: Repeats the report.
        versions: Of Python and the libraries.
    """

    survey: Survey
    responses: int
    simulated: Simulated | None
    privacy: SurveyPrivacy
    frequencies: tuple[Frequencies, ...]
    tree: Learnt | None
    forest: Learnt | None
    audit: SurveyAudit | None
    seed: int
    versions: dict[str, str]


def findings(responses: Responses, target: str | None, seed: int) -> Findings:
    """Find out all there is to report.

    Args:
        responses: Disguised responses to one version of a survey, at least one.
        target: Name of the class question; the survey's own if None; no models where there is neither.
        seed: Decides what chance decides.

    Raises:
        QueryError: If there are no responses, or the target is no question.
    """
    survey = responses.survey
    if not len(responses):
        raise QueryError("responses", "there are none to report on", "collect some first")
    tree = forest = None
    name = survey_target(survey, target) if target or survey.target else None
    if name is not None and len(responses) >= FEWEST:
        tree = _learnt(responses, ID3Classifier(survey, name, random_state=seed), seed)
        forest = _learnt(responses, ForestClassifier(survey, name, random_state=seed), seed)
    enough = len(responses) >= FOLDS * FEWEST_PER_FOLD and len(survey.groups) > 0
    return Findings(
        survey=survey,
        responses=len(responses),
        simulated=responses.simulated,
        privacy=SurveyPrivacy(survey),
        frequencies=tuple(_frequencies(responses, question) for question in survey.questions),
        tree=tree,
        forest=forest,
        audit=audit_survey(responses, np.random.default_rng(seed)) if enough else None,
        seed=seed,
        versions=_versions(),
    )


def _frequencies(responses: Responses, question: Question) -> Frequencies:
    events = [{question.name: codes_of_values(question, {value})} for value in range(len(question.values))]
    return Frequencies(question, tuple(zip(question.values, estimates(responses, events), strict=True)))


def _learnt(responses: Responses, classifier: DisguisedClassifier, seed: int) -> Learnt:
    model = train(responses, classifier, TEST_SHARE, seed)
    test = responses.take(split(len(responses), TEST_SHARE, seed)[1])
    return Learnt(model, measured(classifier, test, model.target, seed), _importances(model, test))


def _importances(model: Model, test: Responses) -> Importances | None:
    try:
        return importances(model, test)
    except QueryError:  # of a split questionnaire, where no person, or one, was asked all that it looks at
        if test.survey.sampling is None:
            raise
        return None


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # a checkout that was never installed
            found[name] = "not installed"
    return found
