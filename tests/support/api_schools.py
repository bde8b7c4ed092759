"""Samples of Californian schools, as answers of a survey in which nothing is disguised."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

from collector.survey_file.survey_file import parse_survey
from miner.responses.responses import Responses

POPULATION = {"stype": {"E": 4421.0, "H": 755.0, "M": 1018.0}, "sch_wide": {"No": 1072.0, "Yes": 5122.0}}
HEAD = 'name = "schools"\ntitle = "Schools"\nlanguages = ["en"]\n'
QUESTION = '[[questions]]\nname = "{}"\nlabel = "Q?"\nkind = "choice"\nsensitive = false\nvalues = {}\n'


NUMBER = (
    '[[questions]]\nname = "{}"\nlabel = "Q?"\nkind = "number"\nsensitive = false\n'
    "cuts = {}\nminimum = -0.5\nmaximum = 100.5\n"
)


def pupils(table: pd.DataFrame) -> Responses:
    """Responses with the district, sch.wide, and the percentages ell and meals, each in an interval around it."""
    questions, columns = [HEAD], []
    for name in ("dnum", "sch.wide"):
        values, codes = np.unique(table[name], return_inverse=True)
        columns.append(codes)
        questions.append(QUESTION.format(name.replace(".", "_"), json.dumps([str(each) for each in values])))
    for name in ("ell", "meals"):
        columns.append(table[name].to_numpy())
        questions.append(NUMBER.format(name, [percentage + 0.5 for percentage in range(100)]))
    return Responses(parse_survey("\n".join(questions)), np.stack(columns, axis=1).astype(np.int16))


def schools(table: pd.DataFrame) -> tuple[Responses, list[int]]:
    """Responses with a question for each of some columns; and the numbers that the values of api00 stand for."""
    questions, columns = [HEAD], []
    for name in ("stype", "dnum", "sch.wide", "api00"):
        values, codes = np.unique(table[name], return_inverse=True)
        columns.append(codes)
        questions.append(QUESTION.format(name.replace(".", "_"), json.dumps([str(each) for each in values])))
    numbers = np.unique(table["api00"]).tolist()
    return Responses(parse_survey("\n".join(questions)), np.stack(columns, axis=1).astype(np.int16)), numbers
