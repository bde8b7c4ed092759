"""Every screen that there is, in a real Chromium, as axe and a narrow window find it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from playwright.sync_api import Page, Route, expect

from browser_fixtures import Served, Visit
from collector.channel.channel import channel
from collector.survey.study import Study
from collector.survey.survey import Survey
from filling import BILINGUAL_WORDS, answer, by_hand, failed, give, proceed, start, thanked, twin_sends
from screens import FAILURES, LOOKS, PARTS, PICTURES, REFUSALS, SMALL_LOOKS, Gallery, shown_by_the_code, take_picture
from soak import some_of

pytestmark = pytest.mark.browser


def test_every_screen_there_is_is_among_those_that_axe_looks_at() -> None:
    listed = {shown for part in PARTS.values() for shown in part.values()}
    assert listed == shown_by_the_code()


@pytest.mark.parametrize("look", some_of(LOOKS, SMALL_LOOKS))
def test_every_screen_of_a_survey_pleases_axe_and_fits(
    look: str, served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    options, language = LOOKS[look]
    here = visit(BILINGUAL_WORDS, **options).open(served.page(bilingual))
    page = here.page
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == [
        language, "rtl" if language == "ar" else "ltr",
    ]  # fmt: skip
    with Gallery(look, "survey") as gallery:
        unfold(page, "#card")
        gallery.look(page, "card")
        start(page)
        for question in bilingual.questions:
            unfold(page, f"#q-{question.name}-question")
            gallery.look(page, question.name)
            proceed(page)
            assert page.is_visible("#summary")
            gallery.look(page, f"{question.name}-error")
            give(page, bilingual, question.name)
            proceed(page)
        gallery.look(page, "check")
        proceed(page)
        gallery.look(page, "preview")
        page.context.set_offline(True)
        proceed(page)
        failed(here)
        gallery.look(page, "failure-offline")
        page.context.set_offline(False)
        proceed(page)
        assert thanked(here)
        gallery.look(page, "thanks")
    assert served.responses(bilingual) == [tuple(twin_sends(bilingual, BILINGUAL_WORDS).values())]


CODE = "7ZQ4K-7ZQ4K-7ZQ4K-7ZQ4K-7ZQ4K7"


def unfold(page: Page, screen: str) -> None:
    """Open everything on a screen that can be opened."""
    for summary in page.locator(f"{screen} summary").all():
        summary.click()


@pytest.mark.parametrize("look", some_of(SMALL_LOOKS, ("phone-light-en",)))
def test_every_ending_pleases_axe_and_fits(
    look: str, served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    options, _ = LOOKS[look]
    survey = replace(bilingual, name="afterwards", preview="after")
    served.store.publish(survey)
    (code,) = served.store.invite(survey.name, 1)
    here = visit(BILINGUAL_WORDS, **options).open(served.page(survey))
    page = here.page
    with Gallery(look, "endings") as gallery:
        start(page)
        assert page.is_visible("#invitation-error")
        gallery.look(page, "card-uninvited")
        page.fill("#invitation", code)
        answer(page, survey)
        gallery.look(page, "check")
        page.context.set_offline(True)
        proceed(page)
        failed(here)
        gallery.look(page, "locked")
        page.context.set_offline(False)
        page.click("#leave")
        gallery.look(page, "left")
        page.goto("about:blank")
        here.open(f"{served.page(survey)}#{code}")
        answer(page, survey)
        proceed(page)
        assert thanked(here)
        unfold(page, "#thanks")
        gallery.look(page, "thanks-with-bytes")
        page.click("[data-delete=receipt]")
        page.wait_for_selector("#receipt-status:not(:empty)")
        page.wait_for_selector("[data-delete=receipt]", state="detached")
        gallery.look(page, "deleted")
        here.open(served.page(survey))
        unfold(page, "#card")
        page.fill("#old", "A" * 43)
        with page.expect_response("**/responses"):
            page.click("[data-delete=old]")
        expect(page.locator("#old-status")).to_have_text(re.compile(r"\.$"))
        gallery.look(page, "unknown")


@pytest.mark.parametrize("look", some_of(SMALL_LOOKS, ("phone-dark-ar",)))
def test_every_failure_pleases_axe_and_fits(
    look: str, served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    options, _ = LOOKS[look]
    served.store.invite(bilingual.name, 1)
    study = replace(bilingual.study or Study(), quotas=(("year", (("third", 9),)),))
    served.store.publish(replace(bilingual, study=study))
    here = visit(BILINGUAL_WORDS, **options).open(served.page(bilingual))
    page = here.page
    with Gallery(look, "failures") as gallery:
        page.fill("#invitation", CODE)
        answer(page, bilingual)
        proceed(page)
        for reason in FAILURES[:-1]:
            page.unroute_all()
            page.route("**/responses", refusing(reason))
            proceed(page)
            failed(here)
            gallery.look(page, f"failure-{reason}")
            if page.is_hidden("#next"):
                page.reload()
                page.wait_for_selector("#whose")
                if reason == "outdated":  # the first that keeps the response and cannot send it
                    gallery.look(page, "whose")
                page.click("#whose button >> nth=0")
                page.wait_for_selector("#preview:visible")
        page.evaluate("sessionStorage.clear()")
        page.goto("about:blank")
        here.open(f"{served.page(bilingual)}#{CODE}")
        answer(page, bilingual)
        page.evaluate(SPOIL)
        proceed(page)
        failed(here)
        page.evaluate("() => void (crypto.getRandomValues = globalThis.chance)")  # axe needs it
        gallery.look(page, "failure-broken")
        served.store.publish(replace(bilingual, study=replace(study, quotas=(("year", (("third", 0),)),))))
        page.evaluate("sessionStorage.clear()")
        page.goto("about:blank")
        here.open(f"{served.page(bilingual)}#{CODE}")
        start(page)
        give(page, bilingual, "year")
        proceed(page)
        page.wait_for_selector("#full:visible")
        gallery.look(page, "full")


SPOIL = """() => {
  globalThis.chance = crypto.getRandomValues;
  crypto.getRandomValues = () => { throw new Error("there is no chance here"); };
}"""


def refusing(reason: str) -> Callable[[Route], None]:
    """What a server answers that refuses with this reason."""
    return lambda route: route.fulfill(status=409, json={"reason": reason})


@pytest.mark.parametrize("look", some_of(SMALL_LOOKS, ("phone-light-en",)))
def test_a_page_that_stays_closed_pleases_axe_and_fits(
    look: str, served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    options, _ = LOOKS[look]
    with Gallery(look, "closed-cards") as gallery:
        waiting = visit(**options).page
        waiting.route("**/*.mjs", lambda route: route.abort())
        waiting.goto(served.page(bilingual))
        gallery.look(waiting, "card-waiting")
        broken = visit(**options).page
        broken.route(f"**/s/{bilingual.name}", damaged)
        broken.goto(served.page(bilingual))
        expect(broken.locator("#waiting")).to_have_text(
            re.compile(r"^(This survey cannot be answered here|\u0644\u0627 \u064a\u0645\u0643\u0646)")
        )
        gallery.look(broken, "card-broken")
        look_without_script(visit(**options).page, served.page(bilingual), gallery)


def damaged(route: Route) -> None:
    """A page whose design says nothing at all."""
    original = route.fetch()
    route.fulfill(response=original, body=original.text().replace('"truth":[2,3]', '"truth":[1,2]'))


def look_without_script(page: Page, address: str, gallery: Gallery) -> None:
    """Look at the page as it is with JavaScript off.

    axe is JavaScript. So the page is loaded, parsed and drawn with scripts switched off, and they are switched on
    afterwards: the page's own was never fetched and does not run. What the switch itself would change is held: what is
    in `noscript` stays, and what `scripting: none` hides stays hidden. That the page reads the same is asserted.
    """
    switch = page.context.new_cdp_session(page)
    switch.send("Emulation.setScriptExecutionDisabled", {"value": True})
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(address)
    assert not [url for url in fetched if url.endswith("/page/survey.mjs")]
    reads = page.evaluate("document.body.innerText")
    take_picture(page, PICTURES / "without-script.png")
    switch.send("Emulation.setScriptExecutionDisabled", {"value": False})
    page.evaluate("""() => {
      const held = new CSSStyleSheet();
      held.replaceSync(".live { display: none !important }");
      document.adoptedStyleSheets = [held];
      for (const part of document.querySelectorAll("noscript")) part.replaceWith(...part.childNodes);
    }""")
    assert page.evaluate("document.body.innerText") == reads
    gallery.look(page, "card-without-script")


@pytest.mark.parametrize("look", SMALL_LOOKS)
def test_every_other_page_pleases_axe_and_fits(
    look: str, served: Served, visit: Callable[..., Visit], bilingual: Survey
) -> None:
    """These hold no script: with JavaScript off they are the very same documents."""
    options, language = LOOKS[look]
    impossible = [replace(group, channel=channel(group.channel.name, Fraction(3, 7))) for group in bilingual.groups]
    served.store.publish(replace(bilingual, name="impossible", groups=tuple(impossible)))
    served.store.publish(replace(bilingual, name="invited"))
    served.store.invite("invited", 1)
    page = visit(**options).page
    with Gallery(look, "pages") as gallery:
        for path, screen in (
            ("/", "index"),
            ("/exit", "exit"),
            (f"/s/{bilingual.name}/by-hand", "by-hand"),
            ("/s/invited/by-hand", "by-hand-by-invitation"),
            ("/s/impossible/by-hand", "by-hand-impossible"),
        ):
            page.goto(served.address + path)
            assert page.get_attribute("html", "lang") == language
            gallery.look(page, screen)
        page.goto(f"{served.page(bilingual)}/by-hand")
        for question in bilingual.questions:
            page.click(by_hand(question.name, question.codes[0]))
        page.click("form button")
        page.wait_for_selector("form", state="detached")
        gallery.look(page, "thanks-by-hand")
        for reason in REFUSALS:
            page.goto(f"{served.address}/refuse/{reason}")
            assert page.get_attribute("html", "lang") == language
            gallery.look(page, f"error-{reason}", alike=reason != REFUSALS[0])
    assert len(served.responses(bilingual)) == 1
