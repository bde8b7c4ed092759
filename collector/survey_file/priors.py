"""Priors of questions with options to tick, and of questions with extra values such as "prefer not to say"."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from collector.errors import SurveyError, suggestion
from collector.survey.fields import Fields, read_fraction
from collector.survey.question import (
    DECLINED,
    EXTRAS,
    NOT_APPLICABLE,
    SKIPPED,
    YES_NO,
    check_prior,
    interval_labels,
)
from collector.survey.screen import NUMBER, Condition

LONGEST_DECIMAL = 20  # digits of the longest decimal in a survey file
USUAL_SHARE = Fraction(1, 20)  # share of people who decline or skip, if no prior gives it


def share_text(share: Fraction) -> Decimal | str:
    """Return a share for the survey file, as a short exact decimal or otherwise as the text of a fraction."""
    decimal = Decimal(share.numerator) / Decimal(share.denominator)
    exact = Fraction(decimal) == share and len(f"{decimal:f}") < LONGEST_DECIMAL
    return decimal if exact else str(share)


def table_of(given: object, fields: Fields) -> dict[str, Any]:
    """Return the prior of a survey file as a table from value to frequency.

    Raises:
        SurveyError: If the prior of a question is not a table.
    """
    if not isinstance(given, dict):
        raise SurveyError(
            fields.within("prior"), "the prior is not a table", "write a table with the frequency of each item"
        )
    return given


def ticked(given: object, option: str, options: Sequence[str], fields: Fields) -> dict[str, str]:
    """Return the prior of the yes-no question for an option, given how often each option is ticked.

    Raises:
        SurveyError: If the prior does not have exactly one share for each option.
    """
    shares, place = table_of(given, fields), fields.within("prior")
    if (wrong := next((each for each in shares if each not in options), None)) is not None:
        raise SurveyError(place, f'"{wrong}" is none of the options', suggestion(wrong, options))
    if option not in shares:
        raise SurveyError(place, f'the option "{option}" is missing', "give the share of people who tick each option")
    share = read_fraction(shares[option], place)
    if not 0 < share < 1:
        raise SurveyError(
            place,
            f'the share of "{option}" is not between 0 and 1',
            "give rare options a small frequency, such as 0.001",
        )
    return {"yes": str(share), "no": str(1 - share)}


def with_extras(
    values: Sequence[str], extras: Sequence[str], given: object, fields: Fields, unasked: Callable[[], Fraction]
) -> dict[str, str]:
    """Return the frequency of each value of a question, including extra values such as "prefer not to say".

    Extra values (such as "prefer not to say") without a frequency get a default share.

    Args:
        values: Values that answer the question.
        extras: Extra values, which are among `EXTRAS`.
        given: Prior in the question's table, or None.
        fields: Fields of the table.
        unasked: Function that returns the share of people who are not asked the question.
    """
    place = fields.within("prior")
    shares = {} if given is None else {key: read_fraction(each, place) for key, each in table_of(given, fields).items()}
    shares = shares or {value: Fraction(1, len(values)) for value in values}
    if sum(shares.values()) != 1:  # as it was written, before the extra values take their part of it
        check_prior(tuple(shares.values()), len(shares), place)
    usual = {NOT_APPLICABLE: unasked()} | dict.fromkeys((DECLINED, SKIPPED), USUAL_SHARE)
    added: dict[str, Fraction] = {}
    for extra in reversed([each for each in EXTRAS if each in extras and each not in shares]):
        added[extra] = usual[extra] * (1 - sum(added.values()))
    left = 1 - sum(added.values())
    reduced = {value: str(share * left) for value, share in shares.items()}
    return reduced | {value: str(share) for value, share in added.items()}


def chance_of(condition: Condition, tables: Sequence[Mapping[str, Any]], place: str) -> Fraction:
    """Return the prior probability that a condition on an earlier question is met.

    Raises:
        SurveyError: If the question in the condition is not an earlier question.
    """
    name, values = condition
    own = values_above(tables, place, name)
    said = next(table.get("prior") for table in tables if table.get("name") == name)
    prior: Mapping[str, Any] = said or {value: Fraction(1, len(own)) for value in own}
    met = sum((Fraction(str(prior[value])) for value in values if value in prior), start=Fraction(0))
    return met if 0 < met < 1 else Fraction(1, 2)


def values_above(tables: Sequence[Mapping[str, Any]], place: str, name: str) -> tuple[str, ...]:
    """Return the values of an earlier question, which are empty if its table has invalid values.

    Args:
        tables: Tables of earlier questions.
        place: Place in the survey file that an error names.
        name: Name of the question.

    Raises:
        SurveyError: If no earlier question has the name.
    """
    for table in tables:
        if table.get("name") == name:
            cuts = table.get("cuts")
            if isinstance(cuts, list) and table.get("kind") == NUMBER:
                return interval_labels(tuple(str(each) for each in cuts))
            values = YES_NO if table.get("kind") == "yes_no" else table.get("values")
            listed = isinstance(values, list | tuple) and all(isinstance(each, str) for each in values)
            return tuple(values or ()) if listed else ()
    raise SurveyError(place, f'no question "{name}" is asked before it', "name a question that stands above this one")
