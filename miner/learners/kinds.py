"""Register the learners under the names that commands, settings and model files use.

The class of a learner is loaded when it is first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # these bring numpy and scikit-learn with them
    from collector.survey.survey import Survey
    from miner.learners.classifier import DisguisedClassifier


class Role(Enum):
    """Role of a learner in comparisons and commands."""

    PLAIN = "fitted by itself: a public name, which a scheduled job may train again"
    BASELINE = "compared with the others, and no public name"
    COMPOSED = "fits other learners: a public name, and no member of a pool"


@dataclass(frozen=True)
class Learner:
    """Registered learner.

    Attributes:
        module: Full name of the module that defines the class.
        name: Name of the class, which is a `miner.learners.classifier.DisguisedClassifier`.
        role: Role of the learner in comparisons and commands.
    """

    module: str
    name: str
    role: Role = Role.PLAIN

    @property
    def is_public(self) -> bool:
        """Return whether the package `miner` offers the class under its name."""
        return self.role is not Role.BASELINE


LEARNERS: dict[str, Learner] = {
    "auto": Learner("miner.learners.auto", "AutoClassifier", Role.COMPOSED),
    "id3": Learner("miner.learners.id3", "ID3Classifier"),
    "forest": Learner("miner.learners.forest", "ForestClassifier"),
    "random-trees": Learner("miner.learners.random_trees", "RandomTreesClassifier"),
    "logit": Learner("miner.learners.logit", "LogitClassifier"),
    "additive": Learner("miner.learners.logit", "AdditiveClassifier"),
    "boosted": Learner("miner.learners.boosted", "BoostedClassifier"),
    "majority": Learner("miner.learners.baselines", "MajorityClassifier", Role.BASELINE),
    "naive-bayes": Learner("miner.learners.baselines", "NaiveBayesClassifier", Role.BASELINE),
    "uncorrected": Learner("miner.learners.baselines", "UncorrectedClassifier", Role.BASELINE),
    "distilled": Learner("miner.learners.distilled", "DistilledTreeClassifier", Role.COMPOSED),
}


class Kinds(Mapping[str, "type[DisguisedClassifier]"]):
    """Classes of the registered learners by name, in the order of the registry."""

    def __getitem__(self, kind: str) -> type[DisguisedClassifier]:
        """Load the class of a learner. Raise a KeyError if no learner has the name."""
        learner = LEARNERS[kind]
        found: type[DisguisedClassifier] = getattr(import_module(learner.module), learner.name)
        return found

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the learners."""
        return iter(LEARNERS)

    def __len__(self) -> int:
        """Return the number of learners."""
        return len(LEARNERS)


KINDS = Kinds()


def kind_of(classifier: DisguisedClassifier) -> str:
    """Return the name under which a classifier's class is registered."""
    wanted = type(classifier).__module__, type(classifier).__name__
    return next(kind for kind, each in LEARNERS.items() if (each.module, each.name) == wanted)


def names_of(role: Role) -> tuple[str, ...]:
    """Return the names of the learners with a given role, in the order of the registry."""
    return tuple(kind for kind, each in LEARNERS.items() if each.role is role)


def simplest(survey: Survey, target: str) -> list[tuple[str, Callable[[], DisguisedClassifier]]]:
    """Return the names of the baselines, with a function that makes each classifier."""
    return [(name, partial(KINDS[name], survey, target)) for name in names_of(Role.BASELINE)]
