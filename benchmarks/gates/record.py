"""What the commands of this commit print and write for many questions, as one line of JSON for each.

    python -m benchmarks.gates.record FOLDER figures.jsonl --gate figures --questions 400

`benchmarks.gates.compare` runs this with the code of two commits. All of it goes through commands, whose names and
options a redesign keeps; numbers of the gates are in that module.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from click.testing import CliRunner
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from benchmarks.gates.designs import CLUSTERS, RAKED, SAMPLE, designs, versions, write_answers
from collector.cli import main as collector
from collector.errors import DeniableError
from collector.store.store import Store
from miner.arrays import Floats
from miner.cli import main as miner
from miner.learners.classifier import DisguisedClassifier
from miner.learners.kinds import KINDS
from miner.responses.answers import read_values
from miner.responses.filed import memory
from miner.responses.responses import Responses, Values

Made = Callable[[], DisguisedClassifier]
LEARNERS: Sequence[Sequence[str]] = (
    ("majority",),
    ("naive-bayes",),
    ("uncorrected",),
    ("id3", "--mode", "faithful"),
    ("id3", "--mode", "robust"),
    ("id3", "--mode", "latent"),
    ("id3",),
    ("forest", "--mode", "robust", "--n-estimators", "5"),
    ("forest", "--mode", "latent", "--n-estimators", "5"),
    ("forest", "--mode", "faithful", "--n-estimators", "5"),
    ("random-trees", "--n-estimators", "5"),
    ("logit",),
    ("additive",),
    ("boosted", "--n-estimators", "20"),
)
TRAINED = ("one_coin", "own_coins", "routed", "split")  # designs that models are trained on
WITH_PLAIN = (
    ("id3", "--mode", "latent"),
    ("forest", "--mode", "robust", "--n-estimators", "5"),
    ("logit",),
    ("boosted", "--n-estimators", "20"),
)
STORE = ("--store", "gates.db")
SMALL = {2**22: 400, 2**16: 90, 2**23: 250}
"""By the number of responses that are learnt from at once, counted at once or a block: that of the gate `parts`."""


class Keep(Protocol):
    """Records what a command prints or, if it is given, what a function returns."""

    def __call__(self, *options: str, made: Callable[[], object] | None = None) -> None:
        """Record the output of a command, or what a function returns."""


class Recorder:
    """Stores of all designs in a folder, and what commands answer there."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.runner = folder, CliRunner()
        self.texts = designs()
        os.chdir(folder)
        Path("sample.toml").write_text(SAMPLE, encoding="utf-8")
        Path("clusters.toml").write_text(CLUSTERS, encoding="utf-8")
        Path("raked.toml").write_text(RAKED, encoding="utf-8")
        for name, text in self.texts.items():
            write_answers(name, text, Path(f"{name}.csv"))
            self.publish(name, text, 7)

    def publish(self, name: str, text: str, seed: int | None) -> None:
        """Publish a version of a survey and, if there is a seed, its responses of the people of `NAME.csv`."""
        Path(f"{name}.toml").write_text(text, encoding="utf-8")
        self.collect("publish", f"{name}.toml", "--accept-exposure", *STORE)
        if seed is not None:
            sent = f"{name}-{seed}.csv"
            self.run("simulate", f"{name}.toml", f"{name}.csv", "--seed", str(seed), "-o", sent)
            self.collect("import", name, sent, "--mix", *STORE)

    def export(self, names: Sequence[str]) -> None:
        """Write the responses to some surveys as Parquet files, into the folder `NAME.parts`."""
        for name in names:
            self.collect("export", name, "--format", "parquet", "-o", f"{name}.parts", *STORE)

    def collect(self, *options: str) -> None:
        """Run a command of the collector, which must work."""
        found = self.runner.invoke(collector, options)
        if found.exit_code:
            raise SystemExit(f"{options}: {found.output}")

    def run(self, *options: str) -> dict[str, object]:
        """Run a command of the miner, and return what it printed."""
        found = self.runner.invoke(miner, options)
        if found.exception is not None and not isinstance(found.exception, SystemExit):
            raise found.exception
        return {"command": list(options), "code": found.exit_code, "out": found.stdout, "err": found.stderr}


def condition(chance: random.Random, name: str) -> str:
    """Return a condition at random on one or two of the questions of a design."""
    kinds = dict.fromkeys("ad", "yes_no") | dict.fromkeys("bc", "scale")
    if name in {"numbers", "declined"}:
        kinds |= {"c": "yes_no"} | ({"a": "number", "b": "yes_no"} if name == "numbers" else {})
    parts = []
    for each in chance.sample([*"abcd", "region", "age"], chance.choice((1, 1, 2))):
        match kinds.get(each, each):
            case "yes_no":
                parts.append(f"{each} = {chance.choice(('yes', 'no'))}")
            case "scale":
                parts.append(f"{each} {chance.choice(('=', '!='))} {chance.choice(('never', 'seldom', 'often'))}")
            case "number":
                parts.append(f"{each} >= {chance.choice((10, 20))}")
            case "region":
                parts.append(f"region in (r{chance.randrange(2)}, r2)")
            case _:
                parts.append(f"age < {chance.choice((30, 50))}")
    return f" {chance.choice(('and', 'or'))} ".join(parts)


def question(chance: random.Random, name: str) -> list[str]:
    """Return a command at random on a design."""
    others = chance.sample("abcd", 3)
    predictors = " + ".join(each for each in others if each != "d")
    share = ["estimate", name, condition(chance, name)]
    return chance.choice(
        (
            share,
            share,
            [*share, "--by", others[0]],
            [*share, "--plain", f"{name}.csv"],
            ["estimate", name, others[0], "--among", condition(chance, name)],
            ["estimate", name],
            ["estimate", name, "age", "--mean"],
            ["estimate", name, "a", "--total", "5000"],
            ["crosstab", name, *others[:2]],
            ["crosstab", name, *others],
            ["difference", name, *(condition(chance, name) for _ in range(3))],
            ["regress", name, f"d ~ {predictors} + age"],
        )
    )


def questions(texts: dict[str, str], number: int) -> Iterator[list[str]]:
    """Yield commands at random: shares, tables, differences, means, regressions and rules, with and without samples."""
    chance = random.Random(63)  # noqa: S311 - the same questions each time
    for count in range(number):
        name = list(texts)[count % len(texts)]
        command = question(chance, name)
        sample = chance.choice((None, None, "clusters" if name == "split" else "sample", "raked"))
        weighted = ["--sample", f"{sample}.toml"] if sample is not None and "--plain" not in command else []
        yield [*command, *weighted, "--json"]
    for name in texts:
        yield ["rules", name, "--min-support", "0.2", "--json"]


def trainings() -> Iterator[list[str]]:
    """Yield commands that train a model, by design and learner."""
    for name in TRAINED:
        for number, learner in enumerate(LEARNERS):
            command = ["train", name, "--model", *learner, "--seed", "3", "--json"]
            yield [*command, "-o", f"{name}-{number}.json"]
            if learner in WITH_PLAIN:
                yield [*command, "--plain", f"{name}.csv", "-o", f"{name}-{number}-plain.json"]


def figures(recorder: Recorder, number: int, keep: Keep) -> None:
    """Record what commands print about all designs."""
    for command in questions(recorder.texts, number):
        keep(*command, *STORE)


def models(recorder: Recorder, _: int, keep: Keep) -> None:
    """Record model files, and what their tests print."""
    del recorder
    for command in trainings():
        keep(*command, *STORE)
        show_model(command[-1], keep, "evaluate", command[-1], command[1], "--importances", "--dependence", "--json")


def show_model(path: str, keep: Keep, *test: str) -> None:
    """Record a model file, if it was written, and what its test prints."""
    if Path(path).exists():
        keep("model", path, made=lambda: Path(path).read_text("utf-8"))
        keep(*test, *STORE)


def parquet(recorder: Recorder, number: int, keep: Keep) -> None:
    """Record figures and trees from Parquet files."""
    recorder.export(TRAINED)
    for command in questions({name: recorder.texts[name] for name in TRAINED}, number):
        keep(*command, "--from", f"{command[1]}.parts")
    for name in TRAINED:
        keep(*f"train {name} --model id3 --mode robust --seed 3 --json --from {name}.parts".split())


def waves(recorder: Recorder, number: int, keep: Keep) -> None:
    """Record figures and models of a survey of several versions."""
    write_answers("waves", versions()[0][0], Path("waves.csv"))
    for place, (text, answered) in enumerate(versions(), 1):
        recorder.publish("waves", text, place if answered else None)
    once = ("--versions", "all", *STORE)
    chance = random.Random(64)  # noqa: S311 - the same questions each time
    for _ in range(number // 4):
        keep(*question(chance, "waves"), *chance.choice(([], [], ["--sample", "sample.toml"])), "--json", *once)
    for names in ("a b", "a d", "b d", "a region b"):
        keep("crosstab", "waves", *names.split(), *once)
    keep("regress", "waves", "d ~ a + age", "--json", *once)
    keep("rules", "waves", "--min-support", "0.2", "--json", *once)
    keep("trend", "waves", "a = yes", "--json", *STORE)
    for count, learner in enumerate(LEARNERS):
        model = f"waves-{count}.json"
        keep("train", "waves", "--json", "--seed", "3", "--model", *learner, "-o", model, *once)
        show_model(model, keep, "evaluate", model, "waves", "--json", "--versions", "all")


def frames(_: Recorder, number: int, keep: Keep) -> None:
    """Record what learners learn from frames in another order, from some responses, and from rows of true answers."""
    del number
    for name in TRAINED:
        with Store(Path("gates.db")) as store:
            responses = Responses.from_store(store, name)
        rng = np.random.default_rng(5)
        shuffled = responses.take(rng.permutation(len(responses)))
        values = read_values(responses.survey, Path(f"{name}.csv"))[rng.random(len(responses)) < 0.3]
        weights = 0.5 + rng.random(len(values))
        for kind, *options in LEARNERS:
            pairs = zip(options[::2], options[1::2], strict=True)
            given: dict[str, Any] = {key.strip("-").replace("-", "_"): value for key, value in pairs}
            given |= {"n_estimators": int(given["n_estimators"])} if "n_estimators" in given else {}
            made = partial(KINDS[kind](responses.survey).set_params, random_state=3, **given)
            for case in (of_frame, of_some, scores):
                keep("frames", name, kind, *options, case.__name__, made=partial(case, made, shuffled))
            keep("frames", name, kind, *options, "rows", made=partial(of_rows, made, values, weights))


def of_frame(made: Made, responses: Responses) -> object:
    """Return what a learner learns from a frame whose columns are in another order, with the class apart."""
    frame = responses.frame
    return clone(made()).fit(frame[[*frame.columns[::-1]]].drop(columns="d"), frame["d"]).learnt


def of_some(made: Made, responses: Responses) -> object:
    """Return what a learner learns from the responses that a mask chooses."""
    return clone(made()).fit(responses[responses.codes[:, 0] > 0]).learnt


def of_rows(made: Made, values: Values, weights: Floats) -> object:
    """Return what a learner learns from weighted rows of true answers."""
    return clone(made()).fit_rows(values, weights, round(weights.sum())).learnt


def scores(made: Made, responses: Responses) -> object:
    """Return the scores of a cross-validation."""
    return cross_val_score(made(), responses[:600], cv=3).tolist()


def parts(recorder: Recorder, _: int, keep: Keep) -> None:
    """Record models learnt from Parquet files in many parts and blocks, in memory and in a temporary file."""
    names = ("one_coin", "own_coins", "routed")
    recorder.export(names)
    shrink_parts()
    for name in names:
        for count, learner in enumerate(LEARNERS):
            memory.set((2**31, 0)[count % 2])
            model = f"{name}-{count}-parts.json"
            read = ("--from", f"{name}.parts")
            keep("train", name, "--model", *learner, "--seed", "3", "--json", "-o", model, *read)
            show_model(model, keep, "evaluate", model, name, "--json")


def shrink_parts() -> None:
    """Make parts and blocks of responses in memory so small that the gates have many."""
    for each in ("miner.models.training", "miner.learners.forest", "miner.learners.id3", "miner.learners.random_trees"):
        import_module(each)
    for module in [module for name, module in sys.modules.items() if name.startswith("miner.")]:
        for name in {"LARGE", "PART", "BLOCK"} & vars(module).keys():
            setattr(module, name, SMALL.get(getattr(module, name), getattr(module, name)))
    with suppress(ImportError):  # defaults of the commit where this began
        gathered = import_module("miner.counting.gathered")
        for function in (gathered.Gathered.parts, gathered.parts_of_tally):
            function.__defaults__ = (SMALL[2**16],)


GATES: dict[str, Callable[[Recorder, int, Keep], None]] = {
    each.__name__: each for each in (figures, models, parquet, waves, frames, parts)
}


def record(folder: Path, output: Path, gate: str, number: int) -> None:
    """Write what the commands of a gate answer, line by line."""
    warnings.simplefilter("ignore")
    recorder = Recorder(folder)
    with output.open("w", encoding="utf-8") as file:

        def keep(*options: str, made: Callable[[], object] | None = None) -> None:
            if made is None:
                print(json.dumps(recorder.run(*options)), file=file, flush=True)
                return
            try:
                found, code = made(), 0
            except (DeniableError, ValueError) as error:
                found, code = f"{type(error).__name__}: {str(error).strip().splitlines()[-1]}", 2
            print(json.dumps({"command": list(options), "code": code, "out": found}), file=file, flush=True)

        GATES[gate](recorder, number, keep)


def main() -> None:
    """Read the options, and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--gate", choices=GATES, default=figures.__name__)
    parser.add_argument("--questions", type=int, default=400)
    options = parser.parse_args()
    record(options.folder.resolve(), options.output.resolve(), options.gate, options.questions)


if __name__ == "__main__":
    main()
