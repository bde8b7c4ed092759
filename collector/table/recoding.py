"""Recoding of the words in a file from another source to the values of a survey."""

import csv
from collections.abc import Mapping

from collector.errors import ResponseError
from collector.survey.survey import Survey
from collector.table.words import OPTION, words_of

EXAMPLE = 'write it like "0=no,1=yes,NA="'


def read_recoding(survey: Survey, text: str) -> dict[str, Mapping[str, str]]:
    """Return the values that the words of a file stand for, by name of the question.

    A pair such as ``0=no`` applies to every question that has the value ``no``. In a pair such as ``NA=``, the word
    stands for no answer in every question.

    Args:
        survey: Published design.
        text: Pairs such as ``0=no,1=yes,NA=``. Pairs that contain a comma need double quotes.

    Raises:
        ResponseError: If a pair has no ``=``, a value belongs to no question, or a word stands for two values of one
            question.
    """
    try:
        (pairs,) = csv.reader([text], skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        pairs = []
    if not pairs:
        raise ResponseError(OPTION, "the pairs of old and new values cannot be read", EXAMPLE)
    words, found = words_of(survey), {question.name: dict[str, str]() for question in survey.questions}
    for pair in pairs:
        word, sign, value = (part.strip() for part in pair.partition("="))
        if not sign:
            raise ResponseError(OPTION, f'"{pair}" has no = in it', EXAMPLE)
        names = [name for name, each in words.items() if not value or each.code_of(value) is not None]
        if not names:
            raise ResponseError(
                OPTION, f'no question has the value "{value}"', "write a value that the survey file lists"
            )
        for name in names:
            if found[name].setdefault(word, value) != value:
                problem = f'"{word}" stands for two values of question "{name}"'
                raise ResponseError(OPTION, problem, "give each word of the file one value")
    return dict(found)
