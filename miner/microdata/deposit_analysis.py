"""Recompute shares, tables and differences from the files of a deposit, with numpy and pandas alone.

This module is the file ``analyse.py`` of every deposit, and imports nothing of this project. In a deposit's folder:

    python analyse.py                          check the files, and print the shares of every question
    python analyse.py "debt = yes"             print a share
    python analyse.py "debt = yes" --by year   print the share in each group, and the differences between groups

A condition is "question = value" or "question in (value, value)"; several are joined by "and" if no two of their
questions share a coin (column "coins" of readings_columns.csv).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import combinations, product
from math import atan, exp, lgamma, pi, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

NORMAL, FEWEST, ROUNDING = 1.959963984540054, 10, 1e-9
FARTHEST, HALVINGS, NODES = 1e3, 36, 200
TEST = re.compile(r"\s*(\w+)\s*(?:=|\bin\b)\s*\(?([^()]*)\)?\s*")
COUNT = "number of people"
Floats = NDArray[np.float64]


def leaf_of(row: bytes) -> bytes:
    """Return the leaf of the hash tree for a row of ``responses.csv`` without its end of line (RFC 6962, 2.1)."""
    return sha256(b"\x00" + row).digest()


def root_of(leaves: Sequence[bytes]) -> str:
    """Return the root of the hash tree over leaves, at least one, in hexadecimal (RFC 6962, 2.1)."""
    level = [*leaves]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [*(sha256(b"\x01" + one + other).digest() for one, other in pairs), *level[len(level) & ~1 :]]
    return level[0].hex()


@dataclass(frozen=True)
class DepositFigure:
    """Estimate with its standard error, its 95 % interval and, for a difference, the p value of the test that it is 0.

    What is not known is None.
    """

    estimate: float
    standard_error: float | None = None
    interval: tuple[float, float] | None = None
    p_value: float | None = None

    def __str__(self) -> str:
        error = "not known" if self.standard_error is None else f"{self.standard_error:.4f}"
        ends = "no interval" if self.interval is None else "95 % interval {:.4f} to {:.4f}".format(*self.interval)
        return f"{self.estimate:.4f} (standard error {error}, {ends}" + (
            ")" if self.p_value is None else f", p {self.p_value:.4f})"
        )


class DepositRatio:
    """Ratio of the means of two weights of responses, such as a share in a group.

    Args:
        terms: Weights of numerator and denominator, shape (rows, 2).
        counts: Number of people with each row, shape (rows,).
        possible: Pairs of weights that a response could have, shape (pairs, 2).
        student: Whether the interval has Student's t quantile, as in tables by group.
        direct: Whether nobody's place in the denominator is disguised.
    """

    def __init__(self, terms: Floats, counts: Floats, possible: Floats, *, student: bool, direct: bool) -> None:
        (self.above, self.below), self.counts, self.possible = terms.T, counts, possible
        self.student, self.direct, self.inside = student, direct, np.abs(terms[:, 1]) > ROUNDING
        self.n, self.people = float(counts.sum()), float(counts[self.inside].sum())
        self.masses = counts * self.inside if direct else counts
        self.mass = float(self.masses.sum())
        self.size = float(self.masses @ self.below) / self.mass
        self.value = float(self.masses @ self.above) / self.mass / self.size
        self.influence = (self.above - self.value * self.below) / self.size / self.mass
        self.quantile = student_quantile(self.people - 1) if student else NORMAL

    def covariance(self, one: Floats, other: Floats) -> float:
        """Return the covariance of two totals, given what each response adds to them."""
        gaps = one - self.counts @ one / self.n, other - self.counts @ other / self.n
        return float(self.counts @ (gaps[0] * gaps[1])) * self.n / (self.n - 1)

    def figure(self) -> DepositFigure:
        """Return the ratio with its standard error and interval."""
        if self.n < FEWEST:
            return DepositFigure(self.value)
        error = sqrt(max(0.0, self.covariance(self.influence, self.influence)))
        spread = self.covariance(self.below / self.mass, self.below / self.mass)
        if not self.direct and self.size**2 <= self.quantile**2 * spread:
            return DepositFigure(self.value, error)
        ends = [self._reach(self.value, side) / self.size if self.direct else self._limit(side) for side in (-1, 1)]
        return DepositFigure(self.value, error, None if None in ends else (self.value - ends[0], self.value + ends[1]))

    def _limit(self, side: int) -> float:
        """Return the distance to a limit: the farthest ratio for which the means may agree (Fieller 1954)."""
        inside, outside = 0.0, 2.0**-6
        while self._holds(self.value + side * outside) and outside < FARTHEST:
            outside *= 2
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if self._holds(self.value + side * middle) else (inside, middle)
        return inside

    def _holds(self, ratio: float) -> bool:
        return self._reach(ratio, -1 if ratio < self.value else 1) >= abs(self.size * (self.value - ratio))

    def _reach(self, ratio: float, side: int) -> float:
        """Return how far the mean of numerator - ratio * denominator may be below (-1) or above (1) its estimate."""
        gaps, mean = self.above - ratio * self.below, self.size * (self.value - ratio)
        variance, third = (float(self.masses @ (gaps - mean) ** power) / self.mass for power in (2, 3))
        ends = self.possible @ np.array([1, -ratio])
        room = mean - float(ends.min()) if side < 0 else float(ends.max()) - mean
        error, number = self.covariance(gaps / self.mass, gaps / self.mass), self.n
        if self.student:
            known = error > (ROUNDING * self.size) ** 2 and variance > ROUNDING**2
            number = variance / error if known else self.people
        return self.quantile / NORMAL * score_limit(room, max(0.0, variance), side * third, number)

    def minus(self, other: DepositRatio) -> DepositFigure:
        """Return this ratio minus another of the same responses (Zou & Donner 2008)."""
        one, two, value = self.figure(), other.figure(), self.value - other.value
        spread = [self.covariance(each.influence, each.influence) for each in (self, other)]
        gaps, both = self.influence - other.influence, self.covariance(self.influence, other.influence)
        error = sqrt(max(0.0, self.covariance(gaps, gaps)))
        if one.interval is None or two.interval is None or error <= ROUNDING:
            return DepositFigure(value, None if one.standard_error is None else error)
        turns = 2 * both / sqrt(spread[0] * spread[1]) if min(spread) > 0 else 0.0
        (low, high), (under, over) = (np.abs(np.array(each.interval) - each.estimate) for each in (one, two))
        below, above = (sqrt(max(0.0, a * a + b * b - turns * a * b)) for a, b in ((low, over), (high, under)))
        parts = sum(part**2 / (each.people - 1) for part, each in zip(spread, (self, other), strict=True))
        freedom = min(float(self.counts[self.inside | other.inside].sum()) - 1, sum(spread) ** 2 / parts)
        return DepositFigure(
            value, error, (value - below, value + above), 2 * student_above(abs(value) / error, freedom)
        )


class DepositFolder:
    """Files of a deposit.

    Args:
        folder: Folder of the deposit.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, words = folder, dict.fromkeys(("column", "question", "value", "coins"), str)
        self.columns = pd.read_csv(folder / "readings_columns.csv", dtype=words, keep_default_na=False)
        self.pairs = pd.read_csv(folder / "readings_pairs.csv", dtype=words, keep_default_na=False)
        plain = self.columns["question"][self.columns["column"] == ""]
        self.rows = pd.read_csv(
            folder / "readings.csv", dtype=dict.fromkeys(plain, str), keep_default_na=False, na_values=[""]
        )

    def changed(self) -> list[str]:
        """Return the names of files that differ from their digests, with "root" if the rows differ from the README."""
        listed = (line.split("  ") for line in (self.folder / "SHA256SUMS").read_text("utf-8").splitlines())
        found = [name for digest, name in listed if sha256((self.folder / name).read_bytes()).hexdigest() != digest]
        rows = (self.folder / "responses.csv").read_bytes().split(b"\n")[1:-1]
        known = root_of([*map(leaf_of, rows)]) in (self.folder / "README.txt").read_text("utf-8").split()
        return found if known else [*found, "root"]

    def reading(self, condition: str) -> tuple[pd.Series[float], tuple[float, float], frozenset[str]]:
        """Return the weight of each response for a condition, its smallest and largest possible value, and its coins.

        Raises:
            ValueError: If the text is not a condition, or two of its questions share a coin.
        """
        found, ends, coins = pd.Series(1.0, self.rows.index), [1.0], list[str]()
        for text in condition.split(" and "):
            match = TEST.fullmatch(text)
            name, values = (match[1], [word.strip() for word in match[2].split(",")]) if match else ("", [""])
            lines = self.columns[(self.columns["question"] == name) & self.columns["value"].isin(values)]
            if len(lines) < len(values):
                raise ValueError(f'"{text}" is not "question = value" or "question in (value, value)"')
            coins += lines["coins"].iloc[0].split()
            if coins:
                each = self.rows[[*lines["column"]]].sum(axis=1, skipna=False)
            else:
                each = self.rows[name].isin(values).astype(float).where(self.rows[name].notna())
            low, width = float(lines["low"].sum()), float((lines["high"] - lines["low"]).max())
            found, ends = found * each, [one * other for one in ends for other in (low, low + width)]
        return found, (min(ends), max(ends)), unlike(coins)

    def share(self, condition: str) -> DepositFigure:
        """Return the share of people who meet a condition, among those who were asked all of its questions."""
        weight, ends, _ = self.reading(condition)
        return self._ratio(weight, weight * 0 + 1, [(end, 1) for end in ends], direct=True).figure()

    @staticmethod
    def _ratio(
        above: pd.Series[float], below: pd.Series[float], possible: Sequence[tuple[float, float]], *, direct: bool
    ) -> DepositRatio:
        found, counts = counted(pd.DataFrame({"above": above, "below": below}))
        return DepositRatio(found.to_numpy(), counts, np.array(possible), student=False, direct=direct)

    def shares(self) -> dict[str, DepositFigure]:
        """Return the shares of all values of all questions, among all and, where that is fewer, among those asked."""
        found = {}
        for question, value in zip(self.columns["question"], self.columns["value"], strict=True):
            found[f"{question} = {value}"] = self.share(f"{question} = {value}")
            pairs = self.pairs[(self.pairs["question"] == question) & (self.pairs["value"] == value)]
            if len(pairs):
                weights = [self.reading(f"{question} = {each}")[0] for each in (value, "not_applicable")]
                possible = [*zip(pairs["numerator"], pairs["denominator"], strict=True)]
                asked = self._ratio(weights[0], 1 - weights[1], possible, direct=False)
                found[f"{question} = {value}, of those asked"] = asked.figure()
        return found

    def groups(self, condition: str, by: str) -> dict[str, DepositRatio]:
        """Return the share of a condition in each group of people with one answer to the question `by`."""
        weight, ends, coins = self.reading(condition)
        values = self.columns["value"][self.columns["question"] == by]
        read = {value: self.reading(f"{by} = {value}") for value in values}
        rows = pd.DataFrame({"weight": weight} | {f"= {value}": group for value, (group, *_) in read.items()})
        found, counts = counted(rows)
        ratios = {}
        for value, (_, sizes, others) in read.items():
            unlike([*coins, *others])
            group, possible = (
                found[f"= {value}"],
                np.array([(one * other, other) for one, other in product(ends, sizes)]),
            )
            terms = np.stack([found["weight"] * group, group], axis=1)
            if counts @ group > ROUNDING * counts.sum():
                ratios[value] = DepositRatio(
                    terms, counts, np.concatenate([possible, terms]), student=True, direct=not others
                )
        return ratios


def unlike(coins: Sequence[str]) -> frozenset[str]:
    """Return the coins of several readings, which may be multiplied only if no two share a coin."""
    if len(set(coins)) < len(coins):
        raise ValueError("two questions share a coin, so that the product of their readings is not a reading")
    return frozenset(coins)


def counted(rows: pd.DataFrame) -> tuple[pd.DataFrame, Floats]:
    """Return the distinct rows without a missing number, and how often each of them occurs."""
    found = rows.value_counts(sort=False).reset_index(name=COUNT)
    return found, found.pop(COUNT).to_numpy(np.float64)


def score_limit(room: float, variance: float, third: float, number: float) -> float:
    """Return the distance from a mean to one limit of its 95 % score interval."""
    if room <= 0:
        return 0.0
    unseen = NORMAL**2 * room**2
    skew = (number * third + unseen * (room - variance / room)) / (number * variance + unseen)
    share = NORMAL**2 / number
    return (share * skew + sqrt((share * skew) ** 2 + 4 * (1 + share) * share * variance)) / (2 * (1 + share))


def student_above(value: float, freedom: float) -> float:
    """Return P(T > value) for a value of 0 or more and T with Student's t distribution."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    half = atan(value / sqrt(freedom)) / 2  # T = sqrt(freedom) * tan of an angle
    below = half * float(weights @ np.cos(half * (nodes + 1)) ** (freedom - 1))
    return max(0.0, 0.5 - exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(pi) * below)


@lru_cache
def student_quantile(freedom: float) -> float:
    """Return the 97.5 % quantile of Student's t distribution."""
    low, high = NORMAL, 20.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if student_above(middle, freedom) > 0.025 else (low, middle)
    return low


def main(arguments: Sequence[str]) -> None:
    """Check the folder, and print the figures that the arguments name."""
    deposit = DepositFolder(Path(__file__).resolve().parent)
    lines = [f"changed: {', '.join(deposit.changed()) or 'nothing'}"]
    if len(arguments) > 1:
        groups = deposit.groups(arguments[0], arguments[-1])
        lines += [f"{name}: {each.figure()}" for name, each in groups.items()]
        lines += [f"{one} - {other}: {groups[one].minus(groups[other])}" for one, other in combinations(groups, 2)]
    else:
        figures = {arguments[0]: deposit.share(arguments[0])} if arguments else deposit.shares()
        lines += [f"{name}: {each}" for name, each in figures.items()]
    sys.stdout.write("\n".join([*lines, ""]))


if __name__ == "__main__":
    main(sys.argv[1:])
