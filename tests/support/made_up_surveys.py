"""Surveys for property tests: any survey file that the format allows, small enough to be quick.

Some are split questionnaires, with groups of odds and of epsilons, replacements and codes of several values.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from collector.survey.question import KINDS, ORDERED, RESERVED
from collector.survey.survey import PREVIEWS, RESERVED_BEGINNINGS, Survey
from collector.survey_file.survey_file import parse_survey

names = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True).filter(
    lambda name: name not in RESERVED and not name.startswith(RESERVED_BEGINNINGS)
)
texts = (
    st.text(st.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=12)
    .map(str.strip)
    .filter(lambda text: text.isprintable() and text and not text.startswith("#"))
)


FEW = 3  # values, that have codings of their own only if there are more
CODINGS = ["plain", "subsets-2", "projective-2", "cyclotomic-7-3", "thresholds", "replacement", "auto"]


def written(value: Any) -> str:  # noqa: ANN401 - whatever TOML can hold
    """A value as TOML."""
    if isinstance(value, dict):
        return (
            "{ "
            + ", ".join(f"{json.dumps(key, ensure_ascii=False)} = {written(each)}" for key, each in value.items())
            + " }"
        )
    if isinstance(value, list):
        return "[" + ", ".join(written(each) for each in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def as_toml(file: dict[str, Any]) -> str:
    """A survey file: questions as [[questions]] tables, everything else inline."""
    lines = [f"{key} = {written(value)}" for key, value in file.items() if key != "questions"]
    for question in file["questions"]:
        lines += ["[[questions]]", *(f"{key} = {written(value)}" for key, value in question.items())]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class MadeUp:
    """A survey file's text and the survey it compiles to."""

    toml: str
    survey: Survey


@st.composite
def _text(draw: st.DrawFn, languages: list[str]) -> str | dict[str, str]:
    """A text as a survey file writes it: plain, or a table by language."""
    if len(languages) == 1 and draw(st.booleans()):
        return draw(texts)
    return {language: draw(texts) for language in languages}


@st.composite
def _study(draw: st.DrawFn, languages: list[str]) -> dict[str, Any]:
    keys = draw(st.lists(st.sampled_from(["who", "why", "contact", "ethics"]), unique=True))
    study: dict[str, Any] = {key: draw(_text(languages)) for key in keys}
    return study | draw(st.sampled_from([{}, {"minutes": 1}, {"minutes": 600}]))


@st.composite
def _groups(draw: st.DrawFn) -> dict[str, dict[str, str]]:
    groups = {}
    for name in draw(st.lists(names, min_size=1, max_size=3, unique=True)):
        channel = draw(st.sampled_from(["complement", "uniform"]))
        parts = draw(st.integers(1, 20))
        truth = draw(
            st.integers(0, parts).filter(lambda top, channel=channel, parts=parts: _allowed(channel, top, parts))
        )
        groups[name] = {"truth": f"{truth}/{parts}", "channel": channel}
    return groups


def _allowed(channel: str, top: int, parts: int) -> bool:
    return 2 * top != parts if channel == "complement" else top > 0


@st.composite
def _question(draw: st.DrawFn, name: str, groups: dict[str, dict[str, str]], languages: list[str]) -> dict[str, Any]:
    kind = draw(st.sampled_from(KINDS))
    question: dict[str, Any] = {"name": name, "label": draw(_text(languages)), "kind": kind}
    if draw(st.booleans()):
        question["hint"] = draw(_text(languages))
    values = ["yes", "no"]
    if kind == "number":
        cuts = sorted(draw(st.lists(st.integers(-999, 999), min_size=1, max_size=4, unique=True)))
        question |= {"cuts": cuts, "unit": draw(texts), "minimum": cuts[0] - 1.5}
        if draw(st.booleans()):
            question["maximum"] = cuts[-1] + draw(st.sampled_from([0, 0.5]))
        values = [f"<{cuts[0]}", *(f"{a}..{b}" for a, b in pairwise(cuts)), f">={cuts[-1]}"]
    elif kind != "yes_no":
        question["values"] = values = draw(st.lists(texts, min_size=2, max_size=6, unique=True))
    if kind != "number" and draw(st.booleans()):
        words = draw(st.lists(texts, min_size=len(values), max_size=len(values), unique=True))
        question["words"] = {draw(st.sampled_from(languages)): dict(zip(values, words, strict=True))}
    if draw(st.booleans()):
        weights = draw(st.lists(st.integers(1, 40), min_size=len(values), max_size=len(values)))
        question["prior"] = {value: f"{weight}/{sum(weights)}" for value, weight in zip(values, weights, strict=True)}
    home = draw(st.sampled_from([*groups, None]))
    if home is None:
        return question | {"sensitive": False}
    if groups[home]["channel"] == "complement" and draw(st.booleans()):
        question["coding"] = draw(st.sampled_from(["szucs", "balanced"]))
    return question | {"group": home}


@st.composite
def _sampling(draw: st.DrawFn, asked: list[str]) -> dict[str, Any] | None:
    """A part for each respondent, where there are questions enough; in two of three surveys that have them."""
    if len(asked) == 1 or draw(st.integers(0, 2)) == 0:
        return None
    ask = draw(st.integers(1, len(asked)))
    return {"ask": ask, "always": draw(st.lists(st.sampled_from(asked), max_size=ask - 1, unique=True))}


def _strengths(draw: st.DrawFn, group: dict[str, str], members: list[dict[str, Any]], always: list[str] | None) -> None:
    """Give a uniform group what goes with the draw of its questions, codings, and one alone in it an odd disguise."""
    if group["channel"] == "complement":
        return
    missed = always is not None and any(each["name"] not in always for each in members)
    if len(members) > 1 and missed:
        del group["truth"]
        key, most = draw(st.sampled_from([("odds", 300), ("epsilon", 80)]))
        group[key] = f"{draw(st.integers(1, most))}/{draw(st.integers(10, 20))}"
    elif draw(st.booleans()):
        del group["truth"]
        group["epsilon"] = f"{draw(st.integers(1, 80))}/10"
    for own in members:
        values = len(own.get("values", [*own.get("cuts", []), 0]))
        how = draw(st.sampled_from(CODINGS))
        if how == "replacement" and own["kind"] != "number" and len(members) == 1:
            words = own.get("values", ["yes", "no"])
            weights = [draw(st.integers(1, 9)) for _ in words]
            own["replacement"] = {word: f"{weight}/{sum(weights)}" for word, weight in zip(words, weights, strict=True)}
        elif how == "thresholds" and own["kind"] not in ORDERED:
            own["coding"] = "plain"
        elif how != "replacement" and (values > FEW or how in {"plain", "auto"}):
            own["coding"] = how


@st.composite
def made_up_surveys(draw: st.DrawFn, *, split: bool = True) -> MadeUp:
    """Any survey, with the text it came from.

    Args:
        draw: Hypothesis's.
        split: Whether it may be a split questionnaire, and have epsilons, replacements and block codings.
    """
    groups = draw(_groups())
    asked = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    languages = draw(st.sampled_from([["en"], ["ar"], ["en", "ar"], ["pt-BR", "en", "zh-Hans"]]))
    questions = [draw(_question(name, groups, languages)) for name in asked]
    used = {question.get("group") for question in questions}
    sampling = draw(_sampling(asked)) if split else None
    for name, group in groups.items() if split else ():
        members = [question for question in questions if question.get("group") == name]
        if members:
            _strengths(draw, group, members, None if sampling is None else sampling["always"])
    file: dict[str, Any] = {"name": draw(names), "title": draw(_text(languages)), "languages": languages}
    file |= {"groups": {name: group for name, group in groups.items() if name in used}}
    if draw(st.booleans()):
        file["study"] = draw(_study(languages))
        file["preview"] = draw(st.sampled_from(PREVIEWS))
    if sampling is not None:
        file["sampling"] = sampling
    if draw(st.booleans()):
        file["mining"] = {"target": draw(st.sampled_from(asked))}
    toml = as_toml(file | {"questions": questions})
    return MadeUp(toml, parse_survey(toml))


@st.composite
def surveys_with_rows(draw: st.DrawFn) -> tuple[Survey, list[tuple[int | None, ...]]]:
    """Any survey with a few responses to it, as codes."""
    survey = draw(made_up_surveys()).survey
    row = st.tuples(*(st.sampled_from(question.codes) for question in survey.questions))
    rows = draw(st.lists(row, max_size=8))
    return survey, [_as_asked(draw, survey, each) for each in rows]


def _as_asked(draw: st.DrawFn, survey: Survey, row: tuple[int, ...]) -> tuple[int | None, ...]:
    """A row without the codes of questions that one draw leaves out."""
    if survey.sampling is None:
        return row
    names = [question.name for question in survey.questions]
    asked = draw(st.sampled_from([*survey.sampling.draws(names)]))
    return tuple(code if name in asked else None for name, code in zip(names, row, strict=True))
