"""`make demo` runs to its end: publish, answer in a browser, disguise, store, mine."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_demonstration_runs_to_its_end(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    done = subprocess.run(
        [sys.executable, "examples/demo.py", "500"], cwd=tmp_path, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "500 responses accepted" in done.stdout
    assert "from 501 disguised responses" in done.stdout
    number = r"(-?\d\.\d{3})"
    said = re.search(rf"disguised-test accuracy {number} \(95 % interval {number} to {number}\)", done.stdout)
    assert said is not None
    estimate, low, high = map(float, said.groups())  # an unbiased estimate from so few is above 1 at times
    assert low < estimate < high
    assert 0 < estimate < high < 2
    assert done.stdout.splitlines()[-1].startswith("Open the survey yourself")
