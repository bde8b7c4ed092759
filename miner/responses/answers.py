"""Read files of true answers, for simulations and predictions: CSV, values in words, numbers for number questions."""

import csv
from pathlib import Path

import pandas as pd

from collector.errors import ResponseError
from collector.survey.survey import Survey
from collector.survey_file.text_file import text_of
from miner.responses.responses import Values, value_indices


def read_answers(path: Path) -> pd.DataFrame:
    """Read a CSV file with a header; every cell is text.

    Raises:
        InputError: If the file cannot be read as text.
        ResponseError: If it is no table; naming file and line, never what stands there.
    """
    return _table(text_of(path, "a table"), str(path))


def read_values(survey: Survey, path: Path) -> Values:
    """Read everybody's true answers to a survey: indices of values, shape (rows, questions).

    Raises:
        ResponseError: Naming file, row and column, never the answer.
    """
    frame = read_answers(path)
    try:
        return value_indices(survey, frame)
    except ResponseError as error:
        raise error.within(str(path)) from None


def _table(text: str, name: str) -> pd.DataFrame:
    reader = csv.reader(text.splitlines(keepends=True), strict=True)
    rows: list[list[str]] = []
    try:
        header = next(reader, [])
        for cells in reader:
            if len(cells) != len(header):
                problem = f"it has {len(cells)} cells, not {len(header)}" if cells else "it is empty"
                raise ResponseError(f"{name}: line {reader.line_num}", problem, "give each column of the header a cell")
            rows.append(cells)
    except csv.Error:
        place, remedy = f"{name}: line {reader.line_num}", "check its quotation marks"
        raise ResponseError(place, "it is not CSV", remedy) from None
    if not header:
        raise ResponseError(name, "it is empty", "begin with a header that names the questions")
    return pd.DataFrame(rows, columns=header, dtype=str)
