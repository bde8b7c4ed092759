"""The uniform channel: randomized response in which a replacement code does not depend on the answer.

By default the replacement is uniform over the question's codes (k-ary randomized response). If a coding publishes
another distribution of replacements, the channel is forced response (Boruch 1971) or the unrelated question design with
known frequencies (Greenberg and others 1969).
"""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import ClassVar

from collector.channel.replacement import Replacement, Rows
from collector.coding.coding import Coding
from collector.coding.common_denominator import whole
from collector.errors import SurveyError


class Uniform(Replacement):
    """The replacement that draws the code of each question at random, independently of the truth."""

    name: ClassVar[str] = "uniform"
    keeps_epsilon: ClassVar[bool] = True
    paired: ClassVar[bool] = False
    candidates: ClassVar[int | None] = None
    uninformative_at: ClassVar[Fraction] = Fraction(0)

    def check(self, truth: Fraction) -> None:
        """Refuse the truth probability 0, at which the codes sent do not depend on the answers."""
        if truth == 0:
            raise SurveyError(
                "truth",
                "with a truth probability of 0 the responses say nothing about the answers",
                "give a fraction above 0, such as 1/2",
            )

    def sent(self, code: int, coding: Coding) -> Mapping[int, Fraction]:
        """Return the published distribution of replacements, which does not depend on the true code."""
        del code
        return coding.replacement_probabilities

    def into(self, wanted: Collection[int], code: int, coding: Coding) -> Fraction:
        """Return the probability u(E) that a replacement code is in a set E of codes."""
        del code
        return coding.replacement_share(wanted)

    def event_chances(
        self, event: Collection[int], coding: Coding, chances: Mapping[int, Fraction]
    ) -> tuple[Fraction, Fraction]:
        """Return u(E) and u(E) P(E), if u(E) and P(E) are the probabilities of E for replacement and true code."""
        share = coding.replacement_share(event)
        return share, share * sum((chances[code] for code in event), start=Fraction(0))

    def weights(self, truth: Fraction) -> tuple[Fraction, Fraction]:
        """Return the weights 1 / theta and (theta - 1) / theta."""
        return 1 / truth, (truth - 1) / truth

    def ratio(self, truth: Fraction, codings: Sequence[Coding]) -> Fraction | None:
        """Return 1 + K theta / (1 - theta), where K is the product of the codings' `sharpness`."""
        sharpness = [coding.sharpness for coding in codings]
        if truth == 1 or None in sharpness:
            return None
        return 1 + truth / (1 - truth) * prod((each for each in sharpness if each), start=Fraction(1))

    def variance(self, truth: Fraction, event: Fraction, replacement: Fraction, both: Fraction) -> Fraction:
        """Return (q - 2 (1 - theta) u q + (1 - theta)^2 u^2) / theta^2 - P(E).

        For an event E, u is P(replacement in E), and q is theta P(E) + (1 - theta) u.
        """
        del both
        rest = 1 - truth
        sent = truth * event + rest * replacement
        return (sent - 2 * rest * replacement * sent + (rest * replacement) ** 2) / truth**2 - event

    def replaced_chances(self, coding: Coding, own: Rows, over: int) -> tuple[Rows, int]:
        """Return the published distribution of replacements, which does not depend on the value."""
        del own, over
        chances, common = whole(coding.replacement_probabilities.values())
        values = len(coding.draws)
        return {code: [chance] * values for code, chance in zip(coding.codes, chances, strict=True)}, common
