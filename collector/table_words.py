"""The words in which tables hold what was sent: values, codes such as ``#5``, or halves of a code of two answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from collector.pair_coding import DIGIT
from collector.question import CODE_MARK, Question
from collector.survey import Survey

SHOWN = 12
DIGITS = re.compile(rf"{CODE_MARK}(0|[1-9][0-9]{{0,4}})")


class Words(Protocol):
    """The words of one column."""

    @property
    def remedy(self) -> str:
        """What to write."""

    def code_of(self, word: str) -> int | None:
        """The code that a word means; None if it means none."""

    def word_of(self, code: int) -> str:
        """What stands for a code."""

    def problem_with(self, found: object) -> tuple[str, str]:
        """Why what was found is no word that means a code, without repeating it, and the remedy."""


@dataclass(frozen=True)
class OwnWords:
    """Of a question that has codes of its own.

    Attributes:
        question: Which.
    """

    question: Question

    @property
    def remedy(self) -> str:
        """What to write."""
        words = self.question.words
        more = f", ... ({len(words)} in all)" if len(words) > SHOWN else ""
        return f"use one of: {', '.join(words[:SHOWN])}{more}"

    @cached_property
    def _by_code(self) -> Mapping[int, str]:
        return dict(zip(self.question.codes, self.question.words, strict=True))

    def code_of(self, word: str) -> int | None:
        """The code that a word means; None if it means none."""
        return self.question.code_of_word.get(word)

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
        unknown = "it is not one of the question's values or codes" if found else "the cell is empty"
        return unknown if isinstance(found, str) else "it is not text", self.remedy


@dataclass(frozen=True)
class HalfWords:
    """Of a question whose answer has one code with another's: any digit, such as ``#12``."""

    remedy: str = "write what was sent, such as #12 (miner simulate makes it)"

    def code_of(self, word: str) -> int | None:
        """The digit that a word means; None if it means none."""
        return int(word[1:]) if DIGITS.fullmatch(word) and int(word[1:]) < DIGIT else None

    def word_of(self, code: int) -> str:
        """A digit, marked."""
        return f"{CODE_MARK}{code}"

    def problem_with(self, found: object) -> tuple[str, str]:
        """Why what was found is no word that means a digit, and the remedy."""
        return "it is not half of a code of two answers" if isinstance(found, str) else "it is not text", self.remedy


def words_of(survey: Survey) -> dict[str, Words]:
    """For each question, by name and in order, the words of its column."""
    return {each.name: HalfWords() if survey.together else OwnWords(each) for each in survey.questions}


def _is_number(found: object) -> bool:
    if not isinstance(found, str):
        return type(found) in {int, float}
    try:
        float(found)
    except ValueError:
        return False
    return True
