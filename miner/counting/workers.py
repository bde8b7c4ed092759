"""Count Parquet files with Dask workers. Each Dask worker counts some of the files and sends only the counts.

Dask workers also help to learn trees. For learning trees, a worker holds blocks of distinct responses, and sends only
sums over its blocks (`miner.responses.blocks`). If a worker is lost, its blocks are rebuilt from the files.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from operator import getitem
from pathlib import Path
from pickle import dumps, loads
from threading import Lock
from typing import Any, Generic, NamedTuple, TypeVar

from collector.errors import QueryError
from miner.counting.same_code import check_code
from miner.responses.blocks import Blocks, Own, processors
from miner.responses.parquet_folder import ParquetFolder, ParquetPart
from miner.responses.responses import Data
from miner.responses.tally import Tally, split_tally
from miner.steps import steps

try:
    from dask import config
    from distributed import Client, Future, LocalCluster
    from distributed.scheduler import KilledWorker
    from distributed.security import Security
except ImportError:
    raise QueryError("Dask", "Dask is not installed", 'pip install "deniable[dask]"') from None

Item = TypeVar("Item")
Made = TypeVar("Made")
PATIENCE = 30  # number of seconds to wait for a scheduler
WITHOUT_WORKERS = 60  # number of seconds to wait for a worker if there is none; lost workers may restart
LOOK = 5  # number of seconds between checks that a worker is left to give an awaited result
TASKS = 4  # tasks per thread of a worker: more cost the scheduler time, fewer leave threads idle
MOST_SENT = 2**22  # number of bytes of arguments above which no further call joins a task; Dask warns from 10 MB on
LOCAL: dict[str, Any] = {
    "host": "127.0.0.1",
    "dashboard_address": "127.0.0.1:0",
    "scheduler_kwargs": {"dashboard": False},
}
"""Nothing listens but on this machine, and no dashboard; other users have no key, which is drawn for each run."""


class Call(NamedTuple):
    """Call of a function with several items that workers hold.

    Attributes:
        items: Items on the workers, one for each block.
        make: Pickled function with the arguments that are equal for all blocks.
        own: Further arguments for each block.
    """

    items: Sequence[object]
    make: bytes
    own: Own


class Round:
    """Calls that are sent together, as one task for each block.

    Args:
        results: Results of all calls for each block.
    """

    def __init__(self, results: Iterator[list[Any]]) -> None:
        self._awaited, self._lock = results, Lock()
        self._results: list[list[Any]] = []
        self._failure: Exception | None = None

    @property
    def results(self) -> list[list[Any]]:
        """Return the results of all calls for each block, once all blocks are done.

        Raises:
            Exception: If a block failed, for each call of the round.
        """
        with self._lock:
            if self._failure is not None:
                raise self._failure
            try:
                self._results += self._awaited
            except Exception as error:
                self._failure = error
                raise
        return self._results


class Workers:
    """Dask workers of a client.

    The workers call functions, and their results are awaited as long as any worker is left.

    Args:
        client: Dask client of the workers' scheduler.
    """

    def __init__(self, client: Client) -> None:
        self.client, self._lock = client, Lock()
        self._waiting: list[tuple[Call, list[tuple[Round, int]]]] = []  # with where a call's round is to be written

    @property
    def threads(self) -> int:
        """Return the number of calls that run at once, at least 1."""
        threads: int = sum(self.client.nthreads().values())
        return max(1, threads)

    def sent(
        self, make: Callable[..., Made], items: Sequence[object], given: Sequence[object], own: Own
    ) -> list[Future[Made]]:
        """Start a function on the workers with each item.

        Return the calls, some of which may still be running or waiting.
        """
        calls = zip(items, own or [()] * len(items), strict=True)
        return [self.client.submit(on_one_thread, make, item, *given, *more, pure=False) for item, more in calls]

    def made(
        self, items: Sequence[object], make: Callable[..., Made], given: Sequence[object], own: Own
    ) -> Iterator[Made]:
        """Yield the result of a function for each item, in order.

        Calls wait until a result is needed, and are then sent together, because each task costs Dask some milliseconds.
        """
        place: list[tuple[Round, int]] = []
        call = Call(items, dumps((make, given)), own or [()] * len(items))
        with self._lock:
            self._waiting.append((call, place))

        def awaited() -> Iterator[Made]:
            with self._lock:
                if not place:
                    self._send()
            ((together, at),) = place
            for results in together.results:
                yield results[at]

        return awaited()

    def _send(self) -> None:
        """Send all waiting calls to the workers."""
        waiting, self._waiting = self._waiting, []
        while waiting:
            some, size = [waiting.pop(0)], 0
            while waiting and len(waiting[0][0].items) == len(some[0][0].items) and size < MOST_SENT:
                some.append(waiting.pop(0))
                size += len(some[-1][0].make)
            tasks = [
                [[call.items[block] for call, _ in some], [(call.make, call.own[block]) for call, _ in some]]
                for block in range(len(some[0][0].items))
            ]
            calls = [self.client.submit(on_one_thread, made_together, *task, pure=False) for task in tasks]
            together = Round(self.results(calls))
            for at, (_, place) in enumerate(some):
                place.append((together, at))

    def results(self, calls: Sequence[Future[Made]]) -> Iterator[Made]:
        """Yield the results of calls, in order.

        Raises:
            QueryError: If workers were lost repeatedly, or no worker arrived.
        """
        waiting = deque(calls)
        try:
            while waiting:
                yield self._result(waiting[0])
                waiting.popleft().release()
        except Exception as error:
            self.client.cancel(list(waiting))
            if not isinstance(error, KilledWorker):
                raise
            problem = "workers were lost again and again while they counted"
            raise QueryError(
                "Dask", problem, "give the workers more memory, or start fewer of them on one machine"
            ) from None

    def _result(self, call: Future[Made]) -> Made:
        """Return the result of one call, waiting as long as there are workers.

        A separate thread waits for the result without a time limit, because a time limit in Dask can cancel the
        transfer.
        """
        with ThreadPoolExecutor(1) as thread:
            result = thread.submit(call.result)
            try:
                while not wait([result], LOOK).done:
                    self.wait_for_one()
            except QueryError:
                call.cancel()  # which ends the thread
                raise
            return result.result()

    def wait_for_one(self) -> None:
        """Wait until there is a worker."""
        try:
            self.client.wait_for_workers(1, WITHOUT_WORKERS)
        except TimeoutError:
            problem = f"no worker has come for {WITHOUT_WORKERS} seconds"
            raise QueryError(
                "Dask", problem, "check that workers run and reach the scheduler, then start again"
            ) from None


class WorkerBlocks(Generic[Item]):
    """Blocks that workers hold (`miner.responses.blocks.Blocks`)."""

    def __init__(self, workers: Workers, items: Sequence[Future[Item]]) -> None:
        self._workers, self._items = workers, items

    def __len__(self) -> int:
        return len(self._items)

    def each(self, make: Callable[..., Made], *given: object, own: Own = ()) -> Blocks[Made]:
        """Call a function with the item of each block, and leave the results on the workers as new blocks."""
        return WorkerBlocks(self._workers, self._workers.sent(make, self._items, given, own))

    def results(self, make: Callable[..., Made], *given: object, own: Own = ()) -> Iterator[Made]:
        """Return the results of a function for each item, in order."""
        return self._workers.made(self._items, make, given, own)


class CountedByWorkers(Data):
    """Responses in a folder of Parquet files, counted by workers.

    Args:
        folder: Folder that the workers can read under the same path.
        workers: Dask workers that read the folder.
    """

    def __init__(self, folder: ParquetFolder, workers: Workers) -> None:
        self._folder, self._workers = folder, workers
        self.survey, self.simulated = folder.survey, folder.simulated

    def __len__(self) -> int:
        return len(self._folder)

    def tallied(self, sets: Sequence[Sequence[int]]) -> list[Tally]:
        """Count the combinations of codes in each set of columns, in one pass over the files.

        The counts do not depend on which worker counts which file.

        Raises:
            ResponseError: If a file cannot be read.
            QueryError: If workers were lost repeatedly, no worker arrived, or one has another version.
        """
        sums, calls = [Tally(self.survey, each) for each in sets], self._counting(sets)
        for tallies in steps("reading", self._workers.results(calls), len(calls)):
            for tally, part in zip(sums, tallies, strict=True):
                tally.merge(part)
        check_code(self._workers.client)  # of workers that came meanwhile
        return sums

    def in_blocks(self) -> Blocks[Tally]:
        """Return blocks of the distinct responses, which stay on the workers.

        Raises:
            ResponseError: If a file cannot be read.
            QueryError: If workers were lost repeatedly, no worker arrived, or one has another version.
        """
        calls, count = self._counting([range(len(self.survey.questions))]), self._block_count
        cut = self._workers.sent(cut_tally, calls, (count,), ())
        parts = [self._workers.sent(getitem, cut, (block,), ()) for block in range(count)]
        whole = self._workers.sent(Tally.together, parts, (), ())
        for _ in steps("reading", self._workers.results(self._workers.sent(bool, calls, (), ())), len(calls)):
            pass
        check_code(self._workers.client)  # of workers that came meanwhile
        return WorkerBlocks(self._workers, whole)

    def _counting(self, sets: Sequence[Sequence[int]]) -> list[Future[list[Tally]]]:
        """Start to count the files on workers, and return the calls, one for some files each."""
        self._workers.wait_for_one()
        check_code(self._workers.client)
        parts = self._folder.parts
        size = -(-len(parts) // (TASKS * self._workers.threads))
        tasks = [parts[first : first + size] for first in range(0, len(parts), size)]
        return self._workers.sent(counted_parts, tasks, (sets,), ())


def on_one_thread(make: Callable[..., Made], *given: object) -> Made:
    """Call a function that may use one thread, because the worker's other threads run other calls."""
    processors.set(1)
    return make(*given)


def made_together(items: Sequence[object], calls: Sequence[tuple[bytes, Sequence[object]]]) -> list[Any]:
    """Call several pickled functions, each with its item, and return their results."""
    found = []
    for item, (pickled, own) in zip(items, calls, strict=True):
        make, given = loads(pickled)  # noqa: S301 - by whoever may run any code here
        found.append(make(item, *given, *own))
    return found


def counted_parts(parts: Sequence[ParquetPart], sets: Sequence[Sequence[int]]) -> list[Tally]:
    """Count the combinations of codes in each set of columns of some files."""
    tallies = [Tally(parts[0].survey, each) for each in sets]
    for part in parts:
        part.add_to(tallies)
    for each in tallies:
        each.settle()  # so that only the counts travel
    return tallies


def cut_tally(tallies: Sequence[Tally], count: int) -> list[Tally]:
    """Divide the counted responses of some files into blocks."""
    return split_tally(tallies[0], count)


class Certificates(NamedTuple):
    """PEM files for a scheduler with TLS, as Dask takes them.

    Attributes:
        ca: Certificate of the authority that signed the scheduler's certificate.
        cert: Certificate of this client.
        key: Key of this client's certificate, or None if the file of the certificate holds it.
    """

    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None


NONE = Certificates()


@contextmanager
def workers(
    folder: ParquetFolder, scheduler: str | None, count: int | None, certificates: Certificates = NONE
) -> Iterator[CountedByWorkers]:
    """Count with the workers of a scheduler, or with local single-threaded workers, until the ``with`` block ends.

    Anybody who can reach a scheduler without TLS can run any code as the scheduler's owner. Local workers use TLS with
    a fresh key.

    Args:
        folder: Folder whose files are counted.
        scheduler: Address of the scheduler, such as ``tcp://10.0.0.1:8786``, or None for local workers.
        count: Number of local workers.
        certificates: Certificates for a scheduler at an address that begins with ``tls://``.

    Raises:
        QueryError: If the scheduler does not answer, its certificates do not fit, or the local workers cannot start.
    """
    with _local(count or 1) if scheduler is None else _client(scheduler, certificates) as client:
        yield CountedByWorkers(folder, Workers(client))


@contextmanager
def _local(count: int) -> Iterator[Client]:
    """Start local workers, and stop them when the ``with`` block ends."""
    with ExitStack() as stack:
        stack.enter_context(
            config.set({"distributed.worker.profile.enabled": False})
        )  # stacks, a hundred times a second
        try:
            cluster = LocalCluster(n_workers=count, threads_per_worker=1, security=True, **LOCAL)
            client = Client(stack.enter_context(cluster))
        except (OSError, RuntimeError):
            raise QueryError(
                "--workers", "a worker ended while it started", "start fewer workers, or free memory, and try again"
            ) from None
        yield stack.enter_context(client)


def _client(scheduler: str, certificates: Certificates) -> Client:
    """Return a client of a scheduler that runs."""
    names = dict(zip(("tls_ca_file", "tls_client_cert", "tls_client_key"), certificates, strict=True))
    given = {name: str(path) for name, path in names.items() if path is not None}  # Dask's own settings have the others
    security = Security(require_encryption=True, **given) if given else Security()
    try:
        security.get_connection_args("client")
    except OSError:
        raise QueryError(
            "--tls-cert", "a file of the certificates cannot be read", "give PEM files whose key and certificate fit"
        ) from None
    try:
        return Client(scheduler, timeout=PATIENCE, security=security)
    except (TypeError, RuntimeError):
        raise QueryError(
            "--scheduler", "address and certificates do not fit", "give --tls-ca, --tls-cert and --tls-key with tls://"
        ) from None
    except (OSError, ValueError):
        raise QueryError(
            "--scheduler", "no Dask scheduler answers at this address", "give the address that the scheduler prints"
        ) from None
