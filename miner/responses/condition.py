"""The condition language of ``miner estimate``: ``cannabis = yes and year in (first, second) and income >= 800``.

::

    condition   clause {"and" clause}
    clause      question ("=" | "!=" | "<" | ">=") value
                | question "in" "(" value {"," value} ")"
            | question "has" option
    value       a word, or text in double quotes, in which a double quote is written twice

``has`` is of options to tick that are one question: it admits the combinations that hold the option. ``<`` and ``>=``
compare numbers and days with a cut point, scales with a value in its order. Several clauses on one question must all
hold. A condition compiles to the values it admits for each question it names, and these to codes.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from collector.errors import QueryError
from collector.survey.question import Question
from collector.survey.survey import Survey
from collector.survey.ticks import holding
from miner.responses.responses import codes_of_values

ValueSets = Mapping[str, frozenset[int]]
"""Question names, each with the indices of the values admitted. A question that is not named may have any."""

TOKEN = re.compile(
    r"""\s*(?: "(?P<quoted>(?:[^"]|"")*)"       # "" is a double quote
             | (?P<sign> !=|>=|<=|[=<>(),] )
             | (?P<word> [^\s"=<>!(),]+ )
             | (?P<end> $ ) )""",
    re.VERBOSE,
)
SIGNS = ("=", "!=", "<", ">=")


def parse_condition(survey: Survey, text: str) -> dict[str, frozenset[int]]:
    """Read a condition.

    Args:
        survey: The survey whose questions it names.
        text: The condition, on one line.

    Returns:
        For each question named, the indices of the values for which every clause on it holds: one at least.

    Raises:
        QueryError: Naming the character, counted from 1, and the remedy; also where no value meets all clauses.
    """
    return _ConditionReader(survey, _tokens(text)).condition()


def read_condition(survey: Survey, condition: ValueSets | str) -> ValueSets:
    """A condition as the values it admits: a text is parsed, anything else is returned as it is."""
    return parse_condition(survey, condition) if isinstance(condition, str) else condition


def event_of(survey: Survey, condition: Mapping[str, Collection[int]] | str) -> dict[str, frozenset[int]]:
    """The codes that stand for the values a condition admits; the condition may be given as text too."""
    if isinstance(condition, str):
        condition = parse_condition(survey, condition)
    return {name: codes_of_values(survey.question(name), values) for name, values in condition.items()}


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    position: int

    def error(self, problem: str, remedy: str) -> QueryError:
        return QueryError(f"condition, character {self.position}", problem, remedy)

    def is_word(self, text: str) -> bool:
        return self.kind == "word" and self.text == text


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    start = 0
    while not tokens or tokens[-1].kind != "end":
        match = TOKEN.match(text, start)
        if match is None:
            position = start + len(text[start:]) - len(text[start:].lstrip())
            raise _unreadable(text[position], position + 1)
        kind = str(match.lastgroup)
        content = match[kind].replace('""', '"') if kind == "quoted" else match[kind]
        tokens.append(_Token(kind, content, match.start(kind) + (kind != "quoted")))
        start = match.end()
    return tokens


def _unreadable(character: str, position: int) -> QueryError:
    place = f"condition, character {position}"
    if character == '"':
        return QueryError(place, "the quotes are not closed", 'close them; a quote inside is written twice ("")')
    return QueryError(place, f'"{character}" alone means nothing', f"compare with one of: {', '.join(SIGNS)}, in")


class _ConditionReader:
    """Recursive descent over the tokens of one condition."""

    def __init__(self, survey: Survey, tokens: list[_Token]) -> None:
        self._survey = survey
        self._tokens = tokens
        self._next = 0

    def condition(self) -> dict[str, frozenset[int]]:
        admitted: dict[str, frozenset[int]] = {}
        while True:
            token, question = self._tokens[self._next], self._question()
            values = self._clause(question)
            admitted[question.name] = admitted.get(question.name, values) & values
            if not admitted[question.name]:
                raise token.error(f'no value of "{question.name}" meets all that is asked of it', "ask for less")
            token = self._take()
            if token.kind == "end":
                return admitted
            if not token.is_word("and"):
                raise token.error("the clause before this is complete", 'put "and" here, or quote values with spaces')

    def _take(self) -> _Token:
        token = self._tokens[self._next]
        self._next += token.kind != "end"
        return token

    def _question(self) -> Question:
        token = self._take()
        names = ", ".join(question.name for question in self._survey.questions)
        if token.kind != "word" or token.text in {"and", "in"}:
            raise token.error("the name of a question is missing", f"write one of: {names}")
        try:
            return self._survey.question(token.text)
        except QueryError as error:
            raise token.error(error.problem, error.remedy) from None

    def _clause(self, question: Question) -> frozenset[int]:
        sign = self._take()
        if sign.is_word("in"):
            return self._listed(question)
        if sign.is_word("has"):
            return self._holding(question, sign)
        if sign.kind != "sign" or sign.text not in SIGNS:
            raise sign.error(f'"{question.name}" needs a comparison', f"write one of: {', '.join(SIGNS)}, in")
        value = self._value()
        if sign.text in {"=", "!="}:
            equal = frozenset({_value_index(question, value)})
            return equal if sign.text == "=" else frozenset(range(len(question.values))) - equal
        if not question.ordered:
            raise sign.error(f'"{question.name}" has no order', "use =, != or in")
        threshold = _threshold(question, value)
        return frozenset(range(threshold) if sign.text == "<" else range(threshold, question.in_order))

    def _holding(self, question: Question, sign: _Token) -> frozenset[int]:
        options, option = options_of(self._survey, question), self._value()
        if not options:
            raise sign.error(f'"{question.name}" has no options that are ticked together', "use =, != or in")
        if option.text not in options:
            raise option.error(f'"{question.name}" has no such option', f"use one of: {', '.join(options)}")
        return values_having(question, option.text)

    def _listed(self, question: Question) -> frozenset[int]:
        self._sign("(", 'open the list with "(", such as in (first, second)')
        values = set()
        while True:
            values.add(_value_index(question, self._value()))
            token = self._take()
            if token.kind == "sign" and token.text == ")":
                return frozenset(values)
            if token.kind != "sign" or token.text != ",":
                raise token.error("the list goes on without a comma", 'put "," between values and ")" after the last')

    def _sign(self, text: str, remedy: str) -> None:
        token = self._take()
        if token.kind != "sign" or token.text != text:
            raise token.error(f'"{text}" is missing', remedy)

    def _value(self) -> _Token:
        token = self._take()
        if token.kind == "quoted" or (token.kind == "word" and token.text not in {"and", "in"}):
            return token
        raise token.error("a value is missing", "write one; between double quotes if it is not a plain word")


def options_of(survey: Survey, question: Question) -> tuple[str, ...]:
    """The options of a question whose values are combinations of ticks; none of any other question."""
    screen = survey.screen_of(question.name)
    return tuple(name for name, _ in screen.items) if screen is not None and screen.is_combined else ()


def values_having(question: Question, option: str) -> frozenset[int]:
    """The values whose combination holds an option, as indices."""
    return frozenset(map(question.values.index, holding(question.base, option)))


def written(value: str) -> str:
    """A value as a condition says it: between double quotes unless it is a plain word."""
    match = TOKEN.fullmatch(value)
    plain = match is not None and match["word"] == value and value not in {"and", "in"}
    return value if plain else '"' + value.replace('"', '""') + '"'


def _value_index(question: Question, token: _Token) -> int:
    try:
        return question.value_index(token.text)
    except QueryError as error:
        remedy = error.remedy
        if token.kind == "word" and any(written(value) != value for value in question.values):
            listed = ", ".join(map(written, question.values))
            remedy = f"put a value that is not a plain word between double quotes; use one of: {listed}"
        raise token.error(f'"{question.name}" has no such value', remedy) from None


def _threshold(question: Question, token: _Token) -> int:
    """The number of values below the threshold."""
    if question.kind != "number":
        if token.text in question.bounds:
            return question.bounds.index(token.text) + 1
        if token.text in question.values[question.in_order :]:
            raise token.error(f'"{token.text}" has no place in the order', "use =, != or in")
        return _value_index(question, token)
    cuts = ", ".join(map(str, question.cuts))
    try:
        number = float(token.text)
    except ValueError:
        raise token.error("it is not a number", f"compare with a cut point: {cuts}") from None
    if number not in question.cuts:
        raise token.error(f'"{question.name}" is not cut there', f"compare with a cut point: {cuts}")
    return question.cuts.index(number) + 1
