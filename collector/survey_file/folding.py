"""The question tables that people write for compiled questions and screens: the inverse of the module `kinds`.

What no such table can say is left as it is: plain questions, with the ``[[screens]]`` of the published design.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

from collector.survey.condition import condition_text
from collector.survey.question import DECLINED, EXTRAS, NAME, NOT_APPLICABLE, RESERVED, SKIPPED, YES_NO
from collector.survey.screen import DATE, INTERVALS, MULTIPLE, NUMBER, PLAIN, Screen
from collector.survey.text import Text, as_written
from collector.survey_file.kinds import PARTS

LONGEST_DECIMAL = 20  # digits that a survey file may have
FLAGS = {DECLINED: "decline", SKIPPED: "optional"}
EACH_ITS = ("name", "label", "group", "prior", "kind", "values")  # of the members of a table
Table = dict[str, Any]


@dataclass
class Folded:
    """Tables of a survey file.

    Attributes:
        questions: The ``[[questions]]``.
        groups: The ``[groups]``.
        screens: The screens that no table describes.
    """

    questions: list[Table]
    groups: dict[str, Any]
    screens: list[Screen]


def folded(
    plain: Sequence[Table], groups: Mapping[str, Any], screens: Sequence[Screen], care: Mapping[str, int]
) -> Folded:
    """Put together what is asked together, and say what a value for those who are not asked comes from.

    Args:
        plain: A table for each question, with the prior of each that has values of `EXTRAS`.
        groups: The ``[groups]``.
        screens: In survey order.
        care: By question, 1 where its prior has to name the values of `EXTRAS`, 2 where it has to stay as it is.
    """
    found = Folded([], dict(groups), [])
    first = {screen.questions[0]: screen for screen in screens}
    later = {name for screen in screens for name in screen.questions[1:]}
    by_name = {table["name"]: table for table in plain}
    for table in plain:
        screen = first.get(table["name"])
        members = [by_name[name] for name in screen.questions] if screen else [table]
        if table["name"] in later:
            continue
        most = max(care.get(each["name"], 0) for each in members)
        made = None if most > 1 else _table(screen or Screen((), PLAIN), members, found, short=not most)
        found.questions += members if made is None else [made]
        found.screens += [screen] if made is None and screen else []
    return found


def _table(screen: Screen, members: Sequence[Table], found: Folded, *, short: bool) -> Table | None:
    """The table that becomes this screen; None where there is none."""
    bare = [_without_extras(each, short=short) for each in members]
    asked = [condition_text(each) for each in screen.ask_if]
    if None in asked or any((NOT_APPLICABLE in extras) != bool(asked) for _, extras in bare):
        return None
    members = [each for each, _ in bare]
    table = _together(screen, members, found) if screen.is_together else _one(screen, members[0])
    if table is None or len({tuple(extras) for _, extras in bare}) > 1:
        return None
    table |= {FLAGS[extra]: True for extra in bare[0][1] if extra in FLAGS}
    if screen.kind == MULTIPLE and screen.is_together and "group" in table and screen.is_tied(bare[0][1]):
        table = {"coins": "one"} | table
    said = {"section": screen.section, "hint": screen.hint, "none": screen.none}
    table |= {key: in_languages(text) for key, text in said.items() if text is not None}
    table |= {key: each for key in ("least", "most") if (each := getattr(screen, key)) is not None}
    if screen.picture is not None:
        table |= {"picture": screen.picture.name, "picture_text": in_languages(screen.picture.text)}
    if screen.pictures:
        before = f"{table['name']}_" if screen.kind == MULTIPLE and screen.is_together else ""
        table["pictures"] = {answer.removeprefix(before): picture.name for answer, picture in screen.pictures}
    table |= {"ask_if": " and ".join(filter(None, asked))} if asked else {}
    return table | ({"shuffle": True} if screen.shuffle else {})


def _without_extras(table: Table, *, short: bool) -> tuple[Table, list[str]]:
    """A table without the values of `EXTRAS`, and these; its prior is without them too where that says enough."""
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


def _one(screen: Screen, table: Table) -> Table:
    """The table of one question."""
    if screen.items:
        kept = {key: each for key, each in table.items() if key != "values"}
        items = {name: in_languages(text) for name, text in screen.items}
        return kept | {"kind": screen.kind, PARTS[screen.kind]: items}
    if screen.kind in INTERVALS:
        said: Table = {"cuts": list(screen.cuts), "minimum": screen.minimum, "maximum": screen.maximum}
        if screen.kind == DATE:
            said = {key: _days(each) for key, each in said.items()}
        said |= {"unit": as_written(screen.unit)} if screen.kind == NUMBER else {}
        kept = {key: each for key, each in table.items() if key not in {"values", "words"}}
        return kept | {"kind": screen.kind} | {key: each for key, each in said.items() if each is not None}
    return dict(table)


def _days(days: Any) -> Any:  # noqa: ANN401 - one, several or none
    if isinstance(days, list):
        return [_days(each) for each in days]
    return days if days is None else date.fromisoformat(str(days))


def _together(screen: Screen, members: Sequence[Table], found: Folded) -> Table | None:
    """The table of a multiple or a grid."""
    name = _shared_name([each["name"] for each in members])
    rest = [{key: each for key, each in table.items() if key not in EACH_ITS} for table in members]
    alike = all(each == rest[0] for each in rest) and len({str(each.get("values")) for each in members}) == 1
    kinds = {each["kind"] for each in members}
    if name is None or screen.label is None or not alike or len(kinds) > 1:
        return None
    items = [each["name"].removeprefix(f"{name}_") for each in members]
    labels = {item: each["label"] for item, each in zip(items, members, strict=True)}
    table = {"name": name, "label": in_languages(screen.label), "kind": screen.kind, PARTS[screen.kind]: labels}
    priors = [each.get("prior") for each in members]
    if screen.kind == MULTIPLE:
        shares = {item: _yes(prior) for item, prior in zip(items, priors, strict=True)}
        table |= {"prior": shares} if any(priors) else {}
    elif kinds == {"scale"} or "values" in members[0]:
        table |= {"values": members[0]["values"]} | ({"prior": priors[0]} if priors[0] else {})
    home = _home(items, [each.get("group") for each in members], found)
    return None if home is None else table | rest[0] | home


def _yes(prior: Mapping[str, Any] | None) -> Decimal | str:
    """The share of people who tick an option, of those who are asked and say."""
    yes, no = (Fraction(str(prior[value])) if prior else Fraction(1, 2) for value in YES_NO)
    return share_text(yes / (yes + no))


def _shared_name(names: Sequence[str]) -> str | None:
    """A name for a table of these questions: the longest that leaves each a rest that is a name."""
    parts = names[0].split("_")
    for size in range(len(parts) - 1, 0, -1):
        name = "_".join(parts[:size])
        rests = [each.removeprefix(f"{name}_") for each in names]
        if all(
            each != rest and NAME.fullmatch(rest) and rest not in RESERVED
            for each, rest in zip(names, rests, strict=True)
        ):
            return name
    return None


def _home(items: Sequence[str], groups: Sequence[str | None], found: Folded) -> Table | None:
    """The keys that say which coin disguises the members; None where no keys do."""
    if None in groups:
        return {} if set(groups) == {None} else None
    homes = [str(each) for each in groups]
    if len(set(homes)) == 1:
        return {"group": homes[0]}
    name = homes[0].removesuffix(f"_{items[0]}")
    how = found.groups.get(homes[0])
    if homes != [f"{name}_{item}" for item in items] or any(found.groups.get(each) != how for each in homes):
        return None
    if found.groups.get(name, how) != how:
        return None
    for each in homes:
        del found.groups[each]
    found.groups[name] = how
    return {"group": name, "coins": "own"}


def in_languages(text: Text) -> str | dict[str, str]:
    """The text as a survey file has it: plain where there is one language."""
    return text.design if len(text.pairs) > 1 else text.pairs[0][1]


def share_text(share: Fraction) -> Decimal | str:
    """A decimal where it is exact and short, else a fraction."""
    decimal = Decimal(share.numerator) / Decimal(share.denominator)
    exact = Fraction(decimal) == share and len(f"{decimal:f}") < LONGEST_DECIMAL
    return decimal if exact else str(share)
