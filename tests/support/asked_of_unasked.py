"""Designs that ask a question of some people who were not asked another, and what follows from them by enumeration.

Everything is computed from the published JSON, one person and one coin at a time: nothing of `collector.survey.routing`
or of the packages' formulas is used.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey

Row = tuple[str, ...]
Codes = tuple[int, ...]
HEAD = 'name = "unasked"\ntitle = "U"\nlanguages = ["en"]\n'
UNASKED = "not_applicable"


def _question(name: str, more: str, group: str = "", kind: str = "yes_no") -> str:
    home = f'group = "{group or name}"' if group != "open" else "sensitive = false"
    return f'[[questions]]\nname = "{name}"\nlabel = "{name}?"\nkind = "{kind}"\n{home}\n{more}\n'


def _survey(*questions: str, **groups: str) -> Survey:
    coins = "\n".join(f"{name} = {{ {how} }}" for name, how in groups.items())
    return parse_survey(f"{HEAD}{''.join(questions)}[groups]\n{coins}\n")


FLIP, DRAW = 'truth = "4/5"', 'truth = "2/3", channel = "uniform"'
GATE = _question("gate", "prior = { yes = 0.3, no = 0.7 }")
SCALE = 'values = ["low", "mid", "high"]\nprior = { low = 0.5, mid = 0.3, high = 0.2 }'
DESIGNS: dict[str, Survey] = {
    "listed": _survey(
        GATE,
        _question("daily", 'ask_if = "gate = yes"'),
        _question("vape", 'ask_if = "daily in (no, not_applicable)"\nprior = { yes = 0.25, no = 0.75 }'),
        gate=FLIP,
        daily=DRAW,
        vape=FLIP,
    ),
    "not, three levels": _survey(
        GATE,
        _question("daily", f'{SCALE}\nask_if = "gate = yes"', kind="scale"),
        _question("vape", 'ask_if = "not daily = high"'),
        _question("mint", 'ask_if = "not vape = yes"\nprior = { yes = 0.1, no = 0.9 }'),
        gate=FLIP,
        daily=DRAW,
        vape=FLIP,
        mint=DRAW,
    ),
    "only those who were not asked": _survey(
        GATE,
        _question("daily", 'ask_if = "gate = yes"'),
        _question("vape", 'ask_if = "daily = not_applicable"'),
        _question("mint", 'ask_if = "vape = yes"'),
        gate=DRAW,
        daily=DRAW,
        vape=FLIP,
        mint=FLIP,
    ),
    "two parents": _survey(
        GATE,
        _question("daily", 'ask_if = "gate = yes"'),
        _question("rolls", 'ask_if = "gate = no"\nprior = { yes = 0.6, no = 0.4 }'),
        _question("vape", 'ask_if = "not daily = yes and rolls in (no, not_applicable)"'),
        gate=FLIP,
        daily=DRAW,
        rolls=FLIP,
        vape=DRAW,
    ),
    "one coin": _survey(
        _question("gate", "prior = { yes = 0.3, no = 0.7 }", "g"),
        _question("daily", 'ask_if = "gate = yes"', "h"),
        _question("vape", 'ask_if = "not daily = yes"', "g"),
        g=DRAW,
        h=FLIP,
    ),
    "one coin that flips": _survey(
        _question("gate", "prior = { yes = 0.3, no = 0.7 }", "g"),
        _question("daily", 'ask_if = "gate = yes"', "g"),
        _question("vape", 'ask_if = "not daily = yes"', "g"),
        g=FLIP,
    ),
    "the parent sends that it was not asked": _survey(
        GATE,
        _question("daily", 'ask_if = "gate = yes"\nunasked = "sent"'),
        _question("vape", 'ask_if = "not daily = yes"'),
        _question("mint", 'ask_if = "vape in (no, not_applicable)"'),
        gate=DRAW,
        daily=DRAW,
        vape=DRAW,
        mint=FLIP,
    ),
    "it sends that it was not asked": _survey(
        GATE,
        _question("daily", 'ask_if = "gate = yes"'),
        _question("vape", 'ask_if = "not daily = yes"\nunasked = "sent"'),
        gate=DRAW,
        daily=DRAW,
        vape=DRAW,
    ),
    "an open gate": _survey(
        _question("gate", "prior = { yes = 0.3, no = 0.7 }", "open"),
        _question("daily", 'ask_if = "gate = yes"'),
        _question("vape", 'ask_if = "not daily = yes"'),
        daily=DRAW,
        vape=FLIP,
    ),
    "options": _survey(
        GATE,
        _question("kinds", 'options = { a = "A", b = "B" }\nask_if = "gate = yes"\ncoins = "own"', kind="multiple"),
        _question("vape", 'ask_if = "not kinds_a = yes"'),
        gate=FLIP,
        kinds=DRAW,
        vape=FLIP,
    ),
    "options that are one question": _survey(
        GATE,
        _question("kinds", 'options = { a = "A", b = "B" }\nask_if = "gate = yes"\nleast = 1', kind="multiple"),
        _question("vape", 'ask_if = "not kinds has a"'),
        gate=DRAW,
        kinds=DRAW,
        vape=FLIP,
    ),
    "a grid": _survey(
        GATE,
        _question(
            "moods",
            'statements = { a = "A", b = "B" }\nvalues = ["low", "high"]\nask_if = "gate = yes"\ncoins = "own"',
            kind="grid",
        ),
        _question("vape", 'ask_if = "not moods_b = high"'),
        gate=FLIP,
        moods=DRAW,
        vape=DRAW,
    ),
}

OPENED = {
    "two open gates": _survey(
        _question("gate", "prior = { yes = 0.3, no = 0.7 }", "open"),
        _question("side", 'ask_if = "gate = yes"', "open"),
        _question("daily", 'ask_if = "gate = yes and side = yes"'),
        _question("vape", 'ask_if = "not daily = yes"\nprior = { yes = 0.2, no = 0.8 }'),
        daily=DRAW,
        vape=FLIP,
    )
}


def people(survey: Survey) -> dict[Row, Fraction]:
    """Every set of answers that the page can take, with its chance by the priors of those who are asked."""
    conditions = _conditions(survey.design)
    found: dict[Row, Fraction] = {(): Fraction(1)}
    for question in survey.design["questions"]:
        shares = {
            value: Fraction(*share)
            for value, share in zip(question["values"], question["prior"], strict=True)
            if value != UNASKED
        }
        asked = sum(shares.values())
        wider: dict[Row, Fraction] = {}
        for row, chance in found.items():
            answers = dict(zip(_names(survey), row, strict=False))
            if all(answers[parent] in wanted for parent, wanted in conditions.get(question["name"], [])):
                wider |= {(*row, value): chance * share / asked for value, share in shares.items()}
            else:
                wider[*row, UNASKED] = chance
        found = wider
    return found


def _names(survey: Survey) -> list[str]:
    return [question["name"] for question in survey.design["questions"]]


def _conditions(design: dict[str, Any]) -> dict[str, list[tuple[str, list[str]]]]:
    return {name: screen.get("ask_if", []) for screen in design.get("screens", []) for name in screen["questions"]}


def sent(survey: Survey, row: Row) -> dict[Codes, Fraction]:
    """Every response that a person may send, with its chance."""
    questions = survey.design["questions"]
    at = {question["name"]: number for number, question in enumerate(questions)}
    grouped = [group["questions"] for group in survey.design["groups"]]
    loose = [[name] for name in at if not any(name in names for names in grouped)]
    truths = [Fraction(*group["truth"]) for group in survey.design["groups"]] + [Fraction(1)] * len(loose)
    channels = [group["channel"] for group in survey.design["groups"]] + [""] * len(loose)
    found: dict[tuple[tuple[int, int], ...], Fraction] = {(): Fraction(1)}
    for names, truth, channel in zip([*grouped, *loose], truths, channels, strict=True):
        part: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        for share, turned in ((truth, False), (1 - truth, True)):
            ways = [_codes(questions[at[name]], row[at[name]], channel if turned else "") for name in names]
            for outcome in product(*(way.items() for way in ways)) if share else ():
                part[tuple(code for code, _ in outcome)] += share * prod(chance for _, chance in outcome)
        places = [at[name] for name in names]
        found = {
            (*codes, *zip(places, more, strict=True)): chance * each
            for codes, chance in found.items()
            for more, each in part.items()
        }
    return {tuple(code for _, code in sorted(codes)): chance for codes, chance in found.items()}


def _codes(question: dict[str, Any], value: str, replaced: str) -> dict[int, Fraction]:
    coding = question["coding"]
    draws = coding["draws"][question["values"].index(value)]
    own = {code: Fraction(weight, sum(each for _, each in draws)) for code, weight in draws}
    if replaced == "uniform":
        assert not coding.get("replacement")
        return {code: Fraction(1, len(coding["codes"])) for code in coding["codes"]}
    if replaced == "complement":
        partner = dict(zip(coding["codes"], coding["complements"], strict=True))
        return {partner[code]: chance for code, chance in own.items()}
    return own


def joint(survey: Survey) -> dict[Codes, dict[Row, Fraction]]:
    """The chance of each response together with each set of answers behind it."""
    found: dict[Codes, dict[Row, Fraction]] = defaultdict(dict)
    for row, chance in people(survey).items():
        for codes, each in sent(survey, row).items():
            found[codes][row] = chance * each
    return dict(found)


def surest(survey: Survey, column: int, values: set[str]) -> tuple[Fraction, Fraction]:
    """The chance of some values of a question, and the largest after any response."""
    before, after = Fraction(0), Fraction(0)
    for rows in joint(survey).values():
        part = sum((chance for row, chance in rows.items() if row[column] in values), start=Fraction(0))
        before, after = before + part, max(after, part / sum(rows.values()))
    return before, after


def all_responses(survey: Survey) -> tuple[np.ndarray, np.ndarray]:
    """Every response, and how often it is sent of all."""
    found = {codes: sum(rows.values()) for codes, rows in joint(survey).items()}
    return np.array(list(found), np.int16), np.array([float(share) for share in found.values()])
