"""What a fitted mixture infers about values, groups and records of responses that it was not fitted to.

A group's coin leaves two accounts of what was sent: the codes are the truth's, or they replace it. Under either each
question has a true code, or none is known: of a replacement that says nothing about the truth, and of what was not
asked. P(value | true code or none, class) is a table (`miner.latent.mixture.mixture.Mixture.value_chances`), so that
one rule serves every channel, coding and sampling. Only answers to what was asked count: what a response says of others
is what it says of the next person.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from miner.arrays import Flags, Floats
from miner.latent.mixture.mixture import Posterior
from miner.latent.model import LatentModel, impute
from miner.latent.patterns import Cell, Layout, Patterns
from miner.responses.responses import NOT_ASKED, Codes, Responses, Values
from miner.weights.weights import complemented

DRAWS = 16  # truths drawn for each response; a truth with posterior 0.9 is missed once in 10^16
HALF, LIKELY, ALMOST_SURE = 0.5, 0.9, 0.99


@dataclass(frozen=True)
class Uncertainty:
    """What is left to know of a truth, under the mixture.

    Attributes:
        respondents: How many were asked for it.
        prior_bits: How surprising the truth is before the response is seen: -log2 P, averaged over what the responses
            leave possible. Where the mixture is right that is the truth's entropy.
        remaining_bits: The same once the response is seen, and so never more: the difference is what responses told.
        over_90: Respondents for whom one truth has a posterior probability of at least 0.9.
        over_99: The same at 0.99.
    """

    respondents: int
    prior_bits: float
    remaining_bits: float
    over_90: int
    over_99: int


@dataclass(frozen=True, eq=False)
class Sight:
    """What is known of one truth of each respondent.

    Attributes:
        asked: Shape (responses,): who was asked for it.
        prior: Bits before the response is seen.
        remaining: Bits after.
        surest: The largest posterior; 0 for who was not asked.
    """

    asked: Flags
    prior: Floats
    remaining: Floats
    surest: Floats

    def uncertainty(self) -> Uncertainty:
        """Summed up over those who were asked, at least one."""
        likely, sure = passing([self.surest])
        before, after = (float(each[self.asked].mean()) for each in (self.prior, self.remaining))
        return Uncertainty(int(self.asked.sum()), before, after, likely, sure)


def passing(surest: list[Floats]) -> tuple[int, int]:
    """Respondents for whom any of these passes 0.9, and 0.99."""
    most = np.max(surest, axis=0, initial=0) if surest else np.zeros(0)
    return int((most >= LIKELY).sum()), int((most >= ALMOST_SURE).sum())


class Eavesdropper:
    """A fitted model looking at responses it was not fitted to. Mixtures of several bags are averaged."""

    def __init__(self, model: LatentModel, responses: Responses, rng: np.random.Generator) -> None:
        self.model, self.responses, self.rng = model, responses, rng
        self.layout = Layout(responses.survey)
        patterns = Patterns.of(responses)
        self._views = [_View(mixture.posterior(patterns), responses) for mixture in model.mixtures]
        self.coin_chances = _coin_chances([view.posterior for view in self._views])
        self.truths = impute(responses, model, DRAWS, rng)

    def question(self, column: int, known: int = 0) -> Sight:
        """The value of one question, for who knows some other answers of each respondent too.

        Args:
            column: Of the survey.
            known: How many, or all there are: drawn at random from what was asked. What the answers are is drawn from
                the posterior.
        """
        drawn = self.truths[self.rng.integers(DRAWS, size=len(self.responses)), np.arange(len(self.responses))]
        return self.informed(column, drawn, self._facts(column, known))

    def _facts(self, column: int, known: int) -> Flags:
        """Shape (responses, questions): for each respondent so many of the other questions that were asked."""
        if not known:
            return np.zeros_like(self.responses.asked)
        order = np.where(self.responses.asked, self.rng.random(self.responses.asked.shape), np.inf)
        order[:, column] = np.inf
        first: Flags = order.argsort(axis=1).argsort(axis=1) < known
        return first & np.isfinite(order)

    def informed(self, column: int, truths: Values, facts: Flags) -> Sight:
        """The value of one question, for who knows some other answers too: exact.

        Args:
            column: Of the survey.
            truths: Shape (responses, questions): everybody's answers.
            facts: The same: which of them are known, of those that were asked for.
        """
        after = _shares([view.values(column, truths, facts) for view in self._views])
        before = _shares([view.prior_values(column, truths, facts) for view in self._views])
        asked = self.responses.asked[:, column]
        return Sight(asked, _surprise(after, before), _surprise(after, after), after.max(axis=1) * asked)

    def cell(self, place: int) -> Sight:
        """The values of all that was asked of one group, from truths drawn from the posterior."""
        return self._sight(self.layout.cells[place].columns)

    def record(self) -> Sight:
        """The values of all that was asked, from truths drawn from the posterior."""
        return self._sight(range(len(self.responses.survey.questions)))

    def _sight(self, columns: Collection[int]) -> Sight:
        """Bits as means of -log2 P(drawn truth), before and after the response."""
        after = np.array([self.chances(drawn, columns) for drawn in self.truths])
        before = np.array([self.chances(drawn, columns, seen=False) for drawn in self.truths])
        asked = np.any(self.responses.asked[:, list(columns)], axis=1)
        return Sight(asked, -np.log2(before).mean(axis=0), -np.log2(after).mean(axis=0), after.max(axis=0) * asked)

    def chances(self, truths: Values, columns: Collection[int], *, seen: bool = True) -> Floats:
        """P(these values, of what was asked of these columns): shape (responses,); 1 where nothing was.

        Args:
            truths: Shape (responses, questions).
            columns: Of the survey.
            seen: Given each response, or else before it is seen.
        """
        chances = [view.chances(truths, columns) if seen else view.prior(truths, columns) for view in self._views]
        return np.asarray(np.mean(chances, axis=0), dtype=np.float64)

    def guesses(self, place: int, codes: Codes | None = None) -> Flags:
        """Whether a group's coin is guessed to have said truth: as sent, or had these codes been sent."""
        chances = self.coin_chances
        if codes is not None:
            patterns = Patterns.of(Responses(self.responses.survey, codes))
            chances = _coin_chances([mixture.posterior(patterns) for mixture in self.model.mixtures])
        return np.asarray(chances[:, place] > HALF, dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class _View:
    """What one mixture makes of responses.

    Attributes:
        posterior: Of them.
        responses: Themselves.
    """

    posterior: Posterior
    responses: Responses

    @property
    def _cells(self) -> tuple[Cell, ...]:
        return self.posterior.patterns.layout.cells

    @cached_property
    def _others(self) -> Codes:
        """The true codes if no coin said truth."""
        others = complemented(self.responses.survey, self.responses.codes)
        for cell in self._cells:
            if not cell.complements:
                others[:, cell.columns] = NOT_ASKED
        return others

    def _said(self, place: int) -> Floats:
        """Shape (responses, classes): P(a group's coin said truth | response, class)."""
        said: Floats = self.posterior.truth[self.posterior.patterns.ids[:, place]]
        return said

    def values(self, column: int, truths: Values, facts: Flags) -> Floats:
        """Shape (responses, values): P(value of one question, some facts | response)."""
        kept = lied = self.posterior.classes
        for place, cell in enumerate(self._cells):
            inside = column in cell.columns
            if not inside and not facts[:, cell.columns].any():
                continue
            said = self._said(place)
            own = said * self._product(truths, cell.columns, self.responses.codes, facts)
            other = (1 - said) * self._product(truths, cell.columns, self._others, facts)
            kept, lied = kept * (own if inside else own + other), lied * (other if inside else own + other)
        return self._values_of(column, self.responses.codes, kept) + self._values_of(column, self._others, lied)

    def prior_values(self, column: int, truths: Values, facts: Flags) -> Floats:
        """The same before the response is seen."""
        mixture = self.posterior.mixture
        classes = mixture.weights * self._product(truths, range(truths.shape[1]), self._nothing, facts)
        return np.asarray(classes @ mixture.tables[column].T, dtype=np.float64)

    def _values_of(self, column: int, codes: Codes, weights: Floats) -> Floats:
        """Shape (responses, values): of these true codes, the classes weighed so, shape (responses, classes)."""
        chances = self.posterior.value_chances[column]
        found = np.empty((len(codes), chances.shape[1]))
        for code in np.unique(codes[:, column]):
            rows = codes[:, column] == code
            found[rows] = weights[rows] @ chances[code].T
        return found

    def chances(self, truths: Values, columns: Collection[int]) -> Floats:
        """P(these values, of what was asked of these columns | response): shape (responses,)."""
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
        """The same before the response is seen."""
        found = self._product(truths, columns, self._nothing, self.responses.asked)
        return np.asarray(found @ self.posterior.mixture.weights, dtype=np.float64)

    @cached_property
    def _nothing(self) -> Codes:
        """No true code is known."""
        return np.full_like(self.responses.codes, NOT_ASKED)

    def _product(self, truths: Values, columns: Collection[int], codes: Codes, which: Flags) -> Floats:
        """P(these values | these true codes, class), of these columns where they count: shape (responses, classes)."""
        found = np.ones(self.posterior.classes.shape)
        for column in columns:
            rows = which[:, column]
            found[rows] *= self.posterior.value_chances[column][codes[rows, column], truths[rows, column]]
        return found


def _coin_chances(posteriors: list[Posterior]) -> Floats:
    """P(the coin said truth | response): shape (responses, cells)."""
    return np.asarray(np.mean([posterior.truths() for posterior in posteriors], axis=0), dtype=np.float64)


def _shares(parts: list[Floats]) -> Floats:
    """Their sum, scaled to add up to 1 in each row."""
    whole = np.sum(parts, axis=0)
    shares: Floats = whole / whole.sum(axis=1, keepdims=True)
    return shares


def _surprise(chances: Floats, believed: Floats) -> Floats:
    """The mean of -log2 of what is believed, over the last axis, if these are the chances: entropy, if they agree."""
    logs = np.log2(np.where(chances > 0, believed, 1))
    found: Floats = -(chances * logs).sum(axis=-1)
    return found
