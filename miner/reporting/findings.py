"""Compute the content of a report: estimates, models with their measures, and what responses disclose.

All models learn from the same responses, and are measured on the same held-out responses.
"""

import platform
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from time import monotonic
from typing import TypeVar, cast

import numpy as np

from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import QueryError
from collector.planning.shuffled import CentralPrivacy, central_privacy
from collector.store.simulated import Simulated
from collector.survey.survey import Survey
from miner.attacks.audit_survey import FEWEST_PER_FOLD, FOLDS, SurveyAudit, audit_survey
from miner.estimates.estimate import frequencies
from miner.evaluation.evaluation import Evaluation
from miner.figures.estimate import Estimate
from miner.learners.classifier import DisguisedClassifier, survey_target
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.learners.logit import LogitClassifier
from miner.models.model import Model
from miner.models.training import trained
from miner.reporting.composed import Composed, composed
from miner.reporting.shares import Shares, among_asked
from miner.responses.responses import Responses
from miner.steps import watch

T = TypeVar("T")
FEWEST = 60  # smallest number of responses for a model in a report
TEST_SHARE = Fraction(1, 3)
LEAVES = 12  # largest number of leaves of the report's tree
TREES = 30  # number of trees of the report's forest; a hundred would take three times as long
PARTS = 4  # number of parts that take long: three models and the audit of guesses
LIBRARIES = ("deniable", "numpy", "pandas", "scikit-learn", "numba")


@dataclass(frozen=True, eq=False)
class EvaluatedModel:
    """Model with its measures on held-out responses.

    Attributes:
        model: Trained model.
        evaluation: Measures of the model on the test responses.
    """

    model: Model
    evaluation: Evaluation


@dataclass(frozen=True, eq=False)
class Findings:
    """Content of a report.

    Attributes:
        survey: Published survey.
        responses: Number of responses.
        simulated: Record of simulated responses, or None if no response is known to be simulated.
        privacy: Privacy that the design gives.
        central: Central epsilon of the report, for the smallest set of respondents with equal undisguised answers.
        frequencies: Estimated frequencies of the values of each question.
        among_asked: Shares among respondents who were asked, for questions that are not asked of everybody.
        composed: First choices and mean places of rankings, and shares of options that are ticked together.
        logit: Logistic regression, or None if the survey has no class question, or there are too few responses.
        tree: Small tree, or None if there is no tree.
        forest: Small forest in the mode of the tree, or None if there is no forest.
        audit: Audit of how well coins can be guessed, or None if no audit is possible, for example with too few
            responses.
        left_out: Parts of the report that were omitted because of the time limit, in words.
        seed: Seed that makes the report repeatable.
        versions: Versions of Python and of the libraries.
    """

    survey: Survey
    responses: int
    simulated: Simulated | None
    privacy: SurveyPrivacy
    central: CentralPrivacy
    frequencies: dict[str, tuple[Estimate | None, ...]]
    among_asked: Shares
    composed: dict[str, Composed]
    logit: EvaluatedModel | None
    tree: EvaluatedModel | None
    forest: EvaluatedModel | None
    audit: SurveyAudit | None
    left_out: tuple[str, ...]
    seed: int
    versions: dict[str, str]


class _Parts:
    """Parts of a report that take long to make.

    A part of the report is made only if the time left is at least the time of the longest part so far.

    Args:
        limit: Seconds for all parts, or None for no limit.
        advance: Function that is called after each part.
    """

    def __init__(self, limit: float | None, advance: Callable[[], None]) -> None:
        self._limit, self._advance = limit, advance
        self._begun, self._longest = monotonic(), 0.0
        self.left_out: list[str] = []

    def made(self, name: str, make: Callable[[], T]) -> T | None:
        """Make one more part, or return None if there is not enough time."""
        begun, part = monotonic(), None
        if self._limit is not None and begun - self._begun + self._longest > self._limit:
            self.left_out.append(name)
        else:
            part = make()
            self._longest = max(self._longest, monotonic() - begun)
        self._advance()
        return part


def findings(responses: Responses, target: str | None, seed: int, time_limit: float | None = None) -> Findings:
    """Compute the content of a report.

    Args:
        responses: Disguised responses to one version of a survey, at least one.
        target: Name of the class question, or None for the survey's class question. Without a class question there are
            no models.
        seed: Seed of all random choices.
        time_limit: Number of seconds for the models and for the audit of guesses. Except for the first part, each part
            of a report that would probably exceed the time limit is omitted.

    Raises:
        QueryError: If there are no responses, or the target is not a question.
    """
    survey = responses.survey
    if not len(responses):
        raise QueryError("responses", "there are no responses to report on", "collect responses first")
    name = survey_target(survey, target) if target or survey.target else None
    logit = tree = forest = audit = None
    with watch.get()("making the report", PARTS) as advance:
        parts = _Parts(time_limit, advance)
        if name is not None and len(responses) >= FEWEST:
            regression = LogitClassifier(survey, name, random_state=seed)
            logit = parts.made("the logistic regression", lambda: _learnt(responses, regression, seed))
            grown = ID3Classifier(survey, name, max_leaves=LEAVES, random_state=seed)
            tree = parts.made("the tree", lambda: _learnt(responses, grown, seed))
            mode = "auto" if tree is None else grown.choice_.mode
            few = ForestClassifier(survey, name, mode=mode, n_estimators=TREES, random_state=seed)
            forest = parts.made("the forest", lambda: _learnt(responses, few, seed))
        if len(responses) >= FOLDS * FEWEST_PER_FOLD and survey.groups:
            audit = parts.made("what could be guessed", lambda: audit_survey(responses, np.random.default_rng(seed)))
    return Findings(
        survey=survey,
        responses=len(responses),
        simulated=responses.simulated,
        privacy=SurveyPrivacy(survey),
        central=central_privacy(survey, _fewest_alike(responses)),
        frequencies=frequencies(responses),
        among_asked=among_asked(responses),
        composed=composed(responses),
        logit=logit,
        tree=tree,
        forest=forest,
        audit=audit,
        left_out=tuple(parts.left_out),
        seed=seed,
        versions=_versions(),
    )


def _fewest_alike(responses: Responses) -> int:
    """Return the smallest number of respondents with equal answers to all undisguised questions."""
    survey = responses.survey
    undisguised = [survey.column(each.name) for each in survey.questions if not each.sensitive]
    if not undisguised:
        return len(responses)
    return int(np.unique(responses.codes[:, undisguised], axis=0, return_counts=True)[1].min())


def _learnt(responses: Responses, classifier: DisguisedClassifier, seed: int) -> EvaluatedModel:
    model, _, evaluation = trained(responses, classifier, TEST_SHARE, seed)
    return EvaluatedModel(model, cast("Evaluation", evaluation))  # of so many responses, some are kept out


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # a checkout that was never installed
            found[name] = "not installed"
    return found
