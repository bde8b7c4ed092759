"""Read formulas of regressions, as R and Python write them: ``outcome ~ a * C(b, ref="x") + (age >= 32)``.

A *factor* of a formula is a question, or a condition in brackets (`miner.responses.condition`). A question adds a
column of 0 and 1 for each of its values except the reference value. A number question adds one column with the numbers.
A condition adds one column, which is 1 where the condition holds and 0 elsewhere.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

import numpy as np

from collector.conditions.language import parsed
from collector.errors import QueryError, SurveyError
from collector.survey.question import YES_NO, Question
from collector.survey.survey import Survey
from miner.arrays import Floats, Indices
from miner.responses.condition import ValueSets, boxes_of

REMEDY = 'write it like distress ~ debt + year, or (debt = yes) ~ C(year, ref="second") * (income >= 800)'
COMPARES = re.compile(r"[=<>]|\b(in|has)\b")
TWICE = re.compile(r"\b(\w+)\s*[*:]\s*\1\b")
QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
HOLDS = ("no", "yes")  # values of a condition
FEWEST_CUTS = 2  # smallest number of cuts from which the width of an open interval can be guessed


@dataclass(frozen=True, eq=False)
class FormulaFactor:
    """Columns that a question or a condition adds to a model matrix.

    Attributes:
        name: Name of the question, or text of the condition.
        questions: Questions that the columns depend on.
        labels: Value that each column stands for, or None for the column of a number or a condition.
        table: Numbers in the columns for each combination of values, shape (values of the first question, ...,
            columns).
        remark: Sentence about an assumption, or None.
    """

    name: str
    questions: tuple[Question, ...]
    labels: tuple[str | None, ...]
    table: Floats
    remark: str | None = None


@dataclass(frozen=True, eq=False)
class FormulaOutcome:
    """Outcome of a regression.

    Attributes:
        name: Name of the question, or text of the condition.
        questions: Questions that the outcome depends on.
        values: Possible outcome values, beginning with the reference value.
        classes: Position in `values` of each combination of answers, or -1 without an outcome, shape (values of the
            first question, ...).
    """

    name: str
    questions: tuple[Question, ...]
    values: tuple[str, ...]
    classes: Indices

    @property
    def is_condition(self) -> bool:
        """Return whether the outcome is a condition, not a question."""
        return self.questions[0].name != self.name


@dataclass(frozen=True, eq=False)
class Formula:
    """Outcome and terms of a regression.

    Attributes:
        outcome: Outcome that the regression explains.
        terms: Terms, each of which has one factor or several interacting factors.
    """

    outcome: FormulaOutcome
    terms: tuple[tuple[FormulaFactor, ...], ...]

    @cached_property
    def predictors(self) -> tuple[Question, ...]:
        """Return the predictor questions."""
        factors = chain.from_iterable(self.terms)
        return tuple({each.name: each for factor in factors for each in factor.questions}.values())

    @property
    def names(self) -> list[str]:
        """Return the names of all questions of the formula, beginning with outcome questions."""
        return [question.name for question in (*self.outcome.questions, *self.predictors)]

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return sentences about the assumptions of all factors."""
        every = (factor.remark for factor in chain.from_iterable(self.terms))
        return tuple(dict.fromkeys(each for each in every if each is not None))


def read_formula(
    survey: Survey, text: str, references: Mapping[str, str] | None = None, *, ordered: bool = False
) -> Formula:
    """Read the formula of a regression.

    Args:
        survey: Survey whose questions the formula names.
        text: Text of the formula, such as ``outcome ~ a + b * c``. In a formula, ``b * c`` stands for ``b + c + b:c``,
            and ``b:c`` stands for the interaction of b and c.
        references: Reference value, in words, of some questions of the formula.
        ordered: Whether the values of the outcome must have an order.

    Raises:
        QueryError: If the text is not a formula, a question is unknown or named twice, a reference value does not
            exist, or the values of the outcome have no order.
    """
    return _FormulaReader(survey, dict(references or {}), ordered=ordered).read(text)


def categories(question: Question, reference: str | None = None) -> tuple[int, ...]:
    """Return the value indices of a question, beginning with the reference value.

    The default reference value is ``no`` of a yes-or-no question, and otherwise the first value.
    """
    first = YES_NO.index("no") if question.base == YES_NO else 0
    if reference is not None:
        first = question.value_index(reference)
    return (first, *(each for each in range(len(question.values)) if each != first))


def midpoints(name: str, values: Sequence[str], ends: Sequence[float | None], remedy: str) -> tuple[Floats, str]:
    """Return the midpoint of each interval of a number question, and a sentence about the midpoints.

    Args:
        name: Name of the question.
        values: Intervals in words, followed by any values that are not numbers.
        ends: Ends of the intervals, ascending, with None for an open end.
        remedy: Remedy for the error message.

    Raises:
        QueryError: If the width of an open interval cannot be guessed.
    """
    low, high, cuts = ends[0], ends[-1], [end for end in ends[1:-1] if end is not None]
    if (low is None or high is None) and len(cuts) < FEWEST_CUTS:
        raise QueryError(
            f'question "{name}"', "a number with one cut has only open intervals, which have no midpoints", remedy
        )
    widths = np.diff(cuts)
    closed = (cuts[0] - widths[0] if low is None else low, *cuts, cuts[-1] + widths[-1] if high is None else high)
    middles = np.array([(one + other) / 2 for one, other in pairwise(closed)])
    listed = ", ".join(f"{each:g}" for each in middles)
    remark = f'"{name}" counts by the midpoints of its intervals: {listed}'
    guessed = [f'"{values[place]}"' for place, end in ((0, low), (len(cuts), high)) if end is None]
    if guessed:
        remark += f"; {' and '.join(guessed)} {'are' if len(guessed) > 1 else 'is'} taken to be as wide as the next"
    return middles, remark


class _FormulaReader:
    """Reader of the formula of a regression."""

    def __init__(self, survey: Survey, references: dict[str, str], *, ordered: bool) -> None:
        self.survey, self.references, self.ordered = survey, references, ordered
        self.conditions: dict[str, str] = {}

    def read(self, text: str) -> Formula:
        left, tilde, right = (each.strip() for each in _split(text))
        if not (left and tilde and right):
            raise _refused()
        blank = QUOTED.sub("", right)
        if TWICE.search(blank):
            raise QueryError("formula", "a question is named twice", "name each question once")
        parts = self._terms(self._without_conditions(right))
        names = list(dict.fromkeys(chain.from_iterable(parts)))
        factors = {each: self._factor(each) for each in names}
        ordered = [sorted(part, key=names.index) for part in parts]
        outcome = self._outcome(left)
        formula = Formula(outcome, tuple(sorted((tuple(factors[each] for each in part) for part in ordered), key=len)))
        known = list(dict.fromkeys(formula.names))
        if len(known) < len(formula.names):
            raise QueryError("formula", "a question is named twice", "name each question once")
        for name in self.references:
            if name not in known:
                raise QueryError("reference", f'"{name}" is not in the formula', f"use one of: {', '.join(known)}")
        return formula

    def _without_conditions(self, text: str) -> str:
        """Replace each condition in brackets in a formula by a name."""
        found, at = "", 0
        for first, last in _brackets(text):
            if first < at or re.search(r"\w\s*$", text[:first]):
                continue
            inner = text[first + 1 : last]
            if COMPARES.search(inner) and not self._groups(inner):
                name = f"CONDITION_{len(self.conditions)}"
                self.conditions[name] = inner.strip()
                found, at = f"{found}{text[at:first]} {name} ", last + 1
        return found + text[at:]

    def _groups(self, text: str) -> bool:
        """Return whether a text in brackets is a group of terms, not a condition."""
        try:
            parsed(text, "condition")
        except SurveyError:
            bare, at = "", 0
            for first, last in _brackets(text):
                if first >= at:
                    bare, at = bare + text[at:first], last + 1
            return not COMPARES.search(bare + text[at:])
        return False

    def _terms(self, text: str) -> list[tuple[str, ...]]:
        """Return the text of the factors of each term of a formula."""
        from formulaic.errors import (  # type: ignore[import-untyped] # it brings no types  # noqa: PLC0415 - .3 s
            FormulaicError,
        )
        from formulaic.parser import DefaultFormulaParser  # type: ignore[import-untyped]  # noqa: PLC0415

        try:
            terms = DefaultFormulaParser(feature_flags=set()).get_terms(text)
            found = [tuple(factor.expr for factor in term.factors) for term in terms]
        except (FormulaicError, AttributeError, SyntaxError):
            raise _refused() from None
        if ("1",) not in found:
            raise QueryError("formula", "the formula has no intercept", 'remove "- 1" or "+ 0" from the formula')
        found.remove(("1",))
        if not found:
            raise _refused()
        return found

    def _factor(self, text: str) -> FormulaFactor:
        if text in self.conditions:
            return self._condition(self.conditions[text])
        name, reference, forced = _called(text)
        question = self.survey.question(name)
        reference = self.references.get(name) if reference is None else reference
        if question.kind == "number" and not forced and reference is None:
            return _number(question)
        first, *others = categories(question, reference)
        del first
        table = np.eye(len(question.values))[:, others]
        return FormulaFactor(name, (question,), tuple(question.values[each] for each in others), table)

    def _condition(self, text: str) -> FormulaFactor:
        boxes = boxes_of(self.survey, text)
        questions = tuple(self.survey.question(name) for name in dict.fromkeys(chain.from_iterable(boxes)))
        return FormulaFactor(text, questions, (None,), holds(questions, boxes)[..., None])

    def _outcome(self, text: str) -> FormulaOutcome:
        inner = text[1:-1].strip() if text.startswith("(") and text.endswith(")") else text
        if COMPARES.search(inner) and not inner.startswith("C("):
            if self.ordered:
                raise QueryError(
                    "formula",
                    f'the outcome "{inner}" has no order',
                    "name a question with ordered answers (a scale or a number)",
                )
            factor = self._condition(inner)
            return FormulaOutcome(inner, factor.questions, HOLDS, factor.table[..., 0].astype(np.intp))
        name, reference, forced = _called(inner)
        question = self.survey.question(name)
        if self.ordered:
            if not question.ordered:
                remedy = "name a scale or a number, or fit a logit"
                raise QueryError("formula", f'the values of the outcome "{name}" have no order', remedy)
            if forced or reference is not None or name in self.references:
                raise QueryError(
                    "reference",
                    f'the outcome "{name}" is ordered, so it has no reference value',
                    "remove the reference value",
                )
            classes = np.full(len(question.values), -1)
            classes[: question.in_order] = np.arange(question.in_order)
            return FormulaOutcome(name, (question,), question.base, classes)
        order = categories(question, self.references.get(name) if reference is None else reference)
        return FormulaOutcome(name, (question,), tuple(question.values[each] for each in order), np.argsort(order))


def holds(questions: Sequence[Question], boxes: Sequence[ValueSets]) -> Floats:
    """Return an array with a dimension for each question: 1 where a condition holds, 0 elsewhere."""
    found = np.zeros([len(question.values) for question in questions])
    for box in boxes:
        every = (sorted(box.get(each.name, range(len(each.values)))) for each in questions)
        found[np.ix_(*every)] = 1.0
    return found


def _number(question: Question) -> FormulaFactor:
    """Return the columns of a number question: one for the number, and one for each value that is not a number."""
    ends = (question.minimum, *question.cuts, question.maximum)
    middles, remark = midpoints(question.name, question.values, ends, f"enter it by its values: C({question.name})")
    count, values = len(middles), len(question.values)
    table = np.zeros((values, 1 + values - count))
    table[:count, 0] = middles
    table[count:, 1:] = np.eye(values - count)
    return FormulaFactor(question.name, (question,), (None, *question.values[count:]), table, remark)


def _called(text: str) -> tuple[str, str | None, bool]:
    """Read ``name`` or ``C(name, ref="value")``.

    Return the name of the question, its reference value, and whether the text is ``C(...)``.
    """
    if re.fullmatch(r"\w+", text):
        return text, None, False
    try:
        call = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        raise _refused() from None
    match call:
        case ast.Call(ast.Name("C"), [ast.Name(name)], []):
            return name, None, True
        case ast.Call(ast.Name("C"), [ast.Name(name)], [ast.keyword("ref", ast.Constant(str(value)))]):
            return name, value, True
    raise _refused()


def _refused() -> QueryError:
    return QueryError("formula", "the text is not a formula", REMEDY)


def _split(text: str) -> tuple[str, str, str]:
    """Split a formula at its ~, ignoring text in quotes."""
    hidden = QUOTED.sub(lambda match: "_" * len(match[0]), text)
    at = hidden.find("~")
    return (text, "", "") if at < 0 or "~" in hidden[at + 1 :] else (text[:at], "~", text[at + 1 :])


def _brackets(text: str) -> Iterator[tuple[int, int]]:
    """Return the start and end of each pair of brackets outside quotes, sorted by start.

    Raises:
        QueryError: If a bracket is not closed, or not opened.
    """
    hidden = QUOTED.sub(lambda match: "_" * len(match[0]), text)
    opened, found = list[int](), list[tuple[int, int]]()
    for at, sign in enumerate(hidden):
        if sign == "(":
            opened.append(at)
        elif sign == ")":
            if not opened:
                raise _refused()
            found.append((opened.pop(), at))
    if opened:
        raise _refused()
    yield from sorted(found)
