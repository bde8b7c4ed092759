"""Complements of a group in several latent classes at once, and what each gains in likelihood.

Near theta = 1/2 the complement of a cell explains the responses almost as well as the cell, and where margins are near
even, so do the complements of a cell in some classes and not in others. Each is a local maximum, or leads to one.
`miner.behind.mixture.fit` climbs from those that leave the likelihood highest. The gains of all need one pass.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from miner.arrays import Floats
from miner.behind.kernels import LOG_NEVER, logarithms
from miner.behind.mixture.em import LOG_RARE
from miner.behind.mixture.kernels import response_posteriors
from miner.behind.mixture.mixture import Mixture
from miner.behind.patterns import Layout, Patterns


class Turn(NamedTuple):
    """A cell complemented in some classes.

    Attributes:
        cell: Position of the cell in the layout.
        classes: The latent classes.
        gain: Immediate gain in log-likelihood, in nats; exact.
    """

    cell: int
    classes: tuple[int, ...]
    gain: float

    def of(self, mixture: Mixture, layout: Layout) -> Mixture:
        """The mixture after the turn."""
        table, other = mixture.table.copy(), complemented_table(mixture, layout)
        for column in layout.cells[self.cell].columns:
            places = slice(*layout.places[column : column + 2])
            table[places, self.classes] = other[places, self.classes]
        return Mixture(mixture.survey, mixture.weights, table)


def turnable(layout: Layout) -> list[int]:
    """Positions of the cells that can be turned.

    Not one whose replacement is no complement; nor of a single question, where EM needs no help; nor of questions of
    which a state has some values only: a complement would contradict the class's other answers.
    """
    return [
        number
        for number, cell in enumerate(layout.cells)
        if layout.free[list(cell.columns)].all() and not cell.drawn and len(cell.columns) > 1
    ]


def turns_of(mixture: Mixture, patterns: Patterns) -> list[Turn]:
    """Turns of each cell in each class, in each pair of classes and in all; the largest immediate gain first."""
    layout, (kinds, times) = patterns.layout, patterns.distinct
    cells = turnable(layout)
    if not cells:
        return []
    likelihood, _ = mixture.pattern_likelihoods(patterns)
    _, posterior = response_posteriors(kinds, likelihood, logarithms(mixture.weights))
    other = Mixture(mixture.survey, mixture.weights, complemented_table(mixture, layout))
    apart = other.pattern_likelihoods(patterns)[0] - likelihood
    ratio = np.exp(np.minimum(apart, -LOG_NEVER))  # of what a class never has, beyond what a number holds
    found = []
    for number in cells:
        change = posterior * (ratio[kinds[:, number]] - 1)
        for classes in _sets(mixture.classes):
            gain = times @ logarithms(1 + change[:, classes].sum(axis=1))
            found.append(Turn(number, classes, float(gain)))
    return sorted(found, key=lambda turn: -turn.gain)


def _sets(count: int) -> list[tuple[int, ...]]:
    single, whole = [(each,) for each in range(count)], tuple(range(count))
    return [*single, *combinations(whole, 2), *([whole] if count > 2 else [])]


def complemented_table(mixture: Mixture, layout: Layout) -> Floats:
    """P(value of the complement of the true code | class), as near as the published draws allow."""
    codes = np.exp(mixture.log_codes(layout))
    table = np.full_like(mixture.table, np.exp(LOG_RARE))
    paired = (layout.slot_partner >= 0) & (layout.slot_place >= 0)
    np.add.at(table, layout.slot_place[paired], codes[layout.slot_partner[paired]])
    return Mixture.normalised(layout.survey, mixture.weights, table).table
