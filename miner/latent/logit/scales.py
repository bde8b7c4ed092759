"""A prior for effects of values on a scale: neighbouring values have similar effects.

The effects of a question's values are thought normal. Where its values have no order they are independent, of variance
1. Where they have one, neighbours are alike: the covariance is the square of the generalised inverse of the path's
Laplacian, the discrete smoothing spline (Whittaker 1923; Wahba 1978; Rue & Held 2005, chapter 3), with the same level
for all as without order, and scaled so that the mean variance is 1 again. So effects that rise along the scale are
likeliest, then those that bend; that a value stands out from both its neighbours is least likely.

The effects of pairs of values have the product of both covariances. An effect is the root of its covariance times
*free* coordinates, which are independent; of these there is nothing to know but their variance. What all effects of a
question have in common is taken out.
"""

from __future__ import annotations

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
    count = len(question.values)
    if not question.ordered or count < FEWEST_VALUES:
        return np.eye(count)
    apart = np.eye(count)[1:] - np.eye(count)[:-1]
    sizes, modes = np.linalg.eigh(apart.T @ apart)
    # the first mode is the common level; the root of the squared inverse is the inverse
    inverse = 1 / sizes[1:]
    roots = np.append(1.0, inverse * np.sqrt((count - 1) / (inverse**2).sum()))
    return np.asarray((modes * roots) @ modes.T)


class Scales(NamedTuple):
    """From free coordinates to effects, which have mean 0 over the population's answers.

    So a main effect says nothing that the intercept does, and a pair's nothing that main effects do; and what answers
    that were drawn have in common is no noise of theirs.

    Attributes:
        main: Shape (values of all questions, values of all questions).
        left: Shape (pairs of values, pairs of values): by the first question of each pair,
        right: and by the second; the order of the two does not matter.
    """

    main: sparse.csr_matrix
    left: sparse.csr_matrix
    right: sparse.csr_matrix

    @classmethod
    def of(cls, survey: Survey, frame: Frame, pairs: int, shares: Floats) -> Scales:
        """Those of a logit's effects, of which so many are of pairs of values.

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
        """The same of pairs of values."""
        return np.asarray(self.right.T @ (self.left.T @ slopes))


def centred(root: Floats, shares: Floats) -> Floats:
    """The root of a covariance, so that effects have mean 0 where values have these shares."""
    return np.asarray(root - shares @ root / shares.sum())
