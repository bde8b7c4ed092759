"""The ``respondent`` command."""

from __future__ import annotations

from pathlib import Path

import click

from collector.command import Command, store_option
from collector.store import Store
from respondent.server import Server, listen


@click.group(cls=Command)
def main() -> None:
    """Hand out published surveys as pages and take in disguised answers."""


@main.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port to listen on; 0 for any free one.",
)
@store_option
def serve(host: str, port: int, store_path: Path) -> None:
    """Serve the surveys of a store until interrupted. Nothing about a respondent is logged."""
    with Store(store_path) as store:
        surveys = len({published.name for published in store.surveys()})
    listener = listen(host, port)
    address = f"[{host}]" if ":" in host else host
    click.echo(
        f"Serving {surveys} survey{'' if surveys == 1 else 's'} on http://{address}:{listener.getsockname()[1]}/"
    )
    Server(store_path, listener).run()
