"""The tables as a survey would ask for them: values that have an order as scales.

Of nursery the order in which its authors list the values, from best to worst; of Adult that of its numbers, and of
education that of its own number. Votes have two values, y and the rest.
"""

from __future__ import annotations

import pandas as pd

from benchmarks.local_privacy.uniform import NUMBERS, ValueTable, adult_rows, nursery_rows, table_of

NURSERY_SCALES = {
    "parents": ("usual", "pretentious", "great_pret"),
    "has_nurs": ("proper", "less_proper", "improper", "critical", "very_crit"),
    "children": ("1", "2", "3", "more"),
    "housing": ("convenient", "less_conv", "critical"),
    "finance": ("convenient", "inconv"),
    "social": ("nonprob", "slightly_prob", "problematic"),
    "health": ("recommended", "priority", "not_recom"),
}


def nursery() -> ValueTable:
    """Nursery, all but the form of the family on scales."""
    frame = nursery_rows()
    scales = {name: pd.Categorical(frame[name], words, ordered=True) for name, words in NURSERY_SCALES.items()}
    return table_of("nursery", frame.assign(**scales))


def adult() -> ValueTable:
    """Adult, its numbers and education on scales."""
    frame = adult_rows()
    years = frame["education_num"].astype(int).groupby(frame["education"]).first()
    scales = {name: pd.Categorical(frame[name], ordered=True) for name in NUMBERS}
    scales["education"] = pd.Categorical(frame["education"], years.sort_values().index, ordered=True)
    return table_of("adult", frame.assign(**scales).drop(columns=["fnlwgt", "education_num"]))
