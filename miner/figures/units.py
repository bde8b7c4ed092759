"""Compute the variance of an estimated total from strata and clusters.

The clusters of a stratum are treated as drawn with replacement. The variance of the total of a stratum with n clusters
is n times the variance of the clusters' totals (Hansen, Hurwitz & Madow 1953). The variance between clusters' totals
includes the noise of the disguise.

If a share f of a stratum's clusters is in the sample, the finite population correction multiplies the variance by 1 -
f. The finite population correction is valid for the noise of sampling, but not for the noise of the disguise, so f
times the variance due to the disguise is added. If a disguised response has an unbiased weight u for a true number y,
the disguise gives u the variance E[u^2] - y^2, which can be estimated without a model.

A *domain* is a subgroup of the respondents. Its degrees of freedom are the number of clusters with a response in the
domain, minus the number of their strata. A stratum whose clusters are all in the sample has no noise of sampling.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, sqrt

import numpy as np

from collector.errors import QueryError
from miner.arrays import Flags, Floats, Indices
from miner.figures.score import student

ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Units:
    """Strata and clusters of responses.

    Attributes:
        counts: Number of responses that each row stands for, shape (rows,).
        stratum: Index of the stratum of each row, shape (rows,).
        cluster: Index of the cluster of each row within its stratum, shape (rows,), or None if each response is a
            cluster.
        sizes: Number of clusters in the population of each stratum, or infinity for no finite population correction,
            shape (strata,).
        names: Names of the strata, for error messages.

    Raises:
        QueryError: If a stratum has a single cluster in the sample but not in the population, or has more clusters in
            the sample than in the population.
    """

    counts: Floats
    stratum: Indices
    cluster: Indices | None
    sizes: Floats
    names: Sequence[str] = ()

    def __post_init__(self) -> None:
        number, known = self.number, np.isfinite(self.sizes)
        wrong = known & (number > self.sizes)
        what = "responses" if self.cluster is None else "clusters"
        if wrong.any():
            place = self._place(int(wrong.argmax()))
            problem = f"it has more {what} than its population"
            raise QueryError(place, problem, f"write the number of {what} in the population, in [population]")
        lonely = (number == 1) & ~(self.sizes == 1)
        if lonely.any():
            place, one = self._place(int(lonely.argmax())), "response" if self.cluster is None else "cluster"
            remedy = "join it with another stratum in a question of fewer values, or leave out strata"
            raise QueryError(place, f"it has one {one}, and so no variance is known", remedy)

    def _place(self, stratum: int) -> str:
        return f'stratum "{self.names[stratum]}"' if self.names else "sample"

    @cached_property
    def _clusters(self) -> tuple[Indices, Indices]:
        """Return the index of each row's cluster among all clusters, and the stratum of each cluster."""
        if self.cluster is None:
            return np.arange(len(self.counts)), self.stratum
        pairs, which = np.unique(np.stack([self.stratum, self.cluster], axis=1), axis=0, return_inverse=True)
        return which.ravel(), pairs[:, 0]

    @cached_property
    def number(self) -> Floats:
        """Return the number of sampled clusters in each stratum, shape (strata,)."""
        if self.cluster is None:
            return np.bincount(self.stratum, self.counts, len(self.sizes)).astype(np.float64)
        return np.bincount(self._clusters[1], minlength=len(self.sizes)).astype(np.float64)

    @property
    def freedom(self) -> int:
        """Return the number of clusters minus the number of strata."""
        return round(float((self.number - 1)[self.number > 0].sum()))

    @property
    def sampled(self) -> Floats:
        """Return the share of the population's clusters that are in the sample, shape (strata,)."""
        return self.number / self.sizes

    def freedom_in(self, inside: Flags) -> float:
        """Return the degrees of freedom of a domain, or the number of people - 1 if only the noise of coins is left.

        Args:
            inside: Whether each row may be in the domain, shape (rows,).
        """
        if self.is_census(inside):
            return max(0.0, float(self.counts[inside].sum()) - 1)
        number = self._number_in(inside)
        return float((number - 1)[(number > 0) & (self.sampled < 1)].sum())

    def is_census(self, inside: Flags) -> bool:
        """Return whether all clusters of the strata of a domain are in the sample."""
        return not ((self._number_in(inside) > 0) & (self.sampled < 1)).any()

    def clusters_in(self, inside: Flags, weights: Floats) -> float:
        """Return the number of clusters in a domain, as if people's sampling weights were equal (Kish 1965).

        Args:
            inside: Whether each row may be in the domain, shape (rows,).
            weights: Sampling weight of each row, shape (rows,).
        """
        masses = (self.counts * weights)[inside]
        equal = masses.sum() ** 2 / (self.counts[inside].sum() * float(masses @ weights[inside]))
        return float(self._number_in(inside).sum() * equal)

    def equal_clusters(self, inside: Flags, weights: Floats) -> float:
        """Return the number of clusters of equal size that a domain's clusters are worth (Kish 1965).

        Args:
            inside: Whether each row may be in the domain, shape (rows,).
            weights: Sampling weight of each row, shape (rows,).
        """
        masses, each = (self.counts * weights)[inside], self._clusters[0][inside]
        sizes = masses if self.cluster is None else np.bincount(each, masses)
        squares = float(masses @ weights[inside]) if self.cluster is None else float(sizes @ sizes)
        return float(masses.sum()) ** 2 / squares

    def stretch(self, terms: Floats, inside: Flags, weights: Floats) -> float:
        """Return by how much more than t times its error an estimate may deviate if clusters differ in size.

        A large cluster is close to the estimate that it decides, so its deviation is divided by 1 - its share of the
        people (the jackknife, Bell & McCaffrey 2002). Degrees of freedom are those of as many clusters of equal size.

        Args:
            terms: What one response adds to the estimate, shape (rows,).
            inside: Whether each row may be in the domain, shape (rows,).
            weights: Sampling weight of each row, shape (rows,).
        """
        which, home = self._clusters
        sizes = np.bincount(which[inside], (self.counts * weights)[inside], len(home))
        gaps, there, most = self._gaps(terms[:, None])[0][:, 0], sizes > 0, self.freedom_in(inside)
        shares = sizes[there] / sizes.sum()
        equal = max(1.0, most / (len(shares) * float(shares @ shares)))
        squares = gaps[there] ** 2
        if most <= 0 or float(squares.sum()) <= ROUNDING**2 * float(terms @ terms):
            return 1.0
        grown = float((squares / (1 - shares) ** 2).sum() / squares.sum()) * (1 - 1 / len(shares)) ** 2
        return student(equal) / student(max(1.0, most)) * sqrt(max(1.0, grown))

    def _number_in(self, inside: Flags) -> Floats:
        """Return the number of clusters in a domain in each stratum, shape (strata,)."""
        if self.cluster is None:
            return np.bincount(self.stratum[inside], self.counts[inside], len(self.sizes)).astype(np.float64)
        which, home = self._clusters
        return np.bincount(home[np.unique(which[inside])], minlength=len(self.sizes)).astype(np.float64)

    def varies_within(self, terms: Floats, size: float) -> bool:
        """Return whether what people add to a total differs within a stratum.

        Args:
            terms: What one response adds to the total, shape (rows,).
            size: Size of a large number of `terms`, beside which rounding is small.
        """
        low, high = np.full((2, len(self.sizes)), [[inf], [-inf]])
        np.minimum.at(low, self.stratum, terms)
        np.maximum.at(high, self.stratum, terms)
        return bool((high - low > ROUNDING * size).any())

    def covariance(self, terms: Floats) -> Floats:
        """Return the covariance of estimated totals.

        Args:
            terms: What one response adds to each total, shape (rows, sums).
        """
        gaps, times, _ = self._gaps(terms)
        found: Floats = (gaps * times[:, None]).T @ gaps
        return found

    def freedom_of(self, terms: Floats, inside: Flags | None = None) -> float:
        """Return the degrees of freedom of the variance of an estimated total (Satterthwaite 1946).

        Args:
            terms: What one response adds to the total, shape (rows,).
            inside: Whether each row may be in the domain of the total, shape (rows,), or None for everybody. The total
                has at most the domain's degrees of freedom.
        """
        most = float(self.freedom) if inside is None else self.freedom_in(inside)
        gaps, times, home = self._gaps(terms[:, None])
        parts = np.bincount(home, times * gaps[:, 0] ** 2, len(self.sizes))
        left = np.maximum(self.number - 1, 1)
        below = float((parts**2 / left).sum())
        return min(most, float(parts.sum() ** 2 / below)) if below > 0 else most

    def _gaps(self, terms: Floats) -> tuple[Floats, Floats, Indices]:
        """Return each cluster's deviation from its stratum's mean total, with variance factors and strata."""
        if self.cluster is None:
            totals, each, home = terms, self.counts, self.stratum
        else:
            which, home = self._clusters
            totals = np.stack([np.bincount(which, self.counts * column, len(home)) for column in terms.T], axis=1)
            each = np.ones(len(home))
        number = np.maximum(self.number, 1)
        means = np.stack([np.bincount(home, each * column, len(number)) / number for column in totals.T], axis=1)
        gaps = totals - means[home]
        times = (1 - self.sampled) * number / np.maximum(number - 1, 1)
        return gaps, each * times[home], home

    def uncorrected(self, terms: Floats, cells: Floats, weights: Floats, truth: Floats) -> Floats:
        """Return the part of the covariance due to the disguise that `covariance` wrongly removes.

        Args:
            terms: What one response adds to each total, shape (rows, sums).
            cells: Weight of one response for each cell of a partition, which may be negative, shape (rows, cells).
            weights: Sampling weight of each row, shape (rows,).
            truth: What a person with an answer in each cell adds to each total, shape (cells, sums).
        """
        if not np.isfinite(self.sizes).any():
            return np.zeros((terms.shape[1],) * 2)
        people = self.counts * self.sampled[self.stratum]
        known = (people * weights**2) @ cells
        found: Floats = (terms * people[:, None]).T @ terms - (truth * known[:, None]).T @ truth
        return found


def one_stratum(counts: Floats, size: float | None = None) -> Units:
    """Return a single stratum without clusters, for a simple random sample."""
    return Units(counts, np.zeros(len(counts), np.intp), None, np.array([inf if size is None else size]))
