"""The commands that import and export disguised responses as tables."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from collector.commands.command import OutputPath, json_option, name_argument, print_json, store_option, write_output
from collector.commands.progress import progress, status
from collector.database.address import Place
from collector.errors import OutputError, ResponseError, StoreError

if TYPE_CHECKING:
    from collector.store.simulated import Coins
    from collector.store.store import Published, Store

RECODE_HELP = (
    "Values that the words of FILE stand for, such as 0=no,1=yes,NA= with NA for no answer. "
    "Rows without an answer are left out."
)
FORMATS = ("csv", "jsonl", "parquet")
version_option = click.option(
    "--version", type=click.IntRange(min=1), help="Survey version.", show_default="the newest"
)


def identity(published: Published) -> dict[str, Any]:
    """Return the keys of JSON output that identify a version of a survey."""
    return {"name": published.name, "version": published.version, "fingerprint": published.fingerprint}


@click.command("import")
@name_argument
@click.argument("table_path", metavar="FILE", type=click.Path(path_type=Path))
@version_option
@click.option(
    "--encoding", default="utf-8", show_default=True, help="Encoding of FILE, such as cp1252 for plain CSV of Excel."
)
@click.option("--again", is_flag=True, help="Import the responses even if the very same ones were imported before.")
@click.option(
    "--disguised",
    is_flag=True,
    help="Confirm that a coin disguised the answers in FILE, which were collected elsewhere.",
)
@click.option("--recode", metavar="PAIRS", help=RECODE_HELP)
@click.option(
    "--mix", is_flag=True, help="Allow simulated and real responses in one survey. Every output then says so."
)
@click.option("--undo", is_flag=True, help="Take the import of FILE back: delete its responses.")
@store_option
@json_option
def import_table(  # noqa: PLR0913 - one for each option
    name: str,
    table_path: Path,
    version: int | None,
    store_path: Place,
    *,
    encoding: str,
    again: bool,
    disguised: bool,
    recode: str | None,
    mix: bool,
    undo: bool,
    as_json: bool,
) -> None:
    """Import disguised responses from FILE into the store. Nothing is imported if one line is wrong.

    FILE is CSV or JSON lines, with a column for each question. Commas, semicolons or tabs separate the cells of CSV.
    The cells of FILE are values as they were sent, never true answers. If several codes stand for a value, write the
    code, such as #5, into the cell.

    `collector export` and `miner simulate` mark their files with a column _simulated. A file without the column
    _simulated may contain true answers. A file without this column is refused unless you confirm with --disguised that
    a coin disguised each answer. If the words in the file differ from the survey's values, state what they stand for
    with --recode (docs/collected-elsewhere.md).

    A file with the responses of an earlier import, in any order, is refused unless you give --again. To remove the
    responses of an import, give its file with --undo.

    Simulated responses are not mixed with other responses unless you give --mix. While the store has simulated
    responses, the survey's page takes no responses.

    Example: collector import wellbeing responses.csv

    Example: collector import smoking cards.csv --disguised --recode "0=no,1=yes,NA="
    """
    from collector.store.store import Store
    from collector.table.recoding import read_recoding
    from collector.table.table import read_table

    for said, word in ((again, "--again"), (mix, "--mix")):
        if said and undo:
            raise click.UsageError(f"{word} and --undo do not go together")
    with Store(store_path) as store, status("taking back" if undo else "importing"):
        store.refuse_tests()
        published = store.published(name, version)
        recoding = {} if recode is None else read_recoding(published.survey, recode)
        table = read_table(published.survey, table_path, None if encoding == "utf-8" else encoding, recoding)
        if published.survey.groups and not (table.marked or disguised or undo):
            _refuse_unmarked(table_path)
        try:
            if undo:
                count = store.imports.take_back(published, table.batch)
            else:
                count = store.imports.bring_in(published, table.batch, simulated=table.simulated, again=again, mix=mix)
        except StoreError as error:
            place = str(table_path) if error.place == "file" else error.place
            raise StoreError(place, error.problem, error.remedy) from None
        try:
            store.tidy()
        except StoreError as error:  # they are stored all the same: to fail would invite to import them again
            click.echo(str(error), err=True)
        total, simulated = store.count(published.survey), store.imports.simulated(published)
    if as_json:
        moved = {"imported": 0 if undo else count, "taken_back": count if undo else 0, "left_out": table.left_out}
        marked = None if simulated is None else simulated.as_json
        print_json(identity(published) | moved | {"responses": total, "simulated": marked})
    else:
        done = f"{count} responses {'taken back' if undo else 'imported'}"
        click.echo(f"{published.name} version {published.version}: {done}, {total} in all")
        if table.left_out:
            rows = "1 row" if table.left_out == 1 else f"{table.left_out} rows"
            click.echo(f"{rows} left out, without an answer to a question")
        if simulated is not None:
            click.echo(f"{published.name} version {published.version}: {simulated.line}")


def _refuse_unmarked(path: Path) -> NoReturn:
    from collector.store.simulated import MARK

    problem = f"it has no column {MARK}, so it may hold true answers, which must never be stored"
    simulate = "disguise true answers of made-up people first (miner simulate)"
    raise ResponseError(str(path), problem, f"{simulate}; if a coin disguised each answer, give --disguised")


@click.command("export")
@name_argument
@click.option(
    "-o", "--output", type=OutputPath(folders=True), help="File to write, or folder for Parquet.", show_default="stdout"
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="Format of the output.",
    show_default="by the file's suffix, or csv",
)
@click.option(
    "--bom", is_flag=True, help="Begin CSV with a byte order mark, so that Excel shows letters such as ä right."
)
@version_option
@store_option
def export(  # noqa: PLR0913 - one for each option
    name: str, output: Path | None, form: str | None, version: int | None, store_path: Place, *, bom: bool
) -> None:
    """Write the disguised responses to a survey, in the order of their random ids.

    CSV and JSON lines contain values in words, and go to stdout unless -o names a file. Parquet files contain codes,
    and are written into a new or empty folder that `miner ... --from`, DuckDB and Polars can read.

    The column _simulated is "no" in every line, or says that all responses are simulated. If only some responses are
    simulated, the store does not know which, and nothing is written.

    Example: collector export wellbeing -o responses.csv
    """
    from collector.store.store import Store
    from collector.survey_file.text_file import MARK
    from collector.table.table import format_of, write_table

    if form != "parquet":
        OutputPath.refuse_folder(output)
    form = form or (format_of(output) if output else "csv")
    if bom and form != "csv":
        raise click.UsageError(f"--bom is for CSV, not for {form}")
    with Store(store_path) as store:
        published = store.published(name, version)
        simulated = store.imports.simulated(published)
        try:
            coins = None if simulated is None else simulated.coins
        except StoreError as error:
            raise StoreError(f"{published.name} version {published.version}", error.problem, error.remedy) from None
        if form == "parquet":
            _export_folder(store, published, output, coins)
            return
        batches = list(store.batches(published.survey))  # small, and whoever reads the output may be slow
    text = write_table(published.survey, batches, form, coins)
    write_output(output, chain([MARK] if bom else [], text))


def _export_folder(store: Store, published: Published, folder: Path | None, coins: Coins | None) -> None:
    from collector.store.store import BATCH
    from collector.table.parquet import write_folder

    if folder is None:
        raise OutputError("-o", "Parquet is written to a folder, not to one file", "name the folder with -o")
    with progress("exporting", store.count(published.survey) // BATCH + 1) as advance:
        count = write_folder(published, store.batches(published.survey), folder, coins, advance)
    click.echo(f"{count} responses written to {folder}")
