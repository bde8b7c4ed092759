"""What many tests share: the example survey, a store to fill and its client, the folder of real data."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import settings
from jinja2 import FileSystemBytecodeCache

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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give slow tests a longer time limit, unless they have one of their own."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW))


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
