"""Trees grown on tensors of sums are those grown on the copies of every response, in every channel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import numpy as np
import pytest

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.learners.random_trees import RandomTreesClassifier, random_structure
from miner.responses.blocks import Blocks, LocalBlocks, Own, unchanged
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner.steps import watch
from miner.trees import descent, packed_rows, passes, tensors
from miner.trees import grow as growing
from miner.trees.counts import Level
from miner.trees.criteria import Criterion, Faithful, Robust
from miner.trees.grow import grow
from miner.trees.splits import WAYS
from miner.trees.tensors import Tensors
from miner.weights.layout import Disguise

COMPLEMENT, UNIFORM = "complement", "uniform"
PEOPLE = 3000
DESIGNS: dict[str, tuple[dict[str, str], dict[str, tuple[int, str]]]] = {
    "the class alone under a coin": (
        {"a": COMPLEMENT, "b": UNIFORM, "t": UNIFORM},
        {"x": (3, "a"), "y": (2, "a"), "z": (4, "b"), "w": (3, ""), "d": (2, "t")},
    ),
    "the class sharing a coin whose other side is the partner": (
        {"a": COMPLEMENT, "b": UNIFORM, "t": COMPLEMENT},
        {"x": (3, "a"), "y": (2, "b"), "z": (4, "b"), "w": (3, "t"), "v": (3, "t"), "d": (3, "t")},
    ),
    "the class sharing a coin whose other side is drawn": (
        {"a": COMPLEMENT, "b": UNIFORM, "t": UNIFORM},
        {"x": (5, "a"), "y": (2, "b"), "z": (4, "b"), "d": (3, "t"), "w": (3, "t"), "v": (3, "t")},
    ),
    "the class as it is": (
        {"a": COMPLEMENT, "b": UNIFORM},
        {"x": (5, "a"), "y": (2, "b"), "z": (4, "b"), "d": (3, "")},
    ),
}
RULES: list[tuple[Criterion, int | None]] = [(Robust(), None), (Faithful(), 3)]


def survey_of(coins: dict[str, str], questions: dict[str, tuple[int, str]]) -> Survey:
    """Questions by name: how many values, and the coin; none if it is sent as it is."""
    lines = ['name = "t"', 'title = "T"', 'languages = ["en"]', 'mining.target = "d"']
    lines += [f'groups.{name} = {{ truth = "4/5", channel = "{channel}" }}' for name, channel in coins.items()]
    for name, (values, coin) in questions.items():
        words = [f"v{value}" for value in range(values)]
        home = f'group = "{coin}"' if coin else "sensitive = false"
        lines += ["[[questions]]", f'name = "{name}"', 'label = "?"', 'kind = "choice"', f"values = {words}", home]
    return parse_survey("\n".join(lines))


def sent(design: str) -> Responses:
    """By people of a few kinds, each of whom leans one way."""
    survey, rng = survey_of(*DESIGNS[design]), np.random.default_rng(0)
    sizes = [len(question.values) for question in survey.questions]
    shape = PEOPLE, len(sizes)
    leaning = np.where(rng.random(shape) < 0.7, rng.integers(0, 4, (PEOPLE, 1)), rng.integers(0, 4, shape))
    return simulate(survey, (leaning % sizes).astype(np.int16), rng)


@pytest.mark.parametrize("room", [1000, 0], ids=["tensor at the root", "no tensor at all"])
@pytest.mark.parametrize("design", DESIGNS)
def test_the_tree_is_that_of_every_copy_of_every_response(
    design: str, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tensors, "ROOM", room)
    monkeypatch.setattr(tensors, "TOGETHER", 10)  # so that growth goes depth first
    responses = sent(design)
    disguise = Disguise.of(responses.survey, "d")
    for (rules, depth), ways in product(RULES, WAYS.values()):
        every = grow(Level.at_root(responses.survey, responses.codes, "d"), rules, depth, ways)
        summed = Tensors.at_root(disguise, responses)
        found = grow(summed, rules, depth, ways)
        assert len(every) > 5
        assert found.question.tolist() == every.question.tolist()
        assert found.child.tolist() == every.child.tolist()
        np.testing.assert_allclose(found.counts, every.counts, atol=1e-6)
        np.testing.assert_allclose(found.probabilities, every.probabilities, atol=1e-9)


@pytest.mark.parametrize("design", DESIGNS)
def test_the_tree_is_the_same_where_nodes_hold_no_copies_of_their_responses(
    design: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tensors, "ROOM", 0)
    responses = sent(design)
    disguise = Disguise.of(responses.survey, "d")
    held = Tensors.at_root(disguise, responses)
    expected = grow(held, Robust())
    assert held.rows._held.count == 0  # noqa: SLF001 - as no node is left
    monkeypatch.setattr(packed_rows, "MOST_HELD", 0)
    found = grow(Tensors.at_root(disguise, responses), Robust())
    assert found.question.tolist() == expected.question.tolist()
    np.testing.assert_allclose(found.counts, expected.counts, atol=1e-6)


@pytest.mark.parametrize("room", [1000, 0], ids=["tensor at the root", "no tensor at all"])
@pytest.mark.parametrize("design", DESIGNS)
def test_counts_squares_and_spread_of_two_levels_are_those_of_every_copy(
    design: str, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tensors, "ROOM", room)
    responses = sent(design)
    disguise = Disguise.of(responses.survey, "d")
    features = list(disguise.features)
    for asked in features:
        levels: list[Any] = [
            Level.at_root(responses.survey, responses.codes, "d"),
            Tensors.at_root(disguise, responses),
        ]
        child = np.full((1, max(disguise.kinds)), -1, np.int32)
        child[0, : disguise.kinds[asked]] = np.arange(disguise.kinds[asked])
        for nodes in (1, disguise.kinds[asked]):
            every, summed = (level.cells(nodes, features) for level in levels)
            undecided = every.admitted.sum(axis=2) > 1  # where one value is left, a share of it is all of it
            for expected, found in zip(every, summed, strict=True):
                np.testing.assert_allclose(found[undecided], expected[undecided], atol=1e-6)
            levels = [level.descended(np.array([asked], np.int32), child) for level in levels if nodes == 1]


@pytest.mark.parametrize("room", [1000, 1, 0], ids=["tensor at the root", "tensors below", "no tensor but of leaves"])
@pytest.mark.parametrize("design", DESIGNS)
def test_the_leaves_of_a_given_tree_count_every_copy_of_every_response(
    design: str, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tensors, "ROOM", room / 100)
    monkeypatch.setattr(descent, "SMALL", 0)
    responses = sent(design)
    disguise = Disguise.of(responses.survey, "d")
    summed = Tensors.at_root(disguise, responses)
    every = Level.at_root(responses.survey, responses.codes, "d")
    for depth in range(len(responses.survey.questions)):
        tree = random_structure(disguise, depth, np.random.default_rng(depth))
        for found, expected in zip(summed.at_leaves(tree), every.at_leaves(tree), strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-6)


def test_random_trees_of_many_responses_are_counted_without_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensors, "FEW_COINS", 0)
    responses = sent("the class sharing a coin whose other side is drawn")
    few = RandomTreesClassifier(responses.survey, random_state=1).fit(responses.frame)
    monkeypatch.setattr(passes, "PART", 100)
    monkeypatch.delattr(Level, "at_leaves")
    many = RandomTreesClassifier(responses.survey, random_state=1).fit(responses.frame)
    asked = np.random.default_rng(1).integers(0, 2, (50, len(responses.survey.questions))).astype(np.int16)
    np.testing.assert_allclose(many.probabilities(asked), few.probabilities(asked), atol=1e-9)


def test_responses_that_fit_into_memory_are_counted_by_tensors_too_if_they_are_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tensors, "FEW_COINS", 0)
    responses = sent("the class alone under a coin")
    few = ID3Classifier(responses.survey, mode="robust").fit(responses.frame).tree_
    monkeypatch.setattr(passes, "PART", 100)
    monkeypatch.delattr(Level, "cells")
    many = ID3Classifier(responses.survey, mode="robust").fit(responses.frame).tree_
    assert many.question.tolist() == few.question.tolist()


@pytest.mark.parametrize("design", DESIGNS)
def test_a_tree_of_a_forest_is_that_of_every_copy_where_all_tests_are_tried(
    design: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    responses = sent(design)
    asked = np.random.default_rng(1).integers(0, 2, (50, len(responses.survey.questions))).astype(np.int16)
    everything = {"mode": "robust", "n_estimators": 1, "bootstrap": False, "max_features": 1.0, "random_state": 1}
    copies = ForestClassifier(responses.survey, **everything).fit(responses.frame)
    monkeypatch.setattr(tensors, "FEW_COINS", 0)
    monkeypatch.setattr(passes, "PART", 100)
    summed = ForestClassifier(responses.survey, **everything).fit(responses.frame)
    assert len(copies.forest_.test) == len(summed.forest_.test) > 5
    np.testing.assert_allclose(summed.probabilities(asked), copies.probabilities(asked), atol=1e-6)


def test_a_forest_grown_on_sums_is_the_same_on_any_number_of_threads_and_predicts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tensors, "FEW_COINS", 0)
    monkeypatch.setattr(passes, "PART", 100)
    responses = sent("the class alone under a coin")
    one, two = (
        ForestClassifier(responses.survey, mode="robust", n_estimators=4, random_state=3, n_jobs=jobs)
        for jobs in (1, 2)
    )
    assert one.fit(responses.frame).learnt == two.fit(responses.frame).learnt
    restored = ForestClassifier(responses.survey, mode="robust").restored(one.learnt)
    assert restored.learnt == one.learnt
    assert len({tuple(tree["test"]) for tree in one.learnt["forest"]["trees"]}) > 1


def test_a_tree_of_too_many_nodes_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing, "MOST_NODES", 10)
    responses = sent("the class alone under a coin")
    level = Level.at_root(responses.survey, responses.codes, "d")
    with pytest.raises(growing.QueryError, match="it has more than 10 nodes"):
        grow(level, Faithful())


def test_nodes_that_leave_out_the_same_responses_share_them_in_any_order() -> None:
    questions = {"x": (3, ""), "y": (2, ""), "z": (4, "a"), "d": (2, "t")}
    survey = survey_of({"a": UNIFORM, "t": UNIFORM}, questions)
    shape = PEOPLE, 4
    values = (np.random.default_rng(1).integers(0, 12, shape) % [3, 2, 4, 2]).astype(np.int16)
    responses = simulate(survey, values, np.random.default_rng(2))
    rows = Tensors.at_root(Disguise.of(survey, "d"), responses).rows
    x, y, z = (rows.axes.below(rows.root[rows.axes.axis_of[each]], each, (1,)) for each in range(3))
    one = rows.staying(rows.staying(rows.staying(rows.rows, x), z), y)
    other = rows.staying(rows.staying(rows.rows, y), x)
    assert one is other
    assert one.count == len(np.unique(responses.codes[(responses.codes[:, :2] == 1).all(axis=1)], axis=0))
    assert rows.staying(rows.rows, z) is rows.rows  # a coin may have hidden any answer, so that nobody is left out


def test_workers_get_the_passes_of_a_level_before_the_first_is_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensors, "ROOM", 0)
    responses = sent("the class as it is")
    level = Tensors.at_root(Disguise.of(responses.survey, "d"), responses)
    happened: list[str] = []

    class Sending(LocalBlocks[Any]):
        """Blocks that say when a function is sent to them, and when a result is awaited."""

        def results(self, make: Callable[..., Any], *given: object, own: Own = ()) -> Iterator[Any]:
            happened.append(f"{make.__name__} sent")
            return self.awaited(make.__name__, super().results(make, *given, own=own))

        def each(self, make: Callable[..., Any], *given: object, own: Own = ()) -> Blocks[Any]:
            return Sending([*super().results(make, *given, own=own)])

        @staticmethod
        def awaited(name: str, results: Iterator[Any]) -> Iterator[Any]:
            happened.append(f"{name} awaited")
            yield from results

    rows = level.rows.on(Sending(list(level.rows.rows.blocks.results(unchanged))))
    first = Tensors.on(rows)
    features, (x, y) = list(level.disguise.features), (0, 1)
    kinds = level.disguise.kinds
    child = np.full((1, max(kinds)), -1, np.int32)
    child[0, : kinds[x]] = np.arange(kinds[x])
    second = first.descended(np.array([x], np.int32), child)
    below = np.full((kinds[x], max(kinds)), -1, np.int32)
    below[:, : kinds[y]] = np.arange(kinds[x] * kinds[y]).reshape(-1, kinds[y])
    third = second.descended(np.full(kinds[x], y, np.int32), below)
    assert [*third.portions()] == [(0, kinds[x] * kinds[y])]
    happened.clear()
    third.cells(kinds[x] * kinds[y], features)
    sums = [each for each in happened if each.startswith("summed")]
    assert sums == ["summed sent"] * kinds[x] + ["summed awaited"] * kinds[x]


def test_a_terminal_shows_the_deepest_level_that_a_tree_has_reached() -> None:
    responses, shown = sent("the class alone under a coin"), list[str]()

    @contextmanager
    def watching(doing: str, total: int | None) -> Iterator[Callable[[], None]]:
        del total
        shown.append(doing)
        yield lambda: None
        shown.append("-")

    token = watch.set(watching)
    try:
        disguise = Disguise.of(responses.survey, "d")
        tree = grow(Tensors.at_root(disguise, responses), Robust())
    finally:
        watch.reset(token)
    levels = [f"growing a tree, level {depth + 1}" for depth in range(tree.depth + 1)]
    assert shown[::2] == levels
    assert set(shown[1::2]) == {"-"}
