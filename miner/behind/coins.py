"""Coins: P(codes sent | answers) of the questions that share a coin, for any channel and coding."""

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
    """Questions of one group, or one question that is sent as it is.

    Attributes:
        questions: Some or all of the group that were asked.
        columns: Where their codes stand in tables of codes.
        truth: theta, given everything that was asked of the group; 1 for a question that is sent as it is.
        replacement: The group's; None for a question that is sent as it is.
    """

    questions: tuple[Question, ...]
    columns: tuple[int, ...]
    truth: float
    replacement: ArrayReplacement | None

    @cached_property
    def kept(self) -> list[Floats]:
        """P(code | answer) for each question, as arrays to index with codes and values."""
        return [code_chances(question.coding) for question in self.questions]

    @cached_property
    def replaced(self) -> list[Floats]:
        """P(code | answer, replaced) likewise; one column stands for all values where the answer does not matter."""
        if self.replacement is None:
            return [np.zeros((len(kept), 1)) for kept in self.kept]
        return [self.replacement.replaced_chances(question) for question in self.questions]

    def table(self, truth: float) -> Floats:
        """P(code sent | answer) of a coin with one question, at this theta: an array to index with codes and values."""
        (kept,), (replaced,) = self.kept, self.replaced
        return truth * kept + (1 - truth) * replaced

    @cached_property
    def _behind(self) -> list[list[NDArray[np.int16]]] | None:
        """The few answers that a code leaves: tables of each question to index with codes.

        The first has the answer that the code stands for; the second, of a group, that of the code's partner. None if
        codes stand for several answers, or chance decides what is sent in place of them.
        """
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
        """Number of candidates that `candidates` lists for each row of codes."""
        behind = self._behind
        return prod(len(question.values) for question in self.questions) if behind is None else len(behind)

    def candidates(self, codes: Codes) -> tuple[Values, Floats]:
        """The answers that may be behind codes, and P(codes sent | answers).

        Args:
            codes: Shape (rows, columns of a table); every question of this coin was asked.

        Returns:
            Values, shape (rows, candidates, questions), and probabilities, shape (rows, candidates). Of candidates that
            are alike the probabilities add up.
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
        """P(codes sent | each answer to one question, and a row of answers to the others of this coin).

        Args:
            codes: Shape (rows, columns of a table); `NOT_ASKED` where a question was not asked.
            values: Shape (rows, columns of a table): answers; those to the one question are not used.
            column: The one question.
            truth: Shape (rows,): theta of each row.

        Returns:
            Shape (rows, values of the question).
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
    """Add the row of `NOT_ASKED`: nothing was sent, with probability 1."""
    return np.concatenate([table, np.ones((1, table.shape[1]))])


def _product(tables: Sequence[Floats], codes: Codes, values: Values) -> Floats:
    """Product over questions, the last axis, of P(code | value)."""
    found = np.ones(values.shape[:-1])
    for number, table in enumerate(tables):
        places = values[..., number] if table.shape[1] > 1 else 0
        found *= table[codes[..., number], places]
    return found


def coins_of(survey: Survey, columns: Sequence[int], asked: Collection[str]) -> tuple[SharedCoin, ...]:
    """The coins of questions, in the order of their first questions.

    Args:
        survey: The survey with the questions.
        columns: Their positions in the survey, in the order of a table's columns; -1 for a column without a code.
        asked: Names of the questions that were asked, at least of groups whose theta depends on it.
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
    """The columns of all questions that share a coin with one of these whose theta depends on what is asked."""
    homes = [survey.group_of(survey.questions[column].name) for column in columns]
    groups = [group for group in survey.groups if group in homes and group.channel.coin.varies]
    return [survey.questions.index(question) for group in groups for question in survey.members(group)]
