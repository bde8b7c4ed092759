"""An independent ID3 (Quinlan 1986) on plain answers, by recursion and in plain Python: what MRR ID3 must equal.

A tree is a label, or a pair: a column and a dictionary from each of its values to a tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log2
from typing import Any

Row = Sequence[int]
ROUNDING = 1e-10  # gains closer than this are equal


def grow(
    rows: Sequence[Row], kinds: Sequence[int], target: int, parent: int = 0, left: frozenset[int] | None = None
) -> Any:  # noqa: ANN401 - a label or a pair
    """Grow a tree.

    Args:
        rows: Values as numbers from 0, a column for each question.
        kinds: How many values each column has.
        target: The class column.
        parent: What to predict where no row is left.
        left: Columns that may still be asked; all but the target if None.
    """
    if left is None:
        left = frozenset(range(len(kinds))) - {target}
    classes = Counter(row[target] for row in rows)
    label = min(classes, key=lambda each: (-classes[each], each)) if rows else parent
    gains = {column: gain(rows, column, target) for column in sorted(left)}
    highest = max(gains.values(), default=0.0)
    if highest <= ROUNDING:
        return label
    best = next(column for column, each in gains.items() if each >= highest - ROUNDING)
    parts: dict[int, list[Row]] = {value: [] for value in range(kinds[best])}
    for row in rows:
        parts[row[best]].append(row)
    return best, {value: grow(part, kinds, target, label, left - {best}) for value, part in parts.items()}


def gain(rows: Sequence[Row], column: int, target: int) -> float:
    """Information gain in bits."""
    together = Counter((row[column], row[target]) for row in rows)
    parts = Counter(row[column] for row in rows)
    after = sum(
        parts[value] / len(rows) * entropy([n for (v, _), n in together.items() if v == value]) for value in parts
    )
    return entropy(list(Counter(row[target] for row in rows).values())) - after


def entropy(counts: Sequence[int]) -> float:
    """Entropy of these counts, in bits."""
    return -sum(count / sum(counts) * log2(count / sum(counts)) for count in counts)


def predict(tree: Any, row: Row) -> int:  # noqa: ANN401 - a label or a pair
    """The label a row comes to."""
    while isinstance(tree, tuple):
        column, branches = tree
        tree = branches[row[column]]
    return int(tree)
