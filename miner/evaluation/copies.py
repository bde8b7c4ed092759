"""Make signed copies of disguised responses, merged so that a classifier predicts few rows more than once.

The weighted mean of any function over the signed copies is an unbiased estimate of its mean over the true answers
(docs/guarantee.md, section 2). A group of questions has copies only if it contains the class question or a question of
the classifier. A group with the complement channel has two copies. A group with the uniform channel has one copy for
each combination of values of the used questions. A replacement that equals the code sent does not make a second copy.

All signed copies are listed if a response has at most `MOST_COPIES`, and all responses together have at most
`MOST_ENTRIES`. If there are too many signed copies to list, at least `FEWEST_DRAWS` candidate answers are drawn for
each response. The probability of drawing a candidate is proportional to its absolute weight. Classes are never drawn: a
drawn candidate has a weight for each class. The candidates of one response are drawn independently of those of other
responses, so each standard error and interval includes the variance from drawing. `Copies.drawing_error` is the part of
a standard error that comes from drawing candidates. For a mean, no copies are drawn if all combinations of answers fit
into a table (`miner.evaluation.copy_sums`).
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.arrays import Floats, Indices
from miner.behind.coins import sampled_within
from miner.counting.factors import factors_of, largest_sum
from miner.evaluation.candidates import MOST_ENTRIES, DrawingPlan, beside, copies_of_each, listed_copies
from miner.evaluation.copy_sums import CopySums
from miner.responses.distinct import alike
from miner.responses.possible import predictors, with_unasked
from miner.responses.responses import Responses, Values
from miner.trees.paths import largest_sum_at_leaves, leaf_weights, most_stood_for
from miner.trees.tree import LEAF, Tree
from miner.weights.events import with_conditions

DRAWS = 256  # number of copies drawn for each response if there are too many to list
MOST_DRAWN = 2**21  # largest number of drawn copies of all responses, and of a block
Amounts = Callable[[Floats], Floats]
"""From predictions, shape (places, classes), an amount for each place and true class, of the same shape."""
FEWEST_DRAWS = 8  # smallest number of candidates of a response if not all are listed; fewer would cost precision
PART = 2**18  # number of candidates handled, and of rows predicted, at once; a prediction takes hundreds of bytes


@dataclass(frozen=True, eq=False)
class Copies:
    """Candidate answers behind each response, each with a signed weight for each class.

    A copy is a candidate (a row of answers to the classifier's questions) together with a class.

    Attributes:
        counts: Number of equal responses that share each row of the arrays, shape (rows,).
        place: Index of the candidate answers that the classifier predicts for, shape (rows, candidates).
        weight: Signed weight of each candidate with each class, shape (rows, candidates, classes), or (1, candidates,
            classes) if all rows have equal weights. The weights of a response's copies sum to 1, or to 1 on average if
            candidates are drawn.
        size: Largest sum of absolute weights that a response could have.
        draws: Number of independent draws for each response, whose candidates are next to each other, or None if all
            copies are listed.
        times: Largest number of respondents that one response represents, in a split questionnaire.
    """

    counts: Floats
    place: NDArray[np.signedinteger[Any]]
    weight: NDArray[np.floating[Any]]
    size: float
    draws: int | None
    times: float = 1.0

    @property
    def exact(self) -> bool:
        """Return whether all copies are listed, so that none are drawn at random."""
        return self.draws is None

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
            most_drawn: Largest number of candidates to draw over all responses, if candidates are drawn. Each response
                has at least one drawn candidate.

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
            plan = DrawingPlan.of(factors, max(1, min(DRAWS, most_drawn // len(responses))))
            return cls._drawn(responses, target, asked, rng, plan)
        table, place, weight = copies
        return cls(counts, place, weight, size, None), with_unasked(survey, table)

    @classmethod
    def _drawn(
        cls, responses: Responses, target: str, asked: Collection[str], rng: np.random.Generator, plan: DrawingPlan
    ) -> tuple[Self, Values]:
        """Draw candidates for each response by a drawing plan.

        The arguments and the result are those of the method `of`.
        """
        survey = responses.survey
        table, place, weight = beside(plan.answers(factors_of(survey, asked, target, responses.codes), rng))
        size, counts = largest_sum(survey, asked, target), np.ones(len(responses))
        return cls(counts, place, weight / plan.draws, size, plan.draws), with_unasked(survey, table)

    @classmethod
    def at_leaves(cls, responses: Responses, tree: Tree, target: str) -> tuple[Self, Floats] | None:
        """Return the signed copies of responses, merged at the leaves of a tree by prediction and class.

        Returns:
            The copies, and the predictions that `place` refers to, shape (places, classes). If there would be more than
            `MOST_ENTRIES` candidate answers, None is returned.

        Raises:
            QueryError: If the target is not a question, or there are no responses.
        """
        survey = responses.survey
        asked = tree_questions(survey, tree)
        first, counts = distinct_responses(responses, {*asked, target})
        predictions, place = np.unique(tree.probabilities, axis=0, return_inverse=True)
        if predictions.size * len(first) > MOST_ENTRIES:
            return None
        weights = leaf_weights(responses.take(first), tree, target, place.ravel(), counts)
        copies = cls(
            counts=counts,
            place=np.broadcast_to(np.arange(len(predictions)), (len(first), len(predictions))),
            weight=weights.reshape(len(first), *predictions.shape),
            size=largest_sum_at_leaves(survey, tree, target),
            draws=None,
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
        """Return the signed copies of responses, and the predictions for the rows that `place` refers to.

        The arguments are those of the method `of`.

        Raises:
            QueryError: If copies cannot be made (see `of`).
        """
        asked = with_conditions(responses.survey, asked)
        responses = responses.among_asked({*asked, target})
        people = len(responses)
        some = responses.take(distinct_responses(responses, {*asked, target})[0])
        factors = factors_of(responses.survey, asked, target, some.codes)
        if people * FEWEST_DRAWS <= MOST_DRAWN or copies_of_each(factors) is not None:
            copies, rows = cls.of(responses, target, asked, rng)
            return copies, predict(rows)
        plan = DrawingPlan.of(factors, min(DRAWS, FEWEST_DRAWS))
        classes, shape = len(responses.survey.question(target).values), (people, plan.candidates)
        place = np.empty(shape, np.int32)
        weight = np.empty((*shape, classes), np.float32)  # drawing costs far more digits, here and in predictions
        predictions: NDArray[Any] = np.empty((place.size, classes), np.float32)
        end, size = 0, max(1, PART // plan.candidates)
        for block in (slice(start, start + size) for start in range(0, people, size)):
            part, rows = cls._drawn(responses.take(np.arange(people)[block]), target, asked, rng, plan)
            place[block], weight[block] = part.place + end, part.weight
            predictions[end : end + len(rows)] = predict(rows)
            end += len(rows)
        return cls(np.ones(people), place, weight, part.size, part.draws), predictions[:end]

    @property
    def responses(self) -> int:
        """Return the number of responses."""
        return round(float(self.counts.sum()))

    def parts(self, rows: int | None = None) -> "Iterator[Self]":
        """Yield the signed copies of some rows at a time, in order.

        Args:
            rows: Number of rows, or None for as many as have `PART` copies.
        """
        size = max(1, PART // (self.place.shape[1] * self.weight.shape[2]) if rows is None else rows)
        for start in range(0, max(1, len(self.counts)), size):
            some = slice(start, start + size)
            weight = self.weight if len(self.weight) == 1 else self.weight[some].astype(np.float64, copy=False)
            yield replace(self, counts=self.counts[some], place=self.place[some], weight=weight)

    def terms(self, amounts: Floats) -> Floats:
        """Return the sum of `amounts`, times signed weights, over the copies of each response, shape (rows,)."""
        if len(self.weight) == 1:
            return np.asarray(amounts.reshape(len(amounts), self.weight[0].size) @ self.weight[0].ravel(), np.float64)
        return np.asarray(np.einsum("rkc,rkc->r", amounts, self.weight))

    def weighed(self, amounts: Floats) -> Floats:
        """Return, for each response, the sum of `amounts` over its copies, times signed weights, shape (rows,).

        The array `amounts` has a number, such as a loss, for each row of answers and class, shape (places, classes).
        """
        return self.weighed_by(lambda each: each, amounts)

    def weighed_by(self, amounts: Amounts, predictions: Floats) -> Floats:
        """Return each response's signed sum over its copies of numbers that depend on predictions, shape (rows,)."""
        centre = self._centre(amounts, predictions)
        terms = [part.terms(each - centre) for part, each in self._amounts(amounts, predictions)]
        return np.asarray(np.concatenate(terms) + centre)

    def confusion(self, labels: Indices, classes: int) -> Floats:
        """Return the signed number of responses of each row for each pair (class, predicted class).

        Args:
            labels: Index of the predicted class, shape (places,).
            classes: Number of classes.

        Returns:
            Signed numbers, shape (rows, classes, predicted classes).
        """
        found = []
        for part in self.parts():
            key = (np.arange(len(part.counts))[:, None] * classes + labels[part.place]).ravel()
            weight = np.broadcast_to(part.weight, (*part.place.shape, classes)).reshape(-1, classes)
            every = [np.bincount(key, each, minlength=len(part.counts) * classes) for each in weight.T]
            found.append(np.stack(every, axis=1).reshape(-1, classes, classes).transpose(0, 2, 1))
        cells = np.asarray(np.concatenate(found), np.float64)
        if not self.exact:  # as in `weighed_by`: each row's cells add up to 1
            shares = np.bincount(labels, minlength=classes) / len(labels) / classes
            cells += (1 - cells.sum(axis=(1, 2)))[:, None, None] * shares
        return cells

    def drawing_error(self, amounts: Amounts, predictions: Floats) -> float:
        """Return the part of a mean's standard error that comes from drawing candidates.

        If no candidates are drawn, the error from drawing is 0.
        """
        if self.draws is None:
            return 0.0
        total, centre = 0.0, self._centre(amounts, predictions)
        for part, each in self._amounts(amounts, predictions):
            draws = ((each - centre) * part.weight).sum(axis=2).reshape(len(each), self.draws, -1).sum(axis=2)
            total += float((draws.var(axis=1, ddof=1) * self.draws).sum())
        return sqrt(total) / self.responses

    def _centre(self, amounts: Amounts, predictions: Floats) -> float:
        """Return the mean of `amounts(predictions)` if candidates are drawn, and 0 if all candidates are listed.

        If candidates are drawn, the weights of a response's copies add up to 1 only on average over draws. Subtracting
        the mean from all numbers, and adding the mean to the sum, makes the sum less variable.
        """
        return 0.0 if self.exact else float(amounts(predictions[:PART].astype(np.float64, copy=False)).mean())

    def _amounts(self, amounts: Amounts, predictions: Floats) -> "Iterator[tuple[Self, Floats]]":
        """Yield responses in batches, with a number for each copy, shape (rows, candidates, classes)."""
        whole = amounts(predictions) if len(predictions) <= PART else None
        for part in self.parts():
            if whole is not None:
                yield part, whole[part.place]
            else:
                every = amounts(predictions[part.place.ravel()].astype(np.float64, copy=False))
                yield part, every.reshape(*part.place.shape, -1)

    def masses_of(self, label: int) -> tuple[Floats, Floats]:
        """Return each candidate's signed weight with a class and with all others, shape (rows, candidates)."""
        is_label = np.arange(self.weight.shape[2]) == label
        one, other = self.weight[:, :, label], self.weight @ (~is_label).astype(np.float64)
        return np.broadcast_to(one, self.place.shape), np.broadcast_to(other, self.place.shape)

    def masses(self, level: NDArray[np.int32], levels: int, label: int) -> Floats:
        """Return the signed numbers of responses of a class and of all others by score level, shape (2, levels).

        Args:
            level: Score level of each row of candidate answers, shape (places,).
            levels: Number of score levels.
            label: Index of the class.
        """
        found = np.zeros((2, levels))
        for part in self.parts():
            where = level[part.place].ravel()
            for row, mass in enumerate(part.masses_of(label)):
                found[row] += np.bincount(where, (mass * part.counts[:, None]).ravel(), minlength=levels)
        return found


def exact_sums(responses: Responses, target: str, asked: Collection[str]) -> CopySums | None:
    """Return exact sums over the copies of respondents who were asked all questions, or None if too costly.

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
    """Return all signed copies if they can be listed, otherwise exact sums over them, otherwise drawn copies."""
    sums = exact_sums(responses, target, asked) if too_many_copies(responses, target, asked) else None
    return Copies.of(responses, target, asked, rng, most_drawn) if sums is None else (sums, sums.rows)


def too_many_copies(responses: Responses, target: str, asked: Collection[str]) -> bool:
    """Return whether respondents who were asked all questions have too many signed copies to list.

    Raises:
        QueryError: If a name is not a question, or nobody was asked all questions.
    """
    asked = with_conditions(responses.survey, asked)
    responses = responses.among_asked({*asked, target})
    some = responses.take(distinct_responses(responses, {*asked, target})[0])
    return copies_of_each(factors_of(responses.survey, asked, target, some.codes)) is None


def distinct_responses(responses: Responses, names: Collection[str]) -> tuple[Indices, Floats]:
    """Return the first of all responses that agree in some questions, and the number that agree.

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
