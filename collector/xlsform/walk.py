"""Reading of the survey sheet of an XLSForm row by row, with the groups, notes and conditions around each question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from collector.errors import SurveyError
from collector.forms.reading import Found, Table
from collector.survey.text import Text, in_languages
from collector.survey_file.naming import item_names, name_of
from collector.xlsform.columns import OURS
from collector.xlsform.pictures import leave_picture, picture_of_question
from collector.xlsform.question import (
    ASKED,
    FormQuestion,
    check_disguise,
    kind_of_row,
    read_question,
    required,
    with_values,
)
from collector.xlsform.sheet import Form, SheetRow, leave_cells
from collector.xlsform.text import Languages, joined
from collector.xlsform.values import GRID, choice_values

ALONE = (*OURS, "relevant", "constraint", "read_only", "parameters", "hint")
"""Columns that a row of a grid must not use."""
AROUND = ("begin", "end", "note")  # beginnings of types that ask nothing


@dataclass
class FormWalk:
    """The state of reading a survey sheet, with the open groups, and the notes and headings for the next question.

    Attributes:
        form: Form that is read.
        languages: Languages of the form.
        asked: Rows whose questions were imported.
        open: Rows of the open groups, the outermost group first, each with the number of headings before the group.
        notes: Notes that will be shown with the next question, each with its row.
        headings: Headings of groups that will be shown with the next question, each with its row.
    """

    form: Form
    languages: Languages
    asked: list[SheetRow] = field(default_factory=list)
    open: list[tuple[SheetRow, int]] = field(default_factory=list)
    notes: list[tuple[SheetRow, Text]] = field(default_factory=list)
    headings: list[tuple[SheetRow, Text]] = field(default_factory=list)

    def __post_init__(self) -> None:
        rows = self.form.survey
        self.reading = self.languages.reading
        self.silent = not any(row.get("required") for row in rows)  # the form never says what needs an answer
        self._uses = Counter(row.get("name") for row in rows if not row.get("type").lower().startswith(AROUND))

    def tables(self) -> Iterator[Table]:
        """Yield the table of every imported question, in order."""
        rows = list(self.form.survey)
        while rows:
            row = rows.pop(0)
            try:
                kind = kind_of_row(row)
            except SurveyError as error:
                if row.get("rr::group"):
                    raise
                inside = _skip(row, rows)
                self.reading.leave_questions(error, number=max(1, len(inside)))
                for each in inside:
                    self.reading.note("left out with what is asked several times", each.get("name"))
                continue
            if kind == "begin_group" and (inside := self._grid(row, rows)):
                del rows[: len(inside) + 1]
                yield from self._take(row, inside)
            elif kind in ASKED:
                yield from self._take(row, [])
            else:
                self._other(row, kind)
        if self.open:
            raise self.open[-1][0].error("type", "this group is never ended", "add a row end_group")
        if self.notes:
            row, _ = self.notes[-1]
            problem, remedy = "no question follows this note", "delete the row: the page thanks by itself"
            self.reading.leave(row.error("type", problem, remedy))

    @staticmethod
    def _grid(row: SheetRow, rows: Sequence[SheetRow]) -> list[SheetRow]:
        """Return the rows of a group that becomes a grid, or an empty list for other groups."""
        if GRID not in row.get("appearance").split():
            return []
        inside: list[SheetRow] = []
        for each in rows:
            kind = each.get("type").partition(" ")[0].lower()
            if kind.startswith("end"):
                break
            if kind == "note" and not inside:
                inside.append(each)
                continue
            if kind != "select_one" or any(each.get(column) for column in ALONE):
                return []
            inside.append(each)
        asked = [each for each in inside if each.get("type") != "note"]
        return inside if len(asked) > 1 and len({each.get("type") for each in asked}) == 1 else []

    def _take(self, row: SheetRow, inside: Sequence[SheetRow]) -> Iterator[Table]:
        """Yield the question of a row or the grid of a group, with the notes and headings above it."""
        for each in inside:
            if each.get("type") == "note":
                self._other(each, "note")
        statements = [each for each in inside if each.get("type") != "note"]
        read = partial(self._read, row, statements)
        table = self.reading.take(row.line, read, disguised=bool(row.get("rr::group")))
        if table is None:
            return
        for each in (row, *statements):
            leave_cells(each, self.reading)
        for each in statements:
            leave_picture(each, self.reading)
        self.asked.append(row)
        self.notes.clear()
        self.headings.clear()
        yield table

    def _read(self, row: SheetRow, statements: Sequence[SheetRow]) -> Found:
        label, above, headings = self._label_of(row)
        hint = self._text(row, "hint")
        if not row.get("name"):
            raise row.error("name", "it is empty", "give it a name, such as year_1")
        groups = [each for each, _ in self.open]
        unique = self._uses[row.get("name")] < 2
        given = row.get("name") if unique else "_".join(each.get("name") for each in (*groups, row))
        name = self.reading.name(given, row.number) if unique else name_of(given, row.number)
        table: Table = {"name": name, "label": in_languages(label)}
        hints = self._joined([*above, *([(row, hint)] if hint else [])], " ")
        table |= {"hint": in_languages(hints)} if hints else {}
        table |= picture_of_question(row, self.form, self.languages)
        question = (
            self._statements(row, statements) if statements else read_question(row, self.form, self.languages, name)
        )
        group, coins = row.get("rr::group"), row.get("rr::coins")
        home = {"group": group} if group else {"sensitive": False}
        table |= dict(question.table) | home | ({"coins": coins} if coins else {})
        items = item_names([each.get("name").removeprefix(f"{name}_") for each in statements], name)
        labels = [self._label(each, "write the statement") for each in statements]
        table |= {"statements": dict(zip(items, map(in_languages, labels), strict=True))} if statements else {}
        section = self._joined(headings, ": ")
        table |= {"section": in_languages(section)} if section else {}
        needed = all(required(each, self.reading) for each in statements or [row])
        table |= {} if needed or self.silent or table["kind"] == "multiple" else {"optional": True}
        rows = {each.get("name"): f"{name}_{item}" for each, item in zip(statements, items, strict=True)}
        conditions = [(each.place("relevant"), each.get("relevant")) for each in (*groups, row) if each.get("relevant")]
        return Found(table, row.get("name"), question.written or None, conditions, rows=rows)

    def _statements(self, row: SheetRow, statements: Sequence[SheetRow]) -> FormQuestion:
        check_disguise(row)
        values = choice_values(statements[0], self.form, self.languages, row)
        return with_values(statements[0], values, self.languages, row)

    def _label_of(self, row: SheetRow) -> tuple[Text, list[tuple[SheetRow, Text]], list[tuple[SheetRow, Text]]]:
        """Return the label of a question, and the notes and headings above the question.

        If a question has no label, its label is the note directly above, or the label of a group around this question
        alone.
        """
        notes, headings = list(self.notes), list(self.headings)
        waiting = notes or (headings if self.open and self._asks_one(self.open[-1][0]) else [])
        if self.languages.text(row, "label") is None and waiting:
            above, text = waiting.pop()
            self.reading.note(
                "a question without a label has the text that stands above it", f"{row.line}, {above.line}"
            )
            return text, notes, headings
        return self._label(row, "write the question"), notes, headings

    def _asks_one(self, group: SheetRow) -> bool:
        """Return whether a group contains exactly one question."""
        rows, depth, asked = list(self.form.survey), 0, 0
        for row in rows[rows.index(group) :]:
            word = row.get("type").lower().replace("_", " ").partition(" ")[0]
            depth += {"begin": 1, "end": -1}.get(word, 0)
            asked += word not in AROUND
            if not depth:
                break
        return asked == 1

    def _joined(self, texts: Sequence[tuple[SheetRow, Text]], mark: str) -> Text | None:
        """Return the texts above a question joined to one text.

        If the joined text is too long, the earliest texts are left out.
        """
        places = [row.place("label") for row, _ in texts]
        first = self.reading.kept([dict(text.pairs) for _, text in texts], places, mark)
        return joined([text for _, text in texts[first:]], self.languages, mark)

    def _label(self, row: SheetRow, remedy: str) -> Text:
        text = self.languages.text(row, "label")
        if text is None:
            raise row.error("label", "it is empty", remedy)
        return text

    def _text(self, row: SheetRow, column: str) -> Text | None:
        """Return an optional text of a question, or None."""
        return self.reading.part(lambda: self.languages.text(row, column), None)

    def _other(self, row: SheetRow, kind: str) -> None:
        """Read a row that asks no question: a note, or the begin or end of a group."""
        for column in OURS:
            if row.get(column):
                raise row.error(column, "only a question is disguised", "write it in the rows of the questions")
        leave_cells(row, self.reading)
        leave_picture(row, self.reading)
        if kind == "note":
            if row.get("relevant"):
                error = row.error("relevant", "a note is read by everybody", "make it the hint of a question")
                self.reading.leave(error)
                return
            text = self.reading.part(lambda: self._label(row, "write the note, or delete the row"), None)
            self.notes += [(row, each) for each in (text, self._text(row, "hint")) if each]
        elif kind == "begin_group":
            self.open.append((row, len(self.headings)))
            heading = self._text(row, "label")
            self.headings += [(row, heading)] if heading else []
        elif self.open:
            group, before = self.open.pop()
            if self.headings[before:]:
                self.reading.note("not used: the label of a group that asks nothing", f'"{group.get("name")}"')
            del self.headings[before:]
        else:
            raise row.error("type", "no group is open here", "delete the row, or add a begin_group")


def _skip(row: SheetRow, rows: list[SheetRow]) -> list[SheetRow]:
    """Return the questions that are left out with a row, and remove the rows of a repeat that it begins."""
    words = [each.get("type").lower().replace("_", " ").split() for each in (row, *rows)]
    if words[0][:1] != ["begin"]:
        return []
    depth = 0
    for number, (word, *_) in enumerate(each or [""] for each in words):
        depth += {"begin": 1, "end": -1}.get(word, 0)
        if not depth:
            inside = [each for each, kind in zip(rows, words[1:number], strict=False) if kind and kind[0] not in AROUND]
            del rows[:number]
            return inside
    return []
