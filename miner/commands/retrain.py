"""Define the subcommand of ``miner`` for scheduled training."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from collector.commands.command import json_option, name_argument, store_option
from collector.database.address import Place
from collector.errors import QueryError

if TYPE_CHECKING:  # these bring numpy and pandas with them
    from miner.retrain.result import Result
    from miner.retrain.settings import Settings

BUSY = 3
HELD = 4
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@click.command()
@name_argument
@click.option(
    "--config",
    "settings_path",
    metavar="RETRAIN.toml",
    type=click.Path(path_type=Path),
    required=True,
    help="File of settings for training and promotion, such as examples/retrain.toml.",
)
@click.option(
    "--every",
    metavar="TIME",
    help="Time between runs, such as 30m, 6h or 1d. Needs the extra deniable[schedule].",
    show_default="one run",
)
@click.option("--force", is_flag=True, help="Train even if there are fewer new responses than the setting minimum_new.")
@click.option(
    "--accept",
    is_flag=True,
    help="Accept a drift: promote the model on hold or, if none is on hold, train and promote a new one.",
)
@click.option("--back", is_flag=True, help="Put the model back into use that the last promotion replaced.")
@store_option
@json_option
def retrain(  # noqa: PLR0913 - one for each option
    name: str,
    settings_path: Path,
    every: str | None,
    store_path: Place,
    *,
    force: bool,
    accept: bool,
    back: bool,
    as_json: bool,
) -> int:
    """Train a model on enough new responses, and replace the old model unless the new model is significantly worse.

    If the new responses differ from earlier responses by more than chance (drift), the new model is held. No run then
    replaces the old model until you either accept the new responses (--accept) or remove them (collector import
    --undo). A model of another version of the survey is only replaced by a significantly better one.

    A model is also trained if a setting has changed, or the file of the old model is missing. Each run prints one line
    of JSON, and a sentence on stderr about its decision. The exit status is 4 if a model is held, 3 if another run is
    active, 2 for bad input, and otherwise 0.

    Example: miner retrain wellbeing --config retrain.toml
    """
    from miner.retrain.job import BUSY as AT_WORK
    from miner.retrain.job import HELD as IS_HELD
    from miner.retrain.settings import read_settings

    del as_json  # JSON either way
    settings = read_settings(settings_path)
    if back and (force or accept or every is not None):
        raise QueryError("--back", "no model is trained with this option", "leave out --every, --force and --accept")
    if back:
        return BUSY if _back(store_path, name, settings).result == AT_WORK else 0
    if every is None:
        result = _run(store_path, name, settings, force=force, accept=accept).result
        return {AT_WORK: BUSY, IS_HELD: HELD}.get(result, 0)
    if force or accept:
        raise QueryError(
            "--every", "--force and --accept apply to a single run", "leave out these options, or leave out --every"
        )
    _stay(store_path, name, settings, _seconds(every))
    return 0


def _run(store_path: Place, name: str, settings: Settings, *, force: bool = False, accept: bool = False) -> Result:
    from collector.planning.shuffled import AGAIN
    from collector.store.store import Store
    from miner.retrain.job import HELD as IS_HELD
    from miner.retrain.job import retrain as run

    with Store(store_path) as store:
        result = run(store, name, settings, force=force, accept=accept)
    click.echo(json.dumps(result.as_json, ensure_ascii=False, allow_nan=False))
    if result.figures is not None or result.result == IS_HELD:
        click.echo(f"{name}: {result.result}: {result.why}", err=True)
    if result.figures is not None:
        click.echo(AGAIN, err=True)
    return result


def _back(store_path: Place, name: str, settings: Settings) -> Result:
    from collector.store.store import Store
    from miner.retrain.job import restore_champion

    with Store(store_path) as store:
        result = restore_champion(store, name, settings)
    click.echo(json.dumps(result.as_json, ensure_ascii=False, allow_nan=False))
    return result


def _seconds(every: str) -> int:
    number, unit = every[:-1], every[-1:]
    if not number.isascii() or not number.isdigit() or unit not in SECONDS or int(number) < 1:
        raise QueryError("--every", "the value is not a duration", "write a number with s, m, h or d, such as 6h")
    return int(number) * SECONDS[unit]


def _stay(store_path: Place, name: str, settings: Settings, seconds: int) -> None:
    """Run the training at intervals until interrupted."""
    try:
        from apscheduler.schedulers.blocking import BlockingScheduler
    except ImportError:
        raise QueryError("--every", "the scheduler is not installed", 'pip install "deniable[schedule]"') from None
    _run(store_path, name, settings)
    failures: list[BaseException] = []
    scheduler = BlockingScheduler()

    def run() -> None:
        try:
            _run(store_path, name, settings)
        except BaseException as error:  # noqa: BLE001 - raised again below, where it is reported
            failures.append(error)
            scheduler.shutdown(wait=False)

    scheduler.add_job(run, "interval", seconds=seconds, max_instances=1, coalesce=True)
    scheduler.start()
    if failures:
        raise failures[0]
