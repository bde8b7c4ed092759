"""Codes of two answers, a whole column at a time (`collector.pair_coding`): which are codes, and what they count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.errors import QueryError, ResponseError
from collector.pair_channel import PAIR_ASKED
from collector.pair_coding import AFFINE, DIGIT, PLAIN, SUBSETS, PairCoding
from collector.survey import Survey

AT_ONCE = 2**20  # entries of a table of codes and combinations
Digits = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PairCodes:
    """The responses of those who were asked the same two questions.

    Attributes:
        coding: Of the combinations of their answers.
        columns: Of the two questions, in survey order.
        sizes: How many values each has.
        rows: Shape (n,): which responses.
        first: Shape (n,): the first digit of each.
        second: The second.
    """

    coding: PairCoding
    columns: tuple[int, int]
    sizes: tuple[int, int]
    rows: NDArray[np.intp]
    first: Digits
    second: Digits

    @property
    def are_codes(self) -> Flags:
        """Shape (n,): whether the digits are a code, as `PairCoding.is_code` has it."""
        low, high = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        found = (low >= 0) & (high < DIGIT)
        if self.coding.scheme == SUBSETS:
            masks = self.first + DIGIT * self.second
            size = np.bitwise_count(masks) == self.coding.size
            return np.asarray(found & size & (masks < 1 << self.coding.points))
        if self.coding.scheme == AFFINE:
            return np.asarray(found & (self.first > 0) & (high < self.coding.points))
        return np.asarray(found & (self.first < self.coding.points) & (self.second == 0))

    def owned(self, points: NDArray[np.integer[Any]]) -> Floats:
        """Shape (n,): how many of these points a code stands for."""
        found = np.zeros(len(self.rows))
        step = max(1, AT_ONCE // max(1, len(self.rows)))
        for start in range(0, len(points), step):
            found += self.has(points[start : start + step]).sum(axis=1)
        return found

    def has(self, points: NDArray[np.integer[Any]]) -> Flags:
        """Shape (n, points): which of these points a code stands for."""
        some = points.astype(np.int64)
        if self.coding.scheme == PLAIN:
            return np.asarray(self.first[:, None] == some)
        if self.coding.scheme == SUBSETS:
            masks = self.first + DIGIT * self.second
            return np.asarray((masks[:, None] >> some) & 1, np.bool_)
        points_hit = (self.first[:, None] * some + self.second[:, None]) % self.coding.points
        return np.asarray(points_hit < self.coding.size)

    @cached_property
    def combinations_owned(self) -> Floats:
        """Shape (n,): how many combinations a code stands for: fewer than its size where points stand for nothing."""
        return self.coding.size - self.owned(np.arange(self.coding.combinations, self.coding.points))

    @cached_property
    def members(self) -> NDArray[np.int16]:
        """Shape (n, s): the combinations that a code stands for, K for a point that is none; not of plain codes."""
        points, size, kinds = self.coding.points, self.coding.size, self.coding.combinations
        if self.coding.scheme == SUBSETS:
            return np.nonzero(self.has(np.arange(kinds)))[1].reshape(-1, size).astype(np.int16)
        inverses = np.array([0, *(pow(each, -1, points) for each in range(1, points))])
        found = inverses[self.first][:, None] * ((np.arange(size) - self.second[:, None]) % points) % points
        return np.where(found < kinds, found, kinds).astype(np.int16)

    def event(self, wanted: Sequence[frozenset[int] | None]) -> NDArray[np.intp]:
        """The combinations in which each question has one of these values, or any where it is None."""
        return combinations_of(self.sizes, wanted)

    def counted(self, event: NDArray[np.intp], truth: float) -> Floats:
        """Shape (n,): what each response counts for an event: |E|/K + F / (theta (1 - c)) (`PairCoding.variance`)."""
        share = len(event) / self.coding.combinations
        gap = self.owned(event) - share * self.combinations_owned
        found: Floats = share + gap / (truth * (1 - float(self.coding.common)))
        return found

    def range(self, event: NDArray[np.intp], truth: float) -> tuple[float, float]:
        """No response counts less, or more; where all points are combinations these are the least and the most."""
        kinds, size, inside = self.coding.combinations, self.coding.size, len(event)
        share, spare = inside / kinds, self.coding.points - kinds
        most = min(size, inside)
        least = max(0, size - (kinds - inside) - spare)
        high = most - share * max(most, size - spare)
        low = least - share * (least + min(size - least, kinds - inside))
        scale = truth * (1 - float(self.coding.common))
        return share + low / scale, share + high / scale

    def covariance(self, frequencies: Floats, truth: float) -> Floats:
        """Of what one response counts for every combination, if they have these frequencies: shape (K, K).

        As exact as `PairCoding.variance` is. With c and c' the chances that one and two other points are in a code of
        the truth, two points are both in it with chance c' + (c - c') (f + f'), and one with c + (1 - c) f.
        """
        coding, kinds = self.coding, self.coding.combinations
        share, one = coding.size / coding.points, float(coding.common)
        two = one * (coding.size - 2) / (coding.points - 2)
        found = np.zeros(coding.points)
        found[:kinds] = frequencies.ravel()
        both = truth * (two + (one - two) * np.add.outer(found, found)) + (1 - truth) * share * one
        mean = truth * (one + (1 - one) * found) + (1 - truth) * share
        np.fill_diagonal(both, mean)
        spread = both - np.outer(mean, mean)
        counted = np.eye(kinds, coding.points)
        counted[:, :kinds] -= 1 / kinds
        counted /= truth * (1 - one)
        covariance: Floats = counted @ spread @ counted.T
        return covariance


def combinations_of(sizes: Sequence[int], wanted: Sequence[frozenset[int] | None]) -> NDArray[np.intp]:
    """The combinations in which each of two questions has one of these values, or any where it is None.

    Args:
        sizes: How many values each has.
        wanted: For each the indices of some.
    """
    values = [
        np.arange(size) if some is None else np.array(sorted(some), np.intp)
        for size, some in zip(sizes, wanted, strict=True)
    ]
    return np.add.outer(values[0] * sizes[1], values[1]).ravel().astype(np.intp)


def check_separate(survey: Survey) -> None:
    """Do nothing, if each question has codes of its own.

    Raises:
        QueryError: If the two answers of a respondent have one code.
    """
    if survey.together:
        remedy = 'estimate shares and tables from it, or publish the next version with aim = "trees"'
        raise QueryError(f'survey "{survey.name}"', "the two answers of a respondent are coded together", remedy)


def check_pairs(survey: Survey, sent: NDArray[Any]) -> None:
    """Refuse rows that are not one code of two questions that are asked together.

    Args:
        survey: One in which two answers have one code.
        sent: Shape (responses, questions), -1 where a question was not asked.

    Raises:
        ResponseError: Naming the first row, counted from 1.
    """
    if sent.dtype.kind not in "iu":
        raise ResponseError("responses", "they are not whole numbers", "give codes as they were sent")
    needed = [not survey.may_miss(question.name) for question in survey.questions]
    wrong = (sent < -1).any(axis=1) | ((sent >= 0).sum(axis=1) != PAIR_ASKED) | (sent[:, needed] < 0).any(axis=1)
    for each in () if wrong.any() else pairs_of(survey, sent):
        wrong[each.rows] = ~each.are_codes
    if wrong.any():
        place = f"row {int(wrong.argmax()) + 1}"
        raise ResponseError(place, "it is not one code of two answers", "give codes as they were sent")


def pairs_of(survey: Survey, sent: NDArray[Any]) -> Iterator[PairCodes]:
    """The responses by the two questions that were asked.

    Args:
        survey: One in which two answers have one code.
        sent: Shape (responses, questions), negative where a question was not asked; each row has two that were.
    """
    assert survey.together is not None  # noqa: S101 - the caller knows
    columns = np.nonzero(sent >= 0)[1].reshape(-1, PAIR_ASKED)
    both = columns[:, 0] * sent.shape[1] + columns[:, 1]
    order = np.argsort(both, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(both[order])) + 1) if len(order) else ():
        first, second = (int(each) for each in columns[rows[0]])
        sizes = len(survey.questions[first].values), len(survey.questions[second].values)
        digits = sent[rows].astype(np.int64)
        coding = survey.together.coding_of(sizes)
        yield PairCodes(coding, (first, second), sizes, rows, digits[:, first], digits[:, second])
