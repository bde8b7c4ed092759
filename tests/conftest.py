"""What many tests share: the example survey, the folder of real data, a store to fill."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from collector.survey import Survey
from collector.survey_file import read_survey_file

pytest_plugins = ["browser_fixtures"]

ROOT = Path(__file__).resolve().parent.parent
os.environ.pop("COLUMNS", None)  # a test runner's terminal is not the width that commands print for
# The same examples every time, on a busy machine too.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def wellbeing() -> Survey:
    """The example survey."""
    return read_survey_file(ROOT / "examples" / "wellbeing.toml")


@pytest.fixture(scope="session")
def bilingual() -> Survey:
    """The example survey in English and Arabic, whose answers are shown before they are sent."""
    return read_survey_file(ROOT / "examples" / "wellbeing_two_languages.toml")


@pytest.fixture(scope="session")
def datasets() -> Path:
    """The folder of real tables; the test is skipped where there is none."""
    folder = Path(os.environ.get("DENIABLE_DATA", ROOT.parent / "shared" / "datasets"))
    if not folder.is_dir():
        pytest.skip(f"real data not found at {folder}; set DENIABLE_DATA to their folder")
    return folder
