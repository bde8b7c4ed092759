"""Greedy growth: at theta = 1 it is plain ID3; with noise the robust rules stop earlier."""

from __future__ import annotations

from collections import Counter
from math import log2
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from collector.errors import QueryError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.simulation.simulation import simulate
from miner.trees.counts import Level
from miner.trees.criteria import Faithful, Robust, entropy, normalised
from miner.trees.grow import grow
from miner.trees.tree import Tree

QUESTIONS = """
name = "plain"
title = "Plain"
languages = ["en"]
groups.all = { truth = "%s" }
mining.target = "d"
[[questions]]
name = "a"
label = "A"
kind = "scale"
values = ["x", "y", "z"]
group = "all"
[[questions]]
name = "b"
label = "B"
kind = "yes_no"
group = "all"
[[questions]]
name = "c"
label = "C"
kind = "scale"
values = ["x", "y", "z", "u", "v"]
group = "all"
[[questions]]
name = "d"
label = "D"
kind = "scale"
values = ["p", "q", "r"]
sensitive = false
"""


def plain_id3(values: NDArray[np.int16], rows: NDArray[np.intp], open_: list[int], parent: int) -> Any:  # noqa: ANN401
    """Quinlan's ID3 by the book: a label, or a question and its subtrees."""
    tally = Counter(values[rows, 3].tolist())
    label = max(range(3), key=lambda cls: (tally[cls], -cls)) if tally else parent

    def bits(some: NDArray[np.intp]) -> float:
        shares = [count / len(some) for count in Counter(values[some, 3].tolist()).values()]
        return -sum(share * log2(share) for share in shares)

    gains = []
    for question in open_:
        parts = [rows[values[rows, question] == value] for value in range((3, 2, 5)[question])]
        gains.append(bits(rows) - sum(len(part) / len(rows) * bits(part) for part in parts) if len(rows) else 0.0)
    if not gains or max(gains) < 1e-12:
        return label
    best = next(q for q, gain in zip(open_, gains, strict=True) if gain > max(gains) - 1e-12)
    rest = [question for question in open_ if question != best]
    kinds = (3, 2, 5)[best]
    return best, [plain_id3(values, rows[values[rows, best] == value], rest, label) for value in range(kinds)]


def nested(tree: Tree, node: int = 0) -> Any:  # noqa: ANN401
    if tree.question[node] < 0:
        return int(tree.label[node])
    return int(tree.question[node]), [nested(tree, child) for child in tree.children()[node]]


def some_values(generator: np.random.Generator, count: int) -> NDArray[np.int16]:
    values = np.column_stack([generator.integers(0, kinds, count) for kinds in (3, 2, 5, 3)])
    copied = generator.random(count) < 0.5
    values[copied, 3] = (values[copied, 0] + values[copied, 1]) % 3
    return values.astype(np.int16)


@pytest.mark.parametrize("truth", ["1", "0"])
@pytest.mark.parametrize("count", [1, 2, 30, 400])
def test_without_a_lie_the_tree_is_plain_id3(truth: str, count: int) -> None:
    generator = np.random.default_rng(count)
    survey, values = parse_survey(QUESTIONS % truth), some_values(generator, count)
    responses = simulate(survey, values, generator)
    tree = grow(Level.at_root(survey, responses.codes, "d"), Faithful())
    assert nested(tree) == plain_id3(values, np.arange(count), [0, 1, 2], 0)


def test_plain_rows_give_the_same_tree_as_undisguised_responses() -> None:
    generator = np.random.default_rng(1)
    survey, values = parse_survey(QUESTIONS % "3/4"), some_values(generator, 200)
    tree = grow(Level.of_plain(survey, values, "d", np.ones(200)), Faithful())
    assert nested(tree) == plain_id3(values, np.arange(200), [0, 1, 2], 0)


def test_wide_levels_counted_in_parts_give_the_same_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(2)
    survey = parse_survey(QUESTIONS % "4/5")
    level = Level.at_root(survey, simulate(survey, some_values(generator, 500), generator).codes, "d")
    whole = grow(level, Faithful()).to_json()
    monkeypatch.setattr("miner.trees.grow.MOST_CELLS", 100)
    assert grow(level, Faithful()).to_json() == whole


def test_depth_is_limited() -> None:
    generator = np.random.default_rng(3)
    survey = parse_survey(QUESTIONS % "1")
    level = Level.at_root(survey, simulate(survey, some_values(generator, 500), generator).codes, "d")
    assert [grow(level, Faithful(), depth).depth for depth in (0, 1, 2, None)] == [0, 1, 2, 3]


def test_robust_growth_asks_nothing_of_pure_noise_and_the_faithful_does() -> None:
    generator = np.random.default_rng(4)
    survey = parse_survey(QUESTIONS % "3/4")
    values = np.column_stack([generator.integers(0, kinds, 2000) for kinds in (3, 2, 5, 3)]).astype(np.int16)
    level = Level.at_root(survey, simulate(survey, values, generator).codes, "d")
    assert len(grow(level, Robust(kappa=9))) == 1
    assert len(grow(level, Faithful())) > 20


def test_every_node_predicts_a_distribution(wellbeing: Survey) -> None:
    generator = np.random.default_rng(5)
    values = np.column_stack([generator.integers(0, len(q.values), 300) for q in wellbeing.questions])
    level = Level.at_root(wellbeing, simulate(wellbeing, values.astype(np.int16), generator).codes, "distress")
    for criterion in (Faithful(), Robust()):
        tree = grow(level, criterion)
        assert tree.probabilities.sum(axis=1) == pytest.approx(np.ones(len(tree)))
        assert tree.probabilities.min() >= 0


def test_the_corrected_gini_gain_of_two_children_is_the_formula() -> None:
    cells = np.array([[30.0, 10.0], [20.0, 40.0]])
    squares = np.array([[50.0, 30.0], [45.0, 60.0]])
    size, share = cells.sum(axis=1), cells[:, 1] / cells.sum(axis=1)
    variance = (squares[:, 1] * (1 - share) ** 2 + squares[:, 0] * share**2) / size**2
    expected = 2 * size.prod() / size.sum() * ((share[1] - share[0]) ** 2 - 4 * variance.sum())
    assert Robust().scores(cells[None, None], squares[None, None], cells[None], 100)[0, 0] == pytest.approx(expected)


def test_entropy_is_in_bits() -> None:
    assert entropy(np.array([[0.5, 0.5], [1.0, 0.0], [0.0, 0.0]])).tolist() == [1.0, 0.0, 0.0]
    assert normalised(np.array([[1.0, 3.0], [0.0, 0.0]])).tolist() == [[0.25, 0.75], [0.0, 0.0]]


def test_a_tree_that_stops_nowhere_is_refused_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    names = "abcdefgh"
    text = 'name = "coins"\ntitle = "Coins"\nlanguages = ["en"]\nmining.target = "h"\n'
    text += "".join(f'groups.g{name} = {{ truth = "9/10", channel = "uniform" }}\n' for name in names)
    text += "".join(
        f'[[questions]]\nname = "{name}"\nlabel = "?"\nkind = "yes_no"\ngroup = "g{name}"\n' for name in names
    )
    survey = parse_survey(text)
    rng = np.random.default_rng(1)
    sent = simulate(survey, rng.integers(2, size=(500, len(names))), rng)
    level = Level.at_root(survey, sent.codes, "h")
    # Of each response its own copy and one for each side, for every question asked and the class.
    monkeypatch.setattr("miner.trees.counts.MOST_ENTRIES", 500 * 3**8)
    assert len(grow(level, Faithful()).leaves()) > 2**5
    monkeypatch.setattr("miner.trees.counts.MOST_ENTRIES", 500 * 3**4)
    with pytest.raises(QueryError, match=r"tree: .* 40,500 copies"):
        grow(level, Faithful())
    assert len(grow(level, Faithful(), max_depth=2).leaves()) == 2**2
