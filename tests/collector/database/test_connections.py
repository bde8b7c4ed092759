"""Connections to a store, from many threads and processes; and what a kill leaves."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from collector.errors import StoreError
from collector.store.store import Store
from collector.survey.survey import Survey
from store_rows import OTHER, ROW


def test_every_connection_is_safe_against_power_cuts_and_wipes_what_it_deletes(store: Store) -> None:
    with store._connections.one() as database:  # noqa: SLF001 - settings of a connection do not show from outside
        settings = {name: database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("synchronous", "secure_delete")}
        assert settings == {"synchronous": 2, "secure_delete": 1}
        assert database.journal_mode == "wal"


def test_a_closed_store_says_so(store: Store) -> None:
    store.close()
    store.close()
    with pytest.raises(StoreError, match="the store is closed"):
        store.surveys()


def test_many_threads_share_one_store(store: Store, wellbeing: Survey) -> None:
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(25):
                store.add(wellbeing, [ROW])
                store.published("wellbeing")
        except BaseException as error:  # noqa: BLE001 - told to the test
            failures.append(error)

    threads = [Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert store.count(wellbeing) == 200


def _create_and_publish(path: str, design: str) -> None:
    from collector.survey.design import survey_from_json  # noqa: PLC0415 - in the other process

    with Store(Path(path), create=True) as store:
        survey = survey_from_json(design)
        store.publish(survey)
        store.add(survey, [ROW])


def test_processes_that_create_the_same_store_at_once_share_it(path: Path, wellbeing: Survey) -> None:
    context = multiprocessing.get_context("spawn")
    others = [context.Process(target=_create_and_publish, args=(str(path), wellbeing.canonical)) for _ in range(3)]
    for each in others:
        each.start()
    for each in others:
        each.join(60)
    assert [each.exitcode for each in others] == [0, 0, 0]
    with Store(path) as store:
        assert [each.version for each in store.surveys()] == [1]
        assert store.count(wellbeing) == 3


def test_a_forked_process_leaves_its_parents_connections_alone(store: Store, wellbeing: Survey) -> None:
    store.add(wellbeing, [ROW])
    with store._connections.one() as parents:  # noqa: SLF001 - which connection is used does not show from outside
        pass
    child = os.fork()
    if child == 0:
        done = 1
        try:
            with store._connections.one() as own:  # noqa: SLF001 - as above
                done = 0 if own is not parents and store.add(wellbeing, [OTHER]) == 1 else 1
        finally:
            os._exit(done)
    assert os.waitpid(child, 0)[1] == 0
    assert store.add(wellbeing, [ROW]) == 1
    assert store.count(wellbeing) == 3


ADD_UNTIL_KILLED = """
import json, sys
from pathlib import Path
from collector.survey.design import survey_from_json
from collector.store.store import Store
store = Store(Path(sys.argv[1]))
survey = survey_from_json(sys.stdin.readline())
while True:
    store.add(survey, [tuple(json.loads(sys.argv[2]))])
    print("stored", flush=True)
"""


def test_what_was_acknowledged_survives_a_kill(store: Store, wellbeing: Survey, path: Path) -> None:
    store.close()
    command = [sys.executable, "-c", ADD_UNTIL_KILLED, str(path), json.dumps(ROW)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:  # type: ignore[call-overload] # noqa: S603 - ours
        process.stdin.write(wellbeing.canonical + "\n")
        process.stdin.flush()
        acknowledged = [process.stdout.readline() for _ in range(20)]
        process.send_signal(signal.SIGKILL)
        acknowledged += process.stdout.readlines()
    with Store(path) as again:
        count = again.count(wellbeing)
        assert len(acknowledged) <= count <= len(acknowledged) + 1
        assert set(again.rows(wellbeing)) == {ROW}
