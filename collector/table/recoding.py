"""The words of a file that was collected elsewhere, and the values of the survey that they stand for."""

import csv
from collections.abc import Mapping

from collector.errors import ResponseError
from collector.survey.survey import Survey
from collector.table.words import OPTION, words_of

EXAMPLE = 'write it like "0=no,1=yes,NA="'


def read_recoding(survey: Survey, text: str) -> dict[str, Mapping[str, str]]:
    """Return the value that each word of a file stands for, by the name of the question.

    A pair applies to every question that has its value, so one text serves questions with different values. A word
    that stands for no answer has the empty text as its value. It applies to every question.

    Args:
        survey: Published design.
        text: Pairs such as ``0=no,1=yes,NA=``. Put a pair with a comma in it in double quotes.

    Raises:
        ResponseError: If a pair has no ``=``, its value belongs to no question, or a word stands for two values of one
            question.
    """
    try:
        (pairs,) = csv.reader([text], skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        pairs = []
    if not pairs:
        raise ResponseError(OPTION, "its pairs cannot be read", EXAMPLE)
    words, found = words_of(survey), {question.name: dict[str, str]() for question in survey.questions}
    for pair in pairs:
        word, sign, value = (part.strip() for part in pair.partition("="))
        if not sign:
            raise ResponseError(OPTION, f'"{pair}" has no = in it', EXAMPLE)
        names = [name for name, each in words.items() if not value or each.code_of(value) is not None]
        if not names:
            raise ResponseError(OPTION, f'no question has the value "{value}"', "write a value of the survey file")
        for name in names:
            if found[name].setdefault(word, value) != value:
                problem = f'"{word}" stands for two values of question "{name}"'
                raise ResponseError(OPTION, problem, "give each word of the file one value")
    return dict(found)
