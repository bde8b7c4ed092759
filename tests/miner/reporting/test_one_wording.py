"""One reading of each answer: the form by hand, the report, the desk and the code books show the same words."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from collector.exchange.codebook import ddi_codebook, html_codebook
from collector.maintenance.running import state_of
from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import Compiled
from miner.desk.app import create_app as create_desk
from miner.desk.desk import Desk
from miner.reporting.findings import findings
from miner.reporting.page import page
from miner.responses.responses import Responses, value_indices
from miner.simulation.simulation import simulate
from owner.link import Link
from respondent.app import create_app
from respondent.designing.figures import SurveyFigures
from worded_survey import READ, worded_survey

PEOPLE = 40
RAW = re.compile(
    r"<400|400\.\.1250|>=1250|apple>pear|cat\+dog|prefer_not_to_say|no_answer|not_applicable|2015-03-01|rain_coat"
)
"""Values by their names."""
LANGUAGES = pytest.mark.parametrize("language", ["en", "de"])


def survey_in(language: str) -> Survey:
    """The survey with this language as its first."""
    return worded_survey([language, *({"en", "de"} - {language})])


def responses_to(survey: Survey) -> Responses:
    """Simulated responses, every value among the answers."""
    rng = np.random.default_rng(7)
    answers = pd.DataFrame(
        {each.name: [each.values[n % len(each.values)] for n in range(PEOPLE)] for each in survey.questions}
    )
    asked = answers["smokes"] == "yes"
    answers["often"] = np.where(asked, "rare", "not_applicable")
    return simulate(survey, value_indices(survey, answers), rng)


def words_of(text: str) -> str:
    """The words of a page in one line, without its scripts and data."""
    shown = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", shown)).split())


def missing(text: str, language: str, *, among: Iterable[str] = READ) -> list[str]:
    """The readings that a text lacks."""
    return [read for name in among for read in READ[name][language] if read not in text]


@LANGUAGES
def test_the_form_by_hand_says_each_answer_in_words_and_no_value_by_its_name(language: str, store: Store) -> None:
    survey = survey_in(language)
    store.publish(survey)
    text = create_app(store).test_client().get(f"/s/{survey.name}/by-hand?lang={language}").text
    shown = words_of(text)
    assert missing(shown, language) == []
    assert not RAW.search(shown)


@LANGUAGES
def test_the_report_says_each_answer_in_the_words_of_the_page(language: str) -> None:
    shown = words_of(page(findings(responses_to(survey_in(language)), None, seed=1), "again"))
    orders = {"fruit", "pets", "tools"}  # whose answers are listed as a number of orders or combinations
    assert missing(shown, language, among={*READ} - orders) == []
    assert not RAW.search(shown)


@LANGUAGES
def test_the_desk_says_each_answer_in_the_words_of_the_page(language: str, tmp_path: Path) -> None:
    survey = survey_in(language)
    store = Store(tmp_path / "deniable.db", create=True)
    store.publish(survey)
    store.add(survey, responses_to(survey).rows)
    desk, link = Desk(store, survey.name), Link()
    desk.look()
    assert desk.shown(state_of(store, survey.name)) is not None
    client = create_desk(desk, link).test_client()
    shown = words_of(client.get(client.get(f"/open/{link.once}").headers["Location"]).text)
    assert missing(shown, language) == READ["often"][language][2:], "shares are among those who are asked"


@LANGUAGES
def test_the_code_books_say_each_answer_in_words_next_to_its_name(language: str) -> None:
    survey = survey_in(language)
    book = html_codebook(survey).content.decode()
    for name, read in READ.items():
        for value, words in zip(survey.question(name).values, read[language], strict=True):
            assert f"<td>{html.escape(value)}</td><td>{html.escape(words)}</td>" in book
    labels = {*map(html.unescape, re.findall("<labl>(.*?)</labl>", ddi_codebook(survey).content.decode()))}
    assert {f"rain_coat: {READ['coat'][language][0]}", f"<400: {READ['rent'][language][0]}"} <= labels
    assert f"apple>pear: {READ['fruit'][language][0]}" in labels


def test_the_html_code_book_names_the_kind_that_the_survey_file_names_and_the_unit() -> None:
    book = html_codebook(survey_in("de")).content.decode()
    kinds = dict(re.findall(r"<h2><code>(\w+)</code>.*?</h2><p>(.*?)\.", book))
    assert kinds == {
        "fruit": "ranking",
        "rent": "number, in Kronen",
        "steps": "number, in m",
        "moved": "date",
        "pets": "multiple",
        "tools": "multiple",
        "drinks_tea": "multiple",
        "drinks_ale": "multiple",
        "town_quiet": "grid",
        "town_clean": "grid",
        "smokes": "yes_no",
        "often": "scale",
        "coat": "choice",
    }


@LANGUAGES
def test_the_figures_of_the_designer_have_each_answer_in_words(language: str) -> None:
    survey = survey_in(language)
    questions = SurveyFigures(Compiled(survey, None), 1000).as_json["questions"]
    shown = {each["name"]: [value["words"] for value in each["values"]] for each in questions}
    assert {name: shown[name] for name in READ} == {name: read[language] for name, read in READ.items()}
