"""Every figure of chance that the pages print, against simulation of the shipped script, for every kind of design.

A figure that is right is refused by chance less than once in 10^9; a page has at most some hundred, and the seeds are
fixed. A figure that is wrong by 15 people of 100 is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from browser_fixtures import Served, Visit, in_browser
from collector.disclosure.accounting import group_ratio
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey, read_survey_file
from respondent.pages.languages import interface
from respondent.pages.texts import interval_words, texts_for
from routed_surveys import routed_survey
from simulated_people import simulated
from small_surveys import mixed_survey, survey_of
from split_surveys import budget_question, question, split_survey, survey_of_tables
from told_figures import Claim, code_claims, odds_claims
from told_limits import limit_holds
from vector_surveys import SPLIT

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
PEOPLE = 6_000
WRONG = 0.15  # a share that the page would be wrong by
THREE = 'kind = "choice"\nvalues = ["x", "y", "z"]'
SHARED = 'kind = "choice"\nvalues = ["s", "t", "u", "v"]\ncoding = "subsets-2"'
STEPS = 'kind = "scale"\nvalues = ["1", "2", "3", "4"]\ncoding = "thresholds"'
DESIGNS: dict[str, Survey] = {
    "both channels, one coin for two, several codes a value": mixed_survey(),
    "szucs coding, and coins that always or never turn": survey_of(
        (f'{THREE}\nprior = {{ x = 0.5, y = 0.25, z = 0.25 }}\ncoding = "szucs"', "a", 'truth = "4/5"'),
        ('kind = "yes_no"', "b", "truth = 0"),
        ('kind = "yes_no"', "c", "truth = 1"),
    ),
    "a value that most have": survey_of((f"{THREE}\nprior = {{ x = 0.7, y = 0.2, z = 0.1 }}", "a", 'truth = "4/5"')),
    "shared codes, thresholds, replacements": survey_of(
        (SHARED, "a", 'truth = "1/2", channel = "uniform"'),
        (STEPS, "b", 'truth = "2/5", channel = "uniform"'),
        (f'{THREE}\nreplacement = {{ x = "0", y = "1/4", z = "3/4" }}', "c", 'truth = "1/2", channel = "uniform"'),
        ('kind = "yes_no"\nreplacement = { yes = "3/4", no = "1/4" }', "d", 'truth = "2/3", channel = "uniform"'),
    ),
    "one uniform coin for several": survey_of(
        ('kind = "number"\ncuts = [1, 2, 3]', "a", 'truth = "3/5", channel = "uniform"'),
        (SHARED, "a", 'truth = "3/5", channel = "uniform"'),
        ('kind = "yes_no"', "a", 'truth = "3/5", channel = "uniform"'),
    ),
    "split, every channel and coding": parse_survey(SPLIT),
    "split, odds for three": split_survey(),
    "split, one complement coin": survey_of_tables(
        [question("a", 2, "g"), question("b", 2, "g"), question("c", 3, "g")],
        'g = { truth = "4/5" }',
        "[sampling]\nask = 2\n",
    ),
    "split, one epsilon": read_survey_file(ROOT / "examples" / "wellbeing_split.toml"),
    "split, one coin for all of one epsilon": survey_of_tables(
        [budget_question(f"q{number}", size) for number, size in enumerate((2, 2, 2, 3, 2))],
        "",
        '[privacy]\nepsilon = 3\ncoins = "one"\n[sampling]\nask = 3\n',
    ),
    "split, one coin and all of them yes or no": survey_of_tables(
        [budget_question(f"q{number}", 2) for number in range(4)],
        "",
        '[privacy]\nepsilon = 4\ncoins = "one"\n[sampling]\nask = 3\n',
    ),
}


TELL = """
  const part = sampling.partOf(argument.design, argument.asked);
  const all = odds.askedOf(part, (question) => wording.valueWords(question, {}, "en", argument.texts));
  return {
    words: all.map((each) => each.words),
    odds: all.map((each) => odds.toldOdds(each, argument.texts)),
    codes: all.map((each) => each.group
      ? each.question.coding.codes.map((code) => [code, odds.toldCode(each, code, argument.texts)]) : []),
    example: odds.example(all, argument.texts, family.riseAmong(all, routes))?.text ?? "",
    limits: all.filter(({ group }) => group)
      .map((each) => [each.question.name, odds.limit(each, argument.texts, family.riseAmong(all, routes))]),
  };
"""


class Printed:
    """What a page prints of chances to those who are asked certain questions."""

    def __init__(self, survey: Survey, asked: Sequence[str], modules: Page) -> None:
        texts = texts_for(survey, interface("en"), by_invitation=False) | {"intervals": interval_words(survey, "en")}
        self.questions = [survey.question(name) for name in asked]
        given = {"design": survey.design, "asked": asked, "texts": texts}
        self.said: dict[str, Any] = in_browser(modules, TELL, given)
        self.words = {each.name: words for each, words in zip(self.questions, self.said["words"], strict=True)}

    def claims(self) -> list[Claim]:
        """Of each question, of each code, and of the example on the card."""
        claims: list[Claim] = []
        for each, lines, codes in zip(self.questions, self.said["odds"], self.said["codes"], strict=True):
            words = self.words[each.name]
            for line in lines:
                claims += odds_claims(each, re.sub("One coin decides for questions .*", "", line), words)
            for code, line in codes:
                claims += code_claims(each, code, line, words)
        example = re.fullmatch(r"Example, question (\d+)\. (.*)", self.said["example"])
        if example:
            question = self.questions[int(example[1]) - 1]
            claims += odds_claims(question, example[2], self.words[question.name])
        return claims


@pytest.mark.parametrize("coin", ["1/10", "3/4", "9/10", "99/100"])
def test_what_all_that_is_sent_tells_at_most_is_what_simulated_responses_told(
    coin: str, modules: Page, served: Served, visit: Callable[..., Visit]
) -> None:
    """A guess between two sets of answers is wrong in one of 1 + r cases, r being the largest ratio of frequencies."""
    coins = [f'truth = "{coin}"', 'truth = "2/3", channel = "uniform"', 'truth = "1/2", channel = "uniform"']
    survey = survey_of(('kind = "yes_no"', "a", coins[0]), (THREE, "b", coins[1]), (THREE, "c", coins[2]))
    served.store.publish(survey)
    people = simulated(modules, survey, PEOPLE, seed=11)
    ratio = 1.0
    for truth, sent in zip(people.truth.T, people.sent.T, strict=True):
        table = np.array([np.bincount(sent[truth == value], minlength=sent.max() + 1) for value in np.unique(truth)])
        shares = (table + 0.01) / table.sum(axis=1, keepdims=True)
        ratio *= float((shares.max(axis=0) / shares.min(axis=0)).max())
    sentence = visit().open(served.page(survey)).page.inner_text("#total")
    number = re.search(r"wrong in only 1 of ([\d,]+) cases", sentence)
    assert number is not None
    exact = 1 + float(max(Fraction(coin), 1 - Fraction(coin)) / min(Fraction(coin), 1 - Fraction(coin))) * 7 * 4
    cases = float(number[1].replace(",", ""))
    assert exact - 1e-6 <= cases < exact * 1.1
    assert cases == pytest.approx(1 + ratio, rel=0.35)


def test_what_all_that_is_sent_tells_is_told_of_a_survey_whose_questions_are_not_asked_of_everybody(
    served: Served, visit: Callable[..., Visit]
) -> None:
    survey = routed_survey("uniform", "2/5")
    served.store.publish(survey)
    ratios = [group_ratio(survey, group) for group in survey.groups]
    sentence = visit().open(served.page(survey)).page.inner_text("#total")
    exact = 1 + prod(each for each in ratios if each is not None)
    number = re.search(r"1 of ([\d,]+) cases", sentence)
    assert number is not None
    assert None not in ratios
    assert exact <= float(number[1].replace(",", "")) < exact * 1.1


def test_what_all_of_many_answers_tell_is_not_told_as_a_number_that_means_nothing(
    served: Served, visit: Callable[..., Visit]
) -> None:
    """An epsilon of 8 is where `check` warns, too."""
    for count, hardly in ((52, True), (4, True), (3, False)):
        survey = survey_of(*[('kind = "yes_no"', f"g{number}", 'truth = "9/10"') for number in range(count)])
        served.store.publish(survey)
        sentence = visit().open(served.page(survey)).page.inner_text("#total")
        assert ("hardly hidden" in sentence) == hardly
        assert ("wrong in only 1 of 730 cases" in sentence) != hardly


@pytest.mark.parametrize("name", DESIGNS)
def test_every_figure_that_a_page_prints_comes_true_among_those_whom_the_script_disguised(
    name: str, modules: Page
) -> None:
    survey = replace(DESIGNS[name], preview="before")
    every = [each.name for each in survey.questions]
    asked = every if survey.sampling is None else list(survey.sampling.draws(every))[-1]
    printed, people = Printed(survey, asked, modules), simulated(modules, survey, PEOPLE, 7, asked)
    claims = printed.claims()
    assert len(claims) >= 2 * sum(each.sensitive for each in printed.questions)
    held = [claim.holds(people, (0.0, WRONG, -WRONG)) for claim in claims]
    assert [claim.said for claim, (right, *_) in zip(claims, held, strict=True) if not right] == []
    assert [claim.said for claim, (_, *wrong) in zip(claims, held, strict=True) if all(wrong)] == [], "it would pass"
    limits = printed.said["limits"]
    assert limits != []
    broken = []
    for each, line in limits:
        home = survey.group_of(each)
        alone = home is None or len({*home.questions} & {*asked}) == 1
        if not limit_holds(survey.question(each), line, printed.words[each], people, alone=alone):
            broken.append(line)
    assert broken == []
