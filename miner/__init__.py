"""Estimates and models from disguised responses.

The public names are those of `__all__`. They are imported when they are first asked for, so that a command pays for
nothing that it does not use. Every other module is private: it may change from one version to the next.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from miner.estimates.anchors import anchors
    from miner.estimates.comparison import difference
    from miner.estimates.crosstab import crosstab
    from miner.estimates.estimate import estimate
    from miner.estimates.hybrid import PlainRows
    from miner.estimates.regression import regress
    from miner.estimates.rules import rules
    from miner.evaluation.dependence import partial_dependence
    from miner.evaluation.importances import permutation_importances
    from miner.evaluation.measures import evaluate
    from miner.learners.auto import AutoClassifier
    from miner.learners.boosted import BoostedClassifier
    from miner.learners.distilled import DistilledTreeClassifier
    from miner.learners.forest import ForestClassifier
    from miner.learners.id3 import ID3Classifier
    from miner.learners.logit import AdditiveClassifier, LogitClassifier
    from miner.learners.random_trees import RandomTreesClassifier
    from miner.learners.scoring import Scorer
    from miner.likelihood.imputation import combine, impute
    from miner.planning.plan import plan
    from miner.planning.recode import recode
    from miner.reporting.page import report
    from miner.responses.condition import event_of, parse_condition
    from miner.responses.responses import Responses, value_indices
    from miner.simulation.simulation import simulate

__all__ = [
    "AdditiveClassifier",
    "AutoClassifier",
    "BoostedClassifier",
    "DistilledTreeClassifier",
    "ForestClassifier",
    "ID3Classifier",
    "LogitClassifier",
    "PlainRows",
    "RandomTreesClassifier",
    "Responses",
    "Scorer",
    "anchors",
    "combine",
    "crosstab",
    "difference",
    "estimate",
    "evaluate",
    "event_of",
    "impute",
    "parse_condition",
    "partial_dependence",
    "permutation_importances",
    "plan",
    "recode",
    "regress",
    "report",
    "rules",
    "simulate",
    "value_indices",
]
MODULES = {
    "AdditiveClassifier": "miner.learners.logit",
    "AutoClassifier": "miner.learners.auto",
    "BoostedClassifier": "miner.learners.boosted",
    "DistilledTreeClassifier": "miner.learners.distilled",
    "ForestClassifier": "miner.learners.forest",
    "ID3Classifier": "miner.learners.id3",
    "LogitClassifier": "miner.learners.logit",
    "PlainRows": "miner.estimates.hybrid",
    "RandomTreesClassifier": "miner.learners.random_trees",
    "Responses": "miner.responses.responses",
    "Scorer": "miner.learners.scoring",
    "anchors": "miner.estimates.anchors",
    "combine": "miner.likelihood.imputation",
    "crosstab": "miner.estimates.crosstab",
    "difference": "miner.estimates.comparison",
    "estimate": "miner.estimates.estimate",
    "evaluate": "miner.evaluation.measures",
    "event_of": "miner.responses.condition",
    "impute": "miner.likelihood.imputation",
    "parse_condition": "miner.responses.condition",
    "partial_dependence": "miner.evaluation.dependence",
    "permutation_importances": "miner.evaluation.importances",
    "plan": "miner.planning.plan",
    "recode": "miner.planning.recode",
    "regress": "miner.estimates.regression",
    "report": "miner.reporting.page",
    "rules": "miner.estimates.rules",
    "simulate": "miner.simulation.simulation",
    "value_indices": "miner.responses.responses",
}


WITHOUT_LIBRARIES = 'the libraries that it computes with are not installed; run: pip install "deniable[miner]"'

AS_COMMAND = ("miner", "miner.exe", "-m")  # which says so in a line of its own

if find_spec("numpy") is None and Path(sys.argv[0] if sys.argv else "").name not in AS_COMMAND:
    raise ImportError(f"miner: {WITHOUT_LIBRARIES}")


def __getattr__(name: str) -> object:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(MODULES[name]), name)


def __dir__() -> list[str]:
    return __all__
