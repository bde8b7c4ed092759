"""Formulas of regressions, as R and Python write them: ``outcome ~ a * C(b, ref="x") + (age >= 32)``.

The operators are read by formulaic. A *factor* is a question, or a condition in brackets
(`miner.responses.condition`). A question enters by its values, each against a reference; a number by its size; a
condition by 1 where it holds, else 0.
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
FEWEST_CUTS = 2  # from which the width of an open interval can be guessed


@dataclass(frozen=True, eq=False)
class FormulaFactor:
    """Columns that a question or a condition adds to a model matrix.

    Attributes:
        name: The question, or the condition.
        questions: The questions that it depends on.
        labels: The value that each column stands for; None for a number or a condition.
        table: Shape (values of the first question, of the second, ..., columns).
        remark: What it assumes, as a sentence; else None.
    """

    name: str
    questions: tuple[Question, ...]
    labels: tuple[str | None, ...]
    table: Floats
    remark: str | None = None


@dataclass(frozen=True, eq=False)
class FormulaOutcome:
    """The outcome of a regression.

    Attributes:
        name: The question, or the condition.
        questions: The questions that it depends on.
        values: What it may be, the reference first.
        classes: Shape (values of the first question, ...): the position in `values` of each combination; -1 for none.
    """

    name: str
    questions: tuple[Question, ...]
    values: tuple[str, ...]
    classes: Indices

    @property
    def is_condition(self) -> bool:
        """Whether it is a condition, and no question."""
        return self.questions[0].name != self.name


@dataclass(frozen=True, eq=False)
class Formula:
    """The outcome and terms of a regression.

    Attributes:
        outcome: What is explained.
        terms: Each one factor, or several that interact; the shorter ones first.
    """

    outcome: FormulaOutcome
    terms: tuple[tuple[FormulaFactor, ...], ...]

    @cached_property
    def predictors(self) -> tuple[Question, ...]:
        """The questions that explain the outcome."""
        factors = chain.from_iterable(self.terms)
        return tuple({each.name: each for factor in factors for each in factor.questions}.values())

    @property
    def names(self) -> list[str]:
        """Names of all its questions, those of the outcome first."""
        return [question.name for question in (*self.outcome.questions, *self.predictors)]

    @property
    def remarks(self) -> tuple[str, ...]:
        """Assumptions of its factors, as sentences."""
        every = (factor.remark for factor in chain.from_iterable(self.terms))
        return tuple(dict.fromkeys(each for each in every if each is not None))


def read_formula(
    survey: Survey, text: str, references: Mapping[str, str] | None = None, *, ordered: bool = False
) -> Formula:
    """Read a formula.

    Args:
        survey: The survey whose questions it names.
        text: ``outcome ~ a + b * c``. ``b * c`` stands for ``b + c + b:c``, and ``b:c`` for the interaction of both.
        references: For some of its questions the value that the others are against, in words.
        ordered: Whether the outcome's values are to be in order, without a reference.

    Raises:
        QueryError: If it is no formula, names an unknown question, or one twice; if a reference is not a value of a
            question of the formula; or if the outcome has no order, and is to have one.
    """
    return _FormulaReader(survey, dict(references or {}), ordered=ordered).read(text)


def categories(question: Question, reference: str | None = None) -> tuple[int, ...]:
    """Value indices, the reference first: the one asked for, else ``no`` of yes and no, else the first."""
    first = YES_NO.index("no") if question.base == YES_NO else 0
    if reference is not None:
        first = question.value_index(reference)
    return (first, *(each for each in range(len(question.values)) if each != first))


def midpoints(name: str, values: Sequence[str], ends: Sequence[float | None], remedy: str) -> tuple[Floats, str]:
    """The number that each interval of a number question counts as, and a sentence that says so.

    Args:
        name: Name of the question.
        values: The intervals, in words; what is no number may follow.
        ends: Ends of the intervals, ascending; None for an open one.
        remedy: What to do if there are no midpoints, for the error.

    Raises:
        QueryError: If the width of an open interval cannot be guessed.
    """
    low, high, cuts = ends[0], ends[-1], [end for end in ends[1:-1] if end is not None]
    if (low is None or high is None) and len(cuts) < FEWEST_CUTS:
        raise QueryError(f'question "{name}"', "with one cut its open intervals have no midpoints", remedy)
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
    """Reads one formula."""

    def __init__(self, survey: Survey, references: dict[str, str], *, ordered: bool) -> None:
        self.survey, self.references, self.ordered = survey, references, ordered
        self.conditions: dict[str, str] = {}

    def read(self, text: str) -> Formula:
        left, tilde, right = (each.strip() for each in _split(text))
        if not (left and tilde and right):
            raise _refused()
        blank = QUOTED.sub("", right)
        if TWICE.search(blank):
            raise QueryError("formula", "a question is named twice", "name each once")
        parts = self._terms(self._without_conditions(right))
        names = list(dict.fromkeys(chain.from_iterable(parts)))
        factors = {each: self._factor(each) for each in names}
        ordered = [sorted(part, key=names.index) for part in parts]
        outcome = self._outcome(left)
        formula = Formula(outcome, tuple(sorted((tuple(factors[each] for each in part) for part in ordered), key=len)))
        known = list(dict.fromkeys(formula.names))
        if len(known) < len(formula.names):
            raise QueryError("formula", "a question is named twice", "name each once")
        for name in self.references:
            if name not in known:
                raise QueryError("reference", f'"{name}" is not in the formula', f"use one of: {', '.join(known)}")
        return formula

    def _without_conditions(self, text: str) -> str:
        """The formula with a name in place of each condition in brackets."""
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
        """Whether brackets group terms, some of which may be conditions in brackets themselves."""
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
        """The factors of each term, as they are written."""
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
            raise QueryError("formula", "it has no intercept", 'leave out "- 1" or "+ 0"')
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
                raise QueryError("formula", f'the outcome "{inner}" has no order', "name a scale or a number")
            factor = self._condition(inner)
            return FormulaOutcome(inner, factor.questions, HOLDS, factor.table[..., 0].astype(np.intp))
        name, reference, forced = _called(inner)
        question = self.survey.question(name)
        if self.ordered:
            if not question.ordered:
                remedy = "name a scale or a number, or fit a logit"
                raise QueryError("formula", f'the values of the outcome "{name}" have no order', remedy)
            if forced or reference is not None or name in self.references:
                raise QueryError("reference", f'the outcome "{name}" is in order', "leave out its reference")
            classes = np.full(len(question.values), -1)
            classes[: question.in_order] = np.arange(question.in_order)
            return FormulaOutcome(name, (question,), question.base, classes)
        order = categories(question, self.references.get(name) if reference is None else reference)
        return FormulaOutcome(name, (question,), tuple(question.values[each] for each in order), np.argsort(order))


def holds(questions: Sequence[Question], boxes: Sequence[ValueSets]) -> Floats:
    """An array of 1 where disjoint boxes hold, else 0, with an axis for each question."""
    found = np.zeros([len(question.values) for question in questions])
    for box in boxes:
        every = (sorted(box.get(each.name, range(len(each.values)))) for each in questions)
        found[np.ix_(*every)] = 1.0
    return found


def _number(question: Question) -> FormulaFactor:
    """A number by its size; values that give no number have a column each."""
    ends = (question.minimum, *question.cuts, question.maximum)
    middles, remark = midpoints(question.name, question.values, ends, f"enter it by its values: C({question.name})")
    count, values = len(middles), len(question.values)
    table = np.zeros((values, 1 + values - count))
    table[:count, 0] = middles
    table[count:, 1:] = np.eye(values - count)
    return FormulaFactor(question.name, (question,), (None, *question.values[count:]), table, remark)


def _called(text: str) -> tuple[str, str | None, bool]:
    """The question of ``name`` or ``C(name, ref="value")``, the reference, and whether it enters by its values."""
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
    return QueryError("formula", "it is not one", REMEDY)


def _split(text: str) -> tuple[str, str, str]:
    """The text before the only ~ outside quotes, that sign, and the text after it."""
    hidden = QUOTED.sub(lambda match: "_" * len(match[0]), text)
    at = hidden.find("~")
    return (text, "", "") if at < 0 or "~" in hidden[at + 1 :] else (text[:at], "~", text[at + 1 :])


def _brackets(text: str) -> Iterator[tuple[int, int]]:
    """Positions where each bracket opens and closes, outside quotes, in the order in which they open.

    Raises:
        QueryError: If one is not closed, or not open.
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
