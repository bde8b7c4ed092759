"""Survey designs: coding, disguise, disclosure and the store of disguised responses.

The names in `__all__` are public, and are imported when they are first used. All other modules of the package are
private and may change in any version.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collector.disclosure.privacy import SurveyPrivacy
    from collector.errors import DeniableError
    from collector.store.store import Store
    from collector.survey.survey import Survey
    from collector.survey_file.survey_file import parse_survey, read_survey_file

__all__ = ["DeniableError", "Store", "Survey", "SurveyPrivacy", "parse_survey", "read_survey_file"]
MODULES = {
    "DeniableError": "collector.errors",
    "Store": "collector.store.store",
    "Survey": "collector.survey.survey",
    "SurveyPrivacy": "collector.disclosure.privacy",
    "parse_survey": "collector.survey_file.survey_file",
    "read_survey_file": "collector.survey_file.survey_file",
}


def __getattr__(name: str) -> object:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(MODULES[name]), name)


def __dir__() -> list[str]:
    return __all__
