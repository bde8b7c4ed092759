"""Answers that may be behind each response, with their probabilities: the terms of the likelihood of a class.

A response r depends on the other answers x and the class y through the channel only, so that

    P(r)  =  sum over x of P(x)  sum over y of P(r | x, y) P(y | x)

A question that is sent as it is has one possible answer, so that where all but the class are, only the sum over y is
left: the likelihood of the class's own disguise. Else every x that may have been disguised as r is written out, from
the exact chances of any channel (`miner.behind.candidates`); P(x) is a mixture's (`miner.latent.model`). Where there
are too many, some are drawn from fitted models of the responses, and weighted by P(x) over the density of the draws
(importance sampling: Hammersley & Handscomb 1964; several densities: Veach & Guibas 1995).

A response whose codes contradict the routing in every answer is explained as if nothing were routed. One that no answer
explains even so adds nothing to the log-likelihood, nor to its slope.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import mul
from typing import Self

import numpy as np

from collector.survey.survey import Survey
from miner.arrays import Floats, Indices
from miner.behind.candidates import Kind, kinds_of
from miner.behind.coins import coins_of, with_not_asked
from miner.behind.kernels import logarithms
from miner.behind.patterns import Patterns
from miner.estimates.hybrid import PlainRows, Stacked
from miner.latent.logit_model import fit_conditional, independent_replacements
from miner.latent.model import FEWEST_RESPONSES, LatentModel, fit_latent, impute
from miner.likelihood.kernels import LEAST
from miner.responses.narrowed import without_followers
from miner.responses.possible import possible, possible_classes
from miner.responses.responses import NOT_ASKED, Responses, Values

MOST_ANSWERS = 64  # of one response that are written out,
MOST_ROWS = 2**20  # and of all of them together
DRAWS = 20  # for a response, where they are too many
EM_STEPS = 50
MOST_FITTED = 60_000  # responses that a mixture is fitted to; of more, a random sample


@dataclass(frozen=True, eq=False)
class PossibleAnswers:
    """The rows that may be behind responses.

    Attributes:
        values: Shape (rows, questions of the survey): value indices; the class's column is not used.
        chances: Shape (rows, classes): P(x) P(r | x, y), up to a factor for each response.
        first: Shape (responses,): where the rows of each response begin; every response has at least one.
        counts: Shape (responses,): the number of people that each stands for.
    """

    values: Values
    chances: Floats
    first: Indices
    counts: Floats

    @cached_property
    def response(self) -> Indices:
        """Shape (rows,): the response of each row."""
        return np.repeat(np.arange(len(self.first)), np.diff(self.first, append=len(self.values)))

    @cached_property
    def ends(self) -> Indices:
        """Shape (responses,): where the rows of each response end."""
        return np.append(self.first[1:], len(self.values))

    @cached_property
    def explained(self) -> Floats:
        """Shape (responses,): the number of people that each stands for; 0 where no answer explains it."""
        return np.where(np.logical_or.reduceat(self.chances.any(axis=1), self.first), self.counts, 0.0)

    def posterior(self, shares: Floats) -> tuple[float, Floats]:
        """The log-likelihood of the responses if P(class | x) is this, and P(x, class | r): shapes (rows, classes)."""
        joint = self.chances * shares
        sent = np.add.reduceat(joint @ np.ones(joint.shape[1]), self.first)
        joint /= np.where(sent > LEAST, sent, np.inf)[self.response, None]
        return float(self.explained @ np.log(np.maximum(sent, LEAST))), joint

    def class_shares(self) -> Floats:
        """Shape (classes,): the shares of the classes, above 0, by EM where answers tell nothing of them."""
        classes = self.chances.shape[1]
        shares, told = np.full(classes, 1 / classes), np.add.reduceat(self.chances, self.first, axis=0)
        for _ in range(EM_STEPS):
            joint = told * shares
            joint /= np.maximum(joint.sum(axis=1, keepdims=True), LEAST)
            shares = (self.counts @ joint + 1 / classes) / (self.explained.sum() + 1)
        return np.asarray(shares)

    def value_shares(self, survey: Survey) -> tuple[Floats, ...]:
        """Posterior shares of the values of each question, before any model of the class."""
        weights = self.posterior(np.ones(self.chances.shape))[1].sum(axis=1) * self.counts[self.response]
        found = []
        for place, question in enumerate(survey.questions):
            known = self.values[:, place] >= 0
            counted = np.bincount(self.values[known, place], weights[known], minlength=len(question.values))
            found.append((counted + 1) / (counted.sum() + len(counted)))
        return tuple(found)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Join several collections, one after the other."""
        starts = np.cumsum([0, *(len(part.values) for part in parts)])
        return cls(
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.chances for part in parts]),
            np.concatenate([part.first + start for part, start in zip(parts, starts, strict=False)]),
            np.concatenate([part.counts for part in parts]),
        )

    @classmethod
    def of_rows(cls, values: Values, weights: Floats, column: int, classes: int) -> Self:
        """Make certain answers of rows that are known to be true."""
        return cls(values, _certain(values[:, column], classes), np.arange(len(values)), weights)


def possible_answers(
    responses: Responses, target: str, rng: np.random.Generator, plain: PlainRows | None = None
) -> PossibleAnswers:
    """The answers behind responses, and after these plain rows.

    Args:
        responses: Disguised, at least one.
        target: Name of the class question.
        rng: Used where the questions besides the class are disguised.
        plain: Rows that are known to be true.
    """
    column, questions = responses.survey.column(target), len(responses.survey.questions)
    classes = len(responses.survey.questions[column].values)
    narrow, kept = without_followers(responses, target)
    if len(kept) < questions:
        left = None if plain is None else PlainRows.of(narrow.survey, plain.values[:, kept], plain.weights)
        found = possible_answers(narrow, target, rng, left)
        values = np.full((len(found.values), questions), NOT_ASKED, np.int16)
        values[:, kept] = found.values
        return replace(found, values=values)
    kinds, counts = kinds_of(responses, range(len(responses.survey.questions)))
    survey = responses.survey
    sizes = [_others(kind, column).candidates for kind in kinds]
    if max(sizes) <= MOST_ANSWERS and sum(map(mul, sizes, map(len, counts))) <= MOST_ROWS:
        found = PossibleAnswers.joined(
            [
                _routed(_enumerated(kind, each, column, classes), survey, column)
                for kind, each in zip(kinds, counts, strict=True)
            ]
        )
        if len(found.values) > len(found.first):
            found = _weighted(found, _prior(responses, found.values, column, rng, plain))
    else:
        found = _routed(_drawn(responses, target, column, rng), survey, column)
    if plain is None:
        return found
    return PossibleAnswers.joined([found, PossibleAnswers.of_rows(plain.values, plain.weights, column, classes)])


def _routed(answers: PossibleAnswers, survey: Survey, column: int) -> PossibleAnswers:
    """Without chances of answers that contradict each other, or the class; but for responses that have no others."""
    if not survey.rules:
        return answers
    classes = possible_classes(survey, column, answers.values)
    if classes is None:  # no rule has the class
        classes = possible(survey, range(answers.values.shape[1]), answers.values)[:, None]
    chances = answers.chances * classes
    some = np.add.reduceat(chances.sum(axis=1), answers.first) > 0
    return replace(answers, chances=np.where(some[answers.response, None], chances, answers.chances))


def _certain(classes: Values, count: int) -> Floats:
    return np.asarray(classes[:, None] == np.arange(count), np.float64)


def _others(kind: Kind, column: int) -> Kind:
    """A kind without the class, unless that shares its coin."""
    kept = [place != column for place in kind.places]
    return replace(
        kind,
        coins=tuple(coin for coin in kind.coins if coin.columns != (column,)),
        missing=tuple(each for each, keep in zip(kind.missing, kept, strict=True) if keep),
        places=tuple(place for place in kind.places if place != column),
    )


def _enumerated(kind: Kind, counts: Floats, column: int, classes: int) -> PossibleAnswers:
    """Every answer that the patterns of a kind may stand for."""
    values, likely = _others(kind, column).explained()
    answers = values.shape[1]
    own = [coin.table(coin.truth)[kind.sent[:, column]] for coin in kind.coins if coin.columns == (column,)]
    if own or column in kind.places:
        shares = likely[:, :, None] * (own[0][:, None, :] if own else np.ones(classes))
    else:
        shares = likely[:, :, None] * (values[:, :, column, None] == np.arange(classes))
    first = np.arange(len(counts)) * answers
    return PossibleAnswers(values.reshape(-1, values.shape[2]), shares.reshape(-1, classes), first, counts)


def _prior(
    responses: Responses, values: Values, column: int, rng: np.random.Generator, plain: PlainRows | None
) -> Floats:
    """The logarithm of P(x) of rows by mixtures, up to a number: shape (rows,)."""
    if len(responses) < FEWEST_RESPONSES:
        return np.zeros(len(values))
    fitted = _mixtures(responses if plain is None else Stacked.of(responses, plain, rng), rng)
    return np.asarray(np.logaddexp.reduce([mixture.log_joint(values, column)[0] for mixture in fitted.mixtures]))


def _weighted(answers: PossibleAnswers, logs: Floats) -> PossibleAnswers:
    """Multiply chances by P(x), given as logarithms and scaled to 1 at the likeliest row of each response."""
    logs = np.where(answers.chances.any(axis=1), logs, -np.inf)
    most = np.maximum.reduceat(logs, answers.first)
    behind = logs - np.where(np.isfinite(most), most, 0.0)[answers.response]
    return replace(answers, chances=answers.chances * np.exp(behind)[:, None])


def relative(told: Floats, shares: Floats) -> Floats:
    """Chances of codes by class, divided by a model's mean of them; 0 in rows where it rules out every class.

    Args:
        told: Shape (rows, classes): P(codes | row, class).
        shares: Shape (rows, classes): the model's P(class | row).
    """
    own = (shares * told).sum(axis=1, keepdims=True)
    return np.asarray(told / np.where(own > LEAST, own, np.inf))


def _mixtures(responses: Responses, rng: np.random.Generator) -> LatentModel:
    if len(responses) > MOST_FITTED:
        responses = responses.take(np.sort(rng.permutation(len(responses))[:MOST_FITTED]))
    return fit_latent(responses, rng)


def _drawn(responses: Responses, target: str, column: int, rng: np.random.Generator) -> PossibleAnswers:
    """Answers drawn from the posterior of a fitted model, each response's together."""
    survey = responses.survey
    if independent_replacements(survey) and len(responses) >= FEWEST_RESPONSES:
        return _by_logit(responses, target, rng)
    fitted = _mixtures(responses, rng)
    draws = max(1, min(DRAWS, MOST_ROWS // len(responses)))
    tables = impute(responses, fitted, draws, rng)
    values = np.ascontiguousarray(tables.transpose(1, 0, 2)).reshape(-1, tables.shape[2])
    told = np.repeat(_class_chances(responses, column), draws, axis=0)
    if told.shape[1] == 0:
        told = _certain(values[:, column], len(survey.questions[column].values))
    found = PossibleAnswers(values, told, np.arange(0, len(values), draws), np.ones(len(responses)))
    return _weighted(*_importance(found, responses, fitted, column))


def _importance(
    answers: PossibleAnswers, responses: Responses, fitted: LatentModel, column: int
) -> tuple[PossibleAnswers, Floats]:
    """The drawn rows, with the logarithms of P(x) over the density of the draws, up to a number for each response.

    Each row was drawn from the posterior of one mixture, P_m(x) P_m(class's codes | x) / P_m(r), times P(r | x). P(x)
    is the mean of all mixtures. A mixture explains the responses that it was fitted to best, so that P_m(r) matters. A
    row has no chance if every mixture rules out the class's codes there.
    """
    patterns, draws, count = Patterns.of(responses), len(answers.values) // len(responses), len(fitted.mixtures)
    likely, density, explained = [], [], np.zeros(len(answers.values), np.bool_)
    for number, mixture in enumerate(fitted.mixtures):
        logs, shares = mixture.log_joint(answers.values, column)
        likely.append(logs)
        own = (shares * answers.chances).sum(axis=1)
        explained |= own > LEAST
        if drawn := len(range(number, draws, count)):
            whole = mixture.log_likelihood_of(patterns)[answers.response]
            density.append(logs + logarithms(own) - whole + np.log(drawn))
    chances = np.where(explained[:, None], answers.chances, 0.0)
    return replace(answers, chances=chances), np.logaddexp.reduce(likely) - np.logaddexp.reduce(density)


def _by_logit(responses: Responses, target: str, rng: np.random.Generator) -> PossibleAnswers:
    """Answers drawn under uniform channels: a mixture proposes them, and a logit with pairs accepts."""
    model = fit_conditional(responses, target, rng)
    chains = model.chains(rng)
    rows = chains.rows
    chances = relative(rows.evidence, model.logit.probabilities(rows.values))
    first = np.flatnonzero(np.diff(chains.responses, prepend=-1))
    return PossibleAnswers(rows.values, chances, first, np.ones(len(first)))


def _class_chances(responses: Responses, column: int) -> Floats:
    """Shape (responses, classes): P(code sent | class) where the class has a coin of its own; else (responses, 0)."""
    survey = responses.survey
    question = survey.questions[column]
    group = survey.group_of(question.name)
    if group is not None and len(group.questions) > 1:
        return np.ones((len(responses), 0))
    (coin,) = coins_of(survey, [column], [question.name])
    return with_not_asked(coin.table(coin.truth))[responses.codes[:, column]]
