"""Print tables of figures by group, and write them to files."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import wraps
from io import BytesIO
from itertools import chain
from math import floor, isnan, log10
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from collector.commands.command import (
    OutputPath,
    json_option,
    name_argument,
    print_table,
    store_option,
    write_output,
)
from collector.commands.completion import question_names
from collector.errors import QueryError
from collector.output import write_bytes
from collector.table.csv_cells import csv_lines
from miner.commands.figures import add_read, echo_impossible, origin_line, print_figures, saying_origin
from miner.commands.options import level_option, sample_file_option, say_simulated, times_option, write_plot

WHOLE = 1e4  # number from which on no decimals are printed
TABLES = (".csv", ".tex", ".docx")  # endings of the files that a table can be written to
PICTURES = (".svg", ".png")
output_option = click.option(
    "-o",
    "--output",
    type=OutputPath(),
    help="File for the table: .csv, .tex or .docx, with the column names of R's broom.",
)
by_option = click.option(
    "--by",
    multiple=True,
    metavar="QUESTION",
    shell_complete=question_names,
    help="Question whose answers form the groups. May be repeated: each combination of answers is then a group.",
)
among_option = click.option(
    "--among", metavar="CONDITION", help="Include only people who meet this condition.", show_default="everybody"
)

if TYPE_CHECKING:  # these bring numpy and pandas with them
    from collections.abc import Callable, Iterator

    import pandas as pd

    from collector.database.address import Place
    from miner.figures.estimate import Estimate
    from miner.figures.sample_design import SampleDesign
    from miner.responses.responses import Data
    from miner.tables.figures import FigureTable
    from miner.tables.trends import TrendTable


@dataclass(frozen=True)
class TableRequest:
    """Options of a command that describe a table of estimates.

    Attributes:
        by: Names of the questions whose answers define the groups.
        among: Condition that restricts the table to a subgroup, or None for everybody.
        differences: Whether to print the differences between the groups.
        output: Path of the file to write, or None for no file.
        mean: Whether the table has means of a number question.
        people: Size of the population whose total is estimated, or None for no total.
        quantile: Share of people below the estimated quantile, or None for no quantile.
        careless: Condition that every attentive person meets, or None for shares among all.
    """

    by: tuple[str, ...] = ()
    among: str | None = None
    differences: bool = False
    output: Path | None = None
    mean: bool = False
    people: int | None = None
    quantile: float | None = None
    careless: str | None = None

    def check(self) -> None:
        """Raise an error for options of a table that cannot be combined.

        Raises:
            QueryError: If two options cannot be combined.
        """
        check_output(self.output)
        if self.differences and not self.by:
            raise QueryError("--differences", "no groups are named", "give --by QUESTION: its answers form the groups")
        if self.differences and self.quantile is not None:
            raise QueryError("--differences", "quantiles of groups cannot be compared", "compare means or shares")
        if self.careless is not None and self.figure != "share":
            raise QueryError("--careless", "only shares can be corrected", "leave out --mean, --total and --quantile")
        if self.mean + (self.people is not None) + (self.quantile is not None) > 1:
            raise QueryError(
                "miner estimate", "--mean, --total and --quantile cannot be combined", "give one of these options"
            )

    @property
    def figure(self) -> str:
        """Return the name of the figures in the table, such as a share or a mean."""
        if self.mean:
            return "mean"
        if self.people is not None:
            return "total"
        return "share" if self.quantile is None else "quantile"

    def table(self, responses: Data, what: str | None) -> FigureTable:
        """Estimate the table that the command's options request.

        Raises:
            QueryError: If an option does not fit the survey.
        """
        from miner.tables.numbers import mean, quantile, total
        from miner.tables.shares import shares

        if what is None:
            if self.figure != "share" or not self.by:
                remedy = "give a CONDITION or a question, or --by for all questions"
                raise QueryError("miner estimate", "a table needs a CONDITION or a question", remedy)
            return shares(responses, by=self.by, among=self.among, careless=self.careless)
        if self.mean:
            return mean(responses, what, by=self.by, among=self.among)
        if self.people is not None:
            return total(responses, what, self.people, by=self.by, among=self.among)
        if self.quantile is not None:
            return quantile(responses, what, self.quantile, by=self.by, among=self.among)
        return shares(responses, what, by=self.by, among=self.among, careless=self.careless)

    def echo(self, responses: Data, what: str | None, *, as_json: bool) -> None:
        """Estimate the table that the command's options request, and print the table.

        Raises:
            QueryError: If there is nothing to estimate, or an option does not fit the survey.
        """
        from miner.figures.sampled_figure import people_line

        table = self.table(responses, None if what is None else what.strip())
        if self.output is not None:
            write_frame(self.output, table.differences_frame() if self.differences else table.to_frame())
        if as_json:
            print_figures(table.as_json | ({} if self.differences else {"differences": None}))
            return
        _echo_figures(table, self.figure)
        if self.differences:
            click.echo()
            _echo_differences(table)
        if table.differences and what is not None:
            test = "no test, because a group is too small" if table.test is None else table.test.line
            click.echo(f"test that the groups do not differ: {test}")
        echo_impossible(each.estimate for each in table.figures if each.estimate is not None)
        few = ", ".join(" ".join(group) for group in table.few)
        for remark in [*table.remarks, *([f"fewer than 10 people, who may be recognised: {few}"] if few else [])]:
            click.echo(f"note: {remark}")
        click.echo(people_line(responses, table.n))


def with_table(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a table to a subcommand, and pass it the requested table or None."""

    @by_option
    @among_option
    @click.option(
        "--differences",
        is_flag=True,
        help="Print the difference between each two groups too, with p values adjusted by Holm's method. "
        "--output then writes the differences in place of the table.",
    )
    @click.option("--mean", is_flag=True, help="Estimate the mean of a number question, in place of shares.")
    @click.option(
        "--total",
        "people",
        metavar="PEOPLE",
        type=click.IntRange(min=1),
        help="Estimate the total of a number question in a population of this size, which the respondents represent.",
    )
    @click.option(
        "--quantile",
        metavar="SHARE",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        help="Estimate a quantile of a number question: 0.5 is the median.",
    )
    @click.option(
        "--careless",
        metavar="ANCHOR",
        help="Condition that every attentive person meets: estimate the share among the attentive.",
    )
    @output_option
    @wraps(command)
    def run(**given: Any) -> None:  # noqa: ANN401 - click's own
        table = TableRequest(**{each.name: given.pop(each.name) for each in fields(TableRequest)})
        table.check()
        question = given["condition"] is not None and given["condition"].strip().isidentifier()
        command(table=table if question or table != TableRequest() else None, **given)

    return run


def check_output(output: Path | None, formats: tuple[str, ...] = TABLES) -> None:
    """Raise an error for a file format that cannot be written, before anything is estimated.

    Raises:
        QueryError: If the name of the file has the ending of another format.
    """
    if output is not None and output.suffix.lower() not in formats:
        problem = f"its name does not end with {' or '.join(formats)}"
        raise QueryError("--output", problem, f"name it {output.stem or 'table'}{formats[0]}")


def write_frame(output: Path, frame: pd.DataFrame) -> None:
    """Write a frame as CSV, LaTeX or Word, in the format that the file's suffix names, with where its figures are from.

    Raises:
        QueryError: If the package that writes Word files is not installed.
    """
    if output.suffix.lower() == ".docx":
        write_bytes(output, [_word_file(frame)])
    else:
        write_output(output, _file_of(frame, output.suffix.lower()))


def _word_file(frame: pd.DataFrame) -> bytes:
    try:
        from docx import Document
    except ModuleNotFoundError:
        raise QueryError(".docx", "Word files need python-docx", 'pip install "deniable[docx]"') from None
    word = Document()
    word.core_properties.author = ""
    table = word.add_table(0, len(frame.columns), "Table Grid")
    for row in ([str(name) for name in frame.columns], *(map(_in_word, each.values()) for each in records(frame))):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    word.add_paragraph(" ".join(origin_line().split()))
    written = BytesIO()
    word.save(written)
    return written.getvalue()


def _in_word(value: object) -> str:
    return "" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)


def _file_of(frame: pd.DataFrame, suffix: str) -> Iterator[str]:
    if suffix == ".tex":
        comment = f"% {' '.join(origin_line().split())}\n"
        named = [name for name in map(str, frame) if name.endswith("p.value")]
        frame = frame.assign(**{name: frame[name].map(_p_in_tex) for name in named})
        return iter([comment, frame.to_latex(index=False, escape=True, na_rep="", float_format="%.4f")])
    frame = frame.assign(origin=origin_line())
    rows = [["" if each is None else each for each in row.values()] for row in records(frame)]
    return csv_lines([list(frame.columns), *rows])


def _p_in_tex(value: float | None) -> str:
    text = "" if value is None or isnan(value) else _p(value)
    return text.replace("below", "<")


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame, with None for missing entries."""
    known = frame.astype(object).where(frame.notna(), None)
    return [{str(key): each for key, each in row.items()} for row in known.to_dict("records")]


@click.command()
@name_argument
@click.argument("condition")
@by_option
@among_option
@click.option(
    "--wave",
    "chosen",
    multiple=True,
    type=click.IntRange(min=1),
    help="Number of a wave to use. Give the option several times.",
    show_default="all waves that have responses",
)
@times_option
@level_option
@sample_file_option
@store_option
@click.option(
    "-o",
    "--output",
    type=OutputPath(),
    help="File for the table (.csv, .tex or .docx, with the column names of R's broom) or a picture (.svg or .png).",
)
@json_option
@saying_origin
def trend(  # noqa: PLR0913 - one for each option
    name: str,
    condition: str,
    *,
    by: tuple[str, ...],
    among: str | None,
    chosen: tuple[int, ...],
    times: tuple[float, ...] | None,
    sample: SampleDesign | None,
    store_path: Place,
    output: Path | None,
    as_json: bool,
) -> None:
    """Estimate the share of a CONDITION in every wave of a survey, and its change per wave.

    Each wave has other respondents. Its number is the wave that the survey file names, and all versions of a wave count
    together. If no file names a wave, each version stands for a wave. A version without the questions of the CONDITION
    is left out.

    The trend is a straight line through the shares, weighted by the numbers of responses, with the number of the wave
    as time, or with --times the year. The command prints the share over all waves and the change per wave, and tests
    whether all shares are equal. With --sample, the sampling weights, strata and clusters apply to every wave.

    With --by, each group has a trend of its own. The questions that define the groups may be disguised. Each interval
    and each p value is for its group alone.

    Example: miner trend wellbeing "distress = yes" --among "year = first" -o trend.svg

    Example: miner trend wellbeing "distress = yes" --by year -o trends.docx
    """
    from collector.store.store import Store
    from miner.figures.sample import Sample
    from miner.responses.pooling import waves_of
    from miner.tables.trends import TrendTable, trends
    from miner.tables.trends import trend as estimated

    check_output(output, (*TABLES, *PICTURES))
    with Store(store_path) as store:
        waves, simulated = waves_of(store, name, chosen)
        for responses in chain.from_iterable(waves.values()):
            add_read(responses.survey, store.published_as(responses.survey.fingerprint).version, len(responses))
    say_simulated(simulated)
    if times is not None:
        if len(times) != len(waves):
            problem = f"it has {len(times)} years, and {len(waves)} waves have responses"
            raise QueryError("--times", problem, "give one year for each wave")
        waves = dict(zip(times, waves.values(), strict=True))
    people = {
        wave: [responses if sample is None else Sample(responses, sample) for responses in every]
        for wave, every in waves.items()
    }
    unit = "wave" if times is None else "year"
    if by:
        table = trends(people, condition, by=by, among=among, unit=unit)
    else:
        table = TrendTable((), {(): estimated(people, condition, among=among, unit=unit)})
    found = table if by else table.trends[()]
    if output is not None and output.suffix.lower() in PICTURES:
        write_plot(output, found.chart)
    elif output is not None:
        write_frame(output, found.to_frame())
    if as_json:
        print_figures(found.as_json)
        return
    _echo_trends(table)


def _echo_trends(table: TrendTable) -> None:
    """Print the trend of each group: the shares of all groups in one table, then lines about each group."""
    from miner.figures.score import interval_name

    rows = [
        [*group, f"{wave:g}", "" if share is None else str(share.n), *_figure(share)]
        for group, each in table.trends.items()
        for wave, share in each.waves.items()
    ]
    unit = next(iter(table.trends.values())).unit
    print_table([*table.by, unit, "responses", "share", "standard error", interval_name()], rows)
    named = {f"{' '.join(group)}: " if group else "": each for group, each in table.trends.items()}
    for where, each in named.items():
        click.echo(f"{where}share over all waves: {each.share.line}")
        click.echo(f"{where}change per {unit}: {each.slope.line}, p {_p(each.p_value) or 'not known'}")
        click.echo(f"{where}test of any change: {'none' if each.change is None else each.change.line}")
    echo_impossible(share for each in named.values() for share in each.waves.values() if share is not None)
    for remark in [f"{where}{remark}" for where, each in named.items() for remark in each.remarks] + [*table.remarks]:
        click.echo(f"note: {remark}")


def _echo_figures(table: FigureTable, figure: str) -> None:
    from miner.figures.score import interval_name

    columns = [*table.by, "of", figure, "standard error", interval_name()]
    if any(each.bounds is not None for each in table.figures):
        columns += ["between", interval_name()]
    rows = []
    for each in table.figures:
        cells = _figure(each.estimate)
        if each.bounds is not None:
            cells += [_ends(each.bounds.low, each.bounds.high), _ends(*each.bounds.interval)]
            cells[0] = cells[0] if each.estimate is not None else "not known"
        elif len(columns) > len(table.by) + 1 + len(cells):
            cells += ["", ""]
        rows.append([*each.group, each.term, *cells])
    print_table(columns, rows)


def _echo_differences(table: FigureTable) -> None:
    from miner.figures.score import interval_name

    print_table(
        ["of", "groups", "difference", "standard error", interval_name(), "p", "adjusted p"],
        [
            [
                each.term,
                f"{' '.join(each.first)} - {' '.join(each.second)}",
                *_figure(each.estimate),
                _p(each.p_value),
                _p(each.adjusted),
            ]
            for each in table.differences
        ],
    )


def _ends(low: float | None, high: float | None) -> str:
    """Return a range as text, in which either end may be open."""
    least, most = (None if end is None else f"{end:.0f}" if abs(end) >= WHOLE else f"{end:.5g}" for end in (low, high))
    if least is None:
        return "any number" if most is None else f"at most {most}"
    return f"at least {least}" if most is None else f"{least} to {most}"


def _figure(estimate: Estimate | None) -> list[str]:
    """Return estimate, standard error and interval as text, rounded to two digits of the standard error."""
    from miner.tables.figures import NumberEstimate

    if estimate is None:
        return ["nobody", "", ""]
    places = 3
    if isinstance(estimate, NumberEstimate):
        places = max(0, 1 - floor(log10(estimate.standard_error or abs(estimate.estimate) or 1.0)))
    mark = "*" if estimate.warning else ""
    error = "" if estimate.standard_error is None else f"{estimate.standard_error:z.{places}f}"
    interval = "none"
    if estimate.interval is not None:
        low, high = estimate.interval
        interval = f"{low:z.{places}f} to {high:z.{places}f}"
    return [f"{estimate.estimate:z.{places}f}{mark}", error, interval]


def _p(value: float | None) -> str:
    from miner.figures.chi_square import p_value_text

    return "" if value is None else p_value_text(value)
