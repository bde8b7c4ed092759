"""The report on a survey of every kind: rankings, lists of twenty, options, days and followers; and its print."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from axe import violations
from miner.estimates.estimate import frequencies
from miner.figures.estimate import Estimate
from miner.reporting.composed import composed
from miner.reporting.figure import bar, in_places, percent, share_scale
from miner.reporting.findings import Findings, findings
from miner.reporting.page import page
from miner.reporting.shares import among_asked, plots
from miner.reporting.words import value_words
from miner.responses.responses import Responses, value_indices
from miner.simulation.simulation import simulate
from varied_survey import varied_answers, varied_survey


@pytest.fixture(scope="module")
def varied() -> Findings:
    """The findings on a survey with rankings, long lists and days, without models."""
    survey, rng = replace(varied_survey(), target=None), np.random.default_rng(7)
    sent = simulate(survey, value_indices(survey, varied_answers(1500, rng)), rng)
    return replace(findings(sent.take(range(20)), None, seed=1), **shares_of(sent))


def shares_of(sent: Responses) -> dict[str, Any]:
    """What findings say of shares, which takes no time."""
    shares = {"frequencies": frequencies(sent), "among_asked": among_asked(sent), "composed": composed(sent)}
    return shares | {"responses": len(sent)}


def words_of(text: str) -> str:
    """The words of a page in one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def test_a_ranking_is_shown_as_first_choices_and_mean_places_and_its_orders_are_folded(varied: Findings) -> None:
    text = page(varied, "again")
    begin = text.index("What would improve your work most?</span><small>first choices")
    shown, folded = text[begin:].split("<details", 2)[:2]
    first, places = varied.composed["helps"].shares, varied.composed["helps"].places
    for label, share in first:
        assert f"{label} {percent(share)}" in words_of(shown)
    for label, place in places:
        assert f"{label} {in_places(place)}" in words_of(shown)
    assert " \u203a " not in shown
    assert "Shares of all 24 orders" in folded
    assert folded.count(" \u203a ") >= 3 * 24
    assert "Better pay, More time for each patient" in text
    assert "(24 in all)" in text
    top = words_of(text[: text.index("<nav")])
    led = top.partition("What would have helped you most? Another ward (first choice) among those asked: ")[2]
    assert led.partition(" of all ")[2].startswith(percent(varied.composed["after"].shares[1][1]))


def test_options_ticked_together_are_shown_one_by_one_and_their_combinations_are_folded(varied: Findings) -> None:
    text = page(varied, "again")
    shown, folded = text[text.index(">What do you take to get through a shift?</span></caption>") :].split(
        "<details", 2
    )[:2]
    for label, share in varied.composed["drugs"].shares:
        assert f"{label} {percent(share)}" in words_of(shown)
    assert " + " not in words_of(shown)
    assert "Shares of all 16 combinations" in folded


def test_days_and_units_read_as_on_the_page_wherever_the_report_has_them(varied: Findings) -> None:
    text = words_of(page(varied, "again"))
    days = "before 1 January 2015", "1 January 2015 to before 31 March 2020", "31 March 2020 or later"
    assert value_words(varied.survey, "since") == (*days, "Prefer not to say")
    for day in days:
        assert text.count(day) >= 3, "among shares, answers and what is revealed"
    assert not re.search(r"\d{4}-\d\d-\d\d", text)
    assert "\u201cbefore 1 January 2015\u201d 31.7% to 85.8%" in text
    assert "\u201cPrefer not to say\u201d 5.0% to 40.6%" in text
    assert "prefer_not_to_say" not in text
    assert value_words(varied.survey, "income")[:2] == ("under 2,000 EUR", "2,000 to under 3,000 EUR"), (
        "it may be declined"
    )


def test_questions_are_counted_as_respondents_count_them(varied: Findings) -> None:
    assert "16 questions, 14 of them" in page(varied, "again")


def share(mean: float, reach: float = 0.01) -> Estimate:
    """A share with an interval that reaches so far to either side."""
    return Estimate(mean, reach / 2, (mean - reach, mean + reach), 1000)


@pytest.mark.parametrize(
    ("shares", "end"),
    [
        ([share(0.02), share(0.03)], 0.05),
        ([share(0.02), share(0.14)], 0.2),
        ([share(0.14, 0.1)], 0.3),
        ([share(0.14, 0.4)], 1.0),
        ([share(0.02), share(0.15)], 1.0),
        ([share(0.02), None, share(0.1, 2.0)], 0.05),
        ([None], 1.0),
    ],
)
def test_where_all_shares_are_low_the_axis_is_as_short_as_it_can_be_with_every_interval_on_it(
    shares: list[Estimate | None], end: float
) -> None:
    scale = share_scale(shares)
    assert (scale.low, scale.high) == (0.0, end)
    for each in shares:
        if each is not None and each.interval is not None and not each.says_nothing and end < 1:
            assert each.interval[1] <= end
            assert bar(each, scale)["high"] == pytest.approx(100 * each.interval[1] / end, abs=0.01)


def test_a_list_of_twenty_and_a_multiple_of_twenty_have_an_axis_that_shows_them(varied: Findings) -> None:
    for each in plots(varied.survey, varied.frequencies, varied.among_asked, varied.composed):
        if each.names[0] in {"last", "taken_t01"}:
            assert len(each.dots) >= 20
            assert each.scale.high == 0.2
            drawn = [bar(dot.share, each.scale) for dot in each.dots if dot.share is not None]
            assert max(each["high"] for each in drawn) <= 100
            assert max(each["mean"] for each in drawn) > 40
    text = page(varied, "again")
    assert text.count("<span>0</span><span>10</span><span>20 %</span>") >= 2


@pytest.fixture(scope="module")
def opened(browser: Browser, varied: Findings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The varied report in a dark browser."""
    written = tmp_path_factory.mktemp("varied") / "report.html"
    written.write_text(page(varied, "miner report varied -o report.html"), encoding="utf-8")
    with browser.new_context(color_scheme="dark") as context, context.new_page() as opened:
        opened.goto(written.as_uri())
        yield opened


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_no_label_of_a_long_list_is_cut_or_covered(opened: Page, width: int) -> None:
    opened.emulate_media(media="screen")
    opened.set_viewport_size({"width": width, "height": 900})
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.evaluate(CUT) == []
    assert opened.evaluate(ASKEW) == []
    assert violations(opened) == []


@pytest.mark.browser
def test_it_prints_light_and_whole_with_a_sentence_for_what_stays_folded(opened: Page) -> None:
    opened.emulate_media(media="print", color_scheme="dark")
    opened.set_viewport_size({"width": 658, "height": 986})  # A4 within its margins
    ink, paper = opened.evaluate(
        "(({color, backgroundColor}) => [color, backgroundColor])(getComputedStyle(document.body))"
    )
    assert (ink, paper) == ("rgb(27, 27, 27)", "rgb(255, 255, 255)")
    assert opened.evaluate(CUT) == []
    assert opened.evaluate(ASKEW) == []
    seen = {"contentVisibilityAuto": True}
    for each in opened.query_selector_all("details:not(.every) > *, .unprinted"):
        assert each.evaluate("(each, how) => each.checkVisibility(how)", seen)
    assert not any(each.is_visible() for each in opened.query_selector_all("details.every"))
    assert "all 24 orders" in opened.inner_text("main")
    whole = "tr, caption, summary, h2, h3, .plots .question > .plot, figure, pre"
    assert opened.eval_on_selector_all(whole, "all => [...new Set(all.map(e => getComputedStyle(e).breakInside))]") == [
        "avoid"
    ]
    printed = opened.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) <= 14
    folded = "document.querySelectorAll('details.every').forEach(each => { each.open = %s; })"
    opened.evaluate(folded % "true")
    assert all(each.is_visible() for each in opened.query_selector_all("details.every table"))
    assert not any(each.is_visible() for each in opened.query_selector_all(".unprinted"))
    opened.evaluate(folded % "false")


CUT = """[...document.querySelectorAll('.plot th, .plot td, .asked td, .asked th')].filter(cell => {
    const { left, right } = cell.getBoundingClientRect(), words = document.createRange();
    words.selectNodeContents(cell);
    const inside = cell.querySelector('.hidden, svg, .ends') ? null : words.getBoundingClientRect();
    return inside && inside.width && (inside.left < left - 1 || inside.right > right + 1);
}).map(cell => cell.textContent)"""
"""The cells whose words reach out of them."""
ASKEW = """[...document.querySelectorAll('.plot')].filter(plot => {
    const [axis, dot] = ['.ends', '.dot'].map(part => plot.querySelector(part)?.getBoundingClientRect());
    return axis?.width && dot && (Math.abs(axis.left - dot.left) > 1 || Math.abs(axis.right - dot.right) > 1);
}).map(plot => plot.textContent)"""
"""The plots whose axis is not where its numbers are."""
