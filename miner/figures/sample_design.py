"""Read the design of a sample from a TOML file: sampling weights, strata, clusters and known totals.

Sampling weights, strata and clusters belong to values of undisguised questions, such as regions, so that nothing links
a response to a person.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from math import isclose
from pathlib import Path
from typing import Self

from collector.errors import DeniableError, QueryError
from collector.survey.fields import Fields, read_fraction
from collector.survey.survey import Survey
from collector.survey_file.text_file import text_of

EXAMPLE = "a table of values with numbers, such as { north = 1.25, south = 5 }"
CLOSE = 1e-6  # accepted relative difference between two totals of the same population
Numbers = Mapping[str, float]
"""Values of a question in words, each with a number."""


@dataclass(frozen=True)
class SampleDesign:
    """Description of how the respondents of a survey were sampled.

    Attributes:
        weights: Factor for each value of some questions. A response's sampling weight is the product of its factors.
        strata: Question whose values are the strata, or None for a single stratum.
        clusters: Question whose values are the clusters, or None if each response is a cluster.
        sizes: Number of clusters (or, without clusters, of people) in the population of each stratum, a single number
            without strata, or None for no finite population correction.
        margins: Number of people in the population with each value of each raked question.

    Raises:
        QueryError: If the sizes do not fit the strata.
    """

    weights: Mapping[str, Numbers] = field(default_factory=dict)
    strata: str | None = None
    clusters: str | None = None
    sizes: Numbers | float | None = None
    margins: Mapping[str, Numbers] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.sizes is not None and isinstance(self.sizes, Mapping) != (self.strata is not None):
            problem = "it does not go with the strata"
            raise QueryError(
                "sample, population",
                problem,
                "write a number for each stratum, or a single number if there are no strata",
            )

    @property
    def names(self) -> list[str]:
        """Return the names of the questions that determine sampling weights, strata and clusters."""
        return list(dict.fromkeys([*self.weights, *filter(None, (self.strata, self.clusters))]))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a sample file (docs/sampling-weights.md).

        Raises:
            InputError: If the file cannot be read as text.
            QueryError: If the file is not a valid design.
        """
        text = text_of(path, "a TOML file")
        try:
            return cls.from_fields(Fields(tomllib.loads(text, parse_float=Decimal), "sample"))
        except tomllib.TOMLDecodeError as error:
            raise QueryError(str(path), f"the file is not valid TOML ({error})", "correct that line") from None
        except DeniableError as error:
            raise QueryError(f"{path}: {error.place}", error.problem, error.remedy) from None

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read a design from the tables of a sample file.

        Raises:
            DeniableError: If a table is not valid.
        """
        weights = _tables(fields, "weights")
        strata, clusters = (fields.take_optional(key, str) for key in ("strata", "clusters"))
        sizes = fields.take_optional_any("population")
        margins = _tables(fields, "rake")
        fields.finish()
        if any(number <= 0 for table in weights.values() for number in table.values()):
            remedy = "write numbers above 0; leave responses that do not count out of the survey"
            raise QueryError("sample, weights", "a sampling weight is not above 0", remedy)
        known = None if sizes is None else _sizes(sizes)
        _check_totals(margins)
        return cls(weights, strata, clusters, known, margins)

    def check(self, survey: Survey) -> None:
        """Check that a survey has the questions and values of the design, and does not disguise `names`.

        Raises:
            QueryError: If the survey does not fit the design, or a table of numbers lacks a value of its question.
        """
        for name in self.names:
            coding = survey.question(name).coding
            if survey.is_disguised(name) or coding.shared or coding.routed or survey.may_miss(name):
                problem = "a sample file may only name questions that everybody answers undisguised"
                remedy = "name a question that everybody is asked and that is not sensitive"
                raise QueryError(f'question "{name}"', problem, remedy)
        tables = [*self.weights.items(), *self.margins.items()]
        if isinstance(self.sizes, Mapping) and self.strata is not None:
            tables.append((self.strata, self.sizes))
        for name, numbers in tables:
            question = survey.question(name)
            for value in numbers:
                question.value_index(value)
            missing = [value for value in question.values if value not in numbers]
            if missing:
                problem = f'the number of "{missing[0]}" is missing'
                raise QueryError(f'sample, question "{name}"', problem, "write a number for each value of the question")
        if survey.sampling is not None and self.sizes is not None:
            problem = "the survey asks each person some of its questions only"
            raise QueryError(
                "sample, population", problem, "leave out population: there is then no finite population correction"
            )


def _tables(fields: Fields, key: str) -> dict[str, dict[str, float]]:
    tables = fields.take_optional(key, dict) or {}
    return {str(name): _numbers(table, f"sample, {key}, {name}") for name, table in tables.items()}


def _numbers(table: object, place: str) -> dict[str, float]:
    if not isinstance(table, dict) or not table:
        raise QueryError(place, "the entry is not a table of values with numbers", f"write {EXAMPLE}")
    found = {str(value): float(read_fraction(number, f"{place}, {value}")) for value, number in table.items()}
    if any(number < 0 for number in found.values()):
        raise QueryError(place, "a number is below 0", "write numbers of 0 or more")
    return found


def _sizes(sizes: object) -> dict[str, float] | float:
    if isinstance(sizes, dict):
        return _numbers(sizes, "sample, population")
    return float(read_fraction(sizes, "sample, population"))


def _check_totals(margins: Mapping[str, Numbers]) -> None:
    totals = {name: sum(numbers.values()) for name, numbers in margins.items()}
    for name, total in totals.items():
        first = next(iter(totals))
        if total <= 0 or not isclose(total, totals[first], rel_tol=CLOSE):
            problem = f'its numbers add up to {total:g}, and those of "{first}" to {totals[first]:g}'
            raise QueryError(f"sample, rake, {name}", problem, "give the margins of one population, with one total")
