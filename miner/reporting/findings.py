"""What a report says, before it is laid out: estimates, models, how good they are, and who learns what.

All models learn from the same responses and are measured on the same others, which none has seen.
"""

import platform
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from typing import TypeVar, cast

import numpy as np

from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import QueryError
from collector.store.simulated import Simulated
from collector.survey.survey import Survey
from miner.attacks.audit_survey import FEWEST_PER_FOLD, FOLDS, SurveyAudit, audit_survey
from miner.estimates.estimate import Estimate, frequencies
from miner.evaluation.dependence import Dependence
from miner.evaluation.evaluation import Evaluation
from miner.evaluation.importances import Importances
from miner.learners.auto import AutoClassifier
from miner.learners.classifier import DisguisedClassifier, survey_target
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.learners.logit import LogitClassifier
from miner.learners.modes import AUTO, LATENT, ROBUST
from miner.models.model import Model
from miner.models.training import dependence, importances, trained
from miner.responses.responses import Responses

T = TypeVar("T")
FEWEST = 60  # responses that tell anything about a model
TEST_SHARE = Fraction(1, 3)
LIBRARIES = ("deniable", "numpy", "pandas", "scikit-learn", "numba")


@dataclass(frozen=True, eq=False)
class Learnt:
    """A model with how it does on responses that it has not seen.

    Attributes:
        model: Trained.
        evaluation: On the test responses.
        importances: How far its accuracy falls without each question; None where too few were asked all it looks at.
        dependence: The mean probability of each class if all gave one answer; None likewise, and where not asked for.
    """

    model: Model
    evaluation: Evaluation
    importances: Importances | None
    dependence: Dependence | None = None


@dataclass(frozen=True, eq=False)
class Findings:
    """All that a report says.

    Attributes:
        survey: The published design.
        responses: How many.
        simulated: What is known of simulated ones among them; None if nothing says that there are.
        privacy: What the design reveals.
        frequencies: Of the values of each question.
        chosen: What `auto` has chosen; None where the survey has no target, or there are too few responses.
        logit: Likewise a logistic regression,
        tree: a tree,
        forest: and a forest.
        audit: How well the coins could be guessed; None where there are too few responses, or none can be made.
        seed: Repeats the report.
        versions: Of Python and the libraries.
    """

    survey: Survey
    responses: int
    simulated: Simulated | None
    privacy: SurveyPrivacy
    frequencies: dict[str, tuple[Estimate | None, ...]]
    chosen: Learnt | None
    logit: Learnt | None
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
    chosen = logit = tree = forest = None
    name = survey_target(survey, target) if target or survey.target else None
    if name is not None and len(responses) >= FEWEST:
        auto = AutoClassifier(survey, name, random_state=seed)
        chosen = _learnt(responses, auto, seed, depends=True)
        logit = _learnt(responses, LogitClassifier(survey, name, random_state=seed), seed)
        tree = _learnt(responses, ID3Classifier(survey, name, mode=_mode(auto), random_state=seed), seed)
        forest = _learnt(responses, ForestClassifier(survey, name, mode=_mode(auto), random_state=seed), seed)
    enough = len(responses) >= FOLDS * FEWEST_PER_FOLD and len(survey.groups) > 0
    return Findings(
        survey=survey,
        responses=len(responses),
        simulated=responses.simulated,
        privacy=SurveyPrivacy(survey),
        frequencies=frequencies(responses),
        chosen=chosen,
        logit=logit,
        tree=tree,
        forest=forest,
        audit=audit_survey(responses, np.random.default_rng(seed)) if enough else None,
        seed=seed,
        versions=_versions(),
    )


def _mode(auto: AutoClassifier) -> str:
    """The mode in which a forest was better in what auto has compared; auto again where it compared one at most."""
    behind = {row.name: row.behind for row in auto.comparison_.rows} if auto.comparison_ else {}
    robust, latent = (behind.get(f"forest {mode}") for mode in (ROBUST, LATENT))
    return AUTO if robust is None or latent is None else ROBUST if robust <= latent else LATENT


def _learnt(responses: Responses, classifier: DisguisedClassifier, seed: int, *, depends: bool = False) -> Learnt:
    model, test, evaluation = trained(responses, classifier, TEST_SHARE, seed)
    known = cast("Evaluation", evaluation)  # of so many responses, some are kept out
    depending = _known(dependence, model, test) if depends else None
    return Learnt(model, known, _known(importances, model, test), depending)


def _known(found: Callable[[Model, Responses], T], model: Model, test: Responses) -> T | None:
    try:
        return found(model, test)
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
