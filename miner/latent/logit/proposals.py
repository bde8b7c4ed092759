"""Compiled: draws of answers from a mixture's posterior given the response, for any channel and sampling."""

from typing import NamedTuple

import numpy as np

from miner.arrays import Floats, Rows
from miner.behind.kernels import CodeTables, Indices, PatternParts
from miner.compiled import bare, compiled
from miner.latent.kernels import normalise
from miner.responses.responses import Values


class MixtureTables(NamedTuple):
    """A mixture, in the form that draws from it need.

    Attributes:
        table: Shape (values of all questions, classes of the mixture): P(value | class).
        log_table: Logarithms.
        log_weights: Shape (classes of the mixture,).
        codes: The codes and values of the questions.
    """

    table: Floats
    log_table: Floats
    log_weights: Floats
    codes: CodeTables


class MixtureResponses(NamedTuple):
    """Responses under a mixture.

    Attributes:
        ids: Shape (responses, cells): their patterns.
        ends: Shape (responses, classes of the mixture): P(class | response), summed up.
        truth: Shape (patterns, classes of the mixture): P(the coin said truth | pattern, class).
        cell: Position of the class question's cell.
        parts: The patterns.
    """

    ids: Indices
    ends: Floats
    truth: Floats
    cell: int
    parts: PatternParts

    def take(self, responses: Rows) -> "MixtureResponses":
        """The responses at these positions."""
        return self._replace(ids=self.ids[responses], ends=self.ends[responses])


@bare
def explain(row: Values, tables: MixtureTables, target: int, posterior: Floats) -> None:
    """Fill in P(class of the mixture | a row's answers but that of the class question)."""
    for z in range(len(posterior)):
        posterior[z] = tables.log_weights[z]
    for question in range(len(row)):
        if question != target:
            line = tables.log_table[tables.codes.places[question] + row[question]]
            for z in range(len(posterior)):
                posterior[z] += line[z]
    normalise(posterior)


@compiled
def value_drawn(table: Floats, first: int, after: int, z: int, uniform: float) -> int:
    """One of the places first, ..., after - 1, by the table of a class."""
    left = uniform
    for place in range(first, after - 1):
        left -= table[place, z]
        if left < 0.0:
            return place
    return after - 1


@compiled
def value_read(slot: int, z: int, tables: MixtureTables, uniform: float) -> int:
    """The place of the value that a true code stands for; if there are several, a draw from their posterior."""
    first, places, log_draw = tables.codes.readings
    if first[slot + 1] - first[slot] == 1:
        return int(places[first[slot]])
    whole = 0.0
    for k in range(first[slot], first[slot + 1]):
        whole += tables.table[places[k], z] * np.exp(log_draw[k])
    left = uniform * whole
    for k in range(first[slot], first[slot + 1] - 1):
        left -= tables.table[places[k], z] * np.exp(log_draw[k])
        if left < 0.0:
            return int(places[k])
    return int(places[first[slot + 1] - 1])


@compiled
def proposed(sent: MixtureResponses, tables: MixtureTables, uniform: Floats) -> Values:
    """A row for each response from the mixture's posterior: its class, its coins, the values behind them.

    Args:
        sent: The responses.
        tables: The mixture.
        uniform: Shape (responses, 1 + cells + questions): from 0 to 1.
    """
    rows, cells, questions = len(sent.ids), sent.ids.shape[1], len(tables.codes.places) - 1
    values = np.full((rows, questions), -1, np.int16)
    for i in range(rows):
        z = 0
        while z < sent.ends.shape[1] - 1 and uniform[i, 0] >= sent.ends[i, z]:
            z += 1
        for cell in range(cells):
            pattern = sent.ids[i, cell]
            if uniform[i, 1 + cell] < sent.truth[pattern, z]:
                for k in range(sent.parts.start[pattern], sent.parts.start[pattern + 1]):
                    slot = sent.parts.sent[k]
                    question = tables.codes.slot_question[slot]
                    place = value_read(slot, z, tables, uniform[i, 1 + cells + question])
                    values[i, question] = place - tables.codes.places[question]
        for question in range(questions):
            if values[i, question] < 0:
                first, after = tables.codes.places[question], tables.codes.places[question + 1]
                place = value_drawn(tables.table, first, after, z, uniform[i, 1 + cells + question])
                values[i, question] = place - first
    return values
