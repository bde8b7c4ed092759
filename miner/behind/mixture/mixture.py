"""Define a mixture of latent classes, within which answers are independent, for disguised responses.

A person belongs to class z with probability w_z, and answers each question independently with the probabilities p_z of
its values. In the model, each person's answers are coded and disguised. Under the complement channel, the probability
of a response r is

    P(response) = sum over z of w_z  product over groups of ( theta p_z(r) + (1 - theta) p_z(complement of r) )

The mixture is fitted by EM (Dempster, Laird & Rubin 1977), whose missing data are the latent classes (Goodman 1974) and
the coins.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.behind.kernels import logarithms
from miner.behind.mixture.em import Evidence, climb, log_codes
from miner.behind.mixture.kernels import pattern_likelihoods as compiled_likelihoods
from miner.behind.mixture.kernels import response_posteriors
from miner.behind.patterns import Layout, Patterns
from miner.responses.responses import NOT_ASKED, Values

Step = tuple["Mixture", float]
BLOCK = 2**16  # number of rows whose probabilities in every class are in memory at once


@dataclass(frozen=True, eq=False)
class Mixture:
    """Mixture of latent classes, within which answers are independent.

    Attributes:
        survey: Published survey.
        weights: P(class), adding up to 1, shape (classes,).
        table: P(value | class), adding up to 1 within each question, shape (values of all questions, classes).
    """

    survey: Survey
    weights: Floats
    table: Floats

    @classmethod
    def normalised(cls, survey: Survey, weights: Floats, table: Floats) -> "Mixture":
        """Return a mixture whose weights and tables are scaled to add up to 1."""
        first = Layout.of(survey).places
        sums = np.repeat(np.add.reduceat(table, first[:-1], axis=0), np.diff(first), axis=0)
        return cls(survey, weights / weights.sum(), table / sums)

    @property
    def classes(self) -> int:
        """Return the number of latent classes."""
        return len(self.weights)

    @property
    def tables(self) -> list[Floats]:
        """Return P(value | class) as one table for each question, shape (values, classes)."""
        return Layout.of(self.survey).split(self.table)

    def log_likelihood_of(self, patterns: Patterns) -> Floats:
        """Return the logarithm of P(disguised response) of each response, in nats, shape (responses,)."""
        likelihood, _ = self.pattern_likelihoods(patterns)
        logs, _ = response_posteriors(patterns.ids, likelihood, logarithms(self.weights))
        return logs

    def objective(self, patterns: Patterns, prior: Floats) -> float:
        """Return the log-likelihood plus the log density of the prior, in nats."""
        logs = np.where(self.table > 0, logarithms(self.table), 0)
        return float(self.log_likelihood_of(patterns).sum() + prior @ logs.sum(axis=1))

    def posterior(self, patterns: Patterns) -> "Posterior":
        """Return the posterior of the latent class and of the coins of each response."""
        likelihood, truth = self.pattern_likelihoods(patterns)
        _, classes = response_posteriors(patterns.ids, likelihood, logarithms(self.weights))
        return Posterior(self, patterns, classes, truth)

    def climbed(self, patterns: Patterns, prior: Floats, steps: int, least: float) -> "Mixture":
        """Return the mixture after accelerated EM.

        Args:
            patterns: Responses as combinations of codes.
            prior: Number of imaginary respondents with each value in each class, shape (values of all questions,).
            steps: Largest number of EM steps, rounded up to a multiple of 3.
            least: Gain in log-likelihood (nats) of one step below which EM stops.
        """
        found = climb(self.weights, self.table, Evidence.of(patterns, prior), -(-steps // 3), least)
        return Mixture(self.survey, *found)

    def log_joint(self, values: Values, column: int) -> tuple[Floats, Floats]:
        """Return ln P(other answers) of each row, shape (rows,), and P(answer to one question | other answers).

        Args:
            values: Value indices, shape (rows, questions).
            column: Column of the predicted question.

        Returns:
            Logarithms, shape (rows,), and probabilities, shape (rows, values of the question).
        """
        places, table = Layout.of(self.survey).places, logarithms(self.table)
        whole, shares = np.empty(len(values)), np.empty((len(values), len(self.tables[column])))
        for at in (slice(start, start + BLOCK) for start in range(0, len(values), BLOCK)):
            scores = np.tile(logarithms(self.weights), (len(values[at]), 1))
            for question in range(values.shape[1]):
                if question != column:
                    scores += table[places[question] + values[at, question]]
            whole[at] = np.logaddexp.reduce(scores, axis=1)
            shares[at] = np.exp(scores - whole[at, None]) @ self.tables[column].T
        return whole, shares

    def pattern_likelihoods(self, patterns: Patterns) -> tuple[Floats, Floats]:
        """Return ln P(codes | class) and P(coin said truth | codes, class), for each pattern of codes."""
        return compiled_likelihoods(self.log_codes(patterns.layout), patterns.parts)

    def log_codes(self, layout: Layout) -> Floats:
        """Return ln P(code before the disguise | latent class), shape (codes of all questions, classes)."""
        return log_codes(logarithms(self.table), layout.readings)

    def value_chances(self, layout: Layout) -> list[Floats]:
        """Return P(value | code before the disguise, class) for each question, indexed by code, value and class.

        At index `NOT_ASKED`, the table has P(value | class).
        """
        first, places, log_draw = layout.readings
        slots = np.repeat(np.arange(len(first) - 1), np.diff(first))
        logs = logarithms(self.table)[places] + log_draw[:, np.newaxis] - self.log_codes(layout)[slots]
        found = []
        for number, (question, table) in enumerate(zip(self.survey.questions, self.tables, strict=True)):
            mine = layout.slot_question[slots] == number
            codes = np.array(question.codes)[slots[mine] - layout.slots[number]]
            chances = np.zeros((question.codes[-1] + 2, *table.shape))
            chances[codes, places[mine] - layout.places[number]] = np.exp(logs[mine])
            chances[NOT_ASKED] = table
            found.append(chances)
        return found


@dataclass(frozen=True, eq=False)
class Posterior:
    """Posterior of the latent classes and the coins of a mixture, given each response.

    Attributes:
        mixture: Mixture that was fitted to responses.
        patterns: Responses as combinations of codes.
        classes: P(class | response), shape (responses, classes).
        truth: P(the coin said truth | pattern, class), where a pattern is a combination of codes, shape (patterns,
            classes).
    """

    mixture: Mixture
    patterns: Patterns
    classes: Floats
    truth: Floats

    @cached_property
    def value_chances(self) -> list[Floats]:
        """Return P(value | code before the disguise, class) for each question (see `Mixture.value_chances`)."""
        return self.mixture.value_chances(self.patterns.layout)

    def truths(self) -> Floats:
        """Return P(the coin said truth | response) for each group or plain question, shape (responses, cells)."""
        return np.stack([(self.classes * self.truth[column]).sum(axis=1) for column in self.patterns.ids.T], axis=1)


def pooled(mixtures: Sequence[Mixture]) -> Mixture:
    """Return the average of several mixtures, with the classes of all of them."""
    weights = np.concatenate([each.weights for each in mixtures]) / len(mixtures)
    return Mixture(mixtures[0].survey, weights, np.hstack([each.table for each in mixtures]))
