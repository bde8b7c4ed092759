"""The page on the papers: its parts are renewed from the tables beside it, and are those of the tables committed."""

from __future__ import annotations

import pandas as pd
import pytest

from benchmarks.learning import papers_page
from benchmarks.learning.papers_page import PAGE, PARTS, filled, often, short, table


def test_a_part_is_renewed_and_the_rest_is_left() -> None:
    page = "before\n<!-- some: made by benchmarks.learning.papers_page -->\nold\n<!-- end of some -->\nafter\n"
    renewed = filled(page, "some", "new")
    assert renewed.startswith("before\n")
    assert renewed.endswith("\nafter\n")
    assert "new" in renewed
    assert "old" not in renewed
    assert filled(renewed, "some", "new") == renewed


def test_a_part_that_the_page_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="no part other"):
        filled("nothing", "other", "new")


def test_figures_are_written_short() -> None:
    assert short(0.81234, 0.0041) == ".812 (.004)"
    assert short(0.81234, float("nan")) == ".812"
    assert table(("a", "b"), [(1, "x")]) == "| a | b |\n|---|---|\n| 1 | x |"


@pytest.mark.parametrize("name", list(PARTS))
def test_the_page_says_what_the_tables_say(name: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page, name, PARTS[name]()) == page, "run python -m benchmarks.learning.papers_page"


def test_repetitions_are_told_from_the_least_to_the_most() -> None:
    assert often(pd.Series([50, 10, 50], dtype=int)) == "10 to 50"
    assert often(pd.Series([3, 3], dtype=int)) == "3"
    assert often(pd.Series([3], dtype=int)[:0]) == ""


def test_figures_above_one_keep_their_whole_part() -> None:
    assert papers_page.short(1.05) == "1.050"
    assert papers_page.short(10.5) == "10.500"
    assert papers_page.short(-0.05) == "-.050"
