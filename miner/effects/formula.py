"""Read formulas of regressions, as R and Python write them: ``outcome ~ a * C(b, ref="x") + (age >= 32)``.

A *factor* of a formula is a question, or a condition in brackets (`miner.responses.condition`). A question adds a
column of 0 and 1 for each of its values except the reference value. A number question adds one column with the numbers.
A condition adds one column, which is 1 where the condition holds and 0 elsewhere.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations
from typing import NoReturn

import numpy as np

from collector.conditions.language import parsed
from collector.errors import QueryError, SurveyError
from collector.survey.question import YES_NO, Question
from collector.survey.survey import Survey
from miner.arrays import Floats, Indices
from miner.effects.midpoints import midpoints, number_ends
from miner.responses.condition import ValueSets, boxes_of

REMEDY = 'write it like distress ~ debt + year, or (debt = yes) ~ C(year, ref="second") * (income >= 800)'
COMPARES = re.compile(r"[=<>]|\b(in|has)\b")
TWICE = re.compile(r"\b(\w+)\s*[*:]\s*\1\b")
QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
CALLED = re.compile(r"\bC\(\s*(\w+)\s*(?:,\s*ref\s*=\s*(\"[^\"]*\"|'[^']*')\s*)?\)")
"""A question by its values, with the reference value in quotes."""
HIDDEN = re.compile(r"_(\d+)_*")  # what `_hidden` writes for a condition or for ``C(...)``
BY_VALUES = "write the question itself, C(NAME) for its values, or a condition in brackets such as (age >= 32)"
MISSPELT = tuple(
    (re.compile(pattern), problem, remedy)
    for pattern, problem, remedy in (
        (r"`", "a name stands in backticks", "write the name of the question without them"),
        (r"\b[ic]\.(\w+)", r'"\g<0>" is not written so here', r"write \1, or C(\1) for a number by its values"),
        (
            r"\b(?:as\.)?(?:factor|ordered|Categorical)\(\s*(\w+)\s*\)",
            r'"\g<0>" is not written so here',
            r"write C(\1)",
        ),
        (
            r"\bC\(\s*(\w+)\s*,\s*ref\s*=\s*(\w+)\s*\)",
            "the reference value stands without quotes",
            r'write C(\1, ref="\2")',
        ),
        (r"\bC\(\s*(\w*)", "a question by its values is not written so here", r'write C(\1) or C(\1, ref="VALUE")'),
        (r"\b([A-Za-z_][\w.]*)\(", r'there is no function "\1" here', BY_VALUES),
        (r"\b(\w+)\s*(?:\*\*|\^)\s*\d", r'a power of "\1" is "\1" alone in a formula', BY_VALUES),
        (r"\|", '"|" does not join terms', 'write + or *; within the brackets of a condition, write "or"'),
        (r"[<>=!]+", "a comparison stands without brackets", "put the condition in brackets, such as (age >= 32)"),
        (r"(?<!\w)\.(?!\w)", '"." does not stand for all other questions', "name the questions, joined by +"),
        (r"[^\w\s+*/:()^%-]", r'"\g<0>" has no meaning here', "join questions by +, *, : or /"),
        (r"(?<![\w.^*])(?<![*^]\s)(?!1\b|0\b)\d+(?![\w)])", "a number stands among questions", "name questions only"),
        (r"[\w)]\s+[\w(]", "an operator is missing", "put +, *, : or / between the questions"),
        (r"[-+*/:^]\s*(?:\)|$)|(?:^|\()\s*[*/:^]|\(\s*\)", "a question is missing", REMEDY),
    )
)
"""Other programs' spellings of formulas (as a pattern), what is wrong with each, and what to write here."""
HOLDS = ("no", "yes")  # values of a condition


@dataclass(frozen=True, eq=False)
class FormulaFactor:
    """Columns that a question or a condition adds to a model matrix.

    Attributes:
        name: Name of the question, or text of the condition.
        questions: Questions that the columns depend on.
        labels: Value that each column stands for, or None for the column of a number or a condition.
        table: Numbers in the columns for each combination of values, shape (values of the first question, ...,
            columns).
        reference: Value that has no column, or None for a number.
        remark: Sentence about an assumption, or None.
    """

    name: str
    questions: tuple[Question, ...]
    labels: tuple[str | None, ...]
    table: Floats
    reference: str | None = None
    remark: str | None = None

    @property
    def whole(self) -> "FormulaFactor":
        """Return the factor with a column for its reference value, too."""
        first = 1 - self.table.sum(axis=-1, keepdims=True)
        labels = tuple(HOLDS[1] if label is None else label for label in self.labels)
        return replace(self, labels=(self.reference, *labels), table=np.concatenate([first, self.table], axis=-1))


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
        terms: Terms, each of which has one factor or several interacting factors. A factor has a column for its
            reference value where the terms before it, and the intercept, do not span that column.
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
            ``b:c`` stands for the interaction of b and c, and ``b / c`` stands for ``b + b:c``.
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


class _FormulaReader:
    """Reader of the formula of a regression."""

    def __init__(self, survey: Survey, references: dict[str, str], *, ordered: bool) -> None:
        self.survey, self.references, self.ordered = survey, references, ordered
        self.hidden: list[str] = []

    def read(self, text: str) -> Formula:
        blank = QUOTED.sub(lambda match: "_" * len(match[0]), text)
        at = blank.find("~")
        if not blank[:at].strip() or at < 0:
            _refuse(max(at, 0), 'there is no outcome before a "~"', REMEDY)
        hidden = " " * (at + 1) + self._hidden(text, blank, at + 1)
        _check_spelling(hidden)
        if TWICE.search(hidden):
            raise QueryError("formula", "a question is named twice", "name each question once")
        parts = self._terms(hidden)
        factors = {each: self._factor(each) for each in dict.fromkeys(chain.from_iterable(parts))}
        terms = _coded([tuple(factors[each] for each in part) for part in parts])
        formula = Formula(self._outcome(text[:at].strip()), terms)
        known = list(dict.fromkeys(formula.names))
        if len({factor.name for factor in factors.values()}) < len(factors) or len(known) < len(formula.names):
            raise QueryError("formula", "a question is named twice", "name each question once")
        for name in self.references:
            if name not in known:
                raise QueryError("reference", f'"{name}" is not in the formula', f"use one of: {', '.join(known)}")
        return formula

    def _hidden(self, text: str, blank: str, start: int) -> str:
        """Return the predictors, with a name of the same length for each condition in brackets and each ``C(...)``."""
        calls = (each.span() for each in CALLED.finditer(text, start) if blank[each.start()] == "C")
        conditions = (
            (first, last + 1)
            for first, last in _brackets(blank, start)
            if not re.search(r"\w\s*$", blank[:first])
            and COMPARES.search(text[first + 1 : last])
            and not self._groups(text[first + 1 : last])
        )
        found, at = "", start
        for first, end in sorted([*calls, *conditions]):
            if first >= at:
                name = f"_{self._place(text[first:end])}".ljust(end - first, "_")
                found, at = found + blank[at:first] + name, end
        return found + blank[at:]

    def _place(self, text: str) -> int:
        """Return the position of a condition or ``C(...)`` among those of the formula."""
        written = " ".join(text.split())
        if written not in self.hidden:
            self.hidden.append(written)
        return self.hidden.index(written)

    def _groups(self, text: str) -> bool:
        """Return whether a text in brackets is a group of terms, not a condition."""
        try:
            parsed(text, "condition")
        except SurveyError:
            blank, bare, at = QUOTED.sub(lambda match: "_" * len(match[0]), text), "", 0
            for first, last in _brackets(blank):
                if first >= at:
                    bare, at = bare + text[at:first], last + 1
            return not COMPARES.search(bare + text[at:])
        return False

    def _terms(self, text: str) -> list[tuple[str, ...]]:
        """Return the text of the factors of each term of a formula, shortest terms first."""
        from formulaic.errors import (  # type: ignore[import-untyped] # it brings no types  # noqa: PLC0415 - .3 s
            FormulaicError,
        )
        from formulaic.parser import DefaultFormulaParser  # type: ignore[import-untyped]  # noqa: PLC0415

        try:
            terms = DefaultFormulaParser(feature_flags=set()).get_terms(text)
        except (FormulaicError, AttributeError, SyntaxError):
            raise QueryError("formula", "the text after ~ is not a formula", REMEDY) from None
        found = [tuple(dict.fromkeys(map(self._text, (factor.expr for factor in term.factors)))) for term in terms]
        if ("1",) not in found:
            raise QueryError("formula", "the formula has no intercept", 'remove "- 1" or "+ 0" from the formula')
        found.remove(("1",))
        if not found:
            raise QueryError("formula", "the formula has no predictor", REMEDY)
        return sorted(dict.fromkeys(found), key=len)

    def _text(self, name: str) -> str:
        """Return the name of a question, or the text that `_hidden` wrote a name for."""
        match = HIDDEN.fullmatch(name)
        return self.hidden[int(match[1])] if match else name

    def _factor(self, text: str) -> FormulaFactor:
        if text.startswith("("):
            return self._condition(text[1:-1].strip())
        name, reference, forced = _called(text)
        question = self.survey.question(name)
        reference = self.references.get(name) if reference is None else reference
        if question.kind == "number" and not forced and reference is None:
            return _number(question)
        first, *others = categories(question, reference)
        table = np.eye(len(question.values))[:, others]
        labels = tuple(question.values[each] for each in others)
        return FormulaFactor(name, (question,), labels, table, question.values[first])

    def _condition(self, text: str) -> FormulaFactor:
        boxes = boxes_of(self.survey, text)
        questions = tuple(self.survey.question(name) for name in dict.fromkeys(chain.from_iterable(boxes)))
        return FormulaFactor(text, questions, (None,), holds(questions, boxes)[..., None], HOLDS[0])

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
    ends, step = number_ends(question.cuts, question.minimum, question.maximum, whole=question.whole)
    remedy = f"enter it by its values: C({question.name})"
    middles, remark = midpoints(question.name, question.values, ends, remedy, step=step)
    count, values = len(middles), len(question.values)
    table = np.zeros((values, 1 + values - count))
    table[:count, 0] = middles
    table[count:, 1:] = np.eye(values - count)
    return FormulaFactor(question.name, (question,), (None, *question.values[count:]), table, remark=remark)


def _coded(terms: Sequence[tuple[FormulaFactor, ...]]) -> tuple[tuple[FormulaFactor, ...], ...]:
    """Return terms whose columns span what R and Python span, and no column twice.

    A term of categories spans its columns without reference values, those of each part of the term, and the intercept.
    What terms before it span is left out, and the rest is joined: a part takes the column of a reference value for a
    part that lacks that factor. Source: N. J. Smith's patsy, "Redundancy and categorical factors". The numbers of a
    term are multiplied with each of its columns, so only terms with the same numbers can span each other.
    """
    spanned: dict[frozenset[str], set[frozenset[tuple[str, bool]]]] = {frozenset(): {frozenset()}}
    coded = []
    for term in terms:
        names = [factor.name for factor in term if factor.reference is not None]
        before = spanned.setdefault(frozenset(factor.name for factor in term) - {*names}, set())
        sizes = range(len(names) + 1)
        subsets = chain.from_iterable(combinations([(name, False) for name in names], size) for size in sizes)
        parts = [part for part in map(frozenset, subsets) if part not in before]
        before.update(parts)
        while pair := next((pair for pair in combinations(parts, 2) if _absorbs(*pair)), None):
            short, long = pair
            ((name, _),) = long - short
            parts[parts.index(long)] = short | {(name, True)}
            parts.remove(short)
        for part in parts:
            whole = dict(part)
            kept = [factor for factor in term if factor.reference is None or factor.name in whole]
            coded.append(tuple(factor.whole if whole.get(factor.name) else factor for factor in kept))
    return tuple(coded)


def _absorbs(short: frozenset[tuple[str, bool]], long: frozenset[tuple[str, bool]]) -> bool:
    """Return whether the second part has one factor more than the first, and otherwise the same."""
    return short < long and len(long) == len(short) + 1


def _called(text: str) -> tuple[str, str | None, bool]:
    """Read ``name`` or ``C(name, ref="value")``.

    Return the name of the question, its reference value, and whether the text is ``C(...)``.
    """
    call = CALLED.fullmatch(text)
    if call is None:
        if not re.fullmatch(r"\w+", text):
            _check_spelling(text)
            raise QueryError("formula", f'"{text}" is neither a question nor a condition', REMEDY)
        return text, None, False
    return call[1], call[2] and call[2][1:-1], True


def _check_spelling(text: str) -> None:
    """Raise an error for what other programs write in formulas, with what to write here."""
    for pattern, problem, remedy in MISSPELT:
        found = pattern.search(text)
        if found:
            _refuse(found.start(), found.expand(problem), found.expand(remedy))


def _refuse(at: int, problem: str, remedy: str) -> NoReturn:
    """Raise an error that names a character of the formula, counted from 1."""
    raise QueryError(f"formula, character {at + 1}", problem, remedy)


def _brackets(blank: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """Return the start and end of each pair of brackets in a text without quotes, sorted by start.

    Raises:
        QueryError: If a bracket is not closed, or not opened.
    """
    opened, found = list[int](), list[tuple[int, int]]()
    for at, sign in enumerate(blank[start:], start):
        if sign == "(":
            opened.append(at)
        elif sign == ")":
            if not opened:
                _refuse(at, "it closes a bracket that is not open", 'remove ")"')
            found.append((opened.pop(), at))
    if opened:
        _refuse(opened[-1], "the bracket is not closed", 'put ")" behind what belongs together')
    yield from sorted(found)
