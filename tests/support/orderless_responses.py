"""Responses without their order: every multiset that few people may send, from a published design."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations, product
from math import exp, prod
from typing import Any

Row = tuple[float, ...]
Sent = dict[tuple[int, ...], float]


def orderless(rows: list[Row]) -> Sent:
    """The chance of each multiset of responses, with how many there are of each."""
    found: Sent = {(0,) * len(rows[0]): 1.0}
    for row in rows:
        following: Counter[tuple[int, ...]] = Counter()
        for counts, chance in found.items():
            for place, share in enumerate(row):
                if share:
                    following[(*counts[:place], counts[place] + 1, *counts[place + 1 :])] += chance * share
        found = dict(following)
    return found


def worst_delta(rows: list[Row], respondents: int, epsilon: float) -> float:
    """The delta of an epsilon: the largest over all answers of the others, and both answers of one respondent."""
    worst = 0.0
    for others in combinations_with_replacement(rows, respondents - 1):
        sent = [orderless([*others, row]) for row in rows]
        for one, other in permutations(sent, 2):
            excess = (each - exp(epsilon) * other.get(key, 0.0) for key, each in one.items())
            worst = max(worst, sum(max(each, 0.0) for each in excess))
    return worst


def response_rows(design: dict[str, Any]) -> list[Row]:
    """P(questions asked, codes sent | answers), a row for each set of answers to the disguised questions."""
    questions = {each["name"]: each for each in design["questions"] if each["sensitive"]}
    answers = [
        dict(zip(questions, each, strict=True))
        for each in product(*(range(len(each["coding"]["draws"])) for each in questions.values()))
    ]
    draws = _draws(design)
    rows = []
    for given in answers:
        row: list[float] = []
        for asked in draws:
            parts = [_group_row(group, questions, asked, given) for group in design["groups"]]
            row += [float(prod(each)) / len(draws) for each in product(*parts)]
        rows.append(tuple(row))
    return list(dict.fromkeys(rows))


def _draws(design: dict[str, Any]) -> list[set[str]]:
    names = [question["name"] for question in design["questions"]]
    sampling = design.get("sampling") or {"ask": len(names), "always": []}
    others = [name for name in names if name not in sampling["always"]]
    room = sampling["ask"] - len(sampling["always"])
    return [{*sampling["always"], *some} for some in combinations(others, room)]


def _group_row(
    group: dict[str, Any], questions: dict[str, dict[str, Any]], asked: set[str], given: dict[str, int]
) -> list[Fraction]:
    members = [name for name in group["questions"] if name in asked]
    codings = [questions[name]["coding"] for name in members]
    if not members:
        return [Fraction(1)]
    if "truth" in group:
        truth = Fraction(*group["truth"])
    else:
        odds = Fraction(*group["odds"])
        truth = odds / (odds + prod(Fraction(len(each["codes"]), len(each["draws"][0])) for each in codings))
    row = []
    for sent in product(*(each["codes"] for each in codings)):
        own = lie = Fraction(1)
        for name, coding, code in zip(members, codings, sent, strict=True):
            drawn, place = dict(coding["draws"][given[name]]), coding["codes"].index(code)
            whole = sum(drawn.values())
            own *= Fraction(drawn.get(code, 0), whole)
            if group["channel"] == "complement":
                lie *= Fraction(drawn.get(coding["complements"][place], 0), whole)
            else:
                weights = coding.get("replacement") or [1] * len(coding["codes"])
                lie *= Fraction(weights[place], sum(weights))
        row.append(truth * own + (1 - truth) * lie)
    return row
