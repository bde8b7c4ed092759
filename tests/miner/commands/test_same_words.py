"""The commands and the functions of Python have the same words and defaults."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import click
import pytest

import miner
from miner.cli import main
from miner.learners.kinds import KINDS

SOURCE = {"name", "version", "versions", "store_path", "parquet", "scheduler", "workers", "memory"}  # where they are
SOURCE |= {"tls_ca", "tls_cert", "tls_key"}
FILES = {"as_json", "quiet", "force", "output", "reading", "columns", "encoding"}  # what is read, printed and written
GIVEN = {"responses", "self", "survey"}  # what a command makes of `SOURCE`
SAMPLE = "miner.Sample in place of responses"
LEVEL = "miner.figures.score.level.set(0.9)"
PLAIN = "miner.hybrid_estimate(plain=...) and fit(plain=...) take PlainRows"
# For each command: the functions, the parameters of the command that Python has elsewhere, and those of Python alone.
COMMANDS: dict[str, tuple[list[Callable[..., Any]], dict[str, str], dict[str, str]]] = {
    "estimate": (
        [miner.estimate, miner.shares, miner.mean, miner.total, miner.quantile],
        {
            "condition": "event, what and question: each function says what it takes",
            "plain_path": PLAIN,
            "false": "Estimate.shift(false)",
            "sample": SAMPLE,
            "level": LEVEL,
            "differences": "FigureTable.differences_frame()",
            "mean": "miner.mean",
            "people": "miner.total(people=...)",
            "quantile": "miner.quantile(share=...)",
        },
        {
            "event": "condition",
            "what": "condition",
            "question": "condition",
            "share": "--quantile SHARE",
            "people": "--total PEOPLE",
        },
    ),
    "crosstab": ([miner.crosstab], {"sample": SAMPLE, "level": LEVEL}, {}),
    "difference": (
        [miner.difference],
        {"sample": SAMPLE, "level": LEVEL, "earlier": "miner.between(responses, earlier, condition, among)"},
        {},
    ),
    "trend": (
        [miner.trend, miner.trends],
        {"sample": SAMPLE, "level": LEVEL, "chosen": "waves", "times": "the keys of waves"},
        {"waves": "--wave, or all waves of the survey", "unit": "wave, or year with --times"},
    ),
    "regress": (
        [miner.regress],
        {"sample": SAMPLE, "margins": "Regression.margins()"},
        {},
    ),
    "rules": ([miner.rules], {}, {}),
    "train": (
        [*KINDS.values()],
        {
            "kind": "the class itself",
            "plain_path": PLAIN,
            "seed": "random_state, as scikit-learn calls it",
            "test_share": "responses are divided by whoever calls fit and evaluate",
            "verbose": "comparison_ of the fitted learner",
        },
        {
            "random_state": "--seed",
            "bootstrap": "for comparisons with scikit-learn",
            "n_jobs": "how the work is divided",
            "learning_rate": "of boosted",
            "pairs": "of additive",
        },
    ),
    "evaluate": (
        [miner.evaluate],
        {
            "model_path": "classifier",
            "wants_importances": "miner.permutation_importances",
            "wants_dependence": "miner.partial_dependence",
        },
        {"classifier": "MODEL", "target": "the model's", "rng": "the model's seed", "asked": "the model's questions"},
    ),
}
NEEDED = {("difference", "first"), ("difference", "second"), ("trend", "by")}  # by one of the functions only
ABSENT = (None, (), False)  # an option that is not given


def options_of(command: str) -> dict[str, click.Parameter]:
    """The parameters of a command by name, but those of sources and files."""
    found = main.commands[command].params
    return {str(each.name): each for each in found if each.name not in SOURCE | FILES}


def parameters_of(functions: list[Callable[..., Any]]) -> dict[str, list[Any]]:
    """The defaults of each parameter in the functions that have it."""
    found: dict[str, list[Any]] = {}
    for function in functions:
        for name, parameter in inspect.signature(function).parameters.items():
            if name not in GIVEN:
                found.setdefault(name, []).append(parameter.default)
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_each_option_is_a_parameter_of_the_same_name_and_the_reverse(command: str) -> None:
    functions, elsewhere, alone = COMMANDS[command]
    options, parameters = options_of(command).keys(), parameters_of(functions).keys()
    assert options - parameters - elsewhere.keys() == set()
    assert parameters - options - alone.keys() == set()
    assert elsewhere.keys() <= options, "an exception that is none"
    assert alone.keys() <= parameters, "an exception that is none"


@pytest.mark.parametrize("command", COMMANDS)
def test_each_option_has_the_default_of_its_parameter(command: str) -> None:
    functions, elsewhere, _ = COMMANDS[command]
    options, parameters = options_of(command), parameters_of(functions)
    compared = 0
    for name in (options.keys() & parameters.keys()) - elsewhere.keys():
        option, told = options[name], options[name].to_info_dict()["default"]
        for default in parameters[name]:
            compared += 1
            if option.required or (command, name) in NEEDED:
                assert default is inspect.Parameter.empty, name
            elif told not in ABSENT:
                assert str(default) == str(told), name
            elif isinstance(option, click.Option) and isinstance(option.show_default, str):
                assert default is None or str(default) in option.show_default, name
            else:
                assert default in ABSENT, name
    assert compared or command == "evaluate"
