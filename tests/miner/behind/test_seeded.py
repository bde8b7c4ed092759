"""The mixture for strong disguise: started from tables by the class, held to the margins, and pooled."""

from __future__ import annotations

import os
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest

from benchmarks.exact_table import transition_of
from collector.channel.channel import channel
from collector.channel.value_channel import value_transition
from collector.coding.coding import block_coding, plain_coding
from collector.survey.survey import Group, Survey
from collector.survey.text import Text
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import survey_text
from latent_cases import coded_question, sampled_survey, yes_no_survey
from miner.arrays import Floats
from miner.behind.mixture.fit import margins
from miner.behind.mixture.mixture import Mixture
from miner.behind.mixture.seeded import COUNTS, LEAST_SHARE, MIXED, Seed, class_tables, fitted_mixture, seeded_mixture
from miner.behind.patterns import Patterns
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from mode_surveys import alike, bits_survey


def survey() -> Survey:
    """Four yes-no questions, each under a coin of its own; the last is the class."""
    return yes_no_survey(4, 4, "1/2", "uniform")


def answered(count: int, rng: np.random.Generator) -> Responses:
    """The class by an even coin; the other answers are the class nine, seven and five times in ten."""
    last = rng.integers(0, 2, (count, 1))
    same = rng.random((count, 3)) < (0.9, 0.7, 0.5)
    return simulate(survey(), np.hstack([np.where(same, last, 1 - last), last]).astype(np.int16), rng)


def even_seed(tables: Floats) -> Seed:
    """Even margins."""
    return Seed(survey(), np.full(8, 0.5), tables, 3)


def independent() -> Floats:
    """Tables of which no answer tells anything of the class."""
    return np.full((8, 2), 0.25)


def spread(mixture: Mixture) -> float:
    """How far the classes are from the margins: the weighted mean square."""
    return float(((mixture.table[:6] - 0.5) ** 2 @ mixture.weights).mean())


def test_the_classes_of_a_start_have_the_tables_of_the_class_that_they_are_of() -> None:
    tables = independent()
    tables[0], tables[1] = (0.4, 0.1), (0.1, 0.4)
    starts = [even_seed(tables).started(np.random.default_rng(seed)) for seed in range(200)]

    assert all(each.classes == 6 for each in starts)
    mean = np.mean([each.table for each in starts], axis=0)
    np.testing.assert_allclose(mean[0], [*[0.8] * 3, *[0.2] * 3], atol=0.05)  # noise pulls them inwards a little
    np.testing.assert_allclose(mean[2], 0.5, atol=0.05)
    np.testing.assert_allclose(starts[0].weights, 1 / 6)
    assert len({tuple(column) for column in starts[0].table.T.round(9)}) == 6


def test_a_start_rules_no_answer_out_and_takes_no_table_that_is_not_known() -> None:
    tables = independent()
    tables[0], tables[1] = (0.5, 0.0), (0.0, 0.5)
    tables[4:6] = np.nan

    tied = even_seed(tables).tied()

    np.testing.assert_allclose(tied[0], [1 / (1 + LEAST_SHARE / 2), LEAST_SHARE / 2 / (1 + LEAST_SHARE / 2)])
    np.testing.assert_allclose(tied[4:6], 0.5)
    np.testing.assert_allclose(tied[6:], [[1 - MIXED / 2, MIXED / 2], [MIXED / 2, 1 - MIXED / 2]])


def test_classes_of_which_each_has_one_latent_class_start_at_their_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("miner.behind.mixture.seeded.MOST_CLASSES", 3)
    seed = even_seed(independent())

    found = seed.started(np.random.default_rng(2))

    assert found.classes == 2
    np.testing.assert_array_equal(found.table, seed.tied())


def test_more_imaginary_respondents_hold_a_mixture_nearer_to_the_margins() -> None:
    rng = np.random.default_rng(3)
    responses, seed = answered(400, rng), even_seed(independent())

    found = [spread(fitted_mixture(responses, seed, count, np.random.default_rng(4))) for count in (*COUNTS, 1e6)]

    assert found == sorted(found, reverse=True)
    assert found[-1] < 1e-4


def test_each_mixture_is_fitted_to_responses_drawn_anew() -> None:
    rng = np.random.default_rng(5)
    responses, seed = answered(400, rng), even_seed(independent())
    once, again, other = (fitted_mixture(responses, seed, 1.0, np.random.default_rng(number)) for number in (6, 6, 7))

    np.testing.assert_array_equal(once.table, again.table)
    assert np.abs(once.table - other.table).max() > 0.01


def test_the_pool_is_the_same_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    responses = answered(300, rng)
    found = []
    for count in (1, 4):
        monkeypatch.setattr(os, "cpu_count", lambda count=count: count)
        found.append(seeded_mixture(responses, np.random.default_rng(9), 3))

    np.testing.assert_array_equal(found[0].table, found[1].table)
    assert found[0].classes == 6 * len(COUNTS)


@pytest.mark.statistical
def test_under_a_strong_disguise_it_sees_how_answers_go_together() -> None:
    """Seeded. Others' responses are likelier than with all questions independent, by more than four errors."""
    survey = parse_survey(survey_text(bits_survey(6, "13/20"), "bits").replace('"complement"', '"uniform"'))
    known, others = (
        simulate(survey, alike(3000, 6, np.random.default_rng(seed)), np.random.default_rng(seed + 10))
        for seed in (1, 2)
    )
    patterns = Patterns.of(others)
    apart = Mixture.normalised(survey, np.ones(1), margins(Patterns.of(known))[:, None])
    gains = seeded_mixture(known, np.random.default_rng(3), 5).log_likelihood_of(patterns)
    gains = gains - apart.log_likelihood_of(patterns)
    assert gains.mean() > 4 * gains.std() / np.sqrt(len(gains))


def expected_rows(survey: Survey, truth: tuple[int, ...], scale: int) -> list[tuple[int, ...]]:
    """What respondents with this truth send, each response as often as its exact chance times `scale`."""
    per_question = []
    for each, value in zip(survey.questions, truth, strict=True):
        group = survey.group_of(each.name)
        assert group is not None
        seen = value_transition(each.coding, group.channel)
        per_question.append([(code, seen[code][value]) for code in sorted(seen)])
    rows = []
    for sent in product(*per_question):
        times = prod(chance for _, chance in sent) * scale
        assert times == int(times)
        rows += [tuple(code for code, _ in sent)] * int(times)
    return rows


def test_tables_come_to_the_truth_where_every_question_has_its_own_coin() -> None:
    questions = coded_question("many", block_coding("subsets", 4, 2)), coded_question("class", plain_coding(2))
    coin = channel("uniform", Fraction(1, 2))
    groups = tuple(Group(f"g_{each.name}", coin, (each.name,)) for each in questions)
    survey = Survey("own", Text.of(en="s"), ("en",), questions, groups, "class")
    rows = expected_rows(survey, (0, 1), 48) + expected_rows(survey, (3, 0), 48)

    found = class_tables(Responses(survey, np.array(rows, np.int16)), 1)

    wanted = np.zeros((4, 2))
    wanted[0, 1] = wanted[3, 0] = 0.5
    np.testing.assert_allclose(found[:4], wanted, atol=0.02)  # EM comes slowly to the edge
    assert np.isnan(found[4:]).all()  # the class's own


def test_tables_come_to_the_truth_where_one_coin_serves_what_is_asked() -> None:
    survey = sampled_survey((2, 3, 2), 2, "6")
    # odds 6: of 2 x 2 states truth 3/5, of 3 x 2 states 1/2; the truth is (1, 2, 0)
    first = [(1, -1, 0)] * 7 + [(x, -1, y) for x in range(2) for y in range(2) if (x, y) != (1, 0)]
    second = [(-1, 2, 0)] * 7 + [(-1, x, y) for x in range(3) for y in range(2) if (x, y) != (2, 0)]

    found = class_tables(Responses(survey, np.array(first + second, np.int16)), 2)

    np.testing.assert_allclose(found[:5], [[0, 0], [1, 0], [0, 0], [0, 0], [1, 0]], atol=0.02)


def test_a_table_is_where_the_likelihood_no_longer_rises() -> None:
    """The exact chance of what was sent, over the exact transition of both questions, is flat in every free share."""
    survey = sampled_survey((2, 3, 2), 2, "6")
    rng = np.random.default_rng(11)
    rows = [(-1, x, y) for x in range(3) for y in range(2) for _ in range(int(rng.integers(30, 50)))]

    table = class_tables(Responses(survey, np.array(rows, np.int16)), 2)[2:5]

    codings = [each.coding for each in survey.questions[1:]]
    matrix = np.array(transition_of(survey.channel_at(survey.groups[0], ["q1", "q2"]), codings), float)
    sent = np.bincount([x * 2 + y for _, x, y in rows], minlength=6)
    slopes = matrix @ (sent / (table.ravel() @ matrix)) / len(rows)
    assert (table > 0.01).all()
    np.testing.assert_allclose(slopes, 1, atol=1e-6)


def test_where_nobody_was_asked_both_there_is_no_table() -> None:
    survey = sampled_survey((2, 3, 2), 2, "6")
    asked_first = Responses(survey, np.array([(0, -1, 1), (1, -1, 0), (1, -1, 1)], np.int16))

    found = class_tables(asked_first, 2)

    assert found[:2].sum() == pytest.approx(1)
    assert np.isnan(found[2:]).all()
