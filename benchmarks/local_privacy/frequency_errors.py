"""Errors of estimated frequencies of one table: ours, and those of the packages for the same epsilon."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np

from collector.survey.survey import Survey
from collector.survey_file.privacy_file import Promise, SamplingWish, planned
from collector.survey_file.question_file import QuestionDraft
from miner.arrays import Floats
from miner.estimates.estimate import estimates
from miner.responses.responses import Responses, Values, codes_of_values
from miner.simulation.simulation import simulate
from miner.weights.events import Event

STREAM = 91  # of seeds


class Cell(NamedTuple):
    """One comparison."""

    data: str
    aim: str
    epsilon: str


def design(table: Survey, epsilon: str, aim: str) -> Survey:
    """What a survey file with this epsilon and aim publishes, ``ask`` and ``always`` left to it."""
    drafts = [
        QuestionDraft(replace(question, sensitive=True), f'question "{question.name}"', None, None, None)
        for question in table.questions
    ]
    promise = Promise(Fraction(epsilon), None, aim)
    found, _ = planned(promise, drafts, SamplingWish(None, None), None)
    return Survey(table.name, table.title, table.languages, found.questions, found.groups, sampling=found.sampling)


def estimated(sent: Responses, tables: Sequence[tuple[str, ...]]) -> list[Floats]:
    """The published estimates of the cells of tables of one or two questions; 0 where none was asked, as theirs."""
    told = [names for names in tables if sent.asked_all(names).any()]
    cells = estimates(sent, (event for names in told for event in events(sent.survey, names)))
    found = iter([each.estimate for each in cells])
    shapes = [tuple(len(sent.survey.question(name).values) for name in names) for names in tables]
    return [
        np.array([next(found) if names in told else 0.0 for _ in range(prod(shape))]).reshape(shape)
        for names, shape in zip(tables, shapes, strict=True)
    ]


def events(survey: Survey, names: tuple[str, ...]) -> Iterator[Event]:
    """The cells of a table, row by row."""
    questions = [survey.question(name) for name in names]
    each_value = [[codes_of_values(each, {value}) for value in range(len(each.values))] for each in questions]
    yield from (dict(zip(names, some, strict=True)) for some in product(*each_value))


def frequency(values: Values, kinds: list[int], places: tuple[int, ...]) -> Floats:
    """Of every cell of a table, as it is."""
    shape = tuple(kinds[place] for place in places)
    flat = np.ravel_multi_index(tuple(values[:, place].astype(np.int64) for place in places), shape)
    return np.asarray(np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape) / len(values))


def our_errors(survey: Survey, values: Values, cell: Cell, repetition: int) -> tuple[float, float]:
    """Mean squared error of the estimates over all cells, and of them clipped and scaled."""
    sent = simulate(survey, values, np.random.default_rng((STREAM, repetition)))
    kinds = [len(question.values) for question in survey.questions]
    every = list(combinations(range(len(kinds)), 1 + (cell.aim == "pairs")))
    names = [tuple(survey.questions[place].name for place in places) for places in every]
    gaps: list[list[Floats]] = [[], []]
    for places, found in zip(every, estimated(sent, names), strict=True):
        truth, clipped = frequency(values, kinds, places), found.clip(0)
        gaps[0].append(((found - truth) ** 2).ravel())
        gaps[1].append(((clipped / max(clipped.sum(), 1e-12) - truth) ** 2).ravel())
    unbiased, projected = (float(np.concatenate(each).mean()) for each in gaps)
    return unbiased, projected


def peer_errors(
    kinds: list[int], values: Values, cell: Cell, repetitions: Sequence[int], python: str
) -> list[dict[str, tuple[float, float]]]:
    """The same of every mechanism of the packages, for each repetition."""
    seeds = [STREAM * 1000 + each for each in repetitions]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "answers.npz")
        np.savez(path, values=values, kinds=kinds, epsilon=float(cell.epsilon), seeds=seeds, pairs=cell.aim == "pairs")
        command = [python, "-W", "ignore", str(Path(__file__).with_name("peer_protocols.py")), str(path)]
        printed = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout  # noqa: S603 - our script
    found: list[dict[str, tuple[float, float]]] = json.loads(printed)
    return found
