"""Several releases on the same random trees, read as one: parties that each count their own people, and later batches.

Noisy counts add up (Jagannathan et al. 2012, Algorithm 5 and section 6.2.1). Whoever is in one of the tables pays for
that one alone; whoever is in several pays for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from collector.budget import Cost, parallel
from collector.errors import ModelError
from miner.release.ensemble import Ensemble
from miner.release.noise import Noise
from miner.release.private_rdt import PrivateRDT, bare
from miner.release.release import Account, Release
from miner.release.table import TrustedTable

BATCHES = "batches"
SEVERAL = "people who are in several of the tables: what these cost adds up"
AGAIN = "let all release with private-rdt, one survey, size and seed"


def merged(parties: Sequence[Release]) -> Release:
    """What several parties released, as one model: post-processing.

    Raises:
        ModelError: If they are not releases of Private-RDT on the same trees.
    """
    first = parties[0]
    for each in parties:
        if each.method != PrivateRDT.method or each.survey.fingerprint != first.survey.fingerprint:
            raise ModelError("parties", "they are no releases of private-rdt for one survey", AGAIN)
        if _shape(each) != _shape(first) or each.target != first.target:
            raise ModelError("parties", "their trees or targets differ", AGAIN)
    batches = [int(each.parameters.get(BATCHES, 1)) for each in parties]
    model = family_of(first).merged([_trees(each) for each in parties], batches)
    statement = replace(
        first.statement,
        adding=parallel(_cost(each) for each in parties),
        uncovered=tuple(dict.fromkeys([*first.statement.uncovered, SEVERAL])),
    )
    return replace(first, model=model, statement=statement, parameters=first.parameters | {BATCHES: sum(batches)})


def released_onto(before: Release, table: TrustedTable, account: Account, noise: Noise) -> Release:
    """Count a new batch into an earlier release (Algorithm 5), at that release's epsilon.

    Args:
        before: A release of Private-RDT.
        table: The new records, of the same survey and target.
        account: Of the new records; charged before they are counted.
        noise: Disguises them.

    Raises:
        DeniableError: If the table does not fit, before anything is charged; or the account refuses.
    """
    if table.checked().survey.fingerprint != before.survey.fingerprint or table.target != before.target:
        raise ModelError(
            "batch", "it answers another survey, or another target, than the release", "read it as that one"
        )
    family = family_of(before)
    account.charge(family.method, family.epsilon, Fraction(0))
    batch = family.counted([bare(tree) for tree in _trees(before).trees], table, noise)
    new = replace(before, model=batch, parameters=before.parameters | {BATCHES: 1}, official=noise.official)
    return replace(merged([before, new]), official=before.official and noise.official)


def family_of(made: Release) -> PrivateRDT:
    """The family a release was made with.

    Raises:
        ModelError: If it was not Private-RDT, or its parameters are damaged.
    """
    given: dict[str, Any] = {name: value for name, value in made.parameters.items() if name != BATCHES}
    try:
        return PrivateRDT(**(given | {"epsilon": Fraction(given["epsilon"])}))
    except (KeyError, TypeError, ValueError):
        raise ModelError("model, parameters", "they are not those of private-rdt", AGAIN) from None


def _trees(made: Release) -> Ensemble:
    if not isinstance(made.model, Ensemble):
        raise ModelError("model", "it holds no trees", AGAIN)
    return made.model


def _cost(made: Release) -> Cost:
    if made.statement.adding is None:
        raise ModelError("model", "it has no guarantee", AGAIN)
    return made.statement.adding


def _shape(made: Release) -> dict[str, Any]:
    """What must be the same: all parameters but what each party spends, and how many batches it holds."""
    return {name: value for name, value in made.parameters.items() if name not in {BATCHES, "epsilon", "size"}}
