"""Compiled: a multinomial logit of the class given the other answers: main effects and pairwise interactions.

P(class = y | x)  ~  exp( intercept_y + sum over j of main_j[x_j, y] + sum over j < k of pair_jk[x_j, x_k, y] )
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.compiled import bare, compiled
from miner.latent.kernels import Indices, Offsets
from miner.latent.patterns import Layout
from miner.responses.responses import Values

MOST_PAIR_EFFECTS = 200_000  # pairs of values; a survey with more of them gets main effects only


class Frame(NamedTuple):
    """The positions of the effects of values and of pairs of values in their arrays.

    Attributes:
        target: Position of the class question.
        features: Positions of the others.
        places: Shape (questions + 1,): where each question's values begin among all values.
        starts: Shape (features, features): where the effects of a pair of questions begin; -1 in all if there are none.
    """

    target: int
    features: Indices
    places: Offsets
    starts: Offsets


class Effects(NamedTuple):
    """The parameters.

    Attributes:
        intercept: Shape (classes,).
        main: Shape (values of all questions, classes).
        pair: Shape (pairs of values, classes).
    """

    intercept: Floats
    main: Floats
    pair: Floats


@bare
def pair_line(row: Values, a: int, b: int, frame: Frame) -> tuple[int, int]:
    """Start and stride of the effects of feature a's values together with this row's value of b."""
    one, other = frame.features[a], frame.features[b]
    if a < b:
        return int(frame.starts[a, b] + row[other]), int(frame.places[other + 1] - frame.places[other])
    return int(frame.starts[b, a] + row[other] * (frame.places[one + 1] - frame.places[one])), 1


@bare
def add_scores(row: Values, effects: Effects, frame: Frame, scores: Floats) -> None:
    """Add the linear predictor of each class for a row of answers."""
    for a in range(len(frame.features)):
        one = frame.features[a]
        place = frame.places[one] + row[one]
        for y in range(len(scores)):
            scores[y] += effects.main[place, y]
        if len(effects.pair) == 0:
            continue
        for b in range(a + 1, len(frame.features)):
            start, apart = pair_line(row, a, b, frame)
            for y in range(len(scores)):
                scores[y] += effects.pair[start + row[one] * apart, y]


@compiled
def shares_of(values: Values, effects: Effects, frame: Frame) -> Floats:
    """Shape (rows, classes): P(class | the other answers); the class's column is not read."""
    shares = np.empty((len(values), len(effects.intercept)))
    for i in range(len(values)):
        shares[i] = effects.intercept
        add_scores(values[i], effects, frame, shares[i])
        shares[i] = np.exp(shares[i] - shares[i].max())
        shares[i] /= shares[i].sum()
    return shares


def frame_of(survey: Survey, target: int) -> tuple[Frame, int]:
    """The positions of effects, and the number of pairs of values."""
    places = Layout(survey).places
    features = [column for column in range(len(places) - 1) if column != target]
    widths = np.diff(places)
    starts, pairs = np.full((len(features), len(features)), -1, np.int64), 0
    for a, one in enumerate(features):
        for b in range(a + 1, len(features)):
            starts[a, b] = pairs
            pairs += int(widths[one] * widths[features[b]])
    return Frame(target, np.array(features, np.int32), places, starts), pairs if pairs <= MOST_PAIR_EFFECTS else 0


@dataclass(frozen=True, eq=False)
class Logit:
    """P(class | the other answers).

    Attributes:
        frame: Where the effects stand.
        effects: The parameters.
    """

    frame: Frame
    effects: Effects

    def probabilities(self, values: Values) -> Floats:
        """Shape (rows, classes), for rows of value indices, whatever stands in the class's own column."""
        return shares_of(values, self.effects, self.frame)


def without_effects(frame: Frame, pairs: int, shares: Floats) -> Logit:
    """The logit with all effects 0: the class is independent of the answers.

    Args:
        frame: Where effects would stand.
        pairs: How many of them are of pairs of values.
        shares: Shape (classes,): of the classes, above 0.
    """
    classes = len(shares)
    return Logit(frame, Effects(np.log(shares), np.zeros((frame.places[-1], classes)), np.zeros((pairs, classes))))


@dataclass(frozen=True, eq=False)
class Averaged:
    """The mean of the class probabilities of several logits.

    Attributes:
        logits: At least one; their effects stand in the same places.
    """

    logits: tuple[Logit, ...]

    @property
    def frame(self) -> Frame:
        """Where their effects stand."""
        return self.logits[0].frame

    def probabilities(self, values: Values) -> Floats:
        """Shape (rows, classes), for rows of value indices, whatever stands in the class's own column."""
        return np.asarray(np.mean([logit.probabilities(values) for logit in self.logits], axis=0), np.float64)
