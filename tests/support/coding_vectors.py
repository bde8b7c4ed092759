"""Cases of the shared vectors about codes that are true: answers, and malformed ones, to codes."""

from __future__ import annotations

import math
from collections.abc import Iterator

from collector.survey.survey import Survey
from vector_chance import Case, Chance, planned_draw
from vector_surveys import surveys


def coding_cases() -> Iterator[Case]:
    """Answers and words to true codes."""
    for name, survey in surveys().items():
        chance = Chance(2)
        for _ in range(14):
            yield _coding_case(name, survey, chance)
    for question in ("load", "income"):
        yield from _interval_cases(question)
    yield from _malformed_answers()
    yield from _malformed_counts()


def _coding_case(name: str, survey: Survey, chance: Chance) -> Case:
    asked = planned_draw(survey.design, chance)
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
    if question.get("whole"):
        below = cuts[value] - 1 if value < len(cuts) else question["maximum"]
        return int(chance.pick([low, (low + below) // 2, below]))
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


def _malformed_counts() -> Iterator[Case]:
    chance = Chance(4)
    for why, number in (("a fraction for a count", 2.5), ("close to whole", 2.0000000001), ("words for a count", "2")):
        case = _coding_case("edges", surveys()["edges"], chance)
        error = case | {"answers": case["answers"] | {"count": number}, "words": [], "error": 'question "count"'}
        del error["codes"]
        yield {"why": why, **error}


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
