"""The parser of conditions in forms, limited to the conditions that ``ask_if`` can express."""

import re

from collector.conditions.language import Comparison, Joined, Node
from collector.errors import SurveyError

TOKEN = re.compile(
    r"\s*(?:\$?\{(?P<name>[^{}]+)\}|(?P<text>'[^']*'|\"[^\"]*\")|(?P<number>-?[0-9]+(?:\.[0-9]+)?)"
    r"|(?P<mark>>=|<=|!=|<>|==|&&|\|\||[=<>()\[\],!])|(?P<word>[A-Za-z_][\w:.-]*))"
)
SPELLINGS = {
    "=": "= == equal",
    "!=": "!= <> notequal",
    "<": "< less",
    "<=": "<= lessorequal",
    ">": "> greater",
    ">=": ">= greaterorequal",
    "in": "anyof in",
    "has": "contains contain",
    "lacks": "notcontains notcontain",
    "empty": "empty",
    "filled": "notempty",
}
COMPARED = {word: operator for operator, words in SPELLINGS.items() for word in words.split()}
QUOTES = dict.fromkeys((0x2018, 0x2019), "'") | dict.fromkeys((0x201C, 0x201D), '"')  # curly quotes of office programs
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
REMEDY = "compare questions above it with values, joined by and, or ask everybody"


def parsed(expression: str) -> Node:
    """Return a condition of a form as a tree of comparisons, in which ``empty`` is also a sign.

    Raises:
        SurveyError: If a part of the expression cannot be read.
    """
    try:
        return _Parser(expression).whole()
    except RecursionError:
        raise SurveyError("", "the brackets of the condition are nested too deep", REMEDY) from None


def _misplaced(kind: str, word: str, wanted: str) -> str:
    """Return the description of an unexpected token as the problem of an error."""
    return (
        f"the condition ends where {wanted} should stand" if kind == "end" else f'"{word}" stands where {wanted} should'
    )


class _Parser:
    def __init__(self, expression: str) -> None:
        expression = expression.translate(QUOTES)
        self.tokens: list[tuple[str, str]] = []
        at, end = 0, len(expression.rstrip())
        while at < end:
            found = TOKEN.match(expression, at)
            if found is None or found.lastgroup is None:
                raise SurveyError("", f'it cannot be read from "{expression[at : at + 20].strip()}" on', REMEDY)
            self.tokens.append((found.lastgroup, found[found.lastgroup]))
            at = found.end()
        self.tokens.append(("end", ""))

    def whole(self) -> Node:
        """Return the whole expression as a tree."""
        node = self._joined("or", "||")
        self._expect("")
        return node

    def _next(self) -> tuple[str, str]:
        return self.tokens.pop(0) if len(self.tokens) > 1 else self.tokens[0]

    def _taken(self, *words: str) -> bool:
        kind, word = self.tokens[0]
        if kind in {"word", "mark"} and word.lower() in words:
            self._next()
            return True
        return False

    def _expect(self, mark: str) -> None:
        kind, word = self._next()
        if word != mark or kind not in {"mark", "end"}:
            raise SurveyError("", _misplaced(kind, word, f'"{mark}"' if mark else "its end"), REMEDY)

    def _joined(self, word: str, mark: str) -> Node:
        parts = [self._joined("and", "&&") if word == "or" else self._one()]
        while self._taken(word, mark):
            parts.append(self._joined("and", "&&") if word == "or" else self._one())
        return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))

    def _one(self) -> Node:
        if self._taken("not", "!"):
            turned = self._one()
            if isinstance(turned, Joined) and turned.word == "not":
                return turned.parts[0]
            return Joined("not", (turned,))
        if self._taken("("):
            node = self._joined("or", "||")
            self._expect(")")
            return node
        if self._taken("selected"):
            self._expect("(")
            name, _ = self._operand()
            self._expect(",")
            wanted = self._operand()[1]
            self._expect(")")
            return Comparison(name, "has", wanted)
        return self._comparison()

    def _comparison(self) -> Node:
        name, first = self._operand()
        kind, word = self._next()
        operator = COMPARED.get(word.lower()) if kind in {"word", "mark"} else None
        if operator is None:
            raise SurveyError("", f'"{word or "its end"}" is no comparison', REMEDY)
        if operator in {"empty", "filled"}:
            empty = Comparison(name, "empty", ())
            return empty if operator == "empty" else Joined("not", (empty,))
        other, second = self._operand()
        if bool(name) == bool(other):
            raise SurveyError("", "the condition does not compare a question with values", REMEDY)
        if operator == "lacks":
            return Joined("not", (Comparison(name or other, "has", second or first),))
        return Comparison(name, operator, second) if name else Comparison(other, TURNED.get(operator, operator), first)

    def _operand(self) -> tuple[str, tuple[str, ...]]:
        kind, word = self._next()
        if kind == "name":
            return word.strip(), ()
        if kind == "mark" and word == "[":
            values = self._operand()[1]
            while self._taken(","):
                values += self._operand()[1]
            self._expect("]")
            return "", values
        if kind == "word" and word.lower() in {"true", "false"}:
            if self._taken("("):
                self._expect(")")
            return "", (word.lower(),)
        if kind == "word" and word == "date" and self.tokens[0][1] == "(":
            self._expect("(")
            values = self._operand()[1]
            self._expect(")")
            return "", values
        if kind not in {"text", "number"}:
            problem = f'"{word}" is not supported' if kind == "word" else _misplaced(kind, word, "a value")
            raise SurveyError("", problem, REMEDY)
        return "", (word[1:-1] if kind == "text" else word,)
