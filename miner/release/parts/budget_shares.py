"""Growth settings from public facts: number of records times epsilon, and the domains of the survey.

No row has a part in it. **The constants were fitted to public data sets** (`benchmarks.releasing.releases`), which are
the same that our accuracies are measured on; `benchmarks.releasing.release_forms` chooses those of `likely_form` with
each data set left out in turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import Self

from collector.survey.survey import Survey
from miner.release.family import features_of

CLEAR = {"multiway": 5, "binary": 40}  # records times epsilon of a selection, at an average node of the last level
SPLITS = tuple(CLEAR)
FORMS = TREE, MIXTURE, SCORED, TABLES = "tree", "mixture", "scores", "tables"
MANY_VALUES = 6  # per question, from which splits are binary
GROWTH = Fraction(2)  # of what is spent on a selection, from level to level: nodes get smaller by as much or more
FEW = 10_000  # records times epsilon times classes below which the max operator chooses better than the Gini impurity


@dataclass(frozen=True)
class Facts:
    """Public facts about a table.

    Attributes:
        kinds: How many values each question has, the class question left out.
        classes: How many classes there are.
        evidence: The declared number of records times epsilon.
    """

    kinds: tuple[int, ...]
    classes: int
    evidence: float

    @classmethod
    def of(cls, survey: Survey, target: str, evidence: float) -> Self:
        """Those of a survey."""
        kinds = tuple(len(survey.questions[each].values) for each in features_of(survey, target))
        return cls(kinds, len(survey.question(target).values), evidence)

    @property
    def mean(self) -> float:
        """Values of a question."""
        return sum(self.kinds) / len(self.kinds)

    @property
    def wide(self) -> bool:
        """Whether a split makes many cells: many values, or more than two classes."""
        return self.mean >= MANY_VALUES or self.classes > len(("yes", "no"))

    @property
    def splits(self) -> str:
        """Which suit so many values."""
        return "binary" if self.mean >= MANY_VALUES else "multiway"

    def branching(self, splits: str) -> float:
        """Children of a node, on average."""
        return 2.0 if splits == "binary" else max(self.mean, 2.0)

    def depth(self, splits: str, selecting: float) -> int:
        """The largest D >= 1 for which D selections are clear, the last of them on b^(D - 1) nodes."""
        evidence, branching, depth = self.evidence * selecting / CLEAR[splits], self.branching(splits), 1
        while (depth + 1) * branching**depth <= evidence:
            depth += 1
        return depth

    def reach(self, splits: str, selecting: float) -> float:
        """How much of a record a leaf tells, at most: log of the leaves by log of the size of the domain."""
        return self.depth(splits, selecting) * log(self.branching(splits)) / sum(map(log, self.kinds))

    @property
    def richness(self) -> float:
        """Records times epsilon for each cell of all tables of value by class."""
        return self.evidence / (sum(self.kinds) * self.classes)


@dataclass(frozen=True)
class Limits:
    """Where one form gives way to another.

    Attributes:
        thin: Records times epsilon, for each of (values times classes)^2 cells, that a tree needs.
        reach: Of the logarithm of the size of the domain: a tree whose leaves tell so much needs no company.
        rich: Records times epsilon, for each cell of all tables of value by class, that a mixture needs.
        fair: The same for scores alone, which many cells of a tree speak for.
    """

    thin: float
    reach: float
    rich: float
    fair: float


FITTED = Limits(thin=10, reach=0.5, rich=100, fair=12)


def likely_form(facts: Facts, selecting: Fraction, splits: str | None = None, limits: Limits = FITTED) -> str:
    """Which form predicts best, as far as public facts tell.

    Naive Bayes where even a tree of two questions has too many cells. A tree where it tells most of a record by itself.
    Else a mixture of both where every table of value by class is rich in records. Between them scores alone if a
    tree's cells are many, and a tree if they are few.
    """
    if facts.wide and facts.evidence < limits.thin * (facts.mean * facts.classes) ** 2:
        return TABLES
    if facts.reach(splits or facts.splits, float(selecting)) >= limits.reach:
        return TREE
    if facts.richness >= limits.rich:
        return MIXTURE
    return SCORED if facts.wide and facts.richness >= limits.fair else TREE


def likely_score(facts: Facts) -> str:
    """Which score chooses better. Max does not see what moves no majority, and of many classes most are in none."""
    return "max" if facts.evidence * facts.classes < FEW else "gini"
