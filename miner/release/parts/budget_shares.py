"""Choose the settings of a released tree from public facts: the number of records, epsilon, and the survey.

**The constants of this module were fitted to public data sets**, on which the published accuracies of the project's
method are also measured (`benchmarks.releasing.releases`). `benchmarks.releasing.release_forms` repeats the choice of
the constants of `likely_form` with each data set left out in turn.
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
    """Public facts about a trusted table.

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
        """Return the public facts about a table of a survey."""
        kinds = tuple(len(survey.questions[each].values) for each in features_of(survey, target))
        return cls(kinds, len(survey.question(target).values), evidence)

    @property
    def mean(self) -> float:
        """Return the mean number of values of a question."""
        return sum(self.kinds) / len(self.kinds)

    @property
    def wide(self) -> bool:
        """Return whether a question has many values on average, or there are more than two classes."""
        return self.mean >= MANY_VALUES or self.classes > 2

    @property
    def splits(self) -> str:
        """Return ``binary`` if questions have many values on average, otherwise ``multiway``."""
        return "binary" if self.mean >= MANY_VALUES else "multiway"

    def branching(self, splits: str) -> float:
        """Return the mean number of children of a node."""
        return 2.0 if splits == "binary" else max(self.mean, 2.0)

    def depth(self, splits: str, selecting: float) -> int:
        """Return the largest depth at which the selection of splits is expected to be reliable, at least 1."""
        evidence, branching, depth = self.evidence * selecting / CLEAR[splits], self.branching(splits), 1
        while (depth + 1) * branching**depth <= evidence:
            depth += 1
        return depth

    def reach(self, splits: str, selecting: float) -> float:
        """Return log(number of leaves of the tree) / log(number of possible records)."""
        return self.depth(splits, selecting) * log(self.branching(splits)) / sum(map(log, self.kinds))

    @property
    def richness(self) -> float:
        """Return records times epsilon, divided by the number of cells of all tables of value by class."""
        return self.evidence / (sum(self.kinds) * self.classes)


@dataclass(frozen=True)
class FormThresholds:
    """Thresholds for the public facts, with which `likely_form` chooses the form of a model.

    Attributes:
        thin: Smallest value of records times epsilon, divided by (mean number of values times classes)^2, for a tree.
        reach: Smallest value of `Facts.reach` for which a tree is used alone.
        rich: Smallest value of `Facts.richness` for a mixture of tree and scores.
        fair: Smallest value of `Facts.richness` for scores alone.
    """

    thin: float
    reach: float
    rich: float
    fair: float


FITTED = FormThresholds(thin=10, reach=0.5, rich=100, fair=12)


def likely_form(facts: Facts, selecting: Fraction, splits: str | None = None, limits: FormThresholds = FITTED) -> str:
    """Return the form of model that is expected to predict best, from public facts.

    The possible forms are naive Bayes, a tree, additive scores, and a mixture of a tree and additive scores.
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
