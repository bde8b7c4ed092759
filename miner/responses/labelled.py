"""Write responses as an SPSS or a Stata file, with labels of codes and a description of the disguise.

Writing such files needs the extra ``deniable[spss]`` (the package pyreadstat).
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap
from typing import Any

import pandas as pd

from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import QueryError
from collector.exchange.codebook import chances_told, how_disguised, label_of, meanings, sent_chances
from collector.survey.question import Question
from collector.survey.survey import Survey
from miner.responses.responses import NOT_ASKED, Responses

SAV, DTA = SUFFIXES = (".sav", ".dta")
STATA_NAME, STATA_LABEL, STATA_MISSING = 32, 80, "a"  # the labels of a variable have its name and its position
SPSS_LABEL, SPSS_VALUE_LABEL, SPSS_NOTE = 255, 120, 80  # bytes
RESERVED = re.compile(
    r"all|and|by|eq|ge|gt|le|lt|ne|not|or|to|with|byte|double|float|if|in|int|long|str[0-9]+|strl|using"
)
INSPECTED = 100  # rows of a column from which pyreadstat tells whether it holds text
NOT_ASKED_LABEL = "not asked, by design"
FILE_LABEL = "Codes disguised by randomized response: see {}"
WARNING = (
    "The codes are not answers: each may have been replaced before it was sent, with the probabilities given here. "
    "Do not count them as answers: estimate frequencies (miner estimate), or correct for the probabilities."
)


def labelled_file(responses: Responses, suffix: str) -> bytes:
    """Return the content of an SPSS or a Stata file.

    Args:
        responses: Responses to write, with a variable for each question and a row for each response. In a Stata file of
            a split questionnaire, the first response to a question is moved to the beginning if it comes late.
        suffix: ``.sav`` (SPSS) or ``.dta`` (Stata). The disguise is described in the notes of an SPSS file, or in the
            labels of codes of a Stata file.

    Raises:
        QueryError: If the suffix is neither ``.sav`` nor ``.dta``, or pyreadstat is not installed.
    """
    if suffix not in SUFFIXES:
        raise QueryError(
            "file", f'its name ends with "{suffix}"', "choose a file name that ends in .sav (SPSS) or .dta (Stata)"
        )
    try:
        import pyreadstat  # noqa: PLC0415 - of an extra
    except ModuleNotFoundError:
        raise QueryError("file", "SPSS and Stata files need pyreadstat", 'pip install "deniable[spss]"') from None
    survey, language = responses.survey, responses.survey.languages[0]
    names = variable_names(survey)
    frame = pd.DataFrame(responses.codes.astype(int), columns=list(names.values()))
    labels = {
        names[each.name]: f"{'[disguised] ' * survey.is_disguised(each.name)}{label_of(survey, each, language)}"
        for each in survey.questions
    }
    missing = [names[each.name] for each in survey.questions if survey.may_miss(each.name)]
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"responses{suffix}"
        if suffix == SAV:
            pyreadstat.write_sav(
                frame,
                path,
                file_label=FILE_LABEL.format("notes"),
                column_labels={name: _cut(label, SPSS_LABEL) for name, label in labels.items()},
                note=[line for text in notes(survey, len(responses)) for line in _lines(text)],
                variable_value_labels={
                    names[each.name]: {
                        code: _cut(label, SPSS_VALUE_LABEL) for code, label in _codes(survey, each).items()
                    }
                    for each in survey.questions
                },
                missing_ranges={name: [NOT_ASKED] for name in missing},
                variable_measure={names[each.name]: _measure(each) for each in survey.questions},
            )
        else:
            firsts = [int(frame[name].ne(NOT_ASKED).argmax()) for name in missing]
            late = [first for first in firsts if first >= INSPECTED]
            frame = frame.iloc[list(dict.fromkeys([*late, *range(len(frame))]))]
            frame = frame.assign(
                **{name: frame[name].astype(object).replace(NOT_ASKED, STATA_MISSING) for name in missing}
            )
            pyreadstat.write_dta(
                frame,
                path,
                file_label=FILE_LABEL.format("labels of values"),
                column_labels={name: _cut(label, STATA_LABEL) for name, label in labels.items()},
                variable_value_labels={names[each.name]: _stata_labels(survey, each) for each in survey.questions},
                missing_user_values={name: [STATA_MISSING] for name in missing},
            )
        return path.read_bytes()


def variable_names(survey: Survey) -> dict[str, str]:
    """Return the variable name of each question. A name that is reserved or too long for Stata is changed."""
    found: dict[str, str] = {}
    for position, question in enumerate(survey.questions):
        name, room = question.name + "_" * bool(RESERVED.fullmatch(question.name)), STATA_NAME - len(str(position))
        number, short = 1, name[:room]
        while short in found.values():
            number += 1
            short = f"{name[: room - len(str(number)) - 1]}_{number}"
        found[question.name] = short
    return found


def notes(survey: Survey, count: int) -> Iterator[str]:
    """Yield the notes of a file: the meaning of codes, the disguise, and P(code sent | value) of each question."""
    yield f"Survey {survey.name}, {count} responses. Fingerprint of the design: {survey.fingerprint}"
    yield WARNING
    yield from SurveyPrivacy(survey).group_lines
    for question in survey.questions:
        yield f"{question.name}: {how_disguised(survey, question)}"
        rows = zip(*sent_chances(survey, question).values(), strict=True)
        for value, row in zip(question.values, rows, strict=False):
            chances = dict(zip(map(str, question.codes), row, strict=True))
            yield f"  {question.name} = {value} is sent as {chances_told(chances, 'code {}', 'each other code')}"


def _stata_labels(survey: Survey, question: Question) -> dict[Any, str]:
    """Return the label of each code, with P(code sent | value) for each value."""
    labels: dict[Any, str] = dict(_codes(survey, question))
    if NOT_ASKED in labels:
        labels[STATA_MISSING] = labels.pop(NOT_ASKED)
    for code, row in sent_chances(survey, question).items():
        chances = dict(zip(question.values, row, strict=True))
        labels[code] += f" (sent {chances_told(chances, 'for {}', 'for each other value')})"
    return labels


def _codes(survey: Survey, question: Question) -> dict[int, str]:
    """Return the label of each code, which names the values that the code stands for."""
    found = {NOT_ASKED: NOT_ASKED_LABEL} if survey.may_miss(question.name) else {}
    return found | meanings(survey, question, "stands for no value")


def _measure(question: Question) -> str:
    """Return ``ordinal`` if codes stand for single values in the order of the values, otherwise ``nominal``."""
    in_order = [question.coding.values_of(code) for code in question.codes] == [
        (n,) for n in range(len(question.values))
    ]
    return "ordinal" if question.in_order == len(question.values) and in_order else "nominal"


def _cut(text: str, size: int) -> str:
    """Return the longest beginning of a text that fits into a given number of bytes."""
    return text.encode()[:size].decode(errors="ignore")


def _lines(text: str) -> Sequence[str]:
    """Split a note into lines that are not longer than SPSS allows."""
    for width in range(SPSS_NOTE, SPSS_NOTE // 4, -1):  # in characters, which take up to four bytes each
        lines = wrap(text, width, subsequent_indent="  ")
        if all(len(line.encode()) <= SPSS_NOTE for line in lines):
            return lines or [""]
    return wrap(text, SPSS_NOTE // 4, subsequent_indent="  ")
