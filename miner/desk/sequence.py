"""Compute confidence sequences: intervals that are valid however often you look at the data.

An ordinary 95 % interval is valid for a single look that was fixed beforehand. If you look repeatedly, and stop when
the interval says what you hoped for, an ordinary interval misleads you more often. In one of four simulated surveys, at
least one of 20 ordinary intervals (one after every 100 responses) missed the true share.

This module computes the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2024,
"Time-uniform central limit theory and asymptotic confidence sequences"), from Robbins' normal mixture. With probability
.95, a confidence sequence contains the share at *all* looks. After n responses the interval reaches

    sqrt(2 (1 + 1/x) log(sqrt(1 + x) / .05))        with x = n r

standard errors to each side. The variance r of the mixture determines the number of responses at which the interval is
relatively shortest. The interval is relatively shortest at the planned number of responses, where it is 1.55 times as
long as for a single look.
"""

from math import log, sqrt

from collector.disclosure.precision import NORMAL_975
from miner.figures.estimate import Estimate
from miner.reporting.composed import stretched

ERROR = 0.05
SHORTEST = 8.2  # value of x at which the interval is shortest
USUAL = 1000  # number of responses that is assumed without a planned number


def stretch(n: int, planned: int | None) -> float:
    """Return the length of an interval that is valid at every look, as a multiple of the length for a single look.

    Args:
        n: Number of responses, at least 1.
        planned: Number of responses planned before anybody answered, or None without a plan.
    """
    x = SHORTEST * n / (planned or USUAL)
    return sqrt(2 * (1 + 1 / x) * log(sqrt(1 + x) / ERROR)) / NORMAL_975


def at_every_look(found: Estimate, planned: int | None) -> Estimate:
    """Return an estimate with an interval that is valid at every look, in place of the interval for a single look."""
    return stretched(found, stretch(found.n, planned))
