"""A fitted mixture looking at responses it was not fitted to: what it would know of values, groups and records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from miner.latent.kernels import Floats
from miner.latent.mixture import Posterior
from miner.latent.model import LatentModel, impute
from miner.latent.patterns import Cell, Layout, Patterns
from miner.responses import Responses, Values, values_of_codes
from miner.weights import complemented

DRAWS = 16  # truths drawn for each response; a truth with posterior 0.9 is missed once in 10^16
HALF, LIKELY, ALMOST_SURE = 0.5, 0.9, 0.99


@dataclass(frozen=True)
class Uncertainty:
    """What is left to know of a truth, under the mixture.

    Attributes:
        prior_bits: Entropy of the truth before the response is seen, in bits.
        remaining_bits: The same once it is seen, averaged over responses.
        over_90: Respondents for whom one truth has a posterior probability of at least 0.9.
        over_99: The same at 0.99.
    """

    prior_bits: float
    remaining_bits: float
    over_90: int
    over_99: int


@dataclass(frozen=True, eq=False)
class Sight:
    """What is known of one truth: bits before and after, averaged as needed, and the largest posterior."""

    prior: Floats
    remaining: Floats
    surest: Floats

    def uncertainty(self) -> Uncertainty:
        """Summed up over responses."""
        likely, sure = passing([self.surest])
        return Uncertainty(float(self.prior.mean()), float(self.remaining.mean()), likely, sure)


def passing(surest: list[Floats]) -> tuple[int, int]:
    """Respondents for whom any of these passes 0.9, and 0.99."""
    most = np.max(surest, axis=0, initial=0) if surest else np.zeros(0)
    return int((most >= LIKELY).sum()), int((most >= ALMOST_SURE).sum())


class Eavesdropper:
    """A fitted model looking at responses it was not fitted to. Mixtures of several bags are averaged."""

    def __init__(self, model: LatentModel, responses: Responses, rng: np.random.Generator) -> None:
        self.model, self.responses, self.rng = model, responses, rng
        self.layout = Layout(responses.survey)
        questions = responses.survey.questions
        self.own = values_of_codes(questions, responses.codes)
        self.flipped = values_of_codes(questions, complemented(responses.survey, responses.codes))
        patterns = Patterns.of(responses)
        self.posteriors = [mixture.posterior(patterns) for mixture in model.mixtures]
        self.coin_chances = _coin_chances(self.posteriors)
        self.truths = impute(responses, model, DRAWS, rng)

    def question(self, column: int) -> Sight:
        """The value of one question: exact."""
        place = next(number for number, cell in enumerate(self.layout.cells) if column in cell.columns)
        after = np.mean([self._value_posterior(each, place, column) for each in self.posteriors], axis=0)
        before = np.mean([each.tables[column] @ each.weights for each in self.model.mixtures], axis=0)
        return Sight(np.full(len(after), _entropy(before)), _entropy(after), after.max(axis=1))

    def _value_posterior(self, posterior: Posterior, place: int, column: int) -> Floats:
        """Shape (responses, values): P(value | response)."""
        table = posterior.mixture.tables[column]
        truth = posterior.truth[posterior.patterns.ids[:, place]]
        kept = (posterior.classes * truth).sum(axis=1)
        lied = posterior.classes * (1 - truth)
        rows = np.arange(len(kept))
        if self.layout.cells[place].complements:
            after = np.zeros((len(kept), len(table)))
            after[rows, self.flipped[:, column]] += lied.sum(axis=1)
        else:
            after = lied @ table.T
        after[rows, self.own[:, column]] += kept
        return after

    def cell(self, place: int) -> Sight:
        """All values of one group, from truths drawn from the posterior."""
        return self._sight([(place, self.layout.cells[place])])

    def record(self) -> Sight:
        """All answers, from truths drawn from the posterior."""
        return self._sight(list(enumerate(self.layout.cells)))

    def _sight(self, cells: list[tuple[int, Cell]]) -> Sight:
        """Entropies as means of -log2 P(drawn truth), before and after the response."""
        after = np.array([self._mean_probability(drawn, cells, seen=True) for drawn in self.truths])
        before = np.array([self._mean_probability(drawn, cells, seen=False) for drawn in self.truths])
        return Sight(-np.log2(before).mean(axis=0), -np.log2(after).mean(axis=0), after.max(axis=0))

    def _mean_probability(self, drawn: Values, cells: list[tuple[int, Cell]], *, seen: bool) -> Floats:
        """P(the drawn truth in these cells), given the response or not, of each response."""
        whole = np.zeros(len(drawn))
        for posterior in self.posteriors:
            product = posterior.classes.copy() if seen else np.tile(posterior.mixture.weights, (len(drawn), 1))
            for place, cell in cells:
                product *= (
                    self._cell_probability(posterior, drawn, place, cell) if seen else _plain(posterior, drawn, cell)
                )
            whole += product.sum(axis=1)
        return whole / len(self.posteriors)

    def _cell_probability(self, posterior: Posterior, drawn: Values, place: int, cell: Cell) -> Floats:
        """P(drawn truth of a cell | pattern, class): shape (responses, classes)."""
        columns = list(cell.columns)
        truth = posterior.truth[posterior.patterns.ids[:, place]]
        kept = (drawn[:, columns] == self.own[:, columns]).all(axis=1)[:, np.newaxis]
        flipped = (drawn[:, columns] == self.flipped[:, columns]).all(axis=1)[:, np.newaxis]
        chance: Floats = truth * kept + (1 - truth) * (flipped if cell.complements else _plain(posterior, drawn, cell))
        return chance

    def guesses(self, place: int, codes: NDArray[np.int16] | None = None) -> NDArray[np.bool_]:
        """Whether a group's coin is guessed to have said truth: as sent, or had these codes been sent."""
        chances = self.coin_chances
        if codes is not None:
            patterns = Patterns.of(Responses(self.responses.survey, codes))
            chances = _coin_chances([mixture.posterior(patterns) for mixture in self.model.mixtures])
        return np.asarray(chances[:, place] > HALF, dtype=np.bool_)


def _coin_chances(posteriors: list[Posterior]) -> Floats:
    """P(the coin said truth | response): shape (responses, cells)."""
    return np.asarray(np.mean([posterior.truths() for posterior in posteriors], axis=0), dtype=np.float64)


def _plain(posterior: Posterior, drawn: Values, cell: Cell) -> Floats:
    """P(drawn truth of a cell | class): shape (responses, classes)."""
    tables = posterior.mixture.tables
    product: Floats = np.prod([tables[column][drawn[:, column]] for column in cell.columns], axis=0)
    return product


def _entropy(probabilities: Floats) -> Floats:
    """In bits, over the last axis."""
    logs = np.log2(np.where(probabilities > 0, probabilities, 1))
    entropy: Floats = -(probabilities * logs).sum(axis=-1)
    return entropy
