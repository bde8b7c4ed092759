"""The draft of a survey file from a table of undisguised answers.

Values and cut points that are read from data disclose something about the people in the data. Therefore every question
of a draft has ``confirmed = false``, which a survey file may not contain. A person has to compare each question with
public knowledge, such as the questionnaire, and confirm the question.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from collector.drafting.doubts import doubts, empty_where, far_codes, missing_numbers
from collector.drafting.draft_question import drafted_question, is_numbering, quartile_cuts, reason_unasked
from collector.drafting.left_out import added_by_platform, reason_without_question
from collector.errors import ResponseError
from collector.forms.plain_text import without_markup
from collector.survey.question import NAME, YES_NO, check_name
from collector.survey.text import LONGEST_TEXT
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_toml import table_lines, written
from collector.table.cell_words import ANSWERS, IMPORT_ID, MISSING, yes_or_no
from collector.table.plain_table import AS_IT_STANDS, Column, Reading, number_text, read_plain_table

ADDED = "a survey program added it to the answers"
MOST_GATES = 10  # largest number of values of a question that may decide who is asked another
UNCONFIRMED, CONFIRMED = "\nconfirmed = false\n", "\nconfirmed = true\n"
HEADING = (
    "# Drafted from a table: every domain below was read off the data, which are not public.",
    "# Compare each question with what is publicly known (questionnaire, code book), mend its values or cuts, and only",
    "# then say confirmed = true. Until all of them are confirmed nothing can be published, trained or released.",
)
ASKED = (
    "# Drafted from a table of a pilot: a survey to ask. Every value, cut point and frequency was read off the data.",
    "# Compare each question with the questionnaire, mend its words, and only then say confirmed = true. Each has",
    "# a group and a coin of its own to begin with: collector check tells what that reveals, and how precise it is.",
)


@dataclass(frozen=True)
class Draft:
    """The draft of a survey file, with notes about it.

    Attributes:
        text: Text of the file.
        questions: Names of the questions, in the order of the table.
        left_out: Columns that did not become questions.
        notes: Lines about changed names, columns left out and empty cells.
    """

    text: str
    questions: tuple[str, ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...] = ()


def draft_survey(path: Path, target: str | None, *, ask: bool = False, reading: Reading = AS_IT_STANDS) -> Draft:
    """Return the draft of a survey file for a table of undisguised answers.

    Args:
        path: Path of the table, with a row for each person and a column for each question.
        target: Name of the class column, or None for a survey without a class.
        ask: Whether to draft a survey for respondents, in which each question is disguised, and not a survey file for a
            trusted table.
        reading: Headings and encoding of the table.

    Raises:
        InputError: If the file cannot be read as text.
        ResponseError: If the file is not a table of undisguised answers.
        SurveyError: If a text cannot be a value, for example because it is longer than 1,000 characters.
    """
    found = read_plain_table(path, reading)
    if not found[0].cells:
        problem, remedy = "it has no header or no rows", "begin with a header that names the columns"
        raise ResponseError(f"{path}: table", problem, remedy)
    try:
        if target is not None:
            target = next((each.name for each in found if target in {each.heading, each.name}), target)
        added = added_by_platform(found) - {target}
        reasons = {each.name: ADDED if each.name in added else reason_without_question(each, found) for each in found}
        kinds = {
            each.name: _question(each, ask=ask)
            for number, each in enumerate(found)
            if each.name == target or not (reasons[each.name] or is_numbering(each, first=not number))
        }
        without = {
            each.name: reasons[each.name] or reason_unasked(each, first=not number)
            for number, each in enumerate(found)
            if kinds.get(each.name) is None
        }
        if target is not None:
            _check_target(kinds, target)
    except ResponseError as error:
        raise error.within(str(path)) from None
    questions = {name: question for name, question in kinds.items() if question is not None}
    if not questions:
        raise ResponseError(
            str(path), "no column of the table can become a question", "give a table with a column for each question"
        )
    name = _survey_name(path.stem)
    asked = _doubts(found, questions)
    lines = [*(ASKED if ask else HEADING), "", *_head(name), *_question_lines(questions, asked)]
    if ask:
        groups = (f"{each} = {written(_coin(question))}" for each, question in questions.items())
        lines += ["", "[groups]", *groups]
    if target is not None:
        lines += ["", "[mining]", *table_lines({"target": target})]
    text = "\n".join([*lines, ""])
    parse_survey(text.replace(UNCONFIRMED, CONFIRMED))  # what is drafted can be used once it is confirmed
    notes = [f'renamed: "{each.heading}" is {each.name}' for each in found if each.heading != each.name]
    if found[0].more:
        rows = "1 row" if len(found[0].more) == 1 else f"{len(found[0].more)} rows"
        notes.insert(0, f"{rows} below the header: headings, and not read as answers, here and by miner")
    notes += [
        f"{', '.join(name for name in without if without[name] == reason)}: left out: {reason}"
        for reason in dict.fromkeys(without.values())
    ]
    missing = {each.name: sum(cell in MISSING for cell in each.cells) for each in found if each.name in questions}
    notes += [f"{name}: {number} cells are empty or stand for no answer" for name, number in missing.items() if number]
    notes += [f"{name}: to be decided: {words}" for name, each in asked.items() for words in each]
    return Draft(text, tuple(questions), tuple(without), tuple(notes))


def _doubts(columns: Sequence[Column], questions: Mapping[str, Mapping[str, object]]) -> dict[str, list[str]]:
    """Return the points that a person has to decide, by name of the question."""
    found: dict[str, list[str]] = {}
    before: list[tuple[Column, Mapping[str, str]]] = []
    for column in columns:
        if (question := questions.get(column.name)) is None:
            continue
        asked = list(doubts(column))
        if question.get("optional"):
            stands = Counter(cell for cell in column.cells if cell in MISSING and cell)
            if stands:
                named = ", ".join(f'"{cell}" ({number} cells)' for cell, number in stands.items())
                asked.append(
                    f"{named} is taken for no answer; if it is an answer, {_to_answer(column, question, stands)}"
                )
        asked += [words] if (words := _not_offered(column, question)) else []
        asked += [words] if (words := empty_where(column, before)) else []
        if question["kind"] == "multiple":
            asked.append("semicolons join the options that are ticked; an empty cell is read as nothing ticked")
        found[column.name] = asked
        values = question.get("values", YES_NO if question["kind"] == "yes_no" else ())
        if isinstance(values, list | tuple) and values and len(values) <= MOST_GATES:
            cells = set(column.cells) - MISSING
            before.append((column, {cell: (yes_or_no(cell) or cell) if values == YES_NO else cell for cell in cells}))
    return {name: asked for name, asked in found.items() if asked}


def _to_answer(column: Column, question: Mapping[str, object], stands: Collection[str]) -> str:
    """Return advice for a column in which a cell such as ``n/a`` may be an answer that people chose."""
    without_prior = " and remove the prior" if "prior" in question else ""
    if question["kind"] == "yes_no":
        usual = sorted(set(column.cells) - MISSING, key=lambda cell: yes_or_no(cell) != YES_NO[0])
        return f'write kind = "choice" and values = {written([*usual, *stands])}{without_prior}'
    if "cuts" in question:
        return f'write kind = "choice" and list all values{without_prior}'
    return f"add it to the values{without_prior}"


def _not_offered(column: Column, question: Mapping[str, object]) -> str | None:
    """Return a doubt about whole numbers that are missing in a scale of numbers, or None."""
    values = question.get("values")
    if question["kind"] != "scale" or not isinstance(values, list) or any(number_text(each) != each for each in values):
        return None
    codes = far_codes(dict.fromkeys(values, 1))  # another doubt asks about these
    values = [value for value in values if value not in codes]
    if (gaps := missing_numbers(values)) is None:
        return None
    without_prior = " and remove the prior" if "prior" in question else ""
    cuts = written(quartile_cuts(column.cells))
    whole = ", whole = true" if all(Decimal(each) % 1 == 0 for each in values) else ""
    return (
        f"the values are the numbers that occur: nobody can answer {gaps}, or a number below {values[0]} or above "
        f'{values[-1]}; add what people may answer to the values, or write kind = "number"{whole} and cuts = {cuts} '
        f"in place of the values{without_prior}"
    )


def _coin(question: Mapping[str, object]) -> dict[str, str]:
    """Return the truth probability in a draft: 3/4 for questions with two values, and 1/2 for other questions."""
    values = YES_NO if question["kind"] == "multiple" else question.get("values", question.get("cuts", YES_NO))
    number = len(values) if isinstance(values, list | tuple) else 0
    two = number + ("cuts" in question) + bool(question.get("optional")) == len(YES_NO)
    return {"truth": "3/4" if two else "1/2", "channel": "uniform"}


def _question(column: Column, *, ask: bool) -> dict[str, object] | None:
    """Return a question for the answers in a column, or None."""
    kind = drafted_question(column.cells, column.name, with_prior=ask)
    if kind is None:
        return None
    label = next((text for text in column.more if _asks(text)), "")
    usual = column.heading if column.heading != column.name else column.name.replace("_", " ").capitalize()
    label = without_markup(label or usual)
    if kind["kind"] != "multiple" and any(cell in MISSING for cell in column.cells):
        kind["optional"] = True
    more = {"group": column.name} if ask else {"sensitive": False}
    return {"name": column.name, "label": f"{label.rstrip('?')}?", **kind, **more, "confirmed": False}


def _asks(text: str) -> bool:
    """Return whether the second heading of a column is the wording of a question."""
    return 0 < len(text) <= LONGEST_TEXT and ANSWERS.fullmatch(text) is None and IMPORT_ID not in text


def _check_target(kinds: Mapping[str, dict[str, object] | None], target: str) -> None:
    if kinds.get(target) is None:
        problem = "its values are too many or only one" if target in kinds else "there is no such column"
        names = [name for name, question in kinds.items() if question is not None]
        raise ResponseError(f'column "{target}"', problem, f"use one of: {', '.join(names)}")


def _survey_name(stem: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_")
    name = name if NAME.fullmatch(name) else f"survey_{name}".strip("_")[:63]
    check_name(name, "name")
    return name


def _head(name: str) -> Iterator[str]:
    title = name.replace("_", " ").capitalize()
    yield from table_lines({"name": name, "title": title, "languages": ["en"]})


def _question_lines(questions: Mapping[str, Mapping[str, object]], asked: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for name, question in questions.items():
        yield ""
        yield from (f"# To be decided: {words}" for words in asked.get(name, ()))
        yield "[[questions]]"
        yield from table_lines(question, "questions")
