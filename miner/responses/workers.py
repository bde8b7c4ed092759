"""Parquet files counted by Dask workers: each counts some of the files, and only the counts travel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager

from collector.errors import QueryError
from collector.store.simulated import Simulated
from collector.survey.survey import Survey
from miner.responses.parquet_folder import ParquetFolder, ParquetPart
from miner.responses.tally import Tally
from miner.steps import steps

try:
    from dask import config
    from distributed import Client, Future, LocalCluster
    from distributed.scheduler import KilledWorker
except ImportError:
    raise QueryError("Dask", "it is not installed", 'pip install "deniable[dask]"') from None

PATIENCE = 30  # seconds to wait for a scheduler
WITHOUT_WORKERS = 60  # seconds to wait for a worker, where there is none: dead ones are started again, but not always
LOOK = 5  # seconds after which it looks whether any worker is left to give a result that has not come
TASKS = 4  # for each thread of a worker: more cost the scheduler time, fewer are lost with a worker or leave one idle
LOCAL = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "worker_dashboard_address": "127.0.0.1:0"}
"""Nothing listens but on this machine; and other users have no key, which is drawn for each run."""


class CountedByWorkers:
    """The responses in a folder of Parquet files, counted by workers: a `miner.responses.source.Source`.

    Args:
        folder: The folder that the workers can read under the same path.
        client: Client of their scheduler.
    """

    def __init__(self, folder: ParquetFolder, client: Client) -> None:
        self._folder, self._client = folder, client

    @property
    def survey(self) -> Survey:
        """The published design."""
        return self._folder.survey

    @property
    def simulated(self) -> Simulated | None:
        """The record of simulated responses."""
        return self._folder.simulated

    def __len__(self) -> int:
        return len(self._folder)

    def tallied(self, sets: Sequence[Sequence[int]]) -> list[Tally]:
        """A tally of each set of columns, in one pass over the files; the same whichever worker counts which file.

        Raises:
            ResponseError: If a file cannot be read.
            QueryError: If workers were lost again and again, or none came.
        """
        self._wait_for_a_worker()
        sums, parts = [Tally(self.survey, each) for each in sets], self._folder.parts
        size = -(-len(parts) // (TASKS * max(1, sum(self._client.nthreads().values()))))
        tasks = [parts[first : first + size] for first in range(0, len(parts), size)]
        waiting = self._client.map(counted_parts, tasks, sets=sets, pure=False)
        try:
            for future in steps("reading", waiting, len(waiting)):
                for tally, part in zip(sums, self._counted(future), strict=True):
                    tally.merge(part)
                future.release()
        except KilledWorker:
            problem = "workers were lost again and again while they counted"
            raise QueryError("Dask", problem, "give them more memory, or start fewer on one machine") from None
        finally:
            self._client.cancel(waiting)
        return sums

    def _counted(self, future: Future[list[Tally]]) -> list[Tally]:
        """The tallies of one task, for which it waits as long as there are workers.

        A thread of its own waits without a limit: a limit of Dask's own can cancel a transfer before it begins, and
        no result reaches that client afterwards.
        """
        with ThreadPoolExecutor(1) as thread:
            result = thread.submit(future.result)
            try:
                while not wait([result], LOOK).done:
                    self._wait_for_a_worker()
            except QueryError:
                future.cancel()  # which ends the thread
                raise
            return result.result()

    def _wait_for_a_worker(self) -> None:
        """Return at once if there is a worker."""
        try:
            self._client.wait_for_workers(1, WITHOUT_WORKERS)
        except TimeoutError:
            problem = f"no worker has come for {WITHOUT_WORKERS} seconds"
            raise QueryError("Dask", problem, "see that workers run and reach the scheduler, and start again") from None


def counted_parts(parts: Sequence[ParquetPart], sets: Sequence[Sequence[int]]) -> list[Tally]:
    """A tally of each set of columns of some files."""
    tallies = [Tally(parts[0].survey, each) for each in sets]
    for part in parts:
        part.add_to(tallies)
    for each in tallies:
        each.settle()  # so that only the counts travel
    return tallies


@contextmanager
def workers(folder: ParquetFolder, scheduler: str | None, count: int | None) -> Iterator[CountedByWorkers]:
    """Count with the workers of a scheduler, or with so many on this machine, of one thread each, until the block ends.

    Who may talk to a scheduler can run any code as its owner: those on this machine use TLS with a key of their own.

    Args:
        folder: To be counted.
        scheduler: Its address, such as ``tcp://10.0.0.1:8786``; None for workers on this machine.
        count: How many of them.

    Raises:
        QueryError: If the scheduler does not answer.
    """
    if scheduler is None:
        with (
            config.set({"distributed.worker.profile.enabled": False}),  # of stacks, a hundred times a second
            LocalCluster(n_workers=count or 1, threads_per_worker=1, security=True, **LOCAL) as cluster,
            Client(cluster) as client,
        ):
            yield CountedByWorkers(folder, client)
        return
    try:
        client = Client(scheduler, timeout=PATIENCE)
    except (OSError, ValueError):
        raise QueryError("--scheduler", "no Dask scheduler answers there", "give the address it prints") from None
    with client:
        yield CountedByWorkers(folder, client)
