"""Make tables of unbiased readings of conditions, for means and regressions in other statistical programs.

A *reading* of a condition is the weight of a response for it (`miner.weights.weights`): a number, often below 0 or
above 1, whose expectation over the coins is 1 for people who meet the condition and 0 for others. Given what people did
not disguise, a reading has the same expectation as the true indicator, and errors that are independent between people.
So means, weighted means and linear regressions *of* a reading on undisguised questions are right in any program, with
robust standard errors. A reading is not an answer, and no predictor.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from collector.errors import QueryError
from collector.exchange.codebook import label_of
from collector.survey.survey import Survey
from miner.figures.partition import sampling_weights
from miner.figures.sample import parts_of
from miner.responses.condition import boxes_of, events_of
from miner.responses.labelled import variable_names
from miner.responses.responses import Data, Responses, values_of_codes
from miner.weights.weights import ProductWeights, touched

COUNT = " count"  # no question has a space in its name
LABEL = "not an answer: unbiased reading of {}"


def readings(data: Data, conditions: Sequence[str]) -> pd.DataFrame:
    """Return a table with a row for each response, and an unbiased reading of each condition.

    Args:
        data: Disguised responses, or a sample.
        conditions: Conditions as text, such as ``"cannabis = yes and debt = no"``.

    Returns:
        Frame with the columns ``reading_1``, ``reading_2`` and so on, missing for people who were not asked all
        questions of the condition; a column of words for each question that is sent as it is; and, of a sample, the
        columns ``weight``, ``stratum`` and ``cluster``. ``attrs["labels"]`` says what each column is. Rows are sorted
        by their content, so that their order tells nothing.

    Raises:
        QueryError: If there are no responses or no conditions, or a condition or the design does not fit the survey.
    """
    source, design = parts_of(data)
    survey = source.survey
    if not conditions:
        raise QueryError("readings", "no condition is given", 'give at least one, such as "debt = yes"')
    design.check(survey)
    events = [events_of(survey, boxes_of(survey, each)) for each in conditions]
    plain = [each.name for each in survey.questions if not survey.is_disguised(each.name)]
    named = [name for each in events for box in each for name in box]
    (found,) = source.on([touched(survey, [*named, *plain])])
    signed, names = ProductWeights(found.responses), free_names(survey, len(conditions))
    columns: dict[str, object] = {variable_names(survey)[name]: words_of(found.responses, name) for name in plain}
    language = survey.languages[0]
    labels = {variable_names(survey)[name]: label_of(survey, survey.question(name), language) for name in plain}
    if design.names or design.margins:
        columns[names["weight"]] = sampling_weights(found.responses, design)
        labels[names["weight"]] = "sampling weight"
    for part, question in (("stratum", design.strata), ("cluster", design.clusters)):
        if question is not None:
            columns[names[part]], labels[names[part]] = words_of(found.responses, question), part
    for number, (event, condition) in enumerate(zip(events, conditions, strict=True), start=1):
        name = names[f"reading_{number}"]
        columns[name] = np.where(signed.asked(event), signed.of(event), np.nan)
        labels[name] = LABEL.format(condition)
    frame = pd.DataFrame(columns).assign(**{COUNT: found.counts.astype(np.intp)}).sort_values([*columns])
    rows = frame.loc[frame.index.repeat(frame.pop(COUNT))].reset_index(drop=True)
    rows.attrs["labels"] = labels
    return rows


def words_of(responses: Responses, name: str) -> "pd.Series[str]":
    """Return the answers to an undisguised question in words, with missing values for people who were not asked."""
    question, column = responses.survey.question(name), responses.survey.column(name)
    values = values_of_codes([question], responses.codes[:, [column]])[:, 0]
    words = pd.CategoricalDtype(list(question.values), ordered=True)
    return pd.Series(np.array([*question.values, None], object)[values], dtype=words)


def free_names(survey: Survey, count: int) -> dict[str, str]:
    """Return the names of the columns that are no questions, with an underscore where a question has the name."""
    taken = set(variable_names(survey).values())
    found = {}
    for name in ("weight", "stratum", "cluster", *(f"reading_{number}" for number in range(1, count + 1))):
        free = name
        while free in taken:
            free += "_"
        found[name] = free
        taken.add(free)
    return found
