"""Estimate and learn models from disguised responses.

The names in `__all__` are public, and are imported when they are first used. Type checkers read the public names in
`__init__.pyi`, which `docs/make_reference.py` writes. All other modules of the package are private and may change in
any version.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from miner.learners.kinds import LEARNERS

OTHERS = {
    "Crosstab": "miner.estimates.crosstab",
    "Estimate": "miner.figures.estimate",
    "FigureTable": "miner.tables.figures",
    "PlainRows": "miner.responses.plain_rows",
    "Regression": "miner.estimates.regression",
    "Responses": "miner.responses.responses",
    "Sample": "miner.figures.sample",
    "SampleDesign": "miner.figures.sample_design",
    "Scorer": "miner.learners.scoring",
    "SubgroupDifference": "miner.estimates.comparison",
    "Trend": "miner.tables.trends",
    "TrendTable": "miner.tables.trends",
    "anchors": "miner.estimates.anchors",
    "between": "miner.estimates.comparison",
    "combine": "miner.estimates.imputation",
    "crosstab": "miner.estimates.crosstab",
    "difference": "miner.estimates.comparison",
    "estimate": "miner.estimates.estimate",
    "evaluate": "miner.evaluation.measures",
    "event_of": "miner.responses.condition",
    "hybrid_estimate": "miner.estimates.hybrid",
    "impute": "miner.estimates.imputation",
    "mean": "miner.tables.numbers",
    "parse_condition": "miner.responses.condition",
    "partial_dependence": "miner.evaluation.dependence",
    "permutation_importances": "miner.evaluation.importances",
    "plan": "miner.planning.plan",
    "quantile": "miner.tables.numbers",
    "recode": "miner.planning.recode",
    "regress": "miner.estimates.regress",
    "report": "miner.reporting.page",
    "rules": "miner.estimates.rules",
    "shares": "miner.tables.shares",
    "simulate": "miner.simulation.simulation",
    "total": "miner.tables.numbers",
    "trend": "miner.tables.trends",
    "trends": "miner.tables.trends",
    "value_indices": "miner.responses.responses",
}

FORMER = {"SurveySample": "miner.estimates.sample"}  # names that go with the next version

WITHOUT_LIBRARIES = 'the libraries that it computes with are not installed; run: pip install "deniable[miner]"'

AS_COMMAND = ("miner", "miner.exe", "-m")  # these programs report missing libraries in one line

if find_spec("numpy") is None and Path(sys.argv[0] if sys.argv else "").name not in AS_COMMAND:
    raise ImportError(f"miner: {WITHOUT_LIBRARIES}")


def modules() -> dict[str, str]:
    """Return the public names in order, each with the module that defines it."""
    learners = {each.name: each.module for each in LEARNERS.values() if each.is_public}
    return dict(sorted((OTHERS | learners).items()))


__all__ = list(modules())


def __getattr__(name: str) -> object:
    if name not in (known := modules() | FORMER):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(known[name]), name)


def __dir__() -> list[str]:
    return __all__
