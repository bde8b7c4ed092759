"""One coin and one code for the two questions that every respondent is asked (`collector.pair_coding`).

The code of the answers' combination is sent with theta = o / (o + n/s), else any code. Every response has exactly the
ratio 1 + o: a code that may be the truth's is made by it with n/s times the chance that it has as a replacement.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any

from collector.channel import Codes, UniformChannel
from collector.coding import Coding
from collector.errors import SurveyError
from collector.odds_channel import OddsChannel
from collector.pair_coding import PairCoding
from collector.question import Question
from collector.sampling import Sampling

PAIR_ASKED = 2  # questions, the only number that has one code


@dataclass(frozen=True)
class PairedChannel(UniformChannel):
    """The uniform channel of two questions with one code, where it is known which two.

    What an event counts and how likely a replacement is in it are as for plain codes; its states are not.

    Attributes:
        coding: Of the combinations of their answers.
    """

    coding: PairCoding

    def replacements(self, codes: Codes, codings: Sequence[Coding]) -> Iterator[tuple[Codes, Fraction]]:
        """There are none of single questions.

        Raises:
            ValueError: Always.
        """
        del codes, codings
        raise ValueError("the answers have one code: it has no states of single questions")

    def ratio(self, codings: Sequence[Coding]) -> Fraction | None:
        """1 + theta n / ((1 - theta) s)."""
        del codings
        return None if self.truth == 1 else 1 + self.truth / (1 - self.truth) * self.coding.sharpness


@dataclass(frozen=True)
class TogetherChannel(OddsChannel):
    """Odds for two questions, whichever they are, whose answers have one code.

    Attributes:
        codings: One for each number of combinations that two questions may have, ascending.
    """

    codings: tuple[PairCoding, ...] = ()

    @property
    def alone(self) -> OddsChannel:
        """The same odds with a code for each answer, which tell as much of one answer, or a pair, as odds can."""
        return OddsChannel(self.odds)

    def coding_of(self, kinds: Sequence[int]) -> PairCoding:
        """The coding of the combinations of two questions.

        Args:
            kinds: How many values each has.

        Raises:
            ValueError: If they are not two that are ever asked.
        """
        found = [each for each in self.codings if each.combinations == prod(kinds)]
        if len(kinds) != PAIR_ASKED or not found:
            raise ValueError("these questions have no code together")
        return found[0]

    def at(self, codings: Sequence[Coding]) -> PairedChannel:
        """The channel of two questions, given by their plain codings, with theta = o / (o + n/s).

        Raises:
            ValueError: If they are not two that are ever asked.
        """
        coding = self.coding_of([len(each.codes) for each in codings])
        sharpness = coding.sharpness
        return PairedChannel(Fraction(*self.coin(sharpness.numerator, sharpness.denominator)), coding)

    @property
    def most_bits(self) -> float:
        """What a response tells of the answers at most, in bits."""
        return max(each.most_bits(float(self.odds)) for each in self.codings)

    @property
    def design(self) -> list[dict[str, Any]]:
        """Its codings as plain JSON values."""
        return [each.design for each in self.codings]


def combination_numbers(members: Sequence[Question], sampling: Sampling) -> list[int]:
    """How many combinations two answers have, of any two questions that may be asked: each number once, ascending."""
    always = set(sampling.always)
    pairs = (both for both in combinations(members, PAIR_ASKED) if always <= {each.name for each in both})
    return sorted({prod(len(each.values) for each in both) for both in pairs})


def check_together(
    channel: TogetherChannel, members: Sequence[Question], questions: Collection[Question], sampling: Sampling | None
) -> None:
    """Refuse answers that are coded together where not everybody is asked two questions, both of this group.

    Args:
        channel: Of the group.
        members: Its questions.
        questions: All of the survey.
        sampling: Of the survey.

    Raises:
        SurveyError: Naming what does not fit.
    """
    if sampling is None or sampling.ask != PAIR_ASKED:
        raise SurveyError(
            "together", "not everybody is asked two questions", "say ask = 2 under [sampling], or drop it"
        )
    if len(members) < len(questions):
        problem = "a question of the survey is not in the group"
        raise SurveyError("together", problem, "put all questions in this group, or drop it")
    for each in members:
        if each.coding.scheme != "plain":
            problem = f'"{each.name}" has a coding of its own'
            raise SurveyError("together", problem, "drop that coding: the two answers have one code")
    if [each.combinations for each in channel.codings] != combination_numbers(members, sampling):
        raise SurveyError("together", "its codings are not those of any two questions", "publish the survey file again")
    for coding in channel.codings:
        channel.check_coin(coding.sharpness.numerator, coding.sharpness.denominator)
