"""Choose settings of growth from public facts: the number of records times epsilon, and the domains of the survey.

This module does not read the data of a release. **The constants were fitted to public data sets**
(`benchmarks.releasing.releases`). The published accuracies of the project's method are measured on the data sets to
which the constants were fitted. `benchmarks.releasing.release_forms` chooses the constants of `likely_form` with each
data set left out in turn.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import log
from typing import Self

from collector.survey.survey import Survey
from miner.release.family import features_of

CLEAR = {"multiway": 5, "binary": 40}  # records times epsilon per node for a reliable selection
SPLITS = tuple(CLEAR)
FORMS = TREE, MIXTURE, SCORED, TABLES = "tree", "mixture", "scores", "tables"
MANY_VALUES = 6  # mean number of values per question from which splits are binary
GROWTH = Fraction(2)  # ratio of the budgets of selections on neighbouring levels, because nodes get smaller
FEW = 10_000  # records times epsilon times classes below which the max operator is better than Gini impurity


@dataclass(frozen=True)
class Facts:
    """Public facts about a table.

    Attributes:
        kinds: Number of values of each question, without the class question.
        classes: Number of classes.
        evidence: Declared number of records times epsilon.
    """

    kinds: tuple[int, ...]
    classes: int
    evidence: float

    @classmethod
    def of(cls, survey: Survey, target: str, evidence: float) -> Self:
        """Return the public facts of a survey."""
        kinds = tuple(len(survey.questions[each].values) for each in features_of(survey, target))
        return cls(kinds, len(survey.question(target).values), evidence)

    @property
    def mean(self) -> float:
        """Return the mean number of values of a question."""
        return sum(self.kinds) / len(self.kinds)

    @property
    def wide(self) -> bool:
        """Return whether a split makes many cells, because of many values or more than two classes."""
        return self.mean >= MANY_VALUES or self.classes > 2

    @property
    def splits(self) -> str:
        """Return the kind of splits that suits the mean number of values."""
        return "binary" if self.mean >= MANY_VALUES else "multiway"

    def branching(self, splits: str) -> float:
        """Return the mean number of children of a node."""
        return 2.0 if splits == "binary" else max(self.mean, 2.0)

    def depth(self, splits: str, selecting: float) -> int:
        """Return the largest depth D >= 1 for which D selections are reliable, the last of them on b^(D - 1) nodes."""
        evidence, branching, depth = self.evidence * selecting / CLEAR[splits], self.branching(splits), 1
        while (depth + 1) * branching**depth <= evidence:
            depth += 1
        return depth

    def reach(self, splits: str, selecting: float) -> float:
        """Return an upper bound on the share of a record that is determined by its leaf.

        The upper bound is log(number of leaves) / log(size of the domain).
        """
        return self.depth(splits, selecting) * log(self.branching(splits)) / sum(map(log, self.kinds))

    @property
    def richness(self) -> float:
        """Return records times epsilon, divided by the number of cells of all tables of value by class."""
        return self.evidence / (sum(self.kinds) * self.classes)


@dataclass(frozen=True)
class FormThresholds:
    """Thresholds between the forms of the greedy family (see `likely_form`).

    Attributes:
        thin: Smallest value of records times epsilon, per (values times classes)^2 cells, for a tree.
        reach: Share of a record that leaves determine (`Facts.reach`), above which a tree is used alone.
        rich: Smallest value of records times epsilon, per cell of all tables of value by class, for a mixture.
        fair: Smallest value of records times epsilon, per cell of all tables of value by class, for scores alone.
    """

    thin: float
    reach: float
    rich: float
    fair: float


FITTED = FormThresholds(thin=10, reach=0.5, rich=100, fair=12)


def likely_form(facts: Facts, selecting: Fraction, splits: str | None = None, limits: FormThresholds = FITTED) -> str:
    """Return the form of model that is expected to predict best, from public facts.

    Naive Bayes is chosen if a tree of two questions already has too many cells. A tree is chosen if its leaves
    determine most of a record. Otherwise a mixture of tree and scores is chosen if each table of value by class has
    many records. If neither of these forms is chosen, scores alone are chosen if a tree has many cells, and a tree if
    it has few cells.
    """
    if facts.wide and facts.evidence < limits.thin * (facts.mean * facts.classes) ** 2:
        return TABLES
    if facts.reach(splits or facts.splits, float(selecting)) >= limits.reach:
        return TREE
    if facts.richness >= limits.rich:
        return MIXTURE
    return SCORED if facts.wide and facts.richness >= limits.fair else TREE


def likely_score(facts: Facts) -> str:
    """Return the split score that is expected to predict better.

    The score ``max`` depends only on majority classes. If there are many classes, most classes are never a majority,
    and ``max`` ignores them.
    """
    return "max" if facts.evidence * facts.classes < FEW else "gini"
