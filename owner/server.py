"""The server of the owner's pages, which listens only to this machine and does not log requests."""

import gc
import os
import socket
from collections.abc import Callable
from threading import Event, Thread

from flask import Flask
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from collector.errors import QueryError

HOST = "127.0.0.1"


class Quiet(WSGIRequestHandler):
    """A request handler that does not log requests, because addresses may be secret."""

    def version_string(self) -> str:
        """Return the value of the ``Server`` header."""
        return "deniable"

    def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002 - werkzeug's own
        """Log nothing."""


def listen(port: int) -> socket.socket:
    """Return a socket that accepts connections only from this machine. Port 0 means any free port.

    Raises:
        QueryError: If the port cannot be used, for example because another program uses it.
    """
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        problem = f"it cannot be listened on ({os.strerror(error.errno or 0)})"
        raise QueryError(f"--port {port}", problem, "choose another port, or 0 for any free port") from None


def server_of(app: Flask, listener: socket.socket) -> BaseWSGIServer:
    """Return a server with a thread for each request."""
    with listener:  # it makes a copy
        host, port = listener.getsockname()
        return make_server(host, port, app, threaded=True, request_handler=Quiet, fd=listener.fileno())


def serve(server: BaseWSGIServer, meanwhile: Callable[[Event], object] | None = None) -> None:
    """Serve until interrupted.

    Objects that exist when the server starts are excluded from garbage collection, for faster requests.

    Args:
        server: Server to run, which is closed at the end.
        meanwhile: Function that runs in a second thread, and returns when its argument (an event) is set.
    """
    stopped = Event()
    if meanwhile is not None:
        Thread(target=meanwhile, args=[stopped], daemon=True).start()
    gc.freeze()
    try:
        server.serve_forever()
    finally:
        stopped.set()
        server.server_close()
