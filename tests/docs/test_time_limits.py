"""No test runs for ever: one that hangs fails with its stack, and the next one runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HANGS = """
import threading, time

def test_one():
    time.sleep(600)

def test_other():
    pass

def test_with_a_thread_that_is_waited_for():
    thread = threading.Thread(target=time.sleep, args=(600,))
    thread.start()
    try:
        time.sleep(600)
    finally:
        thread.join()
"""


@pytest.mark.timeout(120)
def test_a_test_that_hangs_fails_with_its_stack_and_the_next_one_runs(tmp_path: Path) -> None:
    (tmp_path / "test_hangs.py").write_text(HANGS, encoding="utf-8")
    limits = ("--timeout", "1", "-o", "faulthandler_timeout=5")
    command = (sys.executable, "-m", "pytest", "-v", "-c", ROOT / "pyproject.toml", "--rootdir", tmp_path, *limits)
    done = subprocess.run(  # noqa: S603 - our own command
        [*map(str, command), str(tmp_path)], capture_output=True, text=True, check=False, timeout=100
    )
    assert re.search(r"test_one FAILED.*test_other PASSED", done.stdout, re.DOTALL)
    assert re.search(r"line \d+ in test_with_a_thread_that_is_waited_for", done.stderr)
    assert done.returncode == 1


def test_a_test_has_five_minutes(request: pytest.FixtureRequest) -> None:
    assert float(request.config.getini("timeout")) == 300
    assert request.node.get_closest_marker("timeout") is None


@pytest.mark.slow
def test_a_slow_test_has_twenty_minutes_and_the_last_limit_is_longer(request: pytest.FixtureRequest) -> None:
    assert request.node.get_closest_marker("timeout").args == (1200,)
    assert float(request.config.getini("faulthandler_timeout")) > 1200
    assert request.config.getini("faulthandler_exit_on_timeout")
