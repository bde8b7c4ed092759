"""The commands for a running survey, such as invite, open, close, tidy and audit."""

from __future__ import annotations

import sys
from dataclasses import asdict
from time import sleep
from typing import TYPE_CHECKING

import click

from collector.commands.command import json_option, name_argument, print_json, print_result, print_table, store_option
from collector.commands.progress import is_plain, status
from collector.database.address import Place

if TYPE_CHECKING:
    from collector.disclosure.lint import Lint
    from collector.maintenance.audit import StoreAudit
    from collector.store.store import Store

RED = 1
MOST_INVITATIONS = 1_000_000


@click.command()
@name_argument
@click.option(
    "--count", type=click.IntRange(1, MOST_INVITATIONS), required=True, help="Number of invitation codes to make."
)
@click.option("--links", "base", metavar="BASE_URL", help="Print each code as a link to the survey on this site.")
@click.option("--csv", "as_csv", is_flag=True, help="Print the codes as a CSV table for mail merge.")
@store_option
@json_option
def invite(name: str, count: int, base: str | None, store_path: Place, *, as_csv: bool, as_json: bool) -> None:  # noqa: PLR0913 - one for each option
    """Make invitation codes that are valid once, and print the codes.

    The store keeps only keyed hashes of the codes.

    After this command, the survey takes responses only with a code. A link has the code after a #, which browsers do
    not send to the server.

    Example: collector invite wellbeing --count 100 --links https://survey.example.org
    """
    from collector.page.link import survey_address
    from collector.store.store import Store

    address = survey_address(base, name, "--links") if base else ""
    with Store(store_path) as store:
        codes = store.invite(name, count)
    invitations = [{"code": code} | ({"link": f"{address}#{code}"} if base else {}) for code in codes]
    if as_json:
        print_json({"name": name, "invitations": invitations})
        return
    if as_csv:
        click.echo(",".join(invitations[0]))
    for each in invitations:
        click.echo(",".join(each.values()) if as_csv else each.get("link", each["code"]))


@click.command("open")
@name_argument
@store_option
@json_option
def open_survey(name: str, store_path: Place, *, as_json: bool) -> None:
    """Take responses to a survey again after it was closed.

    A published survey is open until it is closed or its last day is over.

    Example: collector open wellbeing
    """
    from collector.store.store import Store

    with Store(store_path) as store:
        store.open_survey(name)
    print_result({"name": name, "open": True}, f"{name}: open", as_json=as_json)


@click.command("close")
@name_argument
@click.option(
    "--for-good", is_flag=True, help="Erase the hashes of all receipts too. The survey cannot be opened again."
)
@store_option
@json_option
def close_survey(name: str, store_path: Place, *, for_good: bool, as_json: bool) -> None:
    """Stop taking responses to a survey from respondents, and deleting them by receipt.

    You can still import responses on paper with `collector import`.

    Example: collector close wellbeing --for-good
    """
    from collector.store.store import Store

    with Store(store_path) as store:
        store.close_survey(name, for_good=for_good)
    line = f"{name}: closed{' for good, receipts erased' if for_good else ''}"
    print_result({"name": name, "open": False, "for_good": for_good}, line, as_json=as_json)


def is_terminal() -> bool:
    """Return whether stdout is a terminal."""
    return sys.stdout.isatty()


def watch_survey(store: Store, name: str) -> None:
    """Print the state of a running survey once, or every minute if stdout is a terminal.

    Raises:
        StoreError: If the survey does not exist or was removed.
    """
    from collector.disclosure.privacy import SurveyPrivacy
    from collector.exchange.remarks import remarks
    from collector.maintenance.running import FEW, LOOK_SECONDS, Running, best_counts, planned, state_line

    with status("reading"):
        running = Running(store, name, best_counts())
    lints: dict[object, tuple[Lint, ...]] = {}
    while True:
        state = running.look()
        survey, shown, issued = state.newest.survey, running.shown, store.invitations(name).issued
        wanted = planned(store, survey)
        if (key := (survey.fingerprint, wanted)) not in lints:
            lints = {key: remarks(SurveyPrivacy(survey), wanted)}
        if is_terminal() and not is_plain():
            click.clear()
        click.echo(f"{name} version {state.newest.version}: {state_line(state)}")
        click.echo(f"responses: {shown.responses if shown else FEW}{f' of {wanted} planned' if wanted else ''}")
        if issued:
            click.echo(f"invitations: {issued} issued, {shown.invitations.used if shown else FEW} used")
        for lint in lints[key]:
            click.echo(lint)
        if shown and shown.estimates:
            columns = ["question", "value", "share (interval for every look)", "±", "planned ±"]
            print_table(columns[: len(shown.estimates[0])], shown.estimates)
        elif shown:
            click.echo(
                "No estimates: the miner is not installed here. Install deniable anew, with all of its packages."
            )
        if not is_terminal():
            return
        click.echo("Figures change by ten responses or more, so that they tell no time of a person. Ctrl-C ends this.")
        sleep(LOOK_SECONDS)


@click.command()
@name_argument
@click.option("--version", type=click.IntRange(min=1), help="Only this version, which must have no responses.")
@click.option("--yes", is_flag=True, help="Delete without asking for confirmation.")
@store_option
@json_option
def remove(name: str, version: int | None, store_path: Place, *, yes: bool, as_json: bool) -> None:
    """Delete a survey from the store, with its versions, responses, receipts, invitations and training runs.

    Backups, exports and model files are not deleted. Close the survey first, because pages that are open can send no
    response after the command. With --version, a version that has no responses is deleted, and its number and
    fingerprint are not used again.

    Example: collector remove wellbeing --yes
    """
    from collector.store.store import Store

    with Store(store_path) as store:
        store.published(name)  # says which names there are if this is none
        count = sum(store.count(each.survey) for each in store.surveys() if each.name == name)
        what = f"{name} and its {count} responses" if version is None else f"version {version} of {name}"
        if not yes:
            click.confirm(f"Delete {what} for ever?", abort=True, err=True)
        if version is None:
            count = store.remove(name)
            line = f"{name}: removed, with {count} responses"
        else:
            store.remove_version(name, version)
            newest = store.published(name).version
            count, line = 0, f"{name}: version {version} removed; version {newest} is the newest"
    result = {"name": name, "responses": count, "removed": True} | ({} if version is None else {"version": version})
    print_result(result, line, as_json=as_json)


@click.command()
@store_option
@json_option
def tidy(store_path: Place, *, as_json: bool) -> None:
    """Rewrite the store in the order of its random ids, so that it does not reveal the order of arrival.

    Run this command every night, also while the server runs.

    Example: collector tidy --store deniable.db
    """
    from collector.store.store import Store

    with Store(store_path) as store:
        store.tidy()
    print_result({"store": str(store_path), "tidy": True}, f"{store_path}: tidy", as_json=as_json)


@click.command("audit-store")
@store_option
@json_option
def audit(store_path: Place, *, as_json: bool) -> int:
    """Show what a store contains, read from its file or database, and check what it must not contain.

    The command exits with 1 if a check fails.

    Example: collector audit-store --store deniable.db
    """
    from collector.maintenance.audit_store import audit_store

    found = audit_store(store_path)
    if as_json:
        print_json(asdict(found) | {"green": found.green})
    else:
        _print_audit(found)
    return 0 if found.green else RED


def _print_audit(found: StoreAudit) -> None:
    print_table(("table", "column", "holds"), [(each.table, each.name, each.holds) for each in found.columns])
    click.echo()
    for check in found.checks:
        remedy = "" if check.green else f"; {check.remedy}"
        click.echo(f"{'green' if check.green else 'red  '} {check.what}: {check.found}{remedy}")
    click.echo("green" if found.green else "red")
