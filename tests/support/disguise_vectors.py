"""Cases of the shared vectors about chance: coins, the questions one is asked, and the codes that are sent."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from vector_chance import WORD, Case, Chance, planned_draw
from vector_surveys import surveys


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


def sampling_cases() -> Iterator[Case]:
    """Words to the questions that one respondent is asked."""
    for name, survey in surveys().items():
        chance = Chance(5)
        for _ in range(40 if survey.sampling else 1):
            chance.words = []
            yield {"survey": name, "asked": planned_draw(survey.design, chance), "words": chance.words}


def disguise_cases() -> Iterator[Case]:
    """True codes and words to the codes that are sent."""
    for name, survey in surveys().items():
        chance = Chance(4)
        for _ in range(18):
            yield _disguise_case(name, survey.design, chance)


def _disguise_case(name: str, design: Case, chance: Chance) -> Case:
    questions = {question["name"]: question["coding"] for question in design["questions"]}
    asked = planned_draw(design, chance)
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
