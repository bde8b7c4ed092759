"""Questions that are not asked of everybody leave no trace in what is sent: its size, number and distribution."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from fractions import Fraction

import pytest
from playwright.sync_api import Page
from scipy.stats import mannwhitneyu

from browser_fixtures import Served, Visit, in_browser, wait_until
from collector.channel.value_channel import value_transition
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from filling import proceed, start

pytestmark = pytest.mark.browser

RUNS = 10_000
ROUTED = parse_survey("""
name = "routed"
title = "Routed"
languages = ["en"]
[[questions]]
name = "hurt"
label = "Hurt?"
kind = "yes_no"
decline = true
group = "a"
[[questions]]
name = "told"
label = "Did you tell somebody?"
kind = "yes_no"
prior = { yes = "1/3", no = "1/3", no_answer = "1/3" }
ask_if = "hurt = yes"
optional = true
group = "b"
[[questions]]
name = "bus"
label = "Which bus?"
kind = "choice"
values = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]
ask_if = "hurt = yes"
group = "c"
[groups]
a = { truth = "1/2", channel = "uniform" }
b = { truth = "1/2", channel = "uniform" }
c = { truth = "1/2", channel = "uniform" }
""")
SIZES = """
  const sizes = new Set();
  const part = sampling.partOf(argument.design, argument.design.questions.map(({ name }) => name));
  for (let run = 0; run < argument.runs; run += 1) {
    const any = (values) => values[coins.draw(values.length, coins.secureWord)];
    const answers = Object.fromEntries(part.questions.map(({ name, values }) => [name, any(values)]));
    const sent = disguise.disguise(part, coding.codeAnswers(part, answers, coins.secureWord), coins.secureWord);
    sizes.add(JSON.stringify({ codes: sampling.whole(part, sent) }).length + disguise.padding(part, sent).length);
  }
  return [...sizes];
"""
SENDINGS = """
  const { openVisit } = await import("/static/disguise/visit.mjs");
  const any = (values) => values[coins.draw(values.length, coins.secureWord)];
  const kinds = new Set();
  const times = { yes: [], no: [] };
  let [began, sent] = [0, []];
  globalThis.fetch = async (address, { method, headers, body }) => {
    sent.push([performance.now() - began, JSON.stringify([address, method, headers, body.length])]);
    return new Response("{}");
  };
  for (let run = 0; run < argument.runs; run += 1) {
    const visit = await openVisit("/responses", argument.fingerprint, argument.design);
    const hurt = any(["yes", "no"]);
    const rest = visit.asked.questions.slice(1);
    const own = ({ name, values }) => [name, hurt === "no" ? "not_applicable" : any(values.slice(0, -1))];
    const answers = { hurt, ...Object.fromEntries(rest.map(own)) };
    [began, sent] = [performance.now(), []];
    visit.freeze(answers);
    await visit.send();
    visit.forget();
    kinds.add(JSON.stringify(sent.map(([, about]) => about)));
    times[hurt].push(sent[0][0]);
  }
  return { kinds: [...kinds], ...times };
"""
EVERY = """
  const names = ["hurt", "told"];
  const part = sampling.partOf(argument.design, names);
  const counts = {};
  for (let number = 0; number < 12 ** 5; number += 1) {
    const words = [1, 12, 144, 1728, 20736].map((place) => Math.floor(number / place) % 12);
    let next = 0;
    const word = () => words[next++];
    const sent = disguise.disguise(part, coding.codeAnswers(part, argument.answers, word), word);
    const key = names.map((name) => sent[name]).join();
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
"""


def test_what_is_sent_is_as_long_whatever_was_asked_and_answered(modules: Page) -> None:
    assert len(in_browser(modules, SIZES, {"design": ROUTED.design, "runs": RUNS})) == 1


def test_size_number_and_time_of_requests_are_the_same_whatever_was_answered(modules: Page) -> None:
    """From the press of the button to the request; how often one answer's time is the longer one."""
    given = {"design": ROUTED.canonical, "fingerprint": ROUTED.fingerprint, "runs": RUNS}
    found = in_browser(modules, SENDINGS, given)
    assert len(found["kinds"]) == 1
    (requests,) = map(json.loads, found["kinds"])
    assert len(requests) == 1
    assert len(found["yes"]) + len(found["no"]) == RUNS
    longer = float(mannwhitneyu(found["yes"], found["no"]).statistic) / (len(found["yes"]) * len(found["no"]))
    assert abs(longer - 1 / 2) < 0.035, "6 standard deviations"


@pytest.mark.parametrize(
    "answers",
    [("yes", "yes"), ("yes", "no_answer"), *((value, "not_applicable") for value in ("no", "prefer_not_to_say"))],
)
def test_the_distribution_of_a_response_is_the_channels_by_enumeration_of_every_coin(
    answers: tuple[str, str], modules: Page
) -> None:
    """Every word that matters is one of 12, and 12 is a multiple of every bound: each outcome is counted exactly."""
    given = dict(zip(("hurt", "told"), answers, strict=True))
    counts = in_browser(modules, EVERY, {"design": ROUTED.design, "answers": given})
    chances = []
    for name, answer in given.items():
        question, group = ROUTED.question(name), ROUTED.group_of(name)
        assert group is not None
        sent = value_transition(question.coding, group.channel)
        chances.append({code: row[question.value_index(answer)] for code, row in sent.items()})
    expected = {f"{one},{two}": chances[0][one] * chances[1][two] for one, two in itertools.product(*chances)}
    assert {key: Fraction(count, 12**5) for key, count in counts.items()} == expected
    assert all(expected.values()), "a response would rule an answer out"


def respond(visit: Visit, survey: Survey, served: Served, *, detour: bool) -> tuple[list[str], str]:
    """What a browser asks of the server, and the codes that it sends, for somebody who was not hurt."""
    page = visit.open(served.page(survey)).page
    loaded = len(visit.requests)
    start(page)
    if detour:  # answers what does not apply in the end
        page.click("label:has(#q-hurt-0)")
        proceed(page)
        page.click("label:has(#q-told-0)")
        proceed(page)
        page.click("label:has(#q-bus-7)")
        for earlier in ("told", "hurt"):
            page.go_back()
            page.wait_for_selector(f"#q-{earlier}-question:visible")
            wait_until(page, "history.state?.depth === 1")  # it went forward again
    page.click("label:has(#q-hurt-1)")
    proceed(page)
    page.wait_for_selector("#check:visible")
    proceed(page)
    page.wait_for_selector("#thanks:visible")
    (post,) = visit.posts
    return [f"{each.method} {each.url}" for each in visit.requests[loaded:]], post.post_data or ""


def test_requests_and_what_is_sent_do_not_tell_who_looked_at_a_question_that_does_not_apply(
    served: Served, visit: Callable[..., Visit]
) -> None:
    served.store.publish(ROUTED)
    words: tuple[list[int], list[int]] = ([], [1, 0, 1, 2, 1, 5])
    straight = respond(visit(words), ROUTED, served, detour=False)
    round_about = respond(visit(words), ROUTED, served, detour=True)
    assert straight[0] == round_about[0]
    assert len(straight[0]) == 1, "nothing but the response"
    codes = [json.loads(body)["codes"] for _, body in (straight, round_about)]
    assert codes[0] == codes[1]
    assert len(straight[1]) == len(round_about[1])
    assert set(codes[0]) == {"hurt", "told", "bus"}, "every question has a code"


def test_the_number_of_questions_is_the_most_there_can_be_where_answers_decide(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    served.store.publish(ROUTED)
    page = visit().open(served.page(ROUTED)).page
    start(page)
    assert page.inner_text("#q-hurt-question .count") == "Question 1 of up to 3"
    page = visit().open(served.page(wellbeing)).page
    start(page)
    assert page.inner_text("#q-year-question .count") == "Question 1 of 6"
