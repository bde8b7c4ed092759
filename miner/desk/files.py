"""Make the files that the desk offers for download: the report, and the disguised responses as CSV or Parquet."""

import secrets
import shlex
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from collector.store.simulated import Coins
from collector.store.store import Store
from collector.table.table import write_table
from miner.desk.desk import Snapshot
from miner.responses.tally import batches_of

SEEDS = 2**32


def report_file(store: Store, snapshot: Snapshot) -> bytes:
    """Return the report of a batch, as ``miner report`` makes it."""
    from miner.reporting.findings import findings  # noqa: PLC0415 - they bring scikit-learn with them
    from miner.reporting.page import page  # noqa: PLC0415

    name, seed = snapshot.published.name, secrets.randbelow(SEEDS)
    which = ["--versions", "all"] if snapshot.pooled else ["--version", str(snapshot.published.version)]
    said = [*which, "--store", str(store.path), "--seed", str(seed)]
    command = shlex.join(["miner", "report", name, *said, "-o", f"{name}-report.html"])
    return page(findings(snapshot.responses, None, seed), command).encode()


def csv_file(snapshot: Snapshot) -> bytes:
    """Return the responses in words as CSV, sorted by their codes.

    Raises:
        StoreError: If some responses are simulated, and it is not known which ones.
    """
    survey, batches = snapshot.published.survey, batches_of(snapshot.responses.survey, snapshot.responses.codes)
    return "".join(write_table(survey, batches, "csv", _coins(snapshot))).encode()


def parquet_file(snapshot: Snapshot) -> bytes:
    """Return the folder that ``collector export --format parquet`` writes, as a ZIP file.

    Raises:
        StoreError: If some responses are simulated, and it is not known which ones.
        QueryError: If pyarrow is not installed.
    """
    from collector.table.parquet import write_folder  # noqa: PLC0415 - it needs pyarrow

    with TemporaryDirectory() as place:  # only its owner can look into it
        folder = Path(place) / snapshot.published.name
        batches = batches_of(snapshot.responses.survey, snapshot.responses.codes)
        write_folder(snapshot.published, batches, folder, _coins(snapshot), lambda: None, pooled=snapshot.pooled)
        return Path(shutil.make_archive(str(folder), "zip", folder)).read_bytes()


def _coins(snapshot: Snapshot) -> Coins | None:
    return None if snapshot.responses.simulated is None else snapshot.responses.simulated.coins
