"""Questions asked together or in a way of their own: by touch, by keyboard, on a small phone, in two languages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page

from benchmarks.collecting.weight import example
from browser_fixtures import Served, Visit
from collector.survey.study import Study
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from filling import DESKTOP, PHONE, proceed, start
from kind_surveys import EVERY_KIND
from screens import judge

pytestmark = pytest.mark.browser

AS_ANSWERED = parse_survey(EVERY_KIND.replace('"3/4"', "1").replace('"1/2"', "1"))
"""Every coin says to send the truth: what is stored is what was answered."""


@pytest.fixture
def kinds(served: Served) -> Survey:
    served.store.publish(AS_ANSWERED)
    return AS_ANSWERED


def stored(served: Served, survey: Survey) -> list[dict[str, str]]:
    """The values of what was stored."""
    rows = [zip(survey.questions, row, strict=True) for row in served.responses(survey)]
    return [{each.name: each.values[each.coding.value_of(code) or 0] for each, code in row} for row in rows]


def press(page: Page, *controls: str) -> None:
    """Touch these controls, and go on."""
    for control in controls:
        page.click(f"label:has({control})")
    proceed(page)


def rank(page: Page, *order: str) -> None:
    for item in order:
        page.click(f"#q-rank-{('pay', 'time', 'peers').index(item)}")
    proceed(page)


def send(page: Page) -> None:
    """Lock, look, send."""
    proceed(page)
    page.wait_for_selector("#preview:visible")
    proceed(page)
    page.wait_for_selector("#thanks:visible")


@pytest.mark.parametrize(("size", "language"), [(PHONE, "ar"), (DESKTOP, "en")], ids=["phone", "desktop"])
def test_every_kind_is_answered_by_touch_and_axe_finds_nothing(
    size: dict[str, Any], language: str, served: Served, visit: Callable[..., Visit], kinds: Survey
) -> None:
    here = visit(**size).open(f"{served.page(kinds)}?lang={language}")
    page = here.page
    start(page)
    steps: dict[str, Callable[[], None]] = {
        "bullied": lambda: press(page, "#q-bullied-0"),
        "how_words": lambda: press(page, "#q-how_words-0", "#q-how_net-0"),
        "climate_fair": lambda: press(page, "#q-climate_fair-1", "#q-climate_voice-2"),
        "rank": lambda: rank(page, "time", "peers", "pay"),
        "moved": lambda: press(page, "#q-moved-1"),
        "money": lambda: (page.fill("#q-money", "1500"), proceed(page))[1],
        "bus": lambda: press(page, "#q-bus-15"),
    }
    for name, step in steps.items():
        page.wait_for_selector(f"#q-{name}-question:visible")
        judge(page, name)
        proceed(page)
        page.wait_for_selector("#summary:visible") if name != "money" else page.go_back()
        step()
    page.wait_for_selector("#check:visible")
    judge(page, "check")
    send(page)
    assert here.complaints == []
    assert stored(served, kinds) == [
        {
            "bullied": "yes",
            "how_words": "yes",
            "how_hands": "no",
            "how_net": "yes",
            "climate_fair": "partly",
            "climate_voice": "full",
            "rank": "time>peers>pay",
            "moved": "2010-01-01..2020-01-01",
            "money": "1000..2000",
            "bus": "Métro",
        }
    ]


@pytest.mark.parametrize("language", ["en", "ar"])
def test_a_grid_is_a_matrix_where_there_is_room_and_a_list_on_a_phone(
    language: str, served: Served, visit: Callable[..., Visit]
) -> None:
    survey = example("staff_climate")
    served.store.publish(survey)
    page = visit(**DESKTOP).open(f"{served.page(survey)}?lang={language}").page
    start(page)
    rows = page.locator(".line:visible")
    places = """all => all.map((line) => [...line.querySelectorAll("input")].map((input) => {
      const { x, y, width } = input.getBoundingClientRect();
      return [Math.round(x + width / 2), Math.round(y)];
    }))"""
    matrix = rows.evaluate_all(places)
    assert len(matrix) > 6
    assert len({tuple(x for x, _ in row) for row in matrix}) == 1, "each answer has a column"
    assert all(len({y for _, y in row}) == 1 for row in matrix), "each statement has a row"
    sizes = "all => all.map((line) => getComputedStyle(line.querySelector('.choice')).fontSize)"
    assert [size != "0px" for size in rows.evaluate_all(sizes)] == [at % 6 == 0 for at in range(len(matrix))]
    for row in (rows.nth(0), rows.nth(1)):
        assert row.get_by_role("radio", name="5", exact=True).count() == 1
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    page.set_viewport_size({"width": 800, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= wide <= 0
    page.set_viewport_size({"width": 320, "height": 640})
    for row in rows.evaluate_all(places):
        assert len({x for x, _ in row}) == 1
        assert len({y for _, y in row}) == len(row)
    assert set(rows.evaluate_all(sizes)) == {"17px"}


def test_a_screen_that_does_not_apply_is_left_out_forwards_backwards_and_in_what_is_checked(
    served: Served, visit: Callable[..., Visit], kinds: Survey
) -> None:
    page = visit().open(served.page(kinds)).page
    start(page)
    press(page, "#q-bullied-0")
    press(page, "#q-how_words-0")
    page.wait_for_selector("#q-climate_fair-question:visible")
    page.go_back()
    page.wait_for_selector("#q-how_words-question:visible")
    page.go_back()
    press(page, "#q-bullied-1")
    page.wait_for_selector("#q-climate_fair-question:visible")
    press(page, "#q-climate_fair-1", "#q-climate_voice-2")
    rank(page, "time", "peers", "pay")
    press(page, "#q-moved-1")
    proceed(page)  # money is optional
    press(page, "#q-bus-0")
    page.wait_for_selector("#check:visible")
    assert "How were you bullied?" not in page.inner_text("#check")
    send(page)
    (values,) = stored(served, kinds)
    assert [values[each] for each in ("bullied", "money")] == ["no", "no_answer"]


def test_an_answer_that_is_changed_opens_the_screen_that_now_applies(
    served: Served, visit: Callable[..., Visit], kinds: Survey
) -> None:
    page = visit().open(served.page(kinds)).page
    start(page)
    press(page, "#q-bullied-2")
    press(page, "#q-climate_fair-1", "#q-climate_voice-2")
    rank(page, "time", "peers", "pay")
    press(page, "#q-moved-1")
    proceed(page)
    press(page, "#q-bus-0")
    page.click("#answers button >> nth=0")
    press(page, "#q-bullied-0")
    page.wait_for_selector("#q-how_words-question:visible")
    press(page, "#q-how_words-none")
    page.click("#next", no_wait_after=True)
    for _ in range(6):
        if not page.is_visible("#check"):
            proceed(page)
    send(page)
    assert [stored(served, kinds)[0][each] for each in ("bullied", "how_words")] == ["yes", "no"]


def test_none_of_these_excludes_the_others_and_limits_are_told(
    served: Served, visit: Callable[..., Visit], kinds: Survey
) -> None:
    page = visit().open(served.page(kinds)).page
    start(page)
    press(page, "#q-bullied-0")
    assert "Tick 2 at most." in page.inner_text("#q-how_words-odds"), "before anything is ticked"
    press(page, "#q-how_words-0", "#q-how_hands-0", "#q-how_net-0")
    assert "Tick 2 at most." in page.inner_text("#summary")
    page.click("#summary a")
    assert page.evaluate("document.activeElement.id") == "q-how_words-0"
    page.click("label:has(#q-how_words-none)")
    assert not page.is_checked("#q-how_words-0")
    page.click("label:has(#q-how_hands-0)")
    assert not page.is_checked("#q-how_words-none")
    page.click("label:has(#q-how_hands-0)")
    proceed(page)
    assert "Tick 1 or more." in page.inner_text("#summary")


def test_screens_are_counted_on_the_card(served: Served, visit: Callable[..., Visit], kinds: Survey) -> None:
    served.store.publish(replace(kinds, study=Study(minutes=3)))
    page = visit().open(served.page(kinds)).page
    count = len(kinds.questions) - sum(len(screen.questions) - 1 for screen in kinds.screens)
    assert f"{count} questions" in page.inner_text("#card")
    start(page)
    parts = page.locator("section.question").all()
    assert f"of up to {count}" in parts[0].locator(".count").text_content()


@pytest.mark.parametrize(
    ("language", "intervals"),
    [
        ("en", ["before 1 January 2010", "1 January 2010 to before 1 January 2020"]),
        ("ar", ["قبل 1 يناير 2010", "من 1 يناير 2010 إلى ما قبل 1 يناير 2020"]),
    ],
)
def test_a_day_is_asked_as_the_interval_that_is_sent_in_the_words_of_every_other_page(
    language: str, intervals: list[str], served: Served, visit: Callable[..., Visit], kinds: Survey
) -> None:
    page = visit().open(f"{served.page(kinds)}?lang={language}").page
    assert page.locator("#q-moved-question .choice").all_text_contents()[:2] == intervals
    assert page.locator("#q-moved-question [type=date]").count() == 0


def test_what_is_checked_of_a_number_is_what_was_read(
    served: Served, visit: Callable[..., Visit], kinds: Survey
) -> None:
    page = visit().open(served.page(kinds)).page
    start(page)
    press(page, "#q-bullied-1")
    press(page, "#q-climate_fair-1", "#q-climate_voice-2")
    rank(page, "time", "peers", "pay")
    press(page, "#q-moved-1")
    page.fill("#q-money", "\u0661\u0665\u0660\u0660")
    proceed(page)
    press(page, "#q-bus-0")
    assert "1,500 EUR" in page.inner_text("#answers")
    assert "to under" not in page.inner_text("#answers")


CRORE = """
name = "crore"
title = { en = "Pay", hi = "Pay" }
languages = ["en", "hi"]
groups = { g = { truth = "1/2", channel = "uniform" } }
[[questions]]
name = "pay"
label = { en = "Your pay?", hi = "Your pay?" }
kind = "number"
unit = "EUR"
minimum = -1500
maximum = 100000000
cuts = [1.125, 1000]
group = "g"
"""


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("10,00,00,000", "10,00,00,000 EUR"),
        ("\u0967\u0968\u0969\u096a", "1,234 EUR"),
        ("-1,500", "-1,500 EUR"),
        ("1.2340", "1.2340 EUR"),
        ("1.234", None),
    ],
)
def test_a_page_in_hindi_reads_what_it_prints_and_shows_what_it_read(
    typed: str, shown: str | None, served: Served, visit: Callable[..., Visit]
) -> None:
    survey = parse_survey(CRORE)
    served.store.publish(survey)
    page = visit().open(f"{served.page(survey)}?lang=hi").page
    start(page)
    assert page.inner_text("#q-pay-unit") == "EUR (-1,500\u201310,00,00,000)"
    page.fill("#q-pay", typed)
    proceed(page)
    assert page.is_visible("#check") == (shown is not None)
    if shown:
        assert page.inner_text("#answers dd").startswith(shown + "\n")


ORDERED = """
name = "ordered"
title = "In any order"
languages = ["en"]
shuffle = true
groups = { g = { truth = 1 } }
questions = [
  { name = "a", label = "A?", kind = "choice", values = ["1", "2", "3"], group = "g", shuffle = true },
  { name = "b", label = "B?", kind = "yes_no", group = "g" },
  { name = "c", label = "C?", kind = "yes_no", group = "g" },
]
"""


def test_the_order_is_drawn_in_the_browser_and_never_sent(served: Served, visit: Callable[..., Visit]) -> None:
    survey = parse_survey(ORDERED)
    served.store.publish(survey)
    orders, values, bodies = set(), set(), set()
    for _ in range(8):
        here = visit().open(served.page(survey))
        page = here.page
        start(page)
        labels = page.locator("#q-a-question .choice").all_text_contents()
        order = []
        while not page.is_visible("#check"):
            order.append(str(page.get_attribute("[data-question]:visible", "data-question")))
            press(page, f"#q-{order[-1]}-0")
        orders.add(tuple(order))
        values.add(tuple(labels))
        page.evaluate("void (crypto.getRandomValues = (array) => array.fill(7))")
        proceed(page)
        page.wait_for_selector("#thanks:visible")
        (post,) = here.posts
        bodies.add(post.post_data)
    assert len(orders) > 1
    assert len(values) > 1
    assert len(bodies) == 1, "the order decides what is sent"


def test_what_is_ranked_is_moved_and_taken_back_and_only_a_whole_order_is_sent(
    served: Served, visit: Callable[..., Visit], kinds: Survey
) -> None:
    page = visit(**PHONE).open(served.page(kinds)).page
    start(page)
    press(page, "#q-bullied-1")
    press(page, "#q-climate_fair-1", "#q-climate_voice-2")
    box = page.locator("#q-rank-question")

    def shown() -> list[str]:
        return box.locator("li").evaluate_all("rows => rows.map((each) => each.firstChild.textContent)")

    for item in (2, 0, 1):  # peers, pay, time
        page.click(f"#q-rank-{item}")
    assert shown() == ["1. Friends", "2. Marks", "3. Time"]
    assert box.locator("li button:visible").evaluate_all("all => all.filter((each) => each.offsetHeight < 44)") == []
    box.get_by_role("button", name="Time \u2191").click()
    assert shown() == ["1. Friends", "2. Time", "3. Marks"]
    assert box.get_by_role("status").text_content() == "2. Time", "the new place is announced"
    box.get_by_role("button", name="Friends \u2193").click()
    assert box.get_by_role("status").text_content() == "2. Friends"
    assert shown() == ["1. Time", "2. Friends", "3. Marks"]
    page.click("#q-rank-2")  # Friends, again
    assert shown() == ["1. Time", "2. Marks", "Friends"]
    proceed(page)
    page.wait_for_selector("#summary:visible")
    assert page.locator("#summary a").all_text_contents() == ["Put all 3 in order."]
    assert "Put all 3 in order." in box.locator("li .error").inner_text()
    page.click("#q-rank-2")
    proceed(page)
    press(page, "#q-moved-1")
    proceed(page)  # money is optional
    press(page, "#q-bus-0")
    send(page)
    assert stored(served, kinds)[0]["rank"] == "time>pay>peers"
    assert page.locator("[aria-pressed=true]").count() == 0, "the order is forgotten"
