"""Fit a mixture of latent classes by accelerated EM, in compiled loops."""

from typing import NamedTuple

import numpy as np

from miner.arrays import Floats
from miner.behind.kernels import LOG_NEVER, logarithms
from miner.behind.mixture.kernels import code_counts, pattern_likelihoods, response_pass
from miner.behind.patterns import Indices, Offsets, PatternParts, Patterns, Readings
from miner.compiled import compiled
from miner.extrapolation import extrapolated, step_length

LOG_RARE = -40.0  # logarithm of a probability below which extrapolation treats all probabilities as equal
compiled_step_length = compiled(step_length)
compiled_extrapolated = compiled(extrapolated)


class Evidence(NamedTuple):
    """Input of EM: responses, the values that their codes stand for, and a prior.

    Attributes:
        ids: Index of the combination of codes (pattern) in each group or plain question (cell), shape (distinct
            responses, cells).
        times: Number of responses equal to each distinct response, shape (distinct responses,).
        parts: Combinations of codes (patterns) in all groups and plain questions.
        readings: Values that each code of each question stands for.
        places: Index of each question's first value among all values, shape (questions + 1,).
        prior: Number of imaginary respondents with each value in each class, shape (values of all questions,).
    """

    ids: Indices
    times: Floats
    parts: PatternParts
    readings: Readings
    places: Offsets
    prior: Floats

    @classmethod
    def of(cls, patterns: Patterns, prior: Floats) -> "Evidence":
        """Return the input of EM for some responses."""
        kinds, times = patterns.distinct
        return cls(kinds, times, patterns.parts, patterns.layout.readings, patterns.layout.places, prior)


@compiled
def log_codes(log_table: Floats, readings: Readings) -> Floats:
    """Return ln P(code before the disguise | latent class), shape (codes of all questions, classes)."""
    first, places, log_draw = readings
    logs = np.full((len(first) - 1, log_table.shape[1]), LOG_NEVER)
    for slot in range(len(first) - 1):
        for z in range(log_table.shape[1]):
            for k in range(first[slot], first[slot + 1]):
                each = log_table[places[k], z] + log_draw[k]
                logs[slot, z] = each if k == first[slot] else np.logaddexp(logs[slot, z], each)
    return logs


@compiled
def add_values(values: Floats, found: Floats, log_table: Floats, codes: Floats, readings: Readings) -> None:
    """Add the expected number of people with each code before the disguise to the values of the code."""
    first, places, log_draw = readings
    for slot in range(len(found)):
        single = first[slot + 1] - first[slot] == 1
        for k in range(first[slot], first[slot + 1]):
            for z in range(values.shape[1]):
                share = 1.0 if single else np.exp(log_table[places[k], z] + log_draw[k] - codes[slot, z])
                values[places[k], z] += found[slot, z] * share


@compiled
def em_step(weights: Floats, table: Floats, evidence: Evidence) -> tuple[Floats, Floats, float]:
    """Return class weights and value probabilities after one EM step, and the objective before the step.

    Args:
        weights: P(class), shape (classes,).
        table: P(value | class), shape (values of all questions, classes).
        evidence: Input of EM.
    """
    log_table = logarithms(table)
    codes = log_codes(log_table, evidence.readings)
    likelihood, truth = pattern_likelihoods(codes, evidence.parts)
    whole, counts, totals = response_pass(evidence.ids, evidence.times, likelihood, logarithms(weights))
    found = code_counts(len(codes), counts, truth, evidence.parts)
    values = np.zeros(table.shape)
    for place in range(len(table)):
        for z in range(len(weights)):
            if table[place, z] > 0.0:
                values[place, z] = evidence.prior[place]
                whole += evidence.prior[place] * log_table[place, z]
    add_values(values, found, log_table, codes, evidence.readings)
    keep_zeros(values, table)
    scaled(values, table, evidence.places)
    return totals / totals.sum(), values, whole


@compiled
def keep_zeros(values: Floats, table: Floats) -> None:
    """Set `values` to 0 where `table` is 0: a probability of 0 in a latent class must stay 0."""
    for place in range(len(table)):
        for z in range(table.shape[1]):
            if table[place, z] == 0.0:
                values[place, z] = 0.0


@compiled
def scaled(values: Floats, table: Floats, places: Offsets) -> None:
    """Normalise the counts of each question's values to probabilities, in place.

    If a question has no counts in a class, its previous probabilities are kept.
    """
    for question in range(len(places) - 1):
        for z in range(values.shape[1]):
            whole = 0.0
            for place in range(places[question], places[question + 1]):
                whole += values[place, z]
            for place in range(places[question], places[question + 1]):
                values[place, z] = values[place, z] / whole if whole > 0.0 else table[place, z]


@compiled
def probabilities(logs: Floats, places: Offsets) -> Floats:
    """Return P(value | class) from logarithms, normalised within each question and class."""
    table = np.empty(logs.shape)
    for question in range(len(places) - 1):
        for z in range(logs.shape[1]):
            top, whole = -np.inf, 0.0
            for place in range(places[question], places[question + 1]):
                top = max(top, logs[place, z])
            for place in range(places[question], places[question + 1]):
                table[place, z] = np.exp(logs[place, z] - top)
                whole += table[place, z]
            for place in range(places[question], places[question + 1]):
                table[place, z] /= whole
    return table


@compiled
def leap(
    start: tuple[Floats, Floats], first: tuple[Floats, Floats], second: tuple[Floats, Floats], places: Offsets
) -> tuple[Floats, Floats]:
    """Extrapolate class weights and value probabilities from two steps of EM, on the scale of logarithms."""
    x, x1, x2 = log_point(start), log_point(first), log_point(second)
    logs = compiled_extrapolated(x, x1, x2, max(1.0, compiled_step_length(x, x1, x2)))
    table = probabilities(logs[1:], places)
    keep_zeros(table, start[1])
    return probabilities(logs[:1].copy().reshape(-1, 1), np.array([0, logs.shape[1]]))[:, 0].copy(), table


@compiled
def log_point(parameters: tuple[Floats, Floats]) -> Floats:
    """Return ln P(class) and ln P(value | class) as one array."""
    weights, table = parameters
    return np.maximum(logarithms(np.vstack((weights.reshape(1, -1), table))), LOG_RARE)


@compiled
def climb(weights: Floats, table: Floats, evidence: Evidence, rounds: int, least: float) -> tuple[Floats, Floats]:
    """Run EM in rounds of three steps, until a step gains less than `least` nats or the rounds are used up.

    A round takes two EM steps, extrapolates along them, and takes a third EM step. An extrapolation that lowers the
    objective is discarded.
    """
    for _ in range(rounds):
        weights_1, table_1, before = em_step(weights, table, evidence)
        weights_2, table_2, middle = em_step(weights_1, table_1, evidence)
        far = leap((weights, table), (weights_1, table_1), (weights_2, table_2), evidence.places)
        weights_3, table_3, after = em_step(far[0], far[1], evidence)
        if after >= middle:
            weights, table = weights_3, table_3
        else:
            weights, table = weights_2, table_2
        if middle - before < least:
            break
    return weights, table
