"""The audit of a collected survey: posteriors by enumeration, coin guesses against coins that only the test knows."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.typing import NDArray

from collector.errors import ModelError
from latent_cases import every_response, joint, random_mixture, tiny_survey, yes_no_survey
from miner.audit_survey import audit_survey, coin_guess
from miner.latent.eavesdropper import Eavesdropper
from miner.latent.model import LatentModel, fit_latent
from miner.responses import Responses
from miner.simulation import simulate
from split_surveys import question, survey_of_tables


def two_kinds(count: int, questions: int, rng: np.random.Generator) -> NDArray[np.int16]:
    """True values of two kinds of people who mostly say yes, one to the first half of the questions, one to most."""
    kind = rng.random(count) < 0.4
    chances = np.where(kind[:, np.newaxis], np.arange(questions) < questions // 2, np.full(questions, fill_value=True))
    return (rng.random((count, questions)) > np.where(chances, 0.9, 0.15)).astype(np.int16)


def test_posteriors_of_values_groups_and_records_follow_bayes() -> None:
    rng = np.random.default_rng(1)
    mixture = random_mixture(tiny_survey(), 2, rng)
    codes = every_response(mixture.survey)[::9]
    responses = Responses(mixture.survey, codes)
    eavesdropper = Eavesdropper(LatentModel((mixture,), np.zeros(1)), responses, rng)
    every = [joint(mixture, response) for response in codes]

    for column, wanted in ((0, eavesdropper.question(0)), (3, eavesdropper.question(3))):
        expected = [grouped(chances, (column,)) for chances in every]
        np.testing.assert_allclose(wanted.surest, [each.max() for each in expected], rtol=1e-10)
        np.testing.assert_allclose(wanted.remaining, [bits(each) for each in expected], rtol=1e-10)
    # a drawn truth's probability is exact; which truths are drawn is chance, so the surest of them is the mode or less
    record = eavesdropper.record()
    assert (record.surest <= [grouped(chances, (0, 1, 2, 3, 4)).max() + 1e-12 for chances in every]).all()
    assert record.surest == pytest.approx(
        [grouped(chances, (0, 1, 2, 3, 4)).max() for chances in every], rel=1e-9, abs=0.2
    )


@pytest.mark.statistical
def test_entropies_of_groups_and_records_are_the_true_ones() -> None:
    """Seeded; a mean over 16 draws for each of 1,152 responses is off by 0.01 bits as one standard error."""
    rng = np.random.default_rng(2)
    mixture = random_mixture(tiny_survey(), 2, rng)
    codes = every_response(mixture.survey)
    eavesdropper = Eavesdropper(LatentModel((mixture,), np.zeros(1)), Responses(mixture.survey, codes), rng)
    every = [joint(mixture, response) for response in codes]

    for columns, seen in (
        ((0, 2), eavesdropper.cell(0)),
        ((3, 4), eavesdropper.cell(1)),
        ((0, 1, 2, 3, 4), eavesdropper.record()),
    ):
        expected = np.mean([bits(grouped(chances, columns)) for chances in every])
        assert seen.uncertainty().remaining_bits == pytest.approx(expected, abs=0.05)


def grouped(chances: dict[tuple[int, ...], float], columns: tuple[int, ...]) -> NDArray[np.float64]:
    """Posterior probabilities of the values of some questions."""
    sums: dict[tuple[int, ...], float] = {}
    for truth, chance in chances.items():
        key = tuple(truth[column] for column in columns)
        sums[key] = sums.get(key, 0.0) + chance
    return np.array(list(sums.values())) / sum(sums.values())


def bits(probabilities: NDArray[np.float64]) -> float:
    """Entropy."""
    positive = probabilities[probabilities > 0]
    return float(-(positive * np.log2(positive)).sum())


@pytest.mark.statistical
@pytest.mark.parametrize("channel", ["complement", "uniform"])
def test_the_share_of_coins_guessed_right_is_estimated_without_knowing_them(channel: str) -> None:
    """Seeded; within four standard errors: fails once in 10,000."""
    rng = np.random.default_rng(3)
    survey = yes_no_survey(12, 3, "3/5", channel)
    sent = truth = two_kinds(20_000, 12, rng)
    coins = rng.random((len(truth), 3)) < 0.6
    for group in range(3):
        replaced = 1 - truth if channel == "complement" else rng.integers(0, 2, truth.shape)
        lies = ~coins[:, [group]] & (np.arange(12) % 3 == group)
        sent = np.where(lies, replaced, sent).astype(np.int16)
    model = fit_latent(Responses(survey, sent[:5000]), rng, most_classes=3)
    eavesdropper = Eavesdropper(model, Responses(survey, sent[5000:]), rng)

    for group in range(3):
        guess = coin_guess(survey.groups[group], group, [eavesdropper])
        right = (eavesdropper.guesses(group, sent[5000:]) == coins[5000:, group]).mean()
        assert right > 0.68
        assert guess.without_model == pytest.approx(0.6)
        assert guess.guessed_right == pytest.approx(right, abs=4 * guess.standard_error)
        assert guess.expected_right == pytest.approx(right, abs=0.03)


@pytest.mark.statistical
def test_a_wide_group_gives_its_coin_away() -> None:
    """Seeded. Twelve answers of two kinds of people under one coin, which theta alone would leave at 0.6."""
    rng = np.random.default_rng(8)

    audit = audit_survey(simulate(yes_no_survey(12, 1, "3/5"), two_kinds(1000, 12, rng), rng), rng)

    assert audit.coins[0].expected_right > 0.9
    assert audit.groups["g0"].over_90 > 600
    assert audit.groups["g0"].remaining_bits < 0.1 * audit.groups["g0"].prior_bits


def test_nothing_is_left_to_know_at_theta_one() -> None:
    rng = np.random.default_rng(4)
    responses = simulate(yes_no_survey(4, 2, "1"), two_kinds(120, 4, rng), rng)

    audit = audit_survey(responses, rng)

    assert [guess.guessed_right for guess in audit.coins] == pytest.approx([1, 1])
    assert audit.record.remaining_bits == pytest.approx(0, abs=1e-9)
    assert audit.some_value == audit.some_group == (120, 120)


def test_independent_even_answers_keep_what_theta_promises() -> None:
    rng = np.random.default_rng(5)
    responses = simulate(yes_no_survey(3, 3, "3/4"), rng.integers(0, 2, (3000, 3)).astype(np.int16), rng)

    audit = audit_survey(responses, rng)

    for each in audit.questions.values():
        assert each.remaining_bits == pytest.approx(0.811, abs=0.01)  # h(3/4)
        assert each.over_90 == 0
    assert audit.some_group == (0, 0)


def test_the_result_is_plain_json() -> None:
    survey = tiny_survey()
    rng = np.random.default_rng(6)
    truth = np.stack([rng.integers(0, len(each.values), 30) for each in survey.questions], axis=1).astype(np.int16)
    responses = simulate(survey, truth, rng)

    one = json.loads(json.dumps(audit_survey(responses, rng).as_dict(), allow_nan=False))

    assert one["responses"] == 30
    assert set(one["questions"]) == {"colour", "flag", "size", "sign"}
    assert set(one["groups"]) == {"paired", "even"}


def test_too_few_responses_are_refused() -> None:
    with pytest.raises(ModelError, match="fewer than 30 responses"):
        audit_survey(Responses(tiny_survey(), every_response(tiny_survey())[:29]), np.random.default_rng(0))


def test_designs_that_it_cannot_look_at_are_refused() -> None:
    two = [question("sick", 2, "all"), question("sad", 3, "all")]
    split = survey_of_tables(two, 'all = { odds = "3" }', "[sampling]\nask = 1\n")
    uniform = 'jobs = { truth = "1/2", channel = "uniform" }'
    shared = survey_of_tables([question("job", 6, "jobs", 'coding = "subsets-3"')], uniform)
    for survey, problem in ((split, "not everybody is asked everything"), (shared, "codes stand for several values")):
        sent = simulate(survey, np.zeros((60, len(survey.questions)), np.int16), np.random.default_rng(1))
        with pytest.raises(ModelError, match=problem):
            audit_survey(sent, np.random.default_rng(2))
