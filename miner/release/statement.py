"""State the privacy guarantee of a released model, in exact numbers and in words.

A guarantee for adding or removing a record also implies a guarantee for replacing a record, because a replacement is a
removal and an addition (`collector.ledger.budget.Cost.for_group`).
"""

from dataclasses import dataclass
from typing import Any

from collector.errors import ModelError
from collector.ledger.budget import REPLACING, Cost
from collector.survey.fields import Fields
from miner.learnt import exact_fraction

NO_GUARANTEE = "no differential privacy guarantee"
INHERITS = "Post-processing of disguised responses: it costs nothing, and promises what their design does."
AGAIN = "release the model again"


@dataclass(frozen=True)
class Statement:
    """Privacy statement of a release.

    Attributes:
        mechanism: Release method in words.
        adding: Cost (epsilon, delta) of adding or removing one record, or None if the method has no privacy guarantee.
        public: Facts that are assumed to be public, such as the declared number of records.
        uncovered: Limits of the guarantee, in words.
        inherited: Lines about the respondents' privacy guarantee, if the model was learnt from disguised responses.
    """

    mechanism: str
    adding: Cost | None
    public: tuple[str, ...] = ()
    uncovered: tuple[str, ...] = ()
    inherited: tuple[str, ...] = ()

    @property
    def replacing(self) -> Cost | None:
        """Return the privacy cost of replacing one record, or None if there is no guarantee."""
        return None if self.adding is None else self.adding.for_group(REPLACING)

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the statement in words, as lines."""
        return (
            *self._promise,
            f"Mechanism: {self.mechanism}.",
            *(f"Taken to be public: {each}." for each in self.public),
            *(f"Not covered: {each}." for each in self.uncovered),
        )

    @property
    def _promise(self) -> tuple[str, ...]:
        if self.inherited:
            return (INHERITS, *self.inherited)
        if self.adding is None or self.replacing is None:
            return (f"For study only: {NO_GUARANTEE}.",)
        return (
            f"Adding or removing one record: differential privacy, {self.adding.line}.",
            f"Replacing one record: {self.replacing.line}.",
        )

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the statement as plain JSON values, with exact fractions as text."""
        guarantee = None
        if self.adding is not None and self.replacing is not None:
            guarantee = {"add_or_remove": self.adding.as_json, "replace": self.replacing.as_json}
        return {
            "guarantee": guarantee,
            "mechanism": self.mechanism,
            "public": list(self.public),
            "uncovered": list(self.uncovered),
            "inherited": list(self.inherited),
        }

    @classmethod
    def from_fields(cls, given: Fields) -> "Statement":
        """Read a statement from JSON values, which are not trusted.

        Raises:
            DeniableError: If a value is not valid.
        """
        guarantee = given.take_optional("guarantee", dict)
        statement = cls(
            mechanism=given.take("mechanism", str),
            adding=None if guarantee is None else _adding(Fields(guarantee, given.within("guarantee"))),
            public=tuple(given.take_list("public", str)),
            uncovered=tuple(given.take_list("uncovered", str)),
            inherited=tuple(given.take_list("inherited", str)),
        )
        given.finish()
        return statement


def _adding(both: Fields) -> Cost:
    """Return the guarantee for adding or removing a record, and check the one for replacing a record."""
    adding, replacing = (_cost(both, key) for key in ("add_or_remove", "replace"))
    both.finish()
    adding.check(both.place)
    if replacing != adding.for_group(REPLACING):
        raise ModelError(
            both.place, "the guarantee for replacing a record does not follow from the one for adding a record", AGAIN
        )
    return adding


def _cost(both: Fields, key: str) -> Cost:
    given = Fields(both.take(key, dict), both.within(key))
    try:
        cost = Cost(exact_fraction(given.take("epsilon", str)), exact_fraction(given.take("delta", str)))
    except ValueError:
        raise ModelError(given.place, "the statement does not contain fractions", AGAIN) from None
    given.finish()
    return cost
