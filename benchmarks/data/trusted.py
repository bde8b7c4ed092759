"""The reference data as trusted tables: what a collector who holds the truth would describe with a survey file.

Domains are public: the values that occur, as the data sets' own descriptions list them, and round cut points that no
row decided.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pandas as pd

from benchmarks.data.coded import data_folder, read_rows
from benchmarks.data.tables import ADULT, VOTES
from collector.coding.coding import plain_coding
from collector.survey.question import Question, interval_labels
from collector.survey.survey import Survey
from collector.survey.text import Text
from miner.release.table import TrustedTable

Cuts = dict[str, tuple[float, ...]]
ADULT_CUTS: Cuts = {
    "age": (20, 25, 30, 35, 40, 45, 50, 55, 60, 65),
    "fnlwgt": (100_000, 200_000, 300_000),
    "education_num": (7, 9, 10, 11, 13, 14, 15),
    "capital_gain": (1, 3_000, 5_000, 7_000, 10_000, 15_000),
    "capital_loss": (1, 1_500, 1_800, 2_000, 2_200),
    "hours_per_week": (20, 35, 40, 41, 50, 60),
}
NURSERY = ("parents", "has_nurs", "form", "children", "housing", "finance", "social", "health", "recommendation")
CAR = ("buying", "maint", "doors", "persons", "lug_boot", "safety", "acceptability")
MUSHROOM = (
    *("edible", "cap_shape", "cap_surface", "cap_color", "bruises", "odor", "gill_attachment", "gill_spacing"),
    *("gill_size", "gill_color", "stalk_shape", "stalk_root", "stalk_surface_above", "stalk_surface_below"),
    *("stalk_color_above", "stalk_color_below", "veil_type", "veil_color", "ring_number", "ring_type"),
    *("spore_print_color", "population", "habitat"),
)


def _question(name: str, values: tuple[str, ...], cuts: tuple[float, ...]) -> Question:
    prior = (Fraction(1, len(values)),) * len(values)
    kind = "number" if cuts else "choice"
    return Question(name, Text.of(en=name), kind, values, prior, plain_coding(len(values)), sensitive=False, cuts=cuts)


def described(name: str, frame: pd.DataFrame, target: str, cuts: Cuts | None = None) -> TrustedTable:
    """A frame with the survey that describes it: the values listed, in alphabetical order, and the cuts given."""
    known = cuts or {}
    questions, columns = [], []
    for column in frame.columns:
        given = known.get(column, ())
        values = interval_labels(given) or tuple(sorted(set(frame[column])))
        if len(values) > 1:  # a question has two values at least
            questions.append(_question(column, values, given))
            columns.append(column)
    survey = Survey(name, Text.of(en=name), ("en",), tuple(questions), (), target)
    return TrustedTable.from_frame(survey, frame[columns])


def nursery() -> TrustedTable:
    """Nursery: 12,960 rows, 8 questions, 5 classes."""
    return described("nursery", read_rows("nursery.data", NURSERY), "recommendation")


def mushroom() -> TrustedTable:
    """Mushroom: 8,124 rows, 21 questions that vary, 2 classes."""
    return described("mushroom", read_rows("agaricus-lepiota.data", MUSHROOM), "edible")


def votes() -> TrustedTable:
    """Congressional votes: 435 rows, 16 questions, 2 classes."""
    return described("votes", read_rows("house-votes-84.data", ("party", *VOTES)), "party")


def adult() -> TrustedTable:
    """Adult, both parts: 48,842 rows, 14 questions, 2 classes."""
    parts = [read_rows(f"adult.{part}", (*ADULT, "income")) for part in ("data", "test")]
    return described("adult", pd.concat(parts, ignore_index=True), "income", ADULT_CUTS)


def car() -> TrustedTable:
    """Car evaluation: 1,728 rows, 6 questions, 4 classes."""
    return described("car", read_rows("car.data", CAR), "acceptability")


def tic_tac_toe() -> TrustedTable:
    """Tic-tac-toe endgames: 958 rows, 9 questions, 2 classes."""
    names = (*(f"square_{number}" for number in range(1, 10)), "won")
    return described("tic_tac_toe", read_rows("tic-tac-toe.data", names), "won")


def breast_cancer() -> TrustedTable:
    """Breast cancer: 699 rows, 9 questions of 10 or 11 values, 2 classes; the number of the patient left out."""
    names = ("patient", *(f"score_{number}" for number in range(1, 10)), "kind")
    return described("breast_cancer", read_rows("breast-cancer-wisconsin.data", names).drop(columns="patient"), "kind")


def chess() -> TrustedTable:
    """King and rook against king: 28,056 rows, 6 questions, 18 classes."""
    names = ("white_king_file", "white_king_rank", "rook_file", "rook_rank", "black_king_file", "black_king_rank")
    return described("chess", read_rows("krkopt.data", (*names, "depth")), "depth")


def connect_4() -> TrustedTable:
    """Connect-4: 67,557 rows, 42 questions, 3 classes."""
    names = (*(f"{column}{row}" for column in "abcdefg" for row in range(1, 7)), "outcome")
    return described("connect_4", read_rows("connect-4.data", names), "outcome")


CENSUS_CUTS: Cuts = {
    "q0": (15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 75),
    "q5": (1, 500, 1_000, 1_500),
    "q16": (1, 3_000, 5_000, 7_000, 10_000, 15_000),
    "q17": (1, 1_500, 1_800, 2_000, 2_200),
    "q18": (1, 500, 2_000, 5_000, 10_000),
    "q30": (1, 2, 3, 4, 5, 6),
    "q39": (1, 13, 26, 39, 52),
}


def census() -> TrustedTable:
    """Census-Income, both parts: 299,285 rows, 40 questions, 2 classes; the instance weight left out."""
    names = [f"q{number}" for number in range(41)] + ["income"]
    parts = [read_rows(f"census-income.{part}", names) for part in ("data", "test")]
    frame = pd.concat(parts, ignore_index=True).drop(columns="q24")
    return described("census", frame, "income", CENSUS_CUTS)


LOAN_CUTS: Cuts = {
    "int_rate": (0.08, 0.1, 0.12, 0.14, 0.16),
    "installment": (150, 300, 450, 600),
    "log_annual_inc": (10, 10.5, 11, 11.5),
    "dti": (5, 10, 15, 20),
    "fico": (660, 680, 700, 720, 740, 760),
    "days_with_cr_line": (2_000, 3_000, 4_000, 5_000, 7_000),
    "revol_bal": (3_000, 10_000, 20_000, 40_000),
    "revol_util": (20, 40, 60, 80),
    "inq_last_6mths": (1, 2, 3, 5),
    "delinq_2yrs": (1, 2),
    "pub_rec": (1,),
}


def loans() -> TrustedTable:
    """LendingClub loans: 9,578 rows, 13 questions, 2 classes."""
    with gzip.open(data_folder() / "loan_data.csv.gz", "rt", encoding="utf-8", newline="") as lines:
        frame = pd.read_csv(lines, lineterminator="\r", dtype=str)
    frame.columns = pd.Index([name.replace(".", "_") for name in frame.columns])
    return described("loans", frame, "not_fully_paid", LOAN_CUTS)


TABLES: dict[str, Callable[[], TrustedTable]] = {
    "nursery": nursery,
    "mushroom": mushroom,
    "votes": votes,
    "adult": adult,
    "car": car,
    "tic_tac_toe": tic_tac_toe,
    "breast_cancer": breast_cancer,
    "chess": chess,
    "connect_4": connect_4,
    "loans": loans,
    "census": census,
}


def folds(rows: int, count: int, seed: int) -> list[np.ndarray]:
    """The rows dealt at random into test parts of equal size, give or take one."""
    order = np.random.default_rng(seed).permutation(rows)
    return [order[number::count] for number in range(count)]
