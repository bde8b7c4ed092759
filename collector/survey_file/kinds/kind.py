"""The base of all kinds of questions: it reads ``[[questions]]`` tables, and writes the table of compiled questions.

"Prefer not to say", a skipped question and a question that does not apply are values, disguised like any other.
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
    """The tables of a survey file after each was replaced by plain questions, with their screens.

    Attributes:
        questions: Raw ``[[questions]]`` tables of the basic kinds of a design.
        groups: Raw ``[groups]`` tables, or None if there are no groups.
        screens: Screens in survey order.
        parts: Names of the questions that each table became.
    """

    questions: list[Any] = field(default_factory=list)
    groups: Table | None = None
    screens: list[Screen] = field(default_factory=list)
    parts: dict[str, list[str]] = field(default_factory=dict)

    def whole(self, names: Sequence[Any]) -> list[Any]:
        """Return these names, with the name of a table replaced by the names of its questions."""
        return [each for name in names for each in self.parts.get(name if isinstance(name, str) else "", [name])]


@dataclass
class QuestionTable:
    """One ``[[questions]]`` table while it is read, with the results of the tables above it.

    Attributes:
        fields: Fields of the table, for the places of errors.
        left: Keys that are not read yet.
        languages: Languages of the survey.
        found: Results of the tables above.
        folder: Folder of the survey's pictures.
        screen: Screen of the table so far, without the names of its questions.
        extras: Values of the table among `EXTRAS`.
    """

    fields: Fields
    left: Table
    languages: tuple[str, ...]
    found: Expanded
    folder: Path | None
    screen: Screen = field(default_factory=lambda: Screen(()))
    extras: tuple[str, ...] = ()

    def take(self, *keys: str) -> Fields:
        """Remove these keys from the table, and return those that it has."""
        return Fields({key: self.left.pop(key) for key in keys if key in self.left}, self.fields.place)

    def take_common(self, *, pictured: bool) -> None:
        """Read the keys that tables of every kind may have.

        Args:
            pictured: Whether answers of this kind may have pictures.

        Raises:
            SurveyError: If a key is not valid. The error names the place.
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
        """Set attributes of the table's screen."""
        self.screen = replace(self.screen, **said)

    def _subject(self, test: Comparison) -> Subject:
        """Return the question above that a comparison of ``ask_if`` is about.

        Raises:
            SurveyError: If no question above has this name.
        """
        place, name = self.fields.within("ask_if"), test.name
        kind = next((each.get("kind") for each in self.found.questions if each.get("name") == name), None)
        if kind is None and test.sign == "has":
            remedy = f"write {name} = VALUE, or {name}_{test.values[0]} = yes where each option is a question"
            raise SurveyError(place, f'no multiple "{name}" that is one question is asked before it', remedy)
        screens = (each for each in self.found.screens if each.is_combined and name in each.questions)
        options = tuple(dict(next(screens, Screen(())).items))
        return Subject(name, values_above(self.found.questions, place, name), kind in ORDERED, options)

    def plain(self, **keys: object) -> Table:
        """Return a plain question made of these keys and the keys of the table that are not read yet.

        The values of people who decline, skip, or are not asked come after the others and have no order.

        Raises:
            SurveyError: If the table lists values although its kind determines them.
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
        """Return the share of people who are not asked the question, under the priors of other questions."""
        place, above = self.fields.within("ask_if"), self.found.questions
        asked = (chance_of(each, above, place) for each in self.screen.ask_if)
        return 1 - prod(asked, start=Fraction(1))


@dataclass(frozen=True)
class CompiledScreen:
    """The compiled questions of one screen, from which a table is written.

    Attributes:
        screen: Screen of the questions.
        members: Table of each question, without its values among `EXTRAS`.
        extras: Values among `EXTRAS`.
        groups: Groups of the survey file. The groups of a table's questions are replaced by the group of the table.
    """

    screen: Screen
    members: list[Table]
    extras: list[str]
    groups: dict[str, Any]


class QuestionKind:
    """The base of all kinds, whose table becomes one plain question of the same kind.

    Attributes:
        name: Name of the kind, the value of the key ``kind``.
        parts: Key of the options, statements or items, empty for a kind without them.
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
        """Return the plain questions that a table becomes, and set attributes of the table's screen.

        Args:
            table: Table with keys of this kind only.

        Raises:
            SurveyError: If a key is not valid. The error names the place.
        """
        return [table.plain()]

    def values(self, fields: Fields) -> tuple[tuple[str, ...], tuple[float, ...]]:
        """Return the values and the cut points of a plain question of this kind.

        Raises:
            SurveyError: If a value or cut point is not valid. The error names the place.
        """
        return tuple(fields.take_list("values", str)), ()

    def keys(self, question: Question) -> Table:
        """Return the keys that only plain questions of this kind have."""
        return {"values": list(question.values)}

    def write(self, asked: CompiledScreen) -> Table | None:
        """Return the table that becomes these questions, without the keys that every kind may have, or None.

        The survey writer reads the table back. If it becomes other questions, plain questions are written instead.
        """
        return asked.members[0]


def without_complement(groups: dict[str, Any] | None, table: Mapping[str, Any]) -> None:
    """Give the group of a question the uniform channel, if it has a truth probability and no channel."""
    how = None if groups is None else groups.get(str(table.get("group")))
    if groups is not None and isinstance(how, dict) and "truth" in how:
        groups[table["group"]] = {"channel": "uniform"} | how
