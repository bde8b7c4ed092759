"""Exact privacy costs (epsilon and delta) of one release or of several releases.

A mechanism is (epsilon, delta)-differentially private if one record more or less (add/remove) changes the probability
of any output by at most a factor of e^epsilon, up to delta. If the number of rows is public, neighbours differ in that
one record replaces another record. Three rules give the cost of several releases:

- Sequential: The costs of releases from the same rows add up (Dwork, Kenthapadi, McSherry, Mironov & Naor 2006).
- Parallel: For releases from disjoint rows, a person pays only the highest cost (McSherry 2009).
- Group: A person with m records pays m epsilon, and delta (1 + e^epsilon + ... + e^((m-1) epsilon)).

Costs are never rounded down, and e^epsilon is replaced by an upper bound.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

from collector.errors import BudgetError
from collector.survey.fields import FRACTION
from collector.survey.question import check_name

ADD_REMOVE, REPLACE_ONE = NEIGHBOURS = ("add/remove", "replace-one")
REPLACING = 2  # number of steps in which a record is replaced: one record is removed, another is added
DIGITS = Context(prec=40)
UP, DOWN = (Context(prec=4, rounding=rounding) for rounding in (ROUND_CEILING, ROUND_FLOOR))
"""Rounding of numbers that people read."""
LARGEST_EPSILON = 100
MOST_RECORDS = 100
LONGEST_MECHANISM = 200


@dataclass(frozen=True)
class Cost:
    """The privacy cost of one or several releases, as an upper bound on the disclosure.

    Attributes:
        epsilon: Epsilon, at least 0.
        delta: Delta, at least 0.
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def check(self, place: str) -> None:
        """Check that epsilon and delta are in the range that releases and budgets allow.

        Raises:
            BudgetError: If epsilon or delta is outside the allowed range.
        """
        if not 0 < self.epsilon <= LARGEST_EPSILON:
            problem = f"epsilon is not above 0 and at most {LARGEST_EPSILON}"
            raise BudgetError(place, problem, "choose another number, such as 1")
        if not 0 <= self.delta < 1:
            raise BudgetError(
                place,
                "delta is not a number from 0 to below 1",
                "choose 0, or a delta far below one divided by the number of rows",
            )

    def __add__(self, other: "Cost") -> "Cost":
        """Return the total of two costs by sequential composition."""
        return Cost(self.epsilon + other.epsilon, self.delta + other.delta)

    def within(self, budget: "Cost") -> bool:
        """Return whether the cost is at most the budget."""
        return self.epsilon <= budget.epsilon and self.delta <= budget.delta

    def for_group(self, records: int) -> "Cost":
        """Return the cost of a release for a person with several records (group privacy)."""
        steps = sum((_exp_above(step * self.epsilon) for step in range(records)), start=Fraction(0))
        return Cost(records * self.epsilon, self.delta * steps if self.delta else Fraction(0))

    @property
    def line(self) -> str:
        """The cost as text, rounded up, such as ``epsilon 0.5``, with delta if delta is above 0."""
        return self._line(UP)

    @property
    def line_below(self) -> str:
        """The cost as text, rounded down, for the remaining part of a budget."""
        return self._line(DOWN)

    def _line(self, digits: Context) -> str:
        epsilon, delta = (in_decimals(amount, digits) for amount in (self.epsilon, self.delta))
        return f"epsilon {epsilon}" + (f", delta {delta}" if self.delta else "")

    @property
    def as_json(self) -> dict[str, Any]:
        """The cost as plain JSON values, with exact fractions as text."""
        return {"epsilon": str(self.epsilon), "delta": str(self.delta)}


def parallel(costs: Iterable[Cost]) -> Cost:
    """Return the total cost of releases from disjoint sets of rows, for a person in one of the sets."""
    listed = [Cost(Fraction(0)), *costs]
    return Cost(max(each.epsilon for each in listed), max(each.delta for each in listed))


def composed(costs: Iterable[tuple[str | None, Cost]]) -> Cost:
    """Return the total cost of several releases for one person, who belongs to at most one cohort.

    The costs of different cohorts compose in parallel. All costs without a cohort compose in sequence.

    Args:
        costs: Cost of each release, with the name of its cohort, or None if the release uses all rows.
    """
    by_cohort: dict[str | None, Cost] = {}
    for cohort, cost in costs:
        by_cohort[cohort] = by_cohort.get(cohort, Cost(Fraction(0))) + cost
    whole = by_cohort.pop(None, Cost(Fraction(0)))
    return whole + parallel(by_cohort.values())


@dataclass(frozen=True)
class Unprotected:
    """A computation without a privacy guarantee, and therefore without a finite cost.

    Attributes:
        mechanism: Description in words.
        cohort: Name of the cohort, as in `Charge`.
    """

    mechanism: str
    cohort: str | None = None

    def __post_init__(self) -> None:
        _check_names(self.mechanism, self.cohort)


@dataclass(frozen=True)
class Charge:
    """The cost of a planned release.

    Attributes:
        mechanism: Description of the release.
        cost: Cost if neighbouring data sets differ by one added or removed record.
        replace_one: Cost if neighbours differ by one replaced record, or None if the best known bound is twice `cost`.
        cohort: Name of the cohort (rows of no other cohort, chosen without their answers) that the release uses, or
            None for all rows.
    """

    mechanism: str
    cost: Cost
    replace_one: Cost | None = None
    cohort: str | None = None

    def __post_init__(self) -> None:
        self.cost.check("release")
        if not self.replaced.within(self.cost.for_group(REPLACING)):
            raise BudgetError(
                "replace-one",
                "replacing a record costs more than removing one and adding one",
                "leave out the cost for replacing",
            )
        _check_names(self.mechanism, self.cohort)

    @property
    def replaced(self) -> Cost:
        """The cost of a release if neighbouring data sets differ by one replaced record."""
        return self.cost.for_group(REPLACING) if self.replace_one is None else self.replace_one

    def cost_between(self, neighbours: str) -> Cost:
        """Return the cost of a release under one of the neighbour relations in `NEIGHBOURS`."""
        return self.cost if neighbours == ADD_REMOVE else self.replaced


@dataclass(frozen=True)
class DataSet:
    """Rows about people, and the budget for everything that is disclosed about these people.

    Attributes:
        name: Declared name, in the form of a survey's name.
        budget: Budget for all releases together.
        neighbours: Neighbour relation of the budget, one of `NEIGHBOURS`.
        records: Largest number of rows of one person.
    """

    name: str
    budget: Cost
    neighbours: str = ADD_REMOVE
    records: int = 1

    def __post_init__(self) -> None:
        check_name(self.name, "data set")
        self.budget.check(f'data set "{self.name}", budget')
        if self.neighbours not in NEIGHBOURS:
            raise BudgetError(
                "neighbours",
                "there is no such definition of neighbouring data sets",
                f"use one of: {', '.join(NEIGHBOURS)}",
            )
        if not 1 <= self.records <= MOST_RECORDS:
            raise BudgetError(
                "records",
                f"the number of records of one person is not 1 to {MOST_RECORDS}",
                "choose another number, such as 1",
            )

    def spent(self, charges: Iterable[Charge]) -> Cost:
        """Return the cost of all charges for one person.

        The charges of different cohorts compose in parallel. All charges without a cohort compose in sequence.
        """
        costs = ((charge.cohort, charge.cost_between(self.neighbours)) for charge in charges)
        return composed((cohort, cost.for_group(self.records)) for cohort, cost in costs)


def read_amount(text: str, what: str) -> Fraction:
    """Return the exact fraction of an epsilon or a delta given as text, such as 1/10 for 0.1.

    Raises:
        BudgetError: If the text is not a number of at most 20 digits.
    """
    try:
        if FRACTION.fullmatch(text):
            return Fraction(text)
    except ZeroDivisionError:
        pass
    raise BudgetError(what, "the value is not a number of at most 20 digits", "write a number such as 0.5 or 1/3")


def in_decimals(amount: Fraction, digits: Context) -> str:
    """Return a fraction as text, rounded to four significant digits."""
    return f"{float(digits.divide(Decimal(amount.numerator), Decimal(amount.denominator))):g}"


def _exp_above(exponent: Fraction) -> Fraction:
    """Return a fraction above e^exponent with a relative error below 10^-35, or exactly 1 if the exponent is 0."""
    if not exponent:
        return Fraction(1)
    above = DIGITS.divide(Decimal(exponent.numerator), Decimal(exponent.denominator)).next_plus(DIGITS)
    return Fraction(above.exp(DIGITS).next_plus(DIGITS))


def _check_names(mechanism: str, cohort: str | None) -> None:
    if not mechanism.isprintable() or not 0 < len(mechanism) <= LONGEST_MECHANISM:
        problem = f"it is not 1 to {LONGEST_MECHANISM} printable characters"
        raise BudgetError("mechanism", problem, "describe the mechanism in words")
    if cohort is not None:
        check_name(cohort, "cohort")
