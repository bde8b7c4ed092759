"""Binary splits: the best there is where nobody lies; below noise no more often made than they should be."""

from __future__ import annotations

from itertools import combinations
from math import pi

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.learners.id3 import ID3Classifier
from miner.responses.responses import Values
from miner.simulation.simulation import simulate
from miner.trees.counts import Level
from miner.trees.criteria import Faithful, Robust, entropy, normalised
from miner.trees.grow import grow
from miner.trees.splits import LUCK, WAYS, Binary, Nodes
from miner.trees.tree import LEAF, Tree
from small_surveys import survey_of

SCALE = 'kind = "scale"\nvalues = ["a", "b", "c", "d"]'
CHOICE = 'kind = "choice"\nvalues = ["a", "b", "c", "d", "e"]'
THREE = 'kind = "choice"\nvalues = ["a", "b", "c"]'
YES_NO = 'kind = "yes_no"'
BINARY = WAYS["binary"]


def survey_with(target: str, truth: str = "1", channel: str = "complement") -> Survey:
    how = f'truth = "{truth}", channel = "{channel}"'
    return survey_of((SCALE, "a", how), (CHOICE, "b", how), (YES_NO, "a", how), (target, "c", how))


def values_for(count: int, seed: int, classes: int) -> Values:
    """The class follows whether the scale is high and the choice in (b, d), or which, two times in three."""
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.integers(0, kinds, count) for kinds in (4, 5, 2, classes)])
    told = rng.random(count) < 2 / 3
    follows = (values[:, 0] > 1).astype(int) + np.isin(values[:, 1], [1, 3])
    values[told, 3] = follows[told] % classes
    return values.astype(np.int16)


def gain(values: Values, rows: NDArray[np.intp], passes: NDArray[np.bool_], classes: int) -> float:
    """Information gain of cutting rows in two."""
    parts = [np.bincount(values[some, 3], minlength=classes) for some in (rows[passes], rows[~passes])]
    after = sum(part.sum() / len(rows) * entropy(normalised(part.astype(float))) for part in parts)
    return float(entropy(normalised(np.sum(parts, axis=0).astype(float))) - after)


def every_cut(question: int, kinds: int, classes: int) -> list[set[int]]:
    """All that may pass: thresholds, single values, or for two classes all subsets."""
    if question == 0:
        return [set(range(value)) for value in range(1, kinds)]
    if classes > 2:
        return [{value} for value in range(kinds)]
    return [set(some) for size in range(1, kinds) for some in combinations(range(kinds), size)]


@pytest.mark.parametrize("classes", [2, 3])
def test_where_nobody_lies_every_split_is_the_best_of_all_there_are(classes: int) -> None:
    survey = survey_with(YES_NO if classes == 2 else THREE)
    values = values_for(500, classes, classes)
    sent = simulate(survey, values, np.random.default_rng(1))
    tree = grow(Level.at_root(survey, sent.codes, "q3"), Faithful(), splits=BINARY)
    children, asked_twice, splits = tree.children(), False, 0
    for node, event, _ in tree.walk():
        inside = np.all([np.isin(values[:, key], list(wanted)) for key, wanted in event.items()], axis=0)
        rows = np.flatnonzero(inside) if event else np.arange(len(values))
        gains = [
            gain(values, rows, np.isin(values[rows, question], list(cut)), classes)
            for question, kinds in enumerate((4, 5, 2))
            for cut in every_cut(question, kinds, classes)
        ]
        best = max(gains)
        if tree.question[node] == LEAF:
            assert best < 1e-9
            continue
        question, splits = int(tree.question[node]), splits + 1
        asked_twice |= question in event
        kids = np.array(children[node])
        assert len(set(children[node])) == 2
        found = gain(values, rows, kids[values[rows, question]] == kids[0], classes)
        assert found == pytest.approx(best, abs=1e-9)
    assert splits > 20
    assert asked_twice
    assert tree.counts.sum(axis=1)[0] == pytest.approx(500)


def test_a_threshold_and_a_subset_are_found_behind_the_disguise() -> None:
    survey, values = survey_with(YES_NO, "4/5"), values_for(6000, 5, 2)
    values[:, 3] = np.isin(values[:, 1], [1, 3])
    level = Level.at_root(survey, simulate(survey, values, np.random.default_rng(2)).codes, "q3")
    assert grow(level, Robust(), 1, BINARY).rules(survey, "q3") == [
        "q1 in (a, c, e) -> q3 = yes",
        "q1 in (b, d) -> q3 = no",
    ]
    values[:, 3] = values[:, 0] > 1
    level = Level.at_root(survey, simulate(survey, values, np.random.default_rng(3)).codes, "q3")
    tree = grow(level, Robust(), 1, BINARY)
    assert tree.rules(survey, "q3")[0].startswith("q0 < c")
    assert Tree.from_json(tree.to_json(), survey, "q3").rules(survey, "q3") == tree.rules(survey, "q3")


@pytest.mark.parametrize(("low", "wanted"), [({0, 1}, "q0 < c"), ({0, 1, 4}, "q0 in (a, b, prefer_not_to_say)")])
def test_values_beside_a_scale_go_with_either_side_of_its_thresholds(low: set[int], wanted: str) -> None:
    survey = survey_of((f"{SCALE}\ndecline = true", "a", 'truth = "4/5"'), (YES_NO, "b", 'truth = "4/5"'))
    rng = np.random.default_rng(8)
    first = rng.integers(0, 5, 6000)
    values = np.column_stack([first, np.isin(first, list(low))]).astype(np.int16)
    level = Level.at_root(survey, simulate(survey, values, rng).codes, "q1")
    rules = grow(level, Robust(), 1, BINARY).rules(survey, "q1")
    assert f"{wanted} -> q1 = no" in rules


@pytest.mark.parametrize("channel", ["complement", "uniform"])
def test_children_of_a_binary_tree_add_up_to_their_parents(channel: str) -> None:
    survey, values = survey_with(YES_NO, "3/4", channel), values_for(300, 7, 2)
    level = Level.at_root(survey, simulate(survey, values, np.random.default_rng(4)).codes, "q3")
    tree = grow(level, Faithful(), splits=BINARY)
    assert any(question in event for node, event, _ in tree.walk() if (question := int(tree.question[node])) >= 0)
    for node, children in enumerate(tree.children()):
        if children:
            assert tree.counts[sorted(set(children))].sum(axis=0) == pytest.approx(tree.counts[node])
    landed = level.landed(tree)
    assert tree.summed(landed.totals(len(tree))) == pytest.approx(tree.counts)


def scores_of_noise(what: str, classes: int, kappa: float, seed: int) -> NDArray[np.float64]:
    """Scores of one question of ten values that say nothing, at 1,500 roots of 1,000 plain rows."""
    survey = survey_of((what, "a", 'truth = "1"'), (YES_NO if classes == 2 else THREE, "a", 'truth = "1"'))
    rng, nodes = np.random.default_rng(seed), 1500
    counts = rng.multinomial(1000, np.full(10 * classes, 0.1 / classes), size=nodes).reshape(nodes, 10, classes)
    level = Level.of_plain(survey, np.zeros((1, 2), np.int16), "q1", np.ones(1))
    cells = level.cells(1, [0])._replace(
        counts=counts[:, None].astype(float),
        squares=counts[:, None].astype(float),
        spread=np.zeros((nodes, 1, classes)),
        admitted=np.ones((nodes, 1, 10), bool),
    )
    totals = counts.sum(axis=1).astype(float)
    some = Nodes(cells, totals, normalised(totals), 1000)
    return Binary().judged(some, [0], level.disguise, Robust(kappa=kappa)).scores[:, 0]


@pytest.mark.statistical
@pytest.mark.parametrize(("kind", "expected"), [("choice", 20 / pi), ("scale", 1 + LUCK * np.log(9))])
def test_so_much_noise_is_taken_off_as_the_search_picks_up(kind: str, expected: float) -> None:
    # Seeded. The mean of 1,500 is known to 2 %, the formulas hold to 5 %: beyond 12 % a fresh seed fails 1 in 1,000.
    what = f'kind = "{kind}"\nvalues = {list("abcdefghij")}'.replace("'", '"')
    gained, left = scores_of_noise(what, 2, 0.0, 1), scores_of_noise(what, 2, 1.0, 1)
    taken = (gained - left).mean()
    assert gained.mean() == pytest.approx(taken, rel=0.12)
    assert taken / expected == pytest.approx(0.5, rel=0.05)  # the gain of one split is 2 p (1 - p) = 1/2


@pytest.mark.statistical
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", ["choice", "scale"])
def test_robust_growth_hardly_ever_splits_noise(kind: str, classes: int) -> None:
    # Seeded. 1,500 looks, of which 5 % may split; seen are under 2 %: a fresh seed fails less than once in 10^9.
    what = f'kind = "{kind}"\nvalues = {list("abcdefghij")}'.replace("'", '"')
    assert (scores_of_noise(what, classes, 4.0, 2) > 0).mean() < 0.05


def test_no_other_way_to_split_is_known() -> None:
    survey = survey_with(YES_NO)
    frame = simulate(survey, values_for(40, 1, 2), np.random.default_rng(1)).frame
    with pytest.raises(QueryError, match="multiway, binary"):
        ID3Classifier(survey, "q3", splits="ternary").fit(frame)


def test_a_search_may_choose_among_splits_and_prunings() -> None:
    survey = survey_with(YES_NO, "9/10")
    frame = simulate(survey, values_for(600, 2, 2), np.random.default_rng(2)).frame
    grid = {"splits": list(WAYS), "prune_share": [None, 0.25]}
    search = GridSearchCV(ID3Classifier(survey, "q3", mode="faithful", random_state=1), grid, cv=2, error_score="raise")
    search.fit(frame.drop(columns="q3"), frame["q3"])
    assert len(set(search.cv_results_["mean_test_score"])) > 1
    assert search.best_params_["splits"] in WAYS
