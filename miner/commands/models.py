"""The subcommands of ``miner`` that make, test and use models."""

from __future__ import annotations

import csv
import io
import secrets
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from collector.command import json_option, print_json, print_table, write_output
from collector.errors import QueryError, ResponseError
from miner.commands.options import answers_argument, model_argument, with_responses

if TYPE_CHECKING:  # these bring numpy and pandas with them
    from miner.estimate import Estimate
    from miner.evaluate.measures import Evaluation
    from miner.model import Model, Outcome
    from miner.responses import Responses

SEEDS = 2**32
LEARNERS = ("id3", "forest", "random-trees")
MODES = ("auto", "faithful", "robust", "latent")
MODE_HELP = "The rules of the paper, noise-aware rules, behind the disguise; or what responses advise."


@click.command()
@with_responses
@click.option(
    "--model",
    "kind",
    type=click.Choice(["id3", "forest", "random-trees"]),
    default="id3",
    show_default=True,
    help="What to grow.",
)
@click.option("--target", help="The question to predict. The survey's own target unless said.")
@click.option("--mode", type=click.Choice(MODES), default="auto", show_default=True, help=MODE_HELP)
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

    share, dealt = _share(test_share), secrets.randbelow(SEEDS) if seed is None else seed
    classifier = KINDS[kind](responses.survey, target).set_params(random_state=dealt)
    if "mode" in classifier.get_params():
        classifier.set_params(mode=mode)
    elif mode != "auto":
        raise QueryError("--mode", f"{kind} has no modes", "leave it out")
    with Console(stderr=True).status("training"):
        model = training.train(responses, classifier, share, dealt)
    write_model(model, output)
    if as_json:
        print_json(_identity(model) | _mode(model) | model.training.as_json)
    else:
        click.echo(f"{kind} that predicts {model.target}, written to {output}")
        for name, told in _mode(model).items():
            click.echo(f"{name}: {told}")
        click.echo(f"trained on {model.training.n_train} responses, tested on {model.training.n_test} (seed {dealt})")
        _echo_outcome(model.training.outcome)


@click.command()
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
        outcome, evaluation, kept_out = evaluate_again(model, responses)
        measures = evaluation.as_json
    if as_json:
        tested = {"n_test": outcome.accuracy.n, "kept_out": kept_out}
        print_json(_identity(model) | tested | outcome.as_json | measures)
        return
    click.echo(f"tested on {outcome.accuracy.n} responses{' kept out of training' if kept_out else ''}")
    if not kept_out:
        click.echo("if the model was trained on some of them, the figures are too good")
    _echo_outcome(outcome)
    _echo_measures(evaluation)


@click.command()
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


@click.command()
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
    for name, told in _mode(model).items():
        click.echo(f"{name}: {told}")
    click.echo(f"\n{model.classifier.text}\n")
    for line in model.privacy:
        click.echo(line)


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


def _mode(model: Model) -> dict[str, str]:
    """The mode that was taken, and why; nothing for a model that has no modes."""
    choice = getattr(model.classifier, "choice_", None)
    return {} if choice is None else {"mode": choice.mode, "why": choice.why}


def _echo_outcome(outcome: Outcome | None) -> None:
    if outcome is not None:
        click.echo(f"disguised-test accuracy {outcome.accuracy.line}")
        click.echo(f"always {outcome.label}: {outcome.baseline.line}")
        click.echo(f"area under the ROC curve {_line(outcome.auc)}")


def _echo_measures(found: Evaluation) -> None:
    click.echo(f"log loss {found.log_loss.line}")
    click.echo(f"Brier score {found.brier.line}")
    if found.impossible.estimate:
        click.echo(f"classes that were given probability 0: {found.impossible.line}")
    click.echo("")
    rows = [
        [f"truly {true}", *(_cell(found.confusion[true, other]) for other in found.classes)] for true in found.classes
    ]
    print_table(["share", *(f"predicted {value}" for value in found.classes)], rows)
    click.echo("")
    each = [[value, _cell(found.precision[value]), _cell(found.recall[value])] for value in found.classes]
    print_table(["class", "precision", "recall"], each)
    click.echo("in brackets standard errors")
    if not found.copies.exact:
        click.echo("too many groups to write out every signed copy: they were drawn, and the errors reckon with it")


def _line(found: Estimate | None) -> str:
    return "cannot be told: a class is estimated to have no member" if found is None else found.line


def _cell(found: Estimate | None) -> str:
    if found is None:
        return "-"
    return f"{found.estimate:.3f}" + ("" if found.standard_error is None else f" ({found.standard_error:.3f})")


def _csv_lines(rows: list[list[object]]) -> Iterator[str]:
    for row in rows:
        line = io.StringIO(newline="")
        csv.writer(line, lineterminator="\n").writerow(row)
        yield line.getvalue()
