"""Define the subcommands of ``miner`` for planning: expected precision and accuracy, and recoding."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from collector.commands.command import OutputPath, json_option, print_json, print_table, survey_argument, write_output
from collector.commands.progress import progress
from collector.commands.table_options import table_options
from miner.commands.models import MODES
from miner.commands.options import check_plot, newest_wording, with_responses, write_plot

if TYPE_CHECKING:  # these bring numpy and pandas with them
    from collector.planning.differences import DifferencePlan, DifferenceSettings
    from collector.planning.expectations import QuestionPlan
    from collector.table.plain_table import Reading
    from miner.planning.forecast import Forecast, ForecastSettings
    from miner.planning.plan import Plan
    from miner.planning.recode import Recoded
    from miner.responses.responses import Responses

PILOT_HELP = "True answers of a pilot, with a column for each question. Models are rehearsed with them."
WIDTH_HELP = "Width that 95 % intervals should have. Shows how many respondents that needs, and the strongest disguise."
REHEARSALS_HELP = "Number of times that models are trained."
PLOT_HELP = "SVG or PNG file for a chart of privacy against precision."
MODE_HELP = "Mode of the models that are rehearsed, as in `miner train`."
DELTA_HELP = "Delta of the central epsilon: what readers of published figures learn."
FALSE_HELP = "Number of respondents who answer falsely."
DIFFERENCE_HELP = "Difference of two shares to find, such as 0.1. Shows how many respondents that needs."
CLUSTERS_HELP = "Factor of variance by clusters: 1 + (people per cluster - 1) x intraclass correlation."
WEIGHTS_HELP = "Factor of variance by unequal sampling weights: 1 + squared coefficient of variation."
REHEARSALS = 10


@click.command()
@survey_argument
@click.option("--respondents", type=click.IntRange(min=1), required=True, help="Number of respondents.")
@click.option("--target-width", type=float, help=WIDTH_HELP)
@click.option("--difference", type=float, help=DIFFERENCE_HELP)
@click.option(
    "--level", type=float, default=0.05, show_default=True, help="Level of the two-sided test of differences."
)
@click.option("--power", type=float, default=0.8, show_default=True, help="Probability of finding a difference.")
@click.option("--cluster-effect", type=float, default=1.0, show_default=True, help=CLUSTERS_HELP)
@click.option("--weight-effect", type=float, default=1.0, show_default=True, help=WEIGHTS_HELP)
@click.option("--delta", type=float, default=1e-6, show_default=True, help=DELTA_HELP)
@click.option("--false", "false", type=click.IntRange(min=0), help=FALSE_HELP, show_default="one in a hundred")
@click.option("--pilot", "pilot_path", metavar="ANSWERS.csv", type=click.Path(path_type=Path), help=PILOT_HELP)
@table_options
@click.option("--rehearsals", type=click.IntRange(min=0), help=REHEARSALS_HELP, show_default="10 with a pilot, else 0")
@click.option("--mode", type=click.Choice(MODES), default="auto", show_default=True, help=MODE_HELP)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Seed that makes the run repeatable.",
    show_default="drawn from the system",
)
@click.option("--plot", "plot_path", metavar="FILE.svg|png", type=OutputPath(), help=PLOT_HELP)
@json_option
def plan(  # noqa: PLR0913 - one for each option
    survey_path: Path,
    *,
    respondents: int,
    target_width: float | None,
    difference: float | None,
    level: float,
    power: float,
    cluster_effect: float,
    weight_effect: float,
    delta: float,
    false: int | None,
    pilot_path: Path | None,
    reading: Reading,
    rehearsals: int | None,
    mode: str,
    seed: int | None,
    plot_path: Path | None,
    as_json: bool,
) -> None:
    """Predict the precision, privacy and model accuracy of a survey before it is asked.

    The command also says whether to disguise at all, and for how small a difference. It shows the bias of an open
    question beyond which disguise is more accurate. It shows the smallest difference between two groups, the smallest
    difference between two waves and the smallest coefficient that the survey finds with the power.

    Standard errors and interval widths are exact if the priors of the survey file are right. Accuracies come from
    rehearsals, in which the answers of a pilot are disguised and mined. Without a pilot, the answers would be drawn
    from the priors and be independent, so that rehearsals are run only with --rehearsals.

    Example: miner plan examples/wellbeing.toml --respondents 1000 --target-width 0.1
    """
    from collector.disclosure.false_responses import checked_false, planned_shifts
    from collector.planning.differences import DifferenceSettings, difference_plans
    from collector.planning.shuffled import central_privacy
    from collector.survey_file.survey_file import read_survey_file
    from miner.planning.forecast import ForecastSettings
    from miner.planning.plan import plan as planned
    from miner.responses.answers import read_values

    check_plot(plot_path)
    false = checked_false(false, respondents)
    comparison = DifferenceSettings(level, power, cluster_effect, weight_effect, difference)
    survey = read_survey_file(survey_path)
    central = central_privacy(survey, respondents, delta)
    shifts = planned_shifts(survey, false, respondents)
    found = planned(survey, respondents, target_width)
    differences = list(difference_plans(survey, respondents, comparison))
    chart = None if plot_path is None else found.chart
    pilot = None if pilot_path is None else read_values(survey, pilot_path, reading)
    forecasts = []
    times = rehearsals if rehearsals is not None else REHEARSALS * (pilot is not None)
    if survey.target is not None and times:
        rehearsal = ForecastSettings(survey, respondents, mode, times, pilot)
        forecasts = _rehearsed(rehearsal, seed)
    if plot_path is not None and chart is not None:
        write_plot(plot_path, chart)
    if as_json:
        more = {"false": [each.as_json for each in shifts], "pilot": pilot is not None, "central": central.as_json}
        more |= {"comparison": vars(comparison), "differences": [each.as_json for each in differences]}
        print_json(found.as_json | more | {"models": [each.as_json for each in forecasts]})
        return
    _print_plan(found)
    _print_differences(differences, comparison)
    for line in (*central.lines, *(shift.line for shift in shifts)):
        click.echo(line)
    if forecasts:
        _print_forecasts(forecasts, pilot_path, 0 if pilot is None else len(pilot))
    elif survey.target is not None and rehearsals is None:
        click.echo(f"\nhow accurate models of {survey.target} will be, a pilot would tell (--pilot ANSWERS.csv)")
    if plot_path is not None:
        click.echo(f"\nplot written to {plot_path}")


@click.command()
@with_responses
@click.option("-o", "--output", type=OutputPath(), required=True, help="Survey file to write.")
@json_option
def recode(responses: Responses, *, output: Path, as_json: bool) -> None:
    """Write the next version of a survey, with the current estimates as priors, which determine the coding.

    Everything except the priors stays as it is in the current version. Check the new file with `collector check`, then
    publish it. Responses to the old and the new version are never mixed.

    Example: miner recode wellbeing -o next.toml
    """
    from collector.survey_file.survey_writer import survey_text
    from miner.planning.recode import recode as recoded

    survey, changes = recoded(responses, newest_wording(responses.survey))
    comment = f"Recoded from {len(responses)} responses to the design {responses.survey.fingerprint[:12]}."
    if responses.simulated is not None:
        comment += f" Note: {responses.simulated.line}."
    write_output(output, [survey_text(survey, comment)])
    if as_json:
        print_json({"n": len(responses), "questions": [change.as_json for change in changes]})
        return
    rows = [_recoding(each) for each in changes]
    print_table(["question", "prior before", "after", "bits unknown in the old coding", "in the new"], rows)
    click.echo(f"{output}: priors from {len(responses)} responses; next: collector check {output}")


def _recoding(change: Recoded) -> list[str]:
    priors = [
        ", ".join(f"{value} {float(share):.3f}" for value, share in zip(each.values, each.prior, strict=True))
        for each in (change.before, change.after)
    ]
    return [change.after.name, *priors, f"{change.bits_before:.3f}", f"{change.bits_after:.3f}"]


def _rehearsed(rehearsal: ForecastSettings, seed: int | None) -> list[Forecast]:
    import numpy as np

    from miner.planning.forecast import LEARNERS, forecast

    with progress("rehearsing", rehearsal.times * len(LEARNERS)) as advance:
        return forecast(rehearsal, np.random.default_rng(seed), advance)


def _print_plan(found: Plan) -> None:
    from collector.disclosure.precision import is_filtered
    from collector.planning.expectations import width_lines

    wanted = found.target_width is not None
    filtered = any(is_filtered(each.question) for each in found.questions)
    columns = ["question", *["asked"] * filtered, "least precise", "share", "standard error", "interval width"]
    columns += ["design effect", *["respondents needed"] * wanted]
    rows = (_precision(each, wanted=wanted, filtered=filtered) for each in found.questions)
    print_table(columns, rows)
    click.echo(f"expected of {found.respondents} respondents, if the priors are right")
    if filtered:
        click.echo("shares of a question that is not asked of everybody are among those who are expected to be asked")
    for line in width_lines(found):
        click.echo(line)
    if any(truth.epsilon is not None for each in found.questions for truth in each.truths):
        click.echo("epsilon: local differential privacy between any two sets of answers of one respondent to a group")
    if found.survey.sampling is not None:
        click.echo("what other designs with one epsilon would take: collector check, where the file has [privacy]")
    for each in found.questions:
        if each.group is not None and each.truths:
            click.echo(f"\n{each.question.name} (group {each.group.name}, {each.group.channel.name})")
            print_table(["truth", "bits unknown", "surest belief", "epsilon", "interval width"], _privacy(each))


def _precision(planned: QuestionPlan, *, wanted: bool, filtered: bool) -> list[str]:
    worst = planned.worst
    row = [planned.question.name, *[f"{planned.asked:.0f}"] * filtered, worst.value]
    row += [f"{worst.share:.3f}", f"{worst.standard_error:.4f}"]
    row += [f"{worst.width:.3f}", "none" if worst.design_effect is None else f"{worst.design_effect:.2f}"]
    return row + [str(max(each.respondents or 1 for each in planned.values))] * wanted


def _privacy(planned: QuestionPlan) -> list[list[str]]:
    own = None if planned.group is None else planned.group.channel.truth
    return [
        [
            f"{each.truth}{' (as designed)' if each.truth == own else ''}",
            f"{each.bits:.3f}",
            f"{each.belief:.1%}",
            "none holds" if each.epsilon is None else f"{each.epsilon:.3f}",
            f"{each.width:.3f}",
        ]
        for each in planned.truths
    ]


def _print_differences(plans: list[DifferencePlan], comparison: DifferenceSettings) -> None:
    wanted, direction = comparison.wanted, {True: "up", False: "down"}
    click.echo(
        "\nwhether to disguise, and for how small a difference (in brackets: asked openly and answered truthfully)"
    )
    columns = ["question", "value", "from", "break-even bias", "two groups", "two waves", "coefficient"]
    columns += [] if wanted is None else [f"respondents for {wanted:g}"]
    rows = []
    for each in plans:
        pairs = list(zip(vars(each.disguised).values(), vars(each.openly).values(), strict=True))
        cells = [f"{_figure(one, '.3f')} ({_figure(other, '.3f')})" for one, other in pairs[:3]]
        cells += [] if wanted is None else [f"{_figure(pairs[3][0], ',')} ({_figure(pairs[3][1], ',')})"]
        rows.append(
            [each.question, each.value, f"{each.share:.3f} {direction[each.upward]}", f"{each.bias:.3f}", *cells]
        )
    print_table(columns, rows)
    click.echo(
        "break-even bias: if the open question is off by more, and disguise removes the bias, disguise has the "
        "smaller mean square error. If disguise removes half of the bias, this holds from 1.15 times as much on. A "
        "bias that is the same in both groups or waves cancels in their difference."
    )
    click.echo(
        f"differences: level {comparison.level:g} two-sided, power {comparison.power:g}, each group at its share. "
        "Groups are halves of the respondents, each wave has all of them, and a coefficient is the slope of the share "
        "per standard deviation of an undisguised predictor"
    )


def _figure(found: float | None, form: str) -> str:
    return "none" if found is None else f"{found:{form}}"


def _print_forecasts(forecasts: list[Forecast], pilot_path: Path | None, rows: int) -> None:
    click.echo()
    columns = ["model", "accuracy", "95 % interval", "between surveys", "standard error of a test", "always one class"]
    print_table(columns, map(_forecast, forecasts))
    needed = max(each.pilot_needed or 0 for each in forecasts)
    if pilot_path is None:
        click.echo("without a pilot no answer tells anything about another: this is what models make of noise")
    elif needed:
        click.echo(
            f"{pilot_path}: {rows} rows foretell an accuracy to {max(each.reach for each in forecasts) * 100:.1f} "
            "points, 99 times in 100: too coarse for more than the interval; a pilot of about "
            f"{needed} rows would bring this within 2 points, more --rehearsals a part of the way"
        )


def _forecast(found: Forecast) -> list[str]:
    low, high = found.interval
    row = [found.kind, f"{found.accuracy:.3f}" if found.near else "too coarse", f"{low:.3f} to {high:.3f}"]
    figures = found.spread, found.test_error, found.baseline
    return row + ["none" if figure is None else f"{figure:.3f}" for figure in figures]
