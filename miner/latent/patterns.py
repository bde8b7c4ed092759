"""What a mixture needs to know of a survey and of responses to it, as arrays.

All codes of all questions are numbered through as *slots*, all values as *places*. A *cell* is a group, or one
question that is sent as it is. Among n responses a narrow cell shows few distinct *patterns*, and EM works on these.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import log, prod

import numpy as np
from numpy.typing import NDArray

from collector.channel import ComplementChannel
from collector.survey import Group, Survey
from miner.latent.climb import Evidence
from miner.latent.kernels import Floats, Indices, Offsets, PatternParts
from miner.responses import Responses
from miner.weights import complement_table

LARGEST_KEY = 2**62


@dataclass(frozen=True)
class Cell:
    """A group, or one question that is sent as it is.

    Attributes:
        group: The group; None for the undisguised question.
        columns: Positions of its questions in the survey.
    """

    group: Group | None
    columns: tuple[int, ...]

    @property
    def complements(self) -> bool:
        """Whether a lie is the complement of the truth; otherwise it says nothing about the truth."""
        return self.group is not None and isinstance(self.group.channel, ComplementChannel)


@dataclass(frozen=True)
class Layout:
    """Slots and places of a survey.

    Attributes:
        survey: The published design.
    """

    survey: Survey

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The groups in survey order, then the questions that are sent as they are."""
        column = {question.name: number for number, question in enumerate(self.survey.questions)}
        groups = [Cell(group, tuple(column[name] for name in group.questions)) for group in self.survey.groups]
        plain = [Cell(None, (number,)) for number, each in enumerate(self.survey.questions) if not each.sensitive]
        return (*groups, *plain)

    @cached_property
    def places(self) -> Offsets:
        """Shape (questions + 1,): where each question's values begin among all values."""
        return np.cumsum([0, *(len(question.values) for question in self.survey.questions)], dtype=np.int64)

    @cached_property
    def slots(self) -> Offsets:
        """Shape (questions + 1,): where each question's codes begin among all codes."""
        return np.cumsum([0, *(len(question.codes) for question in self.survey.questions)], dtype=np.int64)

    @cached_property
    def slot_place(self) -> Indices:
        """Shape (slots,): the place of the value that a code stands for; -1 for a code that is never the truth."""
        values = [
            -1 if (value := question.coding.value_of(code)) is None else int(place) + value
            for question, place in zip(self.survey.questions, self.places, strict=False)
            for code in question.codes
        ]
        return np.array(values, dtype=np.int32)

    @cached_property
    def slot_partner(self) -> Indices:
        """Shape (slots,): the slot of each code's complement; -1 where there is none."""
        partners = [
            -1 if question.coding.complements is None else int(first) + question.codes.index(each)
            for question, first in zip(self.survey.questions, self.slots, strict=False)
            for each in question.coding.complements or question.codes
        ]
        return np.array(partners, dtype=np.int32)

    @cached_property
    def log_draw(self) -> Floats:
        """Shape (slots,): ln of the published chance that the value is coded so; 0 for a code that is never true."""
        logs = []
        for question in self.survey.questions:
            for code in question.codes:
                value = question.coding.value_of(code)
                logs.append(0.0 if value is None else log(question.coding.draw_probabilities(value)[code]))
        return np.array(logs)

    @cached_property
    def slot_tables(self) -> list[Indices]:
        """For each question the slot of each code, as an array to index with codes."""
        tables = []
        for question, first in zip(self.survey.questions, self.slots, strict=False):
            table = np.full(question.codes[-1] + 1, -1, dtype=np.int32)
            table[list(question.codes)] = first + np.arange(len(question.codes))
            tables.append(table)
        return tables

    def split(self, table: Floats) -> list[Floats]:
        """A table over all places, cut into one for each question (views)."""
        return [table[start:end] for start, end in pairwise(self.places)]


@dataclass(frozen=True, eq=False)
class Patterns:
    """Responses, taken apart for EM.

    Attributes:
        layout: Of their survey.
        ids: Shape (responses, cells): which pattern a response shows in each cell; patterns are numbered through.
        parts: The patterns.
    """

    layout: Layout
    ids: Indices
    parts: PatternParts

    def __len__(self) -> int:
        return len(self.ids)

    def evidence(self, prior: Floats) -> Evidence:
        """What EM climbs on.

        Args:
            prior: Shape (values of all questions,): added to the expected count of each value in each class.
        """
        kinds, times = self._kinds
        layout = self.layout
        return Evidence(kinds, times, self.parts, layout.slot_place, layout.log_draw, layout.places, prior)

    @cached_property
    def _kinds(self) -> tuple[Indices, Floats]:
        """The different responses, and how many there are of each."""
        first, inverse = distinct_rows(self.ids)
        return np.ascontiguousarray(self.ids[first]), np.bincount(inverse).astype(np.float64)

    @classmethod
    def of(cls, responses: Responses) -> Patterns:
        """Find the patterns of these responses; their number is at most responses x cells."""
        layout = Layout(responses.survey)
        ids = np.empty((len(responses), len(layout.cells)), dtype=np.int32)
        cells: list[PatternParts] = []
        for number, cell in enumerate(layout.cells):
            first, inverse = distinct_rows(np.column_stack([responses.codes[:, cell.columns], responses.known]))
            ids[:, number] = inverse + sum(len(each.log_truth) for each in cells)
            cells.append(_cell_parts(layout, cell, responses.codes[first], responses.known[first]))
        own, flipped, start, log_truth, log_lie = (np.concatenate(each) for each in zip(*cells, strict=True))
        return cls(layout, ids, PatternParts(own, flipped, np.append(0, start.cumsum()), log_truth, log_lie))


def distinct_rows(codes: NDArray[np.integer]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The position of one example of each distinct row, and for each row which of these it equals."""
    key = np.zeros(len(codes), dtype=np.int64)
    bound = 1
    for column in codes.T:
        radix = int(column.max(initial=0)) + 1
        if bound * radix > LARGEST_KEY:
            _, key = np.unique(key, return_inverse=True)
            bound = len(codes)
        key = key * radix + column
        bound *= radix
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    return first, inverse


def _cell_parts(layout: Layout, cell: Cell, codes: NDArray[np.int16], known: NDArray[np.bool_]) -> PatternParts:
    """The patterns of one cell, with the number of slots of each in place of `start`; some are known to be true."""
    tables = layout.slot_tables
    questions = layout.survey.questions
    own = np.stack([tables[column][codes[:, column]] for column in cell.columns], axis=1)
    flipped = np.full_like(own, -1)
    if cell.complements:
        for number, column in enumerate(cell.columns):
            flipped[:, number] = tables[column][complement_table(questions[column])[codes[:, column]]]
    states = 1 if cell.complements else prod(len(questions[column].codes) for column in cell.columns)
    truth = 1.0 if cell.group is None else float(cell.group.channel.truth)
    widths = np.full(len(codes), len(cell.columns), dtype=np.int64)
    log_truth, log_lie = np.where(known, 0.0, _log(truth)), np.where(known, -np.inf, _log(1 - truth) - log(states))
    return PatternParts(own.ravel(), flipped.ravel(), widths, log_truth, log_lie)


def _log(probability: float) -> float:
    """The natural logarithm, -inf at 0."""
    return log(probability) if probability > 0 else -np.inf
