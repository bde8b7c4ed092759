"""Split questionnaires: each respondent is asked a random subset of the questions, drawn by the browser.

The draw of questions is public and independent of all answers. A missing code in a response shows only that a question
was not asked. Probabilities of draws are exact fractions from the hypergeometric distribution.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any, TypeVar

from collector.errors import SurveyError

Number = TypeVar("Number", int, float, Fraction)
PLACE_ASK, PLACE_ALWAYS = "sampling, ask", "sampling, always"


@dataclass(frozen=True)
class Sampling:
    """The settings of a split questionnaire.

    Attributes:
        ask: Number of questions per respondent, including the questions in `always`.
        always: Questions that everybody is asked, in survey order. Of the other questions, ``ask - len(always)`` are
            drawn at random, without replacement.
    """

    ask: int
    always: tuple[str, ...] = ()

    def check(self, names: Sequence[str]) -> None:
        """Check that the sampling is possible with the questions of a survey, given in survey order.

        Raises:
            SurveyError: If the sampling is not possible.
        """
        for name in self.always:
            if name not in names:
                raise SurveyError(
                    PLACE_ALWAYS, "the list contains a name that is not a question", f"use some of: {', '.join(names)}"
                )
        if len(set(self.always)) < len(self.always):
            raise SurveyError(PLACE_ALWAYS, "a question is named twice", "name each question once")
        if list(self.always) != [name for name in names if name in self.always]:
            raise SurveyError(
                PLACE_ALWAYS, "the questions are not in the order of the survey", "publish the survey file again"
            )
        if not len(self.always) < self.ask <= len(names):
            problem = f"it is not more than the {len(self.always)} always asked and at most all {len(names)}"
            some = f"ask {len(self.always) + 1} to {len(names)}"
            remedy = some if len(self.always) < len(names) else "drop [sampling]: all are asked"
            raise SurveyError(PLACE_ASK, problem, remedy)

    def probability(self, names: Collection[str], questions: int) -> Fraction:
        """Return the probability that a respondent is asked all of the named questions.

        Args:
            names: Names of questions of the survey.
            questions: Number of questions of the survey.
        """
        wanted, drawn, pool = len(set(names) - set(self.always)), self.ask - len(self.always), self._pool(questions)
        if wanted > drawn:
            return Fraction(0)
        return Fraction(comb(pool - wanted, drawn - wanted), comb(pool, drawn))

    def count(self, questions: int) -> int:
        """Return the number of possible draws of questions, which are equally likely."""
        return comb(self._pool(questions), self.ask - len(self.always))

    def draws(self, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """Yield the names of the questions asked, in the order of `names`, for every possible draw of questions.

        Args:
            names: Names of all questions of the survey.
        """
        pool = [name for name in names if name not in self.always]
        for drawn in combinations(pool, self.ask - len(self.always)):
            asked = {*drawn, *self.always}
            yield tuple(name for name in names if name in asked)

    def _pool(self, questions: int) -> int:
        return questions - len(self.always)

    @property
    def design(self) -> dict[str, Any]:
        """The sampling as plain JSON values."""
        return {"ask": self.ask, "always": list(self.always)}


def draws_sum(sizes: Sequence[Number], drawn: int) -> Number:
    """Return the elementary symmetric polynomial of degree `drawn` of some numbers.

    The polynomial is the sum of the products of all sets of `drawn` numbers.
    """
    ways: list[Any] = [1] + [0] * drawn
    for size in sizes:
        ways = [each + (ways[place - 1] * size if place else 0) for place, each in enumerate(ways)]
    found: Number = ways[drawn]
    return found


def draws_sums(sizes: Sequence[float]) -> list[float]:
    """Return the elementary symmetric polynomials of some numbers, of degree 0, 1, 2, ..."""
    ways = [1.0]
    for size in sizes:
        ways = [one + other * size for one, other in zip([*ways, 0.0], [0.0, *ways], strict=True)]
    return ways
