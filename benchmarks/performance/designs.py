"""Six surveys that differ as surveys do, and what each command takes on them.

    python -m benchmarks.performance.designs                          # all stages of all designs, 10^6 responses
    python -m benchmarks.performance.designs --responses 1e5 --design wide --stage id3
    python -m benchmarks.performance.designs --responses 1e7 --design ordinary --stage id3 --stage forest

Each stage is a process of its own: its processor time, that of its children included, and its largest resident set.
`dask id3` trains the tree in one process, with one Dask worker and with two, and compares the models and the times by
the clock. `sklearn` is scikit-learn's forest of 20 trees of depth 12 on the same codes, as `forest` grows on the
responses; `duckdb` counts two questions in the same Parquet files, as `crosstab` counts and corrects. Answers come
from a few kinds of people. Files are kept in --folder for the next run, and each figure is appended to figures.csv
there.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
from array import array
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from typing import NamedTuple

import numpy as np

from benchmarks.performance.scale import COMMAND, Figures, measured
from collector.database.batch import FIRST, Batch, is_narrow
from collector.store.published import Published
from collector.store.store import BATCH, Store
from collector.survey.question import Question
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.table.parquet import write_folder
from miner.responses.responses import Values
from miner.simulation.simulation import simulate

KINDS = 5  # of people
LEANING = 0.4  # how often somebody answers as their kind does
SEED = "1"


class Design(NamedTuple):
    """A survey's outline.

    Attributes:
        values: How many values each question has; the last question is the target.
        groups: For each coin what its channel is and the questions it disguises. Others are sent as they are.
        cuts: Whether questions of more than five values are numbers with thresholds.
        ask: How many questions each respondent is asked; None for all.
    """

    values: tuple[int, ...]
    groups: tuple[tuple[str, tuple[int, ...]], ...]
    cuts: bool = False
    ask: int | None = None


COIN, COMPLEMENT = 'channel = "uniform", epsilon = 2', 'channel = "complement", truth = "7/10"'


def _each(first: int, last: int) -> tuple[tuple[str, tuple[int, ...]], ...]:
    return tuple((COIN, (number,)) for number in range(first, last))


DESIGNS = {
    "documented": Design((4, 2) * 10, _each(0, 20)),
    "ordinary": Design((2, 3, 4, 5, 3, 2, 4, 3, *(2, 3, 4, 5) * 3), ((COMPLEMENT, (4, 5, 6, 7)), *_each(8, 20))),
    "wide": Design((9, 8, 7, 6, 5, 9, 8, 7, 6, 5, 4, 2), _each(0, 12), cuts=True),
    "plain": Design(
        (2, 3, 5, 7, 9, 2, 3, 5, 7, 4, 6, 2, *(3,) * 6, 2, 2), ((COMPLEMENT, tuple(range(12, 18))), *_each(18, 20))
    ),
    "one_coin": Design((2, 3, 4, 2, 3, 4, 2, 3, 4, 2), ((COMPLEMENT, tuple(range(2, 10))),)),
    "split": Design((2, 3, 4, 5) * 6, _each(4, 24), ask=12),
}


def text(name: str) -> str:
    """The survey file of a design."""
    design = DESIGNS[name]
    parts = [f'name = "{name}"', 'title = "Design"', 'languages = ["en"]']
    home = {question: f"g{number}" for number, (_, some) in enumerate(design.groups) for question in some}
    for number, values in enumerate(design.values):
        parts.append(f'[[questions]]\nname = "q{number}"\nlabel = "?"')
        parts.append(f'group = "{home[number]}"' if number in home else "sensitive = false")
        if design.cuts and values > KINDS:
            parts.append(f'kind = "number"\ncuts = {[10 * cut for cut in range(1, values)]}')
        else:
            parts.append(f'kind = "choice"\nvalues = {[f"v{value}" for value in range(values)]!r}')
    parts.append("[groups]")
    parts += [f"g{number} = {{ {channel} }}" for number, (channel, _) in enumerate(design.groups)]
    if design.ask is not None:
        parts.append(f'[sampling]\nask = {design.ask}\nalways = ["q{len(design.values) - 1}"]')
    return "\n".join([*parts, f'[mining]\ntarget = "q{len(design.values) - 1}"', ""])


def answers(design: Design, count: int) -> Iterator[Values]:
    """True answers, some at a time: people lean as their kind does, and the last question follows two others."""
    sizes = np.array(design.values)
    for number, start in enumerate(range(0, count, BATCH)):
        generator, rows = np.random.default_rng(number), min(BATCH, count - start)
        kinds = generator.integers(0, KINDS, (rows, 1)) + np.arange(len(sizes)) % 3
        leaning = generator.random((rows, len(sizes))) < LEANING
        values = np.where(leaning, kinds, generator.integers(0, 2**16, leaning.shape)) % sizes
        follows = generator.random(rows) < LEANING
        values[follows, -1] = (values[follows, 0] + values[follows, len(sizes) // 2]) % sizes[-1]
        yield values.astype(np.int16)


def sent(survey: Survey, every: Iterator[Values]) -> Iterator[Batch]:
    """Simulate the responses of people with these answers, as batches of a store."""
    narrow = is_narrow(survey)
    for number, values in enumerate(every):
        numbers = simulate(survey, values, np.random.default_rng((number, 1))).codes.astype(np.int32) + FIRST
        yield array("B" if narrow else "H", numbers.astype(np.uint8 if narrow else np.uint16).tobytes())


def made(name: str, count: int, folder: Path) -> Path:
    """The folder of a design: its file, responses as Parquet, true answers as CSV; made where it is missing."""
    place, survey = folder / f"{name}-{count}", parse_survey(text(name))
    if place.exists():
        return place
    new = place.with_suffix(".part")
    rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    (new / "survey.toml").write_text(text(name))
    batches = sent(survey, answers(DESIGNS[name], count))
    write_folder(Published(survey.name, 1, survey.fingerprint, survey), batches, new / "responses", None, lambda: None)
    with (new / "answers.csv").open("w") as out:
        out.write(",".join(each.name for each in survey.questions) + "\n")
        words = [np.array(_words(each)) for each in survey.questions]
        for values in answers(DESIGNS[name], count):
            columns = (own[column].tolist() for own, column in zip(words, values.T, strict=True))
            out.writelines(",".join(row) + "\n" for row in zip(*columns, strict=True))
    new.rename(place)
    return place


def _words(question: Question) -> list[str]:
    """An answer of each value, as a table of true answers has it."""
    return ["0", *map(str, question.cuts)] if question.kind == "number" else [*map(str, question.values)]


def stages(name: str, place: Path) -> dict[str, tuple[str, tuple[str, ...]]]:
    """For each stage its code and its arguments."""
    model, responses = str(place / "model.json"), ("--from", str(place / "responses"))
    sent_to, target = str(place / "sent.csv"), f"q{len(DESIGNS[name].values) - 1}"
    train = ("train", name, *responses, "--seed", SEED, "--force", "-o", model)
    files = str(place / "survey.toml"), str(place / "answers.csv")
    code = {each: COMMAND.format(package=each) for each in ("miner", "collector")}
    own = "from benchmarks.performance.stages import {0}; {0}(sys.argv[1])"
    return {
        "simulate": (code["miner"], ("simulate", *files, "--seed", SEED, "--force", "-o", sent_to)),
        "import": (code["collector"], ("import", name, sent_to, "--store", str(place / "store.db"))),
        "crosstab": (code["miner"], ("crosstab", name, "q0", target, *responses)),
        "duckdb": (own.format("duckdb"), (responses[1],)),
        "id3": (code["miner"], (*train, "--model", "id3", "--mode", "robust")),
        "dask id3": (own.format("dask_id3"), (responses[1],)),
        "id3 faithful": (code["miner"], (*train, "--model", "id3", "--mode", "faithful", "--max-depth", "3")),
        "id3 auto": (code["miner"], (*train, "--model", "id3")),
        "forest": (own.format("forest"), (responses[1],)),
        "sklearn": (own.format("sklearn"), (responses[1],)),
        "random-trees": (code["miner"], (*train, "--model", "random-trees")),
        "train": (code["miner"], train),
        "evaluate": (code["miner"], ("evaluate", model, name, *responses)),
    }


def prepared(stage: str, name: str, place: Path) -> None:
    """Remove what a stage is to write, and publish the survey where it imports."""
    if stage == "simulate":
        (place / "sent.csv").unlink(missing_ok=True)
    if stage == "import":
        for each in place.glob("store.db*"):
            each.unlink()
        with Store(place / "store.db", create=True) as store:
            store.publish(parse_survey(text(name)))


def main() -> None:
    """Run, print, and note."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--responses", type=float, default=1e6)
    parser.add_argument("--design", action="append", choices=list(DESIGNS))
    parser.add_argument("--stage", action="append")
    parser.add_argument("--limit", type=float, default=900, help="seconds by the clock for each stage")
    parser.add_argument("--folder", type=Path, default=Path(os.environ.get("TMPDIR", "/tmp")) / "deniable-designs")  # noqa: S108 - made-up data
    options = parser.parse_args()
    for name in options.design or DESIGNS:
        place = made(name, int(options.responses), options.folder)
        for stage, (code, arguments) in stages(name, place).items():
            if options.stage and stage not in options.stage:
                continue
            prepared(stage, name, place)
            try:
                figures: object = measured(stage, int(options.responses), code, *arguments, limit=options.limit)
            except subprocess.CalledProcessError as error:
                figures = error.stderr.strip().splitlines()[-2:]
            except subprocess.TimeoutExpired:
                figures = f"not ended after {options.limit:.0f} s"
            print(name, stage, figures, flush=True)
            with (options.folder / "figures.csv").open("a") as out:
                row = figures if isinstance(figures, Figures) else (stage, int(options.responses), figures)
                csv.writer(out).writerow((name, *row))


if __name__ == "__main__":
    main()
