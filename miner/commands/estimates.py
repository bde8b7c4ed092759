"""Define the subcommands of ``miner`` that estimate: frequencies, tables, differences and anchor checks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from collector.commands.command import json_option, print_table
from collector.commands.completion import question_names
from collector.commands.table_options import table_options
from collector.errors import QueryError
from miner.commands.figures import echo_impossible, echo_notes, print_figures, saying_origin
from miner.commands.options import level_option, other_version, plain_option, sample_option, with_responses, with_source
from miner.commands.tables import TableRequest, check_output, output_option, with_table, write_frame
from miner.json_values import json_values

FALSE_HELP = "Number of responses that may be false."
SHARES = {"anchors": "careless, 95 % interval", "arms": "always no, 95 % interval"}

if TYPE_CHECKING:  # these bring numpy and pandas with them
    from collections.abc import Mapping

    from collector.table.plain_table import Reading
    from miner.estimates.anchors import Agreement
    from miner.estimates.crosstab import Crosstab
    from miner.figures.estimate import Estimate
    from miner.figures.sample import Sample
    from miner.responses.responses import Data, Responses


@click.command()
@with_source
@click.argument("condition", required=False)
@plain_option
@table_options
@click.option("--false", "false", type=click.IntRange(min=0), help=FALSE_HELP, show_default="one in a hundred")
@with_table
@level_option
@sample_option
@json_option
@saying_origin
def estimate(  # noqa: PLR0913 - one for each option
    responses: Data,
    condition: str | None,
    *,
    plain_path: Path | None,
    reading: Reading,
    false: int | None,
    table: TableRequest | None,
    as_json: bool,
) -> None:
    """Estimate the share of people who meet a CONDITION. Without a CONDITION, estimate the share of each answer.

    In a CONDITION, compare with =, !=, in (...) or has OPTION, and for scales and numbers with <, <=, > or >=. Join
    comparisons with "and", "or", "not" and brackets. Compare a number with a cut point by < or >=. Put a value in
    quotes if it contains a comma, a bracket, "and" or "or" (docs/survey-file.md).

    Publish the first estimate, which is unbiased and has an interval. The likeliest frequency is never outside 0 to 1,
    but is biased near 0 and 1, and has no interval. No interval includes the effect of false responses, which people
    invent without a coin. The command shows how far false responses can have moved each estimate at most
    (docs/attacks.md).

    With --sample, responses count by their sampling weights, and standard errors include the sampling design and the
    coins.

    With --by, a table shows the share of the CONDITION in each group. If you write the name of a question instead of a
    CONDITION, the table shows the share of each answer. The option --among restricts the table to some people. The
    questions that define the groups may be disguised. The estimate for a group that may be empty has no interval.

    Example: miner estimate wellbeing "cannabis = yes and (year in (first, second) or income >= 800)"

    Example: miner estimate wellbeing distress --by year --differences

    With --by and without a CONDITION, the table shows the share of each answer to every other question in each group.
    Each interval is for its share alone, and p values are adjusted for all differences of the table.

    Example: miner estimate wellbeing --by year -o table1.docx

    With --careless, the estimate is the share among the attentive. Everybody who is attentive meets the ANCHOR, such as
    an instructed item or a question whose answer is known. People who do not meet it are supposed to have answered at
    random, and count for the share of the careless, which is printed too (docs/estimating.md).

    Example: miner estimate wellbeing "cannabis = yes" --careless "sky = blue"

    The options --mean, --total and --quantile need a number question, whose answers are intervals. The bounds of a mean
    assume nothing about the numbers within the intervals, and the estimate assumes that they are spread evenly.

    Example: miner estimate wellbeing income --mean --by year
    """
    from miner.figures.sample import Sample

    if plain_path is not None and false is not None:
        raise QueryError("--false", "the option cannot be combined with --plain", "leave out --plain")
    if plain_path is not None or false is not None:
        if table is not None:
            raise QueryError(
                "miner estimate", "a table cannot be combined with --plain or --false", "leave out --plain and --false"
            )
        if isinstance(responses, Sample):
            raise QueryError(
                "--sample", "the option cannot be combined with --plain or --false", "leave out --plain and --false"
            )
    if table is not None:
        table.echo(responses, condition, as_json=as_json)
    elif condition is not None:
        plain = None if plain_path is None else (plain_path, reading)
        _echo_share(responses, condition, plain, false, as_json=as_json)
    elif plain_path is not None:
        raise QueryError("--plain", "the option needs a CONDITION", "give one CONDITION")
    else:
        _echo_answers(responses, false, as_json=as_json)


def _echo_share(
    responses: Data, condition: str, plain: tuple[Path, Reading] | None, false: int | None, *, as_json: bool
) -> None:
    """Print the share of people who meet a condition, from responses and optional plain rows."""
    from collector.disclosure.false_responses import checked_false
    from miner.estimates import estimate as estimation
    from miner.estimates.frequencies import likeliest_frequencies
    from miner.estimates.hybrid import hybrid_estimate
    from miner.figures.sample import Sample
    from miner.figures.sampled_figure import people_line
    from miner.responses.answers import read_values
    from miner.responses.condition import boxes_of
    from miner.responses.plain_rows import PlainRows

    false = checked_false(false, len(responses))
    survey, boxes = responses.survey, boxes_of(responses.survey, condition)
    names = list(dict.fromkeys(name for box in boxes for name in box))
    if plain is None:
        (found,) = estimation.shares_of(responses, [boxes])
        frequencies = None if isinstance(responses, Sample) else likeliest_frequencies(responses, names)
        likeliest = None if frequencies is None else sum(map(frequencies.share, boxes))
    else:
        found = hybrid_estimate(
            responses.in_memory(names), PlainRows.of(survey, read_values(survey, *plain)), condition
        )
        likeliest = None
    if as_json:
        print_figures(found.as_json | _false_json(found, false) | {"maximum_likelihood": likeliest})
        return
    click.echo(f"{found.line} from {found.n} {'responses' if plain is None else 'responses and plain rows'}")
    shift = found.shift(false)
    if shift is not None:
        click.echo(f"if {false} of them are false: {shift.line}, compared with the share among the others")
    if likeliest is not None:
        click.echo(f"likeliest frequency: {likeliest:.4f} (maximum likelihood within 0 to 1)")
    if isinstance(responses, Sample):
        click.echo(people_line(responses, found.n))


def _false_json(found: Estimate, false: int) -> dict[str, Any]:
    shift = found.shift(false)
    return {"false": None if shift is None else {"responses": false, **shift._asdict()}}


def _echo_answers(responses: Data, false: int | None, *, as_json: bool) -> None:
    from collector.disclosure.false_responses import checked_false
    from miner.estimates.estimate import frequencies
    from miner.estimates.option_shares import option_estimates
    from miner.figures.sample import Sample
    from miner.figures.sampled_figure import people_line
    from miner.figures.score import interval_name

    false = checked_false(false, len(responses))
    found = {
        question.name: dict(zip(question.values, shares, strict=True))
        for question, shares in zip(responses.survey.questions, frequencies(responses).values(), strict=True)
    }
    ticked = option_estimates(responses)
    if as_json:
        listed = {
            name: {
                value: None if share is None else share.as_json | _false_json(share, false)
                for value, share in shares.items()
            }
            for name, shares in found.items()
        }
        options = {
            name: {words: each.as_json | _false_json(each, false) for words, each in shares.items()}
            for name, shares in ticked.items()
        }
        print_figures({"n": len(responses), "frequencies": listed} | ({"options": options} if options else {}))
        return
    rows = [
        [name, value, *(("not asked", "", "") if share is None else (*_figures(share), _shifted(share, false)))]
        for name, shares in found.items()
        for value, share in [*shares.items(), *ticked.get(name, {}).items()]
    ]
    columns = ["question", "value", "share", interval_name(), f"{false} false move it by at most"]
    if isinstance(responses, Sample):  # it is not known how far false responses move a weighted share
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    print_table(columns, rows)
    click.echo(people_line(responses, len(responses)))
    every: list[Mapping[str, Estimate | None]] = [*found.values(), *ticked.values()]
    echo_impossible(share for shares in every for share in shares.values() if share is not None)


@click.command()
@with_source
@click.argument("row", shell_complete=question_names)
@click.argument("column", shell_complete=question_names)
@click.argument("layer", required=False, shell_complete=question_names)
@level_option
@sample_option
@output_option
@json_option
@saying_origin
def crosstab(  # noqa: PLR0913 - one for each argument
    responses: Data,
    row: str,
    column: str,
    layer: str | None,
    *,
    output: Path | None,
    as_json: bool,
) -> None:
    """Estimate the joint shares of the answers to two or three questions, and test the independence of two.

    The test is Pearson's chi-square test, with a variance that includes the disguise. Publish the unbiased shares of a
    table with their intervals. The likeliest frequencies are never outside 0 to 1.

    Example: miner crosstab wellbeing cannabis distress

    Example: miner crosstab wellbeing cannabis distress year
    """
    from miner.estimates.crosstab import crosstab as tabulated
    from miner.figures.sample import Sample
    from miner.figures.sampled_figure import people_line
    from miner.figures.score import interval_name
    from miner.reporting.figure import false_line

    check_output(output)
    found = tabulated(responses, row, column, layer)
    if output is not None:
        write_frame(output, found.to_frame())
    if as_json:
        print_figures(found.as_json)
        return
    _echo_cells(found)
    margins = [*found.rows.values(), *found.columns.values(), *found.layers.values()]
    echo_notes(f"{len(responses)} responses", [*found.cells.values(), *margins])
    if layer is None:
        click.echo("independence: no test" if found.independence is None else found.independence.line)
    click.echo()
    listed = [[*values, *_figures(cell)] for values, cell in found.cells.items()]
    columns = [*found.names, "share", interval_name()]
    if isinstance(responses, Sample):
        print_table(columns, listed)
        click.echo(people_line(responses, len(responses)))
        return
    likeliest = [[*line, _share(share)] for line, share in zip(listed, found.likeliest.values(), strict=True)]
    print_table([*columns, "likeliest within 0 to 1"], likeliest)
    click.echo(false_line(found.cells.values(), len(responses)))


def _echo_cells(found: Crosstab) -> None:
    """Print the cells of a table in rows and columns, with the margins."""
    from miner.figures.score import interval_name

    head = f"{found.row} \\ {found.column}"
    if found.layer is None:
        cells = [
            [value, *(found.cells[value, other].short() for other in found.columns), margin.short()]
            for value, margin in found.rows.items()
        ]
        last = ["all", *(each.short() for each in found.columns.values()), ""]
        print_table([head, *found.columns, "all"], [*cells, last])
        return
    for place in found.layers:
        click.echo(f"{found.layer} = {place}")
        print_table(
            [head, *found.columns],
            [[value, *(found.cells[value, other, place].short() for other in found.columns)] for value in found.rows],
        )
        click.echo()
    margins = zip(found.names, (found.rows, found.columns, found.layers), strict=True)
    print_table(
        ["question", "value", "share", interval_name()],
        [[name, value, *_figures(share)] for name, some in margins for value, share in some.items()],
    )


@click.command()
@with_responses
@click.argument("condition")
@click.argument("first", required=False)
@click.argument("second", required=False)
@click.option("--from-version", "earlier", type=click.IntRange(min=1), help="Earlier version (wave) to compare with.")
@level_option
@sample_option
@output_option
@json_option
@saying_origin
def difference(  # noqa: PLR0913 - one for each argument
    responses: Responses | Sample,
    condition: str,
    first: str | None,
    second: str | None,
    *,
    earlier: int | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Estimate the share of a CONDITION in two subgroups, FIRST and SECOND, and the difference of the shares.

    CONDITION, FIRST and SECOND have the form that `miner estimate` takes. The subgroups may be disguised, and may
    overlap.

    With --from-version, the difference is between two waves of the survey: the newest version (or --version) minus the
    earlier version. With --from-version, FIRST restricts both waves to a subgroup.

    Example: miner difference wellbeing "distress = yes" "debt = yes" "debt = no"
    """
    from miner.estimates.comparison import between
    from miner.estimates.comparison import difference as compared
    from miner.figures.sample import Sample
    from miner.figures.sampled_figure import people_line

    check_output(output)
    if earlier is not None:
        if second is not None:
            raise QueryError(
                "--from-version", "two waves are compared, so there is no SECOND group", "leave out SECOND"
            )
        if isinstance(responses, Sample):
            raise QueryError(
                "--sample", "a sample file describes one wave, and two are compared", "leave out --from-version"
            )
        found = between(responses, other_version(responses, "--from-version", earlier), condition, first)
        first, second = (f"{first or 'everybody'}, {wave}" for wave in ("this wave", f"version {earlier}"))
    elif first is None or second is None:
        raise QueryError(
            "miner difference", "fewer than two groups are named", "give FIRST and SECOND, or --from-version"
        )
    else:
        found = compared(responses, condition, first, second)
    if output is not None:
        write_frame(output, found.to_frame())
    if as_json:
        print_figures({"n": len(responses)} | found.as_json)
        return
    for where, share in ((first, found.first), (second, found.second)):
        line = "no share: the subgroup is estimated to be empty" if share is None else share.line
        click.echo(f"among {where}: {line}")
    if found.difference is not None:
        click.echo(f"difference: {found.difference.line}")
    click.echo(people_line(responses, len(responses)))


@click.command()
@with_responses
@click.option(
    "--anchor",
    "names",
    multiple=True,
    help="Question whose frequencies are known: they are its prior in the survey file.",
)
@click.option("--even", "evens", multiple=True, help="Question whose values are known to be equally frequent.")
@click.option(
    "--arm",
    type=click.IntRange(min=1),
    help="Another version to compare with. Respondents must have been assigned to one of the two versions at random.",
)
@json_option
@saying_origin
def anchors(
    responses: Responses, *, names: tuple[str, ...], evens: tuple[str, ...], arm: int | None, as_json: bool
) -> None:
    """Check whether people followed the instructions, by known frequencies or by two truth probabilities.

    An anchor is a question with known frequencies. If the estimates of an anchor differ from the known frequencies,
    answers may be careless, or the respondents may not be a representative sample. Two versions of a question with
    different truth probabilities show whether people follow the disguise. The browser always follows the disguise, so
    use two versions for answers given by hand.

    Example: miner anchors wellbeing --anchor cannabis --even year
    """
    from miner.estimates import anchors as checking

    if not names and not evens and arm is None:
        remedy = "give --anchor QUESTION, --even QUESTION, or --arm VERSION"
        raise QueryError("miner anchors", "the anchor is missing", remedy)
    found = {"anchors": checking.anchors(responses, *names, even=evens)}
    if arm is not None:
        found["arms"] = checking.shared_arms(responses, other_version(responses, "--arm", arm))
    if as_json:
        print_figures({"n": len(responses)} | json_values(found))
        return
    for kind, some in found.items():
        print_table([kind, "chi-square", "degrees of freedom", "p", SHARES[kind]], [_agreement(each) for each in some])
    echo_impossible(each.share for some in found.values() for each in some if each.share is not None)


def _agreement(found: Agreement) -> tuple[str, ...]:
    from miner.figures.chi_square import p_value_text

    share = "not estimable" if found.share is None else " (".join(_figures(found.share)) + ")"
    freedom = str(found.degrees_of_freedom)
    return found.question, f"{found.statistic:.2f}", freedom, p_value_text(found.p_value), share


def _figures(found: Estimate) -> tuple[str, str]:
    interval = "none" if found.interval is None else f"{found.interval[0]:z.3f} to {found.interval[1]:z.3f}"
    return f"{found.estimate:z.3f}{'*' if found.warning else ''}", interval


def _shifted(found: Estimate, false: int) -> str:
    from collector.disclosure.false_responses import rounded_up

    shift = found.shift(false)
    return "any amount" if shift is None else rounded_up(shift.largest, 3)


def _share(share: float | None) -> str:
    return "not found" if share is None else f"{share:z.3f}"
