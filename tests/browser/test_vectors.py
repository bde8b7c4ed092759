"""The shared vectors, in Python and in the shipped JavaScript: the two languages agree, forced rejections included."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from browser_fixtures import in_browser
from collector.errors import DeniableError, ResponseError, SurveyError
from collector.survey.design import survey_from_design
from collector.survey.survey import Row, Survey
from collector.wording.languages import SHIPPED
from design_vectors import edited
from make_vectors import documents
from one_respondent import code_answers, disguise, draw, draw_questions
from respondent.intake.body import read_response
from respondent.pages.languages import interface
from respondent.pages.texts import script_texts
from vector_chance import Case

FOLDER = Path(__file__).resolve().parents[1] / "vectors"
FILES = {
    name: json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    for name in ("coins", "sampling", "coding", "disguise", "designs", "responses", "odds")
}


class Script:
    """A word source that gives these words and no more."""

    def __init__(self, words: Sequence[int]) -> None:
        self.left = list(words)

    def __call__(self) -> int:
        """The next word."""
        return self.left.pop(0)


def cases(name: str) -> list[Case]:
    return list(FILES[name]["cases"])


def design_of(name: str, case: Case) -> Any:  # noqa: ANN401 - JSON, possibly malformed
    design = FILES[name]["surveys"][case["survey"]]
    edit = {"value": case["value"]} if "value" in case else {}
    return edited(design, case.get("path", []), **edit)


def survey_of(name: str, case: Case) -> Survey:
    return survey_from_design(FILES[name]["surveys"][case["survey"]])


def in_order(survey: Survey, codes: Case) -> Row:
    return tuple(codes[question.name] for question in survey.questions)


def titles(name: str) -> list[str]:
    return [f"{number}-{case.get('why', case.get('survey', ''))}" for number, case in enumerate(cases(name))]


def test_there_are_at_least_200_with_every_sort_among_them() -> None:
    assert sum(len(cases(name)) for name in FILES) >= 200
    assert sum(1 for case in cases("designs") if case["error"]) >= 200
    assert sum(1 for case in cases("responses") if case["error"]) >= 20
    assert sum(1 for case in cases("coins") if len(case["words"]) > 1) >= 20


def test_the_files_are_what_the_script_writes() -> None:
    for name, text in documents().items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, f"run tests/support/make_vectors.py: {name} differs"


@pytest.mark.parametrize("case", cases("coins"), ids=titles("coins"))
def test_python_draws_coins_as_written(case: Case) -> None:
    words = Script(case["words"])
    if "error" in case:
        with pytest.raises(ValueError, match=r"a bound is not|a word is not"):
            draw(case["bound"], words)
    else:
        assert draw(case["bound"], words) == case["drawn"]
        assert words.left == []


@pytest.mark.parametrize("case", cases("sampling"), ids=titles("sampling"))
def test_python_draws_questions_as_written(case: Case) -> None:
    words = Script(case["words"])
    assert draw_questions(survey_of("sampling", case), words) == tuple(case["asked"])
    assert words.left == []


@pytest.mark.parametrize("case", cases("coding"), ids=titles("coding"))
def test_python_codes_answers_as_written(case: Case) -> None:
    survey, words = survey_of("coding", case), Script(case["words"])
    if "error" in case:
        with pytest.raises(ResponseError) as caught:
            code_answers(survey, case["answers"], words)
        assert caught.value.place == case["error"]
    else:
        assert code_answers(survey, case["answers"], words, case["asked"]) == in_order(survey, case["codes"])
        assert words.left == []


@pytest.mark.parametrize("case", cases("disguise"), ids=titles("disguise"))
def test_python_disguises_codes_as_written(case: Case) -> None:
    survey, words = survey_of("disguise", case), Script(case["words"])
    assert disguise(survey, in_order(survey, case["codes"]), words) == in_order(survey, case["sent"])
    assert words.left == []


@pytest.mark.parametrize("case", cases("designs"), ids=titles("designs"))
def test_python_reads_designs_as_written(case: Case) -> None:
    design = design_of("designs", case)
    if case["error"]:
        with pytest.raises(SurveyError) as caught:
            survey_from_design(design)
        assert caught.value.place == case["error"]
    else:
        assert survey_from_design(design).name == design["name"]


@pytest.mark.parametrize("case", cases("responses"), ids=titles("responses"))
def test_python_checks_responses_as_written(case: Case) -> None:
    survey, codes = survey_of("responses", case), case["codes"]

    def check() -> Row:
        if isinstance(codes, dict):
            return survey.checked_codes(codes)
        body = {"fingerprint": survey.fingerprint, "codes": codes, "receipt": "A" * 43}
        return survey.checked_codes(read_response(json.dumps(body).encode()).codes)

    if case["error"]:
        with pytest.raises(DeniableError) as caught:
            check()
        assert caught.value.place == case["error"]
    else:
        assert check() == in_order(survey, codes)


def test_disguise_refuses_codes_that_do_not_fit() -> None:
    survey = survey_of("disguise", {"survey": "small"})
    for codes in ((0, 0, 0), (0, 0, 0, 0, 0), (0, 4, 0, 0), (0, 0, 0, -1)):
        with pytest.raises(ResponseError):
            disguise(survey, codes, Script([]))


# The shipped JavaScript, in the browser it is shipped to.


def differences(expected: Sequence[Any], found: Sequence[Any], about: str) -> list[str]:
    return [
        f"{title}: expected {want}, found {have}"
        for title, want, have in zip(titles(about), expected, found, strict=True)
        if want != have
    ]


@pytest.mark.browser
def test_the_browser_draws_coins_as_written(modules: Page) -> None:
    found = in_browser(
        modules,
        """return argument.map(({ bound, words }) => {
      const source = scripted(words);
      try { return [coins.draw(bound, source.words), source.left.length]; } catch (error) { return error.name; }
    });""",
        cases("coins"),
    )
    expected = ["RangeError" if "error" in case else [case["drawn"], 0] for case in cases("coins")]
    assert differences(expected, found, "coins") == []


@pytest.mark.browser
def test_the_browser_draws_questions_as_written(modules: Page) -> None:
    found = in_browser(
        modules,
        """return argument.cases.map(({ survey, words }) => {
      const source = scripted(words);
      return [sampling.drawQuestions(argument.surveys[survey], source.words), source.left.length];
    });""",
        FILES["sampling"],
    )
    assert differences([[case["asked"], 0] for case in cases("sampling")], found, "sampling") == []


@pytest.mark.browser
def test_the_browser_codes_answers_as_written(modules: Page) -> None:
    found = in_browser(
        modules,
        """return argument.cases.map(({ survey, asked, answers, words }) => {
      const source = scripted(words);
      const read = argument.surveys[survey];
      const part = asked ? sampling.partOf(read, asked) : read;
      try {
        return [sampling.whole(read, coding.codeAnswers(part, answers, source.words)), source.left.length];
      } catch (error) { return `question "${error.question}"`; }
    });""",
        FILES["coding"],
    )
    expected = [case["error"] if "error" in case else [case["codes"], 0] for case in cases("coding")]
    assert differences(expected, found, "coding") == []


@pytest.mark.browser
def test_the_browser_disguises_codes_as_written(modules: Page) -> None:
    found = in_browser(
        modules,
        """return argument.cases.map(({ survey, codes, words }) => {
      const source = scripted(words);
      const read = argument.surveys[survey];
      const asked = Object.entries(codes).filter(([, code]) => code !== null);
      const part = sampling.partOf(read, asked.map(([name]) => name));
      const sent = disguise.disguise(part, Object.fromEntries(asked), source.words);
      return [sampling.whole(read, sent), source.left.length];
    });""",
        FILES["disguise"],
    )
    assert differences([[case["sent"], 0] for case in cases("disguise")], found, "disguise") == []


@pytest.mark.browser
def test_the_browser_tells_odds_as_written(modules: Page) -> None:
    """Of every question, of every code, the limits, the example and all together, for each set of questions asked."""
    found = in_browser(
        modules,
        """return argument.cases.map(({ survey, asked, words }) => {
      const part = sampling.partOf(argument.surveys[survey], asked);
      const all = odds.askedOf(part, ({ name }) => words[asked.indexOf(name)]);
      const sample = odds.example(all, argument.texts, family.riseAmong(all, routes));
      const total = odds.totalRatio(all);
      return {
        odds: all.map((each) => odds.toldOdds(each, argument.texts)),
        codes: all.map((each) => each.question.coding.codes.map((code) => odds.toldCode(each, code, argument.texts))),
        limits: all.filter(({ group }) => group)
      .map((each) => odds.limit(each, argument.texts, family.riseAmong(all, routes))),
        example: sample && [sample.text, sample.marked],
        total: Number.isFinite(total) ? Number(total.toPrecision(9)) : null,
      };
    });""",
        FILES["odds"] | {"texts": script_texts(interface("en"))},
    )
    expected = [{key: each for key, each in case.items() if key in ODDS} for case in cases("odds")]
    for case in expected:
        case["total"] = None if case["total"] is None else float(f"{case['total']:.9g}")
    assert differences(expected, found, "odds") == []


ODDS = ("odds", "codes", "limits", "example", "total")


@pytest.mark.browser
def test_a_malformed_design_is_refused_by_what_disguises_or_its_odds_are_still_those_of_chance(modules: Page) -> None:
    """Of each value the codes are sent with chances that are not negative and add up to 1: those that are told."""
    found = in_browser(
        modules,
        """return argument.map((each) => {
      try {
        disguise.checkDesign(each);
        const part = sampling.partOf(each, each.questions.map(({ name }) => name));
        const sum = (shares) => shares.reduce((total, each) => total + each);
        const sound = (shares, of) => shares.every((each) => each >= 0n) && sum(shares) === of;
        return odds.askedOf(part, ({ values }) => values).every(({ sent, of, words }) =>
          words.every((_, at) => sound(sent.map((row) => row[at]), of)));
      } catch { return "refused"; }
    });""",
        [design_of("designs", case) for case in cases("designs")],
    )
    assert set(found) == {True, "refused"}
    sound = [case["error"] is None for case in cases("designs")]
    assert all(each is True for each, is_sound in zip(found, sound, strict=True) if is_sound)


WEAK: list[tuple[list[str | int], Any, str]] = [  # in the small survey: where, what, and the place named
    (["questions", 0, "sensitive"], True, 'question "year"'),
    (["questions", 1, "sensitive"], False, 'question "drug"'),
    (["questions", 1, "coding", "complements"], [0, 1, 2, 3], 'question "drug"'),
    (["questions", 1, "coding", "draws", 1], [[7, 1]], 'question "drug"'),
    (["questions", 1, "coding", "draws", 1], [[2, -1]], 'question "drug"'),
    (["questions", 1, "coding", "draws", 1], [[2, 0]], 'question "drug"'),
    (["questions", 1, "coding", "replacement"], [2, -1, 1, 1], 'question "drug"'),
    (["questions", 1, "coding", "replacement"], [1, 1], 'question "drug"'),
    (["groups", 0, "questions"], ["drug"], 'question "fear"'),
    (["groups", 0, "questions"], ["drug", "fear", "fear"], 'question "fear"'),
    (["groups", 0, "truth"], [4, 3], 'group "pair"'),
    (["groups", 0, "truth"], [-1, 4], 'group "pair"'),
    (["groups", 0, "truth"], [1, 0], 'group "pair"'),
    (["groups", 0, "truth"], [0, 0], 'group "pair"'),
    (["groups", 0, "truth"], ["3", "4"], 'group "pair"'),
    (["groups", 0, "truth"], None, 'group "pair"'),
]


@pytest.mark.browser
def test_what_disguises_checks_by_itself_that_a_coin_covers_every_sensitive_answer(modules: Page) -> None:
    small = FILES["designs"]["surveys"]["small"]
    sound = [design_of("designs", case) for case in cases("designs") if not case["error"]]
    weak = [edited(small, list(path), value=value) for path, value, _ in WEAK]
    found = in_browser(
        modules,
        """return argument.map((each) => {
      try { disguise.checkDesign(each); return null; } catch (error) { return error.place ?? String(error); }
    });""",
        sound + weak,
    )
    assert found == [None] * len(sound) + [place for _, _, place in WEAK]


@pytest.mark.browser
def test_the_browser_checks_responses_as_written_and_disguises_no_others(modules: Page) -> None:
    found = in_browser(
        modules,
        """const place = (act) => {
          try { act(); return null; } catch (error) { return error.place ?? String(error); }
        };
        return argument.cases.map(({ survey, codes }) => {
          const read = argument.surveys[survey];
          const alone = place(() => disguise.checkResponse(read, codes));
          return [alone, place(() => disguise.disguise(read, codes, () => 0))];
        });""",
        FILES["responses"],
    )
    assert differences([[case["error"]] * 2 for case in cases("responses")], found, "responses") == []


NUMBERS: dict[
    str, list[float | None]
] = {  # as they are read where thousands are parted by a comma, a point, or neither
    "1200": [1200] * 3,
    "12.5": [12.5] * 3,
    "12,5": [12.5] * 3,
    " 0 ": [0] * 3,
    "007": [7] * 3,
    "-3": [-3] * 3,
    "\u22123,25": [-3.25] * 3,
    "0,125": [0.125] * 3,
    "0.125": [0.125] * 3,
    "1 200": [1200] * 3,
    "1\u00a0200": [1200] * 3,
    "1\u202f200,50": [1200.5] * 3,
    "12'500": [12500] * 3,
    "12\u2019500": [12500] * 3,
    "\u0661\u0662": [12] * 3,
    "\u06f1\u06f2\u066b\u06f5": [12.5] * 3,
    "\u0661\u066c\u0662\u0660\u0660\u066b\u0665": [1200.5] * 3,
    "\u0661\u066b\u0662\u0660\u0660": [1.2] * 3,
    "1 200.125": [1200.125] * 3,
    "1,200": [1200, None, None],
    "1.200": [None, 1200, None],
    "-12,500": [-12500, None, None],
    "1,200.50": [1200.5] * 3,
    "1.200,50": [1200.5] * 3,
    "1,200,000": [1_200_000] * 3,
    "1.200.000": [1_200_000] * 3,
    "1200,500": [1200.5] * 3,
    "1.2340": [1.234] * 3,
    "\uff11\uff0c\uff12\uff10\uff10": [1200, None, None],
    "\uff0d\uff15\uff0e\uff15": [-5.5] * 3,
    "\u0967\u0968\u0966\u0966": [1200] * 3,
    "\u200e-\u202f5": [None] * 3,
    "\u200e-5": [-5] * 3,
    "10\u00b2": [None] * 3,
    "\u00bd": [None] * 3,
    "1\u2460": [None] * 3,
    **{text: [None] * 3 for text in ("12 00", "1200 300", "", " ", "abc", "1,200,00", "1,20,000", "1,200.300.400")},
    **{text: [None] * 3 for text in ("12 EUR", "1e3", "0x10", "Infinity", "NaN", "--1", "1..2", ".5", "5.", "9" * 16)},
}


@pytest.mark.browser
def test_the_browser_reads_numbers_as_people_write_them_and_guesses_none(modules: Page) -> None:
    found = in_browser(modules, READ, list(NUMBERS))
    assert dict(zip(NUMBERS, found, strict=True)) == NUMBERS


READ = """return argument.map((text) => ["1,234,567", "1.234.567", "1'234'567"].map(
  (sample) => numbers.readNumber(text, sample)));"""

BOUNDS = [0, 1, 1.5, 0.125, 1.234, 999.125, 12.3456, 999, 1000, 1234, 12345, 100_000, 1_234_567, 1_234_567.125]
BOUNDS += [100_000_000, 123_456_789.75, 123_456_789_012_345]
SYSTEMS = ["latn", "arab", "arabext", "beng", "deva", "fullwide", "thai"]
ROUND = """return argument.languages.map((language) => {
  const sample = numbers.numberWords(1234567, language);
  const read = (text) => numbers.readNumber(text, sample);
  const shown = (each, numberingSystem) =>
    each.toLocaleString(language, { numberingSystem, minimumFractionDigits: Number.isInteger(each) ? 0 : 4 });
  const texts = (each) => [numbers.numberWords(each, language), ...argument.systems.map((name) => shown(each, name))];
  const written = argument.bounds.map((each) => [each, texts(each)]);
  return [written.map(([each, texts]) => [each, texts.map((text) => [text, read(text)])]),
    ["1,234", "1.234"].map(read), ["1,20,000", "1,20,000.5", "123,45,678", "1,2,345"].map(read)];
});"""


@pytest.mark.browser
def test_what_the_page_shows_of_a_number_it_reads_in_each_language_and_in_the_digits_of_any_script(
    modules: Page,
) -> None:
    bounds = [sign * each for each in BOUNDS for sign in (1, -1) if each or sign > 0]
    argument = {"languages": SHIPPED, "bounds": bounds, "systems": SYSTEMS}
    for language, (written, lone, lakhs) in zip(SHIPPED, in_browser(modules, ROUND, argument), strict=True):
        wrong = [(text, read) for each, texts in written for text, read in texts if read != each]
        assert wrong == [], language
        assert {*lone} <= {1234, None}, f"a lone mark is thousands or refused in {language}"
        assert lakhs == ([120_000, 120_000.5, None, None] if language == "hi" else [None] * 4), language
