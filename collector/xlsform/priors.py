"""Reading of the expected frequencies of values in the column rr::prior of a form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

from collector.survey.fields import FRACTION
from collector.survey.question import DECLINED, EXTRAS, check_prior
from collector.survey.ticks import NOTHING, PLUS
from collector.xlsform.sheet import SheetRow
from collector.xlsform.values import Values

EXCEL_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}")  # form of a cell in which Excel turned 3/4 into a day


def prior_of(
    row: SheetRow, values: Values, options: Mapping[str, str] | None = None
) -> dict[str, dict[str, Decimal | str]]:
    """Return the key ``prior`` with the exact frequencies in the column rr::prior.

    Args:
        row: Row of the question.
        values: Values of the question.
        options: Options of a ``multiple`` question, by name in the form.

    Raises:
        SurveyError: If the frequencies are not valid.
    """
    cell = row.get("rr::prior")
    if not cell:
        return {}
    prior: dict[str, Decimal | str] = {}
    extras = dict.fromkeys(EXTRAS if options is None else [DECLINED] if values.declined else [])
    named = dict(values.named if options is None else options) | {each: each for each in extras}
    for part in re.split(r"[,;\n]", cell):
        name, equals, share = (each.strip() for each in part.rpartition("="))
        if not equals:
            raise row.error(
                "rr::prior", "it is not name = frequency, and so on", 'write it as in "yes = 0.2, no = 0.8"'
            )
        meant = _meant(name, named, options or {})
        if meant is None or meant in prior:
            raise row.error(
                "rr::prior",
                f'"{name[:20]}" is none of the values, or is there twice',
                f"use: {', '.join(name for name in named if name not in extras or values.declined)}",
            )
        prior[meant] = share
    each = prior.keys() <= {*named.values()}  # not combinations
    if missing := [name for name, value in named.items() if each and value not in prior and value not in extras]:
        raise row.error("rr::prior", f'"{missing[0]}" is missing', "give every value its frequency")
    shares = {value: read_fraction(row, "rr::prior", str(share)) for value, share in prior.items()}
    if options is None:
        check_prior(tuple(shares.values()), len(prior), row.place("rr::prior"))
    elif any(not 0 < share < 1 for share in shares.values()):
        raise row.error("rr::prior", "a frequency is not between 0 and 1", "say of each choice how often it is ticked")
    order = [value for value in named.values() if value in prior] if each else list(prior)
    return {
        "prior": {
            value: _as_written(str(prior[value]))
            for value in ([*values.names, *extras] if options is None else order)
            if value in prior
        }
    }


def _meant(name: str, named: Mapping[str, str], options: Mapping[str, str]) -> str | None:
    """Return the value, option or combination of options with a given name in the form, or None."""
    if name in named:
        return named[name]
    if name == NOTHING and options:
        return name
    parts = [options.get(part) for part in name.split(PLUS)]
    return PLUS.join(filter(None, parts)) if all(parts) else None


def _as_written(share: str) -> Decimal | str:
    return share if "/" in share else Decimal(share)


def read_fraction(row: SheetRow, column: str, written: str) -> Fraction:
    """Return the exact fraction for a text such as 3/4, 0.75 or 1.

    Raises:
        SurveyError: If the text is not a valid frequency.
    """
    if EXCEL_DAY.fullmatch(written):
        raise row.error(column, "Excel made a day of the fraction", "format the column as text and write it again")
    try:
        if FRACTION.fullmatch(written):
            return Fraction(written)
    except ZeroDivisionError:
        pass
    raise row.error(column, f'"{written[:20]}" is not a fraction', "write one, such as 3/4 or 0.75")
