"""Apply the replacement of any channel to arrays of codes, from its exact probabilities.

The modules `miner.channels.complement` and `miner.channels.uniform` have faster code for the complement and the uniform
channel.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from collector.channel.replacement import Replacement
from collector.channel.value_channel import whole_transition
from collector.coding.common_denominator import whole
from collector.survey.question import Question
from miner.arrays import Floats
from miner.responses.responses import NOT_ASKED, Codes


class Draws(Protocol):
    """Source of randomness, such as a `numpy.random.Generator` or `miner.simulation.simulation.SystemDraws`."""

    def integers(self, low: Any, /) -> Any:  # noqa: ANN401 - numpy's own signature is an overload of dozens
        """Return a random integer from 0 up to each bound of an array, excluding the bound."""


class ArrayReplacement:
    """Replacement rule of a channel, which is applied to arrays of codes.

    Attributes:
        depends_on_truth: Whether the replacement of a code depends on the code.
    """

    depends_on_truth: ClassVar[bool] = True

    def __init__(self, exact: Replacement) -> None:
        self._exact = exact

    def partners(self, question: Question) -> NDArray[np.int16] | None:
        """Return the only possible replacement of each code as an array indexed by code, or None."""
        table = np.append(np.arange(question.codes[-1] + 1), NOT_ASKED).astype(np.int16)
        for code in question.codes:
            sent = self._exact.sent(code, question.coding)
            if len(sent) > 1:
                return None
            (table[code],) = sent
        return table

    def chances(self, question: Question) -> Mapping[int, Fraction] | None:
        """Return P(code sent in place of the truth) for each code, or None if it depends on the truth."""
        first, *others = (self._exact.sent(code, question.coding) for code in question.codes)
        return first if all(first is each or first == each for each in others) else None

    def odds(self, question: Question) -> Floats | None:
        """Return whole-number odds of each value as a replacement, shape (values,), or None.

        If the odds of replacements depend on the true answer, or codes stand for several values, None is returned.
        """
        coding, chances = question.coding, self.chances(question)
        if coding.shared or chances is None:
            return None
        shares = [Fraction(0)] * len(question.values)
        for value, draws in enumerate(coding.owners):
            shares[value] = sum((chances.get(code, Fraction(0)) for code, _ in draws), Fraction(0))
        return np.array(whole(shares)[0], np.float64)

    def means(self, question: Question, counts: Floats) -> Floats:
        """Return the mean weight of the replacement of each code.

        Args:
            question: Question of the group.
            counts: Weight of each code, as an array indexed by code and `NOT_ASKED`.

        Returns:
            Mean weight of each code's replacement, in the shape of `counts`.
        """
        found = counts.copy()
        for code in question.codes:
            chances = self._exact.sent(code, question.coding)
            found[code] = sum(float(chance) * counts[other] for other, chance in chances.items())
        return found

    def replaced(self, question: Question, codes: Codes, draws: Draws) -> Codes:
        """Draw the codes that replace the true codes of one question, with exact probabilities, shape (rows,)."""
        sent = codes.copy()
        for code in question.codes:
            rows = np.flatnonzero(codes == code)
            chances = self._exact.sent(code, question.coding)
            parts, over = whole(chances.values())
            drawn = draws.integers(np.full(len(rows), over, dtype=np.int64))
            choices = np.array(list(chances), dtype=np.int16)
            sent[rows] = choices[np.searchsorted(np.cumsum(parts), drawn, side="right")]
        return sent

    def replaced_chances(self, question: Question) -> Floats:
        """Return P(code sent | value, replaced), as an array indexed by code and value.

        The array has a single column for all values if replacements do not depend on the value.
        """
        rows, over = self._exact.replaced_chances(question.coding, *whole_transition(question.coding, None))
        chances = np.zeros((question.codes[-1] + 1, len(question.values)))
        for code, row in rows.items():
            chances[code] = [float(Fraction(each, over)) for each in row]
        return chances
