"""A split questionnaire in a real Chromium: who is asked what is drawn once, and nothing but the nulls tells of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from math import comb, exp
from typing import Any

import pytest
from playwright.sync_api import Page
from scipy.stats import chisquare

from browser_fixtures import Served, Visit, in_browser
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from filling import PHONE, failed, proceed, reload_mine, start, thanked
from one_respondent import code_answers, disguise, draw_questions
from screens import SMALL_LOOKS, Gallery
from vector_surveys import SPLIT

pytestmark = pytest.mark.browser

# The draw takes city, vice, income, rent and debt; fear is always asked. City takes the third of its codes and is sent
# as it is, the two questions of money are replaced.
ASKING = [1, 3, 5, 5, 2]
CODING = [2]
COINS = [0, 0, 0, 0, 28, 2, 1]
ASKED = ("fear", "city", "debt", "vice", "income", "rent")


@pytest.fixture
def split(served: Served) -> Survey:
    survey = replace(parse_survey(SPLIT), preview="before")
    served.store.publish(survey)
    return survey


def answers_of(survey: Survey, *, last: bool = False) -> dict[str, str | float]:
    """The first value of every question, or the last."""
    place = -1 if last else 0
    return {each.name: (900.0 if last else 100.0) if each.cuts else each.values[place] for each in survey.questions}


def answer(page: Page, survey: Survey, *, last: bool = False) -> list[str]:
    """Answer every question that is asked; their names."""
    start(page)
    asked = screens(page)
    for name in asked:
        assert page.is_visible(f"#q-{name}-question")
        if survey.question(name).cuts:
            page.fill(f"#q-{name}", "900" if last else "100")
        else:
            page.click(f"#q-{name}-question .choice >> nth={-1 if last else 0}")
        proceed(page)
    assert page.is_visible("#check")
    return asked


def screens(page: Page) -> list[str]:
    names: list[str] = page.evaluate(
        "[...document.querySelectorAll('[data-question]')].map((each) => each.dataset.question)"
    )
    return names


def twin_sends(survey: Survey) -> dict[str, int | None]:
    """What the Python twin sends under the same words."""
    asking, coding, coins = list(ASKING), list(CODING), list(COINS)
    asked = draw_questions(survey, lambda: asking.pop(0))
    assert asked == ASKED
    codes = code_answers(survey, answers_of(survey), lambda: coding.pop(0), asked)
    sent = disguise(survey, codes, lambda: coins.pop(0))
    assert asking == coding == coins == []
    return {question.name: code for question, code in zip(survey.questions, sent, strict=True)}


def test_a_split_questionnaire_asks_and_sends_the_questions_drawn_and_no_others(
    served: Served, visit: Callable[..., Visit], split: Survey
) -> None:
    here = visit((CODING, COINS, ASKING), **PHONE).open(served.page(split))
    page = here.page
    assert "You will be asked 6 of 12 questions, drawn at random" in page.inner_text("#card")
    assert tuple(answer(page, split)) == ASKED
    counts = page.evaluate("[...document.querySelectorAll('[data-question] .count')].map((each) => each.textContent)")
    assert counts == [f"Question {number} of 6" for number in range(1, 7)]
    assert page.locator("#answers dt").count() == len(ASKED)
    proceed(page)
    assert "null stands for each question that you were not asked" in page.inner_text("#preview")
    assert page.locator("#codes dt").count() == len(ASKED)
    told = page.inner_text("#codes")
    assert "Sent: one of " in told
    proceed(page)
    assert thanked(here)
    (post,) = here.posts
    body = post.post_data or ""
    assert json.loads(body)["codes"] == twin_sends(split)
    assert served.responses(split) == [tuple(twin_sends(split).values())]
    assert here.complaints == []


def test_the_length_of_a_response_tells_neither_the_draw_nor_the_codes(
    served: Served, visit: Callable[..., Visit], split: Survey
) -> None:
    sent = []
    for number in range(6):
        here = visit().open(served.page(split))
        asked = answer(here.page, split, last=number % 2 == 1)
        proceed(here.page)
        proceed(here.page)
        assert thanked(here)
        sent.append((tuple(asked), here.posts[0].post_data or ""))
    assert len({asked for asked, _ in sent}) > 1
    assert len({len(body) for _, body in sent}) == 1
    for drawn, body in sent:
        codes = json.loads(body)["codes"]
        assert list(codes) == [question.name for question in split.questions]
        assert tuple(name for name, code in codes.items() if code is not None) == drawn


def test_the_page_is_the_same_for_everybody_and_no_answer_moves_the_draw(
    served: Served, visit: Callable[..., Visit], split: Survey
) -> None:
    sources = set()
    for last in (False, True):
        here = visit((CODING, COINS, ASKING))
        sources.add(here.page.request.get(served.page(split)).text())
        here.open(served.page(split))
        assert tuple(answer(here.page, split, last=last)) == ASKED
        built = here.page.evaluate("document.querySelector('#survey').outerHTML")
        assert not [each.name for each in split.questions if each.name not in ASKED and f"q-{each.name}" in built]
    assert len(sources) == 1


def test_the_draw_is_made_once_and_outlives_back_reload_and_a_failed_send(
    served: Served, visit: Callable[..., Visit], split: Survey
) -> None:
    here = visit().open(served.page(split))
    page = here.page
    asked = screens(page)
    start(page)
    page.click("#back")
    page.wait_for_selector("#card:visible")
    page.reload()
    page.wait_for_selector("#start:enabled")
    assert screens(page) == asked
    answer(page, split)
    proceed(page)
    shown = page.text_content("#bytes")
    page.context.set_offline(True)
    proceed(page)
    failed(here)
    page.context.set_offline(False)
    reload_mine(page)
    page.wait_for_selector("#preview:visible")
    assert screens(page) == asked, "drawn anew"
    assert page.text_content("#bytes") == shown
    proceed(page)
    assert thanked(here)
    assert {post.post_data for post in here.posts} == {shown}


def test_the_card_tells_this_persons_epsilon_as_odds_where_there_is_one(
    served: Served, visit: Callable[..., Visit], split: Survey
) -> None:
    here = visit((CODING, COINS, ASKING)).open(served.page(split))
    assert here.page.is_hidden("#total"), "a value of vice is never a replacement"
    bounded = parse_survey(SPLIT.replace('replacement = { x = 0, y = "1/3", z = "2/3" }, ', ""))
    served.store.publish(replace(bounded, name="bounded"))
    here = visit((CODING, COINS, ASKING)).open(f"{served.address}/s/bounded")
    ratios = [bounded.channel_at(group, ASKED).ratio(codings(bounded, group.questions)) for group in bounded.groups]
    total = 1.0
    for group, ratio in zip(bounded.groups, ratios, strict=True):
        if set(group.questions) & set(ASKED):
            assert ratio is not None
            total *= float(ratio)
    sentence = here.page.inner_text("#total")
    assert total < exp(8), "it is shown as a number"
    number = float(sentence.split("wrong in only 1 of ")[1].split(" cases")[0].replace(",", ""))
    assert 1 + total <= number < 1.11 * (1 + total)


def codings(survey: Survey, names: tuple[str, ...]) -> list[Any]:
    return [survey.question(name).coding for name in names if name in ASKED]


@pytest.mark.parametrize("look", SMALL_LOOKS)
def test_a_split_questionnaire_pleases_axe_and_fits(
    look: str, served: Served, visit: Callable[..., Visit], split: Survey
) -> None:
    options, _ = SMALL_LOOKS[look]
    page = visit((CODING, COINS, ASKING), **options).open(served.page(split)).page
    with Gallery(look, "split") as gallery:
        for summary in page.locator("#card summary").all():
            summary.click()
        gallery.look(page, "card")
        start(page)
        page.click("#q-fear-question .choice >> nth=0")
        proceed(page)
        gallery.look(page, "city")
        page.click("#back")
        page.wait_for_selector("#q-fear-question:visible")
        page.click("#back")
        page.wait_for_selector("#card:visible")
        answer(page, split)
        gallery.look(page, "check")
        proceed(page)
        gallery.look(page, "preview")
        page.goto(f"{served.page(split)}/by-hand")
        gallery.look(page, "by-hand")


DRAWS = 100_000


@pytest.mark.statistical
def test_100000_draws_of_the_browser_are_uniform(modules: Page) -> None:
    """Each of the 462 sets is as likely as the others; this fails once in a million times."""
    survey = parse_survey(SPLIT)
    found = in_browser(
        modules,
        """
      const words = () => crypto.getRandomValues(new Uint32Array(1))[0];
      const survey = argument.design;
      const counts = {};
      for (let person = 0; person < argument.draws; person += 1) {
        const asked = sampling.drawQuestions(survey, words).join(" ");
        counts[asked] = (counts[asked] ?? 0) + 1;
      }
      return counts;""",
        {"design": survey.design, "draws": DRAWS},
    )
    assert len(found) == comb(11, 5)
    assert all(len(asked.split()) == 6 and "fear" in asked for asked in found)
    assert chisquare(list(found.values())).pvalue > 1e-6
    alone = Counter(
        {name: sum(count for asked, count in found.items() if name in asked.split()) for name in ("city", "rent")}
    )
    share = 5 / 11
    spread = (DRAWS * share * (1 - share)) ** 0.5
    assert all(abs(count - DRAWS * share) < 5 * spread for count in alone.values())
