"""The language of conditions in survey files, commands and Python, as in ``age >= 18 and not (by has boss or a = b)``.

::

    condition   all {"or" all}
    all         one {"and" one}
    one         "not" one | "(" condition ")" | question sign value
                | question "in" "(" value {"," value} ")" | question "has" option
    sign        = != < <= > >=
    value       text in double or single quotes, in which that quote is written twice
                | text without quotes; it ends where a bracket closes, or "and" or "or" begins the next comparison

The meaning of a condition is defined in `collector.conditions.meaning` and explained to users in docs/survey-file.md.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, NoReturn

from collector.errors import SurveyError

NAME, SIGN = r"[a-z][a-z0-9_]*", r"(?:[!<>]=|[=<>])"
NEGATION = re.compile(rf"not\b(?!\s*{SIGN})\s*")  # the word "not", but not a question of this name
COMPARED = re.compile(rf"({NAME})(?:\s*({SIGN})\s*|\s+(in)\b\s*|\s+(has)\b\s*)")
COMPARES = rf"{NAME}\s*(?:{SIGN}|(?<=\s)in\s*\(|(?<=\s)has\s)"
JOINS = re.compile(rf"(?:and|or)(?:\s*$|\s*[()]|\s+(?:{NEGATION.pattern}|(?:(?:NOT|Not)\s+|!\s*)?{COMPARES}))")
"""The words "and" and "or" before the next comparison or at the end. Any other "and" belongs to a value."""
SPACE, OPENING, CLOSING, COMMA = (re.compile(each) for each in (r"\s*", r"\(", r"\)", r"\s*,"))
QUOTED = re.compile(r"\"((?:[^\"]|\"\")*)\"|'((?:[^']|'')*)'")
FOREIGN = re.compile(rf"(&&?|\|\|?|AND\b|And\b|OR\b|Or\b)\s*(?:!|(?i:not)\b|[(\s])*{COMPARES}")
"""Other programs' words between two comparisons."""
WRITTEN = {"==": '"="', "<>": '"!="', "=>": '">="', "=<": '"<="', "!": '"not"', "NOT": '"not"', "Not": '"not"'}
"""What to write here in place of other programs' signs."""
SPELT = re.compile(r"==|<>|=[<>](?=\s)|!(?!=)|(?:NOT|Not)\b")
KEYWORDS = {"and", "or", "not", "in", "has"}
PLAIN = re.compile(r"(?!')[^\s\"=<>!(),]+")  # values that need no quotes
BARE = re.compile(rf"(?!(?:{'|'.join(KEYWORDS)})\b)({NAME})\s*")
SIGNS = ("=", "!=", "<", "<=", ">", ">=", "in", "has")
DEEPEST = 50  # deepest nesting of brackets and "not"


class Comparison(NamedTuple):
    """A comparison of a question with values, with the position (from 0) of each part in the text."""

    name: str
    sign: str
    values: tuple[str, ...]
    at: int = 0
    places: tuple[int, ...] = ()


class Joined(NamedTuple):
    """Conditions joined by ``and`` or ``or``, or one condition negated by ``not``."""

    word: str
    parts: tuple["Node", ...]


Node = Comparison | Joined


def refuse(place: str, at: int, problem: str, remedy: str) -> NoReturn:
    """Raise a `SurveyError` that names a character of a condition, counted from 1."""
    raise SurveyError(f"{place}, character {at + 1}", problem, remedy)


def parsed(text: str, place: str) -> Node:
    """Return a condition as a tree.

    Args:
        text: Text of the condition.
        place: Place that errors name.

    Raises:
        SurveyError: If the text is not a valid condition.
    """
    return _Reader(text, place).whole()


def comparisons(node: Node) -> Iterator[Comparison]:
    """Yield the comparisons of a parsed condition, in the order of the text."""
    if isinstance(node, Comparison):
        yield node
    else:
        for part in node.parts:
            yield from comparisons(part)


def comparisons_in(text: str) -> list[Comparison]:
    """Return the comparisons in the text of a condition, or an empty list if the text is not a valid condition."""
    try:
        return [*comparisons(parsed(text, ""))]
    except SurveyError:
        return []


def written(value: str) -> str:
    """Return a value in the syntax of conditions, with double quotes unless the value is a plain word."""
    plain = PLAIN.fullmatch(value) is not None and value not in KEYWORDS
    return value if plain else '"' + value.replace('"', '""') + '"'


def written_one_of(name: str, values: Sequence[str]) -> str:
    """Return the text of the condition that a question has one of several values."""
    words = [written(value) for value in values]
    return f"{name} = {words[0]}" if len(words) == 1 else f"{name} in ({', '.join(words)})"


class _Reader:
    """The reader of a condition, from left to right.

    The operator ``not`` binds closer than ``and``, and ``and`` binds closer than ``or``.
    """

    def __init__(self, text: str, place: str) -> None:
        self._text, self._place = text, place
        self._at = self._depth = 0

    def whole(self) -> Node:
        found = self._joined("or")
        self._taken(SPACE)
        if self._at < len(self._text):
            if self._text[self._at] == ")":
                self._refuse("it closes a bracket that is not open", 'drop ")", or put the value in quotes')
            self._refuse("the comparison before this is complete", 'put "and" or "or" here, or the value in quotes')
        return found

    def _taken(self, words: re.Pattern[str]) -> re.Match[str] | None:
        found = words.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return found

    def _joined(self, word: str) -> Node:
        parts, joins = list[Node](), re.compile(rf"\s*\b{word}\b\s*")
        while not parts or self._taken(joins):
            parts.append(self._one() if word == "and" else self._joined("and"))
        return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))

    def _one(self) -> Node:
        self._taken(SPACE)
        opened, turned = self._at, self._taken(NEGATION)
        if not turned and not self._taken(OPENING):
            return self._test()
        self._depth += 1
        if self._depth > DEEPEST:
            self._refuse(f'more than {DEEPEST} brackets and "not" stand in each other', "write it with fewer")
        found = self._one() if turned else self._joined("or")
        self._depth -= 1
        if turned:
            return Joined("not", (found,))
        self._close(opened)
        return found

    def _close(self, opened: int) -> None:
        self._taken(SPACE)
        if self._taken(CLOSING):
            return
        if self._at == len(self._text):
            self._at = opened
            self._refuse("the bracket is not closed", 'put ")" behind what belongs together')
        self._refuse("the comparison before this is complete", 'put "and", "or" or ")" here, or the value in quotes')

    def _test(self) -> Comparison:
        self._check_spelling(self._at)
        at, found = self._at, self._taken(COMPARED)
        if found is not None and found[2] is not None:
            self._check_spelling(found.start(2))
        if found is None:
            name = self._taken(BARE)
            if name is None:
                self._refuse("the name of a question is missing", "write NAME = VALUE, such as year = first")
            self._refuse(f'"{name[1]}" needs a comparison', f"write one of: {', '.join(SIGNS)}")
        if found[3] is None:
            value, place = self._value(listed=False)
            return Comparison(found[1], found[2] or found[4], (value,), at, (place,))
        opened = self._at
        if not self._taken(OPENING):
            self._refuse('"(" is missing', 'open the list with "(", such as in (first, second)')
        pairs = [self._value(listed=True)]
        while self._taken(COMMA):
            pairs.append(self._value(listed=True))
        self._close(opened)
        return Comparison(found[1], "in", tuple(value for value, _ in pairs), at, tuple(place for _, place in pairs))

    def _value(self, *, listed: bool) -> tuple[str, int]:
        """Return the next value in the text, and the position at which the value begins."""
        self._taken(SPACE)
        at = self._at
        if self._text[at : at + 1] not in {'"', "'"}:
            return self._bare(listed=listed), at
        found = self._taken(QUOTED)
        if found is None:
            self._refuse("the quotes are not closed", "close them; a quote inside is written twice")
        if self._text[self._at : self._at + 1].strip(" \t\n,)"):
            self._refuse("the quotes end before the value does", "put the quotes around the whole value")
        return (found[2].replace("''", "'") if found[1] is None else found[1].replace('""', '"')), at

    def _bare(self, *, listed: bool) -> str:
        begin, opened = self._at, list[int]()
        while self._at < len(self._text):
            each = self._text[self._at]
            if not opened and (each == ")" or (each == "," if listed else self._joins(begin))):
                break
            if found := None if opened or listed else FOREIGN.match(self._text, self._at):
                word = "or" if found[1][0] in "|Oo" else "and"
                self._refuse(f'"{found[1]}" does not join conditions', f'write "{word}", or put the value in quotes')
            if each == "(":
                opened.append(self._at)
            elif each == ")":
                opened.pop()
            self._at += 1
        if opened:
            remedy = "close it; if it belongs to a value, put the value in quotes"
            refuse(self._place, opened[0], "the bracket is not closed", remedy)
        value = self._text[begin : self._at].strip()
        if not value or value.startswith("="):
            remedy = 'write one; put it in quotes if it begins with "=", or has a bracket, "and" or "or" in it'
            refuse(self._place, begin, "a value is missing", remedy)
        return value

    def _check_spelling(self, at: int) -> None:
        """Refuse another program's sign at a position of the text."""
        found = SPELT.match(self._text, at)
        if found:
            refuse(self._place, at, f'"{found[0]}" is not written so here', f"write {WRITTEN[found[0]]}")

    def _joins(self, begin: int) -> bool:
        """Return whether an unquoted value ends at the current position."""
        free = self._at == begin or self._text[self._at - 1].isspace()
        return free and JOINS.match(self._text, self._at) is not None

    def _refuse(self, problem: str, remedy: str) -> NoReturn:
        refuse(self._place, self._at, problem, remedy)
