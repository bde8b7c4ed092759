"""Sending in a real Chromium: what fails is tried again with the same bytes, and what is sent is sent once."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Route

from benchmarks.collecting.weight import loaded
from browser_fixtures import Served, Visit
from collector.page.static_files import disguise_hash, static_files
from collector.survey.survey import Survey
from collector.survey.text import Text
from collector.survey_file.survey_file import parse_survey
from filling import (
    ADDRESS,
    answer,
    failed,
    give,
    only_our_failures,
    proceed,
    settled,
    start,
    thanked,
)
from kind_surveys import EVERY_KIND
from soak import some_of

pytestmark = pytest.mark.browser

TOGETHER = 6  # pages at a time: the wait until nothing more is loaded is one for them all


def aborted(route: Route) -> None:
    route.abort()


def dropped_after_storing(route: Route) -> None:
    route.fetch()
    route.abort()


@pytest.mark.parametrize("fate", [aborted, dropped_after_storing])
def test_a_failed_send_is_tried_again_with_the_very_same_bytes(
    fate: Callable[[Route], None], served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit().open(served.page(wellbeing))
    answer(here.page, wellbeing)
    here.page.route(f"**{ADDRESS}", fate)
    here.send()
    assert "Nothing is lost" in failed(here)
    assert here.page.locator("form input:enabled").count() == 0, "answers could be changed after the coins were tossed"
    here.send()
    failed(here)
    here.page.unroute(f"**{ADDRESS}")
    here.send()
    assert thanked(here)
    assert len(here.posts) == 3
    assert len({post.post_data for post in here.posts}) == 1
    assert len(served.responses(wellbeing)) == 1, "counted twice"
    assert only_our_failures(here)


@pytest.mark.parametrize("status", some_of((500, 502, 503, 429), (503, 429)))
def test_a_server_in_trouble_is_worth_another_try(
    status: int, served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit().open(served.page(wellbeing))
    answer(here.page, wellbeing)
    here.page.route(f"**{ADDRESS}", lambda route: route.fulfill(status=status, body="{}"))
    here.send()
    assert "Nothing is lost" in failed(here)
    assert here.page.inner_text("#next") == "Try again"
    here.page.unroute(f"**{ADDRESS}")
    here.send()
    assert thanked(here)
    assert len({post.post_data for post in here.posts}) == 1


def test_a_redirect_to_elsewhere_is_not_followed(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit().open(served.page(wellbeing))
    answer(here.page, wellbeing)
    elsewhere = {"Location": "http://127.0.0.1:9/"}
    here.page.route(f"**{ADDRESS}", lambda route: route.fulfill(status=307, headers=elsewhere))
    here.send()
    failed(here)
    assert all(request.url.startswith(served.address) for request in here.requests)


def test_a_survey_that_was_changed_meanwhile_asks_for_a_reload(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit().open(served.page(wellbeing))
    served.store.publish(replace(wellbeing, title=Text.of(en="Changed")), new_version=True)
    answer(here.page, wellbeing)
    here.send()
    assert "open it again" in failed(here)
    assert here.page.is_hidden("#next")
    assert served.responses(wellbeing) == []


def test_a_double_tap_sends_once(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    here = visit().open(served.page(wellbeing))
    answer(here.page, wellbeing)
    waiting: list[Route] = []
    here.page.route(f"**{ADDRESS}", lambda route: waiting.append(route))  # noqa: PLW0108 - Playwright marks what it calls
    here.page.dblclick("#next", no_wait_after=True)
    here.page.press("#next", "Enter", no_wait_after=True)
    assert here.page.inner_text("#progress") == "Sending\u2026"
    (route,) = waiting
    route.continue_()
    assert thanked(here)
    assert len(here.posts) == 1
    assert len(served.responses(wellbeing)) == 1


def test_a_double_press_goes_one_screen_on(served: Served, visit: Callable[..., Visit], bilingual: Survey) -> None:
    here = visit().open(served.page(bilingual))
    page = here.page
    start(page)
    for question in bilingual.questions:
        give(page, bilingual, question.name)
        page.dblclick("#next", no_wait_after=True)
        assert page.is_hidden("#summary"), "the next question was pressed too"
    assert page.is_visible("#check"), "a response was locked unseen"
    page.dblclick("#next", no_wait_after=True)
    page.wait_for_selector("#preview:visible")
    settled(page)
    assert here.posts == [], "it was sent unseen"
    page.click("#next", no_wait_after=True)
    assert thanked(here)


def test_a_second_tab_of_the_same_visit_sends_the_same_response_which_counts_once(
    served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    (code,) = served.store.invite(bilingual.name, 1)
    here = visit().open(f"{served.page(bilingual)}#{code}")
    answer(here.page, bilingual)
    proceed(here.page)
    here.page.wait_for_selector("#preview:visible")
    kept = here.page.evaluate("JSON.stringify(sessionStorage)")
    other = visit()
    other.page.goto(f"{served.address}/static/page/icon.svg")
    other.page.evaluate("(kept) => { for (const each in kept) sessionStorage[each] = kept[each]; }", json.loads(kept))
    other.page.goto(served.page(bilingual))
    other.page.click("#whose button >> nth=0")
    other.page.wait_for_selector("#preview:visible")
    for each in (here, other):
        proceed(each.page)
        assert thanked(each)
    assert here.posts[0].post_data == other.posts[0].post_data
    assert here.page.inner_text("#receipt") == other.page.inner_text("#receipt")
    assert len(served.responses(bilingual)) == 1


def test_without_secure_randomness_the_survey_does_not_open(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit((None, []))
    here.page.goto(served.page(wellbeing))
    here.page.wait_for_selector("text=This survey cannot be answered here")
    assert here.page.locator("input:enabled, button:enabled").count() == 0
    assert here.posts == []


@pytest.mark.parametrize("failing", ["() => { throw new Error('no chance'); }", "(array) => [undefined]"])
def test_a_word_that_is_missing_sends_nothing(
    failing: str, served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit().open(served.page(wellbeing))
    answer(here.page, wellbeing)
    here.page.evaluate(f"() => {{ crypto.getRandomValues = {failing}; }}")
    here.send()
    assert "Nothing was sent" in failed(here)
    assert here.posts == []


@pytest.mark.parametrize(
    "damage",
    [
        ('"truth":[4,5]', '"truth":[1,2]'),
        ('"truth":[4,5]', '"truth":[3,5]'),  # sound, but not the design of the fingerprint
        ('id="design">{', 'id="design">x{'),
        ('"complements":[1,0]', '"complements":[0,1]'),
    ],
)
def test_a_damaged_design_keeps_the_form_closed(
    damage: tuple[str, str], served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit()

    def damaged(route: Route) -> None:
        original = route.fetch()
        text = original.text()
        assert damage[0] in text
        route.fulfill(response=original, body=text.replace(*damage))

    here.page.route("**/s/wellbeing", damaged)
    here.page.goto(served.page(wellbeing))
    here.page.wait_for_selector("text=This survey cannot be answered here")
    assert here.page.locator("input:enabled, button:enabled").count() == 0
    assert not here.page.text_content("#fingerprint")


@pytest.mark.parametrize("kind", some_of(("wellbeing", "every kind"), ("wellbeing",)))
def test_a_browser_runs_no_script_that_was_changed_on_the_way(
    kind: str, served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    survey = wellbeing if kind == "wellbeing" else parse_survey(EVERY_KIND)
    served.store.publish(survey)

    def changed(route: Route) -> None:
        original = route.fetch()
        route.fulfill(response=original, body=original.text() + "\nvoid 0;")

    scripts = [name for name in loaded(survey) if name.endswith(".mjs")]
    assert {"page/survey.mjs", "disguise/coins.mjs", "page/numbers.mjs"} <= set(scripts)
    for first in range(0, len(scripts), TOGETHER):
        visits = {name: visit() for name in scripts[first : first + TOGETHER]}
        for name, here in visits.items():
            here.page.route(f"**/static/{name}", changed)
            here.page.goto(served.page(survey))
        for name, here in visits.items():
            here.page.wait_for_load_state("networkidle")
            assert any("integrity" in each.lower() for each in here.complaints), name
            assert here.page.locator("input:enabled, button:enabled").count() == 0, name
            here.page.close()


def test_a_browser_runs_no_script_whose_hash_is_not_in_the_page(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit().open(served.page(wellbeing))
    assert here.complaints == []
    refused = "import('/static/page/ranking.mjs').then(() => '', (error) => String(error))"
    assert "Failed to fetch" in here.page.evaluate(refused)


def test_the_card_shows_the_hash_of_the_files_as_they_are_served(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit().open(served.page(wellbeing))
    loaded = {path.removeprefix("/static/") for path in here.paths() if path.startswith("/static/disguise/")}
    every = {name for name in static_files() if name.startswith("disguise/")}
    assert loaded == every - {"disguise/sampling.mjs"}  # which only the page of a split survey loads
    received = {name: here.page.request.get(f"{served.address}/static/{name}").body() for name in every}
    here.page.click("text=How to check this page")
    assert here.page.is_visible(f"text={disguise_hash(received)}")


def test_the_card_shows_the_fingerprint_that_the_browser_computed(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    marked = replace(wellbeing, name="marked", title=Text((("en", r"A < B & \u003c \\u003c ü"),)))
    served.store.publish(marked)
    for survey in (wellbeing, marked):
        page = visit().open(served.page(survey)).page
        assert page.text_content("#fingerprint") == f"{survey.fingerprint[:16]}…"
        assert page.locator("#unverified").count() == 0


def test_without_an_encrypted_connection_the_card_says_that_nothing_was_compared(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit()
    here.page.add_init_script("Object.defineProperty(crypto, 'subtle', { value: undefined })")
    here.open(served.page(wellbeing))
    assert "not checked" in (here.page.text_content("#unverified") or "")
    assert here.page.locator("#verified").count() == 0
