"""Rankings and options ticked together at the desk, and in the watched status."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from collector.maintenance.running import state_of
from collector.store.store import Store
from miner.desk.app import create_app
from miner.desk.desk import Desk
from miner.desk.page import part_rows, place_rows
from miner.desk.sequence import stretch
from miner.desk.terminal import counts_and_estimates
from miner.reporting.composed import composed
from miner.reporting.figure import in_percent, in_places
from miner.responses.responses import Responses, value_indices
from miner.simulation.simulation import simulate
from owner.link import Link
from varied_survey import HELP, varied_answers, varied_survey

PEOPLE = 400


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """The desk of the varied survey."""
    survey, rng = varied_survey(), np.random.default_rng(7)
    store = Store(tmp_path / "deniable.db", create=True)
    store.publish(survey)
    store.add(survey, simulate(survey, value_indices(survey, varied_answers(PEOPLE, rng)), rng).rows)
    return Desk(store, survey.name)


def test_the_desk_shows_first_choices_mean_places_and_options_and_folds_orders_and_combinations(desk: Desk) -> None:
    desk.look()
    shown = desk.shown(state_of(desk.store, desk.name))
    assert shown is not None
    every = composed(Responses.from_store(desk.store, desk.name), lambda n: stretch(n, None))
    link = Link()
    client = create_app(desk, link).test_client()
    text = unescape(client.get(client.get(f"/open/{link.once}").headers["Location"]).text)
    unfolded = re.sub("<details.*?</details>", "", text, flags=re.DOTALL)
    for name, found in every.items():
        assert [row.words for row in part_rows(shown, name)] == [in_percent(share) for _, share in found.shares]
        assert [row.words for row in place_rows(shown, name)] == [in_places(place) for _, place in found.places]
        for row in (*part_rows(shown, name), *place_rows(shown, name)):
            assert f'<th scope="row">{row.value}</th><td>{row.words}' in unfolded
    assert "the bar ends at 4" in unfolded
    caption = re.search(r"<caption>.*?mean place among those who ranked them; .*? 3</span></caption>", text)
    assert caption is not None, "what false responses do is said of shares only"
    assert " \u203a " not in unfolded
    assert text.count(" \u203a ") > len(unfolded.split(" \u203a ")) + 24
    assert "<summary>Shares of all 24 orders</summary>" in text
    assert "<summary>Shares of all 16 combinations</summary>" in text


def test_the_watched_status_has_what_stands_first_in_place_of_all_orders(desk: Desk) -> None:
    found = counts_and_estimates(desk.store, state_of(desk.store, desk.name))
    assert [row[1] for row in found.estimates if row[0] == "helps"] == [f"first: {each}" for each in HELP.values()]
    assert [row[1] for row in found.estimates if row[0] == "drugs"][:2] == ["Much coffee", "Wine"]
