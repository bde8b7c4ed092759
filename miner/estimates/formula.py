"""Formulas of regressions: an outcome, and terms of predictors with their interactions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations

from collector.errors import QueryError
from collector.survey.question import YES_NO, Question
from collector.survey.survey import Survey

TERMS = r"\w+(\s*[*:]\s*\w+)*"
FORMULA = re.compile(rf"\s*(?P<outcome>\w+)\s*~\s*(?P<terms>{TERMS}(\s*\+\s*{TERMS})*)\s*")


@dataclass(frozen=True)
class Formula:
    """The questions and terms of a regression.

    Attributes:
        outcome: The question that is explained.
        predictors: The questions that explain it.
        terms: Each the positions of one predictor, or of several that interact; the shorter ones first.
        references: For some of its questions the index of the value that the others are against.
    """

    outcome: Question
    predictors: tuple[Question, ...]
    terms: tuple[tuple[int, ...], ...]
    references: Mapping[str, int] = field(default_factory=dict)

    def order(self, question: Question) -> list[int]:
        """Value indices, the reference first: the one asked for, else ``no`` of yes and no, else the first."""
        usual = YES_NO.index("no") if question.base == YES_NO else 0
        first = self.references.get(question.name, usual)
        return [first, *(each for each in range(len(question.values)) if each != first)]

    @property
    def names(self) -> list[str]:
        """Names of all its questions, the outcome first."""
        return [self.outcome.name, *(question.name for question in self.predictors)]


def read_formula(survey: Survey, text: str, references: Mapping[str, str] | None = None) -> Formula:
    """Read ``outcome ~ a + b * c``. ``b * c`` stands for ``b + c + b:c``, and ``b:c`` for the interaction of both.

    Args:
        survey: The survey whose questions it names.
        text: The formula.
        references: For some of its questions the value that the others are against, in words.

    Raises:
        QueryError: If it is no formula, names an unknown question, or one twice; or if a reference is not a value
            of a question of the formula.
    """
    match = FORMULA.fullmatch(text)
    if match is None:
        remedy = 'write it like "distress ~ debt + year" or "distress ~ debt * year", with names of questions'
        raise QueryError("formula", "it is not one", remedy)
    parts = [tuple(re.split(r"\s*[*:]\s*", part.strip())) for part in match["terms"].split("+")]
    names = list(dict.fromkeys(name for part in parts for name in part))
    if match["outcome"] in names or len(set(parts)) < len(parts) or any(len(set(each)) < len(each) for each in parts):
        raise QueryError("formula", "a question is named twice", "name each once")
    terms: dict[tuple[int, ...], None] = {}
    for part, written in zip(parts, match["terms"].split("+"), strict=True):
        places = sorted(names.index(name) for name in part)
        sizes = range(1, len(part) + 1) if "*" in written else [len(part)]
        terms |= dict.fromkeys(each for size in sizes for each in combinations(places, size))
    predictors = tuple(survey.question(name) for name in names)
    outcome, chosen = survey.question(match["outcome"]), {}
    for name, value in (references or {}).items():
        if name not in {outcome.name, *names}:
            raise QueryError(
                "reference", f'"{name}" is not in the formula', f"use one of: {outcome.name}, {', '.join(names)}"
            )
        chosen[name] = survey.question(name).value_index(value)
    return Formula(outcome, predictors, tuple(sorted(terms, key=len)), chosen)
