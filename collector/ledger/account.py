"""The account of a data set: the entries in the ledger, and their total epsilon and delta."""

from dataclasses import dataclass
from typing import Any

from collector.errors import BudgetError
from collector.ledger.budget import Charge, Cost, DataSet, Unprotected


@dataclass(frozen=True)
class LedgerEntry:
    """An entry of the ledger.

    Attributes:
        number: Number of the entry in the ledger of all data sets, in the order of the charges, from 1.
        data_set: Name of the data set.
        charge: Charge of a release, or record of a computation without a guarantee.
    """

    number: int
    data_set: str
    charge: Charge | Unprotected

    @property
    def as_json(self) -> dict[str, Any]:
        """The entry of the ledger as plain JSON values. Costs are null for a computation without a guarantee."""
        costs: dict[str, Any] = {"add_remove": None, "replace_one": None}
        if isinstance(self.charge, Charge):
            costs = {"add_remove": self.charge.cost.as_json, "replace_one": self.charge.replaced.as_json}
        return {"number": self.number, "mechanism": self.charge.mechanism, "cohort": self.charge.cohort} | costs


@dataclass(frozen=True)
class Account:
    """The account of a data set in the ledger."""

    data_set: DataSet
    entries: tuple[LedgerEntry, ...]

    @property
    def spent(self) -> Cost:
        """The total cost of all releases with a guarantee, for the neighbour relation of the budget."""
        return self.data_set.spent(self._charges)

    @property
    def unprotected(self) -> int:
        """The number of computations without a guarantee, whose disclosures no budget limits."""
        return len(self.entries) - len(self._charges)

    @property
    def _charges(self) -> list[Charge]:
        return [entry.charge for entry in self.entries if isinstance(entry.charge, Charge)]

    def refuse_too_much(self, charge: Charge) -> None:
        """Refuse a charge that would exceed the budget.

        Raises:
            BudgetError: If the charge would exceed the budget.
        """
        budget, after = self.data_set.budget, self.data_set.spent([*self._charges, charge])
        if not after.within(budget):
            problem = f"this would bring what is spent to {after.line}, of a budget of {budget.line}"
            remedy = f"ask for less: {self.left.line_below} is left"
            raise BudgetError(f'data set "{self.data_set.name}"', problem, remedy)

    @property
    def left(self) -> Cost:
        """The part of the budget that remains for releases from all rows of the data set."""
        budget, spent = self.data_set.budget, self.spent
        return Cost(budget.epsilon - spent.epsilon, budget.delta - spent.delta)

    @property
    def as_json(self) -> dict[str, Any]:
        """The account of a data set as plain JSON values."""
        data_set = self.data_set
        amounts = {"budget": data_set.budget, "spent": self.spent, "left": self.left}
        declared = {"name": data_set.name, "neighbours": data_set.neighbours, "records": data_set.records}
        counted = {name: amount.as_json for name, amount in amounts.items()}
        entries = [entry.as_json for entry in self.entries]
        return declared | counted | {"without_guarantee": self.unprotected, "entries": entries}
