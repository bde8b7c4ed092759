"""The words for sent codes in tables: values, or codes such as ``#5``."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from collector.survey.question import Question
from collector.survey.survey import Survey

SHOWN = 12


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


def words_of(survey: Survey) -> dict[str, Words]:
    """For each question, by name and in order, the words of its column."""
    return {each.name: Words(each) for each in survey.questions}


def _is_number(found: object) -> bool:
    if not isinstance(found, str):
        return type(found) in {int, float}
    try:
        float(found)
    except ValueError:
        return False
    return True
