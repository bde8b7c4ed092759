"""Dask workers count Parquet files: the same figures, however many files, workers and deaths there are."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from distributed import Client, Future, LocalCluster
from distributed.security import Security

from collector.errors import QueryError, ResponseError
from collector.store.store import Store
from collector.survey.survey import Survey
from collector.table import parquet
from collector.table.parquet import write_folder
from miner.counting import workers as module
from miner.counting.workers import CountedByWorkers, Round, Workers, workers
from miner.estimates.crosstab import crosstab
from miner.learners.kinds import KINDS
from miner.models import training
from miner.models.model import Model
from miner.responses import responses as responses_module
from miner.responses.parquet_folder import ParquetFolder
from miner.responses.responses import Data
from miner.responses.tally import Tally, split_tally
from miner.trees import tensors
from miner_command import printed, refused
from soak import some_of

ROWS = [*product(range(4), range(2), range(4), [2], [0], range(2))] * 6


CHANGES = ("other answers", "a row less", "cut")  # of a Parquet file while it is counted
LEARNERS: list[tuple[str, dict[str, Any]]] = [
    ("id3", {"mode": "robust"}),
    ("random-trees", {"n_estimators": 3}),
    ("forest", {"mode": "robust", "n_estimators": 3}),
    ("forest", {"mode": "faithful", "n_estimators": 3}),
    ("logit", {}),
    ("boosted", {"n_estimators": 5}),
]


def exported(store: Store, survey: Survey, folder: Path, files: int) -> ParquetFolder:
    published = store.published_as(survey.fingerprint)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet, "BATCHES", -(-len(ROWS) // files))
        write_folder(published, store.batches(survey, 1), folder, None, lambda: None)
    found = ParquetFolder(folder)
    assert len(found.parts) == files
    return found


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory, wellbeing: Survey) -> list[ParquetFolder]:
    """The same responses in 1, 2 and 7 files, each folder with ids of its own."""
    place = tmp_path_factory.mktemp("folders")
    found = []
    for files in (1, 2, 7):
        with Store(place / f"{files}.db", create=True) as store:
            store.publish(wellbeing)
            store.add(wellbeing, ROWS)
            found.append(exported(store, wellbeing, place / str(files), files))
    return found


@pytest.fixture(scope="module")
def cluster(folders: list[ParquetFolder]) -> Iterator[CountedByWorkers]:
    """Two workers, who count seven files."""
    with workers(folders[-1], None, 2) as found:
        yield found


@pytest.fixture(scope="module")
def sources(folders: list[ParquetFolder], cluster: CountedByWorkers) -> list[Data]:
    """The same responses in memory, in files, and counted by workers."""
    shuffled = folders[0].in_memory().take(np.random.default_rng(1).permutation(len(ROWS)))
    return [shuffled, *folders, *(CountedByWorkers(each, cluster._workers) for each in folders)]  # noqa: SLF001 - the one cluster of this module


def trained(source: Data, kind: str, parameters: dict[str, Any]) -> Model:
    classifier = KINDS[kind](source.survey, "cannabis").set_params(random_state=3, **parameters)
    return training.train(source, classifier, Fraction(1, 4), 7)


@pytest.fixture
def full(store: Store, wellbeing: Survey) -> Store:
    """The same responses in a store."""
    store.add(wellbeing, ROWS)
    return store


@pytest.mark.parametrize("tasks", [1, 8])
def test_workers_and_files_do_not_change_a_figure(
    tasks: int, sources: list[Data], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TASKS", tasks)
    told = [crosstab(each, "cannabis", "distress").as_json for each in sources]
    assert told == told[:1] * len(sources)
    assert all(each.in_memory().codes.tolist() == sorted(map(list, ROWS)) for each in sources[1:])


@pytest.mark.parametrize("blocks", [100, pytest.param(1000, marks=pytest.mark.soak)], ids=["four blocks", "one block"])
@pytest.mark.parametrize(("kind", "parameters"), some_of(LEARNERS, (LEARNERS[0], LEARNERS[2], LEARNERS[4])))
def test_workers_and_files_do_not_change_a_bit_of_a_model(
    blocks: int, kind: str, parameters: dict[str, Any], sources: list[Data], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "LARGE", 100)
    monkeypatch.setattr(responses_module, "BLOCK", blocks)
    models = [trained(each, kind, parameters).as_json for each in sources]
    assert models == models[:1] * len(sources)


def test_calls_that_wait_together_are_one_task_for_each_block(
    cluster: CountedByWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(responses_module, "MOST_BLOCKS", 3)
    monkeypatch.setattr(responses_module, "BLOCK", 1)
    blocks, sent = cluster.in_blocks(), list[str]()
    client = cluster._workers.client  # noqa: SLF001 - it is watched
    submit = client.submit

    def watched(make: Any, *given: Any, **more: Any) -> Any:  # noqa: ANN401 - of Dask's own types
        sent.append(given[0].__name__)
        return submit(make, *given, **more)

    monkeypatch.setattr(client, "submit", watched)
    sizes, parts = blocks.results(combinations), blocks.results(split_tally, 2)
    places = blocks.results(combinations, own=[(number,) for number in range(3)])
    assert sent == []
    assert [*sizes] == [sum(map(combinations, each)) for each in parts]
    assert [*places] == [0, 1, 2]
    assert sent == ["made_together"] * 3


def test_every_call_of_a_round_fails_if_a_block_failed() -> None:
    def results() -> Iterator[list[int]]:
        yield [1, 2]
        raise QueryError("Dask", "no worker has come", "start again")

    together = Round(results())
    for _ in range(2):
        with pytest.raises(QueryError, match="no worker has come"):
            _ = together.results


def combinations(tally: Tally, otherwise: int | None = None) -> int:
    """How many combinations of codes a tally has, or a number that the block is given."""
    return tally.words.shape[1] if otherwise is None else otherwise


@pytest.mark.parametrize("call", some_of([2, 9, 20], [9]), ids={2: "while reading", 9: "at the root", 20: "below"}.get)
def test_a_worker_that_is_killed_in_the_middle_changes_nothing(
    call: int, cluster: CountedByWorkers, folders: list[ParquetFolder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "LARGE", 100)
    monkeypatch.setattr(responses_module, "BLOCK", 100)
    monkeypatch.setattr(tensors, "FEW_COINS", 0)
    monkeypatch.setattr(tensors, "ROOM", 0)  # so that each level is counted by the workers
    parameters = {"mode": "faithful"}
    expected = trained(folders[0], "id3", parameters).as_json
    result, calls, killed = Workers._result, [], []  # noqa: SLF001 - to kill between two results

    def killing(self: Workers, future: Future) -> object:
        calls.append(future)
        if len(calls) == call:
            killed.extend(self.client.run(os.getpid).values())
            os.kill(killed[0], signal.SIGKILL)
        return result(self, future)

    monkeypatch.setattr(Workers, "_result", killing)
    assert trained(cluster, "id3", parameters).as_json == expected
    assert len(killed) == 2
    assert len(calls) > 30


@pytest.fixture
def mortal(folders: list[ParquetFolder]) -> Iterator[CountedByWorkers]:
    """A cluster of one test, which may lose its worker for good."""
    with workers(folders[-1], None, 1) as found:
        yield found


def test_workers_that_are_lost_again_and_again_are_said_to_be(
    mortal: CountedByWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = mortal._workers.client  # noqa: SLF001 - its cluster is this test's
    client.cluster.scheduler.allowed_failures = 1  # of Dask's three
    monkeypatch.setattr(module, "counted_parts", lambda parts, sets: os._exit(1))  # noqa: ARG005 - as it is called
    with pytest.raises(QueryError, match="workers were lost"):
        mortal.in_memory()


@pytest.mark.timeout(120)
def test_results_that_no_worker_is_left_to_give_are_not_waited_for(
    mortal: CountedByWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = mortal._workers.client  # noqa: SLF001 - its cluster is this test's

    def losing(_: str, results: Iterator[object], __: int) -> Iterator[object]:
        client.cluster.scale(0)
        while client.nthreads():
            time.sleep(0.05)
        yield from results

    monkeypatch.setattr(module, "steps", losing)
    monkeypatch.setattr(module, "WITHOUT_WORKERS", 1)
    monkeypatch.setattr(module, "LOOK", 0.5)
    with pytest.raises(QueryError, match="no worker has come"):
        mortal.in_memory()


@pytest.mark.timeout(120)
def test_a_scheduler_to_which_no_worker_comes_is_not_waited_for(
    full: Store, wellbeing: Survey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = exported(full, wellbeing, tmp_path / "out", 2).path
    monkeypatch.setattr(module, "WITHOUT_WORKERS", 1)
    with LocalCluster(n_workers=0, **module.LOCAL) as empty:
        options = ("--from", folder, "--scheduler", empty.scheduler_address)
        said = refused("crosstab", "wellbeing", "cannabis", "distress", *options)
    assert said.startswith("Dask: no worker has come")


def test_a_minute_passes_before_workers_are_given_up() -> None:
    assert module.WITHOUT_WORKERS == 60


def test_a_task_that_takes_its_time_is_waited_for(
    cluster: CountedByWorkers, folders: list[ParquetFolder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOK", 0.001)
    monkeypatch.setattr(module, "WITHOUT_WORKERS", 1)
    found = CountedByWorkers(folders[-1], cluster._workers).in_memory()  # noqa: SLF001 - the one cluster of this module
    assert len(found) == len(ROWS)


def test_a_damaged_file_is_told_from_the_worker_in_one_line(
    cluster: CountedByWorkers, full: Store, tmp_path: Path
) -> None:
    folder = exported(full, cluster.survey, tmp_path / "out", 2)
    (tmp_path / "out" / "part-00001.parquet").write_bytes(b"nothing")
    with pytest.raises(ResponseError, match=r"part-00001.parquet: "):
        CountedByWorkers(folder, cluster._workers).in_memory()  # noqa: SLF001 - the one cluster of this module


@pytest.mark.parametrize(
    ("how", "moment"), some_of(product(CHANGES, range(10)), [*zip(CHANGES, (4, 0, 9), strict=True)])
)
def test_a_file_that_changes_while_workers_count_changes_no_figure(  # noqa: PLR0913, PLR0917 - fixtures
    how: str,
    moment: int,
    cluster: CountedByWorkers,
    full: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = exported(full, cluster.survey, tmp_path / "out", 10)
    expected = crosstab(folder, "cannabis", "distress").as_json
    last = tmp_path / "out" / "part-00009.parquet"
    merge, merged = Tally.merge, 0

    def change() -> None:
        if how == "cut":
            last.write_bytes(last.read_bytes()[:-100])
            return
        with Store(tmp_path / "other.db", create=True) as store:
            store.publish(cluster.survey)
            rows = [ROWS[0]] * len(ROWS)
            store.add(cluster.survey, rows if how == "other answers" else rows[1:])
            exported(store, cluster.survey, tmp_path / "other", 10)
        (tmp_path / "other" / last.name).replace(last)

    def merged_and_changed(tally: Tally, other: Tally) -> None:
        nonlocal merged
        merge(tally, other)
        merged += 1
        if merged == moment:
            change()

    monkeypatch.setattr(module, "TASKS", 5)
    monkeypatch.setattr(Tally, "merge", merged_and_changed)
    if moment == 0:
        change()
    found, named = None, last.name
    try:
        found = crosstab(CountedByWorkers(folder, cluster._workers), "cannabis", "distress").as_json  # noqa: SLF001 - the one cluster of this module
    except ResponseError as error:
        named = error.place
    assert found in ([None] if moment == 0 else [None, expected])
    assert last.name in named


def test_the_command_counts_with_a_scheduler_that_is_there(
    full: Store, wellbeing: Survey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = exported(full, wellbeing, tmp_path / "out", 2).path
    command = ("crosstab", "wellbeing", "cannabis", "distress")
    with LocalCluster(n_workers=1, threads_per_worker=1, **module.LOCAL) as other:
        told = printed(*command, "--from", folder, "--scheduler", other.scheduler_address)
    assert told == printed(*command, "--store", full.path)
    monkeypatch.setattr(module, "PATIENCE", 1)
    line = "--scheduler: no Dask scheduler answers at this address; give the address that the scheduler prints"
    assert refused(*command, "--from", folder, "--scheduler", "tcp://127.0.0.1:9") == line


COMMAND = ("crosstab", "wellbeing", "cannabis", "distress")


@contextmanager
def worker_elsewhere(scheduler: str, folder: Path) -> Iterator[None]:
    """A worker that runs in another folder, with the code that is there."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", scheduler, "--no-nanny", "--no-dashboard"]
    started = subprocess.Popen(  # noqa: S603 - of this test
        command, cwd=folder, env=os.environ | {"PYTHONPATH": str(folder)}, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        started.terminate()
        started.wait()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("changed", [False, True])
def test_a_worker_with_other_code_is_refused_and_one_elsewhere_finds_a_relative_folder(
    changed: bool,  # noqa: FBT001 - of a parameter
    full: Store,
    wellbeing: Survey,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exported(full, wellbeing, tmp_path / "out", 2)
    code = Path(module.__file__).parents[2]
    for room in ("collector", "miner"):
        shutil.copytree(code / room, tmp_path / "elsewhere" / room, ignore=shutil.ignore_patterns("__pycache__"))
    if changed:
        with (tmp_path / "elsewhere" / "miner" / "counting" / "blocks.py").open("a") as file:
            file.write("# another version\n")
    monkeypatch.chdir(tmp_path)
    with (
        LocalCluster(n_workers=0, **module.LOCAL) as cluster,
        worker_elsewhere(cluster.scheduler_address, tmp_path / "elsewhere"),
    ):
        options = ("--from", "out", "--scheduler", cluster.scheduler_address)
        if changed:
            said = refused(*COMMAND, *options)
            assert said.startswith("worker tcp://127.0.0.1:")
            assert "another version of deniable" in said
        else:
            assert printed(*COMMAND, *options) == printed(*COMMAND, "--store", full.path)


@pytest.mark.timeout(120)
def test_a_scheduler_with_tls_is_reached_with_certificates_alone(
    full: Store, wellbeing: Survey, tmp_path: Path
) -> None:
    folder = exported(full, wellbeing, tmp_path / "out", 2).path
    ours = Security.temporary()
    paths = {}
    for name in ("tls_ca_file", "tls_client_cert", "tls_client_key"):
        paths[name] = tmp_path / f"{name}.pem"
        paths[name].write_text(getattr(ours, name))
    ca, cert, key = paths.values()
    with LocalCluster(n_workers=1, threads_per_worker=1, protocol="tls://", security=ours, **module.LOCAL) as cluster:
        options = ("--from", folder, "--scheduler", cluster.scheduler_address)
        tls = ("--tls-ca", ca, "--tls-cert", cert, "--tls-key", key)
        assert printed(*COMMAND, *options, *tls) == printed(*COMMAND, "--store", full.path)
        assert "give --tls-ca, --tls-cert and --tls-key" in refused(*COMMAND, *options)
        unread = refused(*COMMAND, *options, "--tls-ca", ca, "--tls-cert", tmp_path / "none.pem")
    assert unread.startswith("--tls-cert: ")


def test_a_worker_that_is_killed_while_it_starts_is_one_line(
    folders: list[ParquetFolder], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOCAL", module.LOCAL | {"preload": ["import os; os._exit(9)"]})
    with pytest.raises(QueryError, match="ended while it started"), workers(folders[0], None, 1):
        pass


def test_without_the_key_no_client_reaches_the_workers(cluster: CountedByWorkers) -> None:
    address = cluster._workers.client.scheduler.address  # noqa: SLF001 - the one cluster of this module
    assert address.startswith("tls://127.0.0.1:")
    with pytest.raises((OSError, TypeError, RuntimeError)), Client(address, timeout=1):
        pass


BOTH = ("--scheduler", "tcp://127.0.0.1:9", "--from", ".")


@pytest.mark.parametrize("options", [("--workers", "2"), ("--workers", "2", *BOTH)])
def test_workers_without_parquet_files_are_refused(options: tuple[str, ...], full: Store) -> None:
    line = "Dask: Dask workers read Parquet files only; give --from, and either --scheduler or --workers"
    assert refused("estimate", "wellbeing", "cannabis = yes", "--store", full.path, *options) == line
