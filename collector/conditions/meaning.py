"""The meaning of a condition in a survey: the combinations of answers for which the condition is true.

The combinations are divided into disjoint boxes. A box allows a set of values for each of some questions. A condition
of the key ``ask_if`` must allow one set of values for each question. An estimate for a condition is the sum of
estimates for its disjoint boxes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from collector.characters import code_point, compared, look, same
from collector.conditions.language import SIGNS, Comparison, Joined, Node, comparisons, parsed, refuse, written
from collector.errors import SurveyError, suggestion
from collector.survey.question import EXTRAS, interval_labels
from collector.survey.routing import MOST_BOXES
from collector.survey.screen import Condition
from collector.survey.ticks import holding

ValueBox = Mapping[str, frozenset[str]]
"""Values by name of the question. A question that is not named may have any value."""
Meaning = Callable[[Comparison], tuple[str, ...]]
"""A function that returns the values of its question for which a comparison holds."""
EVERYBODY, NOBODY = Joined("and", ()), Joined("or", ())
_Boxes = tuple[tuple[tuple[str, frozenset[str]], ...], ...]


@dataclass(frozen=True)
class Subject:
    """The question that a comparison is about.

    Attributes:
        name: Name of the question.
        values: Values of the question, with extra values (`EXTRAS`) last, or an empty list that accepts any value.
        ordered: Whether the values have an order, apart from extra values.
        options: Options, if the values are combinations of options.
    """

    name: str
    values: tuple[str, ...]
    ordered: bool = False
    options: tuple[str, ...] = ()

    def meant(self, test: Comparison, place: str) -> tuple[str, ...]:
        """Return the values for which a comparison is true.

        For the signs ``=`` and ``in``, values are returned in the order of the condition's text, otherwise in the order
        of the question.

        Raises:
            SurveyError: If the question does not allow the comparison.
        """
        values = tuple(same(each, self.values) or compared(each) for each in test.values)
        test = test._replace(values=values)
        if test.sign == "has":
            return self._holding(test, place)
        if test.sign not in {"=", "!=", "in"}:
            return self._in_order(test, place)
        for value, at in zip(test.values, test.places, strict=True):
            if self.values and value not in self.values:
                self._unknown(value, at, self.values, place)
        return test.values if test.sign != "!=" else tuple(each for each in self.values if each not in test.values)

    def _unknown(self, value: str, at: int, known: Sequence[str], place: str) -> NoReturn:
        refuse(
            place,
            at,
            f'"{self.name}" has no value "{value}"{odd_in(value, known)}',
            suggestion(value, map(written, known)),
        )

    def _holding(self, test: Comparison, place: str) -> tuple[str, ...]:
        (option,), (at,) = test.values, test.places
        if not self.options:
            problem = f'"{self.name}" has no options that are ticked together'
            refuse(place, test.at, problem, f"use one of: {', '.join(SIGNS[:-1])}")
        if option not in self.options:
            known = suggestion(option, map(written, self.options))
            refuse(place, at, f'"{self.name}" has no option "{option}"', known)
        return holding(self.values, option)

    def _in_order(self, test: Comparison, place: str) -> tuple[str, ...]:
        (value,), (at,) = test.values, test.places
        base = tuple(each for each in self.values if each not in EXTRAS)
        cuts = tuple(each.partition("..")[0].removeprefix(">=") for each in base[1:])
        if self.values and not self.ordered:
            refuse(place, test.at, f'"{self.name}" has no order', "use =, != or in")
        if value in self.values and value not in base:
            refuse(place, at, f'"{value}" has no place in the order', "use =, != or in")
        if value in base:
            end = base.index(value) + (test.sign in {"<=", ">"})
        elif cuts and base == interval_labels(cuts):
            end = self._cut(test, cuts, place)
        else:
            self._unknown(value, at, base, place)
        return base[:end] if test.sign.startswith("<") else base[end:]

    def _cut(self, test: Comparison, cuts: Sequence[str], place: str) -> int:
        """Return the number of intervals below a cut point."""
        (value,), listed = test.values, ", ".join(cuts)
        below = next((number for number, each in enumerate(cuts, 1) if _same(each, value)), None)
        if below is None:
            refuse(place, test.places[0], f'"{self.name}" is not cut there', f"compare with a cut point: {listed}")
        if test.sign in {"<=", ">"}:
            problem = f'"{self.name}" is known in intervals that begin with {listed}, and {test.sign} {value} parts one'
            refuse(place, test.at, problem, "write < or >= with a cut point")
        return below


def odd_in(text: str, texts: Sequence[str]) -> str:
    """Return a remark on the non-ASCII characters of a text that looks like a known text, or an empty text."""
    alike = next((each for each in texts if look(each) == look(text)), None)
    odd = [each for each in dict.fromkeys(text) if not each.isascii() and each not in (alike or "")]
    return f": it has {', '.join(map(code_point, odd))}" if alike is not None and odd else ""


def _same(cut: str, value: str) -> bool:
    try:
        return cut == value or float(cut) == float(value)
    except ValueError:
        return False


def unchecked(test: Comparison) -> Subject:
    """Return the question that a comparison is about, without a check of the values."""
    return Subject(test.name, ())


def conditions_in(
    text: str, place: str = "ask_if", subject: Callable[[Comparison], Subject] = unchecked
) -> tuple[Condition, ...]:
    """Return a condition of ``ask_if`` as conditions on single questions, all of which must be true.

    Args:
        text: Text of the condition.
        place: Place that errors name.
        subject: Function that returns the question that a comparison is about, or raises an error.

    Returns:
        The conditions on single questions, in the order of the text if "and" joins them.

    Raises:
        SurveyError: If the condition cannot be read, or is not one set of values for each question.
    """
    node, known = parsed(text, place), dict[str, Subject]()

    def meant(test: Comparison) -> tuple[str, ...]:
        known[test.name] = found = subject(test)
        return found.meant(test, place)

    def values(name: str) -> Sequence[str]:
        return known[name].values

    meanings = {test: meant(test) for test in comparisons(node)}
    parts = [*_conjuncts(node)]
    if all(len(_names(part)) == 1 for part in parts):
        found = tuple((_names(part)[0], _values(part, meanings.__getitem__, values)) for part in parts)
        if not any(set(some) == set(values(name)) for name, some in found):
            return found
    found = one_box(disjoint_boxes(node, meanings.__getitem__, values, place), _names(node), values, place)
    if not found:
        raise SurveyError(place, "the condition holds for everybody", "remove the condition, or name fewer values")
    return found


def one_box(
    boxes: Sequence[ValueBox], names: Sequence[str], values: Callable[[str], Sequence[str]], place: str
) -> tuple[Condition, ...]:
    """Return a condition with one box (one set of values per question) as conditions on single questions.

    Args:
        boxes: Disjoint boxes of the condition, from `disjoint_boxes`.
        names: Names of questions, in the order of the returned conditions.
        values: Function that returns the values of a question.
        place: Place that errors name.

    Raises:
        SurveyError: If there are several boxes, or the condition is true for nobody.
    """
    if not boxes:
        fits = f'no value of "{names[0]}" fits it' if len(names) == 1 else "no answers fit it"
        raise SurveyError(place, fits, "remove the question, or correct the condition")
    if len(boxes) > 1:
        problem = f'it joins questions by "or": {", ".join(names)}; who is asked is decided question by question'
        raise SurveyError(place, problem, 'join conditions on different questions with "and" only')
    box = boxes[0]
    return tuple((name, tuple(each for each in values(name) if each in box[name])) for name in names if name in box)


def _names(node: Node) -> list[str]:
    return list(dict.fromkeys(test.name for test in comparisons(node)))


def _conjuncts(node: Node) -> Iterator[Node]:
    """Yield the parts of a condition that "and" joins, after each "not" is moved into the parts."""
    if isinstance(node, Joined) and node.word == "and":
        for part in node.parts:
            yield from _conjuncts(part)
    elif isinstance(node, Joined) and node.word == "not" and len(_names(node)) > 1:
        inner = node.parts[0]
        if isinstance(inner, Joined) and inner.word == "not":
            yield from _conjuncts(inner.parts[0])
        elif isinstance(inner, Joined) and inner.word == "or":
            for part in inner.parts:
                yield from _conjuncts(Joined("not", (part,)))
        else:
            yield node
    else:
        yield node


def _values(node: Node, meant: Meaning, values: Callable[[str], Sequence[str]]) -> tuple[str, ...]:
    """Return the values for which a condition on one question is true."""
    if isinstance(node, Comparison):
        return meant(node)
    each = [_values(part, meant, values) for part in node.parts]
    if node.word == "not":
        return tuple(value for value in values(_names(node)[0]) if value not in each[0])
    if node.word == "or":
        return tuple(dict.fromkeys(value for part in each for value in part))
    return tuple(value for value in each[0] if all(value in part for part in each))


def disjoint_boxes(
    node: Node, meant: Meaning, values: Callable[[str], Sequence[str]], place: str
) -> tuple[ValueBox, ...]:
    """Return the answers for which a condition is true, as disjoint boxes.

    Two conditions that mean the same, and name the questions in the same order, have equal boxes.

    Args:
        node: Condition as a tree.
        meant: Function from a comparison to the values for which it is true.
        values: Function from a question to all its values.
        place: Place that errors name.

    Returns:
        The boxes, or an empty tuple if the condition is true for nobody. Questions that may have any value are not part
        of a box.

    Raises:
        SurveyError: If there are more than `MOST_BOXES` boxes.
    """
    names = _names(node)
    sets = {test: frozenset(meant(test)) for test in comparisons(node)}
    opposites: dict[Node, Node] = {EVERYBODY: NOBODY, NOBODY: EVERYBODY}
    done: dict[Node, _Boxes] = {EVERYBODY: ((),), NOBODY: ()}

    def decided(part: Node, name: str, value: str) -> Node:
        """Return the part of a condition that remains if a question has the given value."""
        if isinstance(part, Comparison):
            return part if part.name != name else EVERYBODY if value in sets[part] else NOBODY
        left = [decided(each, name, value) for each in part.parts]
        if part.word == "not":
            return opposites.get(left[0], Joined("not", (left[0],)))
        ends, passes = (NOBODY, EVERYBODY) if part.word == "and" else (EVERYBODY, NOBODY)
        kept = tuple(each for each in left if each != passes)
        return ends if ends in kept else Joined(part.word, kept)

    def boxes(part: Node, depth: int) -> _Boxes:
        if part in done:
            return done[part]
        alike: dict[_Boxes, list[str]] = {}
        for value in values(names[depth]):
            alike.setdefault(boxes(decided(part, names[depth], value), depth + 1), []).append(value)
        found = tuple(
            ((names[depth], frozenset(some)), *box) if len(alike) > 1 else box
            for rest, some in alike.items()
            for box in rest
        )
        if len(found) > MOST_BOXES:
            problem = f"more than {MOST_BOXES} combinations of answers meet it"
            raise SurveyError(place, problem, 'name fewer questions, or use "or" less often')
        done[part] = found
        return found

    return tuple(dict(box) for box in boxes(node, 0))
