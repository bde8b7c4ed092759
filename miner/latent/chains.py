"""Plain rows behind each response, as a Markov chain: proposed by a mixture, accepted as a logit has it.

What is wanted are draws from ``P(x, y | r) ~ mixture(x) logit(y | x) P(r | x, y)``: the mixture's margin over the other
questions, the logit's account of the class. The mixture's own posterior of the response is easy to draw from, through
any channel and any sampling, and differs by the factor ``logit(y | x) / mixture(y | x)`` alone: the channel cancels.
So its draws are proposals of an independence sampler (Hastings 1970; Tierney 1994).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from miner.compiled import compiled
from miner.latent.climb import logarithms
from miner.latent.kernels import Floats, Indices, Offsets, Readings
from miner.latent.logit import Averaged, Frame, Logit
from miner.latent.mixture import Mixture
from miner.latent.patterns import Patterns
from miner.responses import Values

Rows = np.typing.NDArray[np.intp]


class Tables(NamedTuple):
    """A mixture, as what is drawn from it needs it.

    Attributes:
        table: Shape (values of all questions, classes of the mixture): P(value | class).
        log_table: Logarithms.
        log_weights: Shape (classes of the mixture,).
        places: Shape (questions + 1,): where each question's values begin.
        slot_question: Shape (slots,): whose codes they are.
        readings: What codes stand for.
    """

    table: Floats
    log_table: Floats
    log_weights: Floats
    places: Offsets
    slot_question: Indices
    readings: Readings


class Sent(NamedTuple):
    """Responses under a mixture.

    Attributes:
        ids: Shape (responses, cells): their patterns.
        ends: Shape (responses, classes of the mixture): P(class | response), summed up.
        truth: Shape (patterns, classes of the mixture): P(the coin said truth | pattern, class).
        own: The slots of all patterns.
        start: Shape (patterns + 1,): where each pattern's slots begin.
    """

    ids: Indices
    ends: Floats
    truth: Floats
    own: Indices
    start: Offsets

    def take(self, responses: Rows) -> Sent:
        """Those at these positions."""
        return self._replace(ids=self.ids[responses], ends=self.ends[responses])


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
def value_read(slot: int, z: int, tables: Tables, uniform: float) -> int:
    """The place of a value that a true code stands for; of several one by its posterior."""
    first, places, log_draw = tables.readings
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
def proposed(sent: Sent, tables: Tables, uniform: Floats) -> Values:
    """A row for each response from the mixture's posterior: its class, its coins, the values behind them.

    Args:
        sent: The responses.
        tables: The mixture.
        uniform: Shape (responses, 1 + cells + questions): from 0 to 1.
    """
    rows, cells, questions = len(sent.ids), sent.ids.shape[1], len(tables.places) - 1
    values = np.full((rows, questions), -1, np.int16)
    for i in range(rows):
        z = 0
        while z < sent.ends.shape[1] - 1 and uniform[i, 0] >= sent.ends[i, z]:
            z += 1
        for cell in range(cells):
            pattern = sent.ids[i, cell]
            if uniform[i, 1 + cell] < sent.truth[pattern, z]:
                for k in range(sent.start[pattern], sent.start[pattern + 1]):
                    question = tables.slot_question[sent.own[k]]
                    place = value_read(sent.own[k], z, tables, uniform[i, 1 + cells + question])
                    values[i, question] = place - tables.places[question]
        for question in range(questions):
            if values[i, question] < 0:
                first, after = tables.places[question], tables.places[question + 1]
                place = value_drawn(tables.table, first, after, z, uniform[i, 1 + cells + question])
                values[i, question] = place - first
    return values


@compiled
def class_logs(values: Values, tables: Tables, target: int) -> Floats:
    """Shape (rows,): the mixture's ln P(the row's class | its other answers)."""
    logs = np.empty(len(values))
    score = np.empty(len(tables.log_weights))
    for i in range(len(values)):
        score[:] = tables.log_weights
        for question in range(values.shape[1]):
            if question != target:
                score += tables.log_table[tables.places[question] + values[i, question]]
        top = score.max()
        whole, right = 0.0, 0.0
        for z in range(len(score)):
            share = np.exp(score[z] - top)
            whole += share
            right += share * tables.table[tables.places[target] + values[i, target], z]
        logs[i] = np.log(max(right / whole, 1e-12))
    return logs


@dataclass(frozen=True, eq=False)
class Source:
    """A mixture and responses to draw rows of.

    Attributes:
        tables: The mixture.
        sent: The responses.
        target: Position of the class question.
    """

    tables: Tables
    sent: Sent
    target: int

    @classmethod
    def of(cls, mixture: Mixture, patterns: Patterns, frame: Frame) -> Source:
        """The responses under a mixture."""
        posterior, layout = mixture.posterior(patterns), patterns.layout
        tables = Tables(
            mixture.table,
            logarithms(mixture.table),
            logarithms(mixture.weights),
            layout.places,
            layout.slot_question,
            layout.readings,
        )
        parts = patterns.parts
        sent = Sent(patterns.ids, posterior.classes.cumsum(axis=1), posterior.truth, parts.own, parts.start)
        return cls(tables, sent, frame.target)

    def __len__(self) -> int:
        return len(self.sent.ids)

    def started(self, responses: Rows, rng: np.random.Generator) -> Chains:
        """A chain for each of these positions (one may come more than once), at a proposal."""
        values, logs = self.drawn(responses, rng)
        return Chains(self, responses, values, logs)

    def drawn(self, responses: Rows, rng: np.random.Generator) -> tuple[Values, Floats]:
        """Proposals, and the mixture's own logarithms of their classes."""
        width = 1 + self.sent.ids.shape[1] + len(self.tables.places) - 1
        values = proposed(self.sent.take(responses), self.tables, rng.random((len(responses), width)))
        return values, class_logs(values, self.tables, self.target)


class Chains:
    """Rows behind responses, and what the mixture makes of their classes.

    Args:
        source: The mixture and the responses.
        responses: Shape (chains,): the position of the response each is of.
        values: Shape (chains, questions): where they start.
        logs: Shape (chains,): the mixture's logarithms of their classes.
    """

    def __init__(self, source: Source, responses: Rows, values: Values, logs: Floats) -> None:
        self.source, self.responses, self.values, self.logs = source, responses, values, logs

    def moved(self, some: Rows, logit: Logit | Averaged, rng: np.random.Generator) -> tuple[Values, Floats]:
        """One step of the chains at these positions.

        Returns:
            Their rows, and the logit's log-probabilities there, shape (chains moved, classes).
        """
        values, logs = self.values[some], self.logs[some]
        shares = logit.log_probabilities(values)
        fresh, fresh_logs = self.source.drawn(self.responses[some], rng)
        fresh_shares = logit.log_probabilities(fresh)
        rows, target = np.arange(len(some)), self.source.target
        ratio = fresh_shares[rows, fresh[:, target]] - fresh_logs - shares[rows, values[:, target]] + logs
        taken = np.log1p(-rng.random(len(some))) < ratio
        values[taken], logs[taken], shares[taken] = fresh[taken], fresh_logs[taken], fresh_shares[taken]
        self.values[some], self.logs[some] = values, logs
        return values, shares
