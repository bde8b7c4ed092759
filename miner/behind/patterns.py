"""A survey and its responses as arrays, in the form that the mixture needs.

The codes of all questions are numbered consecutively as *slots*, and the values as *places*. A *cell* is a group, or
one undisguised question. Responses have few distinct *patterns* in a small cell, and EM works on these. A question that
was not asked (-1) has no slot in the pattern.
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
MOST_LAYOUTS = 4  # that are kept
MOST_STATES = 16
"""Of answers that go together: a mixture has a class for each, and does not know of conditions that make more."""


class PatternParts(NamedTuple):
    """All patterns of all cells, concatenated.

    Attributes:
        sent: The code slots of the codes sent, pattern by pattern.
        flipped: The slots of the complements; -1 where a replacement is independent of the truth.
        start: Shape (patterns + 1,): where each pattern's slots begin.
        log_truth: Shape (patterns,): ln theta of the pattern's cell.
        log_replaced: Shape (patterns,): ln (1 - theta), minus ln of the number of states under the uniform channel;
            -inf if the cell is not disguised.
    """

    sent: Indices
    flipped: Indices
    start: Offsets
    log_truth: Floats
    log_replaced: Floats


class Readings(NamedTuple):
    """The values that each code slot stands for: usually one, several under a block coding.

    Attributes:
        first: Shape (slots + 1,): index in `places` of each slot's first value.
        places: Indices of the values among all values of all questions.
        log_draw: ln P(code | value), as published.
    """

    first: Offsets
    places: Indices
    log_draw: Floats


@dataclass(frozen=True)
class Cell:
    """A group, or one undisguised question.

    Attributes:
        group: The group; None for the undisguised question.
        columns: Positions of its questions in the survey.
        drawn: Whether a replacement is drawn, independently of the truth; otherwise it is the one partner of each code,
            or there is none.
    """

    group: Group | None
    columns: tuple[int, ...]
    drawn: bool

    def truth_at(self, survey: Survey, asked: Sequence[int]) -> float:
        """The truth probability if these columns of the cell are asked; 1 without a coin."""
        if self.group is None or not asked:
            return 1.0
        return float(survey.truth_at(self.group, [survey.questions[column].name for column in asked]))


_LAYOUTS: dict[str, "Layout"] = {}


@dataclass(frozen=True)
class Layout:
    """Slots and places of a survey."""

    survey: Survey

    @classmethod
    def of(cls, survey: Survey) -> "Layout":
        """The layout of a survey; the last few are kept, as EM asks for one at each step."""
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
                raise QueryError(f'group "{cell.group.name}"', problem, "use estimates of frequencies and tables")

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The groups in survey order, then the undisguised questions."""
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
        """Shape (questions + 1,): where each question's values begin among all values."""
        return np.cumsum([0, *(len(question.values) for question in self.survey.questions)], dtype=np.int64)

    @cached_property
    def states(self) -> Flags:
        """Shape (states, values of all questions): values that go together, as `ask_if` says; one state without it.

        Answers that are independent within a state, as they are within a class of a mixture, never contradict.
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
        """Shape (questions,): whether each may have any of its values in every state."""
        return np.asarray(np.minimum.reduceat(self.states.all(axis=0), self.places[:-1]))

    @cached_property
    def slots(self) -> Offsets:
        """Shape (questions + 1,): where each question's codes begin among all codes."""
        return np.cumsum([0, *(len(question.codes) for question in self.survey.questions)], dtype=np.int64)

    @cached_property
    def slot_place(self) -> Indices:
        """Shape (slots,): the place of the value that a code stands for; -1 where that is none, or several."""
        first, places, _ = self.readings
        single = np.diff(first) == 1
        return np.where(single, np.append(places, -1)[first[:-1]], -1).astype(np.int32)

    @cached_property
    def readings(self) -> Readings:
        """The values that each code may stand for, with the published chance that each is coded so."""
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
        """Shape (slots,): the position of each slot's question."""
        return np.repeat(np.arange(len(self.survey.questions)), np.diff(self.slots)).astype(np.int32)

    @cached_property
    def slot_partner(self) -> Indices:
        """Shape (slots,): the slot of the code sent in place of each; -1 where it is drawn, or there is none."""
        partners, coded = np.full(self.slots[-1], -1, np.int32), partner_tables(self.survey)
        for cell in self.cells:
            for column in () if cell.drawn else cell.columns:
                codes, first = list(self.survey.questions[column].codes), self.slots[column]
                partners[first : first + len(codes)] = self.slot_tables[column][coded[column][codes]]
        return partners

    @cached_property
    def slot_tables(self) -> list[Indices]:
        """Slots of the codes of each question, as an array to index with codes."""
        tables = []
        for question, first in zip(self.survey.questions, self.slots, strict=False):
            table = np.full(question.codes[-1] + 1, -1, dtype=np.int32)
            table[list(question.codes)] = first + np.arange(len(question.codes))
            tables.append(table)
        return tables

    @cached_property
    def replacements(self) -> list[Floats]:
        """P(code | replacement) of each question whose replacements are drawn, as an array to index with codes."""
        coins = coins_of(self.survey, range(len(self.survey.questions)), [each.name for each in self.survey.questions])
        found = {at: table[:, 0] for coin in coins for at, table in zip(coin.columns, coin.replaced, strict=True)}
        return [found[column] for column in sorted(found)]

    def truths(self, responses: Responses) -> Floats:
        """Shape (responses, cells): the truth probability of each response's coin; 1 where it is known to be true."""
        truths = np.ones((len(responses), len(self.cells)))
        for number, cell in enumerate(self.cells):
            for rows, _, truth in self.draws(cell, responses.codes):
                truths[rows, number] = truth
        truths[responses.known] = 1.0
        return truths

    def draws(self, cell: Cell, codes: Codes) -> Iterator[tuple[Flags, list[int], float]]:
        """The rows of codes in which the same questions of a cell were asked, these columns, and their theta."""
        was_asked = codes[:, cell.columns] >= 0
        first, which = distinct_rows(was_asked)
        for number, one in enumerate(was_asked[first].tolist()):
            columns = list(compress(cell.columns, one))
            yield which == number, columns, cell.truth_at(self.survey, columns)

    def split(self, table: Floats) -> list[Floats]:
        """A table over all places, cut into one for each question (views)."""
        return [table[start:end] for start, end in pairwise(self.places)]


@dataclass(frozen=True, eq=False)
class Patterns:
    """Responses in the form that EM needs.

    Attributes:
        layout: Layout of their survey.
        ids: Shape (responses, cells): the pattern of the response in each cell; patterns of all cells are numbered
            consecutively.
        parts: The patterns.
    """

    layout: Layout
    ids: Indices
    parts: PatternParts

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def distinct(self) -> tuple[Indices, Floats]:
        """The distinct rows of `ids`, and the number of responses of each."""
        first, inverse = distinct_rows(self.ids)
        return np.ascontiguousarray(self.ids[first]), np.bincount(inverse).astype(np.float64)

    @classmethod
    def of(cls, responses: Responses) -> "Patterns":
        """Find the patterns of these responses; their number is at most responses x cells."""
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
    """The patterns of one cell, with the number of slots of each in place of `start`; some are known to be true."""
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
    """The logarithm of P(these codes | replacement)."""
    questions, tables = layout.survey.questions, layout.replacements
    if all(len(set(tables[column][list(questions[column].codes)])) == 1 for column in columns):
        return -log(prod(len(questions[column].codes) for column in columns))
    chances = np.prod([tables[column][codes[:, column]] for column in columns], axis=0)
    return logarithms(chances)
