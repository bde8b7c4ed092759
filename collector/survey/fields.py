"""The reader of typed fields from an unchecked table. Unknown keys and wrong types are errors."""

import json
import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, TypeVar, cast

from collector.errors import SurveyError, suggestion

T = TypeVar("T")
FRACTION = re.compile(r"-?[0-9]{1,20}(/[0-9]{1,20}|(\.[0-9]{1,20})?([eE][-+]?[0-9]{1,2})?)")
LARGEST_NUMBER = 2**53  # largest number up to which the browser's numbers are exact
LONGEST_PLACE = 63

WORDS: dict[type, str] = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number with a decimal point",
    list: "a list",
    dict: "a table",
    date: "a date, such as 2026-12-31",
}


class Fields:
    """A table that is read key by key."""

    def __init__(self, table: object, place: str) -> None:
        if not isinstance(table, dict):
            raise SurveyError(
                place, "the entry is not a table", "write the entry as a table, in braces or under its own heading"
            )
        self.place = place
        self._left: dict[str, Any] = dict(table)
        self._known: dict[str, None] = {}  # in the order they were asked for

    def within(self, key: str) -> str:
        """Return the place of a key in the form in which errors name places."""
        return f"{self.place}, {key}"

    def take(self, key: str, kind: type[T]) -> T:
        """Return the value of a required key, checked for its type."""
        value = self._needed(key, f"add it: {WORDS[kind]}")
        return self._typed(value, kind, self.within(key))

    def take_any(self, key: str, example: str) -> object:
        """Return the value of a required key, of any type."""
        return self._needed(key, f"add it, {example}")

    def take_optional(self, key: str, kind: type[T]) -> T | None:
        """Return the value of an optional key, checked for its type, or None if the key is absent or null."""
        value = self.take_optional_any(key)
        return None if value is None else self._typed(value, kind, self.within(key))

    def take_optional_any(self, key: str) -> object:
        """Return the value of an optional key, of any type, or None if the key is absent."""
        self._known[key] = None
        return self._left.pop(key, None)

    def _needed(self, key: str, remedy: str) -> object:
        if key not in self._left:
            for near in get_close_matches(key, self._left, 1):
                remedy = f'rename "{near[:LONGEST_PLACE]}", if it is meant, or {remedy}'
            raise SurveyError(self.place, f'"{key}" is missing', remedy)
        return self.take_optional_any(key)

    def take_list(self, key: str, kind: type[T]) -> list[T]:
        """Return the list under a required key after checking that all items have the given type."""
        return self.all_of(key, self.take(key, list), kind)

    def all_of(self, key: str, values: Sequence[object], kind: type[T]) -> list[T]:
        """Return a list of values after checking that all values have the given type."""
        return [self._typed(value, kind, self.within(key)) for value in values]

    def take_number(self, key: str) -> float | None:
        """Return a finite number (an int if it is a whole number), or None if the key is absent or null."""
        return self.number_of(key, self.take_optional_any(key))

    def number_of(self, key: str, value: object) -> float | None:
        """Return a value as a finite number."""
        return None if value is None else self._number(value, self.within(key))

    def take_numbers(self, key: str) -> list[float]:
        """Return a list of finite numbers."""
        return [self._number(value, self.within(key)) for value in self.take(key, list)]

    def tables(self, key: str, start: int = 0) -> list["Fields"]:
        """Return a list of tables as `Fields`.

        Errors identify a table by its name, or by its number if the table has no name.
        """
        tables = self.take(key, list)[start:]
        places = []
        for number, table in enumerate(tables, start=start + 1):
            name = table.get("name") if isinstance(table, dict) else None
            named = isinstance(name, str) and 0 < len(name) <= LONGEST_PLACE
            places.append(f'{key[:-1]} "{name}"' if named else self.within(f"{key} number {number}"))
        return [Fields(table, place) for table, place in zip(tables, places, strict=True)]

    def integer_pair(self, value: Sequence[object]) -> tuple[int, int]:
        """Return two whole numbers, such as a code and the code's weight, after checking their types."""
        pair = self.all_of("pair", value, int)
        if len(pair) != 2:
            raise SurveyError(self.place, "a pair is not made of two whole numbers", "publish the survey file again")
        return pair[0], pair[1]

    def fraction_pair(self, value: Sequence[object]) -> Fraction:
        """Return an exact fraction that is written [numerator, denominator] in lowest terms."""
        numerator, denominator = self.integer_pair(value)
        if denominator < 1 or (fraction := Fraction(numerator, denominator)).denominator != denominator:
            raise SurveyError(self.place, "a fraction is not in lowest terms", "publish the survey file again")
        return fraction

    def finish(self) -> None:
        """Refuse a table with keys that were not read.

        Raises:
            SurveyError: If a key was not read.
        """
        for key in self._left:
            remedy = suggestion(key, self._known, "remove it, or use one of")
            raise SurveyError(self.place, f'the key "{key[:LONGEST_PLACE]}" is unknown', remedy)

    @staticmethod
    def _typed(value: object, kind: type[T], place: str) -> T:
        if type(value) is not kind:  # bool is no int here
            example = ""
            if kind is list and isinstance(value, str) and len(value) <= LONGEST_PLACE:
                example = f": {json.dumps([part.strip() for part in value.split(',')], ensure_ascii=False)}"
            raise SurveyError(place, f"it is not {WORDS[kind]}", f"write {WORDS[kind]}{example}")
        return value

    @staticmethod
    def _number(value: object, place: str) -> float:
        if type(value) not in {int, float, Decimal} or value != value:  # noqa: PLR0124 - only NaN is not itself
            raise SurveyError(place, "the value is not a number", "write a number")
        if abs(cast("float", value)) > LARGEST_NUMBER:
            raise SurveyError(place, "the number is larger than 2^53", "choose a larger unit")
        number = float(cast("float", value))
        return int(number) if number.is_integer() else number


def read_fraction(value: object, place: str) -> Fraction:
    """Return the exact fraction for a value such as "3/4", "0.75", 0.75 or 1.

    Raises:
        SurveyError: If the value is not a fraction.
    """
    try:
        if type(value) in {str, int, Decimal} and FRACTION.fullmatch(str(value)):
            return Fraction(str(value))
    except ZeroDivisionError:
        pass
    raise SurveyError(
        place, "the value is not a fraction of at most 20 digits", 'write a fraction such as "3/4" or 0.75'
    )
