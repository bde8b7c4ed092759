"""The base of all kinds of questions, which reads and writes ``[[questions]]`` tables.

"Prefer not to say", a skipped question and a question that does not apply are values, and are disguised like all
values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any, ClassVar

from collector.conditions.language import Comparison
from collector.conditions.meaning import Subject, conditions_in
from collector.errors import SurveyError
from collector.survey.fields import Fields
from collector.survey.question import DECLINED, NOT_APPLICABLE, ORDERED, SKIPPED, YES_NO, Question
from collector.survey.screen import NUMBER, WITHOUT_PICTURES, Screen
from collector.survey.text import read_optional_text
from collector.survey_file.picture_file import read_picture, read_pictures
from collector.survey_file.priors import chance_of, values_above, with_extras

FLAGS = {DECLINED: "decline", SKIPPED: "optional"}
Table = dict[str, Any]


@dataclass
class Expanded:
    """The plain questions and the screens that replace the tables of a survey file.

    Attributes:
        questions: Uncompiled ``[[questions]]`` tables of plain questions.
        groups: Uncompiled ``[groups]`` tables, or None if there are no groups.
        screens: Screens in survey order.
        parts: Names of the plain questions that replace each ``[[questions]]`` table.
    """

    questions: list[Any] = field(default_factory=list)
    groups: Table | None = None
    screens: list[Screen] = field(default_factory=list)
    parts: dict[str, list[str]] = field(default_factory=dict)

    def whole(self, names: Sequence[Any]) -> list[Any]:
        """Return a list of names in which the names of a table's questions replace the name of the table."""
        return [each for name in names for each in self.parts.get(name if isinstance(name, str) else "", [name])]


@dataclass
class QuestionTable:
    """A ``[[questions]]`` table that is being read, with the questions of earlier tables.

    Attributes:
        fields: Fields of the table, from which errors get their places.
        left: Keys of the table that have not been read yet.
        languages: Languages of the survey.
        found: Questions of earlier tables.
        folder: Folder with the pictures of the survey.
        screen: Screen for the questions of the table, with the attributes read so far.
        extras: Extra values (`EXTRAS`) of the table, such as "prefer not to say".
    """

    fields: Fields
    left: Table
    languages: tuple[str, ...]
    found: Expanded
    folder: Path | None
    screen: Screen = field(default_factory=lambda: Screen(()))
    extras: tuple[str, ...] = ()

    def take(self, *keys: str) -> Fields:
        """Mark some keys of the table as read, and return the fields of the table under these keys."""
        return Fields({key: self.left.pop(key) for key in keys if key in self.left}, self.fields.place)

    def take_common(self, *, pictured: bool) -> None:
        """Read the keys that ``[[questions]]`` tables of every kind may have.

        Args:
            pictured: Whether answers of this kind may have pictures.

        Raises:
            SurveyError: If a key is not valid.
        """
        if self.left.get("pictures") and not pictured:  # before their files are asked for
            raise SurveyError(self.fields.within("pictures"), *WITHOUT_PICTURES)
        taken = self.take("section", "ask_if", "shuffle", *FLAGS.values(), "picture", "picture_text", "pictures")
        asked = taken.take_optional("ask_if", str)
        conditions = () if asked is None else conditions_in(asked, taken.within("ask_if"), self._subject)
        names = {name for name, _ in conditions}
        for gate in [each for each in self.found.questions if each.get("name") in names]:
            if gate.get("kind") == NUMBER or len(gate.get("values") or ()) > len(YES_NO):
                without_complement(self.found.groups, gate)  # it would rule the condition out, or all but it
        extras = [value for value, key in FLAGS.items() if taken.take_optional(key, bool)]
        self.extras = (*extras, *([NOT_APPLICABLE] if conditions else []))
        self.screen = Screen(
            (),
            section=read_optional_text(taken, "section", self.languages),
            ask_if=conditions,
            shuffle=taken.take_optional("shuffle", bool) or False,
            picture=read_picture(taken, "picture", self.languages, self.folder),
            pictures=tuple(read_pictures(taken, "pictures", self.folder).items()),
        )

    def say(self, **said: Any) -> None:  # noqa: ANN401 - as `Screen` has them
        """Set attributes of the screen for the questions of the table."""
        self.screen = replace(self.screen, **said)

    def _subject(self, test: Comparison) -> Subject:
        """Return the earlier question that a comparison in a condition ``ask_if`` names.

        Raises:
            SurveyError: If the comparison does not name an earlier question.
        """
        place, name = self.fields.within("ask_if"), test.name
        kind = next((each.get("kind") for each in self.found.questions if each.get("name") == name), None)
        if kind is None and test.sign == "has":
            remedy = f"write {name} = VALUE, or {name}_{test.values[0]} = yes where each option is a question"
            raise SurveyError(place, f'no multiple "{name}" with one coin for all options is asked before it', remedy)
        screens = (each for each in self.found.screens if each.is_combined and name in each.questions)
        options = tuple(dict(next(screens, Screen(())).items))
        return Subject(name, values_above(self.found.questions, place, name), kind in ORDERED, options)

    def plain(self, **keys: object) -> Table:
        """Return a plain question with some given keys and all keys of the table that are not read yet.

        Values such as "prefer not to say" come last and have no order.

        Raises:
            SurveyError: If the table lists values although its kind determines the values.
        """
        table: Table = self.left | keys
        if "values" in self.left and ("values" in keys or table["kind"] == "yes_no"):
            problem = f"the values of a {self.left['kind']} question are not listed: its kind gives them"
            raise SurveyError(self.fields.within("values"), problem, "remove values")
        given = {"values": YES_NO if table["kind"] == "yes_no" else table.get("values") or []}
        values = [*YES_NO] if table["kind"] == "yes_no" else Fields(given, self.fields.place).take_list("values", str)
        if not self.extras or not values:  # none are refused where plain questions are read
            return table
        words = table.get("words")
        if isinstance(words, dict):
            each = {tag: said | {extra: said.get(extra, extra) for extra in self.extras} for tag, said in words.items()}
            table = table | {"words": each}
        prior = with_extras(values, self.extras, table.get("prior"), self.fields, self._unasked)
        kind = "scale" if table["kind"] == "scale" else "choice"
        return table | {"kind": kind, "values": [*values, *self.extras], "prior": prior}

    def _unasked(self) -> Fraction:
        """Return the share of people who are not asked the question, according to the priors of other questions."""
        place, above = self.fields.within("ask_if"), self.found.questions
        asked = (chance_of(each, above, place) for each in self.screen.ask_if)
        return 1 - prod(asked, start=Fraction(1))


@dataclass(frozen=True)
class CompiledScreen:
    """The compiled questions of a screen, for writing them as a ``[[questions]]`` table.

    Attributes:
        screen: Screen of the questions.
        members: Table of each question of the screen, without extra values (`EXTRAS`).
        extras: Extra values (`EXTRAS`) of the questions, such as "prefer not to say".
        groups: Groups of the survey file.
    """

    screen: Screen
    members: list[Table]
    extras: list[str]
    groups: dict[str, Any]


class QuestionKind:
    """The base class of all kinds of questions. By default, a table becomes one plain question of the same kind.

    Attributes:
        name: Name of the kind, the value of the key ``kind``.
        parts: Key of the options, statements or items; empty if the kind has no such key.
        pictured: Whether answers may have pictures.
        surveyjs: Type of the element in SurveyJS.
        xlsform: Type of the question in an XLSForm.
    """

    name: ClassVar[str]
    surveyjs: ClassVar[str]
    xlsform: ClassVar[str] = "select_one"
    parts: ClassVar[str] = ""
    pictured: ClassVar[bool] = True

    def read(self, table: QuestionTable) -> list[Table]:
        """Return the plain questions that replace a ``[[questions]]`` table, and set the attributes of their screen.

        Args:
            table: Table whose unread keys belong to this kind of question.

        Raises:
            SurveyError: If a key is not valid.
        """
        return [table.plain()]

    def values(self, fields: Fields) -> tuple[tuple[str, ...], tuple[float, ...]]:
        """Return the values and the cut points of a plain question, given its table.

        Raises:
            SurveyError: If a value or cut point is not valid.
        """
        return tuple(fields.take_list("values", str)), ()

    def keys(self, question: Question) -> Table:
        """Return the keys of a plain question that only questions of this kind have."""
        return {"values": list(question.values)}

    def write(self, asked: CompiledScreen) -> Table | None:
        """Return the ``[[questions]]`` table that describes compiled questions, or None if there is none.

        If the written table does not compile to the questions, the survey writer writes plain questions instead.
        """
        return asked.members[0]


def without_complement(groups: dict[str, Any] | None, table: Mapping[str, Any]) -> None:
    """Set the uniform channel for a question's group, if the group has a truth probability but no channel."""
    how = None if groups is None else groups.get(str(table.get("group")))
    if groups is not None and isinstance(how, dict) and "truth" in how:
        groups[table["group"]] = {"channel": "uniform"} | how
