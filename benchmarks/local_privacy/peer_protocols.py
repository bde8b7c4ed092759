"""Frequencies by the mechanisms of multi-freq-ldpy and pure-ldp, in an interpreter of their own.

Run by `benchmarks.local_privacy.frequencies` with the path of an array file: value indices, the number of values of
each question, the epsilon of a whole response, seeds, whether to take pairs. Prints for each seed and mechanism the
mean squared error over all cells of its unbiased estimates, and of these clipped at 0 and scaled to add up to 1, as
multi-freq-ldpy gives them.

Needs multi-freq-ldpy 0.2.5 and pure-ldp 1.2.0, which need xxhash below 4, scikit-learn and statsmodels. Disguises are
the packages' own clients; reports are counted as they come (a list of them all would take gigabytes), and the counts
inverted by the formula of the packages' aggregators.

    SMP          one question of each respondent, drawn; the whole epsilon is spent on it
    SPL          all questions, the epsilon split evenly
    RS+FD        one question of each, drawn and not told; answers to the others are made up
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from itertools import combinations
from math import exp, expm1, log, log1p
from typing import Any

import numpy as np
from multi_freq_ldpy.mdim_freq_est.RSpFD_solution import (  # type: ignore[import-not-found] # not in our interpreter
    RSpFD_GRR_Client,
    RSpFD_UE_zero_Client,
)
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client  # type: ignore[import-not-found] # not in our interpreter
from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Client  # type: ignore[import-not-found] # not in our interpreter
from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Client  # type: ignore[import-not-found] # not in our interpreter
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Client  # type: ignore[import-not-found] # not in our interpreter
from numba import njit
from pure_ldp.frequency_oracles.direct_encoding import DEClient
from pure_ldp.frequency_oracles.hadamard_response import HadamardResponseClient, HadamardResponseServer
from pure_ldp.frequency_oracles.histogram_encoding import HEClient, HEServer
from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
from pure_ldp.frequency_oracles.unary_encoding import UEClient
from xxhash import xxh32  # type: ignore[import-not-found] # not in our interpreter

MOST_SLOW = 200_000  # respondents times values of what takes a python step for each of both
MOST_FAKED = 1_000_000  # respondents times questions, of which each takes a python step
Estimates = np.ndarray
Oracle = Callable[[np.ndarray, int, float], Estimates]
"""From the values of those who report a question, how many it has and an epsilon: unbiased shares."""


def inverted(counts: np.ndarray, reports: int, kept: float, stray: float) -> Estimates:
    """Shares from how often each value was supported: with `kept` if it is the truth, else with `stray`; 0 of none."""
    if reports == 0:
        return np.zeros(len(counts))
    return (counts - reports * stray) / (kept - stray) / reports


def randomized(values: np.ndarray, kinds: int, epsilon: float) -> Estimates:
    """Generalized randomized response."""
    counts = np.zeros(kinds)
    for value in values.tolist():
        counts[GRR_Client(value, kinds, epsilon)] += 1
    kept = exp(epsilon) / (exp(epsilon) + kinds - 1)
    return inverted(counts, len(values), kept, (1 - kept) / (kinds - 1))


def unary(values: np.ndarray, kinds: int, epsilon: float, *, optimal: bool) -> Estimates:
    """Unary encoding."""
    counts = np.zeros(kinds)
    for value in values.tolist():
        counts += UE_Client(value, kinds, epsilon, optimal)
    kept = 0.5 if optimal else exp(epsilon / 2) / (exp(epsilon / 2) + 1)
    return inverted(counts, len(values), kept, 1 / (exp(epsilon) + 1) if optimal else 1 - kept)


def subsets(values: np.ndarray, kinds: int, epsilon: float) -> Estimates:
    """Subset selection."""
    counts = np.zeros(kinds)
    for value in values.tolist():
        counts[SS_Client(value, kinds, epsilon)] += 1
    size = int(max(1, np.rint(kinds / (exp(epsilon) + 1))))
    heavy = size * exp(epsilon)
    whole = heavy + kinds - size
    stray = ((size - 1) * heavy + (kinds - size) * size) / ((kinds - 1) * whole)
    return inverted(counts, len(values), heavy / whole, stray)


def hashed(values: np.ndarray, kinds: int, epsilon: float) -> Estimates:
    """Optimised local hashing."""
    cells, counts = round(exp(epsilon)) + 1, np.zeros(kinds)
    for value in values.tolist():
        sent, seed = LH_Client(value, kinds, epsilon, optimal=True)
        counts += [xxh32(str(each), seed=seed).intdigest() % cells == sent for each in range(kinds)]
    return inverted(counts, len(values), exp(epsilon) / (exp(epsilon) + cells - 1), 1 / cells)


def adaptive(values: np.ndarray, kinds: int, epsilon: float) -> Estimates:
    """Randomized response or optimised unary encoding, whichever varies less."""
    few = kinds < 3 * exp(epsilon) + 2
    return randomized(values, kinds, epsilon) if few else unary(values, kinds, epsilon, optimal=True)


def pure_direct(values: np.ndarray, kinds: int, epsilon: float) -> Estimates:
    """pure-ldp's direct encoding."""
    client, counts = DEClient(epsilon, kinds, index_mapper=lambda value: value), np.zeros(kinds)
    for value in values.tolist():
        counts[client.privatise(value)] += 1
    kept = exp(epsilon) / (exp(epsilon) + kinds - 1)
    return inverted(counts, len(values), kept, (1 - kept) / (kinds - 1))


def pure_unary(values: np.ndarray, kinds: int, epsilon: float) -> Estimates:
    """pure-ldp's optimised unary encoding."""
    client, counts = UEClient(epsilon, kinds, use_oue=True, index_mapper=lambda value: value), np.zeros(kinds)
    for value in values.tolist():
        counts += client.privatise(value)
    return inverted(counts, len(values), 0.5, 1 / (exp(epsilon) + 1))


def pure_served(client: Any, server: Any, values: np.ndarray, kinds: int) -> Estimates:  # noqa: ANN401 - without types
    """Any client and server of pure-ldp."""
    for value in values.tolist():
        server.aggregate(client.privatise(value))
    return np.array([server.estimate(value, suppress_warnings=True) for value in range(kinds)]) / len(values)


def pure_histogram(values: np.ndarray, kinds: int, epsilon: float) -> Estimates:
    """pure-ldp's thresholded histogram encoding."""
    mapper = {"index_mapper": lambda value: value}
    return pure_served(
        HEClient(epsilon, kinds, **mapper), HEServer(epsilon, kinds, use_the=True, **mapper), values, kinds
    )


def pure_hashed(values: np.ndarray, kinds: int, epsilon: float) -> Estimates:
    """pure-ldp's optimised local hashing."""
    mapper = {"index_mapper": lambda value: value}
    return pure_served(
        LHClient(epsilon, kinds, use_olh=True, **mapper),
        LHServer(epsilon, kinds, use_olh=True, **mapper),
        values,
        kinds,
    )


def pure_hadamard(values: np.ndarray, kinds: int, epsilon: float) -> Estimates:
    """pure-ldp's Hadamard response."""
    server = HadamardResponseServer(epsilon, kinds, index_mapper=lambda value: value)
    client = HadamardResponseClient(epsilon, kinds, server.get_hash_funcs(), index_mapper=lambda value: value)
    return pure_served(client, server, values, kinds)


FAST: dict[str, Oracle] = {
    "GRR": randomized,
    "SUE": lambda values, kinds, epsilon: unary(values, kinds, epsilon, optimal=False),
    "OUE": lambda values, kinds, epsilon: unary(values, kinds, epsilon, optimal=True),
    "SS": subsets,
    "ADP": adaptive,
}
SLOW: dict[str, Oracle] = {
    "OLH": hashed,
    "pure-ldp DE": pure_direct,
    "pure-ldp OUE": pure_unary,
    "pure-ldp THE": pure_histogram,
    "pure-ldp OLH": pure_hashed,
    "pure-ldp HR": pure_hadamard,
}


def sampled(
    values: np.ndarray, kinds: list[int], epsilon: float, oracle: Oracle, rng: np.random.Generator
) -> list[Estimates]:
    """SMP: each respondent reports one table; `values` has a column for each."""
    drawn = rng.integers(len(kinds), size=len(values))
    return [oracle(values[drawn == table, table], each, epsilon) for table, each in enumerate(kinds)]


def split(values: np.ndarray, kinds: list[int], epsilon: float, oracle: Oracle) -> list[Estimates]:
    """SPL: each respondent reports every table."""
    return [oracle(values[:, table], each, epsilon / len(kinds)) for table, each in enumerate(kinds)]


def faked(values: np.ndarray, kinds: list[int], epsilon: float, *, by_unary: bool) -> list[Estimates]:
    """RS+FD, with randomized response or optimised unary encoding, at the packages' own epsilon."""
    width = len(kinds)
    own = log(width * expm1(epsilon) + 1)
    counts = [np.zeros(each) for each in kinds]
    for row in values.tolist():
        if by_unary:
            for table, bits in enumerate(RSpFD_UE_zero_Client(row, kinds, width, epsilon, optimal=True)):
                counts[table] += bits
        else:
            for table, sent in enumerate(RSpFD_GRR_Client(row, kinds, width, epsilon)):
                counts[table][sent] += 1
    found = []
    for each, count in zip(kinds, counts, strict=True):
        kept = 0.5 if by_unary else exp(own) / (exp(own) + each - 1)
        stray = 1 / (exp(own) + 1) if by_unary else (1 - kept) / (each - 1)
        made_up = stray if by_unary else 1 / each
        share = count / len(values)
        found.append((share * width - (width - 1) * made_up - stray) / (kept - stray))
    return found


def same_promise(epsilon: float, width: int) -> float:
    """The epsilon to give RS+FD so that a whole response keeps this one.

    Its amplification holds between responses of people who differ in one answer. Between two who differ in all, the
    likeliest response has a ratio of e to the epsilon of the question that is told, whichever that is.
    """
    return log1p(expm1(epsilon) / width)


def mechanisms(
    values: np.ndarray, kinds: list[int], epsilon: float, rng: np.random.Generator, *, pairs: bool
) -> Iterator[tuple[str, list[Estimates]]]:
    """Each with its estimates of every table."""
    for name, oracle in FAST.items():
        if not (pairs and len(values) * max(kinds) > 10**8 and name in {"SUE", "OUE"}):
            yield f"SMP {name}", sampled(values, kinds, epsilon, oracle, rng)
    if len(values) * sum(kinds) / len(kinds) <= MOST_SLOW and not pairs:
        for name, oracle in SLOW.items():
            yield f"SMP {name}", sampled(values, kinds, epsilon, oracle, rng)
    if len(values) * len(kinds) <= MOST_FAKED and not pairs:
        yield "SPL ADP", split(values, kinds, epsilon, adaptive)
        for name, told in (("GRR", False), ("OUE", True)):
            kept = same_promise(epsilon, len(kinds))
            yield f"RS+FD {name}", faked(values, kinds, kept, by_unary=told)
            yield f"RS+FD {name} as named", faked(values, kinds, epsilon, by_unary=told)


def errors(found: list[Estimates], truth: list[Estimates]) -> tuple[float, float]:
    """Mean squared error over all cells: of the estimates, and of them clipped and scaled."""
    clipped = [each.clip(0) / max(each.clip(0).sum(), 1e-12) for each in found]
    gaps = [np.concatenate([(a - b) ** 2 for a, b in zip(each, truth, strict=True)]) for each in (found, clipped)]
    return float(gaps[0].mean()), float(gaps[1].mean())


def main() -> None:
    """Print the errors of every mechanism as JSON, an object for each seed."""
    data = np.load(sys.argv[1])
    values, kinds, pairs = data["values"], data["kinds"].tolist(), bool(data["pairs"])
    if pairs:
        both = list(combinations(range(len(kinds)), 2))
        values = np.column_stack([values[:, a].astype(np.int64) * kinds[b] + values[:, b] for a, b in both])
        kinds = [kinds[a] * kinds[b] for a, b in both]
    truth = [np.bincount(column, minlength=each) / len(values) for column, each in zip(values.T, kinds, strict=True)]
    printed = []
    for seed in data["seeds"].tolist():
        rng = np.random.default_rng(seed)
        np.random.seed(seed)  # noqa: NPY002 - the packages draw from it
        _seed_compiled(seed)
        found = mechanisms(values, kinds, float(data["epsilon"]), rng, pairs=pairs)
        printed.append({name: errors(each, truth) for name, each in found})
    print(json.dumps(printed))


@njit
def _seed_compiled(seed: int) -> None:
    np.random.seed(seed)  # noqa: NPY002 - compiled code has a generator of its own, and only this seeds it


if __name__ == "__main__":
    main()
