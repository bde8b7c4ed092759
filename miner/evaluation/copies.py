"""Make signed copies of disguised responses, merged so that a classifier predicts few rows more than once.

The weighted mean of any function over the signed copies is an unbiased estimate of its mean over the true answers
(docs/guarantee.md, section 2). A group has copies only if it contains the class question or a question of the
classifier. A group with the complement channel has two copies. A group with the uniform channel has one copy for each
combination of values of the used questions. If a replacement equals the code sent, the copies with the two codes are
one copy.

All signed copies are listed if a response has at most `MOST_COPIES`, and all responses together have at most
`MOST_ENTRIES`. If there are too many signed copies to list, some are drawn for each response, with probability
proportional to the absolute weight. If copies are drawn, at least `FEWEST_DRAWS` are drawn for each response. The
copies of one response are drawn independently of those of other responses. Because copies are drawn independently, each
standard error and interval includes the variance from drawing copies. `Copies.drawing_error` is the part of a standard
error that comes from drawing copies. For a mean, no copies are drawn if all combinations of answers fit into a table
(`miner.evaluation.copy_sums`).
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod, sqrt
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.arrays import Floats, Indices
from miner.behind.coins import sampled_within
from miner.counting.factors import Factor, Listed, factors_of, largest_sum
from miner.evaluation.copy_sums import CopySums
from miner.responses.distinct import COUNTERS, alike, distinct_rows
from miner.responses.possible import predictors, with_unasked
from miner.responses.responses import Responses, Values
from miner.trees.paths import largest_sum_at_leaves, leaf_weights, most_stood_for
from miner.trees.tree import LEAF, Tree
from miner.weights.events import with_conditions

MOST_COPIES = 4096  # largest number of listed copies of a response, reached with twelve complement groups
MOST_ENTRIES = 2**23  # largest number of copies of all responses; fitting with twice as many took 2.9 GB
DRAWS = 256  # number of copies drawn for each response if there are too many to list
MOST_DRAWN = 2**21  # largest number of drawn copies of all responses, and of a block
Entries = tuple[Values, Indices, NDArray[np.int16], Floats]
"""Rows to predict, and of each copy its row there, its class, and its weight: as in `Copies`."""
Amounts = Callable[[Floats], Floats]
"""From predictions, shape (places, classes), an amount for each place and true class, of the same shape."""
FEWEST_DRAWS = 16  # smallest number of copies drawn for each response; fewer would cost too much precision
PART = 2**18  # number of copies handled, and of rows predicted, at once; a prediction takes hundreds of bytes


@dataclass(frozen=True, eq=False)
class Copies:
    """Candidate answers behind each response, each with a signed weight.

    Attributes:
        counts: Number of responses in each row, shape (rows,). Equal responses share a row.
        place: Index of the candidate answers that the classifier predicts for, shape (rows, copies).
        cls: Class index, shape (rows, copies).
        weight: Signed weight of each copy, shape (rows, copies), or (1, copies) if all rows have equal weights. The
            weights of a response's copies sum to 1, or to 1 on average if copies are drawn.
        size: Largest sum of absolute weights that a response could have.
        exact: Whether all copies are listed. If False, the copies are drawn at random.
        times: Largest number of respondents that one response represents, in a split questionnaire.
    """

    counts: Floats
    place: NDArray[np.signedinteger[Any]]
    cls: NDArray[np.int16]
    weight: Floats
    size: float
    exact: bool
    times: float = 1.0

    @classmethod
    def of(
        cls,
        responses: Responses,
        target: str,
        asked: Collection[str],
        rng: np.random.Generator,
        most_drawn: int = MOST_DRAWN,
    ) -> tuple[Self, Values]:
        """Return the signed copies of respondents who were asked all of the given questions.

        Args:
            responses: Disguised responses.
            target: Name of the class question.
            asked: Names of the other questions that the classifier uses.
            rng: Random generator, used only if there are too many copies to list.
            most_drawn: Largest number of copies to draw over all responses, if copies are drawn. At least one copy of
                each response is drawn.

        Returns:
            Copies, and the rows that `place` refers to: value indices of shape (places, questions of the survey), with
            -1 for unused questions.

        Raises:
            QueryError: If a name is not a question, there are no responses, or no respondent was asked all questions.
        """
        asked = with_conditions(responses.survey, asked)
        responses = responses.among_asked({*asked, target})
        first, counts = distinct_responses(responses, {*asked, target})
        survey = responses.survey
        some = responses.take(first)
        size, factors = largest_sum(survey, asked, target), factors_of(survey, asked, target, some.codes)
        copies = listed_copies(factors)
        if copies is None:
            return cls._drawn(responses, target, asked, rng, max(1, min(DRAWS, most_drawn // len(responses))))
        table, place, classes, weight = copies
        return cls(counts, place, classes, weight, size, exact=True), with_unasked(survey, table)

    @classmethod
    def _drawn(
        cls, responses: Responses, target: str, asked: Collection[str], rng: np.random.Generator, draws: int
    ) -> tuple[Self, Values]:
        """Draw a given number of signed copies of each response.

        Other arguments and the result are described under `of`.
        """
        survey = responses.survey
        factors = factors_of(survey, asked, target, responses.codes)
        table, place, classes, weight = beside([factor.drawn(draws, rng) for factor in factors])
        size, counts = largest_sum(survey, asked, target), np.ones(len(responses))
        drawn = cls(counts, place, classes, weight / place.shape[1], size, exact=False)
        return drawn, with_unasked(survey, table)

    @classmethod
    def at_leaves(cls, responses: Responses, tree: Tree, target: str) -> tuple[Self, Floats] | None:
        """Return the signed copies of responses, merged at the leaves of a tree by prediction and class.

        Returns:
            The copies, and the predictions that `place` refers to, shape (places, classes). The result is None if there
            would be more than `MOST_ENTRIES` entries.

        Raises:
            QueryError: If the target is not a question, or there are no responses.
        """
        survey = responses.survey
        asked = tree_questions(survey, tree)
        first, counts = distinct_responses(responses, {*asked, target})
        predictions, place = np.unique(tree.probabilities, axis=0, return_inverse=True)
        shape = (len(first), predictions.size)
        if predictions.size * len(first) > MOST_ENTRIES:
            return None
        weights = leaf_weights(responses.take(first), tree, target, place.ravel(), counts)
        places, classes = predictions.shape
        copies = cls(
            counts=counts,
            place=np.broadcast_to(np.repeat(np.arange(places), classes), shape),
            cls=np.broadcast_to(np.tile(np.arange(classes, dtype=np.int16), places), shape),
            weight=weights.reshape(shape),
            size=largest_sum_at_leaves(survey, tree, target),
            exact=True,
            times=most_stood_for(responses, tree, target),
        )
        return copies, predictions

    @classmethod
    def predicted(
        cls,
        responses: Responses,
        target: str,
        asked: Collection[str],
        rng: np.random.Generator,
        predict: Callable[[Values], Floats],
    ) -> tuple[Self, Floats]:
        """Return the signed copies of responses, and the predictions that `place` refers to, shape (places, classes).

        Copies are drawn block by block, and the classifier predicts each block's rows. The arguments are described
        under `of`.

        Raises:
            QueryError: If copies cannot be made (see `of`).
        """
        asked = with_conditions(responses.survey, asked)
        responses = responses.among_asked({*asked, target})
        people = len(responses)
        if people * FEWEST_DRAWS <= MOST_DRAWN or not too_many_copies(responses, target, asked):
            copies, rows = cls.of(responses, target, asked, rng)
            return copies, predict(rows)
        shape = people, min(DRAWS, FEWEST_DRAWS)
        place, kinds, weight = np.empty(shape, np.int32), np.empty(shape, np.int16), np.empty(shape)
        classes = len(responses.survey.question(target).values)
        predictions: NDArray[Any] = np.empty((place.size, classes), np.float32)  # drawing costs far more digits
        end = 0
        size = max(1, PART // FEWEST_DRAWS)
        for some in (slice(start, start + size) for start in range(0, people, size)):
            block = responses.take(np.arange(people)[some])
            part, rows = cls._drawn(block, target, asked, rng, shape[1])
            place[some], kinds[some], weight[some] = part.place + end, part.cls, part.weight
            predictions[end : end + len(rows)] = predict(rows)
            end += len(rows)
        return cls(np.ones(people), place, kinds, weight, part.size, exact=False), predictions[:end]

    @property
    def responses(self) -> int:
        """Return the number of responses that the copies belong to."""
        return round(float(self.counts.sum()))

    def parts(self) -> "Iterator[Self]":
        """Yield the signed copies of some responses at a time, in order."""
        size = max(1, PART // self.place.shape[1])
        for start in range(0, max(1, len(self.counts)), size):
            some = slice(start, start + size)
            weight = self.weight if len(self.weight) == 1 else self.weight[some]
            yield replace(self, counts=self.counts[some], place=self.place[some], cls=self.cls[some], weight=weight)

    def terms(self, amounts: NDArray[np.generic]) -> Floats:
        """Sum amounts of shape (rows, copies) over the copies of each row, with signed weights: shape (rows,)."""
        if len(self.weight) == 1:
            return np.asarray(amounts @ self.weight[0], np.float64)
        return np.asarray(np.einsum("rc,rc->r", amounts.astype(np.float64, copy=False), self.weight))

    def weighed(self, amounts: Floats) -> Floats:
        """Return the sum of amounts over the copies of each row, with signed weights: shape (rows,).

        The amounts to sum have shape (places, classes).
        """
        return self.terms(amounts[self.place, self.cls])

    def weighed_by(self, amounts: Amounts, predictions: Floats) -> Floats:
        """Return, for each row, the signed sum of an amount over its copies.

        The amount of a copy depends on the prediction for the copy.

        The result has shape (rows,).
        """
        return np.concatenate([part.terms(each) for part, each in self._amounts(amounts, predictions)])

    def confusion(self, labels: Indices, classes: int) -> Floats:
        """Return the signed number of responses of each row by class and predicted class.

        Args:
            labels: Index of the predicted class, shape (places,).
            classes: Number of classes.

        Returns:
            Signed numbers, shape (rows, classes, predicted classes).
        """
        found = []
        for part in self.parts():
            row = np.arange(len(part.counts))[:, None]
            key = (row * classes + part.cls) * classes + labels[part.place]
            weight = np.broadcast_to(part.weight, key.shape).ravel()
            found.append(np.bincount(key.ravel(), weight, minlength=len(row) * classes**2))
        return np.asarray(np.concatenate(found).reshape(-1, classes, classes), np.float64)

    def drawing_error(self, amounts: Amounts, predictions: Floats) -> float:
        """Return the part of the standard error of the mean of `weighed_by` that comes from drawing copies.

        If no copies are drawn, the result is 0.
        """
        if self.exact:
            return 0.0
        draws, total = self.place.shape[1], 0.0
        for part, each in self._amounts(amounts, predictions):
            total += float(((each * part.weight * draws).var(axis=1, ddof=1) / draws).sum())
        return sqrt(total) / self.responses

    def _amounts(self, amounts: Amounts, predictions: Floats) -> "Iterator[tuple[Self, Floats]]":
        """Yield a batch of distinct responses at a time, with an amount for each copy, shape (rows, copies)."""
        whole = amounts(predictions) if len(predictions) <= PART else None
        for part in self.parts():
            if whole is not None:
                yield part, whole[part.place, part.cls]
            else:
                every = amounts(predictions[part.place.ravel()].astype(np.float64, copy=False))
                yield part, every[np.arange(len(every)), part.cls.ravel()].reshape(part.place.shape)

    def masses(self, level: NDArray[np.int32], levels: int, label: int) -> Floats:
        """Return the signed numbers of responses of a class, and of all others, at each score level: shape (2, levels).

        Args:
            level: Score level of each row of candidate answers, shape (places,).
            levels: Number of score levels.
            label: Index of the class.
        """
        found = np.zeros((2, levels))
        for part in self.parts():
            where, other = level[part.place].ravel(), (part.cls != label).ravel()
            counted = (part.weight * part.counts[:, None]).ravel()
            for row, chosen in enumerate((~other, other)):
                found[row] += np.bincount(where, counted * chosen, minlength=levels)
        return found


def copies_of_each(factors: Sequence[Factor]) -> list[Listed] | None:
    """Return the listed answers of each factor (group of questions), or None if they combine to too many copies."""
    number = 1
    for factor in factors:
        if factor.listed is None:
            return None
        number *= factor.listed.place.shape[1]
        if number > MOST_COPIES or number * len(factor.kind) > MOST_ENTRIES:
            return None
    return [factor.listed for factor in factors if factor.listed is not None]


def listed_copies(factors: Sequence[Factor]) -> Entries | None:
    """Return all copies of each response, or None if there are too many.

    The signed copies are all combinations of the answers that the factors (groups of questions) list.
    """
    every = copies_of_each(factors)
    if every is None:
        return None
    sizes = [listed.place.shape[1] for listed in every]
    spread, stride = [], prod(sizes)
    for factor, listed, size in zip(factors, every, sizes, strict=True):
        stride //= size
        which = np.arange(prod(sizes)) // stride % size
        place, kind = listed.place[factor.kind][:, which], factor.kind
        cls = listed.cls[kind][:, which] if factor.target in factor.columns else listed.cls
        weight = listed.weight if len(listed.weight) == 1 else listed.weight[kind]
        spread.append(Listed(listed.table, place, cls, weight[:, which]))
    return beside(spread)


def beside(answers: Sequence[Listed]) -> Entries:
    """Combine the i-th answers of all factors (groups of questions), response by response.

    Equal rows of answers are merged if few different rows are possible, so that a counter for each fits into memory.
    Equal rows of answers are not merged if too many are possible, because sorting would take longer than predicting.
    """
    shape = np.broadcast_shapes(*(each.place.shape for each in answers))
    if prod(len(each.table) for each in answers) <= COUNTERS * prod(shape):
        key = np.zeros(shape, np.int64)
        for each in answers:
            key = key * len(each.table) + each.place
        first, place = distinct_rows(key.reshape(-1, 1))
    else:
        first = place = np.arange(prod(shape))
    table = np.full((len(first), answers[0].table.shape[1]), -1, np.int16)
    for each in answers:
        some = np.flatnonzero((each.table >= 0).any(axis=0))
        table[:, some] = each.table[np.broadcast_to(each.place, shape).ravel()[first][:, None], some]
    cls, weight = answers[0].cls, answers[0].weight
    for each in answers[1:]:
        cls, weight = cls + each.cls, weight * each.weight
    return table, place.reshape(shape), np.broadcast_to(cls, shape), weight


def exact_sums(responses: Responses, target: str, asked: Collection[str]) -> CopySums | None:
    """Return exact sums over all signed copies, for respondents who were asked all questions, or None if too costly.

    Raises:
        QueryError: If a name is not a question, there are no responses, or no respondent was asked all questions.
    """
    asked = with_conditions(responses.survey, asked)
    responses = responses.among_asked({*asked, target})
    first, counts = distinct_responses(responses, {*asked, target})
    return CopySums.of(responses.take(first), counts, asked, target)


def signed_sums(
    responses: Responses, target: str, asked: Collection[str], rng: np.random.Generator, most_drawn: int = MOST_DRAWN
) -> tuple[Copies | CopySums, Values]:
    """Return all signed copies if they can be listed, otherwise exact sums over them, otherwise drawn copies.

    The result also has the rows of answers to predict.

    The arguments, rows and errors are described under `Copies.of`.
    """
    sums = exact_sums(responses, target, asked) if too_many_copies(responses, target, asked) else None
    return Copies.of(responses, target, asked, rng, most_drawn) if sums is None else (sums, sums.rows)


def too_many_copies(responses: Responses, target: str, asked: Collection[str]) -> bool:
    """Return whether there are too many signed copies to list, for respondents who were asked all questions.

    Raises:
        QueryError: If a name is not a question, or nobody was asked all questions.
    """
    asked = with_conditions(responses.survey, asked)
    responses = responses.among_asked({*asked, target})
    some = responses.take(distinct_responses(responses, {*asked, target})[0])
    return copies_of_each(factors_of(responses.survey, asked, target, some.codes)) is None


def distinct_responses(responses: Responses, names: Collection[str]) -> tuple[Indices, Floats]:
    """Return the first response of each set of responses that agree in some questions, and the size of the set.

    Raises:
        QueryError: If a name is not a question, or there are no responses.
    """
    survey = responses.survey
    named = {survey.column(name) for name in names}
    columns = sorted(named | set(sampled_within(survey, named)))
    if not len(responses):
        raise QueryError("responses", "there are no responses to test on", "collect responses first")
    return alike(responses.codes[:, columns])


def tree_questions(survey: Survey, tree: Tree) -> list[str]:
    """Return the names of the questions that a tree splits on."""
    return [survey.questions[question].name for question in sorted(set(tree.question.tolist()) - {LEAF})]


def asked_questions(survey: Survey, names: Collection[str] | None, target: str) -> list[str]:
    """Return the names of the questions that a classifier uses, in the survey's order.

    If no names are given, all questions that can predict the class question are returned.

    Raises:
        QueryError: If a name is not a question, or is the class question.
    """
    wanted = None if names is None else {survey.question(name).name for name in names}
    if wanted is not None and target in wanted:
        raise QueryError(
            f'question "{target}"', "the question is the target", "predict the target from other questions"
        )
    if wanted is None:
        return [survey.questions[place].name for place in predictors(survey, target)]
    return [question.name for question in survey.questions if question.name in wanted]
