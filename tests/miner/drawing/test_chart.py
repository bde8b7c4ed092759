"""Charts: valid SVG and PNG, the same bytes every time, with words for who does not see them."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from collector.errors import QueryError
from miner.drawing.chart import Axis, Chart, Line, Point

NAMESPACE = "{http://www.w3.org/2000/svg}"


def chart(*lines: Line, title: str = "Accuracy & truth", x: Axis | None = None, y: Axis | None = None) -> Chart:
    return Chart(title, "It rises from .5 to 1.", x or Axis("Truth"), y or Axis("Accuracy"), lines)


RISING = Line("robust", (Point(0.5, 0.5, (0.4, 0.6)), Point(1.0, 1.0)))
FLAT = Line("latent", (Point(0.5, 0.8), Point(1.0, 0.8)), marked=frozenset({1}))


def test_the_svg_says_what_it_shows_to_who_does_not_see_it() -> None:
    root = ET.fromstring(chart(RISING, FLAT).svg)  # noqa: S314 - we drew it
    title, words = root[0], root[1]
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {words.get('id')}"
    assert (title.tag, title.text) == (f"{NAMESPACE}title", "Accuracy & truth")
    assert (words.tag, words.text) == (f"{NAMESPACE}desc", "It rises from .5 to 1.")


def test_text_stays_text() -> None:
    texts = {each.text for each in ET.fromstring(chart(RISING, FLAT).svg).iter(f"{NAMESPACE}text")}  # noqa: S314 - ours
    assert {"robust", "latent", "Truth", "Accuracy"} <= texts


def test_the_same_chart_is_the_same_bytes() -> None:
    assert chart(RISING).svg == chart(RISING).svg
    assert chart(RISING).png == chart(RISING).png


def test_two_charts_in_a_page_share_no_id() -> None:
    ids = [
        {each.get("id") for each in ET.fromstring(one.svg).iter() if (each.get("id") or "").startswith("chart-")}  # noqa: S314 - ours
        for one in (chart(RISING), chart(FLAT))
    ]
    assert not ids[0] & ids[1]


def test_nothing_is_loaded_from_elsewhere() -> None:
    svg = chart(RISING).svg
    assert 'href="http' not in svg
    assert "url(http" not in svg
    assert "<script" not in svg


def test_a_png_is_a_png() -> None:
    assert chart(RISING).png.startswith(b"\x89PNG\r\n")


def test_a_logarithmic_axis_and_limits_are_taken() -> None:
    svg = chart(RISING, x=Axis("Epsilon", logarithmic=True), y=Axis("Accuracy", (0.0, 1.0))).svg
    assert "Epsilon" in svg


@pytest.mark.parametrize(
    ("lines", "x", "problem"),
    [
        ((), None, "there is nothing to draw"),
        ((Line("a", ()),), None, "there is nothing to draw"),
        ((Line("a", (Point(float("nan"), 1.0),)),), None, '"Truth" has a number that its axis cannot show'),
        ((Line("a", (Point(0.0, 1.0),)),), Axis("Epsilon", logarithmic=True), '"Epsilon" has a number'),
        ((Line("a", (Point(1.0, 1.0, (0.0, float("inf"))),)),), None, '"Accuracy" has a number'),
    ],
)
def test_what_cannot_be_drawn_is_refused(lines: tuple[Line, ...], x: Axis | None, problem: str) -> None:
    with pytest.raises(QueryError, match=problem):
        chart(*lines, x=x)
