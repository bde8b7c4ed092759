"""Two answers with one code in a real Chromium: the page sends what its Python twin would, and says what it sends."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from browser_fixtures import Served, Visit, in_browser
from collector.survey import Survey
from filling import PHONE, proceed, start, thanked
from miner.simulate import code_answers, disguise, draw_questions
from paired_surveys import FORCED, forced, sent_by
from together_vectors import surveys

pytestmark = pytest.mark.browser

# The draw takes the last question and the first; the coin says truth, or a lie; and then come the draws of a code.
ASKING = [4, 0]
COINS = {"true": [0, 3, 2, 1, 5, 0, 2], "false": [2**31, 3, 2, 1, 5, 0, 2]}


@pytest.fixture
def published(served: Served) -> Survey:
    survey = replace(surveys()["affine"], preview="before")
    served.store.publish(survey)
    return survey


def answer(page: Page) -> list[str]:
    """Answer every question that is asked with its second value; their names."""
    start(page)
    names: list[str] = page.evaluate(
        "[...document.querySelectorAll('[data-question]')].map((each) => each.dataset.question)"
    )
    for name in names:
        page.click(f"#q-{name}-question .choice >> nth=1")
        proceed(page)
    return names


@pytest.mark.parametrize("coin", COINS)
def test_the_page_sends_what_its_twin_would(
    served: Served, visit: Callable[..., Visit], published: Survey, coin: str
) -> None:
    asking, coins = [*ASKING], iter(COINS[coin] + [0] * 9)
    asked = draw_questions(published, lambda: asking.pop(0))
    codes = code_answers(published, dict.fromkeys(asked, "v1"), lambda: 0, asked)
    sent = disguise(published, codes, coins.__next__)
    here = visit(([], COINS[coin], ASKING), **PHONE).open(served.page(published))
    assert tuple(answer(here.page)) == asked
    assert "Your two answers are sent as one code" in (here.page.text_content("#every") or "")
    proceed(here.page)
    told = here.page.inner_text("#codes")
    for code in sent:
        assert code is None or f"code {code}" in told
    proceed(here.page)
    assert thanked(here)
    (post,) = here.posts
    assert tuple(json.loads(post.post_data or "")["codes"].values()) == sent
    assert served.responses(published) == [sent]
    assert here.complaints == []
    assert "/static/together.mjs" in here.paths()


def test_its_module_is_loaded_by_such_surveys_alone(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    assert "/static/together.mjs" not in visit().open(served.page(wellbeing)).paths()


def test_the_length_of_a_response_tells_neither_the_draw_nor_the_code(
    served: Served, visit: Callable[..., Visit], published: Survey
) -> None:
    sent = []
    for _ in range(5):
        here = visit().open(served.page(published))
        answer(here.page)
        proceed(here.page)
        proceed(here.page)
        assert thanked(here)
        sent.append(here.posts[0].post_data or "")
    assert len({len(each) for each in sent}) == 1
    assert len({each.strip() for each in sent}) == 5
    assert len({len(each.strip()) for each in sent}) > 1


def test_a_design_that_was_tampered_with_is_not_answered(
    served: Served, visit: Callable[..., Visit], published: Survey
) -> None:
    here = visit()
    address = served.page(published)

    def tamper(route: object) -> None:
        response = route.fetch()  # type: ignore[attr-defined] # Playwright's Route
        text = response.text().replace('"points":37', '"points":35')
        route.fulfill(response=response, body=text)  # type: ignore[attr-defined] # likewise

    assert any(each["points"] == 37 for each in published.design["groups"][0]["together"])
    here.page.route(address, tamper)
    here.page.goto(address)
    expect(here.page.locator("#waiting")).to_contain_text("came damaged")
    assert here.page.is_disabled("#start")


SHIPPED = """
const read = design.readDesign(argument.design);
const counts = {};
const one = crypto;
const words = () => one.getRandomValues(new Uint32Array(1))[0];
const part = sampling.partOf(read, argument.asked);
const { respond } = together.together(read, part);
for (let turn = 0; turn < argument.times; turn += 1) {
  const sent = Object.values(respond(argument.answers, words, words)).join();
  counts[sent] = (counts[sent] ?? 0) + 1;
}
return counts;
"""


@pytest.mark.statistical
@pytest.mark.parametrize("name", FORCED)
def test_the_shipped_script_sends_each_code_as_often_as_the_channel_says(modules: Page, name: str) -> None:
    survey, times = forced(name), 30_000
    for (first, second), sent in sent_by(survey, (1, 0, 2)):
        names = [survey.questions[place].name for place in (first, second)]
        answers = {n: survey.question(n).values[(1, 0, 2)[p]] for n, p in zip(names, (first, second), strict=True)}
        about = {"design": survey.design, "asked": names, "answers": answers, "times": times}
        found = Counter(in_browser(modules, SHIPPED, about))
        expected = {f"{row[first]},{row[second]}": float(chance) * times for row, chance in sent.items()}
        assert set(found) <= set(expected)
        square = sum((found[code] - often) ** 2 / often for code, often in expected.items())
        # chi-square with f degrees of freedom is above f + 5 sqrt(2 f) + 25 once in more than 10^6; twelve tests
        assert square < len(expected) + 5 * np.sqrt(2 * len(expected)) + 25
