"""The audit of a collected survey: posteriors by enumeration, coin guesses against coins that only the test knows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from channels import uniform
from collector.errors import ModelError
from collector.survey_file.survey_file import parse_survey
from every_draw import designs, truths
from latent_cases import every_response, everything_sent, joint, random_mixture, tiny_survey, yes_no_survey
from miner.attacks.audit_survey import audit_survey, coin_guess
from miner.attacks.eavesdropper import LEVELS, Eavesdropper
from miner.behind.mixture.model import LatentModel, fit_latent
from miner.behind.patterns import Layout
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from soak import part_of
from split_surveys import question, split_survey, survey_of_tables


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
    sent = truth = two_kinds(part_of(20_000, 6000), 12, rng)
    coins = rng.random((len(truth), 3)) < 0.6
    for group in range(3):
        replaced = 1 - truth if channel == "complement" else rng.integers(0, 2, truth.shape)
        lies = ~coins[:, [group]] & (np.arange(12) % 3 == group)
        sent = np.where(lies, replaced, sent).astype(np.int16)
    model = fit_latent(Responses(survey, sent[:3000]), rng, most_classes=3)
    eavesdropper = Eavesdropper(model, Responses(survey, sent[3000:]), rng)

    for group in range(3):
        guess = coin_guess(survey.groups[group], group, [eavesdropper])
        right = (eavesdropper.guesses(group, sent[3000:]) == coins[3000:, group]).mean()
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


def test_an_answer_that_the_shares_alone_make_certain_is_not_counted_as_learnt_from_a_response() -> None:
    rng = np.random.default_rng(6)
    values = (rng.random((1500, 1)) < 0.97).astype(np.int16)
    audit = audit_survey(simulate(yes_no_survey(1, 1, "4/5"), values, rng), rng)
    assert (audit.beforehand, audit.some_value[0], audit.some_group[0]) == (1500, 0, 0)
    assert audit.questions["q0"].over_90 == 0


def test_a_respondent_counts_where_an_answer_rises_from_below_nine_tenths_by_bayes(seen: Seen) -> None:
    whole = seen.chances / seen.chances.sum()
    for column in range(len(seen.survey.questions)):
        sight, posteriors = seen.eavesdropper.question(column), seen.posteriors([column])
        for at in np.flatnonzero(seen.asked[:, column]):
            alike = np.flatnonzero((seen.asked == seen.asked[at]).all(axis=1))
            share = whole[alike].sum()
            before = {
                key: sum(whole[row] * posteriors[row].get(key, 0.0) for row in alike) / share for key in posteriors[at]
            }
            wanted = [any(before[key] < level <= after for key, after in posteriors[at].items()) for level in LEVELS]
            assert sight.risen[at].tolist() == wanted
            assert sight.expected[at] >= max(before.values()) - 1e-9
        assert not sight.risen[~seen.asked[:, column]].any()


def test_independent_even_answers_keep_what_theta_promises() -> None:
    rng = np.random.default_rng(5)
    responses = simulate(yes_no_survey(3, 3, "3/4"), rng.integers(0, 2, (3000, 3)).astype(np.int16), rng)

    audit = audit_survey(responses, rng)

    for each in audit.questions.values():
        assert each.remaining_bits == pytest.approx(0.811, abs=0.01)  # h(3/4)
        assert each.over_90 == 0
    assert audit.some_group == (0, 0)


FOLLOWERS = "".join(
    f"""
[[questions]]
name = "f{each}"
label = "Q?"
kind = "yes_no"
prior = {{ yes = 0.3, no = 0.7 }}
ask_if = "gate = yes"
group = "g{each}"
unasked = "UNASKED"
"""
    for each in range(4)
)
GATE = """
name = "routed"
title = "Routed"
languages = ["en"]
[[questions]]
name = "gate"
label = "Q?"
kind = "yes_no"
prior = { yes = 0.2, no = 0.8 }
group = "gate"
"""
COINS = "\n[groups]\n" + "".join(f'{each} = {{ truth = "4/5" }}\n' for each in ("gate", "g0", "g1", "g2", "g3"))


@pytest.mark.parametrize(("unasked", "share"), [("drawn", 0.2), ("sent", 0.85)])
def test_the_design_alone_tells_for_how_many_its_followers_give_a_gate_away(unasked: str, share: float) -> None:
    survey, rng = parse_survey(GATE + FOLLOWERS.replace("UNASKED", unasked) + COINS), np.random.default_rng(9)
    gate = np.repeat([0, 1], [200, 300])
    truth = np.column_stack([gate, *(np.where(gate == 0, rng.random(500) >= 0.3, 2) for _ in range(4))])
    responses = simulate(survey, truth.astype(np.int16), rng)
    # where answers are drawn, one in five sends "no", which the prior of .8 makes 94 % likely: the coin at work
    ninety, ninety_nine = audit_survey(responses.take(gate == 0), rng).by_design["gate"] or (-1, -1)
    assert ninety / 200 == pytest.approx(share, abs=0.1)
    assert 0 <= ninety_nine <= ninety
    assert audit_survey(responses, rng).by_design.keys() == {"gate", "f0", "f1", "f2", "f3"}


def test_the_result_is_plain_json() -> None:
    survey = tiny_survey()
    rng = np.random.default_rng(6)
    truth = np.stack([rng.integers(0, len(each.values), 30) for each in survey.questions], axis=1).astype(np.int16)
    responses = simulate(survey, truth, rng)

    one = json.loads(json.dumps(audit_survey(responses, rng).as_json, allow_nan=False))

    assert one["responses"] == 30
    assert set(one["questions"]) == {"colour", "flag", "size", "sign"}
    assert set(one["groups"]) == {"paired", "even"}


def test_too_few_responses_are_refused() -> None:
    with pytest.raises(ModelError, match="fewer than 30 responses"):
        audit_survey(Responses(tiny_survey(), every_response(tiny_survey())[:29]), np.random.default_rng(0))


# Split questionnaires, and codes that stand for several values: against every response that somebody may send.


class Seen:
    """Every response to a split questionnaire, as an eavesdropper sees it and as enumeration has it."""

    def __init__(self, name: str) -> None:
        rng = np.random.default_rng(7)
        mixture = random_mixture(designs()[name], 2, rng)
        self.survey, self.sent = mixture.survey, everything_sent(mixture)
        responses = Responses(self.survey, np.array(list(self.sent), np.int16))
        self.asked = responses.asked
        self.eavesdropper = Eavesdropper(LatentModel((mixture,), np.zeros(1)), responses, rng)
        self.chances = np.array([sum(joint.values()) for joint in self.sent.values()])

    def posteriors(self, columns: Sequence[int]) -> list[dict[tuple[int, ...], float]]:
        """For each response those of the values of what was asked of these columns; they add up to 1."""
        found = []
        for meant, asked, whole in zip(self.sent.values(), self.asked, self.chances, strict=True):
            sums: dict[tuple[int, ...], float] = {}
            for truth, chance in meant.items():
                key = tuple(truth[column] for column in columns if asked[column])
                sums[key] = sums.get(key, 0.0) + chance / whole
            found.append(sums)
        return found


@pytest.fixture(scope="module", params=list(designs()))
def seen(request: pytest.FixtureRequest) -> Seen:
    return Seen(request.param)


def test_every_response_is_enumerated_once(seen: Seen) -> None:
    assert seen.chances.sum() == pytest.approx(1, abs=1e-12)


def test_posteriors_of_what_was_asked_are_those_of_bayes(seen: Seen) -> None:
    for column in range(len(seen.survey.questions)):
        sight, expected = seen.eavesdropper.question(column), seen.posteriors([column])
        asked = seen.asked[:, column]
        np.testing.assert_array_equal(sight.asked, asked)
        of_asked = [each for each, there in zip(expected, asked.tolist(), strict=True) if there]
        np.testing.assert_allclose(sight.surest[asked], [max(each.values()) for each in of_asked], rtol=1e-10)
        assert not sight.surest[~asked].any()
        entropies = [bits(np.array(list(each.values()))) for each in of_asked]
        np.testing.assert_allclose(sight.remaining[asked], entropies, rtol=1e-10, atol=1e-12)


def test_the_chance_of_any_truth_of_a_group_or_a_record_is_that_of_bayes(seen: Seen) -> None:
    cells = [cell.columns for cell in seen.eavesdropper.layout.cells]
    for columns in (*cells, tuple(range(len(seen.survey.questions)))):
        expected = seen.posteriors(columns)
        for truth in truths(seen.survey):
            rows = np.tile(np.array(truth, np.int16), (len(seen.asked), 1))
            found = seen.eavesdropper.chances(rows, columns)
            keys = [tuple(truth[column] for column in columns if asked[column]) for asked in seen.asked]
            wanted = [each.get(key, 0.0) for each, key in zip(expected, keys, strict=True)]
            np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-14)


def test_what_other_answers_tell_beside_the_response_is_what_bayes_says(seen: Seen) -> None:
    rng = np.random.default_rng(8)
    possible = [[truth for truth, chance in meant.items() if chance] for meant in seen.sent.values()]
    told = np.array([each[rng.integers(len(each))] for each in possible], np.int16)
    for column in range(len(seen.survey.questions)):
        facts = seen.asked & (rng.random(seen.asked.shape) < 0.6)
        facts[:, column] = False
        sight = seen.eavesdropper.informed(column, told, facts)
        for row, meant in enumerate(seen.sent.values()):
            fitting = {
                truth: chance
                for truth, chance in meant.items()
                if all(truth[place] == told[row, place] for place in np.flatnonzero(facts[row]))
            }
            if seen.asked[row, column]:
                posterior = grouped(fitting, (column,))
                assert sight.remaining[row] == pytest.approx(bits(posterior), abs=1e-9)
                assert sight.surest[row] == pytest.approx(posterior.max(), rel=1e-9)
                assert sight.prior[row] >= sight.remaining[row] - 1e-9


@pytest.mark.statistical
def test_one_fact_tells_a_whole_complement_group_and_adds_nothing_to_coins_of_their_own() -> None:
    """Seeded. Even answers, independent: by one of them the group's coin is known, and no coin of another question."""
    rng = np.random.default_rng(11)
    values = rng.integers(0, 2, (3000, 3)).astype(np.int16)
    together, alone = (
        audit_survey(simulate(yes_no_survey(3, groups, "3/4"), values, rng), rng, known=1) for groups in (1, 3)
    )
    for each in together.questions.values():
        assert each.remaining_bits < 0.01
        assert each.over_99 == 3000
    for each in alone.questions.values():
        assert each.remaining_bits == pytest.approx(0.811, abs=0.01)  # h(3/4)


def test_more_facts_than_there_are_answers_are_all_of_them() -> None:
    survey, rng = yes_no_survey(3, 1, "3/4"), np.random.default_rng(12)
    responses = simulate(survey, rng.integers(0, 2, (60, 3)).astype(np.int16), rng)
    assert audit_survey(responses, rng, known=7).questions["q1"].remaining_bits < 0.05


def test_no_response_makes_an_answer_more_surprising_and_on_average_bits_are_entropies(seen: Seen) -> None:
    everybody = dict.fromkeys(truths(seen.survey), 0.0)
    for meant in seen.sent.values():
        for truth, chance in meant.items():
            everybody[truth] += chance
    for column in range(len(seen.survey.questions)):
        sight = seen.eavesdropper.question(column)
        assert (sight.prior >= sight.remaining - 1e-12).all()
        weights = seen.chances * sight.asked
        assert weights @ sight.prior / weights.sum() == pytest.approx(bits(grouped(everybody, (column,))), abs=1e-10)


@pytest.mark.statistical
@pytest.mark.parametrize("coding", ["", 'coding = "subsets-2"'], ids=["codes of their own", "codes that values share"])
def test_coins_of_what_was_asked_are_estimated_without_knowing_them(coding: str) -> None:
    """Seeded; within four standard errors: fails once in 10,000."""
    rng = np.random.default_rng(4)
    sizes = (2, 3, 4)
    tables = [question(f"q{number}", size, "g", coding * (size > 3)) for number, size in enumerate(sizes)]
    survey = survey_of_tables(tables, 'g = { odds = "9" }', "[sampling]\nask = 2\n")
    kind = rng.random(20_000) < 0.5
    values = np.column_stack([np.where(rng.random(20_000) < 0.9, kind * (size - 1), 1) for size in sizes])
    everybody = replace(survey, sampling=None, groups=(replace(survey.groups[0], channel=uniform(Fraction(1))),))
    codes = simulate(everybody, values.astype(np.int16), rng).codes.copy()
    codes[np.arange(20_000), rng.integers(0, 3, 20_000)] = -1
    coins = rng.random(20_000) < Layout(survey).truths(Responses(survey, codes))[:, 0]
    lies = np.column_stack([rng.choice(each.codes, 20_000) for each in survey.questions])
    sent = np.where(coins[:, np.newaxis] | (codes < 0), codes, lies).astype(np.int16)
    model = fit_latent(Responses(survey, sent[:8000]), rng, most_classes=3)

    guess = coin_guess(survey.groups[0], 0, [Eavesdropper(model, Responses(survey, sent[8000:]), rng)])

    right = (Eavesdropper(model, Responses(survey, sent[8000:]), rng).guesses(0) == coins[8000:]).mean()
    assert guess.tossed == 12_000
    assert guess.truth == pytest.approx(coins.mean(), abs=0.02)
    assert right > guess.without_model + 0.01
    assert guess.guessed_right == pytest.approx(right, abs=4 * guess.standard_error)
    assert guess.expected_right == pytest.approx(right, abs=0.03)


def test_an_audit_of_a_split_questionnaire_tells_of_what_was_asked_and_bits_never_rise() -> None:
    survey, rng = split_survey(), np.random.default_rng(9)
    values = np.column_stack([rng.integers(0, len(each.values), 90) for each in survey.questions])
    values[:, 1:] = np.minimum(values[:, 1:], values[:, [0]])
    responses = simulate(survey, values.astype(np.int16), rng)

    audit = audit_survey(responses, rng)

    assert audit.record.respondents == audit.questions["sick"].respondents == audit.groups["all"].respondents == 90
    for number, each in enumerate(survey.questions):
        if each.sensitive:
            assert audit.questions[each.name].respondents == responses.asked[:, number].sum() < 91
    assert [(coin.group, coin.tossed) for coin in audit.coins if coin.group != "all"] == [
        (name, audit.groups[name].respondents) for name in ("own", "jobs", "pair")
    ]
    for uncertainty in (audit.record, *audit.groups.values(), *audit.questions.values()):
        assert uncertainty.remaining_bits < uncertainty.prior_bits


def test_a_question_that_nobody_was_asked_is_not_spoken_of() -> None:
    survey = split_survey()
    columns = [question.name for question in survey.questions]
    sent = np.full((30, len(columns)), -1, np.int16)
    sent[:, [columns.index(name) for name in ("sick", "sad", "sore")]] = 0

    audit = audit_survey(Responses(survey, sent), np.random.default_rng(10))

    assert set(audit.questions) == {"sick", "sad", "sore"}
    assert set(audit.groups) == {"all"} == {coin.group for coin in audit.coins}
