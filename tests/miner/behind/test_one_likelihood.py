"""The likelihood of responses is computed in one place: one table of rows, one softmax, one slope."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

MINER = Path(__file__).parents[3] / "miner"
KERNELS, ROWS = "behind/kernels.py", "behind/rows.py"
ONE = {
    "a softmax": (r"exp\([^\n]*(max|most|largest)|def \w*softmax", {KERNELS, "behind/mixture/kernels.py"}),
    "the sum over the rows of a response": (r"(reduceat|bincount)\([^\n]*\.chances", {ROWS}),
    "slopes along the log odds of rows": (r"slopes_along\(|height_of\(|log_likelihoods\(", {KERNELS, ROWS}),
    "the chances of rows times class shares": (r"\.chances \* (shares|predicted)(?!\[)\b", {ROWS}),
}
"""What is sought, and where it may be; the mixture sums logarithms over latent classes, not over rows."""


@pytest.mark.parametrize("what", ONE)
def test_no_second_place_computes(what: str) -> None:
    sought, places = ONE[what]
    found = {
        path.relative_to(MINER).as_posix()
        for path in MINER.rglob("*.py")
        if any(re.search(sought, line) for line in path.read_text(encoding="utf-8").splitlines())
    }
    assert found <= places
    assert found & {KERNELS, ROWS}, "the search finds nothing at all"


def test_rows_behind_responses_have_one_container() -> None:
    """No second class has `first`, where the rows of each response begin, together with the chances of rows."""
    found = {
        path.relative_to(MINER).as_posix()
        for path in MINER.rglob("*.py")
        if re.search(r"^    first: .*\n", text := path.read_text(encoding="utf-8"), re.MULTILINE)
        and re.search(r"^    (chances?|evidence): ", text, re.MULTILINE)
    }
    assert found == {ROWS}
