"""Estimates, models and trees know which answers cannot go together, and give them probability 0."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.behind.kernels import softmax
from miner.behind.mixture.mixture import Mixture
from miner.behind.mixture.model import fit_latent, impute, synthetic
from miner.behind.patterns import Layout
from miner.behind.rows import Rows, drawn_rows, rows_behind
from miner.effects.copies import latent_copies
from miner.estimates.crosstab import crosstab
from miner.estimates.frequencies import likeliest_frequencies
from miner.estimates.imputation import refitted
from miner.learners.boosted import BoostedClassifier
from miner.learners.id3 import ID3Classifier
from miner.learners.logit import LogitClassifier
from miner.responses.possible import possible, possible_classes
from miner.responses.responses import Responses, Values
from miner.simulation.simulation import simulate
from routed_surveys import routed_people, routed_survey

CHANNELS = ["complement", "uniform"]
UNASKED = ["drawn", "sent"]
ALL = range(4)


def sent(
    channel: str, count: int = 1500, seed: int = 1, truth: str = "3/4", unasked: str = "drawn"
) -> tuple[Survey, Values, Responses]:
    survey, rng = routed_survey(channel, truth, unasked), np.random.default_rng(seed)
    people = routed_people(count, rng)
    return survey, people, simulate(survey, people, rng)


def contradictory(mixture: Mixture) -> float:
    """P(answers that cannot go together), by every combination of them."""
    survey = mixture.survey
    every = np.indices([len(each.values) for each in survey.questions]).reshape(4, -1).T
    tables = Layout(survey).split(mixture.table)
    chances = np.prod([table[column] for table, column in zip(tables, every.T, strict=True)], axis=0) @ mixture.weights
    assert chances.sum() == pytest.approx(1)
    return float(chances[~possible(survey, ALL, every)].sum())


@pytest.mark.parametrize("channel", CHANNELS)
def test_pairs_that_only_a_third_question_makes_impossible_have_likeliest_frequency_0(channel: str) -> None:
    """Nobody who was not bullied says who helped: what lies between is how often, which is not in the table."""
    for seed in range(5):
        _, _, responses = sent(channel, count=300, seed=seed, truth="3/5", unasked="sent")
        table = crosstab(responses, "bullied", "help")
        assert [table.likeliest["no", value] for value in ("yes", "no")] == [0, 0]
        assert sum(share or 0 for share in table.likeliest.values()) == pytest.approx(1)


def test_answers_are_possible_if_others_can_complete_them() -> None:
    """Against every complete set of answers, for every choice of questions."""
    survey = routed_survey(unasked="sent")
    every = np.indices([len(each.values) for each in survey.questions]).reshape(4, -1).T
    whole = every[possible(survey, ALL, every)]
    for columns in ([0, 2], [1], [2, 3], [2, 0, 3], [0, 1, 2]):
        parts = {tuple(row) for row in whole[:, columns].tolist()}
        assert possible(survey, columns, every[:, columns]).tolist() == [
            tuple(row) in parts for row in every[:, columns].tolist()
        ]
    assert possible(survey, [0, 2], np.array([[0, -1], [-1, 0]])).all()


@pytest.mark.parametrize("unasked", UNASKED)
@pytest.mark.parametrize("channel", CHANNELS)
def test_the_likeliest_frequencies_of_contradictory_answers_are_0(channel: str, unasked: str) -> None:
    survey, _, responses = sent(channel, unasked=unasked)
    table = crosstab(responses, "bullied", "often")
    impossible = [("no", value) for value in ("once", "monthly", "daily")] + [("yes", "not_applicable")]
    assert [table.likeliest[cell] for cell in impossible] == [0] * 4
    assert sum(share or 0 for share in table.likeliest.values()) == pytest.approx(1)
    noisy = any(abs(table.cells[cell].estimate) > 1e-3 for cell in impossible)
    assert noisy == (unasked == "sent"), "inverse weights estimate 0 with noise, if not_applicable is sent as a value"
    found = likeliest_frequencies(responses, ("bullied", "often", "help"))
    assert found is not None
    assert possible(survey, ALL[:3], found.cells).all()


def test_routing_makes_likeliest_frequencies_more_precise() -> None:
    errors = []
    for rules in ((), routed_survey("uniform", "1/2", "sent").rules):
        gaps = []
        for seed in range(25):
            survey, people, responses = sent("uniform", 2000, seed, "1/2", "sent")
            vars(survey)["rules"] = rules
            found = likeliest_frequencies(responses, ("bullied", "often"))
            assert found is not None
            gaps.append(found.share({"bullied": frozenset({0})}) - np.mean(people[:, 0] == 0))
        errors.append(np.mean(np.square(gaps)))
    assert errors[1] < 0.8 * errors[0]


@pytest.mark.parametrize("unasked", UNASKED)
@pytest.mark.parametrize("channel", CHANNELS)
def test_a_mixture_gives_contradictory_answers_no_chance_and_draws_none(channel: str, unasked: str) -> None:
    survey, people, responses = sent(channel, unasked=unasked)
    rng = np.random.default_rng(2)
    model = fit_latent(responses, rng)
    assert [contradictory(each) for each in model.mixtures] == [0] * len(model.mixtures)
    assert contradictory(refitted(responses, rng)) == 0
    tables = impute(responses, model, 5, rng)
    assert possible(survey, ALL, tables).all()
    assert possible(survey, ALL, synthetic(model, 500, rng)).all()
    assert np.mean(tables[:, :, 0] == 0) == pytest.approx(np.mean(people[:, 0] == 0), abs=0.06)


@pytest.mark.parametrize("channel", CHANNELS)
def test_answers_that_share_a_coin_with_their_condition_do_not_contradict_it(channel: str) -> None:
    survey, rng = routed_survey(channel, often='group = "bullied"', help='group = "bullied"'), np.random.default_rng(1)
    people = routed_people(2400, rng)
    responses = simulate(survey, people, rng)
    tables = impute(responses, fit_latent(responses, rng, 5), 4, rng)
    assert possible(survey, ALL, tables).all()
    assert np.mean(tables[:, :, 0] == 0) == pytest.approx(np.mean(people[:, 0] == 0), abs=0.06)


@pytest.mark.parametrize("target", ["often", "happy", "bullied"])
@pytest.mark.parametrize("channel", CHANNELS)
def test_possible_answers_do_not_contradict_each_other(channel: str, target: str) -> None:
    survey, _, responses = sent(channel, 400)
    column, rng = survey.questions.index(survey.question(target)), np.random.default_rng(3)
    answers = rows_behind(responses, target, rng)
    rows, classes = np.nonzero(answers.chances)
    values = answers.values[rows]
    values[:, column] = classes
    assert possible(survey, ALL, values).all()
    assert (np.add.reduceat(answers.chances.sum(axis=1), answers.first) > 0).all()


def test_copies_of_responses_do_not_contradict_each_other_whatever_the_model() -> None:
    survey, _, responses = sent("complement", 300)
    copies = latent_copies(responses, "often", np.random.default_rng(4))
    assert possible(survey, ALL, copies.values).all()
    survey, _, responses = sent("uniform", 300)
    copies = latent_copies(responses, "often", np.random.default_rng(4))
    assert possible(survey, ALL, copies.values).all()
    rows = drawn_rows(responses, responses, "often", np.random.default_rng(5))
    sound = possible_classes(survey, 1, rows.values)
    assert sound is not None
    assert not rows.chances[~sound].any()
    assert rows.chances[sound].all()


@pytest.mark.parametrize("splits", ["multiway", "binary"])
@pytest.mark.parametrize("mode", ["faithful", "robust", "latent"])
def test_a_tree_does_not_ask_what_is_certain_and_predicts_what_is_possible(mode: str, splits: str) -> None:
    survey, _, responses = sent("complement", 1500, unasked="sent")
    for target in ("happy", "often"):
        model = ID3Classifier(survey, target, mode=mode, splits=splits, random_state=1).fit(responses.frame)
        column = survey.questions.index(survey.question(target))
        tree, asked = model.tree_, 0
        for node, event, _ in tree.walk():
            allowed = routed_answers(survey, event)
            counted = np.flatnonzero(np.abs(tree.counts[node]) > 1e-9)
            assert {*counted.tolist()} <= {*allowed[:, column].tolist()}, event
            question = int(tree.question[node])
            if question >= 0:
                asked += 1
                assert len({*allowed[:, question].tolist()}) > 1, "one answer is left, and it is asked"
        assert asked or target == "happy"


@pytest.mark.parametrize("learner", [LogitClassifier, BoostedClassifier])
def test_a_model_of_the_class_gives_contradictory_classes_no_chance(learner: type[LogitClassifier]) -> None:
    survey, people, responses = sent("complement", 400)
    model = learner(survey, "often", random_state=1).fit(responses.frame)
    shares = model.probabilities(people)
    np.testing.assert_array_equal(
        shares[people[:, 0] == 1], np.broadcast_to([0, 0, 0, 1], ((people[:, 0] == 1).sum(), 4))
    )
    assert not shares[people[:, 0] == 0, 3].any()
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    confused = np.array([[1, 0, 1, 0]], np.int16)  # not bullied, and nobody helped: every class contradicts
    assert model.probabilities(confused).sum() == pytest.approx(1)


def routed_answers(survey: Survey, event: dict[int, set[int]]) -> Values:
    """Every combination of answers at a node that can be given."""
    every = np.indices([len(each.values) for each in survey.questions]).reshape(4, -1).T
    inside = np.all([np.isin(every[:, key], list(wanted)) for key, wanted in event.items()], axis=0)
    return every[possible(survey, ALL, every) & inside].astype(np.int16)


def test_codes_that_contradict_each_other_and_are_sent_as_they_are_are_counted_as_they_are() -> None:
    plain = dict.fromkeys(("bullied", "often", "help"), "sensitive = false")
    survey, rng = routed_survey(**plain), np.random.default_rng(6)
    people = routed_people(300, rng)
    people[:30, :2] = [1, 2]
    responses = simulate(survey, people, rng)
    found = likeliest_frequencies(responses, ("bullied", "often"))
    assert found is not None
    assert found.share({"bullied": frozenset({1}), "often": frozenset({2})}) == pytest.approx(0.1)
    tables = impute(responses, fit_latent(responses, rng), 1, rng)
    np.testing.assert_array_equal(tables[0, :, :3], people[:, :3])
    answers = rows_behind(responses, "happy", rng)
    assert (np.add.reduceat(answers.chances.sum(axis=1), answers.first) > 0).all()


def derivatives(total: Callable[[Floats], float], scores: Floats) -> Floats:
    """The slope of a function of scores at all of them, by differences."""
    found = np.zeros(scores.shape)
    for place in np.ndindex(scores.shape):
        step = np.zeros(scores.shape)
        step[place] = 1e-5
        found[place] = (total(scores + step) - total(scores - step)) / 2e-5
    return found


@pytest.mark.parametrize("plain", [("bullied", "often"), ("bullied", "often", "help"), ("bullied",)])
@pytest.mark.parametrize("target", ["bullied", "often", "happy"])
def test_slopes_are_derivatives_where_responses_contradict_the_routing(target: str, plain: tuple[str, ...]) -> None:
    survey, rng = routed_survey(**dict.fromkeys(plain, "sensitive = false")), np.random.default_rng(6)
    people = routed_people(12, rng)
    people[:3, :3], people[3:6, :3] = [1, 2, 1], [0, 3, 0]
    responses = simulate(survey, people, rng)
    for rows in (drawn_rows(responses, responses, target, rng), rows_behind(responses, target, rng)):
        scores = rng.normal(size=rows.chances.shape)
        numeric = derivatives(rows.height, scores)
        found = rows.slopes(scores)[1] * rows.counts[rows.response, None]
        np.testing.assert_allclose(found, numeric, atol=1e-7)
        assert -rows.losses(softmax(scores)) @ rows.counts == pytest.approx(rows.height(scores))
        assert rows.posterior(softmax(scores))[0] == pytest.approx(rows.height(scores))


def test_a_response_that_the_routing_rules_out_favours_no_classifier() -> None:
    survey, rng = routed_survey(bullied="sensitive = false", often="sensitive = false"), np.random.default_rng(6)
    people = routed_people(60, rng)
    people[:5, :2] = [1, 2]  # not bullied, and daily
    responses = simulate(survey, people, rng)
    judges = drawn_rows(responses, responses, "often", rng)
    for _ in range(3):
        scores = rng.normal(size=judges.chances.shape)
        height, slopes = judges.take(np.arange(5)).slopes(scores[judges.positions(np.arange(5))])
        assert height == 0
        np.testing.assert_array_equal(slopes, 0)
        losses = judges.losses(softmax(scores))
        np.testing.assert_array_equal(losses[:5], 0)
        assert losses[5:].all()


def test_a_response_that_no_answer_explains_adds_nothing_and_an_unlikely_one_all_it_says() -> None:
    values, first, counts = np.zeros((4, 1), np.int16), np.array([0, 2, 3]), np.array([1.0, 5.0, 1.0])
    chances = np.array([[0.0, 0.3], [0.2, 0.1], [0.0, 0.0], [1.0, 0.5]])
    answers = Rows(values, chances, first, counts)
    without = Rows(values[[0, 1, 3]], chances[[0, 1, 3]], np.array([0, 2]), counts[[0, 2]])
    shares = softmax(np.random.default_rng(1).normal(size=(4, 2)))
    assert answers.posterior(shares)[0] == pytest.approx(without.posterior(shares[[0, 1, 3]])[0])
    assert not answers.slopes(np.log(shares))[1][2].any()
    np.testing.assert_allclose(answers.class_shares(), without.class_shares())
