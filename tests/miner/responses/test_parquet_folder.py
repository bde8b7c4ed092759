"""A folder of Parquet files is read as the store it was exported from; what is not one is refused in one line."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from collector.errors import ResponseError
from collector.store.simulated import Coins, Simulated
from collector.store.store import Store
from collector.survey.survey import Row, Survey
from collector.table import parquet
from collector.table.parquet import write_folder
from made_up_surveys import surveys_with_rows
from miner.responses.parquet_folder import ParquetFolder
from miner.responses.responses import Responses
from miner_command import printed, refused, run
from small_surveys import plain_survey

ROWS = [(year, cannabis, 3, 2, 0, 1) for year in range(4) for cannabis in range(2)] * 20


def exported(store: Store, survey: Survey, folder: Path, rows: int = 1, coins: Coins | None = None) -> Path:
    write_folder(store.published_as(survey.fingerprint), store.batches(survey, rows), folder, coins, lambda: None)
    return folder


@pytest.fixture
def folder(store: Store, wellbeing: Survey, tmp_path: Path) -> Path:
    """160 responses to the example survey, in ten files."""
    store.add(wellbeing, ROWS)
    return exported(store, wellbeing, tmp_path / "out")


@given(surveys_with_rows())
@settings(max_examples=20)
def test_responses_come_as_from_the_store(case: tuple[Survey, list[Row]]) -> None:
    survey, rows = case
    with tempfile.TemporaryDirectory() as place, Store(Path(place) / "a.db", create=True) as store:
        store.publish(survey)
        store.add(survey, rows)
        exported(store, survey, Path(place) / "out")
        kept, found = Responses.from_store(store, survey.name), ParquetFolder(Path(place) / "out").in_memory()
    assert found.survey == survey
    assert found.codes.tolist() == kept.codes.tolist() == sorted(kept.codes.tolist())


def test_the_order_and_the_names_of_files_do_not_matter(folder: Path) -> None:
    before = ParquetFolder(folder).in_memory().codes.tolist()
    for number, file in enumerate(sorted(folder.iterdir())):
        file.rename(folder / f"{chr(ord('z') - number)}.parquet")
    assert [part.number for part in ParquetFolder(folder).parts] == list(range(10))
    assert ParquetFolder(folder).in_memory().codes.tolist() == before


COMMANDS: list[tuple[str, ...]] = [
    ("estimate", "wellbeing", "cannabis = yes and year in (first, second)"),
    ("crosstab", "wellbeing", "cannabis", "year"),
    ("difference", "wellbeing", "distress = yes", "year = first", "year = fourth"),
    ("rules", "wellbeing"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_commands_print_the_same_from_the_folder_as_from_the_store(
    command: tuple[str, ...], folder: Path, store: Store
) -> None:
    assert printed(*command, "--from", folder) == printed(*command, "--store", store.path)


def test_a_model_trained_from_the_folder_is_that_trained_from_the_store(
    folder: Path, store: Store, tmp_path: Path
) -> None:
    given = ("train", "wellbeing", "--mode", "robust", "--seed", 1)
    told = printed(*given, "--from", folder, "-o", tmp_path / "one.json")
    assert told == printed(*given, "--store", store.path, "-o", tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    tested = ("evaluate", tmp_path / "one.json", "wellbeing")
    assert printed(*tested, "--from", folder) == printed(*tested, "--store", store.path)


def test_simulated_responses_stay_marked(store: Store, wellbeing: Survey, tmp_path: Path) -> None:
    store.add(wellbeing, ROWS)
    folder = exported(store, wellbeing, tmp_path / "out", 100, Coins.SEEDED)
    assert ParquetFolder(folder).simulated == Simulated(160, 160, 160)
    first = run("estimate", "wellbeing", "cannabis = yes", "--from", folder).stdout.splitlines()[0]
    assert first == "note: all 160 responses were simulated, with seeded coins"


def test_another_survey_or_version_than_is_named_is_refused(folder: Path) -> None:
    holds = f'{folder}: it holds responses to version 1 of "wellbeing"; name that survey and version, or another folder'
    for named in (("other",), ("wellbeing", "--version", 2)):
        assert refused("estimate", named[0], "cannabis = yes", *named[1:], "--from", folder) == holds
    assert "leave out --from" in refused("anchors", "wellbeing", "--arm", 2, "--from", folder)


def cut_off(folder: Path) -> None:
    file = folder / "part-00003.parquet"
    file.write_bytes(file.read_bytes()[:-100])


def overwritten(folder: Path) -> None:
    file = folder / "part-00003.parquet"
    whole = bytearray(file.read_bytes())
    whole[4:200] = bytes(196)
    file.write_bytes(whole)


def foreign(folder: Path) -> None:
    pq.write_table(pa.table({"year": [1, 2]}), folder / "a.parquet")


def missing(folder: Path) -> None:
    (folder / "part-00003.parquet").unlink()


def without_the_last(folder: Path) -> None:
    (folder / "part-00009.parquet").unlink()


def twice(folder: Path) -> None:
    shutil.copy(folder / "part-00003.parquet", folder / "copy.parquet")


def of_another_survey(folder: Path) -> None:
    with Store(folder.parent / "other.db", create=True) as store:
        survey = plain_survey(2)
        store.publish(survey)
        exported(store, survey, folder.parent / "other")
    shutil.copy(folder.parent / "other" / "part-00000.parquet", folder / "other.parquet")


def no_code(folder: Path) -> None:
    file = folder / "part-00003.parquet"
    table = pq.read_table(file)
    table = table.set_column(1, table.schema.field(1), pa.array([99] * len(table), pa.uint8()))
    pq.write_table(table.replace_schema_metadata(pq.read_metadata(file).metadata), file)


def changed_design(folder: Path) -> None:
    file = folder / "part-00000.parquet"
    table, told = pq.read_table(file), pq.read_metadata(file).metadata
    design = told[parquet.DESIGN].replace(b"[4,5]", b"[5,6]")
    assert design != told[parquet.DESIGN]
    pq.write_table(table.replace_schema_metadata({**told, parquet.DESIGN: design}), file)


def empty(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()


AGAIN = "export the survey again"
CHANGED = f"it was not written by collector export, or was changed since; {AGAIN}"
NO_CODE = f"a column holds something that is not a code; it was changed since it was written: {AGAIN}"
MIXED = "it is of another survey or version than other.parquet; write each export to its own folder"
MISSING = f"a file is missing, or there twice; {AGAIN}"


@pytest.mark.parametrize(
    ("damage", "place", "line"),
    [
        (cut_off, "/part-00003.parquet", f"the Parquet file is incomplete or damaged; {AGAIN}"),
        (overwritten, "/part-00003.parquet", f"the Parquet file is incomplete or damaged; {AGAIN}"),
        (foreign, "/a.parquet", CHANGED),
        (changed_design, "/part-00000.parquet", CHANGED),
        (missing, "", MISSING),
        (without_the_last, "", MISSING),
        (twice, "", MISSING),
        (of_another_survey, "/part-00000.parquet", MIXED),
        (no_code, '/part-00003.parquet: column "cannabis"', NO_CODE),
        (empty, "", f"the folder contains no Parquet file; {AGAIN}"),
    ],
)
def test_a_folder_that_is_not_as_it_was_written_is_refused(
    damage: Callable[[Path], None], place: str, line: str, folder: Path
) -> None:
    damage(folder)
    assert refused("estimate", "wellbeing", "cannabis = yes", "--from", folder) == f"{folder}{place}: {line}"
    with pytest.raises(ResponseError):
        ParquetFolder(folder).in_memory()


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResponseError, match="there is no such folder"):
        ParquetFolder(tmp_path / "none")


DEFAULT = "import sys; sys.modules.update(dict.fromkeys(['pyarrow', 'dask', 'distributed', 'psycopg'])); "


@pytest.mark.parametrize(
    "command",
    [
        ("miner", "estimate", "wellbeing", "cannabis = yes"),
        ("miner", "crosstab", "wellbeing", "cannabis", "year"),
        ("miner", "train", "wellbeing", "--mode", "robust", "-o", "model.json"),
        ("collector", "export", "wellbeing"),
        ("miner", "estimate", "wellbeing", "cannabis = yes", "--from", "."),
    ],
    ids=" ".join,
)
def test_a_default_install_needs_none_of_the_extras(
    command: tuple[str, ...], store: Store, wellbeing: Survey, tmp_path: Path
) -> None:
    store.add(wellbeing, ROWS)
    script = f"{DEFAULT}from {command[0]}.__main__ import run; run()"
    arguments = [sys.executable, "-c", script, *command[1:], "--store", str(store.path)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, cwd=tmp_path)  # noqa: S603 - our own interpreter
    if "--from" in command:
        assert done.returncode == 2
        assert done.stderr.startswith("Parquet: ")
        assert "deniable[parquet]" in done.stderr
    else:
        assert (done.returncode, done.stderr) == (0, "")


CHANGES: dict[str, Callable[[pa.Table], pa.Table]] = {
    "doubled": lambda table: pa.concat_tables([table, table]),
    "halved": lambda table: table.slice(0, table.num_rows // 2),
    "turned": lambda table: table.take(list(reversed(range(table.num_rows)))),
    "flipped": lambda table: table.set_column(
        1, table.schema.field(1), pa.array([1 - code for code in table[1].to_pylist()], table.schema.field(1).type)
    ),
}


@pytest.mark.parametrize("kind", CHANGES)
@pytest.mark.parametrize("when", ["before", "between plan and run"])
def test_rows_that_were_changed_are_refused_whenever_that_was(
    kind: str, when: str, store: Store, wellbeing: Survey, tmp_path: Path
) -> None:
    store.add(wellbeing, ROWS)
    folder = exported(store, wellbeing, tmp_path / "out", len(ROWS))
    planned = ParquetFolder(folder)
    (file,) = folder.iterdir()
    table = pq.read_table(file)
    metadata = pq.ParquetFile(file).metadata.metadata
    pq.write_table(CHANGES[kind](table).replace_schema_metadata(metadata), file)
    with pytest.raises(ResponseError, match="the file was changed"):
        (planned if when != "before" else ParquetFolder(folder)).tallied([[1, 2]])


def test_a_file_that_is_gone_is_said_to_be_gone_and_not_damaged(folder: Path) -> None:
    planned = ParquetFolder(folder)
    (folder / "part-00003.parquet").unlink()
    with pytest.raises(ResponseError, match="it cannot be read"):
        planned.tallied([[1]])
