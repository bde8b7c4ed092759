"""A prior for effects of values on a scale: neighbouring values have similar effects.

The prior of the effects of a question's values is normal. If the values have no order, the effects are independent with
variance 1. If they have, effects of neighbouring values are similar: the covariance is the square of the generalised
inverse of the path's Laplacian, the discrete smoothing spline (Whittaker 1923; Wahba 1978; Rue & Held 2005, chapter 3),
with the same prior for the common level as without order, scaled to mean variance 1. So linear trends along the scale
have the largest prior variance, then curvature; single values that differ from both neighbours have the smallest.
Values outside the order (no answer, not applicable) have independent effects.

The effects of pairs of values have the product of both covariances. An effect is the root of its covariance times
*free* coordinates, which are independent with equal variance. The common level of all effects of a question is removed.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse  # type: ignore[import-untyped] # it brings no types

from collector.survey.question import Question
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.latent.logit.logit import Frame

FEWEST_VALUES = 3  # values of a scale of which some are nearer than others


def root_covariance(question: Question) -> Floats:
    """Shape (values, values): the symmetric square root of the covariance of the effects of a question's values."""
    count, root = question.in_order, np.eye(len(question.values))
    if count < FEWEST_VALUES:
        return root
    apart = np.eye(count)[1:] - np.eye(count)[:-1]
    sizes, modes = np.linalg.eigh(apart.T @ apart)
    # the first mode is the common level; the root of the squared inverse is the inverse
    inverse = 1 / sizes[1:]
    roots = np.append(1.0, inverse * np.sqrt((count - 1) / (inverse**2).sum()))
    root[:count, :count] = (modes * roots) @ modes.T
    return root


class Scales(NamedTuple):
    """Linear maps from free coordinates to effects, which have mean 0 over the population's answers.

    So main effects do not overlap with the intercept, nor pair effects with main effects, and the common part of drawn
    answers adds no noise to them.

    Attributes:
        main: Shape (values of all questions, values of all questions).
        left: Shape (pairs of values, pairs of values): by the first question of each pair,
        right: and by the second; the order of the two does not matter.
    """

    main: sparse.csr_matrix
    left: sparse.csr_matrix
    right: sparse.csr_matrix

    @classmethod
    def of(cls, survey: Survey, frame: Frame, pairs: int, shares: Floats) -> "Scales":
        """Make the maps of a logit's effects.

        Args:
            survey: The published design.
            frame: Where effects stand.
            pairs: How many of them are of pairs of values.
            shares: Shape (values of all questions,): the population's.
        """
        roots = [
            centred(root_covariance(question), shares[slice(*frame.places[column : column + 2])])
            for column, question in enumerate(survey.questions)
        ]
        left, right = [sparse.csr_matrix((0, 0))], [sparse.csr_matrix((0, 0))]
        for a, one in enumerate(frame.features if pairs else ()):
            for other in frame.features[a + 1 :]:
                left.append(sparse.kron(roots[one], sparse.identity(len(roots[other]))))
                right.append(sparse.kron(sparse.identity(len(roots[one])), roots[other]))
        return cls(*(sparse.csr_matrix(sparse.block_diag(each)) for each in (roots, left, right)))

    def of_values(self, free: Floats) -> Floats:
        """The effects of values."""
        return np.asarray(self.main @ free)

    def of_pairs(self, free: Floats) -> Floats:
        """The effects of pairs of values."""
        return np.asarray(self.left @ (self.right @ free))

    def along_values(self, slopes: Floats) -> Floats:
        """Slopes by free coordinates, from those by the effects of values."""
        return np.asarray(self.main.T @ slopes)

    def along_pairs(self, slopes: Floats) -> Floats:
        """Slopes by free coordinates, from those by the effects of pairs of values."""
        return np.asarray(self.right.T @ (self.left.T @ slopes))


def centred(root: Floats, shares: Floats) -> Floats:
    """The root of a covariance, so that effects have mean 0 where values have these shares."""
    return np.asarray(root - shares @ root / shares.sum())
