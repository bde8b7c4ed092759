"""What leaves the page, in a real Chromium: the disguised response, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from browser_fixtures import Served, Visit
from collector.survey.survey import Survey
from filling import ADDRESS, RECEIPT, SIZES, WORDS, answer, give, settled, start, thanked, twin_sends

pytestmark = pytest.mark.browser


@SIZES
def test_all_that_leaves_the_page_is_the_disguised_response(
    size: dict[str, Any], served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit(WORDS, **size).open(served.page(wellbeing))
    loaded = here.paths()
    assert loaded[0] == "/s/wellbeing"
    assert all(path.startswith("/static/") for path in loaded[1:])
    answer(here.page, wellbeing)
    assert here.paths() == loaded, "a request between load and Send"
    here.send()
    assert thanked(here)
    assert here.paths() == [*loaded, ADDRESS]
    (post,) = here.posts
    sent = twin_sends(wellbeing)
    body = {"fingerprint": wellbeing.fingerprint, "codes": sent, "receipt": RECEIPT}
    assert post.post_data == json.dumps(body, separators=(",", ":"))
    assert served.responses(wellbeing) == [tuple(sent.values())]
    for request in here.requests:
        assert request.url.startswith(f"{served.address}/")
        headers = request.all_headers()
        assert headers.keys().isdisjoint({"cookie", "referer"})
        assert (request.post_data is None) == (request is not post)
    assert here.complaints == []


def test_the_injected_coins_turn_every_kind_of_answer(wellbeing: Survey) -> None:
    truth = {"year": 2, "cannabis": 0, "drinking": 0, "income": 2, "debt": 1, "distress": 0}
    assert twin_sends(wellbeing) == truth | {"cannabis": 1, "drinking": 3, "income": 3, "debt": 0}


def blocked(here: Visit) -> int:
    """How many submits the policy has blocked so far."""
    return sum("form-action" in complaint for complaint in here.complaints)


def wait_until(so: Callable[[], bool], here: Visit) -> None:
    """Wait for something, at most ten seconds."""
    waits = 0
    while not so() and waits < 100:
        here.page.wait_for_timeout(100)
        waits += 1


def test_without_javascript_nothing_can_be_sent(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    here = visit(java_script_enabled=False)
    here.page.goto(served.page(wellbeing))
    assert here.page.locator("noscript h2").bounding_box(), "the reason is not shown"
    assert here.page.locator("input:enabled, button:enabled").count() == 0
    loaded = here.paths()
    here.page.evaluate("""() => {
      for (const control of document.querySelectorAll("input, button")) control.disabled = false;
      const number = document.querySelector("#number").content.querySelector("input");
      document.forms[0].hidden = number.disabled = false;
      document.forms[0].prepend(number);
      number.value = "850";
      number.focus();
    }""")
    tries: list[Callable[[], object]] = [
        lambda: here.page.keyboard.press("Enter"),
        lambda: here.page.evaluate("document.getElementById('next').click()"),
        lambda: here.page.evaluate("document.forms[0].submit()"),
    ]
    for number, submit in enumerate(tries, start=1):  # one after another: a later one may cancel what is under way
        submit()
        wait_until(lambda count=number: blocked(here) == count, here)
    assert blocked(here) == len(tries), "not tried at all"
    assert here.paths() == loaded
    assert here.page.url == served.page(wellbeing)


def test_a_native_submit_goes_nowhere(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    here = visit().open(served.page(wellbeing))
    answer(here.page, wellbeing)
    loaded = here.paths()
    assert here.page.evaluate("[...new FormData(document.forms[0])].length") == 0
    here.page.evaluate("document.forms[0].submit()")
    wait_until(lambda: blocked(here) == 1, here)
    settled(here.page)
    assert here.paths() == loaded
    assert here.page.url == served.page(wellbeing)
    assert all("form-action" in complaint for complaint in here.complaints)
    assert len(here.complaints) > 0


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_native_submit_would_carry_nothing_even_without_the_policy(
    method: str, served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit(bypass_csp=True).open(served.page(wellbeing))
    answer(here.page, wellbeing)
    loaded = len(here.requests)
    with here.page.expect_navigation():
        here.page.evaluate(f"document.forms[0].method = '{method}'; document.forms[0].submit()")
    assert here.paths()[loaded] in {"/s/wellbeing", "/s/wellbeing?"}
    assert not here.requests[loaded].post_data
    assert served.responses(wellbeing) == []


def test_request_submit_is_the_button_and_no_way_round(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    loaded = here.paths()
    here.page.evaluate("document.forms[0].requestSubmit()")
    assert here.page.is_visible("#card"), "a survey begins without consent"
    start(here.page)
    here.page.evaluate("document.forms[0].requestSubmit()")
    here.page.wait_for_selector("#summary:not([hidden])")
    assert here.paths() == loaded
    for question in wellbeing.questions:
        give(here.page, wellbeing, question.name)
        here.page.evaluate("document.forms[0].requestSubmit()")
    here.page.evaluate("document.forms[0].requestSubmit()")
    assert thanked(here)
    assert json.loads(here.posts[0].post_data or "")["codes"] == twin_sends(wellbeing)


def test_nothing_of_the_answers_stays_behind(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    here = visit().open(served.page(wellbeing))
    answer(here.page, wellbeing)
    here.send()
    assert thanked(here)
    left = here.page.evaluate("""async () => ({
      cookie: document.cookie, local: localStorage.length, session: sessionStorage.length,
      databases: (await indexedDB.databases()).length, caches: (await caches.keys()).length,
      state: history.state, name: window.name, answers: document.querySelectorAll("form, [data-question]").length,
    })""")
    assert left == {
        "cookie": "", "local": 0, "session": 0, "databases": 0, "caches": 0,
        "state": {"depth": 1}, "name": "", "answers": 0,
    }  # fmt: skip
    assert here.page.url == served.page(wellbeing)
    assert here.page.context.cookies() == []
    assert "850" not in here.page.content()


def test_a_reload_midway_forgets_the_answers(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    answer(here.page, wellbeing)
    here.page.reload()
    here.page.wait_for_selector("#start:enabled")
    assert here.page.locator("input:checked").count() == 0
    assert here.page.input_value("#q-income") == ""
    answer(here.page, wellbeing)
    here.send()
    assert thanked(here)
    assert served.responses(wellbeing) == [tuple(twin_sends(wellbeing).values())]
