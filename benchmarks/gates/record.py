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
from collections.abc import Iterator, Sequence
from pathlib import Path

from click.testing import CliRunner

from benchmarks.gates.designs import CLUSTERS, RAKED, SAMPLE, designs, write_answers
from collector.cli import main as collector
from miner.cli import main as miner

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
GATES = ("figures", "models", "parquet")


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
            Path(f"{name}.toml").write_text(text, encoding="utf-8")
            write_answers(name, text, Path(f"{name}.csv"))
            self.run("simulate", f"{name}.toml", f"{name}.csv", "--seed", "7", "-o", f"{name}.sent.csv")
            self.collect("publish", f"{name}.toml", "--accept-exposure", "--store", "gates.db")
            self.collect("import", name, f"{name}.sent.csv", "--mix", "--store", "gates.db")

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


def record(folder: Path, output: Path, gate: str, number: int) -> None:
    """Write what the commands of a gate answer, line by line."""
    recorder = Recorder(folder)
    store = ["--store", "gates.db"]
    with output.open("w", encoding="utf-8") as file:

        def keep(*options: str) -> None:
            print(json.dumps(recorder.run(*options)), file=file, flush=True)

        if gate == "figures":
            for command in questions(recorder.texts, number):
                keep(*command, *store)
        elif gate == "parquet":
            for name in TRAINED:
                recorder.collect("export", name, "--format", "parquet", "-o", f"{name}.parts", *store)
            for command in questions({name: recorder.texts[name] for name in TRAINED}, number):
                keep(*command, "--from", f"{command[1]}.parts")
            for name in TRAINED:
                keep(
                    "train",
                    name,
                    "--model",
                    "id3",
                    "--mode",
                    "robust",
                    "--seed",
                    "3",
                    "--json",
                    "--from",
                    f"{name}.parts",
                )
        else:
            for command in trainings():
                keep(*command, *store)
                model = Path(command[-1])
                if model.exists():
                    print(json.dumps({"command": ["model", command[-1]], "out": model.read_text("utf-8")}), file=file)
                    keep("evaluate", command[-1], command[1], "--importances", "--dependence", "--json", *store)


def main() -> None:
    """Read the options, and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--gate", choices=GATES, default=GATES[0])
    parser.add_argument("--questions", type=int, default=400)
    options = parser.parse_args()
    record(options.folder.resolve(), options.output.resolve(), options.gate, options.questions)


if __name__ == "__main__":
    main()
