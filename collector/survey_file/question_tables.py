"""Conversion of ``[[questions]]`` tables of a survey file to plain questions and screens, and back.

For coding, disguise, storage and estimation, the kinds ``multiple``, ``grid``, ``ranking`` and ``date`` are plain
questions. Questions that no ``[[questions]]`` table can describe are written as plain questions with ``[[screens]]``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from collector.conditions.language import written_one_of
from collector.errors import SurveyError, suggestion
from collector.survey.fields import Fields
from collector.survey.question import EXTRAS, NOT_APPLICABLE, YES_NO
from collector.survey.screen import PLAIN, Screen
from collector.survey.text import in_languages
from collector.survey_file.kinds.kind import FLAGS, CompiledScreen, Expanded, QuestionTable, Table
from collector.survey_file.kinds.registry import KINDS
from collector.survey_file.priors import share_text


def expanded(
    tables: Sequence[Fields], raw: Sequence[Any], groups: object, languages: tuple[str, ...], folder: Path | None = None
) -> Expanded:
    """Return the plain questions and screens that replace ``[[questions]]`` tables of all kinds.

    Args:
        tables: Fields of the ``[[questions]]`` tables.
        raw: Content of the ``[[questions]]`` tables as Python values.
        groups: Content of the ``[groups]`` table.
        languages: Languages of the survey.
        folder: Folder with the pictures of the survey.

    Raises:
        SurveyError: If a table is not valid.
    """
    found = Expanded(groups=dict(groups) if isinstance(groups, dict) else None)
    for fields, table in zip(tables, raw, strict=True):
        expand(QuestionTable(fields, dict(table), languages, found, folder))
    if found.groups is not None and isinstance(groups, dict):
        used = {name for each in found.questions for name in [each.get("group")] if isinstance(name, str)}
        made = [key for key in used if key not in groups]
        copied = {name for name in groups if any(key.startswith(f"{name}_") for key in made)}
        found.groups = {name: each for name, each in found.groups.items() if name in used or name not in copied}
    return found


def expand(table: QuestionTable) -> None:
    """Add the plain questions and the screen of a ``[[questions]]`` table to those of earlier tables.

    Raises:
        SurveyError: If the table is not valid.
    """
    kind, name, found = table.left.get("kind"), table.left.get("name"), table.found
    if isinstance(kind, str) and kind not in KINDS:
        raise SurveyError(table.fields.within("kind"), "there is no question of this kind", suggestion(kind, KINDS))
    if not isinstance(name, str) or not isinstance(kind, str):
        found.questions.append(table.left)  # to be refused where plain questions are read
        return
    table.take_common(pictured=KINDS[kind].pictured)
    made = KINDS[kind].read(table)
    found.parts[name] = [each["name"] for each in made]
    found.questions += made
    if table.screen != Screen(()):
        found.screens.append(replace(table.screen, questions=tuple(found.parts[name])))


@dataclass
class Folded:
    """The tables of a survey file that describe its questions, groups and screens.

    Attributes:
        questions: Content of the ``[[questions]]`` tables.
        groups: Content of the ``[groups]`` table.
        screens: Screens that no ``[[questions]]`` table describes.
    """

    questions: list[Table]
    groups: dict[str, Any]
    screens: list[Screen]


def folded(
    plain: Sequence[Table], groups: Mapping[str, Any], screens: Sequence[Screen], care: Mapping[str, int]
) -> Folded:
    """Return the tables of a survey file that describe plain questions and screens.

    Args:
        plain: Table of each plain question.
        groups: Content of ``[groups]``.
        screens: Screens in survey order.
        care: Number for some questions: 1 if the prior must name the extra values, 2 if it must stay plain.
    """
    found = Folded([], dict(groups), [])
    first = {screen.questions[0]: screen for screen in screens}
    later = {name for screen in screens for name in screen.questions[1:]}
    by_name = {table["name"]: table for table in plain}
    for table in plain:
        if table["name"] in later:
            continue
        screen = first.get(table["name"])
        members = [by_name[name] for name in screen.questions] if screen else [table]
        most = max(care.get(each["name"], 0) for each in members)
        made = None if most > 1 else _table(screen or Screen(()), members, found.groups, short=not most)
        found.questions += members if made is None else [made]
        found.screens += [screen] if made is None and screen else []
    return found


def _table(screen: Screen, members: Sequence[Table], groups: dict[str, Any], *, short: bool) -> Table | None:
    """Return the ``[[questions]]`` table that describes a screen and its questions, or None."""
    bare = [_without_extras(each, short=short) for each in members]
    extras, asked = bare[0][1], [written_one_of(*each) for each in screen.ask_if]
    if (NOT_APPLICABLE in extras) != bool(asked) or any(each != extras for _, each in bare):
        return None
    kind = bare[0][0]["kind"] if screen.kind == PLAIN else screen.kind
    table = KINDS[kind].write(CompiledScreen(screen, [each for each, _ in bare], extras, groups))
    if table is None:
        return None
    table |= {FLAGS[extra]: True for extra in extras if extra in FLAGS}
    table |= {} if screen.section is None else {"section": in_languages(screen.section)}
    if screen.picture is not None:
        table |= {"picture": screen.picture.name, "picture_text": in_languages(screen.picture.text)}
    if screen.pictures:
        table.setdefault("pictures", {answer: picture.name for answer, picture in screen.pictures})
    table |= {"ask_if": " and ".join(asked)} if asked else {}
    return table | ({"shuffle": True} if screen.shuffle else {})


def _without_extras(table: Table, *, short: bool) -> tuple[Table, list[str]]:
    """Return a question's table without extra values (`EXTRAS`), and the names of these extra values."""
    values = table.get("values", [])
    extras = [value for value in values if value in EXTRAS]
    base = values[: len(values) - len(extras)]
    if not extras or base + sorted(extras, key=EXTRAS.index) != values:
        return table, []
    bare = table | {"values": base}
    if short:
        prior = bare.pop("prior")
        shares = {value: Fraction(str(prior[value])) for value in base}
        if len(set(shares.values())) > 1:
            bare["prior"] = {value: share_text(each / sum(shares.values())) for value, each in shares.items()}
    if "words" in table:
        bare["words"] = {
            tag: {value: word for value, word in words.items() if value not in extras or word != value}
            for tag, words in table["words"].items()
        }
    if tuple(base) == YES_NO and table["kind"] == "choice":
        del bare["values"]
        bare["kind"] = "yes_no"
    return bare, extras
