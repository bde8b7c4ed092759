"""Options that several subcommands of ``miner`` share: which responses, which model."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from collector.commands.command import SAID, name_argument, store_option, write_bytes
from collector.commands.completion import files
from collector.errors import QueryError

if TYPE_CHECKING:  # these bring numpy and pandas with them
    from collector.store.simulated import Simulated
    from miner.drawing.chart import Chart
    from miner.responses.responses import Responses

model_argument = click.argument(
    "model_path", metavar="MODEL", type=click.Path(path_type=Path), shell_complete=files(".json", b'{"format"')
)
answers_argument = click.argument(
    "answers_path", metavar="ANSWERS.csv", type=click.Path(path_type=Path), shell_complete=files(".csv")
)
PLAIN_HELP = "Undisguised rows of your own, a column for each question; each counts as one respondent more."
plain_option = click.option(
    "--plain", "plain_path", metavar="ANSWERS.csv", type=click.Path(path_type=Path), help=PLAIN_HELP
)
version_option = click.option("--version", type=click.IntRange(min=1), help="Of the survey. The newest unless said.")


def with_responses(command: Callable[..., None]) -> Callable[..., None]:
    """Give a subcommand NAME, --version and --store, and call it with the responses that these name."""

    @name_argument
    @version_option
    @store_option
    @wraps(command)
    def run(name: str, version: int | None, store_path: Path, **given: Any) -> None:  # noqa: ANN401 - click's own
        command(responses=responses_of(store_path, name, version), **given)

    return run


def responses_of(store_path: Path, name: str, version: int | None) -> Responses:
    """The responses to one version; says so if any were simulated, and on stderr if others are to older ones.

    Raises:
        StoreError: If the store has no such survey.
        QueryError: If there are no responses.
    """
    from collector.store.store import Store
    from miner.responses.responses import Responses

    with Store(store_path) as store:
        published = store.published(name, version)
        others = [each for each in store.surveys() if each.name == name and each.version < published.version]
        older = {each.version: store.count(each.survey) for each in others}
        responses = Responses.from_store(store, name, published.version)
    for number, count in older.items():
        if count and version is None:
            click.echo(
                f"note: {count} responses to version {number} of {name} are left aside (--version {number})", err=True
            )
    if not len(responses):
        raise QueryError(f'survey "{name}"', f"there is no response to version {published.version} yet", "collect some")
    _say_simulated(responses.simulated)
    return responses


def _say_simulated(simulated: Simulated | None) -> None:
    """Say it in the first line that the command prints, or in its JSON."""
    context = click.get_current_context()
    if context.params.get("as_json"):
        context.meta[SAID] = context.meta.get(SAID, {}) | {
            "simulated": None if simulated is None else simulated.as_json
        }
    elif simulated is not None:
        click.echo(f"note: {simulated.line}")


def check_plot(path: Path | None) -> None:
    """Refuse a plot in another format before anything is reckoned for it."""
    if path is not None and path.suffix not in {".svg", ".png"}:
        raise QueryError("--plot", "its name ends neither with .svg nor with .png", "give it such a name")


def write_plot(path: Path, chart: Chart) -> None:
    """Draw a chart into a file, in the format that its name ends with."""
    write_bytes(path, [chart.png if path.suffix == ".png" else chart.svg.encode()])
