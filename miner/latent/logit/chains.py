"""Markov chains over the answers behind each response: a mixture proposes, and the logit decides on acceptance.

The target distribution is ``P(x | r) ~ mixture(x) sum over y of logit(y | x) P(r | x, y)``: the mixture's distribution
of the other questions, and the logit's of the class y. The mixture's posterior given the response is easy to draw from
(`miner.latent.logit.proposals`) and differs by one factor only: the likelihood of the class's part of the response
under the logit, divided by that under the mixture. So its draws are proposals of an independence sampler (Hastings
1970; Tierney 1994).

The class is summed out, not drawn: its expectation given x and r has the same mean and less variance (Rao-Blackwell).
Under a strong disguise this removes nearly all of the variance.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from collector.survey.survey import Survey
from miner.arrays import Floats, Rows
from miner.behind.kernels import class_evidence, logarithms
from miner.behind.patterns import Patterns
from miner.compiled import compiled
from miner.latent.logit.logit import Averaged, Frame, Logit
from miner.latent.logit.proposals import MixtureResponses, MixtureTables, explain, proposed
from miner.latent.logit.slopes import Slopes, summed_slopes
from miner.latent.mixture.mixture import Mixture
from miner.responses.possible import possible_classes
from miner.responses.responses import Values


@compiled
def class_shares(values: Values, tables: MixtureTables, target: int) -> Floats:
    """Shape (rows, values of the class question): the mixture's P(class | the other answers)."""
    first, kinds = tables.codes.places[target], tables.codes.places[target + 1] - tables.codes.places[target]
    shares = np.zeros((len(values), kinds))
    score = np.empty(len(tables.log_weights))
    for i in range(len(values)):
        explain(values[i], tables, target, score)
        for y in range(kinds):
            share, line = 0.0, tables.table[first + y]
            for z in range(len(score)):
                share += score[z] * line[z]
            shares[i, y] = share
    return shares


class Drawn(NamedTuple):
    """Rows drawn behind responses.

    Attributes:
        values: Shape (rows, questions).
        evidence: Shape (rows, classes): P(codes sent in the class's cell | class), up to a factor (`class_evidence`).
        logs: Shape (rows,): `log_evidence` under the mixture's class probabilities.
    """

    values: Values
    evidence: Floats
    logs: Floats

    def take(self, rows: Rows | NDArray[np.bool_]) -> "Drawn":
        """The rows at these positions."""
        return Drawn(self.values[rows], self.evidence[rows], self.logs[rows])

    def put(self, rows: Rows, others: "Drawn") -> None:
        """Replace the rows at these positions."""
        self.values[rows], self.evidence[rows], self.logs[rows] = others


def log_evidence(shares: Floats, evidence: Floats) -> Floats:
    """The logarithm of the mean of the evidence over the classes.

    Args:
        shares: Shape (rows, classes): P(class | the other answers).
        evidence: From `class_evidence`.
    """
    return logarithms((shares * evidence).sum(axis=1))


@dataclass(frozen=True, eq=False)
class RowSource:
    """A mixture and responses to draw rows of."""

    tables: MixtureTables
    sent: MixtureResponses
    target: int
    survey: Survey

    @classmethod
    def of(cls, mixture: Mixture, patterns: Patterns, frame: Frame) -> "RowSource":
        """The responses under a mixture."""
        posterior, layout = mixture.posterior(patterns), patterns.layout
        table, weights = mixture.table, mixture.weights
        tables = MixtureTables(table, logarithms(table), logarithms(weights), layout.code_tables)
        cell = next(number for number, each in enumerate(layout.cells) if frame.target in each.columns)
        sent = MixtureResponses(patterns.ids, posterior.classes.cumsum(axis=1), posterior.truth, cell, patterns.parts)
        return cls(tables, sent, frame.target, layout.survey)

    def __len__(self) -> int:
        return len(self.sent.ids)

    def started(self, responses: Rows, rng: np.random.Generator) -> "Chains":
        """A chain for each of these positions (one may come more than once), at a proposal."""
        return Chains(self, responses, self.drawn(responses, rng))

    def drawn(self, responses: Rows, rng: np.random.Generator) -> Drawn:
        """Proposals; the class drawn with them is not used."""
        width = 1 + self.sent.ids.shape[1] + len(self.tables.codes.places) - 1
        sent = self.sent.take(responses)
        values = proposed(sent, self.tables, rng.random((len(responses), width)))
        evidence = class_evidence(values, sent.ids[:, sent.cell], sent.parts, self.tables.codes, self.target)
        sound = possible_classes(self.survey, self.target, values)
        evidence = evidence if sound is None else evidence * (sound | ~sound.any(axis=1, keepdims=True))
        shares = class_shares(values, self.tables, self.target)
        return Drawn(values, evidence, log_evidence(shares, evidence))


class Chains:
    """Rows behind responses.

    Args:
        source: The mixture and the responses.
        responses: Shape (chains,): the position of the response each is of.
        rows: Where they start.
    """

    def __init__(self, source: RowSource, responses: Rows, rows: Drawn) -> None:
        self.source, self.responses, self.rows = source, responses, rows

    def moved(self, some: Rows, logit: Logit | Averaged, rng: np.random.Generator) -> Values:
        """One step of the chains at these positions; returns their rows, whose class is not used."""
        rows, fresh = self.rows.take(some), self.source.drawn(self.responses[some], rng)
        shares, fresh_shares = logit.probabilities(rows.values), logit.probabilities(fresh.values)
        logs, fresh_logs = log_evidence(shares, rows.evidence), log_evidence(fresh_shares, fresh.evidence)
        taken = np.log1p(-rng.random(len(some))) < fresh_logs - fresh.logs - logs + rows.logs
        self.rows.put(some[taken], fresh.take(taken))
        return self.rows.values[some]

    def slopes(self, some: Rows, logit: Logit) -> Slopes:
        """Slopes of the log-likelihood of the responses of these chains."""
        sent = self.source.sent.take(self.responses[some])
        return summed_slopes(self.rows.values[some], sent, self.source.tables, logit.effects, logit.frame)
