"""Export as Parquet: every code, in files of the owner's only, all of them or none."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collector.errors import OutputError
from collector.store.simulated import MARK, Coins
from collector.store.store import Store
from collector.survey.survey import Row, Survey
from collector.table import parquet
from collector.table.parquet import write_folder
from made_up_surveys import surveys_with_rows
from store_rows import OTHER, ROW
from workshop import call


def exported(store: Store, survey: Survey, folder: Path, rows: int = 2, coins: Coins | None = None) -> int:
    published = store.published_as(survey.fingerprint)
    return write_folder(published, store.batches(survey, rows), folder, coins, lambda: None)


@given(surveys_with_rows(), st.integers(1, 3))
@settings(max_examples=20)
def test_every_response_is_there_in_the_order_of_random_ids(case: tuple[Survey, list[Row]], size: int) -> None:
    survey, rows = case
    with tempfile.TemporaryDirectory() as place, Store(Path(place) / "a.db", create=True) as store:
        store.publish(survey)
        store.add(survey, rows)
        assert exported(store, survey, Path(place) / "out", size) == len(rows)
        files = sorted((Path(place) / "out").iterdir())
        tables = [pq.read_table(each, partitioning=None) for each in files]
        assert len(files) == max(1, -(-len(rows) // (size * parquet.BATCHES)))
        found = [tuple(row.values()) for table in tables for row in table.to_pylist()]
        assert found == store.rows(survey)


def test_files_are_for_their_owner_alone_and_hold_the_design(store: Store, wellbeing: Survey, tmp_path: Path) -> None:
    store.add(wellbeing, [ROW, OTHER])
    (tmp_path / "out").mkdir(mode=0o755)
    exported(store, wellbeing, tmp_path / "out")
    (file,) = (tmp_path / "out").iterdir()
    assert [each.stat().st_mode & 0o777 for each in (file, file.parent)] == [0o600, 0o700]
    metadata = pq.ParquetFile(file).metadata.metadata
    assert metadata[parquet.DESIGN].decode() == wellbeing.canonical
    assert metadata[parquet.FINGERPRINT].decode() == wellbeing.fingerprint
    assert set(pq.read_schema(file).types) == {pa.uint8()}


def test_what_fails_midway_leaves_nothing(
    store: Store, wellbeing: Survey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(wellbeing, [ROW, OTHER] * 4)

    def interrupt() -> None:
        raise KeyboardInterrupt

    published = store.published_as(wellbeing.fingerprint)
    with pytest.raises(KeyboardInterrupt):
        write_folder(published, store.batches(wellbeing, 1), tmp_path / "out", None, interrupt)
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OutputError, match=r"\(No space left on device\)"):
        exported(store, wellbeing, tmp_path / "out")
    assert [each.name for each in tmp_path.iterdir() if "out" in each.name] == []


def test_the_command_writes_into_a_new_or_an_empty_folder_only(store: Store, wellbeing: Survey, tmp_path: Path) -> None:
    store.add(wellbeing, [ROW, OTHER])
    arguments = ("collector", "export", "wellbeing", "--format", "parquet", "--store", str(store.path))
    done = call(*arguments, "-o", str(tmp_path / "out"))
    assert (done.exit_code, done.stdout) == (0, f"2 responses written to {tmp_path / 'out'}\n")
    again = call(*arguments, "-o", str(tmp_path / "out"))
    assert again.exit_code == 2
    assert again.stderr.startswith(f"{tmp_path / 'out'}: ")
    assert "not empty" in again.stderr
    assert call(*arguments).stderr.startswith("-o: Parquet ")
    (tmp_path / "file").touch()
    refused = call(*arguments, "--force", "-o", str(tmp_path / "file"))
    assert refused.stderr.startswith(f"{tmp_path / 'file'}: a file of this name exists")


def test_simulated_responses_are_marked_in_every_row(store: Store, wellbeing: Survey, tmp_path: Path) -> None:
    store.add(wellbeing, [ROW, OTHER])
    exported(store, wellbeing, tmp_path / "out", 1, Coins.SEEDED)
    (file,) = (tmp_path / "out").iterdir()
    assert pq.read_table(file)[MARK].to_pylist() == ["seeded"] * 2
