"""The commands that back up and restore a store."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from collector.commands.command import OutputPath, json_option, print_result, store_option
from collector.commands.progress import status
from collector.database.address import Place

if TYPE_CHECKING:
    from collector.maintenance.backup import Kept

SINCE = (
    "what came after this backup is not in it; responses deleted since are there again, invitations used since can be "
    "used again, and surveys closed since are open: close them again"
)
LEDGER = (
    "WARNING: the ledger of trusted data is as old as the backup. Releases charged since are not in it, and their "
    "budget could be spent a second time: compare miner ledger with all that you have released before you release again"
)


@click.command()
@click.argument("target", metavar="FILE", type=OutputPath())
@store_option
@json_option
def backup(target: Path, store_path: Place, *, as_json: bool) -> None:
    """Write a backup of the store and its key to FILE, check it, and let only its owner read it.

    The command prints the digest of the backup. Keep the digest in another place, and compare it with the digest that
    `collector restore` prints. The server may run during a backup, but not while you copy the files of the store. The
    command replaces an older backup in FILE. Keep backups where few people can read them, and delete old backups: they
    contain responses that were deleted later, and receipts of surveys that were closed for good. A reader of two
    backups can see which invitations were used and which responses were stored between the backups.

    Example: collector backup deniable.backup --store deniable.db
    """
    from collector.maintenance.backup import back_up

    with status("backing up"):
        kept = back_up(store_path, target)
    _print(kept, store_path, target, as_json=as_json)


@click.command()
@click.argument("backup_path", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False))
@store_option
@json_option
def restore(backup_path: Path, store_path: Place, *, as_json: bool) -> None:
    """Restore a store, and its key in the same folder, from the backup in FILE. The command replaces no file.

    A backup is refused if its content was changed, or if its tables are not those of a store.

    Stop the server first, and move the rest of the old store away. The restored store has the state of the moment of
    the backup: later responses are missing, and so are later deletions and later charges in the ledger.

    Example: collector restore deniable.backup --store again.db
    """
    from collector.maintenance import backup as backups
    from collector.maintenance.audit_store import audit_store

    with status("restoring"):
        kept = backups.restore(backup_path, store_path)
    click.echo(f"{store_path}: {SINCE}", err=True)
    if kept.charges is not None:
        click.echo(f"{store_path}: {LEDGER}", err=True)
    for check in audit_store(store_path).checks:
        if not check.green:
            click.echo(f"{store_path}: WARNING: not so: {check.what} ({check.found}); {check.remedy}", err=True)
    _print(kept, store_path, backup_path, as_json=as_json)


def _print(kept: Kept, store: Place, file: Path, *, as_json: bool) -> None:
    ledger = "" if kept.charges is None else f", {kept.charges} charges to trusted data"
    counts = f"{kept.surveys} surveys, {kept.responses} responses, {kept.invitations} invitations{ledger}"
    counts = f"{counts}; digest {kept.digest}"
    print_result({"store": str(store), "backup": str(file)} | asdict(kept), f"{file}: {counts}", as_json=as_json)
