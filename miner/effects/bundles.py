"""Sum the effects of several terms of a model in one look-up table, so that fewer look-ups are needed."""

from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy import sparse  # type: ignore[import-untyped] # it brings no types

from miner.arrays import Floats
from miner.effects.terms import Term, Terms
from miner.responses.responses import Values

MOST_CELLS = 64  # largest number of cells of a table of several terms; all tables together fit into the cache


class Bundles:
    """Look-up tables of a model, each of which sums the effects of one or more terms (questions or pairs).

    A question with unknown values shares its look-up table with no other question.

    Attributes:
        tables: Questions of each look-up table.
        spread: Matrix with 1 where a cell's sum contains an effect and 0 elsewhere, shape (cells + 1, effects). The
            last row of the matrix belongs to unknown values.
    """

    def __init__(self, terms: Terms, values: Values) -> None:
        sizes = [len(question.values) for question in terms.survey.questions]
        known = {column for term in terms.terms for column in term if (values[:, column] >= 0).all()}
        self.tables = Terms(terms.survey, _tables(terms.terms, sizes, known), ())
        homes = [_home(term, self.tables.terms, known) for term in terms.terms]
        cells, effects = [np.zeros(0, np.intp)], [np.zeros(0, np.intp)]
        for number, (term, home) in enumerate(zip(terms.terms, homes, strict=True)):
            table = self.tables.terms[home]
            every = np.array([*product(*(range(sizes[column]) for column in table))])
            place = np.ravel_multi_index(
                tuple(every[:, table.index(column)] for column in term), [sizes[column] for column in term]
            )
            cells.append(self.tables.starts[home] + np.arange(len(every)))
            effects.append(terms.starts[number] + place)
        where = np.concatenate(cells), np.concatenate(effects)
        shape = int(self.tables.starts[-1]) + 1, int(terms.starts[-1])
        self.spread = sparse.csr_matrix((np.ones(len(where[0])), where), shape)

    def places(self, values: Values) -> NDArray[np.int32]:
        """Return the cell of each look-up table that a row of values belongs to, shape (rows, tables).

        Rows with an unknown value use the last cell of a look-up table.
        """
        return self.tables.places(values)

    def sums(self, effects: Floats) -> Floats:
        """Return the sum of the effects in each cell, shape (cells + 1, classes)."""
        return np.asarray(self.spread @ effects)

    def along(self, cells: Floats) -> Floats:
        """Sum, for each effect, the numbers in all cells whose sums contain the effect, shape (effects, numbers)."""
        return np.asarray(self.spread.T @ cells)


def _tables(terms: tuple[Term, ...], sizes: list[int], known: set[int]) -> tuple[Term, ...]:
    """Return the questions of each look-up table."""
    found = [term for term in terms if not known.issuperset(term)]
    bundled: list[Term] = []
    for term in sorted((term for term in terms if known.issuperset(term)), key=len, reverse=True):
        for number, table in enumerate(bundled):
            whole = tuple(dict.fromkeys((*table, *term)))
            if whole == table or prod(sizes[column] for column in whole) <= MOST_CELLS:
                bundled[number] = whole
                break
        else:
            bundled.append(term)
    return (*found, *bundled)


def _home(term: Term, tables: tuple[Term, ...], known: set[int]) -> int:
    """Return the position of the look-up table that contains a term (a question or a pair of questions)."""
    if not known.issuperset(term):
        return tables.index(term)
    return next(n for n, table in enumerate(tables) if known.issuperset(table) and set(term) <= {*table})
