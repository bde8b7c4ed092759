"""A question with its text, values and coding. Questions are immutable, and are checked when they are created."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from collector.characters import same
from collector.coding.coding import Coding
from collector.errors import QueryError, SurveyError, suggestion
from collector.survey.fields import LARGEST_NUMBER
from collector.survey.text import Text, as_written, check_text

KINDS = ("yes_no", "choice", "scale", "number")
ORDERED = ("scale", "number")
YES_NO = ("yes", "no")
DECLINED, SKIPPED, NOT_APPLICABLE = "prefer_not_to_say", "no_answer", "not_applicable"
EXTRAS = (DECLINED, SKIPPED, NOT_APPLICABLE)
"""Values that give the reason for a missing answer. They come last, in this order. The page has words for them."""
NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
RESERVED = frozenset({"id", "and", "in"})  # names of the store's key and of the words in a condition
CODE_MARK = "#"  # mark of a code in a table: #5 is the code 5, not a value
MOST_VALUES = 256


def check_name(name: str, place: str) -> None:
    """Check that a name is allowed for a survey, a question or a column.

    Raises:
        SurveyError: If the name is not allowed.
    """
    if not NAME.fullmatch(name):
        raise SurveyError(
            place,
            "the name is not made of a to z, digits and _ (at most 63 characters, beginning with a letter)",
            "choose a name such as year_1",
        )
    if name in RESERVED:
        raise SurveyError(place, f'the name "{name}" is reserved', "choose another")


def interval_labels(cuts: tuple[float | str, ...] | tuple[float, ...]) -> tuple[str, ...]:
    """Return labels of the intervals between cut points, such as ``<400``, ``400..800`` and ``>=800``.

    An interval contains its lower end and excludes its upper end.
    """
    if not cuts:
        return ()
    inner = [f"{low}..{high}" for low, high in pairwise(cuts)]
    return (f"<{cuts[0]}", *inner, f">={cuts[-1]}")


def check_values(values: tuple[str, ...], place: str) -> None:
    """Check that a question has at least two values, which are different and do not look like the code ``#5``.

    Raises:
        SurveyError: If a value is not allowed, or the number of values is wrong.
    """
    if not 1 < len(values) <= MOST_VALUES:
        raise SurveyError(place, f"there are not 2 to {MOST_VALUES} values", "list every value a person may give")
    for value in values:
        check_text(value, place)
        if value.startswith(CODE_MARK):
            raise SurveyError(place, 'a value begins with "#", which marks a code', "write the value without #")
    twice = [value for value in values if values.count(value) > 1]
    if twice and twice[0] in {DECLINED, SKIPPED, NOT_APPLICABLE}:
        problem = f'"{twice[0]}" is listed, but is added automatically'
        raise SurveyError(place, problem, "remove the value: the keys decline, optional and ask_if add it")
    if twice:
        raise SurveyError(place, f'"{twice[0]}" is listed twice', "list each value once")


def check_prior(prior: tuple[Fraction, ...], values: int, place: str) -> None:
    """Check that each value has a positive frequency, and that all frequencies add up to exactly 1.

    Raises:
        SurveyError: If a frequency is not positive, or the frequencies do not add up to 1.
    """
    if len(prior) != values:
        raise SurveyError(place, "the prior does not name each value exactly once", "give one frequency for each value")
    if any(share <= 0 for share in prior):
        raise SurveyError(place, "a frequency is not positive", "give rare values a small one, such as 0.001")
    if any(share.denominator > LARGEST_NUMBER for share in prior):
        raise SurveyError(place, "a frequency has too many digits", "write the frequency with fewer digits")
    if sum(prior) != 1:
        raise SurveyError(
            place,
            f"the frequencies add up to {float(sum(prior)):.12g}, not to 1",
            'adjust the frequencies, or write exact fractions such as "1/3"',
        )


def check_bounds(cuts: Sequence[Any], minimum: Any, maximum: Any, place: str) -> None:  # noqa: ANN401 - numbers or days
    """Check that cut points ascend, and that no interval lies outside the bounds.

    Raises:
        SurveyError: If cut points do not ascend, or an interval lies outside the bounds.
    """
    if list(cuts) != sorted(set(cuts)):
        raise SurveyError(f"{place}, cuts", "the cuts are not in ascending order", "sort the cuts, and list each once")
    if minimum is not None and minimum >= cuts[0]:
        raise SurveyError(
            f"{place}, minimum", "the minimum is not below the first cut", "lower the minimum, or remove the cut"
        )
    if maximum is not None and maximum < cuts[-1]:
        raise SurveyError(
            f"{place}, maximum", "the maximum is below the last cut", "raise the maximum, or remove the cut"
        )


def check_whole(numbers: Sequence[Any], place: str) -> None:
    """Check that the cut points and bounds of a question for whole numbers are whole numbers.

    Raises:
        SurveyError: If a number is not whole.
    """
    broken = next((each for each in numbers if each is not None and (isinstance(each, str) or each != int(each))), None)
    if broken is not None:
        raise SurveyError(
            f"{place}, whole", f"{broken} is not a whole number", "write whole cuts and bounds, or remove whole = true"
        )


def fraction_design(fraction: Fraction) -> list[int]:
    """Return an exact fraction as JSON: [numerator, denominator]."""
    return [fraction.numerator, fraction.denominator]


@dataclass(frozen=True)
class Question:
    """One question of a published design.

    Attributes:
        name: Name of the question, also of its column in the store and in CSV files.
        label: Text that the respondent reads.
        kind: Kind of the question: ``yes_no``, ``choice`` (nominal), ``scale`` (ordinal) or ``number`` (continuous, cut
            into intervals).
        values: Values that an answer may have, in order. The values of a ``number`` question are labels of the
            intervals between cut points. Values of `EXTRAS` come last.
        prior: Expected frequency of each value. The frequencies add up to 1.
        coding: Codes of the values.
        sensitive: Whether the question is disguised. Each disguised question is in exactly one group.
        unit: Unit of a number, or None. A unit without languages is valid in every language.
        minimum: Smallest number accepted, or None.
        maximum: Largest number accepted, or None.
        whole: Whether all numbers are whole, such as counts.
        cuts: Cut points of a number, ascending. An answer x is in interval i if exactly i cut points are <= x.
        shown: Texts of the values for the respondent, in order; empty for numbers and if values are shown unchanged.
        hint: Line of help under the label, or None.
    """

    name: str
    label: Text
    kind: str
    values: tuple[str, ...]
    prior: tuple[Fraction, ...]
    coding: Coding
    sensitive: bool = True
    unit: Text | str | None = None
    minimum: float | None = None
    cuts: tuple[float, ...] = ()
    shown: tuple[Text, ...] = ()
    hint: Text | None = None
    maximum: float | None = None
    whole: bool = False

    def __post_init__(self) -> None:
        place = f'question "{self.name}"'
        check_name(self.name, place)
        if self.kind not in KINDS:
            raise SurveyError(f"{place}, kind", "there is no question of this kind", suggestion(self.kind, KINDS))
        self.label.check(f"{place}, label")
        if self.hint is not None:
            self.hint.check(f"{place}, hint")
        check_values(self.values, f"{place}, values")
        if self.kind == "yes_no" and self.values != YES_NO:
            raise SurveyError(f"{place}, values", "the values are not yes and no", 'write kind = "choice"')
        if isinstance(self.unit, Text):
            self.unit.check(f"{place}, unit")
        self._check_numbers(place)
        self._check_shown(f"{place}, words")
        check_prior(self.prior, len(self.values), f"{place}, prior")
        if len(self.coding.draws) != len(self.values):
            raise SurveyError(
                f"{place}, coding", "the coding does not have a code for each value", "publish the survey file again"
            )

    def _check_numbers(self, place: str) -> None:
        if self.kind == "number":
            if self.values != interval_labels(self.cuts):
                raise SurveyError(f"{place}, cuts", "the cuts do not fit the values", "publish the survey file again")
            check_bounds(self.cuts, self.minimum, self.maximum, place)
            if self.whole:
                check_whole((*self.cuts, self.minimum, self.maximum), place)
        elif self.cuts or self.whole or not (self.unit is None and self.minimum is None and self.maximum is None):
            raise SurveyError(
                place,
                "cuts, unit, minimum, maximum and whole are for numbers",
                'remove these keys, or write kind = "number"',
            )

    def _check_shown(self, place: str) -> None:
        if not self.shown:
            return
        if self.kind == "number" or len(self.shown) != len(self.values):
            raise SurveyError(
                place,
                "there is not one text for each value",
                "give each value its words, or remove the words of a number question",
            )
        for text in self.shown:
            text.check(place)
        for language in self.shown[0].design:
            if len({text.design.get(language) for text in self.shown}) < len(self.shown):
                raise SurveyError(place, "two values have the same words", "give each value different words")

    def texts(self) -> Iterator[tuple[str, Text]]:
        """Every text of the question in several languages, with its key."""
        yield "label", self.label
        if self.hint is not None:
            yield "hint", self.hint
        if isinstance(self.unit, Text):
            yield "unit", self.unit
        for text in self.shown:
            yield "words", text

    @property
    def ordered(self) -> bool:
        """Whether values can be compared by < and >=, as those of scales and numbers can."""
        return self.kind in ORDERED

    @cached_property
    def base(self) -> tuple[str, ...]:
        """The values that answer the question, without the values of `EXTRAS` such as "prefer not to say"."""
        count = len(self.values)
        while count > 1 and self.values[count - 1] in EXTRAS:
            count -= 1
        return self.values[:count]

    @cached_property
    def bounds(self) -> tuple[str, ...]:
        """The cut points between intervals, as numbers or days; empty if the values are not intervals."""
        starts = tuple(value.partition("..")[0].removeprefix(">=") for value in self.base[1:])
        return starts if self.ordered and self.base == interval_labels(starts) else ()

    @property
    def in_order(self) -> int:
        """The number of ordered values of the question, which is 0 for a question without ordered values."""
        return len(self.base) if self.ordered else 0

    @property
    def codes(self) -> tuple[int, ...]:
        """Every code that may be sent for the question, ascending."""
        return self.coding.codes

    def value_index(self, value: str) -> int:
        """Return the position of a value among the question's values.

        Raises:
            QueryError: If the question does not have the value. The error message never repeats the value, which may be
                a true answer.
        """
        found = same(value, self.values)
        if found is None:
            raise QueryError(
                f'question "{self.name}"', "there is no such value", f"use one of: {', '.join(self.values)}"
            )
        return self.values.index(found)

    def word_of(self, code: int) -> str:
        """Return the word for a code in tables: its value, or ``#5`` for code 5 if several codes share a value."""
        value = None if self.coding.shared else self.coding.value_of(code)
        if value is None or len(self.coding.codes_of(value)) > 1:
            return f"{CODE_MARK}{code}"
        return self.values[value]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The word in tables for every code, in the order of `codes`."""
        return tuple(self.word_of(code) for code in self.codes)

    @cached_property
    def code_of_word(self) -> Mapping[str, int]:
        """Return the code for a word in a table (the inverse of `word_of`).

        Any code may be written as a number sign and the number, as in ``#5``.
        """
        marked = {f"{CODE_MARK}{code}": code for code in self.codes}
        return marked | dict(zip(self.words, self.codes, strict=True))

    @property
    def design(self) -> dict[str, Any]:
        """The question as plain JSON values of the published design."""
        coding = self.coding
        later = {} if self.maximum is None else {"maximum": self.maximum}  # without it, designs are as they were
        later |= {"whole": True} if self.whole else {}
        return later | {
            "name": self.name,
            "label": self.label.design,
            "hint": None if self.hint is None else self.hint.design,
            "kind": self.kind,
            "sensitive": self.sensitive,
            "values": list(self.values),
            "words": [text.design for text in self.shown],
            "prior": [fraction_design(share) for share in self.prior],
            "unit": as_written(self.unit),
            "minimum": self.minimum,
            "cuts": list(self.cuts),
            "coding": coding.design,
        }
