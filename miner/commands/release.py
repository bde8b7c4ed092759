"""Define the subcommands of ``miner`` that publish models from trusted data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from collector.commands.command import OutputPath, json_option, print_json, store_option
from collector.commands.progress import status
from collector.commands.table_options import table_options
from collector.database.address import Place
from collector.errors import QueryError

if TYPE_CHECKING:  # these bring numpy and pandas with them
    import pandas as pd

    from collector.ledger.ledger import Purse
    from collector.table.plain_table import Reading
    from miner.release.family import ReleaseMethod
    from miner.release.release import Release
    from miner.release.table import TrustedTable

PART = 100_000  # number of rows that are converted to text at a time
COUNTING = ("method", "epsilon", "delta", "size", "settings", "seed", "for_study")  # options about counting rows
CHARGED = ("target", "data_set", "cohort", "onto_path")
SURVEY_HELP = "Survey file that describes the table: the public domain."
SIZE_HELP = "Rough number of records, if it is public."
SET_HELP = "Parameter of the method, such as depth=4. May be given several times."
DATA_SET_HELP = "Data set whose budget is charged (see `miner budget`). Models for study are noted there."
COHORT_HELP = "Name of the rows, if they are one of several disjoint parts of the data set: a batch, a site."
SEED_HELP = "Seed of random tree structures, never of noise. Parties with the same seed draw the same trees."
ONTO_HELP = "Earlier release of private-rdt to add the rows to, at its epsilon. Leave out --method."
STUDY_HELP = "Allow a method that has no guarantee. The file says so, and the ledger notes it without a cost."


@click.command()
@click.argument("source")
@click.option("--survey", "survey_path", type=click.Path(path_type=Path), help=SURVEY_HELP)
@click.option(
    "--method", default="ours", show_default=True, help="Method of release. `miner compare` shows the accuracy of each."
)
@click.option(
    "--epsilon",
    default="1",
    show_default=True,
    help="Epsilon of the whole release for data sets that differ by one record, as a decimal or fraction.",
)
@click.option("--delta", help="Delta of the method k-anon-rdt. Other methods have no delta.")
@click.option("--size", type=click.IntRange(min=1), help=SIZE_HELP, show_default="a noisy number, for 1/20 of epsilon")
@click.option("--set", "settings", metavar="NAME=VALUE", multiple=True, help=SET_HELP)
@click.option("--target", help="Question to predict.", show_default="the survey's target")
@table_options
@click.option("--data-set", help=DATA_SET_HELP)
@click.option("--cohort", help=COHORT_HELP)
@click.option("--seed", type=click.IntRange(min=0), help=SEED_HELP, show_default="drawn from the system")
@click.option("--onto", "onto_path", metavar="MODEL", type=click.Path(path_type=Path), help=ONTO_HELP)
@click.option("--for-study", is_flag=True, help=STUDY_HELP)
@click.option("-o", "--output", type=OutputPath(), required=True, help="Model file to write.")
@store_option
@json_option
def release(  # noqa: PLR0913 - one for each option
    source: str,
    *,
    survey_path: Path | None,
    method: str,
    epsilon: str,
    delta: str | None,
    size: int | None,
    settings: tuple[str, ...],
    target: str | None,
    reading: Reading,
    data_set: str | None,
    cohort: str | None,
    seed: int | None,
    onto_path: Path | None,
    for_study: bool,
    output: Path,
    store_path: Place,
    as_json: bool,
) -> None:
    """Release a model from trusted data with central differential privacy.

    SOURCE is a table (CSV or Parquet) that --survey describes, the NAME of a stored survey that disguises nothing, or a
    model file. The release of a model that was mined from disguised responses costs nothing. The budget is charged
    before the data are read.

    Example: miner release patients.csv --survey patients.toml --data-set patients --epsilon 1 -o model.json
    """
    import numpy as np

    from miner.release import release as releasing
    from miner.release.noise import SystemNoise
    from miner.release.parties import released_onto

    if survey_path is None and source.endswith(".json"):
        from miner.models.model import read_model

        _refuse_beside("a model file", "as a release of it costs and changes nothing", *COUNTING, *CHARGED)
        made = releasing.release_of_model(read_model(Path(source)))
    else:
        if onto_path is not None:
            _refuse_beside("--onto", "as that of the earlier release counts", *COUNTING)
        family = _family(method, epsilon, delta, size, settings)
        if survey_path is None:
            frame, table = _stored(source, target, store_path)
        else:
            asks = family.asks if onto_path is None else None
            frame, table = _described(Path(source), survey_path, target, reading, asks)
        if (family.guarantee is None) != for_study:
            if for_study:
                raise QueryError("--for-study", f"{method} has a guarantee", "leave --for-study out")
            raise QueryError("--method", f"{method} has no differential privacy guarantee", "add --for-study")
        with status("releasing"), _purse(store_path, data_set, cohort, frame, table) as account:
            if onto_path is None:
                made = releasing.release(table, family, account, SystemNoise(), np.random.default_rng(seed))
            else:
                made = released_onto(releasing.read_release(onto_path), table, account, SystemNoise())
    releasing.write_release(made, output)
    _tell(made, output, as_json=as_json)


@click.command()
@click.argument("party_paths", metavar="PARTY.json...", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("-o", "--output", type=OutputPath(), required=True, help="Model file to write.")
@json_option
def merge(party_paths: tuple[Path, ...], *, output: Path, as_json: bool) -> None:
    """Combine the releases of several parties, about different people or different columns of the same people.

    Anybody may combine releases, because the command reads no data and costs no epsilon. Releases about different
    people can be added up, from any number of files. Parties draw the same trees if they release with method
    private-rdt and the same survey, size and --seed. If two parties hold data of the same person, the privacy costs of
    both count for the person.

    If the parties have different columns, give the files of all parties. Each party must release with the method
    private-rdt-vertical and the same survey, target, epsilon and size, and must name its questions, as in --set
    parties=age,sex. The table of a party needs only the columns of the party and the class. The releases of p parties
    cost each person p times epsilon.

    Example: miner merge north.json south.json -o both.json
    """
    from miner.release.parties import merged
    from miner.release.release import read_release, write_release

    made = merged([read_release(path) for path in party_paths])
    write_release(made, output)
    _tell(made, output, as_json=as_json)


def _refuse_beside(place: str, why: str, *names: str) -> None:
    """Raise an error for options that have no effect together with another option.

    Raises:
        QueryError: If one of the given options is on the command line.
    """
    context = click.get_current_context()
    for parameter in context.command.params:
        if parameter.name in names and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE:
            option = max(parameter.opts, key=len)
            raise QueryError(option, f"it has no effect with {place}, {why}", f"leave {option} out")


def _described(
    path: Path, survey_path: Path, target: str | None, reading: Reading, asks: tuple[str, ...] | None
) -> tuple[pd.DataFrame, TrustedTable]:
    """Return a file as a frame of cells, and as the trusted table that a survey file describes."""
    from collector.survey_file.survey_file import read_survey_file
    from miner.release.table import TrustedTable, read_frame

    survey = read_survey_file(survey_path)
    frame = read_frame(path, reading, survey)
    return frame, TrustedTable.from_file(survey, frame, path, target, asks)


def _stored(source: str, target: str | None, store_path: Place) -> tuple[pd.DataFrame, TrustedTable]:
    """Return the stored responses to a survey that disguises nothing, as a frame and as a trusted table."""
    from collector.store.store import Store
    from miner.release.table import TrustedTable
    from miner.responses.responses import Responses

    with Store(store_path) as store:
        table = TrustedTable.from_responses(Responses.from_store(store, source), target)
    return table.frame, table


def _family(method: str, epsilon: str, delta: str | None, size: int | None, settings: tuple[str, ...]) -> ReleaseMethod:
    from collector.ledger.budget import read_amount
    from miner.release.families.methods import family, read_settings

    given = read_settings(settings)
    if delta is not None:
        given["delta"] = read_amount(delta, "--delta")
    return family(method, read_amount(epsilon, "--epsilon"), size, **given)


@contextmanager
def _purse(
    store_path: Place, data_set: str | None, cohort: str | None, frame: pd.DataFrame, table: TrustedTable
) -> Iterator[Purse]:
    from collector.ledger.ledger import Ledger, Purse

    if data_set is None:
        raise QueryError(
            "--data-set",
            "the data set whose budget is charged is missing",
            "name the data set; miner budget sets its budget",
        )
    with Ledger(store_path) as ledger:
        digest, as_read = (
            ledger.digest([str(name) for name in each.columns], _rows(each)) for each in (frame, table.frame)
        )
        yield Purse(ledger, data_set, digest, cohort, as_read)


def _rows(frame: pd.DataFrame) -> Iterator[tuple[str, ...]]:
    """Yield every row of a frame as text."""
    for start in range(0, len(frame), PART):
        part = frame.iloc[start : start + PART]
        yield from zip(*(_texts(part.iloc[:, number]) for number in range(part.shape[1])), strict=True)


def _texts(column: pd.Series) -> list[str]:
    """Return the cells of a column as text."""
    import numpy as np
    import pandas as pd

    codes, distinct = pd.factorize(column, use_na_sentinel=False)
    texts: list[str] = np.array([str(each) for each in distinct], object)[codes].tolist()
    return texts


def _tell(made: Release, output: Path, *, as_json: bool) -> None:
    if as_json:
        identity = {"method": made.method, "survey": made.survey.name, "target": made.target, "kind": made.kind}
        print_json(identity | {"parameters": made.parameters, "statement": made.statement.as_json})
        return
    click.echo(f"{made.method} that predicts {made.target}, written to {output}")
    for line in made.privacy:
        click.echo(line)
