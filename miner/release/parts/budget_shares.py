"""Growth settings from public facts: number of records times epsilon, and the domains of the survey.

It does not read the data. **The constants were fitted to public data sets** (`benchmarks.releasing.releases`), which
are the same that our accuracies are measured on; `benchmarks.releasing.release_forms` chooses those of `likely_form`
with each data set left out in turn.
"""

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
        kinds: Number of values of each question, without the class question.
        classes: Number of classes.
        evidence: The declared number of records times epsilon.
    """

    kinds: tuple[int, ...]
    classes: int
    evidence: float

    @classmethod
    def of(cls, survey: Survey, target: str, evidence: float) -> Self:
        """The facts of a survey."""
        kinds = tuple(len(survey.questions[each].values) for each in features_of(survey, target))
        return cls(kinds, len(survey.question(target).values), evidence)

    @property
    def mean(self) -> float:
        """Values of a question."""
        return sum(self.kinds) / len(self.kinds)

    @property
    def wide(self) -> bool:
        """Whether a split makes many cells: many values, or more than two classes."""
        return self.mean >= MANY_VALUES or self.classes > 2

    @property
    def splits(self) -> str:
        """The kind of splits that suits so many values."""
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
        """Upper bound on the share of a record that a leaf determines: log(leaves) / log(size of the domain)."""
        return self.depth(splits, selecting) * log(self.branching(splits)) / sum(map(log, self.kinds))

    @property
    def richness(self) -> float:
        """Records times epsilon for each cell of all tables of value by class."""
        return self.evidence / (sum(self.kinds) * self.classes)


@dataclass(frozen=True)
class FormThresholds:
    """The thresholds between forms.

    Attributes:
        thin: Records times epsilon, for each of (values times classes)^2 cells, that a tree needs.
        reach: Share of the logarithm of the size of the domain; above it, a tree is used alone.
        rich: Records times epsilon, for each cell of all tables of value by class, that a mixture needs.
        fair: The same for scores alone, which many cells of a tree speak for.
    """

    thin: float
    reach: float
    rich: float
    fair: float


FITTED = FormThresholds(thin=10, reach=0.5, rich=100, fair=12)


def likely_form(facts: Facts, selecting: Fraction, splits: str | None = None, limits: FormThresholds = FITTED) -> str:
    """The form that is expected to predict best, from public facts.

    Naive Bayes if a tree of two questions already has too many cells. A tree if its leaves determine most of a record.
    Otherwise a mixture of both if each table of value by class has many records. Otherwise scores alone if the tree has
    many cells, and a tree if it has few.
    """
    if facts.wide and facts.evidence < limits.thin * (facts.mean * facts.classes) ** 2:
        return TABLES
    if facts.reach(splits or facts.splits, float(selecting)) >= limits.reach:
        return TREE
    if facts.richness >= limits.rich:
        return MIXTURE
    return SCORED if facts.wide and facts.richness >= limits.fair else TREE


def likely_score(facts: Facts) -> str:
    """The better score. ``max`` only depends on majority classes; with many classes, most are never a majority."""
    return "max" if facts.evidence * facts.classes < FEW else "gini"
