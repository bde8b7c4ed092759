"""The words for sent codes in tables: values, or codes such as ``#5``."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from collector.characters import is_lookalike, same
from collector.database.batch import CODES, Batch
from collector.errors import ResponseError
from collector.store.simulated import MARK, NOT_SIMULATED, Coins
from collector.survey.question import Question
from collector.survey.survey import Row, Survey

SHOWN = 12
LOOKALIKE = "it looks like a value of the question, and has other characters, such as letters of another alphabet"
WRITTEN = 2**12  # responses that are written together


@dataclass(frozen=True)
class Words:
    """The words of a question's column."""

    question: Question

    @property
    def remedy(self) -> str:
        """The remedy: which words are allowed."""
        words = self.question.words
        more = f", ... ({len(words)} in all)" if len(words) > SHOWN else ""
        return f"use one of: {', '.join(words[:SHOWN])}{more}"

    @cached_property
    def _by_code(self) -> Mapping[int, str]:
        return dict(zip(self.question.codes, self.question.words, strict=True))

    def code_of(self, word: str) -> int | None:
        """The code that a word means; None if it means none."""
        codes = self.question.code_of_word
        if word in codes:
            return codes[word]
        found = same(word, self.question.words)
        return None if found is None else codes[found]

    def word_of(self, code: int) -> str:
        """The value that a code stands for, or the code itself."""
        return self._by_code[code]

    def problem_with(self, found: object) -> tuple[str, str]:
        """Why what was found is no word that means a code, without repeating it, and the remedy."""
        if found in self.question.values:
            problem = "its value has several codes, so that it is ambiguous"
            return problem, f"write the code that was sent; {self.remedy}"
        if self.question.kind == "number" and _is_number(found):
            return "a raw number is no disguised value", f"disguise it first (miner simulate), then {self.remedy}"
        if isinstance(found, str) and is_lookalike(found, self.question.words):
            return LOOKALIKE, self.remedy
        unknown = "it is not one of the question's values or codes" if found else "the cell is empty"
        return unknown if isinstance(found, str) else "it is not text", self.remedy


def words_of(survey: Survey) -> dict[str, Words]:
    """The words of each question's column, by name and in order."""
    return {each.name: Words(each) for each in survey.questions}


def place(line: int, name: str) -> str:
    """A cell of a file, as messages name it."""
    return f'line {line}, column "{name}"'


def code_at(words: Words, found: object, place: str) -> int:
    """The code that a cell means.

    Raises:
        ResponseError: If it means none, naming the place.
    """
    code = words.code_of(found) if isinstance(found, str) else None
    if code is None:
        problem, remedy = words.problem_with(found)
        raise ResponseError(place, problem, remedy)
    return code


def asked(survey: Survey, codes: Iterable[int | None], line: int) -> Row:
    """One response, once it has as many codes as one respondent is asked for.

    Raises:
        ResponseError: If it has not, naming the line.
    """
    row = tuple(codes)
    try:
        survey.check_count(row)
    except ResponseError as error:
        raise error.within(f"line {line}") from None
    return row


def names_of(survey: Survey) -> list[str]:
    """The names of the columns of a file that is written."""
    return [*(question.name for question in survey.questions), MARK]


def written_columns(
    survey: Survey, batches: Iterable[Batch], simulated: Coins | None, written: Callable[[str | None], str]
) -> Iterator[list[Iterable[str]]]:
    """The columns of a file, some responses at a time.

    Args:
        survey: The published design.
        batches: The responses.
        simulated: The coins of simulated responses, to say so in every line; None if people gave them.
        written: A word as the file has it; None stands for a question that was not asked.
    """
    words, width = [_Remembered(each, written) for each in words_of(survey).values()], len(survey.questions)
    for batch in batches:
        for start in range(0, len(batch), WRITTEN * width):
            some = batch[start : start + WRITTEN * width]
            columns: list[Iterable[str]] = [map(each.__getitem__, some[at::width]) for at, each in enumerate(words)]
            yield [*columns, [written(str(simulated or NOT_SIMULATED))] * (len(some) // width)]


class _Remembered(dict[int, str]):
    """Written words of one column, by the number that stands for a code in a batch."""

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
