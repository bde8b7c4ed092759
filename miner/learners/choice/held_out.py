"""Log loss of predicted classes on disguised responses, in the forward form: positive, proper, of little variance.

A response is explained by candidate answers x and a class y. With P(x) from a mixture, which is the same for every
classifier f that is compared, the likelihood of a response is

    P(r | f) = sum over x of P(x) sum over y of f_y(x) P(r | x, y),

and -ln P(r | f) is the log loss of what f predicts for the codes sent, those of the class given all others, plus a
number that is the same for each f. Inverse weights would be unbiased without P(x), but their variance grows with every
group; here the class's own disguise is all that dilutes a difference. The sum over x is a mean over rows drawn from the
mixture's posterior given the response, each divided by what the mixture itself says of the class there (importance
sampling). Where all other answers are sent as they are, the only row is the response.

A row for which the mixture rules out every class that can have sent the codes counts nothing: it contradicts the
routing. A response without other rows favours no classifier: its loss is 0 for all, and so is its slope
(`miner.learners.choice.kernels`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from miner.arrays import Floats, Rows
from miner.behind.coins import coins_of
from miner.behind.kernels import logarithms
from miner.behind.patterns import Layout
from miner.latent.mixture.pooled import pooled
from miner.latent.model import LatentModel, fit_latent, impute
from miner.likelihood.answers import relative
from miner.responses.narrowed import without_followers
from miner.responses.possible import predictors
from miner.responses.responses import NOT_ASKED, Responses, Values, values_of_codes

DRAWS = 16  # rows for each response


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Rows behind responses, with what each response says of the class in each row.

    Attributes:
        values: Shape (responses x draws, questions): value indices; the class's column is not to be read.
        evidence: Shape (responses, draws, classes): P(codes of the class's group | row, class), divided by the
            mixture's mean of it, up to a factor for each response; all 0 where the routing rules out the response.
    """

    values: Values
    evidence: Floats

    @classmethod
    def of(cls, responses: Responses, known: Responses, target: str, rng: np.random.Generator) -> Self:
        """Draw the rows.

        Args:
            responses: To be judged on; each was asked the class question.
            known: What the mixture is fitted to: at least two.
            target: Name of the class question.
            rng: Draws.
        """
        survey, (narrow, kept) = responses.survey, without_followers(responses, target)
        if len(kept) < len(survey.questions):
            found = cls.of(narrow, without_followers(known, target)[0], target, rng)
            values = np.full((len(found.values), len(survey.questions)), NOT_ASKED, np.int16)
            values[:, kept] = found.values
            return cls(values, found.evidence)
        column = survey.questions.index(survey.question(target))
        features = predictors(survey, target)
        if survey.sampling is None and not any(survey.questions[place].sensitive for place in features):
            values = values_of_codes(survey.questions, responses.codes)
            return cls(values, _evidence(responses, values, column)[:, np.newaxis])
        mixture = pooled(fit_latent(known, rng).mixtures)
        tables = impute(responses, LatentModel((mixture,), np.zeros(0)), DRAWS, rng)
        values = np.ascontiguousarray(tables.transpose(1, 0, 2)).reshape(-1, tables.shape[2])
        origin = np.repeat(np.arange(len(responses)), DRAWS)
        evidence = _evidence(responses.take(origin), values, column)
        told = relative(evidence, mixture.log_joint(values, column)[1]).reshape(len(responses), DRAWS, -1)
        most = told.max(axis=(1, 2), keepdims=True)
        return cls(values, told / np.where(most > 0, most, 1.0))

    def __len__(self) -> int:
        return len(self.evidence)

    @property
    def draws(self) -> int:
        """Rows for each response."""
        return int(self.evidence.shape[1])

    def rows(self, responses: Rows) -> Rows:
        """Positions of the rows behind the responses at these positions."""
        return np.asarray((responses[:, np.newaxis] * self.draws + np.arange(self.draws)).ravel())

    def take(self, responses: Rows) -> HeldOut:
        """The responses at these positions."""
        return HeldOut(self.values[self.rows(responses)], self.evidence[responses])

    def losses(self, predicted: Floats) -> Floats:
        """Shape (responses,): -ln P(response) up to a number for each, from class probabilities in each row."""
        chances = (predicted.reshape(self.evidence.shape) * self.evidence).sum(axis=(1, 2)) / self.draws
        return -logarithms(np.where(self.evidence.any(axis=(1, 2)), chances, 1.0))


def _evidence(responses: Responses, values: Values, target: int) -> Floats:
    """Shape (responses, classes): P(codes sent in the class's group | a row of values, each class)."""
    layout = Layout(responses.survey)
    number, cell = next(each for each in enumerate(layout.cells) if target in each[1].columns)
    columns = [column if column in cell.columns else -1 for column in range(values.shape[1])]
    (coin,) = coins_of(responses.survey, columns, [])
    return coin.by_answer(responses.codes, values, target, layout.truths(responses)[:, number])
