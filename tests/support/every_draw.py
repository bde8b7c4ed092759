"""Every response that one respondent may send, with its probability: over the draw of questions, codes and coins."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np

from benchmarks.exact_table import states, transition_of
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.responses.responses import NOT_ASKED, Responses

Sent = dict[tuple[int, ...], Fraction]

HEAD = 'name = "split"\ntitle = "Split"\nlanguages = ["en"]\n'
YES_NO = 'kind = "yes_no"'
THREE = 'kind = "choice"\nvalues = ["a", "b", "c"]'
SEVEN = 'kind = "choice"\nvalues = ["a", "b", "c", "d", "e", "f", "g"]\ncoding = "projective-2"'
FOUR = 'kind = "choice"\nvalues = ["a", "b", "c", "d"]\ncoding = "subsets-2"'
EITHER = 'kind = "choice"\nvalues = ["a", "b", "c"]\ncoding = "subsets-2"'
SCALE = 'kind = "scale"\nvalues = ["a", "b", "c"]\ncoding = "thresholds"'
FORCED = 'kind = "choice"\nvalues = ["a", "b", "c"]\nreplacement = { a = "1/2", b = "1/3", c = "1/6" }'


def split_survey(ask: int, always: list[str], groups: dict[str, str], *questions: tuple[str, str]) -> Survey:
    """A split questionnaire of questions q0, q1, ... given as (kind and values, group; none if it is sent as it is)."""
    tables = [
        f'[[questions]]\nname = "q{number}"\nlabel = "Q?"\n{what}\n'
        + (f'group = "{group}"' if group else "sensitive = false")
        for number, (what, group) in enumerate(questions)
    ]
    lines = ["[groups]", *(f"{group} = {{ {how} }}" for group, how in groups.items())]
    sampling = ["[sampling]", f"ask = {ask}", f"always = {always}".replace("'", '"')]
    return parse_survey("\n".join([HEAD, *tables, *lines, *sampling]))


def designs() -> dict[str, Survey]:
    """Small split questionnaires of every channel and coding."""
    complement = 'truth = "4/5"'
    return {
        "complement groups, the class always": split_survey(
            3,
            ["q3"],
            {"a": complement, "b": 'truth = "3/10"'},
            (THREE, "a"),
            (YES_NO, "a"),
            (YES_NO, ""),
            (YES_NO, "b"),
        ),
        "one coin for all that is asked": split_survey(
            2, [], {"a": 'odds = "7/2", channel = "uniform"'}, (THREE, "a"), (YES_NO, "a"), (YES_NO, "a")
        ),
        "one coin for some, the class with it": split_survey(
            3,
            ["q0"],
            {"a": 'odds = "5", channel = "uniform"', "b": complement},
            (YES_NO, "a"),
            (THREE, "a"),
            (YES_NO, "b"),
            (YES_NO, ""),
        ),
        "replacements as published, and codes of several values": split_survey(
            2,
            [],
            {"a": 'truth = "1/2", channel = "uniform"', "b": 'truth = "2/3", channel = "uniform"'},
            (FORCED, "a"),
            (SEVEN, "b"),
            (YES_NO, ""),
        ),
        "codes of several values under one coin for all that is asked": split_survey(
            2, [], {"a": 'odds = "7/2", channel = "uniform"'}, (FOUR, "a"), (YES_NO, "a"), (EITHER, "a")
        ),
        "codes of several values under one coin for what everybody is asked": split_survey(
            3,
            ["q0", "q1"],
            {"a": 'truth = "2/5", channel = "uniform"', "b": complement},
            (FOUR, "a"),
            (YES_NO, "a"),
            (YES_NO, "b"),
            (YES_NO, ""),
        ),
        "thresholds of a scale, with a coin of their own and under one with others": split_survey(
            3,
            ["q0"],
            {"a": 'truth = "2/5", channel = "uniform"', "b": 'odds = "5/2", channel = "uniform"'},
            (SCALE, "a"),
            (SCALE, "b"),
            (YES_NO, "b"),
            (YES_NO, "b"),
        ),
    }


def sent_by(survey: Survey, values: tuple[int, ...]) -> Iterator[tuple[tuple[str, ...], Sent]]:
    """Possible responses, with chances, for these values, by draw of questions; all draws are equally likely."""
    names = [question.name for question in survey.questions]
    draws = survey.sampling.draws(names) if survey.sampling else iter([tuple(names)])
    for asked in draws:
        found: Sent = {}
        for codes, likely in _coded(survey, values, asked):
            for row, chance in _disguised(survey, codes, asked):
                found[row] = found.get(row, Fraction(0)) + likely * chance
        yield asked, found


def _coded(
    survey: Survey, values: tuple[int, ...], asked: tuple[str, ...]
) -> Iterator[tuple[dict[str, int], Fraction]]:
    questions = [survey.question(name) for name in asked]
    places = [[each.name for each in survey.questions].index(name) for name in asked]
    options = [
        each.coding.draw_probabilities(values[place]).items() for each, place in zip(questions, places, strict=True)
    ]
    for drawn in product(*options):
        codes = {name: code for name, (code, _) in zip(asked, drawn, strict=True)}
        yield codes, prod((chance for _, chance in drawn), start=Fraction(1))


def _disguised(
    survey: Survey, codes: dict[str, int], asked: tuple[str, ...]
) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    parts = []
    for group in survey.groups:
        members = [each for each in survey.members(group) if each.name in asked]
        if members:
            codings = [each.coding for each in members]
            row = transition_of(survey.channel_at(group, asked), codings)[
                states(codings).index(tuple(codes[each.name] for each in members))
            ]
            parts.append(
                [
                    (dict(zip([each.name for each in members], sent, strict=True)), chance)
                    for sent, chance in zip(states(codings), row, strict=True)
                    if chance
                ]
            )
    for together in product(*parts):
        sent = {**codes}
        for part, _ in together:
            sent |= part
        row = tuple(sent.get(question.name, NOT_ASKED) for question in survey.questions)
        yield row, prod((chance for _, chance in together), start=Fraction(1))


def responses_of(survey: Survey, sent: Sent) -> tuple[Responses, np.ndarray]:
    """Responses for all that may be sent, and their probabilities."""
    return Responses(survey, np.array(list(sent), np.int16)), np.array([float(each) for each in sent.values()])


def truths(survey: Survey) -> Iterator[tuple[int, ...]]:
    """Every combination of values."""
    return product(*(range(len(question.values)) for question in survey.questions))
