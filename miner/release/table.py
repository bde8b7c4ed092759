"""Read the trusted table of true answers, with the public survey that describes its columns and their values.

The possible values of a question come from the survey, never from the rows, because the data must not decide the shape
of a release. A table with values that do not fit the survey is refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from collector.errors import QueryError, ResponseError
from collector.survey.question import NOT_APPLICABLE, Question
from collector.survey.survey import Survey
from collector.table.plain_table import AS_IT_STANDS, Reading
from miner.learners.classifier import survey_target
from miner.responses.answers import read_answers
from miner.responses.responses import Responses, Values, value_indices, values_of_codes
from miner.trees.counts import Level


@dataclass(frozen=True, eq=False)
class TrustedTable:
    """True answers to the questions of a survey, or to the class question and some other questions.

    Attributes:
        survey: Public survey with the questions and the values that each may have.
        target: Name of the class question.
        values: Value indices, read-only, shape (rows, questions).
        absent: Names of the questions without a column in the table, whose values are set to -1.
    """

    survey: Survey
    target: str
    values: Values
    absent: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        kinds = np.array([len(question.values) for question in self.survey.questions])
        if self.values.ndim != 2 or self.values.shape[1] != len(kinds):  # rows and columns
            raise ResponseError(
                "table", "the table does not have one column for each question", f"give {len(kinds)} columns"
            )
        present = np.array([question.name not in self.absent for question in self.survey.questions])
        wrong = (((self.values < 0) | (self.values >= kinds)) & present).any(axis=1)
        if wrong.any():
            problem = "a value is missing or not one of its question's"
            raise ResponseError(
                f"row {int(wrong.argmax()) + 1}", problem, "declare the value in the survey, or remove the row"
            )
        kept = self.values.astype(np.int16)
        kept.flags.writeable = False
        object.__setattr__(self, "values", kept)

    @classmethod
    def of(cls, survey: Survey, values: Values, target: str | None = None) -> Self:
        """Make a table from value indices, with columns in the survey's order.

        Raises:
            ResponseError: If a value is missing or undeclared.
            QueryError: If there is no class question.
        """
        return cls(survey, survey_target(survey, target), values)

    @classmethod
    def from_frame(
        cls, survey: Survey, frame: pd.DataFrame, target: str | None = None, asks: Sequence[str] | None = None
    ) -> Self:
        """Make a table from a pandas frame with the answers in words or numbers.

        Columns of the frame that do not belong to a question are ignored.

        Args:
            survey: Public survey.
            frame: Frame with a column for each question.
            target: Name of the class question, or None for the class question of the survey.
            asks: Names of the questions to read besides the class question, or None for all questions.

        Raises:
            ResponseError: If a value is missing or undeclared. The message names row and column, never the value.
            QueryError: If there is no class question.
        """
        target = survey_target(survey, target)
        names = [question.name for question in survey.questions]
        absent = frozenset() if asks is None else frozenset(names) - {*asks, target}
        columns = [
            np.full(len(frame), -1, np.int16) if each.name in absent else _read_column(survey, each, frame)
            for each in survey.questions
        ]
        return cls(survey, target, np.stack(columns, axis=1), absent)

    @classmethod
    def read(cls, survey: Survey, path: Path, target: str | None = None, reading: Reading = AS_IT_STANDS) -> Self:
        """Read a table from a Parquet file if its name ends in .parquet, otherwise from a file of answers.

        Raises:
            ResponseError: If the file cannot be read or does not fit the survey. The message names file, row and
                column, never the value.
            QueryError: If there is no class question.
        """
        return cls.from_file(survey, read_frame(path, reading, survey), path, target)

    @classmethod
    def from_file(
        cls,
        survey: Survey,
        frame: pd.DataFrame,
        path: Path,
        target: str | None = None,
        asks: Sequence[str] | None = None,
    ) -> Self:
        """Make a table from a frame that was read from a file.

        For the arguments, see `from_frame`.
        """
        try:
            return cls.from_frame(survey, frame, target, asks)
        except ResponseError as error:
            raise error.within(str(path)) from None

    @classmethod
    def from_responses(cls, responses: Responses, target: str | None = None) -> Self:
        """Make a table from responses to a survey without disguised questions.

        Raises:
            QueryError: If there is no class question, or a question is disguised, so that its true answers are unknown.
        """
        survey = responses.survey
        for question in survey.questions:
            if question.sensitive:
                place, problem = f'question "{question.name}"', "it is sensitive, so its answers are disguised"
                raise QueryError(place, problem, "use miner train; its models may be published as they are")
        return cls.of(survey, values_of_codes(survey.questions, responses.codes), target)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def frame(self) -> pd.DataFrame:
        """Return the rows in words, with a column for each question of the table."""
        present = [each for each in enumerate(self.survey.questions) if each[1].name not in self.absent]
        return pd.DataFrame({each.name: np.array(each.values)[self.values[:, number]] for number, each in present})

    @cached_property
    def class_index(self) -> int:
        """Return the position of the class question in the survey."""
        return self.survey.column(self.target)

    @property
    def labels(self) -> NDArray[np.int16]:
        """Return the class index of each row, shape (rows,)."""
        labels: NDArray[np.int16] = self.values[:, self.class_index]
        return labels

    @property
    def level(self) -> Level:
        """Return all rows of the table as the root of a tree."""
        return Level.of_plain(self.survey, self.values, self.target, np.ones(len(self)))

    def value_counts(self, question: int) -> NDArray[np.int64]:
        """Return the number of rows with each value of a question and each class, shape (values, classes)."""
        values, classes = (len(self.survey.questions[each].values) for each in (question, self.class_index))
        place = self.values[:, question].astype(np.int64) * classes + self.labels
        return np.bincount(place, minlength=values * classes).reshape(values, classes).astype(np.int64)

    def take(self, which: NDArray[np.integer] | NDArray[np.bool_]) -> Self:
        """Return a table of selected rows."""
        return replace(self, values=self.values[which])

    def checked(self, asks: Sequence[str] | None = None) -> Self:
        """Check that the class can be learnt from the questions of the table, and return the table.

        Raises:
            QueryError: If the table has no row, only one class, or no column for a question.
        """
        for question in self.survey.questions:
            if question.name in self.absent and (asks is None or question.name in asks):
                raise QueryError(
                    f'column "{question.name}"',
                    "the table was read without this column",
                    "read the table with this column",
                )
        if not len(self):
            raise QueryError("table", "the table has no rows", "give the rows to learn from")
        if (self.labels == self.labels[0]).all():
            problem = "all rows are of one class"
            raise QueryError(f'question "{self.target}"', problem, "name another target, or give more rows")
        return self


def read_frame(path: Path, reading: Reading = AS_IT_STANDS, survey: Survey | None = None) -> pd.DataFrame:
    """Read a table file as a frame: Parquet if its name ends in .parquet, otherwise a file of answers (`read_answers`).

    Raises:
        ResponseError: If the file cannot be read.
    """
    if path.suffix != ".parquet":
        return read_answers(path, reading, survey)
    try:
        return pd.read_parquet(path)
    except ImportError:
        raise ResponseError(str(path), "reading Parquet needs pyarrow", "pip install pyarrow, or give CSV") from None
    except OSError as error:
        why = error.strerror or "it is no table"
        raise ResponseError(str(path), f"it cannot be read ({why})", "give the path of a table") from None
    except ValueError:  # pyarrow's parser
        raise ResponseError(str(path), "the file is not a table", "give a Parquet file") from None


def _read_column(survey: Survey, question: Question, frame: pd.DataFrame) -> NDArray[np.int16]:
    name = [question.name]
    if list(frame.columns).count(question.name) != 1 or NOT_APPLICABLE in question.values:
        return value_indices(survey, frame, name)[:, 0]  # which reads other columns, too, or refuses it in words
    codes, distinct = pd.factorize(frame[question.name], use_na_sentinel=False)
    try:
        read = value_indices(survey, pd.DataFrame({question.name: np.array(distinct, dtype=object)}), name)
    except ResponseError:
        read, codes = value_indices(survey, frame, name), np.arange(len(frame))  # which names the row
    indices: NDArray[np.int16] = read[codes, 0]
    return indices
