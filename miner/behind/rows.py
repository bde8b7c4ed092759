"""List the combinations of answers (rows) that may be behind responses, with P(codes sent | answers).

The probability of a response r is a sum over the class y and the other answers x:

    P(r)  =  sum over x of P(x)  sum over y of P(r | x, y) P(y | x)

A *row* is one combination x of answers.

If only the class is disguised, each response has one row. If predictors are disguised, every row that may be behind a
response is listed, with exact P(r | x, y) for any channel (`miner.behind.candidates`). P(x) comes from a mixture of
latent classes (`miner.behind.mixture`). If there are too many rows, some rows are drawn from the posteriors of
mixtures, and weighted by P(x) divided by the density of the draws (importance sampling: Hammersley & Handscomb 1964;
Veach & Guibas 1995).

If all rows behind a response contradict the `ask_if` conditions, the conditions are ignored for the response.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import mul
from typing import Self

import numpy as np

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.arrays import Floats, Indices, Positions
from miner.behind.cached_fit import cached_fit
from miner.behind.candidates import AskedPattern, asked_patterns
from miner.behind.coins import coins_of
from miner.behind.kernels import LEAST, height_of, log_likelihoods, logarithms, slopes_along
from miner.behind.mixture.mixture import pooled
from miner.behind.mixture.model import FEWEST_RESPONSES, LatentModel, fit_latent, impute
from miner.behind.mixture.seeded import seeded_mixture
from miner.behind.narrowed import without_followers
from miner.behind.patterns import Layout, Patterns
from miner.channels.registry import independent_replacements
from miner.responses.plain_rows import PlainRows, stacked
from miner.responses.possible import possible, possible_classes, predictors
from miner.responses.responses import NOT_ASKED, Data, Responses, Values, values_of_codes

MOST_ANSWERS = 64  # largest number of listed rows of a response; if there are more, some are drawn
MOST_ROWS = 2**20  # largest number of rows of all responses together
MOST_LISTED = 2**22  # largest number of rows behind the answers to a few questions
DRAWS = 20  # number of rows drawn for each response if there are too many to list
JUDGING_DRAWS = 16  # number of rows drawn for each response that learners are judged on
MOST_FITTED = 60_000  # largest number of responses that a mixture is fitted to; of more, a random sample is used
EM_STEPS = 50


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows (combinations of answers) that may be behind responses.

    Attributes:
        values: Value indices, shape (rows, questions of the survey).
        chances: P(x) P(r | x, y) for answers x and class y, up to a factor for each response r, shape (rows, classes).
        first: Position of the first row of each response, shape (responses,).
        counts: Number of people that each response represents, shape (responses,).
    """

    values: Values
    chances: Floats
    first: Indices
    counts: Floats

    @classmethod
    def known(cls, values: Values, weights: Floats, column: int, classes: int) -> Self:
        """Return rows of answers that are known to be true, with a weight for each person.

        Args:
            values: Value indices, shape (rows, questions).
            weights: Weight of each person, shape (rows,).
            column: Position of the class question.
            classes: Number of values of the class question.
        """
        certain = np.asarray(values[:, column, None] == np.arange(classes), np.float64)
        return cls(values, certain, np.arange(len(values)), weights)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Concatenate several collections of rows."""
        starts = np.cumsum([0, *(len(part.values) for part in parts)])
        return cls(
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.chances for part in parts]),
            np.concatenate([part.first + start for part, start in zip(parts, starts, strict=False)]),
            np.concatenate([part.counts for part in parts]),
        )

    def widened(self, survey: Survey, columns: Sequence[int]) -> "Rows":
        """Convert rows of some questions to rows of the whole survey.

        Questions of the survey without a column in the rows are marked as not asked.

        Args:
            survey: Published survey.
            columns: Position in the survey of the question of each column of `values`.
        """
        values = np.full((len(self.values), len(survey.questions)), NOT_ASKED, np.int16)
        values[:, columns] = self.values
        return replace(self, values=values)

    @cached_property
    def response(self) -> Indices:
        """Return the position of the response of each row, shape (rows,)."""
        return np.repeat(np.arange(len(self.first)), np.diff(self.first, append=len(self.values)))

    @cached_property
    def ends(self) -> Indices:
        """Return the position after the last row of each response, shape (responses,)."""
        return np.append(self.first[1:], len(self.values))

    @cached_property
    def explained(self) -> Floats:
        """Return the number of people that each response represents, or 0 if its rows all have probability 0."""
        return np.where(np.logical_or.reduceat(self.chances.any(axis=1), self.first), self.counts, 0.0)

    def positions(self, responses: Positions) -> Positions:
        """Return the positions of the rows behind some responses."""
        first, sizes = self.first[responses], (self.ends - self.first)[responses]
        starts = np.cumsum(sizes) - sizes
        return np.asarray(np.arange(sizes.sum()) + np.repeat(first - starts, sizes))

    def take(self, responses: Positions) -> "Rows":
        """Return the rows behind some responses."""
        some, sizes = self.positions(responses), (self.ends - self.first)[responses]
        return Rows(self.values[some], self.chances[some], np.cumsum(sizes) - sizes, self.counts[responses])

    @property
    def people(self) -> int:
        """Return the number of people that all responses represent."""
        return round(float(self.counts.sum()))

    def distinct(self, sizes: Sequence[int]) -> tuple[Values, Indices]:
        """Return the distinct combinations of answers, and the position of each row among them.

        Args:
            sizes: Number of values of each question.
        """
        place, cell = np.unique(np.ravel_multi_index(tuple(self.values.T), tuple(sizes)), return_inverse=True)
        return np.stack(np.unravel_index(place, tuple(sizes)), axis=1).astype(np.int16), cell.ravel()

    def by_class(self, count: int, sizes: Sequence[int]) -> "Rows":
        """Merge rows that differ only in their answers to the first `count` questions.

        A merged row has a probability for each combination of answers to the first `count` questions.

        Args:
            count: Number of questions over whose answers rows are merged.
            sizes: Number of values of each question.
        """
        cells = np.ravel_multi_index(tuple(self.values[:, count:].T), tuple(sizes[count:]))
        column = np.ravel_multi_index(tuple(self.values[:, :count].T), tuple(sizes[:count]))
        whole = self.response * int(np.prod(sizes[count:])) + cells
        kept, row = np.unique(whole, return_index=True, return_inverse=True)[1:]
        chances = np.zeros((len(kept), int(np.prod(sizes[:count]))))
        np.add.at(chances, (row.ravel(), column), self.chances[:, 0])
        return Rows(
            self.values[kept], chances, np.searchsorted(self.response[kept], np.arange(len(self.first))), self.counts
        )

    def sent(self, shares: Floats) -> Floats:
        """Return the probability P(r) of each response r, up to a factor for each response, shape (responses,).

        The array `shares` has P(class | x) for the answers x of each row, shape (rows, classes).
        """
        joint = self.chances * shares
        return np.asarray(np.add.reduceat(joint @ np.ones(joint.shape[1]), self.first))

    def posterior(self, shares: Floats) -> tuple[float, Floats]:
        """Return the log-likelihood and P(x, class | r) for answers x and responses r, given P(class | x)."""
        sent = self.sent(shares)
        joint = self.chances * shares / np.where(sent > LEAST, sent, np.inf)[self.response, None]
        return float(self.explained @ np.log(np.maximum(sent, LEAST))), joint

    def height(self, scores: Floats) -> float:
        """Return the log-likelihood of the responses, given log odds of the classes of shape (rows, classes)."""
        return height_of(scores, self.chances, self.ends, self.counts)

    def slopes(self, scores: Floats) -> tuple[float, Floats]:
        """Return the log-likelihood, and the slopes of each person's log-likelihood by the log odds of the classes.

        The slopes are ``P(x, y | r) - P(x | r) P(y | x)`` for response r, answers x and class y (Fisher's identity).
        """
        return slopes_along(scores, self.chances, self.ends, self.counts)

    def losses(self, shares: Floats) -> Floats:
        """Return -ln P(r) up to a constant for each response r, shape (responses,).

        The array `shares` has P(class | x) for the answers x of each row, shape (rows, classes).
        """
        return -log_likelihoods(shares, self.chances, self.ends)

    def class_shares(self) -> Floats:
        """Return the shares of the classes by EM, as if no answer predicted the class."""
        classes = self.chances.shape[1]
        shares, likelihood = np.full(classes, 1 / classes), np.add.reduceat(self.chances, self.first, axis=0)
        for _ in range(EM_STEPS):
            joint = likelihood * shares
            joint /= np.maximum(joint.sum(axis=1, keepdims=True), LEAST)
            shares = (self.counts @ joint + 1 / classes) / (self.explained.sum() + 1)
        return np.asarray(shares)

    def value_shares(self, survey: Survey) -> tuple[Floats, ...]:
        """Return the posterior shares of the values of each question, without a model of the class."""
        weights = self.posterior(np.ones(self.chances.shape))[1].sum(axis=1) * self.counts[self.response]
        found = []
        for place, question in enumerate(survey.questions):
            known = self.values[:, place] >= 0
            counted = np.bincount(self.values[known, place], weights[known], minlength=len(question.values))
            found.append((counted + 1) / (counted.sum() + len(counted)))
        return tuple(found)


def listed_rows(source: Data, names: Sequence[str], *, routed: bool = True) -> Rows | None:
    """Return every combination of answers to a few questions that may be behind each distinct response.

    A question that a respondent was not asked may have any value.

    Args:
        source: Disguised responses. Respondents who were asked none of the questions are left out.
        names: Names of the questions.
        routed: Whether to leave out combinations of answers that contradict `ask_if` conditions
            (`miner.responses.possible`).

    Returns:
        Rows with P(r | answers) for each response r, shape (rows, 1), or None if there would be too many rows.

    Raises:
        QueryError: If a name is not a question or comes twice, or there are no responses.
    """
    questions = [source.survey.question(name) for name in names]
    if not len(source) or len(set(names)) < len(names):
        raise QueryError(
            "responses",
            "there are no responses, or a question is named twice",
            "collect responses first, and name each question once",
        )
    columns = [source.survey.questions.index(question) for question in questions]
    patterns, counts = asked_patterns(source, columns)
    if sum(map(len, counts)) * max(pattern.candidates for pattern in patterns) > MOST_LISTED:
        return None
    parts = []
    for pattern, each in zip(patterns, counts, strict=True):
        values, chances = pattern.explained()
        first = np.arange(len(each)) * values.shape[1]
        parts.append(Rows(values.reshape(-1, len(names)), chances.reshape(-1, 1), first, each))
    found = Rows.joined(parts)
    if routed and source.survey.rules:
        found = _without(found, found.chances * possible(source.survey, columns, found.values)[:, None])
        kept = found.chances[:, 0] > 0
        sizes = np.add.reduceat(kept, found.first, dtype=np.intp)
        found = Rows(found.values[kept], found.chances[kept], np.cumsum(sizes) - sizes, found.counts)
    return found


def rows_behind(responses: Responses, target: str, rng: np.random.Generator, plain: PlainRows | None = None) -> Rows:
    """Return the rows that may be behind distinct responses, followed by plain rows.

    Args:
        responses: Disguised responses, at least one.
        target: Name of the class question.
        rng: Random generator, which is used if predictors are disguised.
        plain: Rows of answers that are known to be true.
    """
    narrow, kept = without_followers(responses, target)
    if len(kept) < len(responses.survey.questions):
        left = None if plain is None else PlainRows.of(narrow.survey, plain.values[:, kept], plain.weights)
        return rows_behind(narrow, target, rng, left).widened(responses.survey, kept)
    survey, column = responses.survey, responses.survey.column(target)
    classes = len(survey.questions[column].values)
    patterns, counts = asked_patterns(responses, range(len(survey.questions)))
    sizes = [_others(pattern, column).candidates for pattern in patterns]
    if max(sizes) <= MOST_ANSWERS and sum(map(mul, sizes, map(len, counts))) <= MOST_ROWS:
        listed = (_listed(pattern, each, column, classes) for pattern, each in zip(patterns, counts, strict=True))
        found = Rows.joined([_routed(each, survey, column) for each in listed])
        if len(found.values) > len(found.first):
            found = _weighted(found, _prior(responses, found.values, column, rng, plain))
    else:
        draws = max(1, min(DRAWS, MOST_ROWS // len(responses)))
        found = _drawn(responses, column, _drawn_from(responses, column, rng), draws, rng)
    if plain is None:
        return found
    return Rows.joined([found, Rows.known(plain.values, plain.weights, column, classes)])


def drawn_rows(
    responses: Responses, known: Responses, target: str, rng: np.random.Generator, draws: int = JUDGING_DRAWS
) -> Rows:
    """Draw the rows behind responses from one mixture, for comparing classifiers.

    Classifiers f can be compared by ``-ln P(r | f)``, the log loss of predicting the codes of a response r
    (`Rows.losses`). The log loss of predicting the codes sent is a proper score with a small variance. Estimates by
    inverse weights would need no model of P(x), but their variance grows with every group of questions.

    If no predictor is disguised, each response has a single row.

    Args:
        responses: Responses of people who were all asked the class question.
        known: Responses to which the mixture is fitted, at least two.
        target: Name of the class question.
        rng: Random generator.
        draws: Number of rows drawn for each response.
    """
    survey, (narrow, kept) = responses.survey, without_followers(responses, target)
    if len(kept) < len(survey.questions):
        return drawn_rows(narrow, without_followers(known, target)[0], target, rng, draws).widened(survey, kept)
    column = survey.column(target)
    if survey.sampling is None and not any(survey.questions[place].sensitive for place in predictors(survey, target)):
        values = values_of_codes(survey.questions, responses.codes)
        chances = _class_chances(responses, values, column)
        return Rows(values, chances, np.arange(len(values)), np.ones(len(values)))
    model = LatentModel((pooled(_drawn_from(known, column, rng).mixtures),), np.zeros(0))
    return _drawn(responses, column, model, draws, rng)


def _routed(rows: Rows, survey: Survey, column: int) -> Rows:
    """Set the probabilities of rows that contradict `ask_if` conditions to 0."""
    if not survey.rules:
        return rows
    classes = possible_classes(survey, column, rows.values)
    if classes is None:  # no rule has the class
        classes = possible(survey, range(rows.values.shape[1]), rows.values)[:, None]
    return _without(rows, rows.chances * classes)


def _without(rows: Rows, chances: Floats) -> Rows:
    """Replace the probabilities of rows, except for responses whose new probabilities are all 0."""
    some = np.add.reduceat(chances.sum(axis=1), rows.first) > 0
    return replace(rows, chances=np.where(some[rows.response, None], chances, rows.chances))


def _others(pattern: AskedPattern, column: int) -> AskedPattern:
    """Return distinct responses without the class question, unless it shares its coin with other questions."""
    kept = [place != column for place in pattern.places]
    return replace(
        pattern,
        coins=tuple(coin for coin in pattern.coins if coin.columns != (column,)),
        missing=tuple(each for each, keep in zip(pattern.missing, kept, strict=True) if keep),
        places=tuple(place for place in pattern.places if place != column),
    )


def _listed(pattern: AskedPattern, counts: Floats, column: int, classes: int) -> Rows:
    """List every combination of answers behind the distinct responses of people who were asked the same questions."""
    values, likely = _others(pattern, column).explained()
    rows = values.shape[1]
    own = [coin.table(coin.truth)[pattern.sent[:, column]] for coin in pattern.coins if coin.columns == (column,)]
    if own or column in pattern.places:
        shares = likely[:, :, None] * (own[0][:, None, :] if own else np.ones(classes))
    else:
        shares = likely[:, :, None] * (values[:, :, column, None] == np.arange(classes))
    first = np.arange(len(counts)) * rows
    return Rows(values.reshape(-1, values.shape[2]), shares.reshape(-1, classes), first, counts)


def _prior(
    responses: Responses, values: Values, column: int, rng: np.random.Generator, plain: PlainRows | None
) -> Floats:
    """Return ln P(x) for the answers x of each row by fitted mixtures, up to a constant, shape (rows,)."""
    if len(responses) < FEWEST_RESPONSES:
        return np.zeros(len(values))
    fitted = _mixtures(responses if plain is None else stacked(responses, plain, rng), rng)
    return np.asarray(np.logaddexp.reduce([mixture.log_joint(values, column)[0] for mixture in fitted.mixtures]))


def _weighted(rows: Rows, logs: Floats) -> Rows:
    """Multiply the probabilities of rows by P(x), scaled so that the likeliest row of each response has P(x) = 1."""
    logs = np.where(rows.chances.any(axis=1), logs, -np.inf)
    most = np.maximum.reduceat(logs, rows.first)
    behind = logs - np.where(np.isfinite(most), most, 0.0)[rows.response]
    return replace(rows, chances=rows.chances * np.exp(behind)[:, None])


def _mixtures(responses: Responses, rng: np.random.Generator) -> LatentModel:
    if len(responses) > MOST_FITTED:
        responses = responses.take(np.sort(rng.permutation(len(responses))[:MOST_FITTED]))
    return fit_latent(responses, rng)


def _drawn_from(responses: Responses, column: int, rng: np.random.Generator) -> LatentModel:
    """Return the mixtures from which rows of answers are drawn."""
    if independent_replacements(responses.survey):
        return LatentModel((cached_fit(seeded_mixture, responses, rng, column),), np.zeros(0))
    return _mixtures(responses, rng)


def _drawn(responses: Responses, column: int, model: LatentModel, draws: int, rng: np.random.Generator) -> Rows:
    """Draw equally many rows for each response from the posteriors of mixtures.

    Answers x that are drawn by mixture m for response r have the density ``P_m(x) P_m(class's codes | x) / P_m(r)``,
    times the probability of the codes of the other questions. P(x) is estimated by the mean of P_m(x) over all mixtures
    m.
    """
    tables = impute(responses, model, draws, rng)
    values = np.ascontiguousarray(tables.transpose(1, 0, 2)).reshape(-1, tables.shape[2])
    origin = np.repeat(np.arange(len(responses)), draws)
    chances = _class_chances(responses.take(origin), values, column)
    patterns, count = Patterns.of(responses), len(model.mixtures)
    likely, density, explained = [], [], np.zeros(len(values), np.bool_)
    for number, mixture in enumerate(model.mixtures):
        logs, shares = mixture.log_joint(values, column)
        likely.append(logs)
        own = (shares * chances).sum(axis=1)
        explained |= own > LEAST
        if drawn := len(range(number, draws, count)):
            density.append(logs + logarithms(own) - mixture.log_likelihood_of(patterns)[origin] + np.log(drawn))
    chances = np.where(explained[:, None], chances, 0.0)
    found = _routed(
        Rows(values, chances, np.arange(0, len(values), draws), np.ones(len(responses))), responses.survey, column
    )
    return _weighted(found, np.logaddexp.reduce(likely) - np.logaddexp.reduce(density))


def _class_chances(responses: Responses, values: Values, target: int) -> Floats:
    """Return P(codes sent in the class question's group | answers, class), shape (responses, classes)."""
    layout = Layout.of(responses.survey)
    number, cell = next(each for each in enumerate(layout.cells) if target in each[1].columns)
    columns = [column if column in cell.columns else -1 for column in range(values.shape[1])]
    (coin,) = coins_of(responses.survey, columns, [])
    return coin.by_answer(responses.codes, values, target, layout.truths(responses)[:, number])
