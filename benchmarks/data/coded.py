"""Real tables as matrices of coded bits, prepared once for every benchmark, and the surveys that ask for them.

The tables are read from the folder of reference data (``DENIABLE_DATA``, or ``../shared/datasets`` beside the
checkout); nothing of them is kept in the project.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.results import ROOT
from collector.channel.channel import channel
from collector.coding.coding import balanced_coding, plain_coding
from collector.errors import DeniableError
from collector.survey.question import Question
from collector.survey.survey import Group, Survey
from collector.survey.text import Text

Bits = NDArray[np.int16]

ADULT = [
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship"),
    *("race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income"),
]
ADULT_NUMBERS = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
CENSUS_WEIGHT = 24  # the instance weight predicts nothing
CENSUS_NUMBERS = {0, 5, 16, 17, 18, 30, 39}
FIRST_ADULT = 10_000
RARE = 0.02


@dataclass(frozen=True, eq=False)
class Table:
    """Coded bits with a class.

    Attributes:
        name: Name of the data set and its coding.
        bits: Shape (rows, features), 0 or 1.
        labels: Shape (rows,), 0 or 1.
    """

    name: str
    bits: Bits
    labels: Bits

    @property
    def values(self) -> Bits:
        """Value indices of every question of `bit_survey`: the features, then the class."""
        return np.column_stack([self.bits, self.labels])


def data_folder() -> Path:
    """Where the reference data are.

    Raises:
        DeniableError: If there is no such folder.
    """
    beside = ROOT.parent / "shared" / "datasets"
    folder = Path(os.environ.get("DENIABLE_DATA", beside))
    if not folder.is_dir():
        raise DeniableError(str(folder), "the reference data are not there", "set DENIABLE_DATA to their folder")
    return folder


def read_rows(name: str, columns: Sequence[str]) -> pd.DataFrame:
    """A table of the reference data as text, blank and comment lines dropped."""
    with gzip.open(data_folder() / f"{name}.gz", "rt", encoding="utf-8") as lines:
        rows = [
            [cell.strip() for cell in line.rstrip("\n.").split(",")]
            for line in lines
            if line.strip() and not line.startswith("|")
        ]
    return pd.DataFrame(rows, columns=pd.Index(columns))


def adult_14() -> Table:
    """The first 10,000 rows of Adult, one bit per attribute: above the median, of numbers or of alphabetical codes.

    A bit of which fewer than 2 % are ones is drawn at the median instead.
    """
    frame = read_rows("adult.data", ADULT).head(FIRST_ADULT)
    bits = [_median_bit(_ranked(frame[name], number=name in ADULT_NUMBERS)) for name in ADULT[:-1]]
    return Table("adult-14", np.column_stack(bits).astype(np.int16), _is(frame["income"], ">50K"))


def adult_36() -> Table:
    """Both parts of Adult: numbers by quartile in two bits (gains and losses: above 0), names by the seed coding."""
    frame = pd.concat([read_rows("adult.data", ADULT), read_rows("adult.test", ADULT)], ignore_index=True)
    bits: list[NDArray[np.integer]] = []
    for name in ADULT[:-1]:
        column = frame[name]
        if name in {"capital-gain", "capital-loss"}:
            bits.append((column.to_numpy(np.float64) > 0).astype(np.int16))
        elif name in ADULT_NUMBERS:
            if name != "education-num":
                bits += _bits_of(_quartiles(column.to_numpy(np.float64)), 2)
        else:
            bits += _seed_bits(column)
    return Table("adult-36", np.column_stack(bits).astype(np.int16), _is(frame["income"], ">50K"))


def votes() -> Table:
    """Congressional votes: y against the rest; the class is the party."""
    columns = ["party", *(f"vote_{number}" for number in range(1, 17))]
    frame = read_rows("house-votes-84.data", columns)
    bits = (frame[columns[1:]] == "y").to_numpy().astype(np.int16)
    return Table("votes", bits, _is(frame["party"], "republican"))


def breast_cancer() -> Table:
    """Breast cancer: each score above its median; unknown scores count as below. The class is malignant."""
    columns = ["id", *(f"score_{number}" for number in range(1, 10)), "class"]
    frame = read_rows("breast-cancer-wisconsin.data", columns)
    scores = frame[columns[1:-1]].replace("?", "0")
    bits = [_median_bit(scores[name].to_numpy(np.float64)) for name in scores]
    return Table("breast-cancer", np.column_stack(bits).astype(np.int16), _is(frame["class"], "4"))


def census_income() -> Table:
    """Census-Income, training part, coded as `adult_36`; a number that is mostly 0 is one bit, above 0."""
    names = [f"column_{number}" for number in range(42)]
    frame = read_rows("census-income.data", names)
    bits: list[NDArray[np.integer]] = []
    for number, name in enumerate(names[:-1]):
        if number == CENSUS_WEIGHT:
            continue
        if number not in CENSUS_NUMBERS:
            bits += _seed_bits(frame[name]) if len(set(frame[name])) > 1 else []
            continue
        numbers = frame[name].to_numpy(np.float64)
        bits += [(numbers > 0).astype(np.int16)] if np.median(numbers) == 0 else _bits_of(_quartiles(numbers), 2)
    return Table("census-income", np.column_stack(bits).astype(np.int16), _is(frame[names[-1]], "50000+"))


def _is(column: pd.Series, word: str) -> Bits:
    return (column == word).to_numpy().astype(np.int16)


def _ranked(column: pd.Series, *, number: bool) -> NDArray[np.float64]:
    if number:
        return column.to_numpy(np.float64)
    return column.astype("category").cat.codes.to_numpy().astype(float)


def _median_bit(numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    above: NDArray[np.bool_] = numbers > np.median(numbers)
    return above if above.mean() >= RARE else numbers >= np.median(numbers)


def _quartiles(numbers: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.searchsorted(np.quantile(numbers, [0.25, 0.5, 0.75]), numbers, side="left")


def _bits_of(codes: NDArray[np.intp], count: int) -> list[NDArray[np.integer]]:
    return [(codes >> bit) & 1 for bit in range(count)]


def _seed_bits(column: pd.Series) -> list[NDArray[np.integer]]:
    """The codes of the seed coding by overall frequency, as their bits (`collector.coding.coding.szucs_coding`)."""
    ranked = column.value_counts(sort=True)
    order = {value: rank for rank, value in enumerate(sorted(ranked.index, key=lambda value: (-ranked[value], value)))}
    rank = column.map(order).to_numpy()
    width = max(1, int(np.ceil(np.log2(len(order)))))
    mask = 2**width - 1
    codes = np.where(rank % 2 == 0, rank // 2, mask ^ (rank // 2))
    return _bits_of(codes, width)


def bit_survey(table: Table, home: NDArray[np.integer], truth: str, channel_name: str = "complement") -> Survey:
    """A survey that asks for these bits and the class.

    Args:
        table: The bits.
        home: Shape (features + 1,): the group of each feature and of the class, from 0; -1 is sent as it is.
        truth: Every group's truth probability, as a fraction.
        channel_name: Every group's channel.
    """
    paired = balanced_coding([Fraction(1, 2)] * 2) if channel_name == "complement" else plain_coding(2)
    names = [*(f"bit_{number}" for number in range(table.bits.shape[1])), "label"]
    prior = (Fraction(1, 2),) * 2
    questions = tuple(
        Question(
            name,
            Text.of(en=name),
            "choice",
            ("0", "1"),
            prior,
            paired if group >= 0 else plain_coding(2),
            sensitive=group >= 0,
        )
        for name, group in zip(names, home.tolist(), strict=True)
    )
    how = channel(channel_name, Fraction(truth))
    groups = tuple(
        Group(f"group_{number}", how, tuple(np.array(names)[home == number].tolist()))
        for number in range(int(home.max()) + 1)
    )
    return Survey(table.name.replace("-", "_"), Text.of(en=table.name), ("en",), questions, groups, "label")


def dealt(questions: int, groups: int, generator: np.random.Generator) -> NDArray[np.integer]:
    """Questions dealt at random into groups of equal size, give or take one."""
    return generator.permutation(np.arange(questions) % groups)
