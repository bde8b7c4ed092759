"""The subcommand of ``miner`` that compares designs with the same epsilon."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from collector.commands.command import OutputPath, json_option, print_json, print_table, survey_argument
from collector.commands.progress import progress
from collector.commands.table_options import table_options
from miner.commands.models import MODES
from miner.commands.options import check_plot, write_plot

if TYPE_CHECKING:  # these bring numpy and pandas with them
    from collections.abc import Iterator

    from collector.table.plain_table import Reading
    from miner.planning.design_comparison import DesignComparison, Tried

EPSILON_HELP = "For a whole response, exact. Unless said, that of the survey's own design."
PILOT_HELP = "True answers of a pilot, a column for each question: respondents are drawn from it instead of the priors."
SURVEYS_HELP = "How many are simulated for the precision of each design."
REHEARSALS_HELP = "How many times models are trained in each design; 2 with a pilot, and none without one, unless said."
PLOT_HELP = "Draw the designs into this SVG or PNG file."
MODE_HELP = "Of the models that are rehearsed, as for miner train."
REHEARSALS = 2
MOST_RESPONDENTS = 10**7  # all are simulated, in memory


@click.command("compare-channels")
@survey_argument
@click.option("--respondents", type=click.IntRange(2, MOST_RESPONDENTS), required=True, help="How many will answer.")
@click.option("--epsilon", help=EPSILON_HELP)
@click.option("--pilot", "pilot_path", metavar="ANSWERS.csv", type=click.Path(path_type=Path), help=PILOT_HELP)
@click.option("--surveys", type=click.IntRange(min=1), default=20, show_default=True, help=SURVEYS_HELP)
@click.option("--rehearsals", type=click.IntRange(min=0), help=REHEARSALS_HELP)
@click.option("--mode", type=click.Choice(MODES), default="auto", show_default=True, help=MODE_HELP)
@click.option("--seed", type=click.IntRange(min=0), help="Repeats a run. The system's secure randomness unless said.")
@click.option("--plot", "plot_path", metavar="FILE.svg|png", type=OutputPath(), help=PLOT_HELP)
@table_options
@json_option
def compare_channels(  # noqa: PLR0913 - one for each option
    survey_path: Path,
    *,
    respondents: int,
    epsilon: str | None,
    pilot_path: Path | None,
    reading: Reading,
    surveys: int,
    rehearsals: int | None,
    mode: str,
    seed: int | None,
    plot_path: Path | None,
    as_json: bool,
) -> None:
    """Compare the designs that keep one epsilon: how precise estimates will be, and how accurate models.

    The survey's questions are asked in other ways: all of everybody, or some drawn for each; with one coin for all that
    a person is asked, or a coin for each question, coded in several ways. Every design is simulated with pretend
    respondents, drawn from a pilot or from the priors; models are rehearsed as by miner plan.

    Example: miner compare-channels examples/wellbeing_split.toml --respondents 2000 --plot designs.svg
    """
    import numpy as np

    from collector.survey_file.survey_file import read_survey_file
    from miner.planning.design_comparison import DesignComparison, Trials, tried
    from miner.planning.designs import budget_of, designs
    from miner.responses.answers import read_values

    check_plot(plot_path)
    survey = read_survey_file(survey_path)
    budget = budget_of(survey) if epsilon is None else _amount(epsilon)
    pilot = None if pilot_path is None else read_values(survey, pilot_path, reading)
    times = rehearsals if rehearsals is not None else REHEARSALS * (pilot is not None)
    trials = Trials(respondents, surveys, times if survey.target is not None else 0, mode, pilot)
    candidates = designs(survey, budget)
    with progress("comparing", trials.steps(len(candidates))) as advance:
        results = tried(candidates, trials, np.random.default_rng(seed), advance)
    found = DesignComparison(survey, budget, respondents, results)
    if plot_path is not None:
        write_plot(plot_path, found.chart)
    if as_json:
        print_json(found.as_json | {"pilot": pilot is not None, "surveys": surveys})
        return
    for line in _printed(found, with_pilot=pilot is not None):
        click.echo(line)
    if plot_path is not None:
        click.echo(f"plot written to {plot_path}")


def _amount(text: str) -> Fraction:
    from collector.channel.rounding import check_epsilon
    from collector.ledger.budget import read_amount

    amount = read_amount(text.strip(), "--epsilon")
    check_epsilon(amount, "--epsilon")
    return amount


def _printed(found: DesignComparison, *, with_pilot: bool) -> Iterator[str]:
    models = list(dict.fromkeys(model.kind for each in found.tried for model in each.models))
    columns = ["design", "epsilon", "share: foretold", "came", "pair: printed", "came", *models]
    print_table(columns, [_row(each, models) for each in found.tried])
    target = found.survey.target
    with_what = "the next question" if target is None else target
    yield f"errors to expect of {found.respondents} respondents, root mean squares over all values of all questions:"
    yield f"of a share by formula and as it came; of two answers, one to {with_what}, as printed and as it came"
    if models and not with_pilot:
        yield "without a pilot no answer tells anything about another: this is what models make of noise"
    elif models:
        yield "tree and forest: accuracy, with its 95 % interval"
    elif target is not None and not with_pilot:
        yield f"how accurate models of {target} will be, a pilot would tell (--pilot ANSWERS.csv)"


def _row(tried: Tried, models: list[str]) -> list[str]:
    shares, pairs = tried.shares, tried.pairs
    row = [f"{tried.design.words}{' (this survey)' * tried.design.published}", f"{tried.design.epsilon:.3f}"]
    row += [f"{shares.foretold:.4f}", f"{shares.came:.4f}"]
    row += ["none", "none"] if pairs is None else [f"{pairs.printed:.4f}", f"{pairs.came:.4f}"]
    accuracies = [f"{each.accuracy:.3f} ({each.interval[0]:.3f} to {each.interval[1]:.3f})" for each in tried.models]
    return row + (accuracies or ["none"] * len(models))
