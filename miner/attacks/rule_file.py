"""Read trees from text in the format of scikit-learn's `export_text`, with training counts at the leaves.

    from sklearn.tree import export_text
    text = export_text(tree, feature_names=list(X.columns), show_weights=True, decimals=9, max_depth=999)

The text of a forest consists of the texts of its trees, one after the other. Thresholds are as exact as their decimals
in the text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from collector.errors import ModelError, ResponseError
from collector.survey_file.text_file import LARGEST_MADE, text_of
from miner.attacks.published import Counts, Places, PublishedModel

LINE = re.compile(r"(?P<indent>(?:\|   )*)\|--- (?P<rest>.*)")
SPLIT = re.compile(r"(?P<feature>.+?) (?P<sign><=|> ) ?(?P<threshold>-?[0-9.]+(?:e[+-]?[0-9]+)?)")
LEAF = re.compile(r"weights: \[(?P<weights>[^\]]*)\] class: (?P<label>.*)")
REMEDY = "write it with export_text(tree, feature_names=..., show_weights=True, decimals=9, max_depth=999)"
Condition = tuple[str, bool, float]


@dataclass(frozen=True)
class RuleLeaf:
    """Leaf of a tree that was read from text.

    Attributes:
        conditions: Conditions from the root down, as (feature, whether the feature is at most the threshold,
            threshold).
        weights: Class counts.
        label: Predicted class of the leaf.
    """

    conditions: tuple[Condition, ...]
    weights: tuple[float, ...]
    label: str


def read_rule_file(path: Path) -> PublishedModel:
    """Read trees from a text file.

    Raises:
        InputError: If the file cannot be read as text.
        ModelError: If the text is not in the format of `export_text`. The error message names the file and the line.
    """
    text = text_of(path, "a model", LARGEST_MADE)
    try:
        return published_rules(path.name, list(parse_rules(text)))
    except ModelError as error:
        raise error.within(str(path)) from None


def parse_rules(text: str) -> Iterator[list[RuleLeaf]]:
    """Return the leaves of each tree in a text.

    Raises:
        ModelError: If the text is not in the format of `export_text`. The error message names the line of the text.
    """
    conditions, rules = list[Condition](), list[RuleLeaf]()  # down to where the text stands; of this tree
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        depth, rest = _parts(line, number)
        leaf, split = LEAF.fullmatch(rest), SPLIT.fullmatch(rest)
        if leaf:
            if depth == 0 and rules:
                yield rules
                rules = []
            rules.append(RuleLeaf(tuple(conditions[:depth]), _weights(leaf["weights"], number), leaf["label"]))
        elif split and depth <= len(conditions):
            below = split["sign"] == "<="
            conditions[depth:] = [(split["feature"], below, float(split["threshold"]))]
            if depth == 0 and below and rules:
                yield rules
                rules = []
        else:
            raise ModelError(f"line {number}", "the line is neither a condition nor a leaf with weights", REMEDY)
    if not rules:
        raise ModelError("line 1", "the file contains no tree", REMEDY)
    yield rules


def _parts(line: str, number: int) -> tuple[int, str]:
    found = LINE.fullmatch(line.rstrip())
    if found is None:
        raise ModelError(f"line {number}", "the line does not begin with |---", REMEDY)
    return len(found["indent"]) // len("|   "), found["rest"]


def _weights(text: str, number: int) -> tuple[float, ...]:
    try:
        return tuple(float(each) for each in text.split(","))
    except ValueError:
        raise ModelError(f"line {number}", "the weights of a leaf are not numbers", REMEDY) from None


def published_rules(name: str, trees: Sequence[Sequence[RuleLeaf]]) -> PublishedModel:
    """Return trees that were read from text as a published model.

    A class that no leaf predicts has no name, because the text names only predicted classes.

    Raises:
        ModelError: If leaves have different numbers of weights, or the classes cannot be read.
    """
    lengths = {len(rule.weights) for rules in trees for rule in rules}
    if len(lengths) != 1:
        raise ModelError("rules", "the leaves have different numbers of weights", REMEDY)
    classes = _classes([rule for rules in trees for rule in rules], lengths.pop())
    counts: tuple[Counts, ...] = tuple(np.array([rule.weights for rule in rules]) for rules in trees)

    def land(frame: pd.DataFrame) -> Places:
        return np.array([_land(rules, frame) for rules in trees])

    return PublishedModel(name, classes, None, counts, land)


def _classes(rules: Sequence[RuleLeaf], number: int) -> tuple[str | None, ...]:
    names: dict[int, str] = {}
    for rule in rules:
        place = int(np.argmax(rule.weights))
        if names.setdefault(place, rule.label) != rule.label:
            raise ModelError("rules", "the class of a leaf is not the one with the largest weight", REMEDY)
    return tuple(map(names.get, range(number)))


def _land(rules: Sequence[RuleLeaf], frame: pd.DataFrame) -> Places:
    place = np.full(len(frame), -1, np.intp)
    columns: dict[str, NDArray[np.float64]] = {}
    for number, rule in enumerate(rules):
        inside = np.ones(len(frame), bool)
        for feature, below, threshold in rule.conditions:
            if feature not in columns:
                columns[feature] = _column(frame, feature)
            at_most = columns[feature] <= threshold
            inside &= at_most if below else ~at_most
        place[inside] = number
    return place


def _column(frame: pd.DataFrame, feature: str) -> NDArray[np.float64]:
    """Return a column of a frame, rounded to single precision as in scikit-learn."""
    if feature not in frame.columns:
        raise ResponseError(
            f'column "{feature}"', "the column is missing", "give the columns that the tree splits on, as numbers"
        )
    numbers = pd.to_numeric(frame[feature], errors="coerce").to_numpy(dtype=np.float32)
    if not np.isfinite(numbers).all():
        place = f'row {int((~np.isfinite(numbers)).argmax()) + 1}, column "{feature}"'
        raise ResponseError(
            place, "the cell is not a number", "write a number, as in the table that the tree was fitted to"
        )
    return numbers.astype(np.float64)
