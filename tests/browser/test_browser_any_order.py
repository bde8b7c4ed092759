"""Rankings and ticks in any order: the page and `miner simulate` make the same codes of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from browser_fixtures import Served, Visit
from collector.errors import ResponseError
from collector.survey_file.survey_file import parse_survey
from filling import proceed, start, thanked
from miner.responses.answers import read_values
from miner.simulation.simulation import coded
from soak import some_of

pytestmark = pytest.mark.browser

SURVEY = parse_survey("""
name = "any_order"
title = "In any order"
languages = ["en"]
groups = { g = { truth = "3/4", channel = "uniform" }, h = { truth = "3/4", channel = "uniform" } }
questions = [
  { name = "change", label = "What first?", kind = "ranking", group = "g", items = { time = "Time", pay = "Pay", peers = "Peers" } },
  { name = "net", label = "Which?", kind = "multiple", group = "h", most = 2, options = { a = "A", b = "B", c = "C" } },
]
""")  # noqa: E501
ITEMS, OPTIONS = ["time", "pay", "peers"], ["a", "b", "c"]
KEPT = ([], [])  # all words are noughts: each coin keeps the true code
ORDERS = list(permutations(ITEMS))
TICKS = list(permutations(OPTIONS, 2))
BOTH = [*zip(ORDERS, TICKS, strict=True)]


def simulated(path: Path, order: str, ticks: str) -> dict[str, int]:
    """The true codes that a simulation makes of one person's answers in a table."""
    path.write_text(f"change,net\n{order},{ticks}\n")
    (row,) = coded(SURVEY, read_values(SURVEY, path), np.random.default_rng(1))
    return {question.name: int(code) for question, code in zip(SURVEY.questions, row, strict=True)}


@pytest.mark.parametrize(("order", "ticks"), some_of(BOTH, (BOTH[1], BOTH[3])))
def test_the_page_and_a_simulation_code_a_ranking_and_ticks_alike_whatever_their_order(
    order: tuple[str, ...], ticks: tuple[str, ...], served: Served, visit: Callable[..., Visit], tmp_path: Path
) -> None:
    served.store.publish(SURVEY)
    here = visit(KEPT).open(served.page(SURVEY))
    start(here.page)
    for item in order:
        here.page.click(f"#q-change-{ITEMS.index(item)}")
    proceed(here.page)
    for option in ticks:
        here.page.click(f"label:has(#q-net-{OPTIONS.index(option)})")
    proceed(here.page)
    proceed(here.page)
    assert thanked(here)
    sent = json.loads(here.posts[0].post_data or "")["codes"]
    for mark in "+;":
        assert simulated(tmp_path / "table.csv", ">".join(order), mark.join(ticks)) == sent


@pytest.mark.parametrize(
    ("order", "ticks"),
    [("time>pay", "a"), ("time>time>pay", "a"), ("time>pay>peers", "a+a"), ("time>pay>peers", "a+b+c")],
)
def test_a_simulation_refuses_what_cannot_be_answered_on_the_page(order: str, ticks: str, tmp_path: Path) -> None:
    with pytest.raises(ResponseError, match="it is not a value of the question"):
        simulated(tmp_path / "table.csv", order, ticks)
