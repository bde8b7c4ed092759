"""Disguised responses and plain rows together: the weighted combination of both, and unbiased."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

from collector.errors import QueryError, ResponseError
from collector.survey.survey import Survey
from miner.behind.mixture.fit import grown_mixtures
from miner.behind.patterns import Patterns
from miner.estimates.estimate import estimate
from miner.estimates.hybrid import hybrid_estimate
from miner.learners.classifier import DisguisedClassifier
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.learners.random_trees import RandomTreesClassifier
from miner.responses.condition import event_of, parse_condition
from miner.responses.plain_rows import PlainRows, stacked
from miner.responses.responses import Data, Responses, Values
from miner.simulation.simulation import coded, disguised, simulate
from miner.trees.counts import Level
from miner.trees.criteria import Faithful, Robust
from miner.trees.grow import grow
from small_surveys import mixed_survey, survey_of
from soak import likely, part_of

CONDITION = "drug in (one, many) and distress = yes and year = first"


def values_for(survey: Survey, count: int, seed: int) -> Values:
    rng = np.random.default_rng(seed)
    common = rng.random(count) < 0.5
    columns = [
        np.where(rng.random(count) < 0.5, common % len(q.values), rng.integers(len(q.values), size=count))
        for q in survey.questions
    ]
    return np.stack(columns, axis=1).astype(np.int16)


def share(survey: Survey, values: Values, weights: np.ndarray) -> float:
    """The weighted share of rows for which the condition holds."""
    admitted = parse_condition(survey, CONDITION)
    names = [question.name for question in survey.questions]
    holds = np.all([np.isin(values[:, names.index(name)], list(each)) for name, each in admitted.items()], axis=0)
    return float((weights * holds).sum() / weights.sum())


@pytest.fixture(scope="module")
def strata() -> tuple[Survey, Responses, PlainRows]:
    survey = mixed_survey()
    sent = simulate(survey, values_for(survey, 400, 1), np.random.default_rng(1))
    weights = np.random.default_rng(2).uniform(0.5, 3, 150)
    return survey, sent, PlainRows(survey, values_for(survey, 150, 2), weights)


def test_an_estimate_is_the_weighted_combination(strata: tuple[Survey, Responses, PlainRows]) -> None:
    survey, sent, plain = strata
    admitted = parse_condition(survey, CONDITION)
    alone = estimate(sent, event_of(survey, admitted))
    found = hybrid_estimate(sent, plain, admitted)
    total = 400 + plain.weights.sum()
    expected = (400 * alone.estimate + plain.weights.sum() * share(survey, plain.values, plain.weights)) / total
    assert found.estimate == pytest.approx(expected, abs=1e-12)
    assert alone.standard_error is not None
    assert found.standard_error is not None
    assert found.standard_error < alone.standard_error
    assert found.n == 550


def test_counts_are_those_of_the_responses_plus_those_of_the_rows(
    strata: tuple[Survey, Responses, PlainRows],
) -> None:
    survey, sent, plain = strata
    both = Level.at_root(survey, sent.codes, "distress", plain)
    first = Level.at_root(survey, sent.codes, "distress")
    second = Level.of_plain(survey, plain.values, "distress", plain.weights)
    cells = [level.cells(1, [0, 1, 2, 3]) for level in (first, second, both)]
    for name in ("counts", "squares", "spread"):
        one, other, together = (getattr(each, name) for each in cells)
        assert together == pytest.approx(one + other, abs=1e-9)
    assert both.totals(1) == pytest.approx(first.totals(1) + second.totals(1))
    assert both.responses == round(400 + plain.weights.sum())


def test_nodes_of_a_tree_count_both_exactly(strata: tuple[Survey, Responses, PlainRows]) -> None:
    survey, sent, plain = strata
    tree = grow(Level.at_root(survey, sent.codes, "distress", plain), Faithful(), max_depth=2)
    assert len(tree) > 3
    for node, event, _ in tree.walk():
        for label, value in enumerate(("yes", "no")):
            condition = {survey.questions[question].name: wanted for question, wanted in event.items()}
            condition["distress"] = frozenset({survey.question("distress").value_index(value)})
            total = 400 + plain.weights.sum()
            assert tree.counts[node, label] == pytest.approx(hybrid_estimate(sent, plain, condition).estimate * total)


@pytest.mark.parametrize("criterion", [Faithful(), Robust()])
def test_where_nobody_lies_the_strata_are_one_table(criterion: Faithful | Robust) -> None:
    how = 'truth = "1"'
    kind = 'kind = "choice"\nvalues = ["a", "b", "c"]'
    survey = survey_of((kind, "a", how), (kind, "b", how), ('kind = "yes_no"', "b", how))
    values = values_for(survey, 600, 3)
    sent = simulate(survey, values[:350], np.random.default_rng(3))
    plain = PlainRows(survey, values[350:], np.ones(250))
    whole = grow(Level.of_plain(survey, values, "q2", np.ones(600)), criterion)
    assert len(whole) > 3
    assert grow(Level.at_root(survey, sent.codes, "q2", plain), criterion).to_json() == whole.to_json()


@pytest.mark.statistical
def test_over_many_disguises_the_mean_is_the_truth_of_both() -> None:
    # Seeded. 400 disguises, or a tenth; three standard errors of the mean: a fresh seed would fail once in 370.
    survey = mixed_survey()
    values, weights = values_for(survey, 300, 5), np.random.default_rng(5).uniform(1, 2, 100)
    plain = PlainRows(survey, values[200:], weights)
    rng = np.random.default_rng(6)
    codes, admitted = coded(survey, values[:200], rng), parse_condition(survey, CONDITION)
    truth = share(survey, values, np.concatenate([np.ones(200), weights]))
    found = np.array(
        [
            hybrid_estimate(Responses(survey, disguised(survey, codes, rng)), plain, admitted).estimate
            for _ in range(part_of(400))
        ]
    )
    assert abs(found.mean() - truth) < 3 * found.std(ddof=1) / np.sqrt(len(found))


@pytest.mark.statistical
def test_an_interval_of_both_covers_the_truth_19_times_in_20() -> None:
    # Seeded. A correct .95 covers fewer or more once in 500.
    samples = part_of(400)
    survey = mixed_survey()
    population, rng = values_for(survey, 100_000, 7), np.random.default_rng(7)
    admitted, truth = parse_condition(survey, CONDITION), share(survey, population, np.ones(100_000))
    held = 0
    for _ in range(samples):
        drawn = population[rng.integers(100_000, size=400)]
        plain = PlainRows(survey, drawn[300:], np.ones(100))
        found = hybrid_estimate(simulate(survey, drawn[:300], rng), plain, admitted)
        assert found.interval is not None
        held += found.interval[0] <= truth <= found.interval[1]
    least, most = likely(samples)
    assert least <= held <= most


# --- learners -------------------------------------------------------------------------------------------------------

LEARNERS: dict[str, Callable[[Survey], DisguisedClassifier]] = {
    "id3 faithful": lambda survey: ID3Classifier(survey, "q3", mode="faithful"),
    "id3 robust, binary": lambda survey: ID3Classifier(survey, "q3", mode="robust", splits="binary"),
    "random trees": lambda survey: RandomTreesClassifier(survey, "q3", n_estimators=4, random_state=1),
    "forest": lambda survey: ForestClassifier(
        survey, "q3", mode="faithful", n_estimators=4, bootstrap=False, random_state=1
    ),
}


def complement_survey(truth: str) -> Survey:
    """Two groups, one of them with the class; values of several codes."""
    how, kind = f'truth = "{truth}"', 'kind = "choice"\nvalues = ["a", "b", "c"]'
    return survey_of((kind, "a", how), ('kind = "yes_no"', "b", how), (kind, "b", how), ('kind = "yes_no"', "a", how))


@pytest.mark.parametrize("name", LEARNERS)
def test_where_nobody_lies_a_model_of_both_strata_is_that_of_one_table(name: str) -> None:
    survey = complement_survey("1")
    values = values_for(survey, 600, 3)
    sent = simulate(survey, values, np.random.default_rng(3))
    plain = PlainRows.of(survey, values[350:])
    whole, both = LEARNERS[name](survey).fit(sent.frame), LEARNERS[name](survey)
    both.fit(sent.take(range(350)).frame, plain=plain)
    assert both.probabilities(values) == pytest.approx(whole.probabilities(values), abs=1e-6)


def test_random_trees_count_plain_rows_in_later() -> None:
    survey = complement_survey("4/5")
    values = values_for(survey, 300, 4)
    sent, plain = simulate(survey, values[:200], np.random.default_rng(4)), PlainRows.of(survey, values[200:])
    at_once = RandomTreesClassifier(survey, "q3", n_estimators=3, random_state=1).fit(sent.frame, plain=plain)
    later = RandomTreesClassifier(survey, "q3", n_estimators=3, random_state=1).fit(sent.take(range(80)).frame)
    later.partial_fit(sent.take(range(80, 200)).frame, plain=plain)
    assert later.probabilities(values) == pytest.approx(at_once.probabilities(values), abs=1e-9)


@pytest.mark.parametrize("truth", ["4/5", "3/10"])
def test_nodes_of_a_forest_count_both_exactly(truth: str) -> None:
    survey = complement_survey(truth)
    values, weights = values_for(survey, 500, 5), np.random.default_rng(5).integers(1, 4, 200).astype(float)
    sent, plain = simulate(survey, values[:300], np.random.default_rng(6)), PlainRows(survey, values[300:], weights)
    model = ForestClassifier(survey, "q3", mode="faithful", n_estimators=3, bootstrap=False, random_state=2)
    forest = model.fit(sent.frame, plain=plain).forest_
    total, looked = 300 + weights.sum(), 0
    for start, stop in zip(forest.begin[:-1].tolist(), forest.begin[1:].tolist(), strict=True):
        events: dict[int, dict[int, frozenset[int]]] = {0: {}}
        for node in range(stop - start):
            event, test = events[node], int(forest.test[start + node])
            for label in range(2):
                named = {survey.questions[key].name: wanted for key, wanted in event.items()}
                found = hybrid_estimate(sent, plain, {**named, "q3": frozenset({label})}).estimate * total
                assert forest.counts[start + node, label] == pytest.approx(found, abs=1e-3)
                looked += 1
            if test >= 0:
                question = int(forest.tests.question[test])
                kinds = len(survey.questions[question].values)
                for side in range(2):
                    lets = frozenset(np.flatnonzero(forest.tests.passes[test, :kinds] == bool(side)).tolist())
                    below = {**event, question: event.get(question, lets) & lets}
                    events[int(forest.child[start + node]) + side] = below
    assert looked > 40


@pytest.mark.statistical
def test_a_forest_of_both_strata_is_right_on_average_at_its_root() -> None:
    # Seeded. 200 disguises, or a tenth; three standard errors: a fresh seed fails 1 in 370.
    survey = complement_survey("3/5")
    values, rng = values_for(survey, 300, 7), np.random.default_rng(8)
    plain, codes = PlainRows.of(survey, values[200:]), coded(survey, values[:200], rng)
    model = ForestClassifier(survey, "q3", mode="robust", n_estimators=1, bootstrap=False, max_depth=1, random_state=1)
    found = [
        float(model.fit(Responses(survey, disguised(survey, codes, rng)).frame, plain=plain).forest_.counts[0, 1])
        for _ in range(part_of(200))
    ]
    assert abs(np.mean(found) - (values[:, 3] == 1).sum()) < 3 * np.std(found, ddof=1) / np.sqrt(len(found))


def test_a_forest_says_where_it_cannot_count_plain_rows() -> None:
    survey = mixed_survey()
    values = values_for(survey, 120, 9)
    sent, plain = simulate(survey, values, np.random.default_rng(9)), PlainRows.of(survey, values)
    with pytest.raises(QueryError, match="uniform channel"):
        ForestClassifier(survey, mode="robust", n_estimators=2).fit(sent.frame, plain=plain)
    model = ForestClassifier(survey, mode="latent", n_estimators=2, random_state=1).fit(sent.frame, plain=plain)
    assert model.forest_.counts[0].sum() == pytest.approx(240, abs=1)


def test_a_plain_row_comes_to_the_mixture_as_often_as_it_weighs_and_is_never_a_lie() -> None:
    survey = mixed_survey()
    values = values_for(survey, 90, 10)
    sent = simulate(survey, values[:40], np.random.default_rng(10))
    plain = PlainRows(survey, values[40:], np.repeat([1.0, 3.0], 25))
    both = stacked(sent, plain, np.random.default_rng(1))
    assert len(both) == 40 + 25 + 75
    assert both.known.sum() == 100
    some = both.take([0, 41, 139])
    assert some.known.tolist() == [False, True, True]
    patterns = Patterns.of(both)
    (mixture,) = islice(grown_mixtures(both, np.random.default_rng(2)), 1)
    truths = mixture.posterior(patterns).truths()
    assert (truths[40:] == 1).all()
    assert (truths[:40] < 1).any()
    half = PlainRows(survey, values[:1], np.array([0.5]))
    times = [len(stacked(sent, half, np.random.default_rng(seed))) - 40 for seed in range(200)]
    assert set(times) == {0, 1}
    assert abs(np.mean(times) - 0.5) < 0.15


def test_plain_rows_show_the_latent_mode_what_the_disguise_hides() -> None:
    survey = complement_survey("11/20")
    values, fresh = values_for(survey, 1500, 11), values_for(survey, 2000, 12)
    sent = simulate(survey, values[:500], np.random.default_rng(11))
    plain = PlainRows.of(survey, values[500:])
    model = ID3Classifier(survey, "q3", mode="latent", random_state=1).fit(sent.frame, plain=plain)
    best = ID3Classifier(survey, "q3", mode="robust").fit(PlainRows.of(survey, values))
    right = [(each.tree_.predict(fresh) == fresh[:, 3]).mean() for each in (model, best)]
    assert right[0] > right[1] - 0.05
    assert model.tree_.counts[0].sum() == pytest.approx(1500)
    chosen = ID3Classifier(survey, "q3", random_state=1).fit(sent.frame, plain=plain)
    assert chosen.choice_.comparison is not None


def test_plain_rows_go_through_scikit_learns_folds_whole() -> None:
    survey = complement_survey("4/5")
    sent = simulate(survey, values_for(survey, 300, 13), np.random.default_rng(13))
    frame, seen = sent.frame, []

    class Watching(ID3Classifier):
        def _learn(self, data: Data, plain: PlainRows | None, target: str) -> None:
            seen.append((len(data), None if plain is None else plain.count))
            super()._learn(data, plain, target)

    plain = PlainRows.of(survey, values_for(survey, 300, 14))
    model = Watching(survey, "q3", mode="robust")
    cross_val_score(model, frame.drop(columns="q3"), frame["q3"], cv=3, params={"plain": plain}, error_score="raise")
    assert seen == [(200, 300)] * 3


def test_rows_come_from_a_frame_and_what_does_not_fit_is_refused(strata: tuple[Survey, Responses, PlainRows]) -> None:
    survey, sent, plain = strata
    row = {"distress": "no", "year": "first", "drug": "one", "sold": "yes", "debt": "deep"}
    rows = PlainRows.from_frame(survey, pd.DataFrame([row, row]))
    assert rows.values.tolist() == [[0, 1, 0, 2, 1]] * 2
    assert rows.weights.tolist() == [1, 1]
    with pytest.raises(ResponseError, match='row 1, column "drug"'):
        PlainRows.from_frame(survey, pd.DataFrame([row | {"drug": "lots"}]))
    for weights in ([1], [1, -1], [1, np.inf]):
        with pytest.raises(QueryError, match="one positive number"):
            PlainRows.from_frame(survey, pd.DataFrame([row, row]), weights)
    other = survey_of(('kind = "yes_no"', "a", 'truth = "4/5"'))
    with pytest.raises(QueryError, match="another survey"):
        hybrid_estimate(Responses(other, np.zeros((1, 1), np.int16)), plain, {})
    with pytest.raises(QueryError, match="no responses"):
        hybrid_estimate(sent.take([]), plain, {})
    with pytest.raises(QueryError, match="no undisguised rows"):
        PlainRows.of(survey, plain.values[:0]).check(survey)
    one = PlainRows.from_frame(survey, pd.DataFrame([row]))
    assert hybrid_estimate(sent, one, parse_condition(survey, "year = first")).interval is None
