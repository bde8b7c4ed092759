"""Combine the random trees that several parties released, or count further batches of records.

If parties have different people, the noisy counts on the same trees are added (Jagannathan et al. 2012, Algorithm 5 and
section 6.2.1). The privacy cost for a person is the sum over all tables that contain the person.
`miner.release.counted_tables` computes it.

If parties have different columns of the same people, the trees of all parties are combined (Algorithm 6). If parties
have different columns, every person is in the table of each party. If parties have different columns, their privacy
costs always add up.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

from collector.errors import DeniableError, ModelError
from collector.ledger.budget import Cost
from miner.json_values import json_values
from miner.learnt import exact_fraction
from miner.release.counted_tables import PARTS, CountedTable, assumed, cost_of, parts_from_json
from miner.release.ensemble import Ensemble
from miner.release.families.private_rdt import PrivateRDT, VerticalRDT, bare
from miner.release.noise import Noise
from miner.release.release import BudgetAccount, Release
from miner.release.table import TrustedTable

BATCHES = "batches"
MOST_BATCHES = 10**6
COLUMNS = "parties"
RDT = TypeVar("RDT", bound=PrivateRDT)
UNLIKE = {  # parameters that parties need not share, by method
    PrivateRDT.method: {BATCHES, PARTS, "epsilon", "counting", "size"},
    VerticalRDT.method: {COLUMNS, "size"},
}
AGAIN = "let all release with private-rdt, one survey, size and seed"
ONE_WAY = "let all release with private-rdt-vertical, one survey, target, epsilon, size and number of trees"


def merged(parties: Sequence[Release]) -> Release:
    """Combine the releases of several parties into one model, at no additional privacy cost.

    Raises:
        ModelError: If the releases are not of Private-RDT, their trees differ, a column is missing, or a release is
            given twice.
        QueryError: If two parties have the same column.
    """
    first = parties[0]
    for number, each in enumerate(parties):
        if any(each.model.learnt == other.model.learnt for other in parties[:number]):
            raise ModelError(
                "parties",
                "one release is given twice",
                "give each release only once, so that its people are counted once",
            )
    vertical = first.method == VerticalRDT.method
    method, remedy = (VerticalRDT.method, ONE_WAY) if vertical else (PrivateRDT.method, AGAIN)
    for each in parties:
        if each.method != method or each.survey.fingerprint != first.survey.fingerprint:
            raise ModelError("parties", f"the files are not releases with {method} for one survey", remedy)
        if _shape(each) != _shape(first) or each.target != first.target:
            raise ModelError("parties", "the trees or targets of the releases differ", remedy)
    return _of_columns(parties) if vertical else _of_people(parties)


def _of_people(parties: Sequence[Release]) -> Release:
    """Combine the releases of parties with different people, by adding their noisy counts."""
    first = parties[0]
    batches = [_batches(each) for each in parties]
    model = family_of(first, PrivateRDT).merged([_trees(each) for each in parties], batches)
    parts = [part for each in parties for part in parts_of(each)]
    alone = assumed(parts_of(first))  # what follows from its own table alone
    uncovered = dict.fromkeys([*(line for line in first.statement.uncovered if line not in alone), *assumed(parts)])
    statement = replace(first.statement, adding=cost_of(parts), uncovered=tuple(uncovered))
    additions = {BATCHES: sum(batches), PARTS: [part.as_json for part in parts]}
    return replace(first, model=model, statement=statement, parameters=first.parameters | additions)


def _of_columns(parties: Sequence[Release]) -> Release:
    """Combine the trees of parties with different columns of the same people.

    Raises:
        ModelError: If a question belongs to no party, or a release states a cost that its parameters do not give.
        QueryError: If two parties have the same question.
    """
    first, adding = parties[0], Cost(Fraction(0))
    families = [family_of(each, VerticalRDT) for each in parties]
    for each, family in zip(parties, families, strict=True):
        stated = each.statement.adding
        if stated is None or stated != family.total_cost:
            raise ModelError(
                "model, parameters",
                "the stated cost of a release is not the cost of its parameters",
                "release the model again",
            )
        adding += stated
    whole = replace(families[0], parties=tuple(party for family in families for party in family.parties))
    statement = whole.statement(first.survey, first.target)
    missing = whole.missing(first.survey, first.target)
    if missing:
        raise ModelError("parties", f'no file has the question "{missing[0]}"', "give the files of all parties")
    public = dict.fromkeys(line for each in parties for line in each.statement.public)
    trees = [_trees(each) for each in parties]
    return replace(
        first,
        model=Ensemble(tuple(tree for each in trees for tree in each.trees), trees[0].vote),
        statement=replace(statement, adding=adding, public=tuple(public)),
        parameters=first.parameters | {COLUMNS: json_values(whole.parties)},
    )


def released_onto(before: Release, table: TrustedTable, account: BudgetAccount, noise: Noise) -> Release:
    """Add a new batch of records to an earlier release (Algorithm 5), at the epsilon of the earlier release.

    Args:
        before: Earlier release that was made with the method Private-RDT.
        table: New records, for the same survey and class question.
        account: Budget account of the new records, which is charged before the records are counted.
        noise: Source of the noise on the new counts.

    Raises:
        DeniableError: If the table does not fit the release, or the budget account refuses the cost.
    """
    if table.checked().survey.fingerprint != before.survey.fingerprint or table.target != before.target:
        raise ModelError(
            "batch",
            "the table belongs to another survey or target than the release",
            "read the table with the survey of the release",
        )
    family = family_of(before, PrivateRDT)
    account.charge(family.method, family.epsilon, Fraction(0))
    batch = family.counted([bare(tree) for tree in _trees(before).trees], table, noise)
    part = CountedTable(account.name, account.cohort, family.epsilon)
    additions = {BATCHES: 1, PARTS: [part.as_json]}
    statement = replace(before.statement, adding=cost_of([part]))
    new = replace(
        before, model=batch, statement=statement, parameters=before.parameters | additions, official=noise.official
    )
    return replace(merged([before, new]), official=before.official and noise.official)


def family_of(made: Release, kind: type[RDT]) -> RDT:
    """Return the method that a release was made with, which is Private-RDT or its version for different columns.

    Raises:
        ModelError: If the release was made with another method, or its parameters are damaged.
    """
    given: dict[str, Any] = {name: value for name, value in made.parameters.items() if name not in {BATCHES, PARTS}}
    try:
        exact: dict[str, Any] = {name: exact_fraction(given.get(name, "0")) for name in ("epsilon", "counting")}
        if COLUMNS in given:
            exact[COLUMNS] = tuple(tuple(map(str, party)) for party in given[COLUMNS])
        return kind(**(given | exact))
    except (DeniableError, TypeError, ValueError):
        raise ModelError("model, parameters", f"the parameters are not those of {kind.method}", AGAIN) from None


def _batches(made: Release) -> int:
    batches = made.parameters.get(BATCHES, 1)
    if type(batches) is not int or not 1 <= batches <= MOST_BATCHES:
        raise ModelError("model, parameters", f"{BATCHES} is not a number of batches", AGAIN)
    return batches


def _trees(made: Release) -> Ensemble:
    if not isinstance(made.model, Ensemble):
        raise ModelError("model", "the release contains no trees", AGAIN)
    return made.model


def parts_of(made: Release) -> list[CountedTable]:
    """Return the tables from which a release was counted.

    Raises:
        ModelError: If the release has no privacy guarantee, or the costs of its tables do not give its stated cost.
    """
    if made.statement.adding is None:
        raise ModelError("model", "the release has no guarantee", AGAIN)
    parts = parts_from_json(made.parameters.get(PARTS))
    if cost_of(parts) != made.statement.adding:
        raise ModelError("model, parameters", f"{PARTS} do not come to what it states", AGAIN)
    return parts


def _shape(made: Release) -> dict[str, Any]:
    """Return the parameters that must be equal in all releases that are combined."""
    return {name: value for name, value in made.parameters.items() if name not in UNLIKE[made.method]}
