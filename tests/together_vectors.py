"""Cases of two answers with one code, for tests/vectors/together.json: planned first, and then the words that do it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

from collector.survey import Survey
from collector.survey_file import parse_survey
from vector_chance import Case, Chance

PER_SURVEY = 40


def _survey(name: str, how: str, sampling: str, *sizes: int) -> Survey:
    questions = [
        f'[[questions]]\nname = "q{number}"\nlabel = "Q?"\nkind = "scale"\ngroup = "g"\n'
        f"values = {[f'v{value}' for value in range(size)]}\n".replace("'", '"')
        for number, size in enumerate(sizes)
    ]
    head = f'name = "{name}"\ntitle = "Two answers, one code"\nlanguages = ["en"]\n'
    return parse_survey(
        f"{head}{''.join(questions)}[groups]\ng = {{ {how}, together = true }}\n[sampling]\n{sampling}\n"
    )


def surveys() -> dict[str, Survey]:
    """Of every family, the largest mask and a large prime among them, and one question always asked."""
    return {
        "masks": _survey("masks", "epsilon = 1", "ask = 2", 2, 3, 5, 6),
        "affine": _survey("affine", "epsilon = 2", "ask = 2", 2, 17, 18, 40, 52),
        "plain": _survey("plain", "epsilon = 4", 'ask = 2\nalways = ["q1"]', 2, 3, 4, 70),
        "wide": _survey("wide", 'odds = "1/3"', "ask = 2", 150, 2, 200),
    }


def together_cases() -> Iterator[Case]:
    """The values of two answers and words to the digits that are sent, and designs with one fault."""
    for name, survey in surveys().items():
        chance = Chance(7)
        for _ in range(PER_SURVEY):
            yield _case(name, survey.design, chance)
    for why, path, value, place in MALFORMED_TOGETHER:
        edit = {} if value is ... else {"value": value}
        yield {"why": why, "survey": "masks", "path": path, **edit, "error": place}


def _case(name: str, design: Case, chance: Chance) -> Case:
    names = [question["name"] for question in design["questions"]]
    always = design["sampling"]["always"]
    pair = chance.pick([both for both in combinations(range(len(names)), 2) if set(always) <= {names[i] for i in both}])
    sizes = [len(design["questions"][place]["values"]) for place in pair]
    values = [chance.between(0, size) for size in sizes]
    (group,) = design["groups"]
    (coding,) = [each for each in group["together"] if each["combinations"] == sizes[0] * sizes[1]]
    theta = _theta(Fraction(*group["odds"]), coding)
    chance.words = []
    truthful = chance.pick([True, False])
    scale = group["odds"][1] * Fraction(coding["points"], coding["size"]).numerator
    scale += group["odds"][0] * Fraction(coding["points"], coding["size"]).denominator
    top = int(theta * scale)
    chance.plan(scale, chance.between(0, top) if truthful else chance.between(top, scale))
    digits = _planned_code(coding, values[0] * sizes[1] + values[1] if truthful else None, chance)
    sent: Case = dict.fromkeys(names)
    sent |= {names[place]: digit for place, digit in zip(pair, digits, strict=True)}
    answers = {names[place]: f"v{value}" for place, value in zip(pair, values, strict=True)}
    return {"survey": name, "answers": answers, "words": chance.words, "sent": sent}


def _theta(odds: Fraction, coding: Case) -> Fraction:
    return odds / (odds + Fraction(coding["points"], coding["size"]))


def _planned_code(coding: Case, combination: int | None, chance: Chance) -> tuple[int, int]:
    points, size = coding["points"], coding["size"]
    if coding["scheme"] == "plain":
        if combination is None:
            combination = chance.between(0, points)
            chance.plan(points, combination)
        return combination, 0
    if coding["scheme"] == "affine":
        factor = chance.between(1, points)
        chance.plan(points - 1, factor - 1)
        if combination is None:
            shift = chance.between(0, points)
            chance.plan(points, shift)
            return factor, shift
        place = chance.between(0, size)
        chance.plan(size, place)
        return factor, next(shift for shift in range(points) if (factor * combination + shift) % points == place)
    drawn = [] if combination is None else [combination]
    left = [each for each in range(points) if each not in drawn]
    while len(drawn) < size:
        place = chance.between(0, len(left))
        chance.plan(len(left), place)
        drawn.append(left.pop(place))
    return sum(2**each for each in drawn if each < 15), sum(2 ** (each - 15) for each in drawn if each >= 15)


TOGETHER = ["groups", 0, "together"]
PLACE = 'group "g", together'
AFFINE_SIX = {"combinations": 6, "scheme": "affine", "points": 7, "size": 2}
SHARED = {"scheme": "subsets", "codes": [0, 1], "complements": None, "draws": [[[0, 1]], [[1, 1]]]}
MALFORMED_TOGETHER: list[tuple[str, list[Any], Any, str | None]] = [
    ("as published", ["title", "en"], "The same", None),
    ("a prime for a mask, which is as good", [*TOGETHER, 0], AFFINE_SIX, None),
    ("no list", TOGETHER, {}, PLACE),
    ("none listed", TOGETHER, [], PLACE),
    ("no table", [*TOGETHER, 1], 6, f"{PLACE} number 2"),
    ("an unknown key", [*TOGETHER, 1, "blocks"], [], f"{PLACE} number 2"),
    ("no size", [*TOGETHER, 1, "size"], ..., f"{PLACE} number 2"),
    ("a size in words", [*TOGETHER, 1, "size"], "2", f"{PLACE} number 2, size"),
    ("a scheme of a number", [*TOGETHER, 0, "scheme"], 1, f"{PLACE} number 1, scheme"),
    ("a scheme that nobody knows", [*TOGETHER, 0, "scheme"], "projective", PLACE),
    ("a code of nothing", [*TOGETHER, 0, "size"], 0, PLACE),
    ("a code of all", [*TOGETHER, 0, "size"], 6, PLACE),
    ("a code of one that is said to be a mask", [*TOGETHER, 0, "size"], 1, PLACE),
    ("a plain code of several", [*TOGETHER, 0, "scheme"], "plain", PLACE),
    ("more points than combinations", [*TOGETHER, 0, "points"], 7, PLACE),
    ("no prime", [*TOGETHER, 0], AFFINE_SIX | {"points": 9}, PLACE),
    ("a prime too far", [*TOGETHER, 0], AFFINE_SIX | {"points": 11}, PLACE),
    ("a prime too small", [*TOGETHER, 0], AFFINE_SIX | {"points": 5}, PLACE),
    ("one too few", [*TOGETHER, 0], ..., PLACE),
    ("one of other combinations", [*TOGETHER, 0, "combinations"], 7, PLACE),
    ("three questions asked", ["sampling", "ask"], 3, PLACE),
    ("one question always asked", ["sampling", "always"], ["q0"], PLACE),
    ("a coding of a question's own", ["questions", 0, "coding"], SHARED, PLACE),
    ("a coin finer than a word", ["groups", 0, "odds"], [1, 2**31], 'group "g", odds'),
    ("a truth in place of the odds", ["groups", 0, "odds"], ..., 'group "g"'),
    ("nothing is sampled", ["sampling"], None, 'group "g"'),
]
