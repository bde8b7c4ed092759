"""What many tests share: the example survey, a store to fill and its client, the folder of real data."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import settings
from jinja2 import FileSystemBytecodeCache

import soak
from benchmarks.collecting.postgres_server import PostgresServer, postgres_server, programs
from collector.database.address import Address
from collector.store.invitation import KEY_VARIABLE
from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import read_survey_file
from respondent.app import create_app

pytest_plugins = ["browser_fixtures", "trained_fixtures"]

ROOT = Path(__file__).resolve().parent.parent
os.environ.pop("COLUMNS", None)  # a test runner's terminal is not the width that commands print for
# The same examples every time, on a busy machine too.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")
SLOW = 1200  # seconds for a slow test: three times what the longest takes with four busy processes beside


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of `make soak`."""
    parser.addoption("--soak", action="store_true", help="run what takes long at its whole size, not at a tenth of it")


def pytest_configure(config: pytest.Config) -> None:
    """Say to the modules of tests, which are not imported yet, whether everything is run at its whole size."""
    if config.getoption("--soak"):
        os.environ[soak.VARIABLE] = "1"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is run with --soak only, and give slow tests a longer time limit, unless they have their own."""
    left = [] if soak.soaking() else [item for item in items if item.get_closest_marker("soak")]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if soak.soaking() or not item.get_closest_marker("soak")]
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:  # noqa: ANN401 - pytest's own
    """Keep the seconds that each file took, longest first, in pytest's cache."""
    seconds: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid.partition("::")[0]] += report.duration
    cache = getattr(config, "cache", None)  # there is none with -p no:cacheprovider
    if cache is not None:
        cache.set("deniable/seconds", {path: round(each, 1) for path, each in seconds.most_common()})


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session", autouse=True)
def templates_compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep compiled templates for all apps of the session: an app of each test's own would compile them anew."""
    with pytest.MonkeyPatch.context() as patch:
        cache = FileSystemBytecodeCache(str(tmp_path_factory.mktemp("templates")))
        patch.setattr(Flask, "jinja_options", Flask.jinja_options | {"bytecode_cache": cache})
        yield


@pytest.fixture(scope="session")
def wellbeing() -> Survey:
    """The example survey."""
    return read_survey_file(ROOT / "examples" / "wellbeing.toml")


@pytest.fixture(scope="session")
def bilingual() -> Survey:
    """The example survey in English and Arabic, whose answers are shown before they are sent."""
    return read_survey_file(ROOT / "examples" / "wellbeing_two_languages.toml")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a store is to be."""
    return tmp_path / "deniable.db"


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server; the test is skipped where there is none."""
    pytest.importorskip("psycopg", reason='PostgreSQL needs psycopg: pip install "deniable[postgres]"')
    if programs() is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    with postgres_server() as server:
        yield server


@pytest.fixture
def database(postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Address:
    """An empty database in it, whose pepper is to be in a file of this test."""
    monkeypatch.setenv(KEY_VARIABLE, str(tmp_path / "deniable.pepper"))
    return postgres.new_database()


@pytest.fixture
def store(path: Path, wellbeing: Survey) -> Iterator[Store]:
    """A store in which the example is published."""
    with Store(path, create=True) as each:
        each.publish(wellbeing)
        yield each


@pytest.fixture
def client(store: Store) -> FlaskClient:
    """A client of the app that serves the store, whichever a module has."""
    return create_app(store).test_client()


@pytest.fixture(scope="session")
def datasets() -> Path:
    """The folder of real tables; the test is skipped where there is none."""
    folder = Path(os.environ.get("DENIABLE_DATA", ROOT.parent / "shared" / "datasets"))
    if not folder.is_dir():
        pytest.skip(f"real data not found at {folder}; set DENIABLE_DATA to their folder")
    return folder
