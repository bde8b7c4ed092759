"""Screens of a survey's page, each with questions that are asked together.

The codes and the disguise of a question do not depend on its screen.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from collector.errors import SurveyError, suggestion
from collector.survey.fields import Fields
from collector.survey.picture import Picture, picture_from_design, pictures_from_design
from collector.survey.question import (
    DECLINED,
    MOST_VALUES,
    NOT_APPLICABLE,
    SKIPPED,
    YES_NO,
    Question,
    check_bounds,
    check_whole,
    interval_labels,
)
from collector.survey.sampling import Sampling
from collector.survey.text import Text, as_written, read_unit, text_table
from collector.survey.ticks import combined, counts_allowed, how_many

Condition = tuple[str, tuple[str, ...]]
"""The name of a question, and the values for which the condition holds."""
PLAIN, MULTIPLE, GRID, RANKING, NUMBER, DATE = "plain", "multiple", "grid", "ranking", "number", "date"
TOGETHER = (MULTIPLE, GRID)
WITHOUT_PICTURES = (
    "its answers are not shown with pictures",
    "remove the pictures: only answers of a yes_no, choice, scale or multiple have them",
)
INTERVALS = (NUMBER, DATE)
KINDS = (PLAIN, MULTIPLE, GRID, RANKING, *INTERVALS)
ORDER = ">"  # separator of the items of a ranking, the first item first
MOST_RANKED = 5
AGAIN = "publish the survey file again"
Item = tuple[str, Text]


def rankings(items: Sequence[str]) -> tuple[str, ...]:
    """Return every order of the items of a ranking, as values of the question."""
    return tuple(ORDER.join(each) for each in permutations(items))


@dataclass(frozen=True)
class Screen:
    """A screen of the page, with its questions and the conditions and texts that apply to the whole screen.

    Attributes:
        questions: Names of the questions, which follow each other in survey order.
        kind: Kind of the screen. ``plain`` is one question without special controls. ``multiple`` has options to tick,
            which are yes-no questions or (as `items`) the parts of one question. ``grid`` has statements that share one
            scale. ``ranking`` is one question whose values are the orders of `items`. ``number`` and ``date`` are one
            question whose values are the intervals between `cuts`.
        label: Text above the questions of a screen with several questions.
        hint: Line of help under the label of the screen.
        section: Heading of the section that begins with this screen.
        ask_if: Answers to other questions with which the screen is shown. If the screen is not shown, its questions
            have the value ``not_applicable``.
        least: Smallest number of options to tick.
        most: Largest number of options to tick.
        none: Text of the answer "none of the options" to a ``multiple`` question.
        items: Items to rank, or options to tick as one question, each with its name.
        cuts: Cut points of a number or date (ISO 8601), ascending. An answer x is in interval i if exactly i cut points
            are <= x.
        minimum: Smallest number or first day accepted.
        maximum: Largest number or last day accepted.
        unit: Unit of a number, or None.
        whole: Whether all numbers are whole, such as counts.
        shuffle: Whether values, options, statements or items are shown in a random order, drawn by the browser.
        picture: Picture shown above the answers.
        pictures: Pictures of answers, each with its value, item or question.
    """

    questions: tuple[str, ...]
    kind: str = PLAIN
    label: Text | None = None
    hint: Text | None = None
    section: Text | None = None
    ask_if: tuple[Condition, ...] = ()
    least: int | None = None
    most: int | None = None
    none: Text | None = None
    items: tuple[Item, ...] = ()
    cuts: tuple[float | str, ...] = ()
    minimum: float | str | None = None
    maximum: float | str | None = None
    unit: Text | str | None = None
    whole: bool = False
    shuffle: bool = False
    picture: Picture | None = None
    pictures: tuple[tuple[str, Picture], ...] = ()

    @property
    def all_pictures(self) -> tuple[Picture, ...]:
        """The pictures of the screen, from top to bottom."""
        return (*((self.picture,) if self.picture else ()), *(each for _, each in self.pictures))

    @property
    def is_combined(self) -> bool:
        """Whether the options to tick form one question, whose values are combinations of options."""
        return self.kind == MULTIPLE and bool(self.items)

    @property
    def is_together(self) -> bool:
        """Whether the screen asks several questions."""
        return self.kind in TOGETHER and not self.is_combined

    def ticks(self, values: Sequence[str]) -> tuple[int, ...]:
        """Return the permitted numbers of ticked options of a ``multiple`` screen, given its questions' values."""
        options, none = len(self.items or self.questions), self.none is not None
        return counts_allowed(options, self.least, self.most, none=none, skippable=SKIPPED in values)

    def is_tied(self, values: Sequence[str]) -> bool:
        """Return whether a ``multiple`` screen, given its values, allows only some combinations of ticks."""
        options = len(self.items or self.questions)
        return bool({DECLINED, SKIPPED} & {*values}) or len(self.ticks(values)) <= options

    @property
    def place(self) -> str:
        """The name of the screen in messages, which is the name of its first question."""
        return f'question "{self.questions[0]}"' if self.questions else "screens"

    def texts(self) -> Iterator[tuple[str, Text]]:
        """Every text of the screen in several languages, with its key."""
        for key in ("label", "hint", "section", "none", "unit"):
            text = getattr(self, key)
            if isinstance(text, Text):
                yield key, text
        if self.picture is not None:
            yield "picture_text", self.picture.text
        yield from (("items", text) for _, text in self.items)

    @property
    def design(self) -> dict[str, Any]:
        """The screen as plain JSON values, without unset keys."""
        said = {key: text.design for key, text in self.texts() if key != "items"}
        plain = {key: getattr(self, key) for key in ("least", "most", "minimum", "maximum")}
        plain["unit"] = as_written(self.unit)
        lists = {
            "ask_if": [[name, list(values)] for name, values in self.ask_if],
            "items": [[name, text.design] for name, text in self.items],
            "cuts": list(self.cuts),
            "pictures": [[answer, picture.name] for answer, picture in self.pictures],
        }
        found = said | {key: value for key, value in plain.items() if value is not None}
        found |= {} if self.picture is None else {"picture": self.picture.name}
        found |= {key: each for key, each in lists.items() if each} | ({"shuffle": True} if self.shuffle else {})
        found |= {"whole": True} if self.whole else {}
        return found | {"kind": self.kind, "questions": list(self.questions)}


def read_screen(fields: Fields) -> Screen:
    """Return a screen, given its table in a published design or in the ``[[screens]]`` of a survey file.

    Raises:
        SurveyError: If the screen is not valid.
    """

    def text(key: str) -> Text | None:
        table = fields.take_optional(key, dict)
        return None if table is None else text_table(table, fields.within(key))

    def bound(key: str) -> float | str | None:
        value = fields.take_optional_any(key)
        return value if isinstance(value, str) else fields.number_of(key, value)

    def listed(key: str) -> list[Any]:
        return fields.take_optional(key, list) or []

    conditions, items = (_pairs(fields, key, listed(key)) for key in ("ask_if", "items"))
    cuts = [each if isinstance(each, str) else fields.number_of("cuts", each) for each in listed("cuts")]
    screen = Screen(
        questions=tuple(fields.take_list("questions", str)),
        kind=fields.take("kind", str),
        **{key: text(key) for key in ("label", "hint", "section", "none")},
        ask_if=tuple((name, tuple(fields.all_of("ask_if", values, str))) for name, values in conditions),
        picture=picture_from_design(fields, "picture"),
        pictures=pictures_from_design(fields, "pictures"),
        least=fields.take_optional("least", int),
        most=fields.take_optional("most", int),
        items=tuple((name, text_table(table, fields.within("items"))) for name, table in items),
        cuts=tuple(each for each in cuts if each is not None),
        minimum=bound("minimum"),
        maximum=bound("maximum"),
        unit=read_unit(fields),
        whole=fields.take_optional("whole", bool) or False,
        shuffle=fields.take_optional("shuffle", bool) or False,
    )
    fields.finish()
    return screen


def _pairs(fields: Fields, key: str, pairs: Sequence[object]) -> list[tuple[str, Any]]:
    kind = {"ask_if": list, "items": dict}[key]
    found = []
    for pair in pairs:
        if not (isinstance(pair, list) and [type(each) for each in pair] == [str, kind]):
            raise SurveyError(fields.within(key), "the value is not a list of pairs", AGAIN)
        found.append((pair[0], pair[1]))
    return found


def check_screens(screens: Sequence[Screen], questions: Sequence[Question], sampling: Sampling | None) -> None:
    """Check that the screens are consistent with each other, with the questions and with the sampling.

    Raises:
        SurveyError: If the screens, the questions and the sampling contradict each other.
    """
    names = [each.name for each in questions]
    by_name = dict(zip(names, questions, strict=True))
    shown = [name for screen in screens for name in screen.questions]
    if not set(shown) <= set(names) or len(set(shown)) < len(shown) or not all(screen.questions for screen in screens):
        raise SurveyError(
            "screens", "a screen has no question, an unknown question, or a question of another screen", AGAIN
        )
    for screen in screens:
        place, first = screen.place, names.index(screen.questions[0])
        if names[first : first + len(screen.questions)] != list(screen.questions):
            raise SurveyError(place, "the questions of one screen are not next to each other", AGAIN)
        members = [by_name[name] for name in screen.questions]
        if screen.kind not in KINDS or screen.is_together != (len(members) > 1) or not _fits(screen, members):
            raise SurveyError(place, f"its screen is not a {screen.kind} of such questions", AGAIN)
        _check_pictures(screen, members, f"{place}, pictures")
        check_bounds(screen.cuts, screen.minimum, screen.maximum, place)
        if screen.whole:
            check_whole((*screen.cuts, screen.minimum, screen.maximum), place)
        for name, values in screen.ask_if:
            _check_condition(name, values, by_name if name in names[:first] else {}, place, sampling)
        routed = [NOT_APPLICABLE in member.values for member in members]
        if any(routed) != bool(screen.ask_if) or any(routed) != all(routed):
            raise SurveyError(f"{place}, ask_if", f'it does not go with the value "{NOT_APPLICABLE}"', AGAIN)


def _fits(screen: Screen, members: Sequence[Question]) -> bool:
    """Return whether the questions of a screen have the kinds and values that the screen's kind requires."""
    values = [member.base for member in members]
    bare = not (screen.items or screen.cuts or screen.unit or screen.minimum is not None or screen.maximum is not None)
    ticks = screen.least is not None or screen.most is not None or screen.none is not None
    if (ticks and screen.kind != MULTIPLE) or (screen.whole and screen.kind != NUMBER):
        return False
    if screen.is_together and screen.label is None:
        return False
    if screen.kind == MULTIPLE:
        return _fits_ticks(screen, members)
    if screen.kind == RANKING:
        return 1 < len(screen.items) <= MOST_RANKED and values == [rankings([name for name, _ in screen.items])]
    if screen.kind in INTERVALS:
        bounds = (each for each in (screen.minimum, screen.maximum) if each is not None)
        alike = len({isinstance(each, str) for each in (*screen.cuts, *bounds)}) == 1
        return alike and bool(screen.cuts) and values == [interval_labels(screen.cuts)]
    return bare and len({(each.values, each.shown) for each in members}) == 1


def _fits_ticks(screen: Screen, members: Sequence[Question]) -> bool:
    options = [name for name, _ in screen.items] or [member.name for member in members]
    most = len(options) if screen.most is None else screen.most
    if not 0 <= (screen.least or 0) <= most <= len(options) or screen.cuts:
        return False
    if not screen.is_combined:
        return all(member.base == YES_NO for member in members)
    counts = screen.ticks(members[0].values)
    return how_many(len(options), counts) <= MOST_VALUES and members[0].base == combined(options, counts)


def _check_pictures(screen: Screen, members: Sequence[Question], place: str) -> None:
    """Check that pictures belong only to answers that respondents choose."""
    plain = screen.kind == PLAIN and members[0].kind != NUMBER
    ticked = tuple(name for name, _ in screen.items) or screen.questions
    known = ticked if screen.kind == MULTIPLE else members[0].base if plain else ()
    if screen.pictures and not known:
        raise SurveyError(place, *WITHOUT_PICTURES)
    for answer, _ in screen.pictures:
        if answer not in known:
            raise SurveyError(place, f'"{answer}" is none of its answers', suggestion(answer, known))


def _check_condition(
    name: str, values: Sequence[str], known: dict[str, Question], place: str, sampling: Sampling | None
) -> None:
    place = f"{place}, ask_if"
    if name not in known:
        raise SurveyError(
            place,
            f'no question "{name}" is asked before it',
            suggestion(name, known, "name a question that stands above it"),
        )
    unknown = [value for value in values if value not in known[name].values]
    if unknown or not values:
        problem = f'"{name}" has no value "{unknown[0]}"' if unknown else "it names no value"
        raise SurveyError(place, problem, suggestion("".join(unknown[:1]), known[name].values))
    if len(set(values)) == len(known[name].values):
        raise SurveyError(place, "the condition holds for everybody", "remove the condition, or name fewer values")
    if sampling is not None and name not in sampling.always:
        problem = f'not everybody is asked "{name}"'
        raise SurveyError(place, problem, "list the question under always in [sampling]")
