"""Draw plain rows of answers from a mixture's posterior given the responses (the learning mode `latent`).

Plain rows are drawn from the posterior of each response. *Soft copies* are plain weighted rows, and *imputations* are
completed tables. For a few hundred responses, a mixture is fitted to each of several bootstrap samples, and rows are
drawn from all mixtures (bagging: Breiman 1996), because several mixtures have almost the same likelihood.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from collector.errors import ModelError
from miner.arrays import Floats, Positions
from miner.behind.cached_fit import cached_fit
from miner.behind.mixture.fit import MOST_CLASSES, climbed, grown_mixtures, prior_of, turnable, turned
from miner.behind.mixture.mixture import Mixture, Posterior
from miner.behind.patterns import Patterns
from miner.channels.registry import partner_codes
from miner.responses.distinct import distinct_rows
from miner.responses.possible import with_unasked
from miner.responses.responses import Codes, Responses, Values, values_of_codes

FEWEST_RESPONSES = 2
BAGGED_RESPONSES = 6_000  # approximate number of responses in all bootstrap samples together
MOST_BAGS = 10
GROWN_RESPONSES = 30_000  # approximate number of responses of all mixtures with their own random splits together
HELD_OUT, FEWEST_HELD_OUT = 0.1, 1_000  # share and number of responses on which K is chosen where nothing is bagged
RESPONSES_PER_CLASS = 25  # smallest number of responses per latent class
PATIENCE = 2  # how many more numbers of classes are tried beyond the one that would be chosen
GENEROSITY = 2.0  # number of standard errors below the best within which bags take more classes
COPIES = 20  # number of rows drawn for each response
BLOCK = 20_000  # number of responses whose draws are in memory at once


@dataclass(frozen=True, eq=False)
class LatentModel:
    """Mixtures of latent classes that were fitted to responses.

    Attributes:
        mixtures: Mixture for each bootstrap sample (bag), all with the same number of classes.
        held_out: Mean ln P(response) over held-out responses for each number of classes that was tried, in ascending
            order.
    """

    mixtures: tuple[Mixture, ...]
    held_out: Floats

    @property
    def classes(self) -> int:
        """Return the chosen number of latent classes."""
        return self.mixtures[0].classes


@dataclass(frozen=True, eq=False)
class SoftCopies:
    """Plain rows that stand for responses, with weights that add up to 1 for each response.

    Attributes:
        values: Value indices, shape (rows, questions).
        weights: Weight of each row, above 0, shape (rows,).
        origin: Position of the response that each row stands for, in ascending order, shape (rows,).
        times: Number of people that a response counts for, when a learner compares leaves with its minimum leaf size.
    """

    values: Values
    weights: Floats
    origin: Positions
    times: float = 1

    def of(self, responses: Positions) -> "SoftCopies":
        """Return the soft copies of selected responses, without renumbering `origin`."""
        kept = np.isin(self.origin, responses)
        return SoftCopies(self.values[kept], self.weights[kept], self.origin[kept], self.times)


def fit_latent(responses: Responses, rng: np.random.Generator, most_classes: int = MOST_CLASSES) -> LatentModel:
    """Fit mixtures of latent classes, and choose the number of classes by the likelihood of held-out responses.

    With many responses, the number of classes with the best held-out likelihood is chosen. With few responses, the
    largest number of classes that is not significantly worse than the best number is chosen. The average of many
    mixtures does not overfit, but is biased if there are too few classes.

    With many responses, all numbers of classes are tried again by `miner.behind.mixture.fit.turned` if the chosen
    mixture is in a poor local maximum.

    Args:
        responses: Responses, at least two.
        rng: Random generator; a seeded one makes the result reproducible.
        most_classes: Largest number of classes to try.

    Raises:
        ModelError: If there are fewer than two responses.
    """
    if len(responses) < FEWEST_RESPONSES:
        raise ModelError("latent mode", "there are fewer than two responses", "wait for more responses")
    return cached_fit(_fitted, responses, rng, most_classes)


def _fitted(responses: Responses, rng: np.random.Generator, most_classes: int) -> LatentModel:
    most = min(most_classes, 1 + len(responses) // RESPONSES_PER_CLASS)
    search = _Search(responses, _bags(len(responses), rng), most)
    mixtures, logs = search.chosen(rng, turning=False)
    if len(mixtures) == 1:
        if search.in_poor_maximum(mixtures[0]):
            mixtures, logs = search.chosen(rng, turning=True)
        mixtures = _regrown(mixtures[0], search, rng)
    return LatentModel(mixtures, np.array([each.mean() for each in logs]))


@dataclass(frozen=True, eq=False)
class _Search:
    """Search for the number of latent classes.

    Attributes:
        responses: All responses.
        bags: Positions of the responses in each bootstrap sample (bag).
        most: Largest number of classes to try.
    """

    responses: Responses
    bags: list[Positions]
    most: int

    @cached_property
    def patterns(self) -> Patterns:
        """Return the responses in the form that EM needs."""
        return Patterns.of(self.responses)

    def chosen(self, rng: np.random.Generator, *, turning: bool) -> tuple[tuple[Mixture, ...], list[Floats]]:
        """Return a mixture for each bootstrap sample (bag), and held-out log-likelihoods by number of classes."""
        inside = np.stack([np.isin(np.arange(len(self.responses)), bag) for bag in self.bags])
        path: list[tuple[Mixture, ...]] = []
        logs: list[Floats] = []
        grown = [grown_mixtures(self.responses.take(bag), rng, turning=turning) for bag in self.bags]
        for mixtures in zip(*grown, strict=True):
            path.append(mixtures)
            logs.append(_held_out(mixtures, self.patterns, inside))
            chosen = best = max(range(len(logs)), key=lambda number: logs[number].mean())
            if len(self.bags) > 1:
                chosen = max(number for number, each in enumerate(logs) if not _below(each, logs[best]))
            if len(path) >= self.most or chosen + PATIENCE < len(path):
                break
        return path[chosen], logs

    def in_poor_maximum(self, mixture: Mixture) -> bool:
        """Return whether a mixture is in a poor local maximum of the likelihood, which `turned` leaves."""
        if not turnable(self.patterns.layout):
            return False
        patterns = Patterns.of(self.responses.take(self.bags[0]))
        return turned(mixture, patterns, prior_of(patterns)) is not mixture


def _regrown(mixture: Mixture, search: _Search, rng: np.random.Generator) -> tuple[Mixture, ...]:
    """Return several mixtures with the chosen number of classes, each fitted to all responses from another start."""
    responses, patterns = search.responses, search.patterns
    others, prior = int(GROWN_RESPONSES / len(responses)) - 1, prior_of(patterns)
    grown = mixture.classes - len(patterns.layout.states)
    fresh = [next(islice(grown_mixtures(responses, rng), grown, None)) for _ in range(others)]
    return (climbed(mixture, patterns, prior), *(turned(each, patterns, prior) for each in fresh))


def _held_out(mixtures: tuple[Mixture, ...], patterns: Patterns, inside: NDArray[np.bool_]) -> Floats:
    """Return the log mean probability of each response by the mixtures that were not fitted to it."""
    logs = np.stack([mixture.log_likelihood_of(patterns) for mixture in mixtures])
    logs[inside] = -np.inf
    judged = ~inside.all(axis=0)
    whole: Floats = np.logaddexp.reduce(logs[:, judged], axis=0) - np.log((~inside).sum(axis=0)[judged])
    return whole


def _below(logs: Floats, best: Floats) -> bool:
    """Return whether held-out log-likelihoods are significantly below the best ones."""
    fall = best - logs
    return bool(fall.mean() > GENEROSITY * fall.std() / np.sqrt(len(fall)))


def _bags(responses: int, rng: np.random.Generator) -> list[Positions]:
    """For each mixture, return the positions of the responses that it is fitted to.

    With few responses, each mixture is fitted to a bootstrap sample. With many responses, one mixture is fitted to all
    responses except a held-out share.
    """
    bags = int(np.clip(round(BAGGED_RESPONSES / responses), 1, MOST_BAGS))
    if bags == 1:
        held_out = max(FEWEST_HELD_OUT, int(HELD_OUT * responses))
        return [np.sort(rng.permutation(responses)[held_out:])]
    samples = [rng.integers(0, responses, responses) for _ in range(bags)]
    return [sample if len(np.unique(sample)) < responses else sample[1:] for sample in samples]


def soft_copies(responses: Responses, model: LatentModel, rng: np.random.Generator) -> SoftCopies:
    """Draw `COPIES` plain rows from the posterior of each response, and merge equal rows."""
    blocks = [np.arange(start, min(start + BLOCK, len(responses))) for start in range(0, len(responses), BLOCK)]
    parts = [_block_copies(responses.take(block), model, rng) for block in blocks]
    return SoftCopies(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.weights for part in parts]),
        np.concatenate([part.origin + block[0] for part, block in zip(parts, blocks, strict=True)]),
    )


def _block_copies(responses: Responses, model: LatentModel, rng: np.random.Generator) -> SoftCopies:
    """Return the soft copies (plain rows with weights) of some responses."""
    share = -(-COPIES // len(model.mixtures))
    tables = impute(responses, model, share * len(model.mixtures), rng)
    draws, count = len(tables), len(responses)
    rows = tables.transpose(1, 0, 2).reshape(count * draws, -1)
    origin = np.repeat(np.arange(count), draws)
    _, kind = distinct_rows(rows)
    order = np.lexsort((kind, origin))
    first = np.flatnonzero(np.diff(kind[order], prepend=-1) | np.diff(origin[order], prepend=-1))
    weights = np.diff(np.append(first, len(rows))) / draws
    return SoftCopies(rows[order[first]], weights, origin[order[first]])


def impute(responses: Responses, model: LatentModel, draws: int, rng: np.random.Generator) -> Values:
    """Draw plain tables of answers from the posterior of the responses, by each mixture in turn.

    The tables of one mixture are together a stratified sample of each response's posterior, so they are not independent
    draws.

    Returns:
        Value indices, shape (draws, responses, questions).
    """
    patterns = Patterns.of(responses)
    own = values_of_codes(responses.survey.questions, responses.codes)
    flipped = values_of_codes(responses.survey.questions, partner_codes(responses.survey, responses.codes))
    tables = np.empty((draws, *own.shape), dtype=np.int16)
    for number, mixture in enumerate(model.mixtures):
        posterior = mixture.posterior(patterns)
        ends = posterior.classes.cumsum(axis=1)
        mine = range(number, draws, len(model.mixtures))
        # one uniform number for all draws of a response, spread evenly: fewer accidents than independent draws
        offset = rng.random(len(own))
        for turn, draw in enumerate(mine):
            chosen = ((offset + turn) / len(mine) % 1.0)[:, np.newaxis]
            classes = np.minimum((chosen >= ends).sum(axis=1), mixture.classes - 1)
            tables[draw] = _truths(posterior, classes, (responses.codes, own, flipped), rng)
    return with_unasked(responses.survey, tables)


def _truths(
    posterior: Posterior, classes: Positions, sent: tuple[Codes, Values, Values], rng: np.random.Generator
) -> Values:
    """Draw the coins and the answers behind each response, given its latent class.

    Args:
        posterior: Posterior of the responses.
        classes: Latent class of each response, shape (responses,).
        sent: Codes sent, their values, and the values of their complements, each of shape (responses, questions).
        rng: Random generator.
    """
    codes, own, flipped = sent
    truths = own.copy()
    patterns, tables = posterior.patterns, posterior.mixture.tables
    for number, cell in enumerate(patterns.layout.cells):
        said = posterior.truth[patterns.ids[:, number], classes]
        replaced = np.flatnonzero(rng.random(len(own)) >= said)
        for column in cell.columns:
            if cell.drawn:
                truths[replaced, column] = drawn_values(tables[column], classes[replaced], rng)
            else:
                truths[replaced, column] = flipped[replaced, column]
            missing = np.flatnonzero(truths[:, column] < 0)
            if len(missing):
                chances = posterior.value_chances[column][codes[missing, column], :, classes[missing]]
                truths[missing, column] = _drawn(chances.cumsum(axis=1), rng)
    return truths


def drawn_values(table: Floats, classes: Positions, rng: np.random.Generator) -> NDArray[np.int16]:
    """Draw a value from P(value | class) for each of several latent classes."""
    return _drawn(table.cumsum(axis=0).T[classes], rng)


def _drawn(ends: Floats, rng: np.random.Generator) -> NDArray[np.int16]:
    """Draw an index from each row of cumulative probabilities."""
    uniform = rng.random(len(ends))[:, np.newaxis]
    values: NDArray[np.int16] = np.minimum((uniform >= ends).sum(axis=1), ends.shape[1] - 1).astype(np.int16)
    return values


def synthetic(model: LatentModel, rows: int, rng: np.random.Generator) -> Values:
    """Draw synthetic plain rows from the mixtures, without reference to any response, shape (rows, questions)."""
    parts: list[Values] = []
    for number, mixture in enumerate(model.mixtures):
        count = len(range(number, rows, len(model.mixtures)))
        classes = rng.choice(mixture.classes, count, p=mixture.weights)
        columns = [drawn_values(table, classes, rng) for table in mixture.tables]
        parts.append(np.stack(columns, axis=1))
    return np.concatenate(parts)
