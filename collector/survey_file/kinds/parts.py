"""The base classes of kinds whose tables have named options, statements or items."""

from __future__ import annotations

from typing import Any

from collector.errors import SurveyError
from collector.survey.fields import Fields
from collector.survey.question import NAME, RESERVED, check_name
from collector.survey.text import Text, in_languages, read_optional_text, read_text
from collector.survey_file.kinds.kind import CompiledScreen, QuestionKind, QuestionTable, Table
from collector.survey_file.naming import item_names

COINS = ("one", "own")
EACH_ITS = ("name", "label", "group", "prior")  # keys in which the questions of a table may differ


class PartsKind(QuestionKind):
    """The base class of kinds whose tables have named options, statements or items."""

    def items(self, table: QuestionTable) -> dict[str, Text]:
        """Return the texts of options, statements or items by name.

        If a table lists only texts, the names are derived from the texts.

        Raises:
            SurveyError: If an option, statement or item is not valid.
        """
        taken = table.take(self.parts)
        given = taken.take_any(self.parts, 'such as { pay = "Pay", time = "Time" } or ["Pay", "Time"]')
        place = taken.within(self.parts)
        if not isinstance(given, dict | list):
            raise SurveyError(place, "the parts are neither a table nor a list", 'write { pay = "Pay" } or ["Pay"]')
        if isinstance(given, list):
            texts = taken.all_of(self.parts, given, str)
            same = [Text.of(dict.fromkeys(table.languages, text)) for text in texts]
            items = dict(zip(item_names(texts, str(table.left["name"])), same, strict=True))
        else:
            inner = Fields(given, place)
            items = {name: read_text(inner, name, table.languages) for name in given}
        for name in items:
            check_name(name, f"{place}, {name}")
        if len(items) < 2:  # two to choose between
            raise SurveyError(place, f"the number of parts is {len(items)}", "give two or more parts")
        read = [pair for text in items.values() for pair in text.pairs]
        if len(set(read)) < len(read):
            raise SurveyError(place, "two of the parts have the same words", "give each part different words")
        return items

    def write(self, asked: CompiledScreen) -> Table | None:
        """Return the ``[[questions]]`` table of a question, with options or items from the question's screen."""
        kept = {key: each for key, each in asked.members[0].items() if key != "values"}
        return kept | {"kind": self.name, self.parts: {name: in_languages(text) for name, text in asked.screen.items}}


class TogetherKind(PartsKind):
    """The base class of kinds that ask one question for each option or statement, on one screen."""

    def whole(self, table: QuestionTable) -> tuple[dict[str, Text], str | None]:
        """Return the options, statements or items of a table, and the value of the table's key ``coins``.

        Raises:
            SurveyError: If a key is not valid.
        """
        taken, items = table.take("label", "hint", "coins"), self.items(table)
        label, hint = read_text(taken, "label", table.languages), read_optional_text(taken, "hint", table.languages)
        coins = taken.take_optional("coins", str)
        if coins not in {None, *COINS}:
            raise SurveyError(
                taken.within("coins"), 'coins must be "one" or "own"', 'write coins = "one" or coins = "own"'
            )
        table.say(kind=self.name, label=label, hint=hint)
        return items, coins

    def part(self, table: QuestionTable, item: str, text: Text, coins: str | None, **keys: object) -> Table:
        """Return the plain question for one option, statement or item of a table.

        The question gets a separate group if the table sets coins = "own".
        """
        group, groups = str(table.left.get("group")), table.found.groups
        if coins == "own":
            if groups is None or group not in groups:
                problem = "it makes a group of each answer from the settings of its group, and there is none"
                raise SurveyError(
                    table.fields.within("coins"), problem, "declare the group of the question, or remove the key coins"
                )
            keys["group"] = f"{group}_{item}"
            groups[f"{group}_{item}"] = groups[group]
        return table.plain(name=f"{table.left['name']}_{item}", label=text.design, **keys)

    def folded(self, asked: CompiledScreen) -> Table | None:
        """Return the one table that describes several questions, or None if their other keys differ."""
        screen, members = asked.screen, asked.members
        name = _shared_name([each["name"] for each in members])
        rest = [{key: each for key, each in table.items() if key not in EACH_ITS} for table in members]
        if name is None or screen.label is None or any(each != rest[0] for each in rest):
            return None
        items = {each["name"].removeprefix(f"{name}_"): each["label"] for each in members}
        said = {"label": screen.label, "hint": screen.hint}
        texts = {key: in_languages(text) for key, text in said.items() if text is not None}
        home = _home(list(items), [each.get("group") for each in members], asked.groups)
        return None if home is None else rest[0] | {"name": name, "kind": self.name, self.parts: items} | texts | home


def _shared_name(names: list[str]) -> str | None:
    """Return the longest common prefix of some names that can be removed from all names, or None."""
    parts = names[0].split("_")
    for size in range(len(parts) - 1, 0, -1):
        before = "_".join(parts[:size]) + "_"
        rests = [each.removeprefix(before) for each in names]
        if all(each.startswith(before) for each in names) and all(
            NAME.fullmatch(rest) and rest not in RESERVED for rest in rests
        ):
            return before[:-1]
    return None


def _home(items: list[str], homes: list[Any], groups: dict[str, Any]) -> Table | None:
    """Return the keys ``group`` and ``coins`` with which a table puts its questions into groups, or None."""
    if len(set(homes)) == 1:
        return {} if homes[0] is None else {"group": homes[0]}
    name = str(homes[0]).removesuffix(f"_{items[0]}")
    how = groups.get(homes[0])
    alike = all(groups.get(each) == how for each in homes) and groups.get(name, how) == how
    if homes != [f"{name}_{item}" for item in items] or not alike:
        return None
    for each in homes:
        del groups[each]
    groups[name] = how
    return {"group": name, "coins": "own"}
