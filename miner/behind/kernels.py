"""Compiled: likelihood of a response given candidate answers, by answer and by class.

The coin of each group is summed out: P(sent | answers) is theta times the probability that each answer gets the code
sent, plus 1 - theta times the probability of the codes sent as a replacement.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.compiled import bare, compiled
from miner.responses.responses import Values

Indices = NDArray[np.int32]
Offsets = NDArray[np.int64]
LOG_NEVER = -690.0  # about the smallest logarithm whose exponential is an ordinary number
NEVER = np.exp(LOG_NEVER)


class PatternParts(NamedTuple):
    """All patterns of all cells, concatenated.

    Attributes:
        sent: The code slots of the codes sent, pattern by pattern.
        flipped: The slots of the complements; -1 where a replacement is independent of the truth.
        start: Shape (patterns + 1,): where each pattern's slots begin.
        log_truth: Shape (patterns,): ln theta of the pattern's cell.
        log_replaced: Shape (patterns,): ln (1 - theta), minus ln of the number of states under the uniform channel;
            -inf if the cell is not disguised.
    """

    sent: Indices
    flipped: Indices
    start: Offsets
    log_truth: Floats
    log_replaced: Floats


class Readings(NamedTuple):
    """The values that each code slot stands for: usually one, several under a block coding.

    Attributes:
        first: Shape (slots + 1,): index in `places` of each slot's first value.
        places: Indices of the values among all values of all questions.
        log_draw: ln P(code | value), as published.
    """

    first: Offsets
    places: Indices
    log_draw: Floats


class CodeTables(NamedTuple):
    """The codes and the values of all questions, numbered consecutively as slots and places.

    Attributes:
        places: Shape (questions + 1,): where each question's values begin.
        slot_question: Shape (slots,): the question of each code.
        readings: The values of the slots.
    """

    places: Offsets
    slot_question: Indices
    readings: Readings


@compiled
def logarithms(probabilities: Floats) -> Floats:
    """Natural logarithms, bounded below where a probability is 0."""
    logs: Floats = np.log(np.maximum(probabilities, NEVER))
    return logs


class ResponseLikelihood(NamedTuple):
    """Likelihood of one response given one row of candidate answers. The arrays are reused for each row.

    Attributes:
        chance: Shape (values of all questions,): P(code sent | this answer, truth); 1 if the question was not asked.
        cell: Shape (questions,): the cell of each asked question; -1 if it was not asked.
        truth: Shape (cells,): P(the coin says truth), divided by the larger of `truth` and `replaced`.
        replaced: Shape (cells,): P(the coin says replacement) times P(codes sent | replacement), divided likewise.
        rest: Shape (cells,): P(codes sent | answers except the class, truth), without factors that are 0.
        never: Shape (cells,): number of factors that are 0.
        target: Position of the class question.
    """

    chance: Floats
    cell: Offsets
    truth: Floats
    replaced: Floats
    rest: Floats
    never: Offsets
    target: int


@compiled
def empty_likelihood(cells: int, places: Offsets, target: int) -> ResponseLikelihood:
    """An empty `ResponseLikelihood` for this number of cells."""
    questions = len(places) - 1
    chance, cell, never = np.ones(places[questions]), np.full(questions, -1, np.int64), np.zeros(cells, np.int64)
    return ResponseLikelihood(chance, cell, np.empty(cells), np.empty(cells), np.empty(cells), never, target)


@bare
def fill_likelihood(
    row: Values, ids: Indices, parts: PatternParts, tables: CodeTables, likelihood: ResponseLikelihood
) -> None:
    """Compute the likelihood of a response with these patterns, given a row of answers.

    Args:
        row: The answers.
        ids: Shape (cells,): the pattern of the response in each cell.
        parts: The patterns.
        tables: The slots and places.
        likelihood: The result is written to it.
    """
    for question in range(len(likelihood.cell)):
        if likelihood.cell[question] >= 0:
            likelihood.cell[question] = -1
            for place in range(tables.places[question], tables.places[question + 1]):
                likelihood.chance[place] = 1.0
    for cell in range(len(ids)):
        pattern = ids[cell]
        top = max(parts.log_truth[pattern], parts.log_replaced[pattern])
        truth, replaced = parts.log_truth[pattern] - top, parts.log_replaced[pattern] - top
        likelihood.truth[cell] = np.exp(truth) if truth < 0.0 else 1.0
        likelihood.replaced[cell] = np.exp(replaced) if replaced < 0.0 else 1.0
        likelihood.rest[cell], likelihood.never[cell] = 1.0, 0
        for k in range(parts.start[pattern], parts.start[pattern + 1]):
            slot = parts.sent[k]
            question = tables.slot_question[slot]
            first = tables.places[question]
            likelihood.cell[question] = cell
            for place in range(first, tables.places[question + 1]):
                likelihood.chance[place] = 0.0
            for each in range(tables.readings.first[slot], tables.readings.first[slot + 1]):
                log_draw = tables.readings.log_draw[each]
                likelihood.chance[tables.readings.places[each]] = np.exp(log_draw) if log_draw < 0.0 else 1.0
            if question != likelihood.target:
                own = likelihood.chance[first + row[question]]
                if own > 0.0:
                    likelihood.rest[cell] *= own
                else:
                    likelihood.never[cell] += 1


@bare
def kept_without(place: int, cell: int, likelihood: ResponseLikelihood) -> float:
    """P(the coin says truth) times P(codes sent | the cell's answers), without this answer and the class."""
    own = likelihood.chance[place]
    if likelihood.never[cell] == 0:
        return float(likelihood.truth[cell] * likelihood.rest[cell] / own)
    if likelihood.never[cell] == 1 and own == 0.0:
        return float(likelihood.truth[cell] * likelihood.rest[cell])
    return 0.0


@bare
def class_likelihoods(first: int, likelihood: ResponseLikelihood, found: Floats) -> None:
    """Compute P(codes sent in the class question's cell | each class); 1 if the class was not asked.

    Args:
        first: Place of the first class.
        likelihood: Likelihood of the response.
        found: Shape (classes,).
    """
    cell = likelihood.cell[likelihood.target]
    for y in range(len(found)):
        found[y] = 1.0
        if cell >= 0:
            kept = likelihood.truth[cell] * likelihood.rest[cell] if likelihood.never[cell] == 0 else 0.0
            found[y] = kept * likelihood.chance[first + y] + likelihood.replaced[cell]


@compiled
def class_evidence(values: Values, ids: Indices, parts: PatternParts, tables: CodeTables, target: int) -> Floats:
    """Shape (rows, values of the class question): P(its cell's codes | the row's other answers, each class).

    Up to a factor that is equal for all rows of a response. `ids`, of shape (rows,), are the patterns of its cell.
    """
    first, kinds = tables.places[target], tables.places[target + 1] - tables.places[target]
    evidence = np.empty((len(values), kinds))
    likelihood = empty_likelihood(1, tables.places, target)
    for i in range(len(values)):
        fill_likelihood(values[i], ids[i : i + 1], parts, tables, likelihood)
        class_likelihoods(first, likelihood, evidence[i])
    return evidence
