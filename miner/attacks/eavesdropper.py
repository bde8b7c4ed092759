"""Infer the true answers behind responses by a mixture that was fitted to other responses.

Questions that a respondent was not asked are left out.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from miner.arrays import Flags, Floats
from miner.behind.mixture.mixture import Posterior
from miner.behind.mixture.model import LatentModel, impute
from miner.behind.patterns import Cell, Layout, Patterns
from miner.channels.registry import partner_codes
from miner.json_values import JsonResult
from miner.responses.responses import NOT_ASKED, Codes, Responses, Values

DRAWS = 16  # truths drawn for each response; a truth with posterior 0.9 is missed once in 10^16
LEVELS = (0.9, 0.99)  # probabilities from which an answer counts as known


@dataclass(frozen=True)
class Uncertainty(JsonResult):
    """Remaining uncertainty about a true answer, under the mixture.

    Attributes:
        respondents: Number of respondents who were asked the question.
        prior_bits: Mean of -log2 P(truth) before the response is seen, over the posterior of the truth: the entropy of
            the truth if the mixture is correct.
        remaining_bits: Mean of -log2 P(truth | response), over the posterior of the truth. Responses carry `prior_bits`
            - `remaining_bits` bits of information.
        over_90: Number of respondents for whom the response raises the probability of one candidate from below 0.9 to
            at least 0.9.
        over_99: The same number for 0.99.
    """

    respondents: int
    prior_bits: float
    remaining_bits: float
    over_90: int
    over_99: int


@dataclass(frozen=True, eq=False)
class Sight:
    """Information that an attacker has about one true answer of each respondent.

    Attributes:
        asked: Whether each respondent was asked the question, shape (responses,).
        prior: Bits of uncertainty before the response is seen, shape (responses,).
        remaining: Bits of uncertainty after the response is seen, shape (responses,).
        expected: Largest probability before the response is seen, or 0 for a respondent who was not asked, shape
            (responses,).
        surest: Largest posterior probability, or 0 for a respondent who was not asked, shape (responses,).
        risen: Whether the response raises the probability of some candidate from below to at least each of `LEVELS`,
            shape (responses, levels).
    """

    asked: Flags
    prior: Floats
    remaining: Floats
    expected: Floats
    surest: Floats
    risen: Flags

    @classmethod
    def of(cls, asked: Flags, bits: tuple[Floats, Floats], before: Floats, after: Floats) -> Self:
        """Return what an attacker knows about the answers, given the bits unknown before and after the response.

        Args:
            asked: Whether each respondent was asked the question, shape (responses,).
            bits: Bits of uncertainty before and after the response is seen, each of shape (responses,).
            before: Probability of each candidate before the response is seen, shape (responses, candidates).
            after: Posterior probability of each candidate, shape (responses, candidates).
        """
        found = risen(before, after) & asked[:, np.newaxis]
        return cls(asked, *bits, before.max(axis=1) * asked, after.max(axis=1) * asked, found)

    def uncertainty(self) -> Uncertainty:
        """Return the uncertainty about the true answers of all respondents who were asked."""
        likely, sure = self.risen.sum(axis=0).tolist()
        before, after = (float(each[self.asked].mean()) for each in (self.prior, self.remaining))
        return Uncertainty(int(self.asked.sum()), before, after, likely, sure)


def risen(before: Floats, after: Floats) -> Flags:
    """Return whether some candidate is less likely than each of `LEVELS` before, and not after, shape (rows, levels).

    Args:
        before: Probability of each candidate before, shape (rows, candidates) or (candidates,).
        after: Probability of each candidate after, shape (rows, candidates).
    """
    return np.stack([((before < level) & (after >= level)).any(axis=1) for level in LEVELS], axis=1)


class Eavesdropper:
    """Inference attack: a fitted model applied to responses that it was not fitted to.

    If the model has several mixtures, their predictions are averaged.
    """

    def __init__(self, model: LatentModel, responses: Responses, rng: np.random.Generator) -> None:
        self.model, self.responses, self.rng = model, responses, rng
        self.layout = Layout(responses.survey)
        patterns = Patterns.of(responses)
        self._views = [_View(mixture.posterior(patterns), responses) for mixture in model.mixtures]
        self.coin_chances = _coin_chances([view.posterior for view in self._views])
        self.truths = impute(responses, model, DRAWS, rng)

    def question(self, column: int, known: int = 0) -> Sight:
        """Infer the value of one question for an attacker who knows some other answers, drawn at random.

        Args:
            column: Index of the question in the survey.
            known: Largest number of known answers. The attacker knows the answers to some questions that were asked,
                drawn at random. The unknown true answers are simulated from the posterior.
        """
        drawn = self.truths[self.rng.integers(DRAWS, size=len(self.responses)), np.arange(len(self.responses))]
        return self.informed(column, drawn, self._facts(column, known))

    def _facts(self, column: int, known: int) -> Flags:
        """Return flags of a random set of known answers among the questions asked, shape (responses, questions)."""
        if not known:
            return np.zeros_like(self.responses.asked)
        order = np.where(self.responses.asked, self.rng.random(self.responses.asked.shape), np.inf)
        order[:, column] = np.inf
        first: Flags = order.argsort(axis=1).argsort(axis=1) < known
        return first & np.isfinite(order)

    def informed(self, column: int, truths: Values, facts: Flags) -> Sight:
        """Infer the value of one question for an attacker who knows given true answers, without random draws.

        Args:
            column: Index of the question in the survey.
            truths: True answers, shape (responses, questions).
            facts: Flags of the answers that the attacker knows, among the questions asked, shape (responses,
                questions).
        """
        after = _shares([view.values(column, truths, facts) for view in self._views])
        before = _shares([view.prior_values(column, truths, facts) for view in self._views])
        asked = self.responses.asked[:, column]
        return Sight.of(asked, (_surprise(after, before), _surprise(after, after)), before, after)

    def cell(self, place: int) -> Sight:
        """Infer the values of all asked questions of one group, by draws from the posterior."""
        return self._sight(self.layout.cells[place].columns)

    def record(self) -> Sight:
        """Infer the values of all asked questions, by draws from the posterior."""
        return self._sight(range(len(self.responses.survey.questions)))

    def _sight(self, columns: Collection[int]) -> Sight:
        """Return the bits of uncertainty about some answers before and after the response is seen."""
        after = np.array([self.chances(drawn, columns) for drawn in self.truths])
        before = np.array([self.chances(drawn, columns, seen=False) for drawn in self.truths])
        asked = np.any(self.responses.asked[:, list(columns)], axis=1)
        return Sight.of(asked, (-np.log2(before).mean(axis=0), -np.log2(after).mean(axis=0)), before.T, after.T)

    def chances(self, truths: Values, columns: Collection[int], *, seen: bool = True) -> Floats:
        """Return the probability of given answers to the asked questions, shape (responses,).

        Args:
            truths: Values of the questions, shape (responses, questions).
            columns: Indices of questions in the survey.
            seen: Whether the probability is conditional on the response.
        """
        chances = [view.chances(truths, columns) if seen else view.prior(truths, columns) for view in self._views]
        return np.asarray(np.mean(chances, axis=0), dtype=np.float64)

    def guesses(self, place: int, codes: Codes | None = None) -> Flags:
        """Guess whether a group's coin said truth, by the posterior probability."""
        chances = self.coin_chances
        if codes is not None:
            patterns = Patterns.of(Responses(self.responses.survey, codes))
            chances = _coin_chances([mixture.posterior(patterns) for mixture in self.model.mixtures])
        return np.asarray(chances[:, place] > 0.5, dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class _View:
    """Posterior distribution of one mixture, given responses."""

    posterior: Posterior
    responses: Responses

    @property
    def _cells(self) -> tuple[Cell, ...]:
        return self.posterior.patterns.layout.cells

    @cached_property
    def _others(self) -> Codes:
        """Return the codes that would be true if all coins said replacement."""
        others: Codes = partner_codes(self.responses.survey, self.responses.codes)
        for cell in self._cells:
            if cell.drawn:
                others[:, cell.columns] = NOT_ASKED
        return others

    def _said(self, place: int) -> Floats:
        """Return P(a group's coin said truth), given response and class, shape (responses, classes)."""
        said: Floats = self.posterior.truth[self.posterior.patterns.ids[:, place]]
        return said

    def values(self, column: int, truths: Values, facts: Flags) -> Floats:
        """Return the posterior P(value of one question, known answers | response), shape (responses, values)."""
        kept = swapped = self.posterior.classes
        for place, cell in enumerate(self._cells):
            inside = column in cell.columns
            if not inside and not facts[:, cell.columns].any():
                continue
            said = self._said(place)
            own = said * self._product(truths, cell.columns, self.responses.codes, facts)
            other = (1 - said) * self._product(truths, cell.columns, self._others, facts)
            kept, swapped = kept * (own if inside else own + other), swapped * (other if inside else own + other)
        return self._values_of(column, self.responses.codes, kept) + self._values_of(column, self._others, swapped)

    def prior_values(self, column: int, truths: Values, facts: Flags) -> Floats:
        """Return the prior P(value of one question, known answers), shape (responses, values)."""
        mixture = self.posterior.mixture
        classes = mixture.weights * self._product(truths, range(truths.shape[1]), self._nothing, facts)
        return np.asarray(classes @ mixture.tables[column].T, dtype=np.float64)

    def _values_of(self, column: int, codes: Codes, weights: Floats) -> Floats:
        """Return the probability of each value, given true codes and class weights, shape (responses, values)."""
        chances = self.posterior.value_chances[column]
        found = np.empty((len(codes), chances.shape[1]))
        for code in np.unique(codes[:, column]):
            rows = codes[:, column] == code
            found[rows] = weights[rows] @ chances[code].T
        return found

    def chances(self, truths: Values, columns: Collection[int]) -> Floats:
        """Return the posterior probability of given answers to the asked questions, shape (responses,)."""
        product = self.posterior.classes
        for place, cell in enumerate(self._cells):
            inside = [column for column in cell.columns if column in columns]
            if inside:
                said = self._said(place)
                own = self._product(truths, inside, self.responses.codes, self.responses.asked)
                other = self._product(truths, inside, self._others, self.responses.asked)
                product = product * (said * own + (1 - said) * other)
        return np.asarray(product.sum(axis=1), dtype=np.float64)

    def prior(self, truths: Values, columns: Collection[int]) -> Floats:
        """Return the prior probability of given answers to the asked questions, shape (responses,)."""
        found = self._product(truths, columns, self._nothing, self.responses.asked)
        return np.asarray(found @ self.posterior.mixture.weights, dtype=np.float64)

    @cached_property
    def _nothing(self) -> Codes:
        return np.full_like(self.responses.codes, NOT_ASKED)

    def _product(self, truths: Values, columns: Collection[int], codes: Codes, which: Flags) -> Floats:
        """Return the probability of given answers, given true codes and the class, shape (responses, classes)."""
        found = np.ones(self.posterior.classes.shape)
        for column in columns:
            rows = which[:, column]
            found[rows] *= self.posterior.value_chances[column][codes[rows, column], truths[rows, column]]
        return found


def _coin_chances(posteriors: list[Posterior]) -> Floats:
    """Return the probability that each group's coin said truth, given the response, shape (responses, groups)."""
    return np.asarray(np.mean([posterior.truths() for posterior in posteriors], axis=0), dtype=np.float64)


def _shares(parts: list[Floats]) -> Floats:
    """Add arrays, and scale each row of the sum to add up to 1."""
    whole = np.sum(parts, axis=0)
    shares: Floats = whole / whole.sum(axis=1, keepdims=True)
    return shares


def _surprise(chances: Floats, assumed: Floats) -> Floats:
    """Return the cross entropy of two distributions in bits, over the last axis.

    Cross entropy is the mean of -log2 of assumed probabilities, weighted by true probabilities.
    """
    logs = np.log2(np.where(chances > 0, assumed, 1))
    found: Floats = -(chances * logs).sum(axis=-1)
    return found
