"""A multiple as one question: its values are the combinations of options that may be ticked.

A coin for each option, or one for all, would be shown by what may be ticked together; one code for all is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm, prod
from typing import Any

from collector.errors import SurveyError, suggestion
from collector.survey.fields import Fields, read_fraction
from collector.survey.question import EXTRAS, MOST_VALUES
from collector.survey.screen import MULTIPLE, Screen
from collector.survey.text import Text
from collector.survey.ticks import NOTHING, PLUS, combined, holding, how_many
from collector.survey_file.priors import table_of, ticked

ONE = Fraction(1)
NO_TEXT = Text(())
FINEST = 10**6  # parts of 1 that a prior of combinations is written in


def is_combined(table: Mapping[str, Any], coins: str | None, screen: Screen, values: Sequence[str]) -> bool:
    """Whether a multiple is one question: if it allows some combinations only, and says nothing of coins.

    Args:
        table: Table of the survey file.
        coins: The coins that it says.
        screen: With its options as items.
        values: Values among `EXTRAS` that it has.
    """
    return coins is None and table.get("sensitive") is not False and screen.is_tied(values)


def values_of(screen: Screen, extras: Sequence[str], fields: Fields, *, grouped: bool) -> tuple[str, ...]:
    """The combinations that a screen allows.

    Args:
        screen: With its options as items.
        extras: Values among `EXTRAS` that it has.
        fields: The table, for errors.
        grouped: Whether the survey file has groups.

    Raises:
        SurveyError: If they are too many for one question, or too few, or an option is named like a value of ours.
    """
    options, counts, place = [name for name, _ in screen.items], screen.ticks(extras), fields.within("options")
    if (wrong := next((each for each in options if each in {NOTHING, *EXTRAS}), None)) is not None:
        raise SurveyError(place, f'the name "{wrong}" is a value that we add', "choose another name")
    number, most = how_many(len(options), counts), MOST_VALUES - len(extras)
    if number > most:
        remedy = 'say coins = "own", in a group with channel = "uniform"' if grouped else 'say coins = "one"'
        raise SurveyError(place, f"{number:,} combinations may be ticked, and {most} are the most for one code", remedy)
    if number < 2:
        raise SurveyError(place, f"{number} combinations may be ticked", "lower least, or raise most")
    return combined(options, counts)


def of_combinations(values: Sequence[str], options: Sequence[str], given: object, fields: Fields) -> dict[str, str]:
    """The prior of combinations of ticks: as it is given of each, or from how often each option is ticked.

    Options are then independent of each other, but for the combinations that may not be ticked: they are left out, and
    the others increased in proportion.

    Raises:
        SurveyError: If it names neither each combination nor each option.
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
    """The combinations that a table of a multiple becomes; none where it becomes a question for each option."""
    items = tuple((name, NO_TEXT) for name in table["options"])
    none = NO_TEXT if "none" in table else None
    screen = Screen((), MULTIPLE, items=items, least=table.get("least"), most=table.get("most"), none=none)
    if not is_combined(table, table.get("coins"), screen, extras):
        return ()
    grouped = "group" in table
    return values_of(screen, extras, Fields({}, f'question "{table["name"]}"'), grouped=grouped)


def having(
    screens: Sequence[Screen], tables: Sequence[Mapping[str, Any]], place: str, name: str, option: str
) -> tuple[str, ...]:
    """The values of a question above whose combination holds an option.

    Raises:
        SurveyError: If it is no multiple that is one question, or has no such option.
    """
    screen = next((each for each in screens if each.is_combined and name in each.questions), None)
    if screen is None:
        remedy = f"write {name} = VALUE, or {name}_{option} = yes where each option is a question"
        raise SurveyError(place, f'no multiple "{name}" that is one question is asked before it', remedy)
    if option not in dict(screen.items):
        raise SurveyError(place, f'"{name}" has no option "{option}"', suggestion(option, dict(screen.items)))
    return holding(next(table["values"] for table in tables if table["name"] == name), option)


def without_complement(groups: dict[str, Any] | None, table: Mapping[str, Any]) -> None:
    """Give the group of a question the uniform channel, if it has a truth and says no channel."""
    how = None if groups is None else groups.get(str(table.get("group")))
    if groups is not None and isinstance(how, dict) and "truth" in how:
        groups[table["group"]] = {"channel": "uniform"} | how
