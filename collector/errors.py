"""The errors of all packages: place, problem and remedy, each in plain words.

Every error names a place, the problem and the remedy, on one line. Each surface translates the base class once:
the commands to exit code 2, the web server to an HTTP status. No message ever repeats what a respondent answered.
"""

from typing import Self


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

    def within(self, outer: str) -> Self:
        """The same error with the outer place added in front: ``file: question "x": ...``."""
        return type(self)(f"{outer}: {self.place}", self.problem, self.remedy)


class SurveyError(DeniableError):
    """A survey file or a published design is not one."""


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
