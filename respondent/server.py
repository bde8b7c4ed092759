"""The production server, which is gunicorn with several threads per worker and without logs of callers."""

import errno
import json
import os
import signal
import socket
from contextlib import suppress
from time import sleep
from types import FrameType
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.http.errors import ParseException
from gunicorn.http.message import Request
from gunicorn.workers.gthread import _DEFER, TConn, ThreadWorker

from collector.database.address import Address, Place, read_place
from collector.database.file_system import check_disk
from collector.errors import StoreError
from collector.maintenance.audit_store import check_schema
from collector.store.store import Store
from respondent.app import create_app
from respondent.errors import ServeError
from respondent.headers import HEADERS
from respondent.intake.chunks import limit_chunks
from respondent.intake.patience import SENDING, Patience, hang_up

WORKERS = 2
THREADS = 64  # number of threads per worker. Many senders can wait for the disk together
SETTINGS: dict[str, Any] = {
    "workers": WORKERS,
    "threads": THREADS,
    "worker_class": "respondent.server.QuietWorker",
    "accesslog": None,  # who called, when and from where is never recorded
    "loglevel": "error",  # gunicorn's warnings name the caller's address
    "control_socket_disable": True,
    "forwarded_allow_ips": "",  # only the app's own --proxy-hops says which proxies are trusted
    "graceful_timeout": int(SENDING) + 5,  # who sends slowly is given up before the worker is
}
AGAIN_SECONDS = 1.0
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT)
PROBLEMS = {
    errno.EADDRINUSE: ("another program uses it", "stop that program, or choose another --port"),
    errno.EACCES: ("ports below 1024 are not for everybody", "choose a higher --port"),
    errno.EADDRNOTAVAIL: ("this machine has no such address", "give another --host"),
}


class QuietWorker(ThreadWorker):  # type: ignore[misc] # gunicorn brings no types
    """A gunicorn worker that also answers malformed HTTP requests.

    Answers to malformed requests have the headers of the application. Nothing of a malformed request is repeated or
    logged.
    """

    def init_process(self) -> None:
        """Start serving, and start watching for callers who take too long."""
        self.patience = Patience(self.cfg.threads)
        self.patience.watch()
        super().init_process()

    def init_signals(self) -> None:
        """Start handling signals in a worker, beginning with the signals that `QuietArbiter` held back."""
        super().init_signals()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)

    def handle_quit(self, sig: int, frame: FrameType | None) -> None:
        """Stop gracefully on SIGQUIT, without taking a lock that the interrupted thread may hold."""
        self.handle_exit(sig, frame)

    def enqueue_req(self, conn: TConn) -> None:
        """Queue a connection for a thread, with the waiting time as part of the request's time limit."""
        self.patience.begin(conn.sock)
        super().enqueue_req(conn)

    def handle(self, conn: TConn) -> object:
        """Handle a request within the time limits of `respondent.intake.patience`, in a thread.

        A caller who has sent nothing yet occupies no thread.
        """
        if not (conn.initialized or conn.data_ready or conn.wait_for_data(0)):
            self.patience.end(conn.sock)
            return _DEFER
        try:
            kept = super().handle(conn)
            if not kept:
                hang_up(conn.sock)
            return kept
        finally:
            self.patience.end(conn.sock)

    def handle_request(self, req: Request, conn: TConn) -> object:
        """Answer a request, whose body may have so many chunks (see `respondent.intake.chunks`)."""
        limit_chunks(req.body)
        return super().handle_request(req, conn)

    def handle_error(self, req: object, client: socket.socket, addr: object, exc: Exception) -> None:
        """Answer a request that gunicorn could not read or finish."""
        del req, addr
        client_error = isinstance(exc, ParseException)
        status, line = (400, "this is not HTTP") if client_error else (500, "something went wrong here")
        if not client_error:
            self.log.error("A request could not be answered: %s", type(exc).__name__)
        body = json.dumps({"error": f"request: {line}; try again with a browser"})
        headers = HEADERS | {"Content-Type": "application/json", "Cache-Control": "no-store", "Connection": "close"}
        lines = [f"HTTP/1.1 {status} {'Bad Request' if client_error else 'Internal Server Error'}"]
        lines += [f"{name}: {value}" for name, value in (headers | {"Content-Length": str(len(body))}).items()]
        with suppress(OSError):  # the caller may be gone
            client.sendall("\r\n".join([*lines, "", body]).encode())


class QuietArbiter(Arbiter):  # type: ignore[misc] # gunicorn brings no types
    """A gunicorn arbiter that loses no signals to a new worker."""

    def spawn_worker(self) -> int | None:
        """Start a worker, and hold back signals for the worker until it can handle signals."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
        try:
            pid: int | None = super().spawn_worker()
            return pid
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Server(BaseApplication):  # type: ignore[misc] # gunicorn brings no types
    """The gunicorn server of a store, which listens on a socket."""

    def __init__(self, store_path: Place, listener: socket.socket, *, workers: int = WORKERS, **options: Any) -> None:  # noqa: ANN401 - its
        self._store_path, self._workers = store_path, workers
        self._options = options
        self._bind = f"fd://{listener.detach()}"
        super().__init__()

    def load_config(self) -> None:
        """Set gunicorn's options, ignoring configuration files and the environment."""
        own = {"bind": [self._bind], "on_exit": self._tidy, "workers": self._workers}
        for name, value in (SETTINGS | own).items():
            self.cfg.set(name, value)

    def run(self) -> None:
        """Serve until a signal asks to stop."""
        QuietArbiter(self).run()

    def _tidy(self, arbiter: Arbiter) -> None:
        """Tidy the store after the workers have ended, so that the order of arrival is lost."""
        if isinstance(self._store_path, Address):
            return
        try:
            with Store(self._store_path) as store:
                store.tidy()
        except StoreError as error:
            arbiter.log.error("%s", error)  # noqa: TRY400 - the line says it all

    def load(self) -> Flask:
        """Return the application, which each worker creates for itself.

        Wait until the PostgreSQL database of the store is available.
        """
        while True:
            try:
                return create_app(Store(self._store_path), **self._options)
            except StoreError:
                if not isinstance(self._store_path, Address):
                    raise
                sleep(AGAIN_SECONDS)  # gunicorn's own patience ends the worker, and starts another


def app(store_path: str, **options: Any) -> Flask:  # noqa: ANN401 - its
    """Return the application for a separate gunicorn, as in ``gunicorn "respondent.server:app('deniable.db')"``."""
    place = read_place(store_path)
    check_disk(place)
    with Store(place) as store:
        store.refuse_tests()
        store.check_intake()
    check_schema(place)
    return create_app(Store(place), **options)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address.

    Raises:
        ServeError: If the address or the port is not available, for example because another program uses it.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        number = error.errno or 0
        if number < 0:  # from the name lookup, not from the system
            raise ServeError(
                f"host {host}", "the address cannot be used on this machine", "give an address such as 127.0.0.1"
            ) from None
        unknown = (f"it cannot be listened on ({os.strerror(number)})", "choose another")
        raise ServeError(f"{host}, port {port}", *PROBLEMS.get(number, unknown)) from None
