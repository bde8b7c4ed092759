"""Audit a published model by all attacks, with or without its training data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from miner.attacks.exposure import Exposure, Homogeneity, counted, exposure, homogeneity_attack
from miner.attacks.membership import Membership, knowledge, membership
from miner.attacks.published import Places, PublishedModel

WITH_PEOPLE = (
    "This audit is not private. It was computed from people's true answers, and no guarantee of the model covers what "
    "it tells about them: it is for whoever holds the data, and is not to be published with the model."
)
FROM_THE_MODEL = (
    "This audit is as private as the model and no more: it was computed from the model alone. That an attack finds "
    "little is no guarantee."
)


@dataclass(frozen=True)
class Anywhere:
    """Shares of the people about whom at least one tree discloses something.

    Attributes:
        homogeneous: Share of people who are in a leaf with a single class.
        unique: Share of people who are alone in a leaf.
    """

    homogeneous: float
    unique: float


@dataclass(frozen=True)
class OnPeople:
    """Results of the attacks on people whose class is known to the auditor.

    Attributes:
        trees: Disclosure by the leaves of each tree, computed from the true counts of the people.
        anywhere: Shares of people about whom at least one tree discloses something.
        homogeneity: Result of the homogeneity attack with the *published* counts, which may be noisy.
    """

    trees: tuple[Exposure, ...]
    anywhere: Anywhere
    homogeneity: Homogeneity


@dataclass(frozen=True)
class ReleaseAudit:
    """Results of all attacks on one model.

    Attributes:
        name: Name of the model.
        guarantee: Guarantee that the model file states.
        published: Disclosure by the published counts of each tree alone.
        people: Results of the attacks on people in the training data, or None without the training data.
        membership: Result of membership inference, or None without people outside the training data.
    """

    name: str
    guarantee: tuple[str, ...]
    published: tuple[Exposure, ...]
    people: OnPeople | None
    membership: Membership | None

    @property
    def warning(self) -> str:
        """Return a warning about who may see the audit."""
        return FROM_THE_MODEL if self.people is None else WITH_PEOPLE

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the audit as plain JSON values."""
        people = self.people
        found = (
            None
            if people is None
            else {
                "H_u": mean_of(people.trees, "homogeneous_people"),
                "H_leaf": mean_of(people.trees, "homogeneous_leaves"),
                "in_some_tree": {"H_u": people.anywhere.homogeneous, "unique_people": people.anywhere.unique},
                "homogeneity_attack": people.homogeneity.as_json,
                "trees": [tree.as_json for tree in people.trees],
            }
        )
        return {
            "model": self.name,
            "guarantee": list(self.guarantee),
            "published": {
                "H_u": mean_of(self.published, "homogeneous_people"),
                "H_leaf": mean_of(self.published, "homogeneous_leaves"),
                "trees": [tree.as_json for tree in self.published],
            },
            "people": found,
            "membership": None if self.membership is None else self.membership.as_json,
            "warning": self.warning,
        }


def mean_of(trees: Sequence[Exposure], what: str) -> float:
    """Return the mean over trees of one share, such as the share of people who are alone in a leaf."""
    return float(np.mean([getattr(tree, what) for tree in trees]))


def audit(
    model: PublishedModel,
    members: pd.DataFrame | None = None,
    others: pd.DataFrame | None = None,
    target: str | None = None,
    generator: np.random.Generator | None = None,
) -> ReleaseAudit:
    """Attack a published model.

    Args:
        model: Published model.
        members: Training data of the model with the class, or None to use only the published counts.
        others: Similar people outside the training data, for membership inference.
        target: Name of the class column, if the model does not name it.
        generator: Random generator for membership inference, or None for a new generator.

    Raises:
        ResponseError: If a table does not fit the model.
        QueryError: If the class column is not named.
    """
    published = tuple(exposure(counts) for counts in model.counts)
    if members is None:
        return ReleaseAudit(model.name, model.guarantee, published, None, None)
    places, labels = model.land(members), model.labels(members, target)
    inferred = None
    if others is not None:
        known = knowledge(model.counts, places, labels)
        unknown = knowledge(model.counts, model.land(others), model.labels(others, target))
        inferred = membership(known, unknown, np.random.default_rng() if generator is None else generator)
    return ReleaseAudit(model.name, model.guarantee, published, _on_people(model, places, labels), inferred)


def _on_people(model: PublishedModel, places: Places, labels: Places) -> OnPeople:
    shapes = [(len(counts), len(model.classes)) for counts in model.counts]
    true = [counted(place, labels, shape) for place, shape in zip(places, shapes, strict=True)]
    pure = [((cells > 0).sum(axis=1) == 1)[place] for cells, place in zip(true, places, strict=True)]
    alone = [(cells.sum(axis=1) == 1)[place] for cells, place in zip(true, places, strict=True)]
    anywhere = Anywhere(*(float(np.any(each, axis=0).mean()) for each in (pure, alone)))
    return OnPeople(
        tuple(exposure(cells) for cells in true), anywhere, homogeneity_attack(model.counts, places, labels)
    )
