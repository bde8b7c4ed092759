"""A store of each format that was released, as SQL text.

``python tests/support/released_stores.py`` writes that of the present format into ``tests/stores``.
"""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from itertools import count
from pathlib import Path

from collector.database.batch import batch_from
from collector.ledger.budget import Charge, Cost, DataSet
from collector.ledger.ledger import Ledger
from collector.store.invitation import pepper_path
from collector.store.registry import PROMOTED
from collector.store.store import Sent, Store
from collector.store.store_format import FORMAT
from collector.survey.text import Text
from collector.survey_file.survey_file import read_survey_file

ROOT = Path(__file__).resolve().parents[2]
STORES = ROOT / "tests" / "stores"
PEPPER = b"p" * 32
ROWS = [(0, 1, 3, 2, 0, 1), (3, 0, 0, 0, 1, 0), (1, 1, 1, 1, 1, 1), (0, 0, 0, 0, 0, 0)]
SENT, WITHDRAWN = Sent(ROWS[-1], b"r" * 32), Sent(ROWS[0], b"w" * 32)


def released_store(number: int, path: Path) -> Path:
    """Make the store of a format, with its key."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((STORES / f"format_{number}.sql").read_text(encoding="utf-8"))
        connection.execute("PRAGMA journal_mode = WAL")
    path.chmod(0o600)
    _write_pepper(path)
    return path


def write_store(path: Path) -> None:
    """Fill a new store with something of everything that stores hold."""
    _write_pepper(path)
    numbers = count(1)
    with Store(path, create=True, draw_ids=lambda count: [next(numbers) * 2**56 for _ in range(count)]) as store:
        read = read_survey_file(ROOT / "examples" / "wellbeing.toml")
        survey = replace(read, study=replace(read.study, until=None))  # the store is read for years
        store.publish(survey)
        published = store.published("wellbeing")
        store.receive(survey, WITHDRAWN)
        store.receive(survey, SENT)
        store.withdraw(survey, b"w" * 32)
        store.imports.bring_in(published, batch_from(survey, ROWS[:3]))
        store.invite("wellbeing", 2)
        store.publish(replace(survey, title=Text.of(en="Student wellbeing (2)")))
        number = store.registry.start(published.fingerprint, "{}", len(ROWS))
        store.registry.end(number, PROMOTED, {})
        store.registry.wait(published.fingerprint)
        store.tidy()
    with Ledger(path) as ledger:
        ledger.open(DataSet("patients", Cost(Fraction(1))))
        ledger.charge("patients", b"d" * 32, Charge("a tree", Cost(Fraction(1, 2))))


def dumped(path: Path) -> str:
    """All of a store as text of SQL, its header's two numbers included."""
    with closing(sqlite3.connect(path)) as connection:
        names = ("application_id", "user_version")
        lines = [f"PRAGMA {name} = {connection.execute(f'PRAGMA {name}').fetchone()[0]};" for name in names]
        return "\n".join([*lines, *connection.iterdump()]) + "\n"


def _write_pepper(path: Path) -> None:
    pepper_path(path).write_bytes(PEPPER)
    pepper_path(path).chmod(0o600)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_store(Path(folder) / "store.db")
        STORES.mkdir(exist_ok=True)
        (STORES / f"format_{FORMAT}.sql").write_text(dumped(Path(folder) / "store.db"), encoding="utf-8")
