"""Define the subcommands of ``miner`` that set the budget of trusted data and show what is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from collector.commands.command import json_option, print_json, print_result, print_table, store_option
from collector.database.address import Place

if TYPE_CHECKING:  # brings the store with it
    from collector.ledger.budget import Charge, Unprotected
    from collector.ledger.ledger import Account

NEIGHBOURS = ("add/remove", "replace-one")
DELTA_HELP = "Delta of all releases together. With 0, releases have pure differential privacy."
NEIGHBOURS_HELP = "Neighbouring data sets differ by one record that is added or removed, or by one that is replaced."
WITHOUT = "without a guarantee"
RECORDS_HELP = "Largest number of rows of one person in the table."


@click.command()
@click.argument("name")
@click.option(
    "--epsilon", required=True, help="Epsilon of all releases together, as a decimal or fraction such as 0.1 or 1/3."
)
@click.option("--delta", default="0", show_default=True, help=DELTA_HELP)
@click.option(
    "--neighbours", type=click.Choice(NEIGHBOURS), default=NEIGHBOURS[0], show_default=True, help=NEIGHBOURS_HELP
)
@click.option("--records", type=click.IntRange(min=1), default=1, show_default=True, help=RECORDS_HELP)
@store_option
@json_option
def budget(  # noqa: PLR0913 - one for each option
    name: str, *, epsilon: str, delta: str, neighbours: str, records: int, store_path: Place, as_json: bool
) -> None:
    """Set permanently how much all releases from a data set together may disclose about its people.

    You choose the NAME of the data set. A table keeps its NAME when rows are added or removed. The ledger refuses a
    copy of a table under another NAME, but cannot recognize a table that was changed and renamed.

    Example: miner budget patients --epsilon 2
    """
    from collector.ledger.budget import Cost, DataSet, read_amount
    from collector.ledger.ledger import Ledger

    amounts = Cost(read_amount(epsilon, "--epsilon"), read_amount(delta, "--delta"))
    data_set = DataSet(name, amounts, neighbours, records)
    with Ledger(store_path, create=True) as ledger:
        ledger.open(data_set)
        account = ledger.account(name)
    print_result(account.as_json, _heading(account), as_json=as_json)


@click.command()
@click.argument("name", required=False)
@store_option
@json_option
def ledger(name: str | None, *, store_path: Place, as_json: bool) -> None:
    """Show the releases from trusted data and their costs, for all data sets or for the data set NAME.

    A release stays charged even if it failed or was deleted. The costs of releases from the whole data set add up. If
    cohorts are declared to be disjoint, only the release with the highest cost counts. A model that was made for study
    has no guarantee, and its cost is not counted.

    Example: miner ledger patients
    """
    from collector.ledger.ledger import Ledger

    with Ledger(store_path) as book:
        accounts = book.accounts() if name is None else [book.account(name)]
    if as_json:
        print_json({"data_sets": [account.as_json for account in accounts]})
        return
    if not accounts:
        click.echo("no data set has a budget here")
    for number, account in enumerate(accounts):
        click.echo(f"{chr(10) if number else ''}{_heading(account)}")
        if account.entries:
            columns = ("entry", "of", "mechanism", "add/remove a record", "replace a record")
            print_table(columns, _rows(account))


def _heading(account: Account) -> str:
    data_set = account.data_set
    group = "" if data_set.records == 1 else f", up to {data_set.records} records a person"
    amounts = f"{account.spent.line} spent, {account.left.line_below} left"
    heading = f"{data_set.name}: budget {data_set.budget.line} ({data_set.neighbours}{group}); {amounts}"
    return f"{heading}; besides, {account.unprotected} {WITHOUT}" if account.unprotected else heading


def _rows(account: Account) -> list[tuple[str, ...]]:
    return [
        (str(entry.number), entry.charge.cohort or "whole", entry.charge.mechanism, *_costs(entry.charge))
        for entry in account.entries
    ]


def _costs(charge: Charge | Unprotected) -> tuple[str, str]:
    from collector.ledger.budget import Charge

    return (charge.cost.line, charge.replaced.line) if isinstance(charge, Charge) else (WITHOUT, WITHOUT)
