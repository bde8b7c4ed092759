"""The files that the desk hands out: the report, and the disguised responses as CSV or Parquet."""

import secrets
import shlex
import shutil
from array import array
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from collector.database.batch import FIRST, MOST_IN_BYTE, Batch
from collector.store.simulated import Coins
from collector.store.store import BATCH, Store
from collector.table.table import write_table
from miner.desk.desk import Snapshot
from miner.responses.responses import Responses

SEEDS = 2**32


def report_file(store: Store, snapshot: Snapshot) -> bytes:
    """The report as ``miner report`` makes it, of this batch."""
    from miner.reporting.findings import findings  # noqa: PLC0415 - they bring scikit-learn with them
    from miner.reporting.page import page  # noqa: PLC0415

    name, seed = snapshot.published.name, secrets.randbelow(SEEDS)
    which = ["--versions", "all"] if snapshot.pooled else ["--version", str(snapshot.published.version)]
    said = [*which, "--store", str(store.path), "--seed", str(seed)]
    command = shlex.join(["miner", "report", name, *said, "-o", f"{name}-report.html"])
    return page(findings(snapshot.responses, None, seed), command).encode()


def csv_file(snapshot: Snapshot) -> bytes:
    """The responses in words, sorted by their codes.

    Raises:
        StoreError: If some are simulated, and nothing tells which.
    """
    survey, rows = snapshot.published.survey, snapshot.responses.rows
    return "".join(write_table(survey, rows, "csv", _coins(snapshot))).encode()


def parquet_file(snapshot: Snapshot) -> bytes:
    """The folder that ``collector export --format parquet`` writes, zipped.

    Raises:
        StoreError: As for `csv_file`.
        QueryError: If pyarrow is not installed.
    """
    from collector.table.parquet import write_folder  # noqa: PLC0415 - it needs pyarrow

    with TemporaryDirectory() as place:  # only its owner can look into it
        folder = Path(place) / snapshot.published.name
        batches, coins = _batches(snapshot.responses), _coins(snapshot)
        write_folder(snapshot.published, batches, folder, coins, lambda: None, pooled=snapshot.pooled)
        return Path(shutil.make_archive(str(folder), "zip", folder)).read_bytes()


def _batches(responses: Responses) -> Iterator[Batch]:
    narrow = all(each.codes[-1] <= MOST_IN_BYTE for each in responses.survey.questions)
    for start in range(0, len(responses), BATCH):
        numbers = responses.codes[start : start + BATCH] + FIRST
        kind = "B" if narrow else "H"
        yield array(kind, numbers.astype("u1" if narrow else "u2").tobytes())


def _coins(snapshot: Snapshot) -> Coins | None:
    return None if snapshot.responses.simulated is None else snapshot.responses.simulated.coins
