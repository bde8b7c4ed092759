"""Select the tables that a report shows, and write a sentence on the omitted tables."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from collector.survey.survey import Survey
from miner.evaluation.dependence import Dependence
from miner.figures.estimate import Estimate
from miner.learners.logit import LogitClassifier
from miner.reporting.words import question_words, value_words, with_answer, word_of

FEWEST_COMPARED = 2


@dataclass(frozen=True)
class FigureRow:
    """Line of a table in a report.

    Attributes:
        words: Name of the figure in words.
        found: Estimate that the line shows.
    """

    words: str
    found: Estimate


@dataclass(frozen=True)
class ShownTables:
    """Tables that a report shows, with the number of omitted tables.

    Attributes:
        tables: Table rows of each question, by the question in words.
        left_out: Number of tables that are omitted because the intervals of all answers overlap.
        of: Number of all tables.
    """

    tables: dict[str, list[FigureRow]]
    left_out: int
    of: int

    def line(self, what: str) -> str:
        """Return a sentence with the number of omitted tables, or an empty text if no table is omitted."""
        if not self.left_out:
            return ""
        return f"{self.left_out} of {self.of} {what} tell nothing at this size and are left out."


def answered(survey: Survey, found: Dependence, target: str, classes: Iterable[str]) -> ShownTables:
    """Return the tables of mean class probability by answer in which two answers differ.

    Two answers differ if, for some class, their intervals do not overlap.
    """
    tables, classes = {}, list(classes)
    for name, values in found.items():
        if not any(_differ([shares[cls] for shares in values.values()]) for cls in classes):
            continue
        tables[question_words(survey, name)] = [
            FigureRow(_answer(survey, name, value, target, cls if len(classes) > 1 else ""), shares[cls])
            for value, shares in values.items()
            for cls in classes
        ]
    return ShownTables(tables, len(found) - len(tables), len(found))


def _answer(survey: Survey, name: str, value: str, target: str, cls: str) -> str:
    words = word_of(survey, name, value)
    return f"{words}: {word_of(survey, target, cls)}" if cls else words


def _differ(shares: list[Estimate]) -> bool:
    """Return whether the intervals of any two estimates do not overlap."""
    limits = [each.interval for each in shares if each.interval is not None]
    return len(limits) >= FEWEST_COMPARED and max(low for low, _ in limits) > min(high for _, high in limits)


@dataclass(frozen=True)
class Coefficients:
    """Coefficients of a logistic regression that differ significantly from 0.

    Attributes:
        tables: Table rows of each class, by the name of the class in words. Each row has the answer in words, the
            coefficient with its interval, and the odds ratio.
        left_out: Number of coefficients that do not differ significantly from 0.
        of: Number of all coefficients.
        caution: Sentence on the measured reliability of coefficients with many coins, or empty for few coins.
    """

    tables: Mapping[str, list[tuple[str, str, str]]]
    left_out: int
    of: int
    caution: str


def coefficients(survey: Survey, model: LogitClassifier, target: str) -> Coefficients:
    """Return the coefficients that differ significantly from 0, or all if their uncertainty is not known."""
    answers = {
        f"{each.name} = {value}": with_answer(question_words(survey, each.name), words)
        for each in survey.questions
        for value, words in zip(each.values, value_words(survey, each.name), strict=True)
    }
    tables: dict[str, list[tuple[str, str, str]]] = {}
    count = 0
    for cls, lines in model.lines.items():
        count += len(lines)
        rows = list(_rows(lines, answers))
        if rows:
            tables[word_of(survey, target, cls)] = rows
    return Coefficients(tables, count - sum(map(len, tables.values())), count, model.caution)


def _rows(lines: list[tuple[str, ...]], answers: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    for name, estimate, _, interval, ratio in lines:
        low, _, high = interval.partition(" to ")
        if interval and float(low) <= 0 <= float(high):
            continue
        yield answers[name], f"{estimate} ({interval})" if interval else estimate, ratio
