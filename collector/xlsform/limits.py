"""The cells of an XLSForm that limit answers (constraints and parameters)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from collector.forms.reading import FormReading
from collector.survey.fields import LARGEST_NUMBER
from collector.survey.question import MOST_VALUES
from collector.xlsform.columns import CONSTRAINTS
from collector.xlsform.sheet import SheetRow
from collector.xlsform.values import Values

Bound = Decimal | date
WHOLE = ("integer", "int", "range")
ENDS = {"minimum": "start", "maximum": "end"}
FEW_STEPS = 11  # largest number of numbers to choose from that become a scale: 0 to 10
BOUND = re.compile(
    r"(?<![\w.)])\.\s*(?P<sign>>=|<=|>|<)\s*(?P<bound>-?[0-9.]+|date\(\s*'[0-9-]+'\s*\))(?=\s*(\)|$|and\b|or\b))"
)
TICKS = re.compile(r"count-selected\(\s*\.\s*\)\s*(?P<sign>>=|<=|=)\s*(?P<number>[0-9]{1,3})")
ALONE = re.compile(
    r"not\(\s*\(?\s*selected\(\s*\.\s*,\s*(['\"])(?P<name>[^'\"]+)\1\s*\)\s*and\s*count-selected\(\s*\.\s*\)\s*>\s*1\s*\)?\s*\)"
)
NONE = ("none", "none_of_these", "none_of_the_above")  # choices that exclude the others, even without a constraint
AND = re.compile(r"(?:^|\s+)and(?:\s+|$)")


def limits_of(row: SheetRow, kind: str, cuts: Sequence[Bound] = ()) -> dict[str, Any]:
    """Return the minimum and the maximum that a constraint sets, as in a survey file.

    Raises:
        SurveyError: If the constraint cannot be read.
    """
    constraint = row.get("constraint")
    if not constraint or kind == "select_multiple":
        return {}
    if kind not in CONSTRAINTS:
        raise row.error("constraint", "only numbers, dates and select_multiple may have one", "empty the cell")
    found: dict[str, Any] = {}
    for part in AND.split(_without_brackets(constraint)):
        bound = BOUND.fullmatch(_without_brackets(part))
        key, value = (None, None) if bound is None else _bound(row, bound, kind)
        if key is None or value is None or key in found or (bound and bound["sign"] in "<>" and not is_whole(row)):
            raise row.error("constraint", "it cannot be taken", f"{CONSTRAINTS[kind]}; or empty the cell")
        found[key] = value
    if "minimum" in found and found["minimum"] >= cuts[0]:
        raise row.error("constraint", "the minimum is not below the first cut point", "lower it, or drop the cut point")
    if "maximum" in found and found["maximum"] < cuts[-1]:
        raise row.error("constraint", "the maximum is below the last cut point", "raise it, or drop the cut point")
    return found


def bounds_in(row: SheetRow, kind: str, ends: Mapping[str, Any]) -> dict[str, Any]:
    """Return the smallest and the largest answer that a constraint or another cell allows."""
    found = dict(ends)
    for bound in BOUND.finditer(row.get("constraint")):
        key, value = _bound(row, bound, kind)
        found |= {} if value is None else {key: value}
    return found


def is_whole(row: SheetRow) -> bool:
    """Return whether the question in a row asks for a whole number."""
    return row.get("type").lower() in WHOLE


def _without_brackets(text: str) -> str:
    text = text.strip()
    whole = text.startswith("(") and text.endswith(")") and "(" not in text[1:-1]
    return text[1:-1].strip() if whole else text


def _bound(row: SheetRow, bound: re.Match[str], kind: str) -> tuple[str, Bound | None]:
    """Return the key (``minimum`` or ``maximum``) of a bound, and the allowed answer.

    The allowed answer is None if the bound is neither a number nor a day.
    """
    sign, written = bound["sign"], bound["bound"]
    key = "minimum" if sign.startswith(">") else "maximum"
    try:
        if kind == "date":
            return key, date.fromisoformat(written.split("'")[1])
    except (IndexError, ValueError):
        return key, None
    number = number_in(written)
    if number is not None and len(sign) == 1 and is_whole(row) and number == int(number):
        number += 1 if key == "minimum" else -1
    return key, number


def ticks_of(row: SheetRow, names: Mapping[str, str], reading: FormReading) -> tuple[str | None, dict[str, int]]:
    """Return the choice that excludes all others, and the smallest and largest number of choices to tick."""
    constraint = row.get("constraint")
    alone = ALONE.search(constraint)
    excluding = alone["name"] if alone else None
    if alone and excluding not in names:
        problem = f'the list has no choice "{excluding}"'
        reading.leave(row.error("constraint", problem, f"name one of: {', '.join(names)}"))
    if excluding not in names:
        excluding = next((name for name in NONE if name in names and not row.get("rr::kind")), None)
    rest = [part.strip() for part in AND.split(ALONE.sub("", constraint)) if part.strip()]
    limits: dict[str, int] = {}
    for part in rest:
        ticks = TICKS.fullmatch(part)
        if ticks is None:
            remedy = f"{CONSTRAINTS['select_multiple']}; or empty the cell"
            reading.leave(row.error("constraint", "it cannot be taken", remedy))
            continue
        limits |= dict.fromkeys(
            {">=": ["least"], "<=": ["most"], "=": ["least", "most"]}[ticks["sign"]], int(ticks["number"])
        )
    return excluding, limits


def parameters_of(row: SheetRow, reading: FormReading) -> dict[str, str]:
    """Return the supported parameters of a row, and note all other parameters."""
    found = dict(re.findall(r"([\w-]+)\s*=\s*([^\s,;]+)", row.get("parameters")))
    read = ("start", "end", "step") if row.get("type").lower() == "range" else ("randomize",)
    for key in found.keys() - set(read):
        reading.note(f"not used: parameter {key}", f'"{row.get("name")}"')
    return {key: value for key, value in found.items() if key in read}


def range_values(row: SheetRow, parameters: Mapping[str, str]) -> Values:
    """Return the numbers of a question of type range as the values of a scale.

    Raises:
        SurveyError: If the parameters of the range are not valid.
    """
    steps = _range(parameters)
    if not 1 < len(steps) <= FEW_STEPS:
        problem = (
            f"it is not 2 to {FEW_STEPS} numbers to choose from" if steps else "start, end and step are no numbers"
        )
        raise row.error("parameters", problem, "give cut points in rr::cuts: what is sent is an interval")
    return Values("scale", tuple(steps), {}, {step: step for step in steps}, {})


def _range(parameters: Mapping[str, str]) -> list[str]:
    usual = (("start", "1"), ("end", "10"), ("step", "1"))
    return list(_steps(*(parameters.get(key, each) for key, each in usual)))


def ends_of(row: SheetRow, parameters: Mapping[str, str]) -> dict[str, Any]:
    """Return the minimum and the maximum that the parameters of a range set, as in a survey file.

    Raises:
        SurveyError: If a parameter is not valid.
    """
    found = {key: number_in(parameters[name]) for key, name in ENDS.items() if name in parameters}
    if None in found.values():
        raise row.error("parameters", "start or end is no number", "write numbers, as in start=0 end=100")
    return found


def number_in(written: str) -> Decimal | None:
    """Return the number in a text, or None if the text is not a number or exceeds the limits of a survey file."""
    try:
        number = Decimal(written)
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number) <= LARGEST_NUMBER else None


def is_long(parameters: Mapping[str, str]) -> bool:
    """Return whether a question of type range has more numbers than a scale may have."""
    return len(_range(parameters)) > FEW_STEPS


def _steps(start: str, end: str, step: str) -> Iterator[str]:
    try:
        number, last, by = Decimal(start), Decimal(end), Decimal(step)
    except InvalidOperation:
        return
    for _ in range(MOST_VALUES):
        if not (number.is_finite() and last.is_finite() and by.is_finite()) or by <= 0 or number > last:
            return
        yield f"{number:f}"
        number += by
