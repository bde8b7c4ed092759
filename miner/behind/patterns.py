"""Convert a survey and its responses to the arrays that mixtures of latent classes are fitted to.

*Slots* are consecutive numbers of the codes of all questions, and *places* are consecutive numbers of the values of all
questions. A *cell* is either all questions that share one coin, or one undisguised question. A *pattern* is a
combination of the codes of one cell, if at least one response contains the combination.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, pairwise
from math import log, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from collector.errors import QueryError
from collector.survey.routing import states_of
from collector.survey.survey import Group, Survey
from miner.arrays import Flags, Floats
from miner.behind.coins import coins_of
from miner.behind.kernels import logarithms
from miner.channels.registry import arrays_of, drawn_groups, partner_tables
from miner.responses.distinct import distinct_rows
from miner.responses.responses import Codes, Responses

Indices = NDArray[np.int32]
Offsets = NDArray[np.int64]
MOST_LAYOUTS = 4  # largest number of cached layouts
MOST_STATES = 16
"""Of answers that go together: a mixture has a class for each, and does not know of conditions that make more."""


class PatternParts(NamedTuple):
    """Patterns (combinations of codes) in all cells (groups and plain questions), concatenated.

    Attributes:
        sent: Consecutive numbers (slots) of the codes sent, pattern by pattern.
        flipped: Consecutive numbers (slots) of the complements of the codes sent, or -1 if replacements are random.
        start: Position in `sent` of each pattern's first code, shape (patterns + 1,).
        log_truth: Values of ln theta for each pattern, shape (patterns,).
        log_replaced: Values of ln (1 - theta) plus ln P(pattern | random replacement), shape (patterns,).
    """

    sent: Indices
    flipped: Indices
    start: Offsets
    log_truth: Floats
    log_replaced: Floats


class Readings(NamedTuple):
    """Values that each code of each question stands for.

    Attributes:
        first: Position in `places` of the first value of each code, shape (codes of all questions + 1,).
        places: Indices of values among all values of all questions.
        log_draw: Published values of ln P(code | value), for each of `places`.
    """

    first: Offsets
    places: Indices
    log_draw: Floats


@dataclass(frozen=True)
class Cell:
    """Group of questions that share a coin, or one undisguised question.

    Attributes:
        group: Group of questions, or None for an undisguised question.
        columns: Positions of the questions in the survey.
        drawn: Whether a replaced code is drawn at random from several codes.
    """

    group: Group | None
    columns: tuple[int, ...]
    drawn: bool

    def truth_at(self, survey: Survey, asked: Sequence[int]) -> float:
        """Return the truth probability of a group if some of its questions are asked, or 1 without a group."""
        if self.group is None or not asked:
            return 1.0
        return float(survey.truth_at(self.group, [survey.questions[column].name for column in asked]))


_LAYOUTS: dict[str, "Layout"] = {}


@dataclass(frozen=True)
class Layout:
    """Layout of a survey in arrays: numbers of its codes and values, and its groups and plain questions (cells)."""

    survey: Survey

    @classmethod
    def of(cls, survey: Survey) -> "Layout":
        """Return the layout of a survey, from a cache of the last few layouts."""
        found = _LAYOUTS.get(survey.fingerprint)
        if found is None:
            found = _LAYOUTS[survey.fingerprint] = cls(survey)
            for old in list(_LAYOUTS)[:-MOST_LAYOUTS]:
                _LAYOUTS.pop(old, None)
        return found

    def __post_init__(self) -> None:
        for cell in self.cells:
            if cell.group is None or not cell.drawn:
                continue
            arrays = arrays_of(cell.group.channel.replacement)
            if any(arrays.chances(self.survey.questions[column]) is None for column in cell.columns):
                problem = f"the {cell.group.channel.name} channel draws replacements that depend on the truth"
                raise QueryError(f'group "{cell.group.name}"', problem, "estimate shares or tables instead")

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Return the groups of the survey, followed by its undisguised questions."""
        column = {question.name: number for number, question in enumerate(self.survey.questions)}
        drawn = drawn_groups(self.survey)
        groups = [
            Cell(group, tuple(column[name] for name in group.questions), each)
            for group, each in zip(self.survey.groups, drawn, strict=True)
        ]
        plain = [
            Cell(None, (number,), drawn=True) for number, each in enumerate(self.survey.questions) if not each.sensitive
        ]
        return (*groups, *plain)

    @cached_property
    def places(self) -> Offsets:
        """Return the index of each question's first value among all values, shape (questions + 1,)."""
        return np.cumsum([0, *(len(question.values) for question in self.survey.questions)], dtype=np.int64)

    @cached_property
    def states(self) -> Flags:
        """Return whether each value is possible in each state, shape (states, values of all questions).

        A *state* is a set of values that `ask_if` conditions allow together. Without `ask_if` conditions there is a
        single state, in which all values are possible.
        """
        every = tuple(frozenset(range(len(question.values))) for question in self.survey.questions)
        boxes = states_of(self.survey.rules, every, MOST_STATES)
        rows = [
            [value in left for left, all_of in zip(box, every, strict=True) for value in sorted(all_of)]
            for box in boxes
        ]
        return np.array(rows, np.bool_)

    @cached_property
    def free(self) -> Flags:
        """Return whether all values of each question are possible in every state, shape (questions,)."""
        return np.asarray(np.minimum.reduceat(self.states.all(axis=0), self.places[:-1]))

    @cached_property
    def slots(self) -> Offsets:
        """Return the index of each question's first code among all codes, shape (questions + 1,)."""
        return np.cumsum([0, *(len(question.codes) for question in self.survey.questions)], dtype=np.int64)

    @cached_property
    def slot_place(self) -> Indices:
        """Return the index of the only value that each code stands for, or -1 if there is no single value."""
        first, places, _ = self.readings
        single = np.diff(first) == 1
        return np.where(single, np.append(places, -1)[first[:-1]], -1).astype(np.int32)

    @cached_property
    def readings(self) -> Readings:
        """Return the values that each code may stand for, with P(code | value)."""
        first, places, logs = [0], [], []
        for question, start in zip(self.survey.questions, self.places, strict=False):
            for code in question.codes:
                for value in question.coding.values_of(code):
                    places.append(int(start) + value)
                    logs.append(log(question.coding.draw_probabilities(value)[code]))
                first.append(len(places))
        return Readings(np.array(first, np.int64), np.array(places, np.int32), np.array(logs))

    @cached_property
    def slot_question(self) -> Indices:
        """Return the position of the question of each code, shape (codes of all questions,)."""
        return np.repeat(np.arange(len(self.survey.questions)), np.diff(self.slots)).astype(np.int32)

    @cached_property
    def slot_partner(self) -> Indices:
        """Return the index of the only possible replacement of each code, or -1 without a single replacement."""
        partners, coded = np.full(self.slots[-1], -1, np.int32), partner_tables(self.survey)
        for cell in self.cells:
            for column in () if cell.drawn else cell.columns:
                codes, first = list(self.survey.questions[column].codes), self.slots[column]
                partners[first : first + len(codes)] = self.slot_tables[column][coded[column][codes]]
        return partners

    @cached_property
    def slot_tables(self) -> list[Indices]:
        """Return the consecutive number (slot) of each code, as one array for each question."""
        tables = []
        for question, first in zip(self.survey.questions, self.slots, strict=False):
            table = np.full(question.codes[-1] + 1, -1, dtype=np.int32)
            table[list(question.codes)] = first + np.arange(len(question.codes))
            tables.append(table)
        return tables

    @cached_property
    def replacements(self) -> list[Floats]:
        """Return P(code | random replacement) for each question, as arrays indexed by code."""
        coins = coins_of(self.survey, range(len(self.survey.questions)), [each.name for each in self.survey.questions])
        found = {at: table[:, 0] for coin in coins for at, table in zip(coin.columns, coin.replaced, strict=True)}
        return [found[column] for column in sorted(found)]

    def truths(self, responses: Responses) -> Floats:
        """Return the truth probability of each group or plain question in each response, shape (responses, cells)."""
        truths = np.ones((len(responses), len(self.cells)))
        for number, cell in enumerate(self.cells):
            for rows, _, truth in self.draws(cell, responses.codes):
                truths[rows, number] = truth
        truths[responses.known] = 1.0
        return truths

    def draws(self, cell: Cell, codes: Codes) -> Iterator[tuple[Flags, list[int], float]]:
        """Yield flags of responses, the columns asked and the truth probability, for each set of questions asked."""
        was_asked = codes[:, cell.columns] >= 0
        first, which = distinct_rows(was_asked)
        for number, one in enumerate(was_asked[first].tolist()):
            columns = list(compress(cell.columns, one))
            yield which == number, columns, cell.truth_at(self.survey, columns)

    def split(self, table: Floats) -> list[Floats]:
        """Split an array over the values of all questions into one view for each question."""
        return [table[start:end] for start, end in pairwise(self.places)]


@dataclass(frozen=True, eq=False)
class Patterns:
    """Responses as combinations of codes (patterns), which mixtures are fitted to.

    Attributes:
        layout: Layout of the survey.
        ids: Index of the combination of codes (pattern) in each group or plain question (cell), shape (responses,
            cells).
        parts: Combinations of codes (patterns) in all groups and plain questions.
    """

    layout: Layout
    ids: Indices
    parts: PatternParts

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def distinct(self) -> tuple[Indices, Floats]:
        """Return the distinct rows of `ids`, and the number of responses equal to each distinct row."""
        first, inverse = distinct_rows(self.ids)
        return np.ascontiguousarray(self.ids[first]), np.bincount(inverse).astype(np.float64)

    @classmethod
    def of(cls, responses: Responses) -> "Patterns":
        """Find the distinct combinations of codes (patterns) of responses in each group or plain question."""
        layout = Layout.of(responses.survey)
        ids = np.empty((len(responses), len(layout.cells)), dtype=np.int32)
        cells: list[PatternParts] = []
        for number, cell in enumerate(layout.cells):
            first, inverse = distinct_rows(np.column_stack([responses.codes[:, cell.columns] + 1, responses.known]))
            ids[:, number] = inverse + sum(len(each.log_truth) for each in cells)
            cells.append(_cell_parts(layout, cell, responses.codes[first], responses.known[first]))
        own, flipped, start, log_truth, log_replaced = (np.concatenate(each) for each in zip(*cells, strict=True))
        return cls(layout, ids, PatternParts(own, flipped, np.append(0, start.cumsum()), log_truth, log_replaced))


def _cell_parts(layout: Layout, cell: Cell, codes: Codes, known: NDArray[np.bool_]) -> PatternParts:
    """Return the distinct combinations of codes (patterns) in one group or plain question."""
    tables = layout.slot_tables
    asked = codes[:, cell.columns] >= 0
    own = np.stack([tables[column][codes[:, column]] for column in cell.columns], axis=1)
    log_truth, log_replaced = np.zeros(len(codes)), np.full(len(codes), -np.inf)
    for rows, columns, truth in layout.draws(cell, codes):
        log_truth[rows] = log(truth) if truth > 0 else -np.inf
        if truth < 1:
            log_replaced[rows] = log(1 - truth) + (
                _log_replacement(layout, columns, codes[rows]) if cell.drawn else 0.0
            )
    log_truth[known], log_replaced[known] = 0.0, -np.inf
    return PatternParts(own[asked], layout.slot_partner[own[asked]], asked.sum(axis=1), log_truth, log_replaced)


def _log_replacement(layout: Layout, columns: list[int], codes: Codes) -> Floats | float:
    """Return ln P(codes | random replacement) for codes of a group or plain question."""
    questions, tables = layout.survey.questions, layout.replacements
    if all(len(set(tables[column][list(questions[column].codes)])) == 1 for column in columns):
        return -log(prod(len(questions[column].codes) for column in columns))
    chances = np.prod([tables[column][codes[:, column]] for column in columns], axis=0)
    return logarithms(chances)
