"""Compute likelihoods, posteriors and expected counts of a mixture, in compiled loops.

A *cell* is either all questions that share one coin, or one undisguised question. A *pattern* is a combination of the
codes of one cell, if at least one response contains the combination.
"""

import numpy as np

from miner.arrays import Floats
from miner.behind.patterns import Indices, PatternParts
from miner.compiled import compiled

VANISHING = -40.0  # logarithm of a share that is below rounding error


@compiled
def pattern_likelihoods(log_code: Floats, parts: PatternParts) -> tuple[Floats, Floats]:
    """Return the likelihood of each combination of codes (pattern), and P(coin said truth).

    Args:
        log_code: Values of ln P(code before the disguise | latent class), shape (codes of all questions, classes).
        parts: Combinations of codes (patterns) in all groups and plain questions.

    Returns:
        Values of ln P(pattern | class) and of P(coin says truth | pattern, class), both of shape (patterns, classes).
    """
    patterns, classes = len(parts.start) - 1, log_code.shape[1]
    likelihood = np.empty((patterns, classes))
    truth = np.empty((patterns, classes))
    kept, replaced = np.empty(classes), np.empty(classes)
    for pattern in range(patterns):
        kept[:] = parts.log_truth[pattern]
        replaced[:] = parts.log_replaced[pattern]
        for k in range(parts.start[pattern], parts.start[pattern + 1]):
            own, flipped = parts.sent[k], parts.flipped[k]
            for z in range(classes):
                kept[z] += log_code[own, z]
            if flipped >= 0:
                for z in range(classes):
                    replaced[z] += log_code[flipped, z]
        for z in range(classes):
            rest = np.exp(-abs(replaced[z] - kept[z]))
            likelihood[pattern, z] = max(kept[z], replaced[z]) + np.log1p(rest)
            truth[pattern, z] = (1.0 if kept[z] >= replaced[z] else rest) / (1.0 + rest)
    return likelihood, truth


@compiled
def response_pass(ids: Indices, times: Floats, likelihood: Floats, log_weights: Floats) -> tuple[float, Floats, Floats]:
    """Run the E-step of EM over responses.

    Args:
        ids: Index of the combination of codes (pattern) in each group or plain question (cell), shape (distinct
            responses, cells).
        times: Number of responses equal to each distinct response, shape (distinct responses,).
        likelihood: Result of `pattern_likelihoods`.
        log_weights: Values of ln P(class), shape (classes,).

    Returns:
        Log-likelihood, the expected number of responses with each pattern of codes in each class, and the expected
        number in each class.
    """
    kinds, cells = ids.shape
    classes = len(log_weights)
    counts = np.zeros(likelihood.shape)
    totals = np.zeros(classes)
    score = np.empty(classes)
    whole = 0.0
    for i in range(kinds):
        for z in range(classes):
            score[z] = log_weights[z]
        for cell in range(cells):
            pattern = ids[i, cell]
            for z in range(classes):
                score[z] += likelihood[pattern, z]
        whole += times[i] * normalise(score)
        for z in range(classes):
            score[z] *= times[i]
            totals[z] += score[z]
        for cell in range(cells):
            pattern = ids[i, cell]
            for z in range(classes):
                counts[pattern, z] += score[z]
    return whole, counts, totals


@compiled
def response_posteriors(ids: Indices, likelihood: Floats, log_weights: Floats) -> tuple[Floats, Floats]:
    """Return ln P(response), shape (responses,), and P(class | response), shape (responses, classes)."""
    responses, cells = ids.shape
    classes = len(log_weights)
    logs = np.empty(responses)
    posterior = np.empty((responses, classes))
    for i in range(responses):
        for z in range(classes):
            posterior[i, z] = log_weights[z]
        for cell in range(cells):
            for z in range(classes):
                posterior[i, z] += likelihood[ids[i, cell], z]
        logs[i] = normalise(posterior[i])
    return logs, posterior


@compiled
def normalise(score: Floats) -> float:
    """Replace log scores by their softmax in place, and return their log-sum-exp."""
    largest = score[0]
    for z in range(1, len(score)):
        largest = max(largest, score[z])
    total = 0.0
    for z in range(len(score)):
        below = score[z] - largest
        score[z] = np.exp(below) if below > VANISHING else 0.0
        total += score[z]
    for z in range(len(score)):
        score[z] /= total
    return float(largest + np.log(total))


@compiled
def code_counts(slots: int, counts: Floats, truth: Floats, parts: PatternParts) -> Floats:
    """Return the expected number of people with each code before the disguise, shape (codes of all questions, classes).

    Codes that were replaced by random codes are not counted.
    """
    classes = counts.shape[1]
    expected = np.zeros((slots, classes))
    kept, replaced = np.empty(classes), np.empty(classes)
    for pattern in range(len(parts.start) - 1):
        for z in range(classes):
            kept[z] = counts[pattern, z] * truth[pattern, z]
            replaced[z] = counts[pattern, z] - kept[z]
        for k in range(parts.start[pattern], parts.start[pattern + 1]):
            own, flipped = parts.sent[k], parts.flipped[k]
            for z in range(classes):
                expected[own, z] += kept[z]
            if flipped >= 0:
                for z in range(classes):
                    expected[flipped, z] += replaced[z]
    return expected
