"""Fit a logistic regression of the class by the likelihood of the codes sent, for any channel.

P(class | answers) is proportional to the exponential of an intercept plus the effects of the answers. The effects are
fitted by the likelihood of the responses (`miner.effects.fit`), so that they are effects of true answers.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from collector.disclosure.precision import NORMAL_975
from collector.errors import ModelError
from collector.survey.fields import Fields
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.behind.cached_fit import cached_fit
from miner.behind.rows import Rows, rows_behind
from miner.channels.registry import independent_replacements
from miner.effects.coefficients import CoefficientTable, coefficients, reference, shapes
from miner.effects.copies import additive_effects, main_terms
from miner.effects.fit import Effects, fit_effects
from miner.effects.terms import Terms
from miner.learners.classifier import DisguisedClassifier, survey_target
from miner.learnt import AGAIN, numbers, numbers_of
from miner.responses.plain_rows import PlainRows
from miner.responses.possible import among_possible, predictors
from miner.responses.responses import Data, Responses, Values
from miner.threads import one_thread

MANY_COINS = 8  # number of coins from which coefficients have been measured to be unreliable
CAUTION = (
    "With {coins} coins trust probabilities more than coefficients: of 1,000 to 4,000 simulated people behind 8 to 14 "
    "complement coins, coefficients lay 40 to 70 % too near 0 at truth 3/5, where 82 to 96 % of the 95 % intervals "
    "held them, and up to 30 % too far from 0 at truth 4/5, where 97 to 99 % did."
)
_MAIN: WeakKeyDictionary[Rows, Effects] = WeakKeyDictionary()
Margins = dict[str, dict[str, dict[str, tuple[float, float, float]]]]


def _main_effects(rows: Rows, main: Terms) -> Effects:
    """Return the main effects, from a fit that the logit and the additive model share."""
    if rows not in _MAIN:
        _MAIN[rows] = fit_effects(rows, main)
    return _MAIN[rows]


class LikelihoodClassifier(DisguisedClassifier):
    """Base class of learners that are fitted by the likelihood of the class behind the responses."""

    random_state: int | np.random.Generator | None

    def _sound(self, values: Values, shares: Floats) -> Floats:
        """Return class probabilities, with 0 for classes that contradict the answers (`ask_if`)."""
        target = self.survey.questions.index(self.survey.question(survey_target(self.survey, self.target)))
        return among_possible(self.survey, target, values, shares)

    def _fit(self, data: Data, plain: PlainRows | None, target: str) -> None:
        if plain is not None and not len(data):
            rows = Rows.known(plain.values, plain.weights, self.survey.column(target), len(self.classes_))
            self._learn(rows, target, np.random.default_rng(self.random_state))
            return

        def behind(responses: Responses, rng: np.random.Generator, *_: str) -> Rows:
            return rows_behind(responses, target, rng, plain)

        # learners that are compared ask for the same answers, which take as long to find as most fits
        rng, given = np.random.default_rng(self.random_state), "" if plain is None else plain.digest
        self._learn(cached_fit(behind, data.in_memory(), rng, target, given), target, rng)

    @abstractmethod
    def _learn(self, rows: Rows, target: str, rng: np.random.Generator) -> None:
        """Fit the model to the answers that may be behind the responses."""


class LogitClassifier(LikelihoodClassifier):
    """Logistic regression with one effect for each value of each question.

    Neighbouring values of a scale have similar effects.

    Args:
        survey: Published survey that collected the responses.
        target: Name of the class question, or None for the survey's class question.
        random_state: Seed, `numpy.random.Generator`, or None for a new generator. Random numbers are used if questions
            other than the class are disguised.

    Attributes:
        effects_: Fitted effects with a shrinkage prior on each question (`miner.effects.fit.Effects`).
    """

    SAYS: ClassVar[str] = "coefficient"
    effects_: Effects

    def __init__(
        self,
        survey: Survey,
        target: str | None = None,
        *,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(survey, target)
        self.random_state = random_state

    def _learn(self, rows: Rows, target: str, rng: np.random.Generator) -> None:
        del rng
        self.effects_ = self._effects(rows, main_terms(self.survey, target, rows))
        self._found: CoefficientTable | Rows = rows

    @property
    def table_(self) -> CoefficientTable:
        """Return the coefficients at the maximum of the likelihood, with their uncertainty."""
        if isinstance(self._found, Rows):
            target = self.survey.question(survey_target(self.survey, self.target))
            with one_thread():
                self._found = self._table(self._found, reference(target))
        return self._found

    def __getstate__(self) -> dict[str, Any]:
        if hasattr(self, "_found"):
            self.table_  # noqa: B018 - so that responses are let go
        state: dict[str, Any] = super().__getstate__()
        return state

    @property
    def caution(self) -> str:
        """Return a sentence on the measured reliability of coefficients in surveys with many coins.

        If the survey has few coins, the sentence is empty.
        """
        coins = len(self.survey.groups)
        rough = coins >= MANY_COINS and not independent_replacements(self.survey)
        return CAUTION.format(coins=coins) if rough else ""

    @property
    def margins_(self) -> Margins:
        """Return the margins of each question, value and class: the mean P(class) over people if all gave the answer.

        A margin is an estimate with the ends of its 95 % interval, which includes the uncertainty of the effects. If
        there are too many coefficients, no margins are returned.
        """
        found = self.table_.margins
        if found is None:
            return {}
        classes, terms = self.classes_.tolist(), self.effects_.terms
        rows = iter(found.tolist())
        return {
            question.name: {value: dict(zip(classes, map(tuple, next(rows)), strict=True)) for value in question.values}
            for question in (self.survey.questions[term[0]] for term in terms.terms if len(term) == 1)
        }

    def _effects(self, rows: Rows, main: Terms) -> Effects:
        return _main_effects(rows, main)

    def _table(self, rows: Rows, against: int) -> CoefficientTable:
        return coefficients(rows, self.effects_, against)

    def probabilities(self, values: Values) -> Floats:
        """Return class probabilities for rows of value indices. An unknown answer has no effect."""
        return self._sound(values, self.effects_.probabilities(values))

    @property
    def learnt(self) -> dict[str, Any]:
        """Return the intercept, the effects of each term, and the coefficient table as plain JSON values."""
        terms, errors, margins = self.effects_.terms, self.table_.errors, self.table_.margins
        parts = []
        for number, term in enumerate(terms.terms):
            some = slice(*terms.starts[number : number + 2])
            parts.append(
                {
                    "questions": [self.survey.questions[column].name for column in term],
                    "effects": self.effects_.values[some].tolist(),
                    "estimates": self.table_.estimates[some].tolist(),
                    "standard_errors": None if errors is None else errors[some].tolist(),
                    "margins": None if margins is None or len(term) > 1 else margins[some].tolist(),
                }
            )
        return {"intercept": self.effects_.intercept.tolist(), "terms": parts}

    def _restore(self, learnt: Any, target: str) -> None:  # noqa: ANN401 - whatever JSON held
        classes = len(self.survey.question(target).values)
        given = Fields(learnt, "learnt")
        parts = [Fields(each, "learnt, term") for each in given.take("terms", list)]
        pairs = [tuple(map(self.survey.column, part.take_list("questions", str))) for part in parts]
        main = [(place,) for place in predictors(self.survey, target)]
        if pairs[: len(main)] != main or any(
            len(term) != 2 or (term[0],) not in main or (term[1],) not in main for term in pairs[len(main) :]
        ):
            raise ModelError(
                "learnt", "a term of the model does not name one or two questions other than the class", AGAIN
            )
        terms = Terms(self.survey, tuple(pairs), ())
        tables: dict[str, list[Floats]] = {"effects": [], "estimates": [], "standard_errors": [], "margins": []}
        for part, width, term in zip(parts, terms.widths, pairs, strict=True):
            lengths: dict[str, tuple[int, ...]] = dict.fromkeys(tables, (width, classes))
            lengths["margins"] = (width, classes, 3)
            for key, shape in lengths.items():
                some = part.take_optional(key, list)
                if key in {"effects", "estimates"} or (some is not None and (key != "margins" or len(term) == 1)):
                    tables[key].append(numbers_of(some or [], part.within(key), shape))
        if len(tables["standard_errors"]) not in {0, len(pairs)} or len(tables["margins"]) not in {0, len(main)}:
            raise ModelError("learnt", "some terms of the model lack figures that others have", AGAIN)
        effects, estimates = (
            np.concatenate([np.zeros((0, classes)), *tables[key]]) for key in ("effects", "estimates")
        )
        errors, margins = (
            np.concatenate(tables[key]) if tables[key] else None for key in ("standard_errors", "margins")
        )
        self.effects_ = Effects(terms, numbers(given, "intercept", (classes,)), effects, np.ones(len(pairs)))
        self._found = CoefficientTable(estimates, errors, margins)

    @property
    def text(self) -> str:
        """Return the coefficient table as text, with intervals and odds ratios.

        The log odds are relative to the reference class.
        """
        target = self.survey.question(survey_target(self.survey, self.target))
        against = reference(target)
        rows: list[tuple[str, ...]] = [("", self.SAYS, "standard error", "95 %", "odds ratio")]
        for cls, lines in self.lines.items():
            rows.append((f"log odds of {target.name} = {cls} against {target.values[against]}", "", "", "", ""))
            rows += [(f"  {name}", *figures) for name, *figures in lines]
        widths = [max(len(row[place]) for row in rows if row[1]) for place in range(len(rows[0]))]
        text = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        text += [self.caution] if self.caution else []
        for name, values in self.margins_.items():
            text.append(f"if all answered {name} as follows, mean probability (95 %)")
            for value, shares in values.items():
                probabilities = (
                    f"{cls} {mean:z.3f} ({low:z.3f} to {high:z.3f})" for cls, (mean, low, high) in shares.items()
                )
                text.append(f"  {value}: {', '.join(list(probabilities)[: 1 if len(shares) == 2 else None])}")
        return "\n".join(text)

    @property
    def lines(self) -> dict[str, list[tuple[str, ...]]]:
        """Return the lines of the coefficient table for each class but the reference class."""
        target = self.survey.question(survey_target(self.survey, self.target))
        return {word: self._lines(cls) for cls, word in enumerate(target.values) if cls != reference(target)}

    def _lines(self, cls: int) -> list[tuple[str, ...]]:
        """Return the lines of the coefficient table for one class."""
        terms, table = self.effects_.terms, self.table_
        lines: list[tuple[str, ...]] = []
        for place, name in enumerate(terms.names):
            estimate = float(table.estimates[place, cls])
            error = None if table.errors is None else float(table.errors[place, cls])
            if error == 0:
                continue
            figures = (
                ("", "")
                if error is None
                else (f"{error:z.3f}", f"{estimate - NORMAL_975 * error:z.3f} to {estimate + NORMAL_975 * error:z.3f}")
            )
            lines.append((name, f"{estimate:+z.3f}", *figures, f"{np.exp(estimate):.3g}"))
        return lines


class AdditiveClassifier(LogitClassifier):
    """Model of main effects and chosen pairs of questions, with smooth effects along scales.

    Args:
        survey: Published survey that collected the responses.
        target: Name of the class question, or None for the survey's class question.
        pairs: Largest number of pairs of questions that have effects (`miner.effects.pairs`).
        random_state: Seed, `numpy.random.Generator`, or None for a new generator.

    Attributes:
        effects_: Fitted effects with a shrinkage prior (`miner.effects.fit.Effects`).
        table_: Effects with a weaker shrinkage prior and standard errors, not used for predictions.
    """

    LEAST: ClassVar[Mapping[str, int]] = {"pairs": 0}
    SAYS: ClassVar[str] = "effect"
    caution = ""  # such effects, held to 0 more firmly, have not been measured behind many coins

    def __init__(
        self,
        survey: Survey,
        target: str | None = None,
        *,
        pairs: int = 10,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(survey, target, random_state=random_state)
        self.pairs = pairs

    def _effects(self, rows: Rows, main: Terms) -> Effects:
        effects = _main_effects(rows, main)
        return additive_effects(rows, effects, self.pairs)

    def _table(self, rows: Rows, against: int) -> CoefficientTable:
        return shapes(rows, self.effects_, against)
