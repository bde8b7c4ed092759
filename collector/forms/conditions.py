"""Translation between ``ask_if`` and the conditions of forms (XLSForm's XPath, SurveyJS's expressions).

Examples are ``${age} >= 18 and not(selected(${by}, 'manager'))`` and ``{often} <> 'never'``. The key ``ask_if`` can
express only conditions that allow a set of values for each question (see `collector.conditions`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import groupby
from typing import Any, NamedTuple

from collector.conditions.language import Comparison, Joined, Node, comparisons
from collector.conditions.meaning import disjoint_boxes, one_box
from collector.errors import SurveyError
from collector.forms.expression import parsed
from collector.survey.question import DECLINED, EXTRAS, NOT_APPLICABLE, SKIPPED, YES_NO, interval_labels
from collector.survey.screen import GRID, MULTIPLE, RANKING, Condition
from collector.survey.ticks import PLUS, holding
from collector.survey_file.kinds.kind import FLAGS
from collector.survey_file.kinds.multiple import combinations_of

DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
NO_ANSWER = (SKIPPED, NOT_APPLICABLE)  # values that conditions of forms compare with an empty text


@dataclass(frozen=True)
class Named:
    """The names and values of a question in the conditions of a form.

    Attributes:
        question: Name of the question in the survey file.
        values: Values of the question, in order.
        written: Value of the question, or option of a ``multiple`` question, for each word that the form uses.
        cuts: Cut points of the values, if the values are intervals.
        ticked: Whether people tick options, and each option is a yes-no question in the survey.
        combined: Whether the question has combinations of options as values.
    """

    question: str
    values: tuple[str, ...]
    written: Mapping[str, str]
    cuts: tuple[str, ...] = ()
    ticked: bool = False
    combined: bool = False

    def holds(self, test: Comparison, value: str) -> bool:
        """Return whether a comparison is true for a person with a given answer."""
        operator, operands = test.sign, test.values
        if operator == "empty" or (operands == ("",) and operator in {"=", "!="}):
            return (value in NO_ANSWER) == (operator != "!=")
        if self.combined:
            return self.written[operands[0]] in value.split(PLUS)
        if self.ticked:
            return value == YES_NO[0]
        if operator in {"=", "!=", "in", "has"}:
            return (value in self._meant(operands)) != (operator == "!=")
        if value in {DECLINED, *NO_ANSWER}:
            return False
        return self._falls(operator, operands[0], value) if self.cuts else self._compares(operator, operands[0], value)

    def _meant(self, operands: Sequence[str]) -> list[str]:
        for each in operands:
            if each not in self.written:
                problem = f'"{each}" is no value of "{self.question}"'
                raise SurveyError("", problem, f"use: {', '.join(self.written)}")
        return [self.written[each] for each in operands]

    def _falls(self, operator: str, bound: str, value: str) -> bool:
        """Return whether an interval lies wholly below a bound (operator ``<``), or wholly at or above (``>=``)."""
        if bound not in self.cuts or operator not in {"<", ">="}:
            remedy = f"write < or >= with one of {', '.join(self.cuts)}, or add a cut point"
            raise SurveyError(
                "", f'"{self.question}" is known in intervals, and {operator} {bound} divides an interval', remedy
            )
        return (self.values.index(value) > self.cuts.index(bound)) == (operator == ">=")

    def _compares(self, operator: str, bound: str, value: str) -> bool:
        written = next((each for each, meant in self.written.items() if meant == value), "")
        try:
            sign = Decimal(written).compare(Decimal(bound))
            return {"<": sign < 0, "<=": sign <= 0, ">": sign > 0, ">=": sign >= 0}[operator]
        except InvalidOperation:
            raise SurveyError("", f'"{self.question}" has values that are no numbers', "compare with = only") from None


def named(
    table: Mapping[str, Any], name: str, written: Mapping[str, str] | None = None, declined: str = DECLINED
) -> dict[str, Named]:
    """Return the names that conditions of a form may use for a question table.

    Args:
        table: Table of the survey file.
        name: Name of the question in the form.
        written: The form's words for values, options or statements, or None if the form uses the names of the survey
            file.
        declined: The form's word for "prefer not to say".
    """
    extras = [value for value, key in FLAGS.items() if table.get(key)]
    extras += [NOT_APPLICABLE] if "ask_if" in table else []
    if table["kind"] == MULTIPLE:
        options = written or {item: item for item in table["options"]}
        combinations = combinations_of(table, extras)
        meant = (*(combinations or YES_NO), *extras)
        return {name: Named(table["name"], meant, options, ticked=True, combined=bool(combinations))}
    if table["kind"] == RANKING:
        return {}
    cuts = tuple(map(str, table.get("cuts", ())))
    values = [*(interval_labels(cuts) if cuts else table.get("values") or YES_NO), *extras]
    own = {value: value for value in values if value not in EXTRAS}
    kept = (own if written is None else dict(written)) | ({declined: DECLINED} if DECLINED in extras else {})
    if table["kind"] != GRID:
        return {name: Named(table["name"], tuple(values), kept, cuts)}
    own |= {declined: DECLINED} if DECLINED in extras else {}
    parts = {item: f"{table['name']}_{item}" for item in table["statements"]}
    keys = {parts[item]: f"{name}.{form}" for form, item in (written or {}).items()}
    return {keys.get(part, part): Named(part, tuple(values), own) for part in parts.values()}


def conditions_of(expression: str, known: Mapping[str, Named]) -> tuple[Condition, ...]:
    """Return the conditions of ``ask_if`` for a form's condition, or an empty tuple if it is always true.

    Raises:
        SurveyError: If a part of the condition cannot be translated.
    """
    values: dict[str, tuple[str, ...]] = {}

    def read(node: Node) -> Node:
        if isinstance(node, Joined):
            return Joined(node.word, tuple(map(read, node.parts)))
        name, subject = _subject(node, known)
        values[name] = subject.values
        return Comparison(name, "in", tuple(value for value in subject.values if subject.holds(node, value)))

    node = read(parsed(expression))
    boxes = disjoint_boxes(node, lambda test: test.values, values.__getitem__, "")
    return one_box(boxes, [*dict.fromkeys(test.name for test in comparisons(node))], values.__getitem__, "")


def _subject(node: Comparison, known: Mapping[str, Named]) -> tuple[str, Named]:
    """Return the question that a comparison names."""
    if node.name not in known:
        problem = f'no question "{node.name}" that conditions can name is asked before it'
        raise SurveyError("", problem, "name a question that comes earlier in the form")
    subject = known[node.name]
    if not subject.ticked:
        return subject.question, subject
    if node.sign != "has" or len(node.values) != 1 or node.values[0] not in subject.written:
        remedy = f"ask whether it contains one of: {', '.join(subject.written)}"
        raise SurveyError("", f'"{node.name}" has several answers, and the condition does not name one of them', remedy)
    if subject.combined:
        return subject.question, subject
    return f"{subject.question}_{subject.written[node.values[0]]}", subject


class Dialect(NamedTuple):
    """Patterns of text for writing conditions in the syntax of a format.

    Attributes:
        question: Name of a question.
        empty: Condition that a question has no answer.
        ticked: Condition that an option is ticked.
        unticked: Condition that an option is not ticked.
        day: Day in a comparison.
        bare: Values that are written without quotation marks.
    """

    question: str
    empty: str
    ticked: str
    unticked: str
    day: str
    bare: tuple[str, ...] = ()

    def bound(self, cut: str) -> str:
        """Return a cut point as the form writes it in a comparison."""
        return self.day.format(cut) if DAY.fullmatch(cut) else cut

    def value(self, form: str) -> str:
        """Return a value as the form writes it in a comparison."""
        quote = '"' if "'" in form else "'"
        return form if form in self.bare else f"{quote}{form}{quote}"


XPATH = Dialect(
    "${{{0}}}", "${{{0}}} = ''", "selected(${{{0}}}, {1})", "not(selected(${{{0}}}, {1}))", day="date('{0}')"
)
SURVEYJS = Dialect(
    "{{{0}}}", "{{{0}}} empty", "{{{0}}} contains {1}", "{{{0}}} notcontains {1}", day="'{0}'", bare=("true", "false")
)


def expression_of(conditions: Sequence[Condition], known: Mapping[str, Named], dialect: Dialect) -> str | None:
    """Return a condition in the syntax of a format, or None if the format cannot express the condition."""
    parts = []
    for name, values in conditions:
        found = [part for key, subject in known.items() for part in _written(key, subject, name, values, dialect)]
        parts += [f"({' or '.join(found)})" if len(found) > 1 and len(conditions) > 1 else " or ".join(found)]
    expression = " and ".join(parts)
    try:
        read = conditions_of(expression, known)
        return expression if all(parts) and _merged(read) == _merged(conditions) else None
    except SurveyError:
        return None


def _merged(conditions: Sequence[Condition]) -> dict[str, set[str]]:
    """Return the values of each question that all conditions allow."""
    found: dict[str, set[str]] = {}
    for name, values in conditions:
        found[name] = found.get(name, {*values}) & {*values}
    return found


def _written(key: str, subject: Named, name: str, values: Sequence[str], dialect: Dialect) -> Iterator[str]:
    """Yield conditions that, joined by "or", say that a question has one of several values."""
    if subject.ticked:
        for form, option in subject.written.items():
            if (says := _says_of(subject, option, name, values)) is not None:
                yield (dialect.ticked if says else dialect.unticked).format(key, dialect.value(form))
        return
    if subject.question != name:
        return
    question, forms = dialect.question.format(key), {meant: form for form, meant in subject.written.items()}
    yield from _ranges(question, subject, values, dialect)
    for value in values:
        if value in forms and (value == DECLINED or not subject.cuts):
            yield f"{question} = {dialect.value(forms[value])}"
    if set(values) & set(NO_ANSWER):
        yield dialect.empty.format(key)


def _says_of(subject: Named, option: str, name: str, values: Sequence[str]) -> bool | None:
    """Return True if values require that an option is ticked, False if unticked, otherwise None."""
    if not subject.combined:
        return values[0] == YES_NO[0] if f"{subject.question}_{option}" == name else None
    having = holding(subject.values, option)
    lacking = tuple(value for value in subject.values if value not in having)
    says = {having: True, lacking: False}
    return says.get(tuple(values)) if subject.question == name else None


def _ranges(question: str, subject: Named, values: Sequence[str], dialect: Dialect) -> Iterator[str]:
    """Yield conditions for ranges of neighbouring intervals."""
    bounds = [dialect.bound(cut) for cut in subject.cuts]
    meant = [value in values for value in subject.values[: len(bounds) + 1]] if bounds else []
    for inside, stretch in groupby(range(len(meant)), key=lambda each: meant[each]):
        places = list(stretch)
        first, last = places[0], places[-1]
        ends = [f"{question} >= {bounds[first - 1]}"] if first else []
        ends += [f"{question} < {bounds[last]}"] if last < len(bounds) else []
        if inside and not ends:
            yield from (f"{question} < {bounds[0]}", f"{question} >= {bounds[0]}")
        elif inside:
            yield f"({' and '.join(ends)})" if len(ends) > 1 else ends[0]
