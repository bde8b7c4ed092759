"""The errors of all packages: place, problem and remedy, each in plain words.

Every error names a place, the problem and the remedy, on one line. Each surface translates the base class once:
the commands to exit code 2, the web server to an HTTP status. No message ever repeats what a respondent answered.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Self

ALIKE = 0.75  # of two words, by difflib, from which on one may be the other misspelt


def suggestion(word: object, known: Iterable[str], among: str = "use one of") -> str:
    """The remedy for an unknown word: the known word that is most like it, where one is, and all known words.

    Args:
        word: The word as it was written.
        known: The words there are.
        among: What stands before these.
    """
    words = list(known)
    near = get_close_matches(str(word), words, 1, ALIKE)
    return "".join(f'did you mean "{each}"? ' for each in near) + f"{among}: {', '.join(words)}"


class DeniableError(Exception):
    """Base of every error this project raises on purpose.

    Args:
        place: Where it happened: a file and what stands in it, a question, a line and column.
        problem: What is wrong there.
        remedy: What to do about it.
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
        """One line for each thing that is wrong."""
        return (str(self),)

    def within(self, outer: str) -> Self:
        """This error with the outer place added in front: ``file: question "x": ...``."""
        return type(self)(f"{outer}: {self.place}", self.problem, self.remedy)


class SurveyError(DeniableError):
    """A survey file or a published design is not one."""


class SurveyFaultsError(SurveyError):
    """Several things are wrong with a survey file; `place`, `problem` and `remedy` are those of the first.

    Args:
        errors: At least one.
    """

    def __init__(self, errors: Sequence[SurveyError]) -> None:
        super().__init__(errors[0].place, errors[0].problem, errors[0].remedy)
        self.errors = tuple(errors)

    def __str__(self) -> str:
        return "\n".join(self.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        """One line for each thing that is wrong."""
        return tuple(map(str, self.errors))

    def within(self, outer: str) -> Self:
        """Each error with the outer place added in front."""
        return type(self)([each.within(outer) for each in self.errors])


class Faults:
    """Errors of the parts of a survey file, found part by part.

    Attributes:
        found: The errors, in the order in which they were found, none twice.
    """

    def __init__(self) -> None:
        self.found: list[SurveyError] = []

    @contextmanager
    def part(self) -> Iterator[None]:
        """Keep what is raised while a part is read."""
        try:
            yield
        except SurveyError as error:
            self.add(error)

    def add(self, error: SurveyError) -> None:
        """Keep an error, or each of several that are one."""
        several = error.errors if isinstance(error, SurveyFaultsError) else (error,)
        self.found += [each for each in several if str(each) not in map(str, self.found)]

    def check(self) -> None:
        """Raise what was found, if anything was.

        Raises:
            SurveyError: The one that was found, or `SurveyFaultsError`.
        """
        if len(self.found) == 1:
            raise self.found[0]
        if self.found:
            raise SurveyFaultsError(self.found)


class ResponseError(DeniableError):
    """A response, or a table of them, does not fit the survey."""


class StoreError(DeniableError):
    """The store cannot do what was asked of it."""


class InputError(DeniableError):
    """A file cannot be read as text."""


class OutputError(DeniableError):
    """A file cannot be written."""


class QueryError(DeniableError):
    """A condition, a name or an option does not fit the survey it is asked of."""


class ModelError(DeniableError):
    """A model cannot be trained, read or used."""


class BudgetError(DeniableError):
    """A data set's privacy budget is spent, unknown or not one."""
