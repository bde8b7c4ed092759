"""Hold disguised responses in memory with their survey, and read tables of answers in words as value indices.

Errors about a table name the row (counted from 1) and the column, but never repeat the content of a cell.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import cycle
from operator import getitem

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from collector.database.batch import FIRST, rows_of
from collector.errors import QueryError, ResponseError
from collector.store.simulated import Simulated
from collector.store.store import BATCH, Store
from collector.survey.question import Question
from collector.survey.survey import Row, Survey
from miner.arrays import Floats
from miner.responses.blocks import Blocks, LocalBlocks, unchanged
from miner.responses.columns import answers_to, check_codes, column_of, doubtful, read_answers
from miner.responses.filed import FiledBlocks, memory
from miner.responses.table_like import Chosen, TableLike, positions
from miner.responses.tally import Packing, Tally, batches_of, code_type, repeated, split_tally
from miner.steps import steps

NOT_ASKED = -1
"""In place of a code or a value, where a respondent was not asked the question, by design."""
PROGRAM = 350 * 2**20  # number of bytes that the program and its compiled loops take
TRAINING = 5  # memory that training takes, as a multiple of the packed responses
BLOCK = 2**23  # largest number of responses of a block; a call for each block takes Dask some milliseconds
MOST_BLOCKS = 64
AT_ONCE = 2**18  # number of responses that are counted at once
Codes = NDArray[np.int8 | np.int16]
"""Codes, a row for each response and a column for each question; `NOT_ASKED` where it was not."""
Values = NDArray[np.int16]
"""Indices of values, a row for each respondent and a column for each question; `NOT_ASKED` where it was not."""


class Data:
    """Disguised responses to a survey, wherever they are.

    The block of a response depends only on its codes and on the number of responses. Figures do not depend on where the
    responses come from, how they are sorted, or where they are stored.

    Args:
        survey: Published survey.
        blocks: Distinct responses of each block, with their numbers. A source that makes its blocks when they are
            needed is a subclass with `survey`, `simulated`, a length and `tallied`.
        simulated: Record of simulated responses, or None if no response is known to be simulated.
    """

    survey: Survey
    simulated: Simulated | None
    _blocks: Blocks[Tally] | None = None

    def __init__(self, survey: Survey, blocks: Blocks[Tally], simulated: Simulated | None) -> None:
        self.survey, self._blocks, self.simulated = survey, blocks, simulated
        self._sizes = [*blocks.results(Tally.people)]

    def __len__(self) -> int:
        return sum(self._sizes)

    def tallied(self, sets: Sequence[Sequence[int]]) -> list[Tally]:
        """Return a tally (counts of combinations of codes) of each set of columns, in one pass over the responses."""
        every = self.in_blocks().results(Tally.all_narrowed, sets)
        return [Tally.together(each) for each in zip(*every, strict=True)]

    def pieces(self) -> Iterator[Tally]:
        """Yield the counted responses of one part after another, without sorting the whole."""
        yield from self.tallied([range(len(self.survey.questions))])

    def in_blocks(self) -> Blocks[Tally]:
        """Return the distinct responses, with their numbers, in blocks (`split_tally`), after one pass.

        The blocks are in a temporary file if training on them would take more memory than
        `miner.responses.filed.memory`.
        """
        if self._blocks is not None:
            return self._blocks
        count = self._block_count
        parts = (part for piece in self.pieces() for part in split_tally(piece, count))
        packed = Packing(self.survey, range(len(self.survey.questions))).bytes
        if PROGRAM + TRAINING * len(self) * packed > memory.get():
            some = FiledBlocks(parts)
            return FiledBlocks(
                Tally.together([some[part] for part in range(block, len(some), count)]) for block in range(count)
            )
        shares = [list[Tally]() for _ in range(count)]
        for share, part in zip(cycle(shares), parts):
            share.append(part)
        return LocalBlocks([Tally.together(shares.pop(0)) for _ in range(count)])

    @property
    def _block_count(self) -> int:
        return min(max(-(-len(self) // BLOCK), 1), MOST_BLOCKS)

    def code_parts(self) -> Iterator[Codes]:
        """Yield the codes of the responses in parts, each of shape (responses, questions)."""
        for tally in self.in_blocks().results(unchanged):
            yield from tally.parts()

    def dealt(self, some: int, seed: int) -> tuple["Data", "Data"]:
        """Split the responses at random into those that are not drawn and `some` that are drawn."""
        blocks, rng, shares = self.in_blocks(), np.random.default_rng(seed), [some]
        if len(blocks) > 1:
            shares = rng.multivariate_hypergeometric([*blocks.results(Tally.people)], some, method="marginals").tolist()
        own = [(share, (seed, block) if len(shares) > 1 else seed) for block, share in enumerate(shares)]
        both = blocks.each(Tally.dealt, own=own)
        rest, drawn = (Data(self.survey, both.each(getitem, which), self.simulated) for which in range(2))
        return rest, drawn

    def sample(self, size: int, seed: int) -> "Responses":
        """Draw a given number of responses at random into memory."""
        return self.dealt(min(size, len(self)), seed)[1].in_memory()

    def in_memory(self, names: Collection[str] = ()) -> "Responses":
        """Return all responses in memory.

        Args:
            names: Questions that are needed; columns of other questions must not be used. All are, if it is empty.
        """
        del names
        return Responses.from_tally(self.tallied([range(len(self.survey.questions))])[0], self.simulated)

    def on(self, sets: Iterable[Iterable[int]]) -> list["Counted"]:
        """Return the distinct responses to each set of columns, after one pass over the responses.

        Raises:
            QueryError: If there are no responses.
        """
        if not len(self):
            raise QueryError("responses", "there are no responses to estimate from", "collect responses first")
        columns = [sorted(set(each)) or [0] for each in sets]
        return [Counted.of(each) for each in self.tallied(columns)]


@dataclass(frozen=True, eq=False, repr=False)
class Responses(TableLike, Data):
    """Disguised codes, with the published survey that collected them.

    Attributes:
        survey: Published survey.
        codes: Codes, read-only, with columns in the survey's order and `NOT_ASKED` for questions not asked, shape
            (responses, questions).
        simulated: Record of simulated responses, or None if no response is known to be simulated.
        plain: Flags of the responses that are undisguised answers, shape (responses,), or None if none are.

    Raises:
        ResponseError: If a number is not a code of its question, or no code is given for a question that everybody is
            asked.
    """

    survey: Survey
    codes: Codes
    simulated: Simulated | None = field(default=None, kw_only=True)
    plain: NDArray[np.bool_] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        questions = self.survey.questions
        codes = np.asarray(self.codes)
        if codes.ndim != 2 or codes.shape[1] != len(questions):  # rows and columns
            raise ResponseError(
                "responses", "the codes do not have one column for each question", f"give {len(questions)} columns"
            )
        for column in doubtful(codes, questions):
            check_codes(codes[:, column], self.survey, questions[column])
        own = codes.base is None and not codes.flags.writeable  # it cannot be changed
        kept = codes.astype(code_type(self.survey), copy=not own)
        kept.flags.writeable = False
        object.__setattr__(self, "codes", kept)

    @classmethod
    def from_store(cls, store: Store, name: str, version: int | None = None) -> "Responses":
        """Return the responses to one published version, by default the newest version.

        The responses are sorted by their codes, so that the order does not depend on the random ids in the store.

        Raises:
            StoreError: If the store does not contain the survey.
        """
        published = store.published(name, version)
        survey = published.survey
        tally = Tally(survey, range(len(survey.questions)))
        for batch in steps("reading", store.batches(survey), store.count(survey) // BATCH + 1):
            tally.add(list(np.frombuffer(batch, batch.typecode).reshape(-1, len(survey.questions)).T))
        return cls.from_tally(tally, store.imports.simulated(published))

    @classmethod
    def from_tally(cls, tally: Tally, simulated: Simulated | None) -> "Responses":
        """Return the responses that a tally of all columns has counted, sorted by their codes."""
        survey, counts = tally.survey, tally.occurrences
        codes = np.empty((int(counts.sum()), len(survey.questions)), code_type(survey))
        filled = 0
        for first in range(0, len(counts), AT_ONCE):
            some = repeated(tally, first, counts[first : first + AT_ONCE])
            codes[filled : filled + len(some)] = some
            filled += len(some)
        codes.flags.writeable = False
        return cls(survey, codes, simulated=simulated)

    def tallied(self, sets: Sequence[Sequence[int]]) -> list[Tally]:
        """Return a tally (counts of combinations of codes) of each set of columns."""
        tallies = [Tally(self.survey, each) for each in sets]
        for start in range(0, len(self), AT_ONCE):
            for tally in tallies:
                tally.add_codes(self.codes[start : start + AT_ONCE])
        return tallies

    def in_memory(self, names: Collection[str] = ()) -> "Responses":
        """Return these responses."""
        del names
        return self

    @classmethod
    def from_frame(cls, survey: Survey, frame: pd.DataFrame) -> "Responses":
        """Read responses from a frame of codes with one column for each question, in any order.

        Raises:
            ResponseError: If a column is missing, a number is not a code of its question, or a response answers more or
                fewer questions than one respondent is asked.
        """
        codes = code_matrix(survey, frame)
        if survey.sampling is not None:
            wrong = (codes != NOT_ASKED).sum(axis=1) != survey.sampling.ask
            if wrong.any():
                remedy = f"give {survey.sampling.ask} codes, and {NOT_ASKED} for the others"
                raise ResponseError(
                    f"row {int(wrong.argmax()) + 1}",
                    "the number of answers is not the number of questions that were asked",
                    remedy,
                )
        return cls(survey, codes)

    @property
    def rows(self) -> Iterator[Row]:
        """Return the codes of each response, with None for a question that was not asked."""
        return (row for batch in batches_of(self.survey, self.codes) for row in rows_of(self.survey, batch))

    @cached_property
    def asked(self) -> NDArray[np.bool_]:
        """Return whether each respondent was asked each question, shape (responses, questions)."""
        asked: NDArray[np.bool_] = np.not_equal(self.codes, NOT_ASKED)
        return asked

    def asked_all(self, names: Iterable[str]) -> NDArray[np.bool_]:
        """Return whether each respondent was asked all of the given questions, shape (responses,).

        Raises:
            QueryError: If a name is not a question.
        """
        sampled = [name for name in names if self.survey.may_miss(self.survey.question(name).name)]
        columns = [self.survey.column(name) for name in sampled]
        whole: NDArray[np.bool_] = np.all(self.asked[:, columns], axis=1)
        return whole

    def among_asked(self, names: Iterable[str]) -> "Responses":
        """Return the responses of respondents who were asked all of the given questions.

        The browser draws the questions independently of the answers, so the respondents who were asked are a random
        sample of all respondents.

        Estimates among these respondents use the observed share of respondents who were asked, which is less noisy than
        the expected share (docs/guarantee.md, section 9).

        Raises:
            QueryError: If a name is not a question, or no respondent was asked all of the questions.
        """
        names = list(names)
        whole = self.asked_all(names)
        if whole.all():
            return self
        if not whole.any():
            raise self.never_asked(names)
        return self.take(np.flatnonzero(whole))

    def never_asked(self, names: Iterable[str]) -> QueryError:
        """Return the error that no respondent was asked all of the given questions."""
        wanted = set(names)
        if self.survey.asking_probability(wanted):
            return QueryError(
                "sampling", f"no respondent was asked all {len(wanted)} questions together", "collect more responses"
            )
        remedy = "name fewer questions, or ask for more in the next version"
        return QueryError("sampling", f"no respondent is asked all {len(wanted)} questions together", remedy)

    @property
    def known(self) -> NDArray[np.bool_]:
        """Return flags of the responses that are known to be true, shape (responses,)."""
        return np.zeros(len(self), np.bool_) if self.plain is None else self.plain

    def take(self, indices: Chosen) -> "Responses":
        """Return the responses at the given positions in order, or the responses that a mask selects."""
        some = positions(indices, len(self))
        plain = None if self.plain is None else self.plain[some]
        return Responses(self.survey, self.codes[some], simulated=self.simulated, plain=plain)


@dataclass(frozen=True, eq=False)
class Counted:
    """Distinct responses to some questions, and the number of times that each response occurs.

    Attributes:
        responses: Distinct responses in ascending order of their codes, with meaningless codes for unused questions.
        counts: Number of times that each response occurs, above 0, shape (responses,).
    """

    responses: Responses
    counts: Floats

    @property
    def people(self) -> int:
        """Return the number of all responses, including equal responses."""
        return round(float(self.counts.sum()))

    def among_asked(self, names: Iterable[str]) -> "Counted":
        """Return the counts of respondents who were asked all of the given questions.

        Raises:
            QueryError: If no respondent was asked all of the given questions.
        """
        names = list(names)
        asked = self.responses.asked_all(names)
        if asked.all():
            return self
        if not asked.any():
            raise self.responses.never_asked(names)
        return replace(self, responses=self.responses.take(np.flatnonzero(asked)), counts=self.counts[asked])

    @classmethod
    def of(cls, tally: Tally) -> "Counted":
        """Return the distinct responses that a tally of some columns has counted."""
        (numbers, counts), survey = tally.counts(), tally.survey
        codes = np.tile(np.array([each.codes[0] for each in survey.questions], code_type(survey)), (len(counts), 1))
        for column, own in zip(tally.packing.columns, numbers, strict=True):
            codes[:, column] = own
            codes[:, column] -= FIRST
        return cls(Responses(survey, codes), counts.astype(np.float64))


def value_table(question: Question) -> NDArray[np.int16]:
    """Return the value that each code stands for, as an array indexed by code.

    The value is -1 for `NOT_ASKED`, and for all codes if codes of the question stand for several values.

    In the szucs coding, a code that stands for no value is read as the value of its complement. If only some
    respondents are asked a question, its codes are read as the values of these respondents.
    """
    table = np.full(question.codes[-1] + 2, NOT_ASKED, dtype=np.int16)
    if question.coding.shared:
        return table
    for value, draws in enumerate(question.coding.owners):
        for code, _ in draws:
            table[code] = value
    for code in question.codes:
        if table[code] < 0:
            table[code] = table[question.coding.complement(code)]
    return table


class SharedCodes(frozenset[int]):
    """Set of codes that stand for some values, in a question whose codes may stand for several values.

    Attributes:
        values: Indices of the values.
        reading: Inverse weight of each code of the question for the values (see `Coding.reading`).
    """

    values: frozenset[int]
    reading: dict[int, float]


class RoutedCodes(frozenset[int]):
    """Set of codes that stand for some values of a question, among respondents who are asked the question.

    Attributes:
        unasked: Whether the set includes people who are not asked and send random codes.
    """

    unasked: bool


def codes_of_values(question: Question, indices: Iterable[int]) -> frozenset[int]:
    """Return the codes that stand for any of the given values of a question.

    If codes of the question stand for several values, `SharedCodes` are returned. If people who are not asked send
    random codes, `RoutedCodes` are returned.
    """
    wanted = list(indices)
    if question.coding.shared:
        reading = question.coding.reading
        found = SharedCodes(code for code in question.codes if set(question.coding.values_of(code)) & set(wanted))
        found.values = frozenset(wanted)
        found.reading = {code: float(sum(reading[code][value] for value in found.values)) for code in question.codes}
        return found
    table = value_table(question)[:-1]
    codes = frozenset(np.flatnonzero(np.isin(table, wanted)).tolist())
    if not question.coding.routed:
        return codes
    routed = RoutedCodes(codes)
    routed.unasked = len(question.values) - 1 in wanted
    return routed


def values_of_codes(questions: Sequence[Question], codes: Codes) -> Values:
    """Return the value that each code stands for, in the shape of the codes."""
    values = np.empty(codes.shape, dtype=np.int16)
    for number, question in enumerate(questions):
        values[:, number] = value_table(question)[codes[:, number]]
    return values


def code_matrix(survey: Survey, frame: pd.DataFrame) -> Codes:
    """Return a frame of codes as an array with one column for each question, in the survey's order.

    Raises:
        ResponseError: If a column is missing, or a number is not a code of its question.
    """
    matrix = np.empty((len(frame), len(survey.questions)), dtype=np.int16)
    for number, question in enumerate(survey.questions):
        codes = column_of(frame, question).to_numpy()
        check_codes(codes, survey, question)
        matrix[:, number] = codes
    return matrix


def value_indices(survey: Survey, frame: pd.DataFrame, names: Sequence[str] | None = None) -> Values:
    """Return the answers in a frame as value indices.

    Args:
        survey: Survey whose questions the frame answers.
        frame: Frame with one column for each question, in any order.
        names: Names of the questions to read, in the order of the returned columns, or None for all questions.

    Returns:
        Value indices, shape (rows, questions).

    Raises:
        ResponseError: If an answer is not valid.
        QueryError: If a name is not a question.
    """
    questions = survey.questions if names is None else tuple(survey.question(name) for name in names)
    values = np.empty((len(frame), len(questions)), dtype=np.int16)
    for number, question in enumerate(questions):
        values[:, number] = read_answers(question, answers_to(survey, frame, question))
    return values
