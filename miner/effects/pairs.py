"""Choose pairs of questions that have an effect beyond their main effects, by score tests.

After the main effects are fitted, the slope of the log-likelihood by a pair's effects is only noise if the pair has no
effect. The slope of each response by the effects of a pair is replaced by its residual after regression on the slopes
by the main effects (Rao 1948; Neyman 1959). The sum of squares of the residual slopes is distributed as a weighted sum
of chi squares (Lin 1997), which is approximated by a chi square with the same first three moments (Imhof 1961).

Pairs are chosen one by one, and each further pair is tested after accounting for the pairs already chosen. A pair is
chosen if its p value is below `FALSE` divided by the number of remaining pairs (Holm 1979). With Holm's rule, a false
pair is chosen in at most 1 of 20 surveys.
"""

from itertools import combinations

import numpy as np
from scipy.linalg import block_diag  # type: ignore[import-untyped] # it brings no types
from scipy.special import chdtrc  # type: ignore[import-untyped]

from miner.arrays import Floats
from miner.behind.rows import Rows
from miner.effects.fit import Effects
from miner.effects.kernels import person_slopes
from miner.effects.likelihood import Likelihood, blocks
from miner.effects.terms import Term, Terms

MOST_QUESTIONS = 30  # largest number of questions whose pairs are tested: those with the largest main effects
FALSE = 0.05  # largest probability of any false pair in a survey
MOST_EFFECTS = 600  # largest number of effects of all chosen pairs together
TINY = 1e-12
FLAT = 1e-9  # share of the largest effect below which an effect of a coordinate is rounding error


def chosen_pairs(rows: Rows, effects: Effects, most: int) -> list[Term]:
    """Return the pairs of questions with a significant effect, sorted by significance."""
    terms = effects.terms
    likelihood = Likelihood(rows, terms)
    slopes = likelihood.slopes(effects.intercept, effects.values)
    slopes = np.ascontiguousarray(slopes[:, 1:])  # those of the first class are what the others lack
    sizes = np.add.reduceat((effects.values**2).mean(axis=1), terms.starts[:-1]) if terms.terms else np.zeros(0)
    first = np.sort(np.argsort(-sizes, kind="stable")[:MOST_QUESTIONS])
    asked = [terms.terms[place][0] for place in first.tolist()]
    main = _main(likelihood, slopes, terms)
    pairs = (Terms(terms.survey, (pair,), terms.shares) for pair in combinations(asked, 2))
    every = [_Tested(likelihood, slopes, pair, main) for pair in pairs]
    chosen: list[Term] = []
    room = MOST_EFFECTS
    while every and len(chosen) < most:
        chances = [each.chance for each in every]
        if min(chances) > FALSE / len(every):
            break
        pair = every.pop(int(np.argmin(chances)))
        if pair.terms.widths[0] <= room:
            chosen.append(pair.terms.terms[0])
            room -= pair.terms.widths[0]
        more = pair.beyond(main)
        main = np.hstack([main, more])
        for each in every:
            each.explain(more)
    return chosen


class _Tested:
    """Score test of the effect of a pair of questions, beyond the effects of other terms.

    Attributes:
        terms: Terms of a model that has only the effects of the pair.
        noise: Sum of the outer products of responses' residual slopes, shape (coordinates, coordinates).
        along: Sum of responses' residual slopes, shape (coordinates,).
    """

    def __init__(self, likelihood: Likelihood, slopes: Floats, terms: Terms, main: Floats) -> None:
        self.terms, self._likelihood, self._scores = terms, likelihood, slopes
        self._people, self._roots = np.sqrt(likelihood.rows.counts), thin(terms.roots.toarray())
        own = self._slopes()
        self.noise, self.along = own.T @ own, self._people @ own
        self._take_out(main, own)

    def _slopes(self) -> Floats:
        """Return the slope of each response by the pair's effects, times the square root of its number of people."""
        rows, width = self._likelihood.rows, self.terms.widths[0]
        slopes = person_slopes(self.terms.places(rows.values), self._scores, rows.first, rows.ends, width)
        roots = np.vstack([np.zeros(self._roots.shape[1]), self._roots])  # no intercept
        own = (slopes.reshape(-1, width + 1) @ roots).reshape(len(slopes), slopes.shape[1] * roots.shape[1])
        own *= self._people[:, None]
        return np.asarray(own)

    def _take_out(self, basis: Floats, own: Floats) -> None:
        shared = basis.T @ own
        self.noise = self.noise - shared.T @ shared
        self.along = self.along - (self._people @ basis) @ shared

    def explain(self, basis: Floats) -> None:
        """Remove the part of the slopes that orthonormal columns explain."""
        self._take_out(basis, self._slopes())

    def beyond(self, main: Floats) -> Floats:
        """Return an orthonormal basis of the pair's slopes that the columns of `main` do not explain."""
        own = self._slopes()
        return _basis(own - main @ (main.T @ own))

    @property
    def chance(self) -> float:
        """Return the p value of the test that the pair of questions has no effect."""
        squares = float((self.along**2).sum())
        twice = self.noise @ self.noise
        one, two, three = float(np.trace(self.noise)), float(np.trace(twice)), float((twice * self.noise).sum())
        if three <= TINY:
            return 1.0
        freedom = two**3 / three**2
        return float(chdtrc(freedom, max(0.0, (squares - one) * np.sqrt(freedom / two) + freedom)))


def thin(roots: Floats) -> Floats:
    """Rotate the columns of a matrix, and leave out columns that are 0 after the rotation."""
    turned, sizes, _ = np.linalg.svd(roots)
    return np.asarray(turned * sizes)[:, sizes > FLAT * sizes[0]]


def _main(likelihood: Likelihood, slopes: Floats, terms: Terms) -> Floats:
    """Return orthonormal columns that span the slopes by intercepts and main effects."""
    people, roots, parts = np.sqrt(likelihood.rows.counts), block_diag(1.0, terms.roots.toarray()), []
    for part in blocks(len(people)):
        along = likelihood.person_slopes(slopes, part)
        own = (along.reshape(-1, len(roots)) @ roots).reshape(len(along), -1)
        parts.append(own * people[part, None])
    return _basis(np.concatenate(parts))


def _basis(columns: Floats) -> Floats:
    """Return orthonormal columns that span the columns of a matrix."""
    sizes, turned = np.linalg.eigh(columns.T @ columns)
    kept = sizes > TINY * max(1.0, float(sizes[-1]))
    return np.asarray(columns @ (turned[:, kept] / np.sqrt(sizes[kept])))
