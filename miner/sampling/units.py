"""The variance of a total that is due to the sample and to the coins together, by strata and clusters.

The total of a stratum is a sum over its clusters, which are taken for drawn with replacement: the variance is n times
that of the clusters' totals (the ultimate clusters of Hansen, Hurwitz & Madow 1953). The totals are those of signed
weights, so that they vary by sample and coins alike, and the estimate has both.

Where a share f of a stratum's clusters is in the sample, the sample's part is 1 - f times as large, and the coins'
part is not. The variance between totals, times 1 - f, has 1 - f of the coins' part; f of it is added. The coins' part
is known without a model: a term u that estimates y has the variance E[u^2] - y^2, and y^2 is estimated like any answer.
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
        counts: Shape (rows,): number of responses that are alike, in everything.
        stratum: Shape (rows,): from 0.
        cluster: Shape (rows,): the cluster, numbered from 0 within a stratum or through all; None if each response is a
            cluster.
        sizes: Shape (strata,): number of clusters in the population; infinite for no correction.
        names: Names of the strata, for errors.

    Raises:
        QueryError: If a stratum has one cluster, but for one whose only cluster was drawn; or has more than its
            population.
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
        """The cluster of each row, from 0 through all strata; and the stratum of each cluster."""
        if self.cluster is None:
            return np.arange(len(self.counts)), self.stratum
        pairs, which = np.unique(np.stack([self.stratum, self.cluster], axis=1), axis=0, return_inverse=True)
        return which.ravel(), pairs[:, 0]

    @cached_property
    def number(self) -> Floats:
        """Shape (strata,): clusters in the sample."""
        if self.cluster is None:
            return np.bincount(self.stratum, self.counts, len(self.sizes)).astype(np.float64)
        return np.bincount(self._clusters[1], minlength=len(self.sizes)).astype(np.float64)

    @property
    def freedom(self) -> int:
        """Degrees of freedom of a variance: clusters less strata."""
        return round(float((self.number - 1)[self.number > 0].sum()))

    @property
    def sampled(self) -> Floats:
        """Shape (strata,): the share of the population's clusters that is in the sample."""
        return self.number / self.sizes

    def covariance(self, terms: Floats) -> Floats:
        """Covariance of the sums over responses of some terms; with a correction less the coins' part that it removes.

        Args:
            terms: Shape (rows, sums): the terms of one response, its sampling weight in them.
        """
        gaps, times, _ = self._gaps(terms)
        found: Floats = (gaps * times[:, None]).T @ gaps
        return found

    def freedom_of(self, terms: Floats) -> float:
        """Degrees of freedom of the variance of a sum (Satterthwaite 1946).

        They are `freedom` where all strata contribute alike, and those of one stratum where it has all the variance.

        Args:
            terms: Shape (rows,): as for `covariance`.
        """
        gaps, times, home = self._gaps(terms[:, None])
        parts = np.bincount(home, times * gaps[:, 0] ** 2, len(self.sizes))
        left = np.maximum(self.number - 1, 1)
        below = float((parts**2 / left).sum())
        return float(parts.sum() ** 2 / below) if below > 0 else float(self.freedom)

    def _gaps(self, terms: Floats) -> tuple[Floats, Floats, Indices]:
        """Distances of clusters' totals from their means, shape (clusters, sums); their factors, and their strata."""
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
        """The part of the coins' covariance that a correction has removed, and that is to be added again.

        Args:
            terms: As for `covariance`: the weights times cells times truth.
            cells: Shape (rows, cells): the signed weights of one response for the cells of a partition of all answers.
            weights: Shape (rows,): sampling weights.
            truth: Shape (cells, sums): what an answer in each cell adds to the sums, per sampling weight.
        """
        if not np.isfinite(self.sizes).any():
            return np.zeros((terms.shape[1],) * 2)
        people = self.counts * self.sampled[self.stratum]
        known = (people * weights**2) @ cells
        found: Floats = (terms * people[:, None]).T @ terms - (truth * known[:, None]).T @ truth
        return found


def one_stratum(counts: Floats, size: float | None = None) -> Units:
    """Units of responses that are a simple sample."""
    return Units(counts, np.zeros(len(counts), np.intp), None, np.array([inf if size is None else size]))
