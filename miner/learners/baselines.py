"""Define the simplest classifiers: the most frequent class, naive Bayes, and a regression that ignores the disguise.

The simplest classifiers are baselines, which other learners have to beat. All three baselines are additive: the score
of a class is an intercept plus one effect for each answer.

    P(class = y | x)  ~  exp( intercept_y + sum over questions of effect[x_j, y] )

An unknown answer has an effect of 0.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from collector.errors import ModelError
from collector.survey.fields import Fields
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.behind.kernels import softmax
from miner.learners.classifier import DisguisedClassifier, survey_target
from miner.learnt import AGAIN, numbers, numbers_of
from miner.responses.plain_rows import PlainRows
from miner.responses.possible import predictors
from miner.responses.responses import NOT_ASKED, Codes, Data, Responses, Values, codes_of_values, value_table
from miner.weights.weights import ProductWeights

LEANING = 2.0  # weight, in undisguised responses, of the shares among all people in the shares of a class
FEWEST = 1e-6  # smallest share of a class, or of a value within a class
STEPS = 200  # largest number of steps of the logistic regression


def as_sent(survey: Survey, codes: Codes) -> Values:
    """Return the most probable value behind each code, as if nothing were disguised.

    Args:
        survey: Published survey.
        codes: Codes sent, shape (responses, questions). `NOT_ASKED` is returned unchanged.
    """
    values = np.empty(codes.shape, np.int16)
    for column, question in enumerate(survey.questions):
        table = value_table(question)
        for code in question.codes if question.coding.shared else ():
            table[code] = max(
                question.coding.values_of(code),
                key=lambda value: question.prior[value] * question.coding.draw_probabilities(value)[code],
                default=NOT_ASKED,
            )
        values[:, column] = table[codes[:, column]]
    return values


class AdditiveScores(DisguisedClassifier):
    """Base class of learners with an intercept and one effect for each answer.

    Args:
        survey: Published survey.
        target: Name of the class question, or None for the survey's class question.
        random_state: Not used, because no random numbers are drawn.

    Attributes:
        intercept_: Intercept of each class, shape (classes,).
        effects_: Effects of each question of the survey, shape (values, classes). The effects of the class question are
            0.
    """

    intercept_: Floats
    effects_: list[Floats]

    def __init__(
        self,
        survey: Survey,
        target: str | None = None,
        *,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(survey, target)
        self.random_state = random_state

    def _fit(self, data: Data, plain: PlainRows | None, target: str) -> None:
        self._start(target)
        self._learn(data.in_memory(), target, plain)

    def _start(self, target: str) -> None:
        classes = len(self.survey.question(target).values)
        self.intercept_ = np.zeros(classes)
        self.effects_ = [np.zeros((len(question.values), classes)) for question in self.survey.questions]

    @abstractmethod
    def _learn(self, responses: Responses, target: str, plain: PlainRows | None) -> None:
        """Fit the scores to disguised responses, of which there may be none, and plain rows, if given."""

    @property
    def used_(self) -> list[str]:
        """Return the names of the questions with an effect."""
        pairs = zip(self.survey.questions, self.effects_, strict=True)
        return [question.name for question, effects in pairs if effects.any()]

    def probabilities(self, values: Values) -> Floats:
        """Return class probabilities for rows of value indices. An unknown value has no effect."""
        scores = np.tile(self.intercept_, (len(values), 1))
        for column, effects in enumerate(self.effects_):
            if effects.any():
                scores += np.vstack([effects, np.zeros(effects.shape[1])])[values[:, column]]
        return softmax(scores)

    @property
    def learnt(self) -> dict[str, Any]:
        """Return the intercept and the effects as plain JSON values."""
        return {"intercept": self.intercept_.tolist(), "effects": [effects.tolist() for effects in self.effects_]}

    def _restore(self, learnt: Any, target: str) -> None:  # noqa: ANN401 - whatever JSON held
        self._start(target)
        given = Fields(learnt, "learnt")
        tables = given.take_list("effects", list)
        if len(tables) != len(self.effects_):
            raise ModelError("learnt", "the scores of the model do not fit the survey", AGAIN)
        self.intercept_ = numbers(given, "intercept", self.intercept_.shape)
        self.effects_ = [
            numbers_of(table, "learnt, effects", empty.shape)
            for table, empty in zip(tables, self.effects_, strict=True)
        ]

    @property
    def text(self) -> str:
        """Return the effect of each answer on the log odds of each class, as text.

        The effects of each answer have mean 0 over classes.
        """
        values = self.survey.question(survey_target(self.survey, self.target)).values
        lines = [f"score of {', '.join(values)}", f"  everybody: {_signed(self.intercept_)}"]
        for question, effects in zip(self.survey.questions, self.effects_, strict=True):
            if effects.any():
                lines += [f"  {question.name}"]
                lines += [f"    {word}: {_signed(row)}" for word, row in zip(question.values, effects, strict=True)]
        return "\n".join(lines)


class MajorityClassifier(AdditiveScores):
    """Classifier that always predicts the most frequent class.

    The classifier predicts the shares of the classes as probabilities.
    """

    def _learn(self, responses: Responses, target: str, plain: PlainRows | None) -> None:
        sizes, _ = _counts(responses, None, target, plain)
        self.intercept_ = _logarithms(sizes)


class NaiveBayesClassifier(AdditiveScores):
    """Naive Bayes: shares of each question's values within a class, estimated by inverse weights and smoothed.

    Counts are divided by their noise: the sum of squared weights over the sum of weights. Counts within a class are
    smoothed towards the shares among all people, which have the weight of `LEANING` undisguised responses.
    """

    def _learn(self, responses: Responses, target: str, plain: PlainRows | None) -> None:
        self.intercept_ = _logarithms(_counts(responses, None, target, plain)[0])
        for column in predictors(self.survey, target):
            name = self.survey.questions[column].name
            self.effects_[column] = _effects(*_counts(responses, name, target, plain))


class UncorrectedClassifier(AdditiveScores):
    """Logistic regression that treats the responses as true answers, to show the result of ignoring the disguise.

    A question that was not asked has an effect of 0. Responses of people who were not asked the class question are left
    out.
    """

    def _learn(self, responses: Responses, target: str, plain: PlainRows | None) -> None:
        values, weights = as_sent(self.survey, responses.codes), np.ones(len(responses))
        if plain is not None:
            values, weights = np.vstack([values, plain.values]), np.append(weights, plain.weights)
        column = self.survey.questions.index(self.survey.question(target))
        known = (values[:, column] >= 0) & (weights > 0)
        values, weights, classes = values[known], weights[known], np.unique(values[known, column])
        self.intercept_ = _logarithms(_table_of(self.survey, values, weights, (target,)))
        features = predictors(self.survey, target)
        if len(classes) < 2 or not features:  # there is nothing to tell apart
            return
        table = np.hstack([_indicators(values[:, number], len(self.effects_[number])) for number in features])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # it is near enough, for a baseline
            from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - it imports what takes half a second

            model = LogisticRegression(max_iter=STEPS).fit(table, values[:, column], sample_weight=weights)
        slopes = model.coef_ if len(classes) > 2 else np.vstack([-model.coef_, model.coef_]) / 2
        level = model.intercept_ if len(classes) > 2 else np.append(-model.intercept_, model.intercept_) / 2
        self.intercept_[:] = np.log(FEWEST)
        self.intercept_[classes] = level
        ends = np.cumsum([len(self.effects_[number]) for number in features])[:-1]
        for number, part in zip(features, np.split(slopes.T, ends), strict=True):
            self.effects_[number][:, classes] = part


def _indicators(column: Values, kinds: int) -> Floats:
    return np.vstack([np.eye(kinds), np.zeros(kinds)])[column]


def _counts(responses: Responses, name: str | None, target: str, plain: PlainRows | None) -> tuple[Floats, Floats]:
    """Estimate the numbers of people with each value of a question and each class, and the sums of squared weights.

    If `name` is None, only the numbers of people in each class are estimated.
    """
    survey, names = responses.survey, (target,) if name is None else (name, target)
    shape = tuple(len(survey.question(each).values) for each in names)
    sums, squares = np.zeros(shape), np.zeros(shape)
    asked = responses.asked_all(names)
    if asked.any():
        weights = ProductWeights(responses.among_asked(names))
        for place in np.ndindex(shape):
            event = {each: codes_of_values(survey.question(each), {v}) for each, v in zip(names, place, strict=True)}
            found = weights.of(event)
            sums[place], squares[place] = found.sum(), found @ found
    if plain is not None:
        table = _table_of(survey, plain.values, plain.weights, names)
        sums, squares = sums + table, squares + table
    return sums, squares


def _table_of(survey: Survey, values: Values, weights: Floats, names: tuple[str, ...]) -> Floats:
    table = np.zeros([len(survey.question(name).values) for name in names])
    columns = values[:, [survey.questions.index(survey.question(name)) for name in names]]
    known = (columns >= 0).all(axis=1)
    np.add.at(table, tuple(columns[known].T), weights[known])
    return table


def _effects(sums: Floats, squares: Floats) -> Floats:
    """Return ln P(value | class) - ln P(value), both smoothed, from counts of shape (values, classes)."""
    noise = max(1.0, float(squares.sum() / max(sums.sum(), 1.0)))
    effective = np.maximum(sums, 0.0) / noise
    overall = effective.sum(axis=1) + LEANING / len(sums)
    overall /= overall.sum()
    leaning = effective + LEANING * overall[:, None]
    return np.asarray(np.log(leaning / leaning.sum(axis=0)) - np.log(overall)[:, None])


def _logarithms(sizes: Floats) -> Floats:
    shares = np.maximum(sizes, 0.0) + max(sizes.sum(), 1.0) * FEWEST
    return np.asarray(np.log(shares / shares.sum()))


def _signed(row: Floats) -> str:
    return " ".join(f"{each:+z.2f}" for each in row - row.mean())
