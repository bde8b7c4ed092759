"""Compute P(codes sent | answers) for questions whose disguise shares a coin."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from collector.survey.question import Question
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.channels.candidates import code_chances, every_combination
from miner.channels.registry import arrays_of
from miner.channels.replacement import ArrayReplacement
from miner.responses.responses import Codes, Values, value_table


@dataclass(frozen=True, eq=False)
class SharedCoin:
    """Questions of one group, which share a coin, or one plain question, whose answers are not disguised.

    Attributes:
        questions: Questions of the group that were asked.
        columns: Column of each question in arrays of codes.
        truth: Truth probability theta of the coin, or 1 for a plain question.
        replacement: Replacement of the group's codes, or None for a plain question.
    """

    questions: tuple[Question, ...]
    columns: tuple[int, ...]
    truth: float
    replacement: ArrayReplacement | None

    @cached_property
    def kept(self) -> list[Floats]:
        """Return P(code | answer) for each question, as arrays indexed by code and value."""
        return [code_chances(question.coding) for question in self.questions]

    @cached_property
    def replaced(self) -> list[Floats]:
        """Return P(code | answer, replaced) for each question, as arrays indexed by code and value.

        If replaced codes do not depend on the answer, the array of a question has a single column.
        """
        if self.replacement is None:
            return [np.zeros((len(kept), 1)) for kept in self.kept]
        return [self.replacement.replaced_chances(question) for question in self.questions]

    def table(self, truth: float) -> Floats:
        """Return P(code sent | answer) of a coin with a single question, as an array indexed by code and value."""
        (kept,), (replaced,) = self.kept, self.replaced
        return truth * kept + (1 - truth) * replaced

    @cached_property
    def _behind(self) -> list[list[NDArray[np.int16]]] | None:
        """Return the one or two answers that may be behind each code, or None if there may be more."""
        own = [value_table(question) for question in self.questions]
        if self.replacement is None:
            return [own]
        if any(question.coding.shared or question.coding.routed for question in self.questions):
            return None
        partners = [self.replacement.partners(question) for question in self.questions]
        others = [table[each] for table, each in zip(own, partners, strict=True) if each is not None]
        return [own, others] if len(others) == len(own) else None

    @property
    def count(self) -> int:
        """Return the number of combinations of answers that `candidates` lists for each row of codes."""
        behind = self._behind
        return prod(len(question.values) for question in self.questions) if behind is None else len(behind)

    def candidates(self, codes: Codes) -> tuple[Values, Floats]:
        """Return the answers that may be behind codes, and P(codes sent | answers).

        Args:
            codes: Codes of respondents who were asked all questions of the coin, shape (rows, columns).

        Returns:
            Values, shape (rows, candidates, questions), and P(codes sent | values), shape (rows, candidates). If a
            candidate is listed twice, its probability is the sum of both entries.
        """
        sent = codes[:, self.columns]
        if self._behind is None:
            every = every_combination(len(sent), self.questions)
            kept, replaced = (_product(tables, sent[:, None], every) for tables in (self.kept, self.replaced))
            return every, self.truth * kept + (1 - self.truth) * replaced
        values, chances = [], []
        ways = (self.truth, self.kept), (1 - self.truth, self.replaced)
        for tables, (share, given) in zip(self._behind, ways, strict=False):
            values.append(np.stack([table[each] for table, each in zip(tables, sent.T, strict=True)], axis=1))
            chances.append(share * _product(given, sent, values[-1]))
        return np.stack(values, axis=1), np.stack(chances, axis=1)

    def by_answer(self, codes: Codes, values: Values, column: int, truth: Floats) -> Floats:
        """Return P(codes sent | answers) for each answer to one question of the coin, given its other answers.

        Args:
            codes: Codes sent, or `NOT_ASKED` for a question that was not asked, shape (rows, columns).
            values: Answers to the other questions as value indices, shape (rows, columns).
            column: Column of the question whose answer is varied.
            truth: Truth probability theta of each row, shape (rows,).

        Returns:
            Probabilities, shape (rows, values of the question).
        """
        place = self.columns.index(column)
        found = np.ones((2, len(codes), len(self.questions[place].values)))
        for product, tables in zip(found, (self.kept, self.replaced), strict=True):
            for number, each in enumerate(self.columns):
                table = with_not_asked(tables[number])
                alike = number == place or table.shape[1] == 1
                chances = table[codes[:, each]] if alike else table[codes[:, each], values[:, each], None]
                np.multiply(product, chances, out=product)
        return np.asarray(truth[:, None] * found[0] + (1 - truth[:, None]) * found[1])


def with_not_asked(table: Floats) -> Floats:
    """Append a row of ones to an array, whose probabilities belong to the code `NOT_ASKED`."""
    return np.concatenate([table, np.ones((1, table.shape[1]))])


def _product(tables: Sequence[Floats], codes: Codes, values: Values) -> Floats:
    """Return the product of P(code | value) over questions, which are the last axis of `values`."""
    found = np.ones(values.shape[:-1])
    for number, table in enumerate(tables):
        places = values[..., number] if table.shape[1] > 1 else 0
        found *= table[codes[..., number], places]
    return found


def coins_of(survey: Survey, columns: Sequence[int], asked: Collection[str]) -> tuple[SharedCoin, ...]:
    """Return the coins that disguise some questions, in the order of the coins' first questions.

    Args:
        survey: Survey with the questions.
        columns: Position in the survey of the question of each column of codes, or -1 for a column without codes.
        asked: Names of all questions that were asked.
    """
    homes: dict[str, list[int]] = {}
    for place, column in enumerate(columns):
        if column >= 0:
            name = survey.questions[column].name
            group = survey.group_of(name)
            homes.setdefault(f"question {name}" if group is None else f"group {group.name}", []).append(place)
    coins = []
    for places in homes.values():
        questions = tuple(survey.questions[columns[place]] for place in places)
        group = survey.group_of(questions[0].name)
        truth = 1.0 if group is None else float(survey.truth_at(group, asked))
        replacement = None if group is None else arrays_of(group.channel.replacement)
        coins.append(SharedCoin(questions, tuple(places), truth, replacement))
    return tuple(coins)


def sampled_within(survey: Survey, columns: Iterable[int]) -> list[int]:
    """Return the columns of all questions that share a coin with some questions."""
    homes = [survey.group_of(survey.questions[column].name) for column in columns]
    groups = [group for group in survey.groups if group in homes and group.channel.coin.varies]
    return [survey.questions.index(question) for group in groups for question in survey.members(group)]
