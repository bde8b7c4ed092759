"""The kind ``multiple`` (tick all that apply), with a question for each option or one question for all options.

A limit on ticked options could reveal how the coin of an option fell. One code for all options avoids this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import lcm, prod
from typing import Any

from collector.errors import SurveyError, suggestion
from collector.survey.fields import Fields, read_fraction
from collector.survey.question import EXTRAS, MOST_VALUES, YES_NO
from collector.survey.screen import MULTIPLE, Screen
from collector.survey.text import Text, in_languages, read_optional_text
from collector.survey.ticks import NOTHING, PLUS, combined, how_many
from collector.survey_file.kinds.kind import CompiledScreen, QuestionTable, Table, without_complement
from collector.survey_file.kinds.parts import TogetherKind
from collector.survey_file.priors import share_text, table_of, ticked

ONE = Fraction(1)
NO_TEXT = Text(())
FINEST = 10**6  # denominator of a prior of combinations that is rounded


class MultipleKind(TogetherKind):
    """The kind of a question with boxes to tick.

    The table of a ``multiple`` question becomes a yes-no question for each option, or one question whose values are
    combinations of options.
    """

    name, parts = MULTIPLE, "options"
    surveyjs, xlsform = "checkbox", "select_multiple"

    def read(self, table: QuestionTable) -> list[Table]:  # noqa: D102 - as its base says
        items, coins = self.whole(table)
        self._limit(table, len(items))
        for answer, _ in table.screen.pictures:
            if answer not in items:
                place = table.fields.within("pictures")
                raise SurveyError(place, f'"{answer}" is none of the options', suggestion(answer, items))
        table.say(items=tuple(items.items()))
        if is_combined(table.left, coins, table.screen, table.extras):
            return [self._combined(table)]
        name, shares = table.left["name"], table.left.pop("prior", None)
        table.say(items=(), pictures=tuple((f"{name}_{item}", picture) for item, picture in table.screen.pictures))
        priors = {} if shares is None else {item: ticked(shares, item, list(items), table.fields) for item in items}
        keys = {item: {"kind": "yes_no"} | ({"prior": priors[item]} if priors else {}) for item in items}
        return [self.part(table, item, text, coins, **keys[item]) for item, text in items.items()]

    @staticmethod
    def _limit(table: QuestionTable, options: int) -> None:
        """Set the limits on the number of ticked options of a table's screen."""
        taken = table.take("none", "least", "most")
        least, most = (taken.take_optional(key, int) for key in ("least", "most"))
        if not 0 <= (least or 0) <= (options if most is None else most) <= options:
            place = taken.within("least" if most is None else "most")
            raise SurveyError(
                place, f"least and most do not fit the {options} options", f"choose 0 <= least <= most <= {options}"
            )
        table.say(none=read_optional_text(taken, "none", table.languages), least=least, most=most)

    @staticmethod
    def _combined(table: QuestionTable) -> Table:
        """Return the question whose values are the combinations of options."""
        screen, groups = table.screen, table.found.groups
        values = values_of(screen, table.extras, table.fields, grouped=groups is not None)
        keys: Table = {key: text.design for key, text in screen.texts() if key in {"label", "hint"}}
        if "prior" in table.left:
            options = [name for name, _ in screen.items]
            keys["prior"] = of_combinations(values, options, table.left["prior"], table.fields)
        without_complement(groups, table.left)  # which would leave two combinations
        table.say(label=None, hint=None)
        return table.plain(kind="choice", values=list(values), **keys)

    def write(self, asked: CompiledScreen) -> Table | None:  # noqa: D102
        screen = asked.screen
        table = super().write(asked) if screen.items else self._folded(asked)
        if table is not None:
            table |= {} if screen.none is None else {"none": in_languages(screen.none)}
            table |= {key: each for key in ("least", "most") if (each := getattr(screen, key)) is not None}
        return table

    def _folded(self, asked: CompiledScreen) -> Table | None:
        """Return the ``multiple`` table that replaces a yes-no question for each option."""
        screen, priors = asked.screen, [each.get("prior") for each in asked.members]
        if (table := self.folded(asked)) is None:
            return None
        if any(priors):
            table["prior"] = dict(zip(table[self.parts], map(_ticked, priors), strict=True))
        if "group" in table and screen.is_tied(asked.extras):
            table.setdefault("coins", "one")
        if screen.pictures:
            before = f"{table['name']}_"
            table["pictures"] = {name.removeprefix(before): picture.name for name, picture in screen.pictures}
        return table


def _ticked(prior: Mapping[str, Any] | None) -> Decimal | str:
    """Return the share of people who tick an option, among the people who are asked and answer."""
    yes, no = (Fraction(str(prior[value])) if prior else Fraction(1, 2) for value in YES_NO)
    return share_text(yes / (yes + no))


def is_combined(table: Mapping[str, Any], coins: str | None, screen: Screen, values: Sequence[str]) -> bool:
    """Return whether a ``multiple`` table becomes one question for all options.

    Args:
        table: Table of the survey file.
        coins: Value of the key ``coins``, or None.
        screen: Screen with the options as items.
        values: Extra values (`EXTRAS`) of the table, such as "prefer not to say".
    """
    return coins is None and table.get("sensitive") is not False and screen.is_tied(values)


def values_of(screen: Screen, extras: Sequence[str], fields: Fields, *, grouped: bool) -> tuple[str, ...]:
    """Return the combinations of ticked options that a ``multiple`` screen allows.

    Args:
        screen: Screen with the options as items.
        extras: Extra values (`EXTRAS`) of the table, such as "prefer not to say".
        fields: Fields of the table, for errors.
        grouped: Whether the survey file has groups.

    Raises:
        SurveyError: If there are too many or too few combinations for one question, or an option has a reserved name.
    """
    options, counts, place = [name for name, _ in screen.items], screen.ticks(extras), fields.within("options")
    if (wrong := next((each for each in options if each in {NOTHING, *EXTRAS}), None)) is not None:
        raise SurveyError(
            place, f'the name "{wrong}" is reserved for a value that is added automatically', "choose another name"
        )
    number, most = how_many(len(options), counts), MOST_VALUES - len(extras)
    if number > most:
        remedy = 'say coins = "own", in a group with channel = "uniform"' if grouped else 'say coins = "one"'
        raise SurveyError(place, f"{number:,} combinations may be ticked, and {most} are the most for one code", remedy)
    if number < 2:
        raise SurveyError(
            place, f"{number} combinations may be ticked", "lower the smallest number of ticks, or raise the largest"
        )
    return combined(options, counts)


def of_combinations(values: Sequence[str], options: Sequence[str], given: object, fields: Fields) -> dict[str, str]:
    """Return the prior of combinations of options, given frequencies of combinations or of options.

    If the survey file has frequencies of options, the prior takes options as independent within the permitted
    combinations.

    Raises:
        SurveyError: If the prior does not name all combinations or all options.
    """
    shares = table_of(given, fields)
    if {*values} <= shares.keys():
        total = sum((read_fraction(shares[value], fields.within("prior")) for value in values), start=Fraction(0))
        if total == 1 or {*values} != {*options}:
            return dict(shares)
    chances = {each: Fraction(ticked(shares, each, options, fields)["yes"]) for each in options}
    weights = [
        prod((chance if option in value.split(PLUS) else 1 - chance for option, chance in chances.items()), start=ONE)
        for value in values
    ]
    exact = [weight / sum(weights) for weight in weights]
    if lcm(*(share.denominator for share in exact)) > FINEST:
        exact = [Fraction(max(1, round(share * FINEST)), FINEST) for share in exact]
        exact[exact.index(max(exact))] += 1 - sum(exact)
    return {value: str(share) for value, share in zip(values, exact, strict=True)}


def combinations_of(table: Mapping[str, Any], extras: Sequence[str]) -> tuple[str, ...]:
    """Return the values of a ``multiple`` table that becomes one question; empty for a question per option."""
    items = tuple((name, NO_TEXT) for name in table["options"])
    none = NO_TEXT if "none" in table else None
    screen = Screen((), MULTIPLE, items=items, least=table.get("least"), most=table.get("most"), none=none)
    if not is_combined(table, table.get("coins"), screen, extras):
        return ()
    grouped = "group" in table
    return values_of(screen, extras, Fields({}, f'question "{table["name"]}"'), grouped=grouped)
