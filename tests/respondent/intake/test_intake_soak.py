"""Short runs of what `make soak` does at length: load, faults, and the audit of the coins."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.collecting import coins, load
from benchmarks.collecting.faults import FAULTS, measure
from benchmarks.collecting.load import Load
from benchmarks.collecting.survival import SURVEY, Bench, Fault
from collector.store.store import Store
from elsewhere import elsewhere
from soak import soaking

QUICK = {
    "killed_worker": (3, 4000) if soaking() else (1, 1500),  # so many that the load lasts until the last of them
    "killed_server": (2, 4000) if soaking() else (1, 1500),
    "full_disk": (1, 600),
    "locked": (1, 1000),
    "two_servers": (1, 200),
    "dropping_client": (20, 100),
    "read_only": (1, 50),
    "cut_log": (8, 10),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_loses_doubles_and_tears_nothing(fault: Callable[[Bench, int], int]) -> None:
    times, responses = QUICK[fault.__name__]
    found = elsewhere(measure, fault, times, responses)
    assert (found.lost, found.twice, found.torn) == (0, 0, 0), found
    assert found.times >= times
    assert found.acknowledged > 0, "the fault is not that nothing worked"
    assert found.bit, "the fault happened"


def test_the_judge_sees_what_is_lost_doubled_or_torn(tmp_path: Path) -> None:
    bench = Bench(tmp_path, 5)
    bench.acknowledged = {0, 1}
    assert bench.judge("nothing was stored", 1).lost == 2
    with Store(bench.path) as store:
        store.add(SURVEY, [(3, 1, 0, 0, 1, 1)])
    found = bench.judge("a row of nobody", 1)
    assert (found.lost, found.twice) == (0, 1)
    assert not found.holds
    assert Fault("fine", 1, 5, 5, 0, 0, 0, 0, 0, 0, bit=True).holds
    assert not Fault("that never happened", 1, 5, 5, 0, 0, 0, 0, 0, 0, bit=False).holds
    bench.statuses[503] = 1
    assert bench.judge("the store was locked", 1, 503).bit
    assert not bench.judge("a connection broke", 1, 0).bit


@pytest.mark.slow
def test_everything_sent_under_load_is_stored_once(tmp_path: Path) -> None:
    found = elsewhere(load.measure, 1_000, tmp_path)
    assert (found.errors, found.stored) == (0, 1_000)
    assert 0 < found.p50 <= found.p99


@pytest.mark.parametrize(
    ("changes", "holds"), [({}, True), ({"errors": 1}, False), ({"stored": 9}, False), ({"ratio": 0.49}, False)]
)
def test_a_load_that_loses_or_is_slow_does_not_hold(changes: dict[str, float], *, holds: bool) -> None:
    sound = {"responses": 10, "stored": 10, "errors": 0, "rate": 5.0, "empty_rate": 9.0, "ratio": 0.6}
    assert Load(**(sound | {"p50": 1.0, "p99": 2.0} | changes)).holds is holds  # type: ignore[arg-type]


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.statistical
def test_the_coins_of_the_shipped_script_protect_as_the_design_says() -> None:
    """Fails by chance once in 55,000 runs: eighteen designs at one in a million each.

    That the bounds are near epsilon is the test's power: the loosest are .90 of it, give or take .02, five deviations
    from .8 (with 100,000 coins they were .83, give or take .03, and fell below now and then).
    """
    result = elsewhere(CliRunner().invoke, coins.main, ["--quick", "--json"])
    audits = json.loads(result.stdout)["audits"]
    assert result.exit_code == 0, audits
    for each in audits:
        assert 0.8 * each["epsilon"] < each["lower"] <= each["epsilon"]


def test_a_coin_that_lies_too_little_is_caught() -> None:
    # Of a million answers sent truly 800,000 times, where the design says 750,000: epsilon ln 4 and not ln 3.
    lower = coins.lower_log_ratio(400_000, 100_000, 500_000, 1e-7)
    assert 1.0986 < lower < 1.3863
    # Clopper and Pearson's bound of a share of 1 is the chance's root: 0.5^(1/10) of ten out of ten.
    assert coins.lower_log_ratio(10, 10, 10, 0.5) == pytest.approx(-0.0693, abs=1e-3)
    assert coins.lower_log_ratio(0, 5, 10, 0.1) == float("-inf")
