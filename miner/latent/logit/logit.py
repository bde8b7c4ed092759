"""Compiled: a multinomial logit of the class given the other answers: main effects and pairwise interactions.

P(class = y | x)  ~  exp( intercept_y + sum over j of main_j[x_j, y] + sum over j < k of pair_jk[x_j, x_k, y] )
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.behind.kernels import Indices, Offsets
from miner.behind.patterns import Layout
from miner.compiled import compiled
from miner.latent.kernels import write_shares
from miner.responses.possible import predictors
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


class LogitParameters(NamedTuple):
    """The parameters.

    Attributes:
        intercept: Shape (classes,).
        main: Shape (values of all questions, classes).
        pair: Shape (pairs of values, classes).
    """

    intercept: Floats
    main: Floats
    pair: Floats


@compiled
def shares_of(values: Values, effects: LogitParameters, frame: Frame) -> Floats:
    """Shape (rows, classes): P(class | the other answers); the class's column is not read."""
    shares = np.empty((len(values), len(effects.intercept)))
    features, places, starts, paired = frame.features, frame.places, frame.starts, len(effects.pair) > 0
    for i in range(len(values)):
        row, scores = values[i], shares[i]
        for y in range(len(scores)):
            scores[y] = effects.intercept[y]
        for a in range(len(features)):
            place = places[features[a]] + row[features[a]]
            for y in range(len(scores)):
                scores[y] += effects.main[place, y]
            for b in range(a + 1, len(features) if paired else 0):
                other = features[b]
                each = starts[a, b] + row[features[a]] * (places[other + 1] - places[other]) + row[other]
                for y in range(len(scores)):
                    scores[y] += effects.pair[each, y]
        write_shares(scores, scores)
    return shares


def frame_of(survey: Survey, target: int) -> tuple[Frame, int]:
    """The positions of effects, and the number of pairs of values."""
    places = Layout.of(survey).places
    features = predictors(survey, survey.questions[target].name)
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
    effects: LogitParameters

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
    return Logit(
        frame, LogitParameters(np.log(shares), np.zeros((frame.places[-1], classes)), np.zeros((pairs, classes)))
    )


@dataclass(frozen=True, eq=False)
class Averaged:
    """The mean of the class probabilities of several logits.

    Attributes:
        logits: At least one; their effects stand in the same places.
    """

    logits: tuple[Logit, ...]

    @property
    def frame(self) -> Frame:
        """Positions of their effects."""
        return self.logits[0].frame

    def probabilities(self, values: Values) -> Floats:
        """Shape (rows, classes), for rows of value indices, whatever stands in the class's own column."""
        return np.asarray(np.mean([logit.probabilities(values) for logit in self.logits], axis=0), np.float64)
