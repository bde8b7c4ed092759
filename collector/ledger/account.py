"""The account of one data set: its entries in the ledger, and the total epsilon and delta they amount to."""

from dataclasses import dataclass
from typing import Any

from collector.errors import BudgetError
from collector.ledger.budget import Charge, Cost, DataSet, Unprotected


@dataclass(frozen=True)
class LedgerEntry:
    """One charge, as the ledger keeps it.

    Attributes:
        number: 1, 2, ... in the order they were charged, over all data sets.
        data_set: Its name.
        charge: What was charged; or what was computed without a guarantee.
    """

    number: int
    data_set: str
    charge: Charge | Unprotected

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values; costs are None where there is no guarantee."""
        costs: dict[str, Any] = {"add_remove": None, "replace_one": None}
        if isinstance(self.charge, Charge):
            costs = {"add_remove": self.charge.cost.as_json, "replace_one": self.charge.replaced.as_json}
        return {"number": self.number, "mechanism": self.charge.mechanism, "cohort": self.charge.cohort} | costs


@dataclass(frozen=True)
class Account:
    """A data set with all that was charged to it."""

    data_set: DataSet
    entries: tuple[LedgerEntry, ...]

    @property
    def spent(self) -> Cost:
        """The sum that the entries with a guarantee have spent, in the measure of the budget."""
        return self.data_set.spent(self._charges)

    @property
    def unprotected(self) -> int:
        """The number of entries without a guarantee, whose disclosure no budget bounds."""
        return len(self.entries) - len(self._charges)

    @property
    def _charges(self) -> list[Charge]:
        return [entry.charge for entry in self.entries if isinstance(entry.charge, Charge)]

    def refuse_too_much(self, charge: Charge) -> None:
        """Refuse a charge that would exceed the budget.

        Raises:
            BudgetError: If it would.
        """
        budget, after = self.data_set.budget, self.data_set.spent([*self._charges, charge])
        if not after.within(budget):
            problem = f"this would bring what is spent to {after.line}, of a budget of {budget.line}"
            remedy = f"ask for less: {self.left.line_below} is left"
            raise BudgetError(f'data set "{self.data_set.name}"', problem, remedy)

    @property
    def left(self) -> Cost:
        """The remaining budget for all rows."""
        budget, spent = self.data_set.budget, self.spent
        return Cost(budget.epsilon - spent.epsilon, budget.delta - spent.delta)

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        data_set = self.data_set
        amounts = {"budget": data_set.budget, "spent": self.spent, "left": self.left}
        declared = {"name": data_set.name, "neighbours": data_set.neighbours, "records": data_set.records}
        counted = {name: amount.as_json for name, amount in amounts.items()}
        entries = [entry.as_json for entry in self.entries]
        return declared | counted | {"without_guarantee": self.unprotected, "entries": entries}
