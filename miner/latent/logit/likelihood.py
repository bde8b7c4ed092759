"""Compiled: likelihood of a response given candidate answers, by answer and by class.

The coin of each group is summed over: P(sent | row) is the chance that it says truth and every answer is coded as sent,
and that of what was sent if it does not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from miner.arrays import Floats
from miner.compiled import bare, compiled
from miner.latent.kernels import Indices, Offsets, PatternParts
from miner.latent.logit.proposals import Sent, Tables
from miner.responses.responses import Values


class Heard(NamedTuple):
    """What one response makes of one row; filled in again for every row.

    Attributes:
        chance: Shape (values of all questions,): of the code sent, were this the answer; 1 if it was not asked.
        cell: Shape (questions,): where each was asked; -1 if it was not.
        truth: Shape (cells,): the chance that the coin says truth,
        lie: and that of what was sent if it does not, both over the larger of the two.
        rest: Shape (cells,): the chance of the codes of the row's answers but the class, those of chance 0 left out;
        never: and how many of these there are.
        target: Position of the class question.
    """

    chance: Floats
    cell: Offsets
    truth: Floats
    lie: Floats
    rest: Floats
    never: Offsets
    target: int


@compiled
def heard_of(cells: int, places: Offsets, target: int) -> Heard:
    """Room for what is heard of responses of so many cells."""
    questions = len(places) - 1
    chance, cell, never = np.ones(places[questions]), np.full(questions, -1, np.int64), np.zeros(cells, np.int64)
    return Heard(chance, cell, np.empty(cells), np.empty(cells), np.empty(cells), never, target)


@bare
def listen(row: Values, ids: Indices, parts: PatternParts, tables: Tables, heard: Heard) -> None:
    """Fill in what a response of these patterns makes of a row.

    Args:
        row: Its answers.
        ids: Shape (cells,): the pattern of each cell that is listened to.
        parts: The patterns.
        tables: Where values stand, and what codes stand for.
        heard: Filled in.
    """
    for question in range(len(heard.cell)):
        if heard.cell[question] >= 0:
            heard.cell[question] = -1
            for place in range(tables.places[question], tables.places[question + 1]):
                heard.chance[place] = 1.0
    for cell in range(len(ids)):
        pattern = ids[cell]
        top = max(parts.log_truth[pattern], parts.log_lie[pattern])
        heard.truth[cell] = np.exp(parts.log_truth[pattern] - top)
        heard.lie[cell] = np.exp(parts.log_lie[pattern] - top)
        heard.rest[cell], heard.never[cell] = 1.0, 0
        for k in range(parts.start[pattern], parts.start[pattern + 1]):
            slot = parts.own[k]
            question = tables.slot_question[slot]
            first = tables.places[question]
            heard.cell[question] = cell
            for place in range(first, tables.places[question + 1]):
                heard.chance[place] = 0.0
            for each in range(tables.readings.first[slot], tables.readings.first[slot + 1]):
                heard.chance[tables.readings.places[each]] = np.exp(tables.readings.log_draw[each])
            if question != heard.target:
                own = heard.chance[first + row[question]]
                if own > 0.0:
                    heard.rest[cell] *= own
                else:
                    heard.never[cell] += 1


@bare
def kept_without(place: int, cell: int, heard: Heard) -> float:
    """The chance that the coin says truth and all answers of the cell but this one and the class are coded as sent."""
    own = heard.chance[place]
    if heard.never[cell] == 0:
        return float(heard.truth[cell] * heard.rest[cell] / own)
    if heard.never[cell] == 1 and own == 0.0:
        return float(heard.truth[cell] * heard.rest[cell])
    return 0.0


@bare
def hear_classes(first: int, heard: Heard, found: Floats) -> None:
    """Fill in how likely each class makes what was sent in its cell, where it was asked; 1 where it was not.

    Args:
        first: Place of the first class.
        heard: What was sent.
        found: Shape (classes,).
    """
    cell = heard.cell[heard.target]
    for y in range(len(found)):
        found[y] = 1.0
        if cell >= 0:
            kept = heard.truth[cell] * heard.rest[cell] if heard.never[cell] == 0 else 0.0
            found[y] = kept * heard.chance[first + y] + heard.lie[cell]


@compiled
def class_evidence(values: Values, sent: Sent, tables: Tables, target: int) -> Floats:
    """Shape (rows, values of the class question): P(its cell's codes | the row's other answers, each class).

    Up to a factor, which is the same for all rows of a response.
    """
    first, kinds = tables.places[target], tables.places[target + 1] - tables.places[target]
    evidence = np.empty((len(values), kinds))
    heard = heard_of(1, tables.places, target)
    for i in range(len(values)):
        listen(values[i], sent.ids[i, sent.cell : sent.cell + 1], sent.parts, tables, heard)
        hear_classes(first, heard, evidence[i])
    return evidence
