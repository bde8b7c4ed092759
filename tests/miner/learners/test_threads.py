"""The number of BLAS threads changes no figure of a model, bit for bit."""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256

import pytest

FIT = """
import json
import sys
import numpy as np
from threadpoolctl import threadpool_info
from mode_surveys import alike, bits_survey
from miner.learners.auto import AutoClassifier
from miner.simulation.simulation import simulate
survey = bits_survey(5, "4/5")
fit = AutoClassifier._fit

def looked_at(*arguments):
    fit(*arguments)
    print(max(each["num_threads"] for each in threadpool_info()), file=sys.stderr)

AutoClassifier._fit = looked_at
responses = simulate(survey, alike(120, 5, np.random.default_rng(1)), np.random.default_rng(2))
print(json.dumps(AutoClassifier(survey, random_state=1).fit(responses).learnt))
"""


def fitted(threads: int) -> tuple[str, int]:
    """Fit auto in a process with so many threads. Returns a fingerprint of what it learnt, and the threads it had."""
    variables = {name: str(threads) for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    path = os.pathsep.join(each for each in sys.path if each)
    done = subprocess.run(  # noqa: S603 - this Python
        [sys.executable, "-c", FIT], env=os.environ | variables | {"PYTHONPATH": path}, capture_output=True, check=True
    )
    assert b'"members"' in done.stdout
    return sha256(done.stdout).hexdigest(), int(done.stderr.split()[-1])


@pytest.mark.timeout(900)
def test_a_model_is_the_same_from_one_thread_and_from_two() -> None:
    one, two = fitted(1), fitted(2)
    assert one[0] == two[0]
    assert two[1] == 1
