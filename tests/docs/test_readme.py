"""The README is short, its figures are those of the code, and its pictures are there and small."""

from __future__ import annotations

import re
from fractions import Fraction
from math import sqrt
from pathlib import Path

import pytest

from collector.disclosure.precision import interval_width
from make_pictures import LARGEST

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_has_at_most_900_words() -> None:
    assert len([word for word in README.split() if re.search(r"\w", word)]) <= 900


def test_its_pictures_are_there_and_small_and_say_in_words_what_they_show() -> None:
    shown = re.findall(r'<img src="([^"]+)" width="\d+" alt="([^"]+)">', README)
    assert len(shown) == README.count("<img") == 2
    for path, alt in shown:
        assert 1_000 < (ROOT / path).stat().st_size <= LARGEST
        assert len(alt) > 40


def test_its_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https)([^)#]+)", README):
        assert (ROOT / target).exists(), target


ROWS = re.findall(r"^\| (\d+) % \| ([\d,]+) \|(.*)\|$", README, re.MULTILINE)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} % of {row[1]}")
def test_the_intervals_of_its_table_are_those_that_are_planned(row: tuple[str, str, str]) -> None:
    share, respondents, cells = Fraction(int(row[0]), 100), int(row[1].replace(",", "")), row[2].split("|")
    truths = re.findall(r"truth (\d)/(\d+)", README.split("\n## How many")[1].split("|---")[0])
    truth = [Fraction(1), *(Fraction(int(above), int(below)) for above, below in truths)]
    for cell, told in zip(cells, truth, strict=True):
        yes = share * told + (1 - share) * (1 - told)
        reach = interval_width(yes * (1 - yes) / (2 * told - 1) ** 2, respondents) / 2
        assert reach == pytest.approx(1.96 * sqrt(yes * (1 - yes) / respondents) / float(2 * told - 1), rel=1e-3)
        shown = cell.strip().removeprefix("± ").removesuffix(" %")
        assert f"{100 * reach:.{1 if '.' in shown else 0}f}" == shown


def test_the_table_has_rows() -> None:
    assert len(ROWS) >= 4
