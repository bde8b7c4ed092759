"""Export of a survey as an XLSForm, the spreadsheet format of ODK, with additional columns for the disguise."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from openpyxl import Workbook

from collector.conditions.meaning import conditions_in
from collector.errors import SurveyError
from collector.exchange.file_table import Converted, tables_of
from collector.forms.conditions import XPATH, Named, expression_of, named
from collector.survey.question import DECLINED, YES_NO
from collector.survey.survey import Survey
from collector.survey_file.kinds.registry import KINDS, PARTS

LOST = {"coding": "the coding", "replacement": "the replacement"}
LOST_ON_TOP = {"study", "sampling", "mining", "privacy", "screens", "shuffle", "deposit"}
WORDS = {"yes": "Yes", "no": "No", DECLINED: "Prefer not to say"}  # the page's English words
NONE = "none"  # name of the choice that excludes the others
NONE_NAMES = (NONE, "none_of_these", "none_of_the_above")  # names by which a choice excludes the others
Row = dict[str, str]


def to_xlsform(survey: Survey) -> Converted:
    """Return a survey as an XLSForm, with notes on parts that the form cannot contain.

    Raises:
        SurveyError: If a group is disguised in a way for which the form has no column.
    """
    tables = tables_of(survey)
    languages = tables["languages"]
    writer = _XLSFormWriter(languages, tables["groups"])
    for each in tables["questions"]:
        writer.add(each)
    writer.close()
    notes = ["answers are sent as they are by the programs that read it", *writer.notes]
    notes += [f"not in the form: {key}" for key in tables if key in LOST_ON_TOP]
    if tables.get("preview") != "after":
        notes.append("not in the form: preview")
    if len(languages) > 1:
        notes.append(f'not in the form: the title in other languages than "{languages[0]}"')
    title = tables["title"] if isinstance(tables["title"], str) else tables["title"][languages[0]]
    settings = {"form_id": tables["name"], "form_title": title, "default_language": languages[0]}
    book = Workbook()
    for name, sheet in (("survey", writer.rows), ("choices", writer.choices), ("settings", [settings])):
        _fill(book.create_sheet(name), sheet)
    del book[book.sheetnames[0]]
    stream = BytesIO()
    book.save(stream)
    return Converted(stream.getvalue(), tuple(dict.fromkeys(notes)))


def _fill(sheet: Any, rows: Sequence[Mapping[str, str]]) -> None:  # noqa: ANN401 - openpyxl brings no types
    headings = list(dict.fromkeys(key for row in rows for key in row))
    sheet.append(headings)
    for row in rows:
        sheet.append([row.get(heading) for heading in headings])
    for cells in sheet.iter_rows(min_row=2):
        for cell in cells:
            cell.number_format = "@"  # as text: 3/4 is no day
            cell.data_type = (
                "s" if cell.value is not None else cell.data_type
            )  # a text that begins with = is no formula


@dataclass
class _XLSFormWriter:
    """The writer of the rows of the sheets ``survey`` and ``choices``."""

    languages: Sequence[str]
    groups: Mapping[str, Any]
    rows: list[Row] = field(default_factory=list)
    choices: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    known: dict[str, Named] = field(default_factory=dict)
    sections: int = 0
    open: bool = False

    def add(self, table: Mapping[str, Any]) -> None:
        """Add the rows of a question, or of a grid of questions."""
        name, kind = table["name"], table["kind"]
        if "section" in table:
            self.close()
            self.sections, self.open = self.sections + 1, True
            row = {"type": "begin_group", "name": f"section_{self.sections}"}
            self.rows.append(row | self._texts("label", table["section"]))
        row = self._texts("label", table["label"]) | self._condition(table) | self._disguise(table)
        row |= self._picture(table.get("picture"))
        row |= self._texts("rr::picture_text", table["picture_text"]) if "picture" in table else {}
        ticked = kind == "multiple" and not (table.get("least") or "none" in table)
        row |= {"required": "no" if ticked or table.get("optional") else "yes"}
        row |= {"parameters": "randomize=true"} if table.get("shuffle") and kind != "grid" else {}
        self._list(table)
        if kind == "grid":
            self._grid(table, row)
        else:
            hint = self._texts("hint", table["hint"]) if "hint" in table else {}
            kinds = "integer" if table.get("whole") else KINDS[kind].xlsform
            written = kinds if "cuts" in table else f"{kinds} {name}"
            self.rows.append({"type": written, "name": name} | row | hint | self._more(table))
        self.known |= named(table, name)
        self.notes += [f'not in the form: {LOST[key]} of "{name}"' for key in ("coding", "replacement") if key in table]

    def close(self) -> None:
        """Write the row that ends the open section."""
        self.rows += [{"type": "end_group"}] if self.open else []
        self.open = False

    def _grid(self, table: Mapping[str, Any], row: Row) -> None:
        name, required = table["name"], {"required": row.pop("required")}
        self.rows.append({"type": "begin_group", "name": name, "appearance": "table-list"} | row)
        if "hint" in table:
            self.rows.append({"type": "note", "name": f"{name}_note"} | self._texts("label", table["hint"]))
        for item, text in table["statements"].items():
            each = {"type": f"select_one {name}", "name": f"{name}_{item}"} | required
            self.rows.append(each | self._texts("label", text))
        self.rows.append({"type": "end_group"})
        self._lose(table, "shuffle", "the order at random")

    def _more(self, table: Mapping[str, Any]) -> Row:
        kind, row = table["kind"], {}
        if "cuts" in table:
            row["rr::cuts"] = " ".join(map(str, table["cuts"]))
            unit = table.get("unit")
            row |= {"rr::unit": unit[self.languages[0]] if isinstance(unit, dict) else unit} if unit else {}
        if kind == "scale":
            row["appearance"] = "likert"
        if _is_ambiguous(table):
            row |= {"rr::kind": kind} | ({"rr::decline": "yes"} if table.get("decline") else {})
        if table.get("decline") and ("cuts" in table or kind == "ranking"):
            row["rr::decline"] = "yes"  # others have a choice for it
        if kind == "multiple":
            self._lose(table, "optional", "that one may skip it")
        limits = list(self._limits(table))
        return row | ({"constraint": " and ".join(limits)} if limits else {})

    @staticmethod
    def _limits(table: Mapping[str, Any]) -> Iterator[str]:
        for key, sign in (("minimum", ">="), ("maximum", "<=")):
            if key in table:
                yield f". {sign} date('{table[key]}')" if table["kind"] == "date" else f". {sign} {table[key]}"
        if "least" in table and (table["least"] != 1 or "none" in table):
            yield f"count-selected(.) >= {table['least']}"
        if "most" in table:
            yield f"count-selected(.) <= {table['most']}"
        if "none" in table:
            yield f"not(selected(., '{_none(table)}') and count-selected(.) > 1)"

    def _lose(self, table: Mapping[str, Any], key: str, words: str) -> None:
        if table.get(key):
            self.notes.append(f'not in the form: {words}, question "{table["name"]}"')

    def _condition(self, table: Mapping[str, Any]) -> Row:
        if "ask_if" not in table:
            return {}
        written = expression_of(conditions_in(table["ask_if"]), self.known, XPATH)
        if written is None:
            self.notes.append(f'not in the form: the condition of "{table["name"]}": it would be asked of everybody')
        return {} if written is None else {"relevant": written}

    def _disguise(self, table: Mapping[str, Any]) -> Row:
        if "group" not in table:
            return {}
        group = self.groups[table["group"]]
        if "truth" not in group:
            raise SurveyError(
                f'group "{table["group"]}"',
                "XLSForms have no column for the odds of a group",
                "put each of its questions in its own group",
            )
        row = {"rr::group": table["group"], "rr::channel": group["channel"], "rr::truth": group["truth"]}
        row |= {"rr::coins": table["coins"]} if "coins" in table else {}
        prior = ", ".join(f"{value} = {share}" for value, share in table.get("prior", {}).items())
        return row | ({"rr::prior": prior} if prior else {})

    def _list(self, table: Mapping[str, Any]) -> None:
        kind, words = table["kind"], table.get("words", {})
        if "cuts" in table:
            return
        shown: dict[str, Any] = dict(table[PARTS[kind]]) if kind in PARTS and kind != "grid" else {}
        shown |= {_none(table): table["none"]} if "none" in table else {}
        values = [] if shown else list(table.get("values", ["yes", "no"]))
        values += [DECLINED] if table.get("decline") and kind != "ranking" else []
        declined = DECLINED if DECLINED not in table.get("values", ()) else None
        for value in values:
            usual = WORDS.get(value, value) if kind in {"yes_no", "multiple"} or value == declined else value
            shown[value] = {tag: words.get(tag, {}).get(value, usual) for tag in self.languages}
        usual = [value for value in values if value in WORDS and not any(value in each for each in words.values())]
        if usual and list(self.languages) != ["en"] and (kind in {"yes_no", "multiple"} or DECLINED in usual):
            self.notes.append(f'in English in every language: {", ".join(usual)} of "{table["name"]}"')
        for value, text in shown.items():
            row = {"list_name": table["name"], "name": value} | self._texts("label", text)
            self.choices.append(row | self._picture(table.get("pictures", {}).get(value)))

    def _picture(self, name: str | None) -> Row:
        """Return the cells that name the file of a picture in each language."""
        return {} if name is None else {f"media::image::{language}": name for language in self.languages}

    def _texts(self, column: str, text: str | Mapping[str, str]) -> Row:
        table = {self.languages[0]: text} if isinstance(text, str) else text
        return {f"{column}::{language}": table[language] for language in self.languages}


def _is_ambiguous(table: Mapping[str, Any]) -> bool:
    """Return whether an import would misread a list of choices.

    An import could mistake a list of choices for yes and no, or a choice for "prefer not to say".
    """
    if table["kind"] == "multiple":
        return "none" not in table and any(name in table["options"] for name in NONE_NAMES)
    if table["kind"] != "choice":
        return False
    values, words = table["values"], table.get("words", {})
    shown = [values, *([words[tag].get(value, value) for value in values] for tag in words)]
    alike = any(sorted(each.lower() for each in said) == sorted(YES_NO) for said in shown)
    return alike or DECLINED in values or (len(values) == 1 and bool(table.get("decline")))


def _none(table: Mapping[str, Any]) -> str:
    """Return a name for the choice "none", which excludes all options."""
    return next(
        name for number in range(len(table["options"]) + 1) if (name := NONE + "_" * number) not in table["options"]
    )
