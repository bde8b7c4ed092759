"""The server that is measured, as a process of its own: ``python -m benchmarks.collecting.serving STORE``.

It is the server of ``respondent serve`` with an empty Flask view beside the app, at ``/empty``.
"""

from __future__ import annotations

import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
from flask import Flask
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from collector.commands.command import StorePlace
from collector.database import connections
from collector.database.address import Address, Place
from respondent.intake.callers import Limits
from respondent.server import WORKERS, Server, listen

UNLIMITED = 10**9  # requests a minute: the limit is counted, and never met
WAIT = 30  # seconds


class MeasuredServer(Server):
    """The server, with a view that does nothing beside it."""

    def load(self) -> Flask:
        """The app, and the empty view."""
        app: Flask = super().load()
        empty = Flask("empty")
        empty.add_url_rule("/", view_func=lambda: "", methods=["POST"])
        app.wsgi_app = DispatcherMiddleware(app.wsgi_app, {"/empty": empty})  # type: ignore[method-assign] # as documented
        return app


@dataclass(frozen=True)
class Running:
    """A server that runs."""

    process: subprocess.Popen[str]
    port: int


@contextmanager
def running(store_path: Place, *options: str) -> Iterator[Running]:
    """A server on this store, with options of this module's command, until the block ends."""
    given = store_path.url if isinstance(store_path, Address) else str(store_path)
    command = [sys.executable, "-m", "benchmarks.collecting.serving", given, *options]
    with subprocess.Popen(  # noqa: S603 - ours
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    ) as process:
        try:
            port = re.search(r"\d+", process.stdout.readline() if process.stdout else "")
            if port is None:
                raise RuntimeError("the server did not start")
            yield Running(process, int(port[0]))
        finally:
            process.terminate()
            process.wait(WAIT)


@click.command()
@click.argument("store_path", type=StorePlace(path_type=Path))
@click.option("--busy", type=float, help="Seconds to wait for a locked store.")
@click.option("--largest-file", type=int, help="Bytes that a file may grow to, as on a disk that is full.")
@click.option("--workers", type=int, default=WORKERS, show_default=True)
def main(store_path: Place, busy: float | None, largest_file: int | None, workers: int) -> None:
    """Serve a store on a free port, which is printed first."""
    if busy is not None:
        connections.BUSY_SECONDS = busy
    if largest_file is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, resource.RLIM_INFINITY))
    listener = listen("127.0.0.1", 0)
    print(listener.getsockname()[1], flush=True)
    MeasuredServer(store_path, listener, workers=workers, limits=Limits(UNLIMITED, UNLIMITED)).run()


if __name__ == "__main__":
    main()
