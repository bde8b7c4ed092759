"""Going down the survey sheet of an XLSForm: every question, with the groups, notes and conditions around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from collector.survey.text import Text
from collector.survey_file.folding import in_languages
from collector.xlsform.columns import OURS
from collector.xlsform.question import (
    ASKED,
    Question,
    check_disguise,
    kind_of_row,
    read_question,
    required,
    with_values,
)
from collector.xlsform.sheet import Form, Row
from collector.xlsform.text import Languages, joined
from collector.xlsform.values import GRID, choice_values

ALONE = (*OURS, "relevant", "constraint", "read_only", "parameters", "hint")  # what a row of a grid does not have


@dataclass(frozen=True)
class Asked:
    """A question of the form, or a grid of them.

    Attributes:
        row: Where it stands; of a grid the row of its group.
        groups: The rows of the groups of the form around it, from the outside.
        label: What is asked.
        hint: The notes before it and its own hint, or None.
        section: The labels of the groups that begin with it, or None.
        question: Its values.
        statements: Of a grid: the rows.
        needed: Whether it needs an answer; None where the form does not say.
    """

    row: Row
    groups: tuple[Row, ...]
    label: Text
    hint: Text | None
    section: Text | None
    question: Question
    statements: tuple[Row, ...] = ()
    needed: bool | None = None

    def conditions(self) -> Iterator[tuple[Row, str]]:
        """Each ``relevant`` that has to hold, with the row it stands in."""
        yield from ((row, row.get("relevant")) for row in (*self.groups, self.row) if row.get("relevant"))


@dataclass
class Walk:
    """The groups that are open, and the notes and headings that wait for a question."""

    form: Form
    languages: Languages
    remarks: dict[str, None] = field(default_factory=dict)
    open: list[Row] = field(default_factory=list)
    notes: list[tuple[Row, Text]] = field(default_factory=list)
    headings: list[Text] = field(default_factory=list)

    def questions(self) -> Iterator[Asked]:
        """Every question, in order."""
        rows = list(self.form.survey)
        while rows:
            row = rows.pop(0)
            kind = kind_of_row(row)
            if kind == "begin_group" and (inside := self._grid(row, rows)):
                del rows[: len(inside) + 1]
                yield self._table(row, inside)
            elif kind in ASKED:
                label = self._label(row, "write the question")
                question = read_question(row, self.form, self.languages, self.remarks)
                yield self._asked(row, label, question, (row,))
            else:
                self._other(row, kind)
        if self.open:
            raise self.open[-1].error("type", "this group is never ended", "add a row end_group")
        if self.notes:
            row, _ = self.notes[-1]
            raise row.error("type", "no question follows this note", "delete the row: the page thanks by itself")

    @staticmethod
    def _grid(row: Row, rows: Sequence[Row]) -> list[Row]:
        """The rows of a group that becomes one grid; none where it does not."""
        if GRID not in row.get("appearance").split():
            return []
        inside: list[Row] = []
        for each in rows:
            kind = kind_of_row(each)
            if kind == "end_group":
                break
            if kind == "note" and not inside:
                inside.append(each)
                continue
            if kind != "select_one" or any(each.get(column) for column in ALONE):
                return []
            inside.append(each)
        asked = [each for each in inside if kind_of_row(each) != "note"]
        return inside if len(asked) > 1 and len({each.get("type") for each in asked}) == 1 else []

    def _table(self, row: Row, inside: Sequence[Row]) -> Asked:
        for each in inside:
            if kind_of_row(each) == "note":
                self._other(each, "note")
        statements = tuple(each for each in inside if kind_of_row(each) != "note")
        check_disguise(row)
        label = self._label(row, "write the question")
        values = choice_values(statements[0], self.form, self.languages, row)
        question = with_values(statements[0], values, self.languages, row)
        return self._asked(row, label, question, statements)

    def _label(self, row: Row, remedy: str) -> Text:
        text = self.languages.text(row, "label")
        if text is None:
            raise row.error("label", "it is empty", remedy)
        return text

    def _asked(self, row: Row, label: Text, question: Question, rows: tuple[Row, ...]) -> Asked:
        hint = self.languages.text(row, "hint")
        texts = [text for _, text in self.notes] + ([hint] if hint else [])
        section = joined(self.headings, self.languages, ": ")
        self.notes.clear()
        self.headings.clear()
        needed = all(required(each) for each in rows) if any(each.get("required") for each in rows) else None
        statements = rows if rows != (row,) else ()
        hints = joined(texts, self.languages)
        return Asked(row, tuple(self.open), label, hints, section, question, statements, needed)

    def _other(self, row: Row, kind: str) -> None:
        """Take a note, or open or end a group."""
        for column in OURS:
            if row.get(column):
                raise row.error(column, "only a question is disguised", "write it in the rows of the questions")
        if kind == "note":
            if row.get("relevant"):
                raise row.error("relevant", "a note is read by everybody", "make it the hint of a question")
            text = self._label(row, "write the note, or delete the row")
            hint = self.languages.text(row, "hint")
            self.notes += [(row, each) for each in (text, hint) if each]
        elif kind == "begin_group":
            self.open.append(row)
            heading = self.languages.text(row, "label")
            self.headings += [heading] if heading else []
        elif self.open:
            self.open.pop()
        else:
            raise row.error("type", "no group is open here", "delete the row, or add a begin_group")


def statements_of(asked: Asked, name: str, languages: Languages) -> dict[str, Any]:
    """The statements of a grid, by names that are not the grid's name again: ``climate_fair`` is ``fair``."""
    found = {}
    for row in asked.statements:
        text = languages.text(row, "label")
        if text is None:
            raise row.error("label", "it is empty", "write the statement")
        found[row.get("name").removeprefix(f"{name}_")] = in_languages(text)
    return found
