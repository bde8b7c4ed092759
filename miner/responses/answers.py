"""Read files of true answers, for simulations, predictions and releases: values in words or numbers."""

from pathlib import Path

import pandas as pd

from collector.errors import ResponseError
from collector.survey.survey import Survey
from collector.table.plain_table import AS_IT_STANDS, Reading, read_plain_table
from miner.responses.responses import Values, value_indices


def read_answers(path: Path, reading: Reading = AS_IT_STANDS, survey: Survey | None = None) -> pd.DataFrame:
    """Read a table as it was published, as `collector draft` does; every cell is text.

    Args:
        path: The table.
        reading: Its headings and its encoding, where the table does not say them.
        survey: That it answers: then a heading that is there twice has to be two of its questions.

    Returns:
        A column for each of the table's, under the name that a question drafted from it has.

    Raises:
        InputError: If the file cannot be read as text.
        ResponseError: If it is no table; naming file and line, never what stands there.
    """
    columns = read_plain_table(path, reading)
    asked = set() if survey is None else {question.name for question in survey.questions}
    names = {each.heading: each.name for each in reversed(columns)}
    for each in columns:
        if names[each.heading] in asked and each.name not in asked:
            remedy = "drop one, or give it a heading of its own"
            raise ResponseError(f'{path}: line 1, column "{each.heading}"', "it is there twice", remedy)
    return pd.DataFrame({each.name: pd.Series(each.cells, dtype=object) for each in columns})


def read_values(survey: Survey, path: Path, reading: Reading = AS_IT_STANDS) -> Values:
    """Read everybody's true answers to a survey: indices of values, shape (rows, questions).

    Raises:
        ResponseError: Naming file, row and column, never the answer.
    """
    frame = read_answers(path, reading, survey)
    try:
        return value_indices(survey, frame)
    except ResponseError as error:
        raise error.within(str(path)) from None
