"""The watched status on a terminal: the desk's estimates in the desk's batches, and counts alone without the miner."""

from __future__ import annotations

import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from click.testing import Result

from collector.maintenance import running
from collector.store.store import Store
from collector.survey.survey import Survey
from miner.desk.desk import Desk
from miner.reporting.figure import in_percent
from miner.reporting.words import value_words
from store_rows import OTHER, ROW
from workshop import call

PROJECT = Path(__file__).resolve().parents[3] / "pyproject.toml"
COMMAND = "collector.commands.intake_command"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The entry points that the project declares, whatever an older installation says."""
    declared = tomllib.loads(PROJECT.read_text())["project"]["entry-points"]
    found = {group: [EntryPoint(*each, group) for each in points.items()] for group, points in declared.items()}
    monkeypatch.setattr(running, "entry_points", lambda group: found[group])


def status(store: Store, *words: str) -> Result:
    return call("collector", "status", "wellbeing", *words, "--store", str(store.path))


@pytest.mark.usefixtures("installed")
def test_it_shows_each_estimate_of_the_desk_with_what_was_planned(
    store: Store, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")  # no row is folded
    store.invite("wellbeing", 300)
    store.add(wellbeing, [ROW] * 7 + [OTHER] * 5)
    desk = Desk(store, "wellbeing")
    desk.look()
    shown, reaches = desk.shown(running.state_of(store, "wellbeing")), desk.outlook(wellbeing).reaches
    assert shown is not None
    rows = [line.split() for line in status(store, "--watch").stdout.splitlines()]
    for question, found, planned in zip(wellbeing.questions, shown.estimates, reaches, strict=True):
        for value, estimate, reach in zip(value_words(wellbeing, question.name), found, planned, strict=True):
            assert estimate is not None
            assert estimate.interval is not None
            half = (estimate.interval[1] - estimate.interval[0]) / 2
            row = f"{question.name} {value} {in_percent(estimate)} {100 * half:.1f} {100 * reach:.1f}".split()
            assert row in rows
    assert ["question", "value", "share", "(interval", "for", "every", "look)", "±", "planned", "±"] in rows


@pytest.mark.usefixtures("installed")
def test_it_shows_no_estimate_of_fewer_than_a_batch_and_no_plan_where_nothing_is_planned(
    store: Store, wellbeing: Survey
) -> None:
    store.add(wellbeing, [ROW] * 9)
    assert "interval" not in status(store, "--watch").stdout
    store.add(wellbeing, [ROW])
    words = status(store, "--watch").stdout
    assert "share (interval for every look)" in words
    assert "planned" not in words


@pytest.mark.usefixtures("installed")
def test_its_estimates_change_with_its_counts_and_not_with_a_response(
    store: Store, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    coming = [10, 1, 1, 9]

    def wait(_: float) -> None:
        if not coming:
            raise KeyboardInterrupt
        store.add(wellbeing, [OTHER] * coming.pop(0))

    monkeypatch.setattr(f"{COMMAND}.sleep", wait)
    monkeypatch.setattr(f"{COMMAND}.is_terminal", lambda: True)
    screens = status(store, "--watch").stdout.split("Ctrl-C ends this.\n")[:-1]
    counted = [next(line for line in each.splitlines() if line.startswith("responses:")) for each in screens]
    assert counted[:4] == ["responses: fewer than 10", *["responses: 10"] * 3]
    assert counted[4] == "responses: 21"
    assert screens[1] == screens[2] == screens[3]
    assert "interval" not in screens[0]
    assert screens[4] != screens[3].replace("responses: 10", "responses: 21"), "the estimates are new, too"


@pytest.mark.parametrize("offered", [[], [EntryPoint("estimates", "no_such_package:x", running.ESTIMATES)]])
def test_without_the_miner_it_shows_counts_and_says_what_to_install(
    store: Store, wellbeing: Survey, offered: list[EntryPoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "entry_points", lambda group: offered * (group == running.ESTIMATES))
    store.add(wellbeing, [ROW] * 12)
    words = status(store, "--watch").stdout
    assert "responses: 12\n" in words
    assert "No estimates: " in words


def test_the_plain_status_and_the_help_load_nothing_that_estimates(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "entry_points", lambda group: pytest.fail(f"{group} was looked for"))
    assert status(store).exit_code == 0
    assert status(store, "--help").exit_code == 0
