"""A store that another program changed, or that holds tests, is not served, on either database."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from collector.database.address import Address, Place
from collector.errors import StoreError
from collector.maintenance.audit_store import check_schema
from collector.store.store import Store
from collector.store.store_database import open_engine
from collector.survey.survey import Survey
from respondent.cli import main
from respondent.server import app

FUNCTION = "CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'"
CHANGES = {
    "a trigger": (
        "CREATE TRIGGER x AFTER INSERT ON responses_wellbeing_1 BEGIN UPDATE responses_wellbeing_1 SET year = 0; END",
        "CREATE TRIGGER x BEFORE INSERT ON responses_wellbeing_1 FOR EACH ROW EXECUTE FUNCTION tell()",
    ),
    "a table or a rule": (
        "CREATE TABLE notes (text)",
        "CREATE RULE x AS ON INSERT TO responses_wellbeing_1 DO ALSO DELETE FROM closed",
    ),
    "a column or a policy": (
        "ALTER TABLE responses_wellbeing_1 ADD COLUMN came TEXT DEFAULT 'now'",
        "CREATE POLICY x ON responses_wellbeing_1 USING (true)",
    ),
    "an index": ("CREATE INDEX x ON closed (for_good)", "CREATE INDEX x ON closed (for_good)"),
}


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, path: Path, wellbeing: Survey) -> Place:
    """A store with a survey."""
    found: Place = request.getfixturevalue("database") if request.param == "postgresql" else path
    with Store(found, create=True) as store:
        store.publish(wellbeing)
    return found


def execute(place: Place, *statements: str) -> None:
    engine = open_engine(place, create=False)[0]
    with engine.reading() as session:
        for each in statements:
            session.execute(each)
    engine.close()


def address(place: Place) -> str:
    return place.url if isinstance(place, Address) else str(place)


@pytest.mark.parametrize("change", CHANGES)
def test_a_store_whose_tables_were_changed_is_not_served(change: str, place: Place) -> None:
    check_schema(place)
    statements = (FUNCTION, CHANGES[change][1]) if isinstance(place, Address) else (CHANGES[change][0],)
    execute(place, *statements)
    result = CliRunner().invoke(main, ["serve", "--port", "0", "--store", address(place)])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert result.stderr.startswith(f"{place}: the tables are not those of a store (")
    with pytest.raises(StoreError, match="not those of a store"):
        app(address(place))


def test_a_store_of_tests_is_served_by_no_server(path: Path, wellbeing: Survey) -> None:
    with Store(path, create=True, tests=True) as store:
        store.publish(wellbeing)
    with pytest.raises(StoreError, match="the store holds test responses"):
        app(str(path))
