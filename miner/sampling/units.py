"""Compute the variance of a total that is due to the sample and to the coins together, by strata and clusters.

The total of a stratum is a sum over its clusters, which are treated as drawn with replacement. With n clusters in a
stratum, the variance of its total is n times the variance of the clusters' totals (the ultimate clusters of Hansen,
Hurwitz & Madow 1953). The clusters' totals are totals of signed weights, so that the variance includes sample and
coins.

If a share f of a stratum's clusters is in the sample, the sample's part of the variance is reduced by the factor 1 - f,
and the coins' part is not reduced. The variance between the clusters' totals, times 1 - f, contains only 1 - f of the
coins' part. Therefore f times the coins' part is added. The coins' part is known without a model: a term u that
estimates y has the variance E[u^2] - y^2, and y^2 is estimated like any answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np

from collector.errors import QueryError
from miner.arrays import Floats, Indices


@dataclass(frozen=True, eq=False)
class Units:
    """Strata and clusters of responses.

    Attributes:
        counts: Number of responses that are equal in everything, shape (rows,).
        stratum: Stratum of each row, numbered from 0, shape (rows,).
        cluster: Cluster of each row, numbered from 0 within a stratum or through all strata, shape (rows,). The value
            is None if each response is a cluster.
        sizes: Number of clusters in the population of each stratum, or infinite for no correction, shape (strata,).
        names: Names of the strata, for errors.

    Raises:
        QueryError: If a stratum has a single cluster in the sample and more in the population, or more clusters than
            its population.
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
        """Return the cluster of each row, numbered from 0 through all strata, and the stratum of each cluster."""
        if self.cluster is None:
            return np.arange(len(self.counts)), self.stratum
        pairs, which = np.unique(np.stack([self.stratum, self.cluster], axis=1), axis=0, return_inverse=True)
        return which.ravel(), pairs[:, 0]

    @cached_property
    def number(self) -> Floats:
        """Return the number of clusters in the sample, shape (strata,)."""
        if self.cluster is None:
            return np.bincount(self.stratum, self.counts, len(self.sizes)).astype(np.float64)
        return np.bincount(self._clusters[1], minlength=len(self.sizes)).astype(np.float64)

    @property
    def freedom(self) -> int:
        """Return the degrees of freedom of a variance: the number of clusters minus the number of strata."""
        return round(float((self.number - 1)[self.number > 0].sum()))

    @property
    def sampled(self) -> Floats:
        """Return the share of the population's clusters that are in the sample, shape (strata,)."""
        return self.number / self.sizes

    def covariance(self, terms: Floats) -> Floats:
        """Return the covariance of the sums of some terms over responses.

        A finite population correction also reduces the coins' part, which `uncorrected` adds again.

        Args:
            terms: Terms of one response, times its sampling weight, shape (rows, sums).
        """
        gaps, times, _ = self._gaps(terms)
        found: Floats = (gaps * times[:, None]).T @ gaps
        return found

    def freedom_of(self, terms: Floats) -> float:
        """Return the degrees of freedom of the variance of a sum (Satterthwaite 1946).

        If all strata contribute equally, the result is `freedom`. If one stratum has all the variance, the result is
        that of this stratum.

        Args:
            terms: Terms of one response, times its sampling weight, shape (rows,).
        """
        gaps, times, home = self._gaps(terms[:, None])
        parts = np.bincount(home, times * gaps[:, 0] ** 2, len(self.sizes))
        left = np.maximum(self.number - 1, 1)
        below = float((parts**2 / left).sum())
        return float(parts.sum() ** 2 / below) if below > 0 else float(self.freedom)

    def _gaps(self, terms: Floats) -> tuple[Floats, Floats, Indices]:
        """Return the differences of clusters' totals from their means, with the factors and strata of the clusters.

        The differences have shape (clusters, sums).
        """
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
        """Return the part of the coins' covariance that a finite population correction has removed.

        Args:
            terms: Weights times cells times truth, shape (rows, sums).
            cells: Signed weights of one response for the cells of a partition of all answers, shape (rows, cells).
            weights: Sampling weights, shape (rows,).
            truth: Number that an answer in each cell adds to the sums, per sampling weight, shape (cells, sums).
        """
        if not np.isfinite(self.sizes).any():
            return np.zeros((terms.shape[1],) * 2)
        people = self.counts * self.sampled[self.stratum]
        known = (people * weights**2) @ cells
        found: Floats = (terms * people[:, None]).T @ terms - (truth * known[:, None]).T @ truth
        return found


def one_stratum(counts: Floats, size: float | None = None) -> Units:
    """Return the units of responses that are a simple random sample."""
    return Units(counts, np.zeros(len(counts), np.intp), None, np.array([inf if size is None else size]))
