"""Question kinds of the survey file that are made of others: each becomes plain question tables and a screen.

So a multiple, a grid, a ranking or a date is coded, disguised, stored and estimated as ordinary questions are. "Prefer
not to say", a skipped question and one that does not apply are values, disguised like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

from collector.errors import SurveyError, suggestion
from collector.survey.condition import Condition, conditions_in
from collector.survey.fields import Fields
from collector.survey.question import DECLINED, NOT_APPLICABLE, SKIPPED, YES_NO, check_name, interval_labels
from collector.survey.question import KINDS as ONE_EACH
from collector.survey.screen import (
    DATE,
    GRID,
    MOST_RANKED,
    MULTIPLE,
    NUMBER,
    PLAIN,
    RANKING,
    TOGETHER,
    WITHOUT_PICTURES,
    Screen,
    rankings,
)
from collector.survey.text import Text, read_optional_text, read_text, read_unit
from collector.survey_file.naming import item_names
from collector.survey_file.picture_file import read_picture, read_pictures
from collector.survey_file.priors import chance_of, ticked, values_above, with_extras
from collector.survey_file.ticked import having, is_combined, of_combinations, values_of, without_complement

KINDS = (*ONE_EACH, MULTIPLE, GRID, RANKING, DATE)
PARTS = {MULTIPLE: "options", GRID: "statements", RANKING: "items"}
COINS = ("one", "own")


@dataclass
class Expanded:
    """The tables of a survey file with plain questions only, and what is asked together.

    Attributes:
        questions: Raw ``[[questions]]`` tables of the kinds that a design has.
        groups: The raw ``[groups]``; None where there are none.
        screens: In survey order.
        parts: Names of the questions that each table became, where it became several.
    """

    questions: list[Any] = field(default_factory=list)
    groups: dict[str, Any] | None = None
    screens: list[Screen] = field(default_factory=list)
    parts: dict[str, list[str]] = field(default_factory=dict)

    def whole(self, names: Sequence[Any]) -> list[Any]:
        """These names, with the questions of a table in place of its own."""
        return [each for name in names for each in self.parts.get(name if isinstance(name, str) else "", [name])]


def expanded(
    tables: Sequence[Fields], raw: Sequence[Any], groups: object, languages: tuple[str, ...], folder: Path | None = None
) -> Expanded:
    """Replace the tables of kinds that are made of others.

    Args:
        tables: The ``[[questions]]``, with their places.
        raw: The same as they were read.
        groups: The ``[groups]`` as they were read.
        languages: Languages of the survey.
        folder: Where its pictures are.

    Raises:
        SurveyError: Naming the place.
    """
    found = Expanded(groups=dict(groups) if isinstance(groups, dict) else None)
    for fields, table in zip(tables, raw, strict=True):
        QuestionTable(fields, dict(table), languages, found, folder).expand()
    if found.groups is not None and isinstance(groups, dict):
        used = {name for each in found.questions for name in [each.get("group")] if isinstance(name, str)}
        copied = {name for name in groups if any(key.startswith(f"{name}_") and key not in groups for key in used)}
        found.groups = {name: each for name, each in found.groups.items() if name in used or name not in copied}
    return found


@dataclass
class QuestionTable:
    """One ``[[questions]]`` table, with those above it."""

    fields: Fields
    table: dict[str, Any]
    languages: tuple[str, ...]
    found: Expanded
    folder: Path | None
    conditions: tuple[Condition, ...] = ()
    items: dict[str, Text] = field(default_factory=dict)
    coins: str | None = None

    def expand(self) -> None:
        """Add its questions, and its screen if it needs one."""
        kind, name = self.table.get("kind"), self.table.get("name")
        if isinstance(kind, str) and kind not in KINDS:
            raise SurveyError(self.fields.within("kind"), "there is no such kind", suggestion(kind, KINDS))
        if not isinstance(name, str) or not isinstance(kind, str):
            self.found.questions.append(self.table)  # to be refused where plain questions are read
            return
        taken = self._taken(str(kind))
        screen, extras = self._screen(str(kind), taken), self._extras(taken)
        together = replace(screen, items=tuple(self.items.items()))
        if kind == MULTIPLE and is_combined(self.table, self.coins, together, extras):
            screen, made = self._combined(together, extras)
        else:
            made = self._questions(str(kind), screen, extras)
        if kind in TOGETHER:
            self.found.parts[name] = [each["name"] for each in made]
        self.found.questions += made
        if screen != Screen((), PLAIN):
            self.found.screens.append(replace(screen, questions=tuple(each["name"] for each in made)))

    def _taken(self, kind: str) -> Fields:
        """The keys that a plain question does not have, taken out of the table."""
        keys = {"section", "ask_if", "shuffle", "decline", "optional", "picture", "picture_text", "pictures"}
        keys |= {"label", "hint", "least", "most", "none", "coins", PARTS[kind]} if kind in TOGETHER else set()
        keys |= {"items"} if kind == RANKING else {"cuts", "minimum", "maximum"} if kind == DATE else set()
        if kind == NUMBER and self.table.keys() & {"ask_if"} | {
            key for key in ("decline", "optional") if self.table.get(key)
        }:
            keys |= {"cuts", "minimum", "maximum", "unit"}
        kept = {key: self.table.pop(key) for key in keys & self.table.keys()}
        if kept.get("pictures") and kind in {NUMBER, GRID, RANKING, DATE}:  # before their files are asked for
            raise SurveyError(self.fields.within("pictures"), *WITHOUT_PICTURES)
        return Fields(kept, self.fields.place)

    def _extras(self, taken: Fields) -> list[str]:
        flags = {DECLINED: "decline", SKIPPED: "optional"}
        extras = [value for value, key in flags.items() if taken.take_optional(key, bool)]
        self.coins = taken.take_optional("coins", str)
        if self.coins not in {None, *COINS}:
            raise SurveyError(taken.within("coins"), "there are no such coins", 'say "one" or "own"')
        taken.finish()
        return [*extras, *([NOT_APPLICABLE] if self.conditions else [])]

    def _screen(self, kind: str, taken: Fields) -> Screen:
        """All that the page has to know; without the names of its questions."""
        asked = taken.take_optional("ask_if", str)
        self.conditions = () if asked is None else conditions_in(asked, taken.within("ask_if"), self._values)
        names = {name for name, _ in self.conditions}
        for gate in [each for each in self.found.questions if each.get("name") in names]:
            if gate.get("kind") == NUMBER or len(gate.get("values") or ()) > len(YES_NO):
                without_complement(self.found.groups, gate)  # it would rule the condition out, or all but it
        said: dict[str, Any] = {
            key: read_optional_text(taken, key, self.languages) for key in ("section", "hint", "none")
        }
        said["picture"] = read_picture(taken, "picture", self.languages, self.folder)
        if kind in TOGETHER:
            said["label"] = read_text(taken, "label", self.languages)
        self.items = self._items(taken, PARTS[kind]) if kind in PARTS else {}
        least, most = (taken.take_optional(key, int) for key in ("least", "most"))
        pictures, before = read_pictures(taken, "pictures", self.folder), ""
        if kind == MULTIPLE:
            self._check_limits(taken, least, most)
            before = f"{self.table['name']}_"
            if (wrong := next((each for each in pictures if each not in self.items), None)) is not None:
                place = taken.within("pictures")
                raise SurveyError(place, f'"{wrong}" is none of the options', suggestion(wrong, self.items))
        said["pictures"] = tuple((f"{before}{answer}", picture) for answer, picture in pictures.items())
        said |= {"least": least, "most": most}
        said |= {"shuffle": taken.take_optional("shuffle", bool) or False, "ask_if": self.conditions}
        cuts, low, high = (taken.take_optional_any(key) for key in ("cuts", "minimum", "maximum"))
        unit = read_unit(taken)
        if kind == DATE:
            cuts, low, high = self._days(taken, cuts), *(self._days(taken, [each])[0] for each in (low, high))
        elif isinstance(cuts, list):
            cuts, low, high = self._numbers(taken, cuts), *(self._numbers(taken, [each])[0] for each in (low, high))
        if isinstance(cuts, list) and cuts:
            said |= {"cuts": tuple(cuts), "minimum": low, "maximum": high, "unit": unit}
        elif kind == DATE:
            raise SurveyError(taken.within("cuts"), "there are none", "write a list of days")
        items = tuple(self.items.items()) if kind == RANKING else ()
        return Screen((), kind if kind in PARTS or cuts else PLAIN, items=items, **said)

    @staticmethod
    def _numbers(taken: Fields, numbers: Sequence[object]) -> list[float | None]:
        return [taken.number_of("cuts", each) for each in numbers]

    @staticmethod
    def _days(taken: Fields, days: object) -> list[str | None]:
        for day in days if isinstance(days, list) else [days]:
            if day is not None and type(day) is not date:
                raise SurveyError(
                    taken.within("cuts"), "cuts and bounds of a date are days", "write them as 2026-12-31"
                )
        return [None if day is None else day.isoformat() for day in days or ()] if isinstance(days, list) else []

    def _items(self, taken: Fields, key: str) -> dict[str, Text]:
        """Names and texts; of a list of texts the names are made from these."""
        given = taken.take_any(key, 'such as { pay = "Pay", time = "Time" } or ["Pay", "Time"]')
        place = taken.within(key)
        if not isinstance(given, dict | list):
            raise SurveyError(place, "it is neither a table nor a list", 'write { pay = "Pay" } or ["Pay"]')
        if isinstance(given, list):
            texts = taken.all_of(key, given, str)
            same = [Text.of(dict.fromkeys(self.languages, text)) for text in texts]
            items = dict(zip(item_names(texts, str(self.table["name"])), same, strict=True))
        else:
            inner = Fields(given, place)
            items = {name: read_text(inner, name, self.languages) for name in given}
        for name in items:
            check_name(name, f"{place}, {name}")
        if len(items) < 2:  # two to choose between
            raise SurveyError(place, f"there are {len(items)} of them", "give 2 or more")
        if key == PARTS[RANKING] and len(items) > MOST_RANKED:
            remedy = f'ask for {MOST_RANKED} at most, or which are most important: kind = "multiple" with most = 3'
            raise SurveyError(place, f"{len(items)} items have more orders than a disguise can hide among", remedy)
        read = [pair for text in items.values() for pair in text.pairs]
        if len(set(read)) < len(read):
            raise SurveyError(place, "two of them read the same", "give each its own words")
        return items

    def _check_limits(self, taken: Fields, least: int | None, most: int | None) -> None:
        count = len(self.items)
        if not 0 <= (least or 0) <= (count if most is None else most) <= count:
            place = taken.within("least" if most is None else "most")
            raise SurveyError(place, f"there are {count} options", f"let 0 <= least <= most <= {count}")

    def _questions(self, kind: str, screen: Screen, extras: list[str]) -> list[dict[str, Any]]:
        """The plain tables that it becomes."""
        if kind == RANKING:
            return [self._with(extras, self.table | {"kind": "choice", "values": list(rankings(list(self.items)))})]
        if screen.cuts:
            values = {"kind": "scale", "values": list(interval_labels(screen.cuts))}
            return [self._with(extras, self.table | values)]
        if kind not in TOGETHER:
            return [self._with(extras, self.table)]
        return [self._part(kind, name, text, extras) for name, text in self.items.items()]

    def _combined(self, screen: Screen, extras: list[str]) -> tuple[Screen, list[dict[str, Any]]]:
        """The screen and the one question of a multiple whose values are combinations."""
        groups = self.found.groups
        values = values_of(screen, extras, self.fields, grouped=groups is not None)
        table = self.table | {"kind": "choice", "values": list(values)}
        if "prior" in table:
            table["prior"] = of_combinations(values, list(self.items), table["prior"], self.fields)
        for key, text in (("label", screen.label), ("hint", screen.hint)):
            if text is not None:
                table[key] = text.design if len(self.languages) > 1 else text[self.languages[0]]
        without_complement(groups, table)  # which would leave two combinations
        before = f"{table['name']}_"
        pictures = tuple((answer.removeprefix(before), picture) for answer, picture in screen.pictures)
        return replace(screen, label=None, hint=None, pictures=pictures), [self._with(extras, table)]

    def _values(self, name: str, option: str | None) -> tuple[str, ...]:
        if option is None:
            return values_above(self.found.questions, self.fields.within("ask_if"), name)
        return having(self.found.screens, self.found.questions, self.fields.within("ask_if"), name, option)

    def _part(self, kind: str, item: str, text: Text, extras: list[str]) -> dict[str, Any]:
        """The question of one option, or of one statement."""
        table = dict(self.table) | {"name": f"{self.table['name']}_{item}", "label": text.design}
        if len(self.languages) == 1:
            table["label"] = text[self.languages[0]]
        if kind == MULTIPLE:
            table["kind"] = "yes_no"
            shares = table.pop("prior", None)
            table |= {} if shares is None else {"prior": ticked(shares, item, list(self.items), self.fields)}
        elif "values" in table:
            table["kind"] = "scale"
        group = table.get("group")
        if self.coins == "own":
            if self.found.groups is None or group not in self.found.groups:
                problem = "it makes a group of each answer from the settings of its group, and there is none"
                raise SurveyError(self.fields.within("coins"), problem, "declare the group, or drop coins")
            table["group"] = f"{group}_{item}"
            self.found.groups[table["group"]] = self.found.groups[str(group)]
        return self._with(extras, table)

    def _with(self, extras: Sequence[str], table: dict[str, Any]) -> dict[str, Any]:
        """The table with values for those who decline, skip, or are not asked, behind the others and their order."""
        if not extras:
            return table
        said = Fields({"values": table.get("values") or []}, self.fields.place)
        values = list(YES_NO) if table["kind"] == "yes_no" else said.take_list("values", str)
        words = table.get("words")
        if isinstance(words, dict):
            each = {tag: said | {extra: said.get(extra, extra) for extra in extras} for tag, said in words.items()}
            table = table | {"words": each}
        prior = with_extras(values, extras, table.get("prior"), self.fields, self._unasked)
        kind = "scale" if table["kind"] == "scale" else "choice"
        return table | {"kind": kind, "values": [*values, *extras], "prior": prior}

    def _unasked(self) -> Fraction:
        """The share of those who are not asked it, under the priors of the questions it depends on."""
        asked = (chance_of(each, self.found.questions, self.fields.within("ask_if")) for each in self.conditions)
        return 1 - prod(asked, start=Fraction(1))
