"""Define the subcommands of ``miner`` that train, test and apply models."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from contextlib import nullcontext
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from collector.commands.command import OutputPath, json_option, print_json, print_table, write_output
from collector.commands.progress import status
from collector.commands.table_options import table_options
from collector.errors import QueryError, ResponseError
from collector.table.csv_cells import csv_lines
from miner.commands.figures import (
    comparison_of,
    echo_dependence,
    echo_importances,
    echo_measures,
    echo_outcome,
    mode_of,
    plan_of,
    trained_line,
)
from miner.commands.options import answers_argument, memory_option, model_argument, plain_option, with_source
from miner.json_values import json_values
from miner.learners.kinds import KINDS

if TYPE_CHECKING:  # these bring numpy and pandas with them
    from collector.table.plain_table import Reading
    from miner.learners.classifier import DisguisedClassifier
    from miner.models.model import Model
    from miner.responses.responses import Data, Responses

SEEDS = 2**32
MODES = ("auto", "faithful", "robust", "latent")
SPLITS = ("multiway", "binary")
BY = ("log-loss", "auc", "accuracy")
MODEL_HELP = "Model to train. auto compares several."
BY_HELP = "Measure by which auto compares models on held-out disguised responses."
LEAVES_HELP = "Largest number of leaves (id3)."
SIZE_HELP = "Smallest estimated count of a leaf (id3, forest)."
DEPENDENCE_HELP = "Show, for each answer, the mean probability of each class if all people gave it."
LIMIT_HELP = "Time for auto. Models that need longer learn from fewer responses or are left out, and are named."
VERBOSE_HELP = "Print by how much each model that auto compares is worse than the best."
ESTIMATORS_HELP = "Number of trees (forest, random-trees, boosted)."
FEATURES_HELP = "How many tests are tried at each node: a number, a share such as 0.3, sqrt or log2 (forest)."
OOB_HELP = "Show the out-of-bag accuracy, of a second forest grown from two thirds of the responses (forest)."
SPLITS_HELP = "How a node is split: into one child for each value, or into two children (id3)."
PRUNE_HELP = "Share of the training responses that is used to prune the tree, such as 1/4 (id3)."
MODE_HELP = (
    "How trees are grown: as in the paper (faithful), with tests against noise (robust), on a model of the true "
    "answers (latent), or latent unless robust is clearly better (auto)."
)


@click.command()
@with_source
@click.option(
    "--model",
    "kind",
    type=click.Choice(list(KINDS)),
    help=MODEL_HELP,
    show_default="auto, or id3 or forest if you give an option of theirs",
)
@click.option("--target", help="Question to predict.", show_default="the survey's target")
@click.option("--mode", type=click.Choice(MODES), default="auto", show_default=True, help=MODE_HELP)
@click.option(
    "--splits", type=click.Choice(SPLITS), help=SPLITS_HELP, show_default="binary in latent mode, else multiway"
)
@click.option("--prune-share", help=PRUNE_HELP, show_default="no responses")
@click.option(
    "--max-depth", type=click.IntRange(min=0), help="Maximum depth of a tree (id3, forest, random-trees, boosted)."
)
@click.option(
    "--max-leaves", type=click.IntRange(min=1), help=LEAVES_HELP, show_default="30, in faithful mode no limit"
)
@click.option("--min-samples-leaf", type=click.FloatRange(min=0), help=SIZE_HELP)
@click.option(
    "--n-estimators",
    type=click.IntRange(min=1),
    help=ESTIMATORS_HELP,
    show_default="forest 100, random-trees 30, boosted 300",
)
@click.option("--max-features", metavar="TESTS", help=FEATURES_HELP, show_default="sqrt")
@click.option("--oob-score", is_flag=True, help=OOB_HELP)
@click.option("--by", type=click.Choice(BY), help=BY_HELP, show_default="log-loss")
@click.option("--verbose", is_flag=True, help=VERBOSE_HELP)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help=LIMIT_HELP,
    show_default="no limit",
)
@plain_option
@table_options
@memory_option
@click.option(
    "--test-share",
    default="1/3",
    show_default=True,
    help="Share of responses to test on. With 0 the model is not tested.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, SEEDS - 1),
    help="Seed that makes the run repeatable.",
    show_default="drawn from the system",
)
@click.option("-o", "--output", type=OutputPath(), required=True, help="Model file to write.")
@json_option
def train(  # noqa: PLR0913 - one for each option
    responses: Data,
    *,
    kind: str | None,
    target: str | None,
    mode: str,
    splits: str | None,
    prune_share: str | None,
    max_depth: int | None,
    max_leaves: int | None,
    min_samples_leaf: float | None,
    n_estimators: int | None,
    max_features: str | None,
    oob_score: bool,
    by: str | None,
    verbose: bool,
    time_limit: float | None,
    plain_path: Path | None,
    reading: Reading,
    test_share: str,
    seed: int | None,
    output: Path,
    as_json: bool,
) -> None:
    """Train a model on disguised responses, and test it on held-out responses, which are disguised too.

    With --plain, the model also learns from undisguised rows that you hold, but is not tested on these rows.

    Example: miner train wellbeing --seed 1 -o model.json
    """
    from miner.forest.tried import read_max_features
    from miner.models import training
    from miner.models.model import write_model
    from miner.responses.answers import read_values
    from miner.responses.plain_rows import PlainRows
    from miner.threads import one_thread

    share, dealt = _share("--test-share", test_share), secrets.randbelow(SEEDS) if seed is None else seed
    pruning = None if prune_share is None else float(_share("--prune-share", prune_share))
    trees = {
        "mode": None if mode == "auto" else mode,
        "splits": splits,
        "prune_share": pruning,
        "max_depth": max_depth,
        "max_leaves": max_leaves,
        "min_samples_leaf": min_samples_leaf,
    }
    forest = {
        "n_estimators": n_estimators,
        "max_features": None if max_features is None else read_max_features(max_features),
        "oob_score": oob_score or None,
    }
    of_trees, of_forest = (
        {name: value for name, value in each.items() if value is not None} for each in (trees, forest)
    )
    kind, asked = kind or ("forest" if of_forest else "id3" if of_trees else "auto"), of_trees | of_forest
    classifier = KINDS[kind](responses.survey, target).set_params(random_state=dealt)
    of_auto = {name: value for name, value in {"by": by, "time_limit": time_limit}.items() if value is not None}
    _set(classifier, kind, asked | of_auto)
    plain = (
        None
        if plain_path is None
        else PlainRows.of(responses.survey, read_values(responses.survey, plain_path, reading))
    )
    if (plan := plan_of(classifier, training.learnt_from(len(responses), share))) is not None and not as_json:
        click.echo(plan.line, err=True)
    with status("training") if plan is None else nullcontext(), one_thread():
        model = training.train(responses, classifier, share, dealt, plain)
        write_model(model, output)
    used = model.training.n_train + model.training.n_test
    if used < len(responses):
        click.echo(f"note: {used} of {len(responses)} responses were drawn to train and test on", err=True)
    if as_json:
        compared = {} if (found := comparison_of(model)) is None else {"comparison": found.as_json}
        bag = {name: found.as_json for name, found in training.out_of_bag(classifier).items()}
        done = {} if (plan := getattr(classifier, "plan_", None)) is None else {"plan": plan.as_json}
        print_json(_identity(model) | mode_of(model) | compared | done | model.training.as_json | bag)
    else:
        click.echo(f"{kind} that predicts {model.target}, written to {output}")
        for name, description in mode_of(model).items():
            click.echo(f"{name}: {description}")
        if verbose and (found := comparison_of(model)) is not None:
            print_table([f"worse than {found.chosen}", f"by {found.by}", "standard error"], found.table)
        click.echo(trained_line(model.training))
        echo_outcome(model.training.outcome)
        for estimate in training.out_of_bag(classifier).values():
            click.echo(f"out-of-bag accuracy {estimate.line}")


@click.command()
@model_argument
@with_source
@click.option(
    "--importances", "wants_importances", is_flag=True, help="Show how much the accuracy depends on each question."
)
@click.option("--dependence", "wants_dependence", is_flag=True, help=DEPENDENCE_HELP)
@memory_option
@json_option
def evaluate(
    responses: Data, model_path: Path, *, wants_importances: bool, wants_dependence: bool, as_json: bool
) -> None:
    """Test a model on disguised responses to the survey that it was trained on.

    A model of `miner retrain` is tested on the responses that the store holds out, and on later responses. A model of
    `miner train` is tested on the responses that were held out in training or, if responses have arrived since, on all
    responses. The importance of a question is the decrease of the accuracy if its answers are shuffled among the test
    responses.

    Example: miner evaluate model.json wellbeing
    """
    from miner.models.model import read_model
    from miner.models.training import dependence, importances, judged

    model = read_model(model_path)
    test, kept_out = _part_to_test_on(model_path, model, responses)
    with status("testing"):
        outcome, evaluation = judged(model, test)
        measures = evaluation.as_json
        found = importances(model, test) if wants_importances else {}
        depends = dependence(model, test) if wants_dependence else {}
    if as_json:
        tested = {"n_test": outcome.accuracy.n, "kept_out": kept_out}
        explanations: dict[str, Any] = {"importances": json_values(found)} if wants_importances else {}
        explanations |= {"dependence": json_values(depends)} if wants_dependence else {}
        print_json(_identity(model) | tested | outcome.as_json | measures | explanations)
        return
    click.echo(f"tested on {outcome.accuracy.n} responses{' kept out of training' if kept_out else ''}")
    if not kept_out:
        click.echo("if the model was trained on some of them, the figures are too good")
    echo_outcome(outcome)
    echo_measures(evaluation)
    echo_importances(found)
    echo_dependence(model.survey, depends)


def _part_to_test_on(path: Path, model: Model, responses: Data) -> tuple[Responses, bool]:
    """Return the responses to test a model on, and whether they were held out from its training."""
    from collector.store.store import Store
    from miner.models.training import part_to_test_on
    from miner.retrain.held_out import held_out

    part, kept_out = part_to_test_on(model, responses)
    parameters = click.get_current_context().params
    if parameters["parquet"] is not None:
        return part, kept_out
    with Store(parameters["store_path"]) as store:
        dealt = held_out(store, path, model)
    return (part, kept_out) if dealt is None else (dealt, True)


@click.command()
@model_argument
@answers_argument
@table_options
def predict(model_path: Path, answers_path: Path, *, reading: Reading) -> None:
    """Predict the class of people who volunteer their answers, as CSV with a line for each person.

    ANSWERS.csv must have a column for each question except the class. The cells of ANSWERS.csv are values in words,
    numbers or days.

    Example: miner predict model.json answers.csv
    """
    from miner.release.release import read_model_or_release
    from miner.responses.answers import HEADINGS, read_answers

    classifier = read_model_or_release(model_path).classifier
    frame = read_answers(answers_path, reading, classifier.survey)
    if frame.attrs[HEADINGS]:
        click.echo(frame.attrs[HEADINGS], err=True)
    try:
        probabilities = classifier.predict_proba(frame)
    except ResponseError as error:
        raise error.within(str(answers_path)) from None
    classes = classifier.classes_.tolist()
    rows = [[classes[row.argmax()], *row.tolist()] for row in probabilities]
    write_output(None, csv_lines([["prediction", *(f"probability_{value}" for value in classes)], *rows]))


def _share(option: str, text: str) -> Fraction:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise QueryError(option, "the value is not a fraction", "write a fraction such as 1/3 or 0.25") from None


def _set(classifier: DisguisedClassifier, kind: str, parameters: Mapping[str, object]) -> None:
    """Set a parameter of a classifier to the value of an option, if the classifier has this parameter."""
    for name in parameters:
        if name not in classifier.get_params():
            raise QueryError(f"--{name.replace('_', '-')}", f"{kind} has no such option", "leave the option out")
    classifier.set_params(**parameters)


def _identity(model: Model) -> dict[str, Any]:
    return {
        "model": model.kind,
        "survey": model.survey.name,
        "fingerprint": model.survey.fingerprint,
        "target": model.target,
    }
