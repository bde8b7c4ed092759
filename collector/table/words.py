"""The words in tables of disguised responses: values, or codes such as ``#5``."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import TypeAlias

from collector.characters import is_lookalike, same
from collector.database.batch import CODES, Batch
from collector.errors import ResponseError
from collector.store.simulated import MARK, NOT_SIMULATED, Coins
from collector.survey.question import Question
from collector.survey.survey import Row, Survey
from collector.table.cell_words import day_of
from collector.table.plain_table import THOUSANDS, number_text

OPTION = "--recode"  # option of collector import that recodes words
SHOWN = 12
LOOKALIKE = "it looks like a value of the question, and has other characters, such as letters of another alphabet"
Recoding: TypeAlias = Mapping[str, Mapping[str, str]]
"""The value that each word of a file stands for, by question (`collector.table.recoding`)."""
NOTHING: Recoding = {}
WRITTEN = 2**12  # number of responses that are written together


@dataclass(frozen=True)
class Words:
    """The words in the column of a question, with their codes.

    Attributes:
        question: Question of the column.
        recoded: Value for each recoded word, or the empty text for a word that means no answer.
    """

    question: Question
    recoded: Mapping[str, str] = field(default_factory=dict)

    @property
    def remedy(self) -> str:
        """The remedy for an invalid word, which lists the allowed words."""
        words = self.question.words
        more = f", ... ({len(words)} in all)" if len(words) > SHOWN else ""
        return f"use one of: {', '.join(words[:SHOWN])}{more}"

    @cached_property
    def _by_code(self) -> Mapping[int, str]:
        return dict(zip(self.question.codes, self.question.words, strict=True))

    def meant(self, word: str) -> str:
        """Return the value that a word of the file stands for, or the word itself."""
        return self.recoded.get(word.strip(), word)

    def code_of(self, word: str) -> int | None:
        """Return the code that a word stands for, or None."""
        codes = self.question.code_of_word
        if word in codes:
            return codes[word]
        found = same(word.rstrip(), self.question.words) or self._interval_with(word.strip())
        return None if found is None else codes.get(found)

    def _interval_with(self, word: str) -> str | None:
        """Return the interval that a number or a day lies in, if the answers to the question are sent as they are."""
        question = self.question
        if question.sensitive or not question.bounds:
            return None
        if day_of(question.bounds[0]) is not None:
            day = day_of(word)
            return None if day is None else question.base[bisect_right(question.bounds, day)]
        number = None if THOUSANDS.fullmatch(word) else number_text(word, ";")
        if number is None or any(
            end is not None and sign * (Decimal(number) - Decimal(str(end))) < 0
            for end, sign in ((question.minimum, 1), (question.maximum, -1))
        ):
            return None
        return question.base[bisect_right([*map(Decimal, question.bounds)], Decimal(number))]

    def word_of(self, code: int) -> str:
        """Return the value that a code stands for, or the code itself."""
        return self._by_code[code]

    def problem_with(self, found: object) -> tuple[str, str]:
        """Return the problem and the remedy for an invalid cell, without quoting the cell."""
        if found is None or found == "":
            return "the cell is empty", f'{self.remedy}; or leave out such rows with {OPTION} "="'
        if not isinstance(found, str):
            return "it is not text", self.remedy
        if found in self.question.values:
            problem = "its value has several codes, so that it is ambiguous"
            return problem, f"write the code that was sent; {self.remedy}"
        if self.question.kind == "number" and _is_number(found):
            problem = "a raw number is no disguised value"
            if not self.question.sensitive:
                problem = "the number is outside the minimum and the maximum"
            return problem, f"write the value that was sent; {self.remedy}"
        if isinstance(found, str) and is_lookalike(found, self.question.words):
            return LOOKALIKE, self.remedy
        return (
            "it is not one of the question's values or codes",
            f"{self.remedy}; or give {OPTION} the words of the file",
        )


def words_of(survey: Survey, recoding: Recoding = NOTHING) -> dict[str, Words]:
    """Return the words of each question's column, by name of the question."""
    return {each.name: Words(each, recoding.get(each.name, {})) for each in survey.questions}


def no_answers(survey: Survey, words: Mapping[str, Words]) -> dict[str, frozenset[str]]:
    """Return the words that mean no answer, for each question that requires an answer."""
    found = {
        name: frozenset(word for word, value in each.recoded.items() if not value)
        for name, each in words.items()
        if not survey.may_miss(name)
    }
    return {name: some for name, some in found.items() if some}


def place(line: int, name: str) -> str:
    """Return the name of a cell of a file for errors."""
    return f'line {line}, column "{name}"'


def code_at(words: Words, found: object, place: str) -> int:
    """Return the code that a cell means.

    Raises:
        ResponseError: If the cell is not a valid word.
    """
    code = words.code_of(found) if isinstance(found, str) else None
    if code is None:
        problem, remedy = words.problem_with(found)
        raise ResponseError(place, problem, remedy)
    return code


def asked(survey: Survey, codes: Iterable[int | None], line: int) -> Row:
    """Check that a response answers as many questions as one respondent is asked, and return the response.

    Raises:
        ResponseError: If the response has more or fewer answers than one respondent is asked.
    """
    row = tuple(codes)
    try:
        survey.check_count(row)
    except ResponseError as error:
        raise error.within(f"line {line}") from None
    return row


def names_of(survey: Survey) -> list[str]:
    """Return the names of the columns of a file to write."""
    return [*(question.name for question in survey.questions), MARK]


def written_columns(
    survey: Survey, batches: Iterable[Batch], simulated: Coins | None, written: Callable[[str | None], str]
) -> Iterator[list[Iterable[str]]]:
    """Yield the columns of some responses at a time, for writing a file.

    Args:
        survey: Published design.
        batches: Responses to write.
        simulated: How the coins of simulated responses were drawn, for each line's mark, or None for responses of
            people.
        written: Function that returns the text of a word in the file, given the word or None for a question that was
            not asked.
    """
    words, width = [_Remembered(each, written) for each in words_of(survey).values()], len(survey.questions)
    for batch in batches:
        for start in range(0, len(batch), WRITTEN * width):
            some = batch[start : start + WRITTEN * width]
            columns: list[Iterable[str]] = [map(each.__getitem__, some[at::width]) for at, each in enumerate(words)]
            yield [*columns, [written(str(simulated or NOT_SIMULATED))] * (len(some) // width)]


class _Remembered(dict[int, str]):
    """A cache of the words that are written for the codes of one column."""

    def __init__(self, words: Words, written: Callable[[str | None], str]) -> None:
        super().__init__()
        self._words = words
        self._written = written

    def __missing__(self, number: int) -> str:
        code = CODES[number]
        self[number] = text = self._written(None if code is None else self._words.word_of(code))
        return text


def _is_number(found: object) -> bool:
    if not isinstance(found, str):
        return type(found) in {int, float}
    try:
        float(found)
    except ValueError:
        return False
    return True
