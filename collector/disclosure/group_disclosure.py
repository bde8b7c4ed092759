"""The disclosure by a response about all questions of a group together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite, prod
from typing import Any

from collector.channel.channel import Channel
from collector.disclosure.accounting import code_distribution
from collector.disclosure.disclosure import SURELY, QuestionDisclosure, Rise
from collector.survey.question import Question
from collector.survey.survey import Group


@dataclass(frozen=True)
class GroupDisclosure:
    """The disclosure by a response about all questions of a group together.

    Attributes:
        group: Group of the survey.
        questions: Questions of the group in survey order; in a split questionnaire, only those of the draw that
            discloses most.
    """

    group: Group
    questions: tuple[Question, ...]

    @cached_property
    def channel(self) -> Channel:
        """The channel of the group for a respondent who is asked all questions in `questions`."""
        return self.group.channel.at([question.coding for question in self.questions])

    @property
    def truth(self) -> Fraction:
        """The truth probability of the group for a respondent who is asked all questions in `questions`."""
        return self.group.channel.truth([question.coding for question in self.questions])

    @property
    def states(self) -> int:
        """The number of possible combinations of codes that a response can have for the group."""
        return prod(len(question.codes) for question in self.questions)

    @cached_property
    def epsilon(self) -> float:
        """The epsilon of local differential privacy between any two sets of answers to the group, or infinity."""
        return self.channel.epsilon([question.coding for question in self.questions])

    @property
    def candidates(self) -> int:
        """The number of sets of answers to the group that remain possible after a response (its anonymity set)."""
        if self.truth in {0, 1}:
            return 1
        return self.channel.replacement.candidates or prod(len(each.values) for each in self.questions)

    @cached_property
    def surest(self) -> Fraction:
        """The largest posterior probability of any value of any question in the group."""
        disclosures = [QuestionDisclosure(question, self.group, self.questions) for question in self.questions]
        return max(risk.rise.after for each in disclosures for risk in each.risks)

    @cached_property
    def belief(self) -> Rise:
        """The most that a response can raise the probability of one set of answers to all questions of the group.

        Answers to different questions are taken as independent. The probability of correlated answers may rise more.
        """
        if self.candidates == 1 and self.surest == SURELY:
            return Rise(SURELY, SURELY)
        truth = self.truth
        if len(self.questions) == 1 and self.channel.replacement.candidates is None:
            risks = QuestionDisclosure(self.questions[0], self.group, self.questions).risks
            return max((risk.rise for risk in risks), key=lambda rise: (rise.after, rise.before))
        if self.channel.replacement.candidates is None:
            return self._uniform_belief(self.questions)
        pairs = [_most_uneven_pair(question) for question in self.questions]
        likely = prod((pair[0] for pair in pairs), start=SURELY)
        partner = prod((pair[1] for pair in pairs), start=SURELY)
        straight = max(truth, 1 - truth)
        return Rise(likely, straight * likely / (straight * likely + (1 - straight) * partner))

    @cached_property
    def belief_with_outside_fact(self) -> Fraction | None:
        """The largest posterior probability of the other answers to a group, if one answer is already known."""
        if len(self.questions) == 1:
            return None
        if self.channel.replacement.candidates is not None:
            return SURELY
        every = self.questions
        return max(self._uniform_belief([each for each in every if each is not known]).after for known in every)

    def _uniform_belief(self, unknown: Sequence[Question]) -> Rise:
        """Return the most that a response can raise the probability of some answers, if all others are known.

        The rise is largest if the response has the true codes of the known answers.
        """
        codes = prod(len(question.codes) for question in self.questions)
        drawn = prod((Fraction(1, len(each.coding.draws[0])) for each in self.questions), start=SURELY)
        true, other = self.truth * drawn, (1 - self.truth) / codes
        pairs = [(SURELY, SURELY)]
        for question in unknown:
            pairs = _most_telling((p * q, r * s) for p, r in pairs for q, s in _answers_sent(question))
        rises = (Rise(p, (true + other) / (true / r + other / p)) for p, r in pairs)
        return max(rises, key=lambda rise: (rise.after, rise.before))

    @property
    def as_dict(self) -> dict[str, Any]:
        """The disclosure of the group as plain JSON values.

        An epsilon of null means that the group has no finite epsilon.
        """
        outside, coin = self.belief_with_outside_fact, self.group.channel.coin
        return {
            "group": self.group.name,
            "questions": list(self.group.questions),
            "channel": self.channel.name,
            "truth": None if coin.fixed is None else str(coin.fixed),
            "odds": None if coin.odds is None else str(coin.odds),
            "states": self.states,
            "candidates": self.candidates,
            "epsilon": self.epsilon if isfinite(self.epsilon) else None,
            "belief": float(self.belief.after),
            "belief_with_outside_fact": None if outside is None else float(outside),
        }


def _answers_sent(question: Question) -> list[tuple[Fraction, Fraction]]:
    """Return, by answer and code, the answer's prior and its share of the prior of all answers with the code."""
    prior, coding = question.prior, question.coding
    owners = [coding.values_of(code) for code in coding.codes]
    pairs = {(prior[value], prior[value] / sum(prior[each] for each in some)) for some in owners for value in some}
    return _most_telling(pairs)


def _most_telling(pairs: Iterable[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    """Return the pairs of numbers for which no other pair has two larger numbers."""
    kept: list[tuple[Fraction, Fraction]] = []
    for pair in sorted(set(pairs), reverse=True):
        if not kept or pair[1] > kept[-1][1]:
            kept.append(pair)
    return kept


def _most_uneven_pair(question: Question) -> tuple[Fraction, Fraction]:
    """Return the prior probabilities of a code and its complement, for the code with the largest ratio of both."""
    chance = code_distribution(question.coding, question.prior)
    pairs = [(chance[code], chance[question.coding.complement(code)]) for code in question.codes]
    return max((pair for pair in pairs if pair[0]), key=lambda pair: pair[0] / sum(pair))
