"""The ``miner`` command: pretend respondents, estimates, trees.

Each subcommand imports what it needs when it runs, so that ``--help`` does not wait for libraries it does not use.
"""

from __future__ import annotations

import csv
import io
import secrets
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from collector.command import (
    Command,
    json_option,
    print_json,
    print_table,
    store_option,
    survey_argument,
    write_output,
)
from collector.errors import QueryError, ResponseError

if TYPE_CHECKING:  # these bring numpy and pandas with them
    from miner.estimate import Estimate
    from miner.model import Model, Outcome
    from miner.responses import Responses

SEEDS = 2**32
MODE_HELP = "The rules of the paper, or only splits that stand out from the noise."
name_argument = click.argument("name")
model_argument = click.argument("model_path", metavar="MODEL", type=click.Path(path_type=Path))
answers_argument = click.argument("answers_path", metavar="ANSWERS.csv", type=click.Path(path_type=Path))
version_option = click.option("--version", type=click.IntRange(min=1), help="Of the survey. The newest unless said.")


def with_responses(command: Callable[..., None]) -> Callable[..., None]:
    """Give a subcommand NAME, --version and --store, and call it with the responses that these name."""

    @name_argument
    @version_option
    @store_option
    @wraps(command)
    def run(name: str, version: int | None, store_path: Path, **given: Any) -> None:  # noqa: ANN401 - click's own
        command(responses=_responses(store_path, name, version), **given)

    return run


@click.group(cls=Command, name="miner")
def main() -> None:
    """Learn from disguised responses what can be learnt without knowing anyone."""


@main.command()
@survey_argument
@answers_argument
@click.option("--seed", type=click.IntRange(min=0), help="Repeats a run. The system's secure randomness unless said.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The file to write. Stdout unless said.")
def simulate(survey_path: Path, answers_path: Path, seed: int | None, output: Path | None) -> None:
    """Disguise a table of true answers as respondents' browsers would.

    ANSWERS.csv has a column for each question: values in words, numbers for number questions. Without -o the disguised
    responses go to stdout, as CSV that `collector import` takes.

    Example: miner simulate examples/wellbeing.toml answers.csv --seed 1 -o responses.csv
    """
    import numpy as np

    from collector.survey_file import read_survey_file
    from collector.table import format_of, write_table
    from miner import simulation
    from miner.answers import read_values

    survey = read_survey_file(survey_path)
    form = format_of(output) if output else "csv"
    draws = simulation.SystemDraws() if seed is None else np.random.default_rng(seed)
    with Console(stderr=True).status("disguising"):
        responses = simulation.simulate(survey, read_values(survey, answers_path), draws)
        write_output(output, write_table(survey, map(tuple, responses.codes.tolist()), form))


@main.command()
@with_responses
@click.argument("condition")
@json_option
def estimate(responses: Responses, condition: str, *, as_json: bool) -> None:
    """Estimate how frequent a CONDITION is among those whom the respondents stand for.

    Compare with =, !=, in (...), and for scales and numbers < and >=; join with "and". A number is compared with a cut
    point. Put values that are not plain words between double quotes.

    Example: miner estimate wellbeing "cannabis = yes and year in (first, second) and income >= 800"
    """
    from miner import estimate as estimation
    from miner.condition import event_of, parse_condition

    found = estimation.estimate(responses, event_of(responses.survey, parse_condition(responses.survey, condition)))
    if as_json:
        print_json(found.as_json)
    else:
        click.echo(f"{found.line} from {found.n} responses")


@main.command()
@with_responses
@click.argument("row")
@click.argument("column")
@json_option
def crosstab(responses: Responses, row: str, column: str, *, as_json: bool) -> None:
    """Estimate how two questions go together: the share of respondents in each cell, with its standard error.

    Example: miner crosstab wellbeing cannabis distress
    """
    from miner import estimate as estimation

    found = estimation.crosstab(responses, row, column)
    if as_json:
        print_json(found.as_json)
        return
    rows, columns = responses.survey.question(row).values, responses.survey.question(column).values
    cells = [[value, *(_cell(found.cells[value, other]) for other in columns)] for value in rows]
    print_table([f"{row} \\ {column}", *columns], cells)
    click.echo(f"{len(responses)} responses; in brackets standard errors")


@main.command()
@with_responses
@click.option("--model", "kind", type=click.Choice(["id3"]), default="id3", show_default=True, help="What to grow.")
@click.option("--target", help="The question to predict. The survey's own target unless said.")
@click.option("--mode", type=click.Choice(["faithful", "robust"]), default="robust", show_default=True, help=MODE_HELP)
@click.option("--test-share", default="1/3", show_default=True, help="The share of responses to test on; 0 for none.")
@click.option("--seed", type=click.IntRange(0, SEEDS - 1), help="Decides which responses those are. Drawn unless said.")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The model file to write.")
@json_option
def train(  # noqa: PLR0913 - one for each option
    responses: Responses,
    *,
    kind: str,
    target: str | None,
    mode: str,
    test_share: str,
    seed: int | None,
    output: Path,
    as_json: bool,
) -> None:
    """Train a model on disguised responses and test it on responses kept out, which are disguised too.

    Example: miner train wellbeing --seed 1 -o model.json
    """
    from miner import training
    from miner.model import KINDS, write_model

    classifier = KINDS[kind](responses.survey, target, mode=mode)
    share, dealt = _share(test_share), secrets.randbelow(SEEDS) if seed is None else seed
    with Console(stderr=True).status("training"):
        model = training.train(responses, classifier, share, dealt)
    write_model(model, output)
    if as_json:
        print_json(_identity(model) | {"mode": mode} | model.training.as_json)
    else:
        click.echo(f"{kind} ({mode}) that predicts {model.target}: {len(model.tree)} nodes, written to {output}")
        click.echo(f"trained on {model.training.n_train} responses, tested on {model.training.n_test} (seed {dealt})")
        _echo_outcome(model.training.outcome)


@main.command()
@model_argument
@with_responses
@json_option
def evaluate(model_path: Path, responses: Responses, *, as_json: bool) -> None:
    """Test a model on disguised responses to the survey it was trained on.

    On the very responses it was trained on, those kept out then are used. Should others have come in since, it cannot
    tell which are new: all are used, and it says so.

    Example: miner evaluate model.json wellbeing
    """
    from miner.model import read_model
    from miner.training import evaluate_again

    model = read_model(model_path)
    with Console(stderr=True).status("testing"):
        outcome, kept_out = evaluate_again(model, responses)
    if as_json:
        print_json(_identity(model) | {"n_test": outcome.accuracy.n, "kept_out": kept_out} | outcome.as_json)
        return
    click.echo(f"tested on {outcome.accuracy.n} responses{' kept out of training' if kept_out else ''}")
    if not kept_out:
        click.echo("if the model was trained on some of them, the accuracy is too good")
    _echo_outcome(outcome)


@main.command()
@model_argument
@answers_argument
def predict(model_path: Path, answers_path: Path) -> None:
    """Predict the class of people who volunteer their answers; CSV on stdout, a line for each row.

    ANSWERS.csv has a column for each question but the class: values in words, numbers for number questions.

    Example: miner predict model.json answers.csv
    """
    from miner.answers import read_answers
    from miner.model import read_model

    classifier, frame = read_model(model_path).classifier, read_answers(answers_path)
    try:
        probabilities = classifier.predict_proba(frame)
    except ResponseError as error:
        raise error.within(str(answers_path)) from None
    classes = classifier.classes_.tolist()
    rows = [[classes[row.argmax()], *row.tolist()] for row in probabilities]
    write_output(None, _csv_lines([["prediction", *(f"probability_{value}" for value in classes)], *rows]))


@main.command()
@model_argument
@json_option
def show(model_path: Path, *, as_json: bool) -> None:
    """Print a model: its tree, how it did on disguised test responses, and what respondents disclosed for it.

    Example: miner show model.json
    """
    from miner.model import read_model

    model = read_model(model_path)
    if as_json:
        print_json(model.as_json)
        return
    survey, training = model.survey, model.training
    parameters = ", ".join(f"{key} {value}" for key, value in model.parameters.items() if value is not None)
    click.echo(f"{model.kind} ({parameters}) that predicts {model.target} from survey {survey.name}")
    click.echo(f"fingerprint {survey.fingerprint}")
    click.echo(f"trained on {training.n_train} responses, tested on {training.n_test} (seed {training.seed})")
    _echo_outcome(training.outcome)
    click.echo(f"\n{model.tree.show(survey, model.target)}\n")
    for line in model.privacy:
        click.echo(line)


def _responses(store_path: Path, name: str, version: int | None) -> Responses:
    """The responses to one version; says on stderr if others, left aside, are to older ones."""
    from collector.store import Store
    from miner.responses import Responses

    with Store(store_path) as store:
        published = store.published(name, version)
        others = [each for each in store.surveys() if each.name == name and each.version < published.version]
        older = {each.version: store.count(each.survey) for each in others}
        responses = Responses.from_store(store, name, published.version)
    for number, count in older.items():
        if count and version is None:
            click.echo(
                f"note: {count} responses to version {number} of {name} are left aside (--version {number})", err=True
            )
    return responses


def _share(text: str) -> Fraction:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise QueryError("--test-share", "it is not a fraction", "write one, such as 1/3 or 0.25") from None


def _identity(model: Model) -> dict[str, Any]:
    return {
        "model": model.kind,
        "survey": model.survey.name,
        "fingerprint": model.survey.fingerprint,
        "target": model.target,
    }


def _cell(found: Estimate) -> str:
    return f"{found.estimate:.3f}" + ("" if found.standard_error is None else f" ({found.standard_error:.3f})")


def _echo_outcome(outcome: Outcome | None) -> None:
    if outcome is not None:
        click.echo(f"disguised-test accuracy {outcome.accuracy.line}")
        click.echo(f"always {outcome.label}: {outcome.baseline.line}")


def _csv_lines(rows: list[list[object]]) -> Iterator[str]:
    for row in rows:
        line = io.StringIO(newline="")
        csv.writer(line, lineterminator="\n").writerow(row)
        yield line.getvalue()


if __name__ == "__main__":
    sys.exit(main())
