"""Correct shares for people who answer carelessly, by a question whose answer is known.

With probability c a person is careless and gives random answers, before the coin. An *anchor* is a condition that
every attentive person meets, such as "the sky is blue". If careless people meet the anchor with probability u', the
share of those who do not meet it is c (1 - u'). Let u be the probability that a random answer meets the estimated
condition. The share *among the attentive*, (share - c u) / (1 - c), is the ratio of two totals and a figure like
others: its interval is Fieller's, with the noise of c and its covariance with the share. In a table, c is that of each
group: one c for groups that differ in it would move their shares.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from collector.errors import QueryError
from collector.survey.question import NOT_APPLICABLE
from collector.survey.survey import Survey
from miner.figures.partition import Boxes, Choice
from miner.figures.sampled_figure import Numbers
from miner.responses.condition import read_condition

CARELESS = "careless"
ASSUMED = (
    'shares are among the attentive: people who do not meet "{}" are supposed to have answered all questions, those of '
    "the groups too, at random, with every answer equally likely"
)


@dataclass(frozen=True)
class Anchor:
    """Condition that every attentive person meets.

    Attributes:
        text: Condition as text.
        boxes: Condition of attentive and of some careless people.
        factor: 1 / (1 - the probability that a random answer meets the condition).
    """

    text: str
    boxes: Boxes
    factor: float

    @classmethod
    def of(cls, survey: Survey, text: str, estimated: Sequence[Boxes], groups: Sequence[Boxes]) -> "Anchor":
        """Read an anchor, for estimates of some conditions in some groups.

        Raises:
            QueryError: If the anchor shares a question or a coin with the conditions or with other questions, everybody
                or nobody meets it by a random answer, a question is not asked of everybody, or a condition joins
                several questions, for which nothing shows that a careless person is careless in all of them.
        """
        boxes = read_condition(survey, text)
        names = {name for box in boxes for name in box}
        others = {name for each in (*estimated, *groups) for box in each for name in box}
        if any(len({name for box in each for name in box}) > 1 for each in estimated):
            problem = "it joins several questions, and one anchor does not show who is careless in all of them"
            raise QueryError("condition", problem, "estimate each question, or leave out --careless")
        for name in names | others:
            if survey.question(name).values[-1] == NOT_APPLICABLE or survey.may_miss(name):
                problem = "not everybody is asked it, so it is not known what careless people answer"
                raise QueryError(f'question "{name}"', problem, "estimate without --careless")
        for name in names:
            group = survey.group_of(name)
            if name in others:
                problem = "its own answers, or groups by them, cannot be corrected by it"
                raise QueryError(f'anchor "{name}"', problem, "estimate another question")
            if group is not None and len(group.questions) > 1:
                problem = "it shares its coin with another question, whose answer it would give away"
                raise QueryError(f'anchor "{name}"', problem, "use a question that is alone in its group")
        random = chance_of(survey, boxes)
        if not 0 < random < 1:
            problem = "a random answer always or never meets it, so it does not show who is careless"
            raise QueryError("anchor", problem, "name some answers of the question, not all")
        return cls(text, boxes, 1 / (1 - random))

    def numbers(self, answer: Choice, random: float, people: Choice, careless: int) -> tuple[Numbers, Numbers]:
        """Return what people add to the numerator, and what they add to the denominator beside being in a group.

        Args:
            answer: Choice of the people who are counted.
            random: Probability that a random answer is counted.
            people: Choice of the group.
            careless: Position of the family of conditions that has the anchor alone.
        """
        known, every = {careless: 0} | dict(people), dict(people)
        return (
            [(1.0, answer), (-random * self.factor, every), (random * self.factor, known)],
            [(-self.factor, every), (self.factor, known)],
        )

    def careless(self, people: Choice, careless: int) -> Numbers:
        """Return what people add to the share of the careless in a group (see `numbers`)."""
        return [(self.factor, dict(people)), (-self.factor, {careless: 0} | dict(people))]


def chance_of(survey: Survey, boxes: Boxes) -> float:
    """Return the probability that answers meet a condition if every value is equally likely."""
    return sum(prod(len(values) / len(survey.question(name).values) for name, values in box.items()) for box in boxes)
