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
    """Write a backup to FILE: the store and its key in one file, readable by its owner only, and checked.

    It prints the digest of its content: keep that elsewhere, and compare it with the one that restore prints.
    Safe while the server runs; copying the files is not. A backup that FILE holds is replaced. Keep backups where few
    can read them, and delete old ones: responses that are deleted later stay in them, and so do the receipts of surveys
    closed for good. The invitations used and the responses stored between two backups belong together. If they are few,
    a reader of both backups may link them.

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
    """Restore a store, and its key in the same folder, from the backup in FILE. No file is replaced.

    A backup is refused if its digest shows a change, or if its tables are not those of a store.

    Stop the server first, and move what is left of the old store away. What came after the backup is missing, and what
    was deleted, used or closed since then is as it was before. The ledger of trusted data misses later charges too.

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
