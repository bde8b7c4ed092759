"""Compare what two commits print and write: the gates of a redesign.

    git worktree add ../before COMMIT
    python -m benchmarks.gates.compare ../before                    # all gates
    python -m benchmarks.gates.compare ../before --gate figures --questions 400

| gate | what it compares |
|---|---|
| figures | shares, tables, differences, means, regressions and rules of 12 designs, with and without samples |
| models | model files of all learners on four designs, and their tests, importances and dependence |
| parquet | figures and trees from Parquet files |
| parts | models from Parquet files in many small parts and blocks, some in a temporary file |
| waves | figures and models of a survey of four versions that agree in some questions, pooled |
| frames | what is learnt from frames in another order, from some responses and from true answers; cross-validation |

Both commits answer the same commands (`benchmarks.gates.record`), each in a process with its own code, on one machine.
Output must be equal byte for byte. Numbers of tables and of samples must agree to a relative `TOLERANCE`, because a sum
in another order rounds otherwise, but for the limits of shares that are 1 by their definition. Whatever differs is
printed, and the exit code is then 1.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.gates.record import GATES

TOLERANCE = 1e-12
SUMMED = {"--sample", "--by", "--among", "--mean", "--total", "--quantile"}  # sums over cells of a partition
NOISE = 1e-5  # the limits of a share that must be 1 differ from 1 by less, because of rounding
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
SHOWN = 10  # differences printed of each gate
OWN = Path(__file__).resolve().parents[2]


def recorded(code: Path, gate: str, questions: int, folder: Path) -> list[str]:
    """Return the lines that the code of a commit records. The questions are those of this commit."""
    work, output = folder / "work", folder / "lines.jsonl"
    work.mkdir(parents=True)
    package = folder / "code" / "benchmarks"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "gates").symlink_to(OWN / "benchmarks" / "gates")
    paths = os.pathsep.join(map(str, (package.parent, code)))
    command = [
        sys.executable,
        "-m",
        "benchmarks.gates.record",
        work,
        output,
        "--gate",
        gate,
        "--questions",
        str(questions),
    ]
    subprocess.run(  # noqa: S603 - this program
        list(map(str, command)),
        cwd=folder,
        check=True,
        env={**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"},
    )
    return output.read_text("utf-8").replace(str(work), "").splitlines()


def agree(before: str, after: str) -> bool:
    """Return whether two lines are equal or, if they come from sums over cells, their numbers agree."""
    if before == after:
        return True
    if not SUMMED & {*json.loads(before)["command"]} or NUMBER.sub("", before) != NUMBER.sub("", after):
        return False
    pairs = [
        (float(one), float(other)) for one, other in zip(NUMBER.findall(before), NUMBER.findall(after), strict=True)
    ]
    return all(
        isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE) or max(abs(one - 1), abs(other - 1)) < NOISE
        for one, other in pairs
    )


def compared(code: Path, gate: str, questions: int) -> int:
    """Print how many lines of a gate differ between a commit and this one, with some of them, and return the number."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        before, after = (
            recorded(each, gate, questions, place / name) for each, name in ((code, "before"), (OWN, "after"))
        )
    differ = [(one, other) for one, other in zip(before, after, strict=True) if not agree(one, other)]
    exact = sum(one == other for one, other in zip(before, after, strict=True))
    failed = sum(json.loads(each).get("code", 0) != 0 for each in after)
    print(f"{gate}: {len(after)} answers, {failed} of them errors; {exact} equal, {len(differ)} differ", flush=True)
    for one, other in differ[:SHOWN]:
        print(f"- {one[:400]}\n+ {other[:400]}")
    return len(differ)


def main() -> None:
    """Compare the gates, and end with 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, help="checkout of the commit to compare with")
    parser.add_argument("--gate", choices=GATES, action="append")
    parser.add_argument("--questions", type=int, default=400)
    options = parser.parse_args()
    differ = [compared(options.before.resolve(), gate, options.questions) for gate in options.gate or GATES]
    sys.exit(any(differ))


if __name__ == "__main__":
    main()
