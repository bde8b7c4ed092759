"""Libraries that a command seldom uses: not loaded before they are used, and then as if nothing had been."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from collector.store.store import Store
from miner.simulation.simulation import simulate
from mode_surveys import alike, bits_survey

BEGIN = (
    "import sys",
    "from miner.postponed import postpone",
    "postpone()",
    "def loaded(): return 'scipy.stats._stats_py' in sys.modules",
)
NOT_LOADED = "assert not loaded()"
WAYS = {
    "an attribute": "import scipy.stats; assert not loaded(); assert scipy.stats.norm.cdf(0) == 0.5",
    "a name of it": "from scipy.stats import beta; assert 0 < beta.ppf(0.5, 2, 3) < 1",
    "a part of it": "import scipy.stats; from scipy.stats.distributions import norm; assert norm.cdf(0) == 0.5",
    "all names": "from scipy.stats import *; assert norm.cdf(0) == 0.5",
    "its list of names": "import scipy.stats; assert 'norm' in scipy.stats.__all__",
}


def run(*lines: str) -> None:
    command = [sys.executable, "-c", "\n".join((*BEGIN, *lines))]
    subprocess.run(command, check=True)  # noqa: S603 - lines from below


def test_scikit_learn_is_imported_without_what_it_does_not_use() -> None:
    run("import sklearn.base, scipy.stats", "import scipy.stats", NOT_LOADED)


@pytest.mark.parametrize("way", list(WAYS))
def test_a_postponed_module_is_loaded_once_it_is_used(way: str) -> None:
    plain = "assert type(stats) is types.ModuleType and stats.__spec__.loader is stats.__loader__"
    run(WAYS[way], "assert loaded()", "import types, scipy.stats as stats", plain)


def test_what_such_a_module_does_not_have_is_missing() -> None:
    run("import scipy.stats", "assert not hasattr(scipy.stats, 'nothing')", "assert scipy.stats.norm.cdf(0) == 0.5")


def test_a_module_that_is_loaded_already_stays() -> None:
    load = "import scipy.stats; scipy.stats.norm; before = sys.modules['scipy.stats']; assert loaded()"
    run(load, "postpone()", "assert sys.modules['scipy.stats'] is before")


def test_training_does_without(tmp_path: Path) -> None:
    survey = bits_survey(4, "4/5")
    sent = simulate(survey, alike(60, 4, np.random.default_rng(1)), np.random.default_rng(2))
    with Store(tmp_path / "s.db", create=True) as store:
        store.publish(survey)
        store.add(survey, sent.codes.tolist())
    command = ["miner", "train", survey.name, "--model", "forest", "--mode", "robust"]
    command += ["--store", str(tmp_path / "s.db"), "-o", str(tmp_path / "model.json")]
    ended = ("try: run()", "except SystemExit as end: assert not end.code")
    needed = "assert 'sklearn' in sys.modules and 'scipy.optimize' not in sys.modules"
    run(f"sys.argv = {command}", "from miner.__main__ import run", *ended, needed, NOT_LOADED)
    assert (tmp_path / "model.json").exists()
