"""Define options that several subcommands of ``miner`` share, for the choice of responses and of a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import wraps
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from collector.commands.command import INPUTS, SAID, name_argument, store_option
from collector.commands.completion import files
from collector.commands.progress import progress, status
from collector.conditions.language import comparisons_in
from collector.database.address import Place
from collector.errors import QueryError
from collector.output import write_bytes
from miner.commands.figures import add_read

if TYPE_CHECKING:  # these bring numpy and pandas with them
    from collector.store.simulated import Simulated
    from collector.survey.survey import Survey
    from miner.drawing.chart import Chart
    from miner.figures.sample_design import SampleDesign
    from miner.responses.responses import Data, Responses

CONDITIONS = ("condition", "first", "second", "among", "careless")  # parameters that are conditions
OF_QUESTIONS = (*CONDITIONS, "row", "column", "layer", "formula")  # parameters that name questions
model_argument = click.argument(
    "model_path", metavar="MODEL", type=click.Path(path_type=Path), shell_complete=files(".json", b'{"format"')
)
answers_argument = click.argument(
    "answers_path", metavar="ANSWERS.csv", type=click.Path(path_type=Path), shell_complete=files(".csv")
)
PLAIN_HELP = "Table of undisguised answers, with a column for each question. Each row counts as one more respondent."
plain_option = click.option(
    "--plain", "plain_path", metavar="ANSWERS.csv", type=click.Path(path_type=Path), help=PLAIN_HELP
)
version_option = click.option(
    "--version", type=click.IntRange(min=1), help="Survey version.", show_default="the newest"
)
versions_option = click.option(
    "--versions",
    type=click.Choice(["all"]),
    help="Pool all versions in which the named questions are the same as in the newest. The output lists them.",
)
from_option = click.option(
    "--from",
    "parquet",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder of Parquet files to read instead of the store.",
)


def _read_sample(context: click.Context, _option: click.Parameter, path: Path | None) -> SampleDesign | None:
    """Read the sampling design from the file that the option ``--sample`` names."""
    from miner.figures.sample_design import SampleDesign

    if path is None:
        return None
    context.meta.setdefault(INPUTS, []).append(path)
    return SampleDesign.read(path)


sample_file_option = click.option(
    "--sample",
    metavar="SAMPLE.toml",
    type=click.Path(path_type=Path),
    callback=_read_sample,
    shell_complete=files(".toml"),
    help="File of sampling weights, strata, clusters and margins to rake by (docs/sampling-weights.md).",
)
scheduler_option = click.option(
    "--scheduler", metavar="ADDRESS", help="Address of a Dask scheduler whose workers read the Parquet files."
)
workers_option = click.option(
    "--workers", type=click.IntRange(min=1), help="Number of processes on this machine that read the Parquet files."
)


def _pem_option(name: str, text: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return an option for a PEM file that Dask takes."""
    path = click.Path(path_type=Path)
    return click.option(name, metavar="PEM", type=path, shell_complete=files(".pem"), help=text)


tls_ca_option = _pem_option("--tls-ca", "Certificate of the authority that signed those of a scheduler at tls://.")
tls_cert_option = _pem_option("--tls-cert", "Certificate to show to a scheduler at tls://.")
tls_key_option = _pem_option("--tls-key", "Key of --tls-cert.")


class Dask(NamedTuple):
    """Dask workers that a command asks for.

    Attributes:
        scheduler: Address of a Dask scheduler, or None.
        workers: Number of processes to start, or None.
        certificates: Files of ``--tls-ca``, ``--tls-cert`` and ``--tls-key``.
    """

    scheduler: str | None = None
    workers: int | None = None
    certificates: tuple[Path | None, Path | None, Path | None] = (None, None, None)

    @property
    def whole(self) -> bool:
        """Return whether there is either a scheduler, which may have certificates, or a number of processes."""
        return (self.workers is None) if self.scheduler else self == Dask(workers=self.workers)


NO_DASK = Dask()


def _limit_memory(_context: click.Context, _option: click.Parameter, gibibytes: float) -> None:
    """Set how much memory the training of a model may use."""
    from miner.responses.filed import memory

    memory.set(int(gibibytes * 2**30))


memory_option = click.option(
    "--memory",
    metavar="GIB",
    type=click.FloatRange(min=0, min_open=True),
    default=2,
    show_default=True,
    expose_value=False,
    callback=_limit_memory,
    help="Memory in GiB for training on many responses. Responses that do not fit are kept in a temporary file.",
)


def level_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add the option ``--level`` to a subcommand, and run the command with intervals of the level that is asked."""

    @click.option(
        "--level",
        metavar="SHARE",
        type=click.FloatRange(0.5, 0.9999),
        help="Level of the intervals: 0.9 for 90 % intervals.",
        show_default="0.95",
    )
    @wraps(command)
    def run(*, level: float | None, **given: Any) -> None:  # noqa: ANN401 - click's own
        from miner.figures.score import level as of_intervals

        former = of_intervals.set(level or of_intervals.get())
        try:
            command(**given)
        finally:
            of_intervals.reset(former)

    return run


def _years(text: str) -> tuple[float, ...]:
    """Return the years of waves, which ascend.

    Raises:
        QueryError: If the text is not a list of ascending numbers.
    """
    try:
        years = tuple(float(each) for each in text.split(","))
    except ValueError:
        years = ()
    if not years or any(one >= other for one, other in pairwise(years)) or not all(map(isfinite, years)):
        raise QueryError("--times", f'"{text}" is not a list of ascending years', "write them like 2019,2021,2024")
    return years


times_option = click.option(
    "--times",
    callback=lambda _context, _option, text: None if text is None else _years(text),
    metavar="YEAR,...",
    help="Year of each wave, ascending, such as 2019,2021.5,2024. The change is then that of one year.",
    show_default="the numbers of the waves",
)


def sample_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add the option ``--sample`` to a subcommand, and pass it its responses as a sample if the option is given."""

    @sample_file_option
    @wraps(command)
    def run(responses: Data, *, sample: SampleDesign | None, **given: Any) -> None:  # noqa: ANN401 - click's own
        from miner.figures.sample import Sample

        command(responses=responses if sample is None else Sample(responses, sample), **given)

    return run


def with_source(command: Callable[..., None]) -> Callable[..., None]:
    """Add the argument NAME and the options that locate responses to a subcommand, and pass it their source."""

    @name_argument
    @version_option
    @versions_option
    @store_option
    @from_option
    @scheduler_option
    @workers_option
    @tls_ca_option
    @tls_cert_option
    @tls_key_option
    @wraps(command)
    def run(  # noqa: PLR0913, PLR0917 - one for each option
        name: str,
        version: int | None,
        versions: str | None,
        store_path: Place,
        parquet: Path | None,
        scheduler: str | None,
        workers: int | None,
        tls_ca: Path | None,
        tls_cert: Path | None,
        tls_key: Path | None,
        **given: Any,  # noqa: ANN401 - click's own
    ) -> None:
        from miner.steps import watch

        watch.set(progress)
        if versions is not None:
            if version is not None or parquet is not None:
                raise click.UsageError("--versions cannot be combined with --version or --from")
            command(responses=_of_all_versions(store_path, name, given), **given)
            return
        dask = Dask(scheduler, workers, (tls_ca, tls_cert, tls_key))
        command(responses=source_of(store_path, name, version, parquet, dask), **given)

    return run


def with_responses(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that locate responses to a subcommand, and pass it the responses in memory."""

    @with_source
    @wraps(command)
    def run(responses: Data, **given: Any) -> None:  # noqa: ANN401 - click's own
        with status("reading"):
            read = responses.in_memory(questions_named(responses.survey, given))
        command(responses=read, **given)

    return run


def source_of(
    store_path: Place,
    name: str,
    version: int | None,
    folder: Path | None,
    dask: Dask = NO_DASK,
) -> Data:
    """Return the source of the responses to one version of a survey.

    Print a line if some responses are simulated, and a line on stderr if there are responses to older versions.

    Args:
        store_path: Path of the store.
        name: Name of the survey.
        version: Number of the version, or None for the newest version.
        folder: Folder of Parquet files to read instead of the store.
        dask: Dask workers that count the responses in the files, if any.

    Raises:
        StoreError: If the store does not contain the survey.
        ResponseError: If the folder is not an export, or is incomplete.
        QueryError: If there are no responses, the folder belongs to another survey or version, or no Dask scheduler
            answers.
    """
    if dask != NO_DASK and (folder is None or not dask.whole):
        raise QueryError(
            "Dask", "Dask workers read Parquet files only", "give --from, and either --scheduler or --workers"
        )
    found, number = _in_store(store_path, name, version) if folder is None else _in_folder(folder, name, version, dask)
    if not len(found):
        raise QueryError(f'survey "{name}"', f"there is no response to version {number} yet", "collect responses first")
    say_simulated(found.simulated)
    add_read(found.survey, number, len(found))
    return found


def questions_named(survey: Survey, given: Mapping[str, Any]) -> list[str]:
    """Return the questions that a command's conditions, formula, columns or sample file may name."""
    texts = {key: given[key] for key in OF_QUESTIONS if given.get(key)}
    words = re.findall(r"\w+", " ".join(text for key, text in texts.items() if key not in CONDITIONS))
    words += [test.name for key in CONDITIONS if key in texts for test in comparisons_in(texts[key])]
    words += [texts.get("condition", "").strip(), *given.get("by", ())]  # a condition may be a question alone
    if given.get("sample") is not None:
        words += [*given["sample"].names, *given["sample"].margins]
    return [question.name for question in survey.questions if question.name in words]


def _of_all_versions(store_path: Place, name: str, given: Mapping[str, Any]) -> Data:
    """Return the responses to all versions of a survey that can be pooled.

    If a command names some questions, versions of the survey are pooled if they agree in these questions.
    """
    from collector.store.store import Store
    from miner.responses.pooling import pooled, pooled_by_question

    source: Data
    with Store(store_path) as store:
        if any(key in given for key in OF_QUESTIONS):
            source = found = pooled_by_question(store, name)
            named = questions_named(found.survey, given)
            line, versions = found.line(named), found.agreeing(named)
        else:
            source, versions, line = pooled(store, name)
        for number in versions:
            survey = store.published(name, number).survey
            add_read(survey, number, store.count(survey))
    if not len(source):
        raise QueryError(
            f'survey "{name}"', "no version that can be pooled has a response yet", "collect responses first"
        )
    context = click.get_current_context()
    click.echo(f"note: {line}", err=True)
    if context.params.get("as_json"):
        context.meta[SAID] = context.meta.get(SAID, {}) | {"versions": versions}
    say_simulated(source.simulated)
    return source


def other_version(responses: Data, option: str, version: int) -> Responses:
    """Return the responses to another version of the survey, from the store that the command reads.

    Raises:
        QueryError: If the other version is the version of the command's responses, or the command does not read a
            store.
    """
    given = click.get_current_context().params
    if given["parquet"] is not None:
        raise QueryError(option, "a folder of Parquet files holds one version", "leave out --from")
    other = source_of(given["store_path"], responses.survey.name, version, None).in_memory()
    if other.survey.fingerprint == responses.survey.fingerprint:
        problem = f"it is version {version} itself"
        raise QueryError(option, problem, "name another version with this option, or with --version")
    return other


def newest_wording(survey: Survey) -> Survey | None:
    """Return the version of a survey with the newest texts, or None for responses from Parquet files."""
    from collector.store.store import Store

    given = click.get_current_context().params
    if given["parquet"] is not None:
        return None
    with Store(given["store_path"]) as store:
        return store.revisions(store.published_as(survey.fingerprint))[-1]


def _in_folder(folder: Path, name: str, version: int | None, dask: Dask) -> tuple[Data, int]:
    from miner.responses.parquet_folder import ParquetFolder

    found = ParquetFolder(folder if dask == NO_DASK else folder.absolute())  # workers stand in other folders
    if found.survey.name != name or version not in {None, found.version}:
        problem = f'it holds responses to version {found.version} of "{found.survey.name}"'
        raise QueryError(str(folder), problem, "name that survey and version, or another folder")
    if dask == NO_DASK:
        return found, found.version
    from miner.counting.workers import Certificates, workers

    counted = workers(found, dask.scheduler, dask.workers, Certificates(*dask.certificates))
    return click.get_current_context().with_resource(counted), found.version


def _in_store(store_path: Place, name: str, version: int | None) -> tuple[Data, int]:
    from collector.store.store import Store
    from miner.responses.responses import Responses

    with Store(store_path) as store:
        published = store.published(name, version)
        others = [each for each in store.surveys() if each.name == name and each.version < published.version]
        older = {each.version: store.count(each.survey) for each in others}
        responses = Responses.from_store(store, name, published.version)
    given = click.get_current_context().params
    counted = {*given.get("others", ()), given.get("earlier"), given.get("arm")}  # versions that the command reads, too
    for number, count in older.items():
        if count and version is None and number not in counted:
            click.echo(
                f"note: {count} responses to version {number} of {name} are left aside (--version {number})", err=True
            )
    return responses, published.version


def say_simulated(simulated: Simulated | None) -> None:
    """Print a warning about simulated responses, or add the warning to the command's JSON."""
    context = click.get_current_context()
    if context.params.get("as_json"):
        context.meta[SAID] = context.meta.get(SAID, {}) | {
            "simulated": None if simulated is None else simulated.as_json
        }
    elif simulated is not None:
        click.echo(f"note: {simulated.line}")


def check_plot(path: Path | None) -> None:
    """Raise an error for a plot format that cannot be written, before anything is computed."""
    if path is not None and path.suffix not in {".svg", ".png"}:
        raise QueryError(
            "--plot", "its name ends neither with .svg nor with .png", "choose a name that ends in .svg or .png"
        )


def write_plot(path: Path, chart: Chart) -> None:
    """Draw a chart into a file, in the format that the file's suffix names."""
    write_bytes(path, [chart.png if path.suffix == ".png" else chart.svg.encode()])
