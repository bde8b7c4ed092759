"""The errors of all packages. Each error names a place, a problem and a remedy in plain words.

Every error fits on one line. After an error of this project, a command exits with 2, and the web server sends an HTTP
error status. No message repeats what a respondent answered.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Self

ALIKE = 0.75  # similarity of two words, by difflib, from which one may be a misspelling of the other


def suggestion(word: object, known: Iterable[str], among: str = "use one of") -> str:
    """Return the remedy for an unknown word, which names the most similar known word and all known words.

    Args:
        word: Unknown word.
        known: Allowed words.
        among: Text in front of the list of known words.
    """
    words = list(known)
    near = get_close_matches(str(word), words, 1, ALIKE)
    return "".join(f'did you mean "{each}"? ' for each in near) + f"{among}: {', '.join(words)}"


class DeniableError(Exception):
    """Base class of every error that this project raises on purpose.

    Args:
        place: Place of the error, such as a line and a column of a file.
        problem: Description of what is wrong.
        remedy: Advice on how to correct the error.
    """

    def __init__(self, place: str, problem: str, remedy: str) -> None:
        super().__init__(place, problem, remedy)
        self.place = place
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        line = f"{self.place}: {self.problem}; {self.remedy}"
        return "".join(each if each.isprintable() else " " for each in line)  # a place may quote a hostile file

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the message, one line for each error."""
        return (str(self),)

    def within(self, outer: str) -> Self:
        """Return the error with a further place in front, such as the file in ``file: question "x": ...``."""
        return type(self)(f"{outer}: {self.place}", self.problem, self.remedy)


class SurveyError(DeniableError):
    """An error in a survey file or a published design."""


class SurveyFaultsError(SurveyError):
    """Several errors in a survey file.

    The attributes `place`, `problem` and `remedy` describe the first of the errors.

    Args:
        errors: Errors in the order in which they were found, at least one.
    """

    def __init__(self, errors: Sequence[SurveyError]) -> None:
        super().__init__(errors[0].place, errors[0].problem, errors[0].remedy)
        self.errors = tuple(errors)

    def __str__(self) -> str:
        return "\n".join(self.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the message, one line for each error."""
        return tuple(map(str, self.errors))

    def within(self, outer: str) -> Self:
        """Return the errors, each with a further place (such as a file) in front."""
        return type(self)([each.within(outer) for each in self.errors])


class Faults:
    """A collection of the errors that are found while the parts of a survey file are read.

    Attributes:
        found: Errors in the order in which they were found, without duplicates.
    """

    def __init__(self) -> None:
        self.found: list[SurveyError] = []

    @contextmanager
    def part(self) -> Iterator[None]:
        """While the block reads a part of a survey file, collect an error instead of raising it."""
        try:
            yield
        except SurveyError as error:
            self.add(error)

    def add(self, error: SurveyError) -> None:
        """Add an error, or all errors of a `SurveyFaultsError`."""
        several = error.errors if isinstance(error, SurveyFaultsError) else (error,)
        self.found += [each for each in several if str(each) not in map(str, self.found)]

    def check(self) -> None:
        """Raise the collected errors, if any.

        Raises:
            SurveyError: If an error was collected. Several collected errors are raised as one `SurveyFaultsError`.
        """
        if len(self.found) == 1:
            raise self.found[0]
        if self.found:
            raise SurveyFaultsError(self.found)


class ResponseError(DeniableError):
    """An error in a response or in a table of responses."""


class StoreError(DeniableError):
    """An error for an operation that the store of responses cannot do."""


class DiskFullError(StoreError):
    """An error for an operation that the disk of a store has no room for."""


class InputError(DeniableError):
    """An error for a file that cannot be read as text."""


class OutputError(DeniableError):
    """An error for a file that cannot be written."""


class QueryError(DeniableError):
    """An error in a condition, a name or an option that does not match the survey."""


class ModelError(DeniableError):
    """An error for a model that cannot be trained, read or used."""


class BudgetError(DeniableError):
    """An error for a privacy budget that is spent, unknown or not valid."""
