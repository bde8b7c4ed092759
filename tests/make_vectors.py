"""Writes tests/vectors/*.json, which tie the browser's code to its Python twins: ``python tests/make_vectors.py``.

Nothing here asks the code under test what to expect. A case is planned first (this coin falls so, that value gets
this code), and then the words of chance that bring it about are written down, rejected words in front of them.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from collector.survey import Survey
from collector.survey_file import parse_survey, read_survey_file
from malformed import LEFT_TO_THE_COLLECTOR, MALFORMED_CODES, MALFORMED_DESIGNS, MALFORMED_SPLITS
from together_vectors import surveys as paired_surveys
from together_vectors import together_cases

HERE = Path(__file__).resolve().parent
WORD = 2**32
Case = dict[str, Any]

SMALL = """
name = "small"
title = "Small survey"
languages = ["en"]
questions = [
  { name = "year", label = "Which year?", kind = "scale", values = ["1st", "2nd", "3rd"], sensitive = false },
  { name = "drug", label = "How often?", kind = "choice", values = ["never", "rarely", "often"], group = "pair", \
prior = { never = 0.5, rarely = 0.3, often = 0.2 } },
  { name = "fear", label = "Were you afraid?", kind = "yes_no", group = "pair" },
  { name = "income", label = "Income?", kind = "number", unit = "EUR", minimum = 0, cuts = [400, 800], \
group = "money" },
]
groups = { pair = { truth = "3/4" }, money = { truth = "2/3", channel = "uniform" } }
mining = { target = "fear" }
"""

EDGES = """
name = "edges"
title = { en = "Édge cases: 測試", pt-BR = "Casos raros" }
languages = ["en", "pt-BR"]
questions = [
  { name = "constructor", label = { en = "A name that objects have", pt-BR = "A name that objects have" }, \
kind = "yes_no", sensitive = false },
  { name = "sure", label = { en = "Sent as it is", pt-BR = "Sent as it is" }, \
kind = "choice", values = ["a", "b", "c"], group = "sure", \
words = { en = { a = "A", b = "B", c = "C" } }, hint = { en = "Pick one.", pt-BR = "Escolha." }, \
prior = { a = "1/2", b = "1/3", c = "1/6" } },
  { name = "turned", label = { en = "Always complemented", pt-BR = "Always complemented" }, \
kind = "yes_no", group = "turned" },
  { name = "five", label = { en = "Five values", pt-BR = "Five values" }, \
kind = "choice", values = ["a", "b", "c", "d", "e"], group = "odd", \
prior = { a = 0.37, b = 0.31, c = 0.17, d = 0.11, e = 0.04 } },
  { name = "most", label = { en = "One value holds most", pt-BR = "One value holds most" }, \
kind = "scale", values = ["a", "b", "c"], group = "odd", \
prior = { a = 0.1, b = 0.7, c = 0.2 } },
  { name = "load", label = { en = "Decimals", pt-BR = "Decimals" }, \
kind = "number", cuts = [-1.5, 0, 0.00001, 0.1, 1000000], minimum = -10, \
group = "spread" },
  { name = "site", label = { en = "Three sites", pt-BR = "Three sites" }, \
kind = "choice", values = ["x", "y", "z"], group = "spread" },
  { name = "plain", label = { en = "Uniform, sent as it is", pt-BR = "Uniform, sent as it is" }, \
kind = "yes_no", group = "spread_sure" },
  { name = "lone", label = { en = "Odd, coded as in the paper", pt-BR = "Odd, coded as in the paper" }, \
kind = "scale", values = ["p", "q", "r"], coding = "szucs", \
prior = { p = 0.5, q = 0.3, r = 0.2 }, group = "seed" },
  { name = "fine", label = { en = "A coin that is often redrawn", pt-BR = "A coin that is often redrawn" }, \
kind = "yes_no", group = "fine" },
]

[study]
who = { en = "We", pt-BR = "Nós" }
until = 2026-12-31

[groups]
sure = { truth = 1 }
turned = { truth = 0 }
odd = { truth = "3/7" }
spread = { truth = "2/3", channel = "uniform" }
spread_sure = { truth = 1, channel = "uniform" }
seed = { truth = 0.9 }
fine = { truth = "1073741825/2147483649" }
"""


SPLIT = """
name = "split"
title = "A split questionnaire, under every channel and coding"
languages = ["en"]
questions = [
  { name = "year", label = "Which year?", kind = "scale", values = ["1st", "2nd", "3rd"], sensitive = false },
  { name = "fear", label = "Were you afraid?", kind = "yes_no", group = "fear" },
  { name = "city", label = "Which city?", kind = "choice", values = ["a", "b", "c", "d", "e", "f", "g"], \
coding = "projective-2", group = "city" },
  { name = "diet", label = "Which diet?", kind = "choice", values = ["a", "b", "c", "d"], coding = "subsets-2", \
group = "diet" },
  { name = "debt", label = "In debt?", kind = "yes_no", replacement = { yes = "3/4", no = "1/4" }, group = "debt" },
  { name = "vice", label = "A vice?", kind = "choice", values = ["x", "y", "z"], \
replacement = { x = 0, y = "1/3", z = "2/3" }, group = "vice" },
  { name = "drug", label = "How often?", kind = "choice", values = ["never", "rarely", "often"], group = "pair" },
  { name = "flight", label = "Did you run?", kind = "yes_no", group = "pair" },
  { name = "income", label = "Income?", kind = "number", minimum = 0, cuts = [400, 800], group = "money" },
  { name = "rent", label = "Rent?", kind = "yes_no", group = "money" },
  { name = "loans", label = "Loans?", kind = "choice", values = ["0", "1", "2", "3"], group = "money", \
coding = "cyclotomic-5-2" },
]

[groups]
fear = { truth = "4/5" }
city = { truth = "1/2", channel = "uniform" }
diet = { truth = "3/5", channel = "uniform" }
debt = { truth = "2/3", channel = "uniform" }
vice = { truth = "1/3", channel = "uniform" }
pair = { truth = "3/4" }
money = { odds = "7/2" }

[sampling]
ask = 6
always = ["fear"]
"""


def surveys() -> dict[str, Survey]:
    """The surveys that cases are about."""
    example = read_survey_file(HERE.parent / "examples" / "wellbeing.toml")
    bilingual = read_survey_file(HERE.parent / "examples" / "wellbeing_two_languages.toml")
    ours = {"small": parse_survey(SMALL), "edges": parse_survey(EDGES), "split": parse_survey(SPLIT)}
    return {**ours, "wellbeing": example, "bilingual": bilingual}


class Chance:
    """Plans what chance will do, and writes down the words that do it."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - cases, not coins
        self.words: list[int] = []

    def pick(self, options: Sequence[Any]) -> Any:  # noqa: ANN401 - one of whatever there is
        """One of these."""
        return self._random.choice(options)

    def between(self, low: int, below: int) -> int:
        """A number from low to below - 1."""
        return self._random.randrange(low, below)

    def plan(self, bound: int, result: int, rejections: int | None = None) -> None:
        """Write down words that a draw turns into this result, after some that it has to reject."""
        limit = WORD - WORD % bound
        if limit < WORD:
            many = self._random.choice((0, 0, 0, 1, 2)) if rejections is None else rejections
            self.words += [self._random.randrange(limit, WORD) for _ in range(many)]
        self.words.append(result + bound * self._random.randrange(WORD // bound))


def coin_cases() -> Iterator[Case]:
    """One draw each: bound, words, the number drawn, and how many words that took."""
    chance = Chance(1)
    for bound in (1, 2, 3, 4, 5, 6, 7, 10, 100, 641, 65537, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1, 2**32):
        for rejections in (0, 1, 3):
            result = chance.between(0, bound)
            chance.words = []
            chance.plan(bound, result, rejections)
            yield {"bound": bound, "words": chance.words, "drawn": result}
    for bound, words, drawn in (
        (3, [WORD - 1, 0], 0),
        (3, [WORD - 2], 2),
        (2**31 + 1, [2**31 + 1, WORD - 1, 2**31], 2**31),
        (2**32, [WORD - 1], WORD - 1),
        (1, [WORD - 1], 0),
    ):
        yield {"why": "at the edge of what is rejected", "bound": bound, "words": words, "drawn": drawn}
    for bound in (0, -1, WORD + 1):
        yield {"why": "no bound", "bound": bound, "words": [0], "error": True}
    for word in (-1, WORD):
        yield {"why": "no word", "bound": 2, "words": [word], "error": True}


def coding_cases() -> Iterator[Case]:
    """Answers and words to true codes."""
    for name, survey in surveys().items():
        chance = Chance(2)
        for _ in range(14):
            yield _coding_case(name, survey, chance)
    for question in ("load", "income"):
        yield from _interval_cases(question)
    yield from _malformed_answers()


def sampling_cases() -> Iterator[Case]:
    """Words to the questions that one respondent is asked."""
    for name, survey in surveys().items():
        chance = Chance(5)
        for _ in range(40 if survey.sampling else 1):
            chance.words = []
            yield {"survey": name, "asked": _planned_draw(survey.design, chance), "words": chance.words}


def _planned_draw(design: Case, chance: Chance) -> list[str]:
    names = [question["name"] for question in design["questions"]]
    sampling = design.get("sampling", {"ask": 0, "always": names})
    asked, left = list(sampling["always"]), [name for name in names if name not in sampling["always"]]
    while len(asked) < sampling["ask"]:
        place = chance.between(0, len(left))
        chance.plan(len(left), place)
        asked.append(left.pop(place))
    return [name for name in names if name in asked]


def _coding_case(name: str, survey: Survey, chance: Chance) -> Case:
    asked = _planned_draw(survey.design, chance)
    answers: Case = {}
    codes: Case = dict.fromkeys([question.name for question in survey.questions])
    chance.words = []
    for question in survey.design["questions"]:
        if question["name"] not in asked:
            continue
        value = chance.between(0, len(question["values"]))
        answers[question["name"]] = _answer(question, value, chance)
        codes[question["name"]] = _planned_code(question["coding"]["draws"][value], chance)
    return {"survey": name, "asked": asked, "answers": answers, "words": chance.words, "codes": codes}


def _answer(question: Case, value: int, chance: Chance) -> str | float:
    if question["kind"] != "number":
        return str(question["values"][value])
    cuts = question["cuts"]
    low = question["minimum"] if value == 0 else cuts[value - 1]
    high = math.nextafter(cuts[value], -math.inf) if value < len(cuts) else 2 * abs(cuts[-1]) + 1
    return float(chance.pick([low, (low + high) / 2, high]))


def _planned_code(draws: list[list[int]], chance: Chance) -> int:
    number = chance.between(0, len(draws))
    if len(draws) > 1:
        before = sum(weight for _, weight in draws[:number])
        point = chance.pick([before, before + draws[number][1] - 1])
        chance.plan(sum(weight for _, weight in draws), point)
    return draws[number][0]


def _interval_cases(question: str) -> Iterator[Case]:
    """A number at, just below and just above each cut: exactly i cuts are <= x."""
    name = "edges" if question == "load" else "small"
    chance = Chance(3)
    survey = surveys()[name]
    cuts = survey.question(question).cuts
    for index, cut in enumerate(cuts):
        for number, interval in (
            (math.nextafter(cut, -math.inf), index),
            (cut, index + 1),
            (math.nextafter(cut, math.inf), index + 1),
        ):
            case = _coding_case(name, survey, chance)
            case["answers"][question] = number
            case["codes"][question] = interval  # a plain coding numbers the intervals
            yield {"why": "a number at the edge of an interval", **case}


def _malformed_answers() -> Iterator[Case]:
    good = {"year": "1st", "drug": "rarely", "fear": "no", "income": 10}
    for why, question, answer in (
        ("no value of the question", "year", "4th"),
        ("another question's value", "drug", "yes"),
        ("a value in other letters", "fear", "No"),
        ("a number for a choice", "fear", 1),
        ("nothing", "year", None),
        ("words for a number", "income", "10"),
        ("a truth value for a number", "income", True),
        ("nothing for a number", "income", None),
        ("below the minimum", "income", -0.5),
    ):
        answers = {**good, question: answer}
        yield {"why": why, "survey": "small", "answers": answers, "words": [], "error": f'question "{question}"'}
    for question in good:
        answers = {name: answer for name, answer in good.items() if name != question}
        yield {"why": "missing", "survey": "small", "answers": answers, "words": [], "error": f'question "{question}"'}


def disguise_cases() -> Iterator[Case]:
    """True codes and words to the codes that are sent."""
    for name, survey in surveys().items():
        chance = Chance(4)
        for _ in range(18):
            yield _disguise_case(name, survey.design, chance)


def _disguise_case(name: str, design: Case, chance: Chance) -> Case:
    questions = {question["name"]: question["coding"] for question in design["questions"]}
    asked = _planned_draw(design, chance)
    codes = {each: chance.pick(coding["codes"]) if each in asked else None for each, coding in questions.items()}
    sent = dict(codes)
    chance.words = []
    for group in design["groups"]:
        of_group = [each for each in group["questions"] if each in asked]
        if not of_group:
            continue
        numerator, denominator = _coin(group, [questions[each] for each in of_group])
        truthful = numerator == denominator or (numerator > 0 and chance.pick([True, False]))
        point = chance.between(0, numerator) if truthful else chance.between(numerator, denominator)
        chance.plan(denominator, point)
        if truthful:
            continue
        for each in of_group:
            coding = questions[each]
            if group["channel"] == "uniform":
                sent[each] = _planned_replacement(coding, chance)
            else:
                sent[each] = coding["complements"][coding["codes"].index(codes[each])]
    return {"survey": name, "codes": codes, "words": chance.words, "sent": sent}


def _coin(group: Case, codings: list[Case]) -> tuple[int, int]:
    """The truth probability where these questions are asked: the published one, or o / (o + K/s) with odds o."""
    if "truth" in group:
        numerator, denominator = group["truth"]
        return numerator, denominator
    numerator, denominator = group["odds"]
    ratios = [Fraction(len(coding["codes"]), len(coding["draws"][0])) for coding in codings]
    truthful = numerator * math.prod(each.denominator for each in ratios)
    return truthful, truthful + denominator * math.prod(each.numerator for each in ratios)


def _planned_replacement(coding: Case, chance: Chance) -> int:
    weights = coding.get("replacement", [1] * len(coding["codes"]))
    place = chance.pick([place for place, weight in enumerate(weights) if weight])
    before = sum(weights[:place])
    chance.plan(sum(weights), chance.pick([before, before + weights[place] - 1]))
    return int(coding["codes"][place])


def design_cases() -> Iterator[Case]:
    """Published designs, good ones and each edited in one place; where the browser says otherwise, what it says."""
    for case in _design_cases():
        if case["why"] in LEFT_TO_THE_COLLECTOR:
            yield case | {"browser": None}
        elif case["why"] == "a value too many":  # which the browser misses in the coding, not in the prior
            yield case | {"browser": 'question "drug", coding'}
        else:
            yield case


def _design_cases() -> Iterator[Case]:
    for name in surveys():
        yield {"why": "as published", "survey": name, "path": [], "error": None}
    for why, path, value, place in MALFORMED_DESIGNS:
        edit = {} if value is ... else {"value": value}
        yield {"why": why, "survey": "small", "path": path, **edit, "error": place}
    for why, path, value, place in MALFORMED_SPLITS:
        edit = {} if value is ... else {"value": value}
        yield {"why": why, "survey": "split", "path": path, **edit, "error": place}
    small = surveys()["small"].design
    year, income = small["questions"][0], small["questions"][3]
    twins = {**small, "questions": [year, year], "groups": [], "target": None}
    yield {
        "why": "two sound questions of one name",
        "survey": "small",
        "path": [],
        "value": twins,
        "error": 'question "year"',
    }
    turned = {**income, "cuts": [800, 400], "values": ["<800", "800..400", ">=400"]}
    yield {
        "why": "cuts and values that descend together",
        "survey": "small",
        "path": ["questions", 3],
        "value": turned,
        "error": 'question "income", cuts',
    }


def response_cases() -> Iterator[Case]:
    """Codes as they would be sent: good ones, and malformed ones with the place of the fault."""
    for codes in ({"year": 0, "drug": 0, "fear": 0, "income": 0}, {"income": 2, "fear": 1, "drug": 3, "year": 2}):
        yield {"why": "one code for each question", "survey": "small", "codes": codes, "error": None}
    for why, codes, place in MALFORMED_CODES:
        yield {"why": why, "survey": "small", "codes": codes, "error": place}


def edited(design: Any, path: Sequence[Any], **edit: Any) -> Any:  # noqa: ANN401 - JSON
    """A copy of a design with one place replaced by ``value``, or taken out where there is none."""
    if not path:
        return edit.get("value", design)
    copy: Any = dict(design) if isinstance(design, dict) else list(design)
    first, *rest = path
    if rest:
        copy[first] = edited(copy[first], rest, **edit)
    elif "value" in edit:
        copy[first] = edit["value"]
    else:
        del copy[first]
    return copy


def documents() -> dict[str, str]:
    """Every file of vectors, by name: one case a line."""
    designs = {name: survey.design for name, survey in surveys().items()}
    files: dict[str, tuple[Case, Iterator[Case]]] = {
        "coins": ({}, coin_cases()),
        "sampling": (designs, sampling_cases()),
        "coding": (designs, coding_cases()),
        "disguise": (designs, disguise_cases()),
        "designs": (designs, design_cases()),
        "responses": ({"small": designs["small"]}, response_cases()),
        "together": ({name: survey.design for name, survey in paired_surveys().items()}, together_cases(Chance)),
    }
    return {f"{name}.json": _written(about, cases) for name, (about, cases) in files.items()}


def _written(about: Case, cases: Iterator[Case]) -> str:
    def line(value: object) -> str:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)

    surveys_lines = ",\n".join(f"  {line(name)}: {line(design)}" for name, design in about.items())
    case_lines = ",\n".join(f"  {line(case)}" for case in cases)
    return f'{{"surveys": {{\n{surveys_lines}\n}},\n"cases": [\n{case_lines}\n]}}\n'


if __name__ == "__main__":
    for file, text in documents().items():
        (HERE / "vectors" / file).write_text(text, encoding="utf-8")
