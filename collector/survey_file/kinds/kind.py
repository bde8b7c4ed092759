"""A kind of question: an object that reads its ``[[questions]]`` tables, and writes the table of what was compiled.

"Prefer not to say", a skipped question and one that does not apply are values, disguised like any other.
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
    """The tables of a survey file with plain questions only, and what is asked together.

    Attributes:
        questions: Raw ``[[questions]]`` tables of the kinds that a design has.
        groups: The raw ``[groups]``; None where there are none.
        screens: In survey order.
        parts: Names of the questions that each table became.
    """

    questions: list[Any] = field(default_factory=list)
    groups: Table | None = None
    screens: list[Screen] = field(default_factory=list)
    parts: dict[str, list[str]] = field(default_factory=dict)

    def whole(self, names: Sequence[Any]) -> list[Any]:
        """These names, with the questions of a table in place of its name."""
        return [each for name in names for each in self.parts.get(name if isinstance(name, str) else "", [name])]


@dataclass
class QuestionTable:
    """One ``[[questions]]`` table, with those above it.

    Attributes:
        fields: For the places that errors name.
        left: Its keys that are not read yet.
        languages: Languages of the survey.
        found: What the tables above became.
        folder: Where the survey's pictures are.
        screen: What is said of its screen; without the names of its questions.
        extras: Its values among `EXTRAS`.
    """

    fields: Fields
    left: Table
    languages: tuple[str, ...]
    found: Expanded
    folder: Path | None
    screen: Screen = field(default_factory=lambda: Screen(()))
    extras: tuple[str, ...] = ()

    def take(self, *keys: str) -> Fields:
        """Take those of these keys that it has out of the table."""
        return Fields({key: self.left.pop(key) for key in keys if key in self.left}, self.fields.place)

    def take_common(self, *, pictured: bool) -> None:
        """Read the keys that tables of every kind may have.

        Args:
            pictured: Whether answers of its kind may have pictures.

        Raises:
            SurveyError: Naming the place.
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
        """Say more of its screen."""
        self.screen = replace(self.screen, **said)

    def _subject(self, test: Comparison) -> Subject:
        """The question above that a comparison of its ``ask_if`` is about.

        Raises:
            SurveyError: If there is none of this name.
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
        """A plain question of what is left of the table and these keys.

        Its values for those who decline, skip, or are not asked stand behind the others and their order.

        Raises:
            SurveyError: If the table lists values that its kind gives.
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
        """The share of those who are not asked it, under the priors of the questions it depends on."""
        place, above = self.fields.within("ask_if"), self.found.questions
        asked = (chance_of(each, above, place) for each in self.screen.ask_if)
        return 1 - prod(asked, start=Fraction(1))


@dataclass(frozen=True)
class CompiledScreen:
    """Compiled questions that are asked on one screen.

    Attributes:
        screen: The screen.
        members: A table for each, without its values among `EXTRAS`.
        extras: These values.
        groups: The ``[groups]``; those that a table stands for are replaced by that of the table.
    """

    screen: Screen
    members: list[Table]
    extras: list[str]
    groups: dict[str, Any]


class QuestionKind:
    """A kind whose table becomes one plain question of that kind: the base of all.

    Attributes:
        name: What ``kind`` says.
        parts: The key of its options, statements or items; empty for a kind without them.
        pictured: Whether its answers may have pictures.
        surveyjs: Its type of element in SurveyJS.
        xlsform: Its type of question in an XLSForm.
    """

    name: ClassVar[str]
    surveyjs: ClassVar[str]
    xlsform: ClassVar[str] = "select_one"
    parts: ClassVar[str] = ""
    pictured: ClassVar[bool] = True

    def read(self, table: QuestionTable) -> list[Table]:
        """The plain questions that a table becomes; what is said of their screen is added to the table's.

        Args:
            table: The table, with keys of its kind only.

        Raises:
            SurveyError: Naming the place.
        """
        return [table.plain()]

    def values(self, fields: Fields) -> tuple[tuple[str, ...], tuple[float, ...]]:
        """Values and cut points of a plain question of this kind.

        Raises:
            SurveyError: Naming the place.
        """
        return tuple(fields.take_list("values", str)), ()

    def keys(self, question: Question) -> Table:
        """The keys of a plain question of this kind that only such a question has."""
        return {"values": list(question.values)}

    def write(self, asked: CompiledScreen) -> Table | None:
        """The table that becomes these questions, but for keys that tables of every kind may have; None without one.

        The survey writer reads it back, and takes plain questions where it becomes others.
        """
        return asked.members[0]


def without_complement(groups: dict[str, Any] | None, table: Mapping[str, Any]) -> None:
    """Give the group of a question the uniform channel, if it has a truth and says no channel."""
    how = None if groups is None else groups.get(str(table.get("group")))
    if groups is not None and isinstance(how, dict) and "truth" in how:
        groups[table["group"]] = {"channel": "uniform"} | how
