"""One coin for what is asked of a group: its truth follows from the odds, and every draw has the same guarantee."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import log, prod

import pytest

from benchmarks.exact_table import inverse_of, transition_of
from channels import uniform, uniform_odds
from collector.channel.coin import Coin
from collector.coding.coding import plain_coding
from collector.errors import SurveyError
from split_surveys import GROUPS, SPLIT, question, split_survey, survey_of_tables

CODINGS = [plain_coding(2), plain_coding(3), plain_coding(4)]
ODDS = [Fraction(3), Fraction(1, 7), Fraction(638905609, 10**8)]


@pytest.mark.parametrize("odds", ODDS)
def test_every_draw_has_exactly_the_ratio_of_the_odds(odds: Fraction) -> None:
    channel = uniform_odds(odds)
    for size in (1, 2, 3):
        for codings in combinations(CODINGS, size):
            states = prod(len(coding.codes) for coding in codings)
            at = channel.at(codings)
            assert at == uniform(odds / (odds + states))
            columns = list(zip(*transition_of(at, codings), strict=True))
            assert max(max(column) / min(column) for column in columns) == 1 + odds == channel.ratio(codings)
            assert channel.epsilon(codings) == pytest.approx(log(1 + odds), abs=1e-12)


def test_the_truth_is_the_fraction_that_one_word_can_draw() -> None:
    odds = uniform_odds(Fraction(5, 3))
    assert odds.truth(CODINGS) == Fraction(5, 5 + 3 * 24)
    assert odds.coin.parts(24, 1) == (5, 5 + 3 * 24)
    uniform_odds(Fraction(2**32 - 24)).coin.check_drawn(24, 1)


@pytest.mark.parametrize("odds", [Fraction(2**32 - 23), Fraction(1, 2**28)])
def test_odds_whose_coin_is_finer_than_one_word_are_refused(odds: Fraction) -> None:
    with pytest.raises(SurveyError) as raised:
        uniform_odds(odds).coin.check_drawn(24, 1)
    assert raised.value.place == "odds"
    assert "2^32" in raised.value.problem


def test_channel_times_inverse_is_the_identity_at_every_draw() -> None:
    for codings in combinations(CODINGS, 2):
        channel = uniform_odds(Fraction(5, 3))
        rows = [
            [sum(one * other for one, other in zip(row, column, strict=True)) for column in zip(*at, strict=True)]
            for at in [inverse_of(channel.at(codings), codings)]
            for row in transition_of(channel.at(codings), codings)
        ]
        assert rows == [[int(row == column) for column in range(len(rows))] for row in range(len(rows))]


def test_whatever_is_asked_of_the_channel_takes_what_was_asked_of_the_respondent() -> None:
    channel, at = uniform_odds(Fraction(3)), uniform_odds(Fraction(3)).at(CODINGS)
    assert channel.truth(CODINGS) == at.coin.fixed == Fraction(3, 27)
    assert channel.weights(CODINGS) == at.weights(CODINGS)
    assert transition_of(channel, CODINGS) == transition_of(at, CODINGS)
    assert inverse_of(channel, CODINGS) == inverse_of(at, CODINGS)


def test_a_coin_is_fixed_or_has_odds_and_not_both() -> None:
    for both in ({}, {"fixed": Fraction(1, 2), "odds": Fraction(1)}):
        with pytest.raises(TypeError, match="fixed truth probability or odds"):
            Coin(**both)


@pytest.mark.parametrize("odds", [Fraction(0), Fraction(-1, 2)])
def test_odds_that_are_not_positive_are_refused(odds: Fraction) -> None:
    with pytest.raises(SurveyError, match=r"odds: .* not positive"):
        uniform_odds(odds)


def test_a_survey_gives_the_channel_at_what_was_asked() -> None:
    survey = split_survey()
    group = survey.groups[0]
    odds = group.channel.coin.odds
    assert odds is not None
    assert survey.truth_at(group, ["sick", "sore", "year"]) == odds / (odds + 8)
    assert survey.truth_at(survey.groups[1], ["drug"]) == Fraction(1, 2)


LONE = '[sampling]\nask = 2\nalways = ["sick"]\n'


@pytest.mark.parametrize(
    ("groups", "more", "line"),
    [
        (
            GROUPS.replace("epsilon = 2", 'truth = "1/2", channel = "uniform"'),
            "[sampling]\nask = 3\n",
            'group "all": with one truth each draw of its questions would have another epsilon; give the group an',
        ),
        (
            GROUPS.replace("epsilon", "odds"),
            "",
            'group "all": the group has odds, but all of its questions are always asked',
        ),
        (
            GROUPS.replace("epsilon = 2", "odds = 4294967296"),
            "[sampling]\nask = 3\n",
            'group "all", odds: with 24 combinations of answers its coin is finer than one in 2^32; ask fewer',
        ),
        (GROUPS.replace("epsilon = 2", "odds = 0"), LONE, 'group "all": odds: the odds are not positive'),
        (
            GROUPS.replace("epsilon = 2", "epsilon = 0"),
            LONE,
            'group "all", epsilon: it is not above 0 and at most 100',
        ),
        (
            GROUPS.replace("epsilon = 2", "epsilon = 30"),
            LONE,
            'group "all": epsilon: no truth probability with a denominator up to 2^32 keeps this epsilon',
        ),
        (
            GROUPS.replace("epsilon = 2", "epsilon = 1e-9"),
            "",
            'group "all": epsilon: the epsilon is too small: the responses',
        ),
        (
            GROUPS.replace("epsilon = 2", 'epsilon = 2, truth = "1/2"'),
            LONE,
            'group "all": truth and epsilon determine the same thing; keep one of these keys',
        ),
        (
            GROUPS.replace("epsilon = 2", 'epsilon = 2, channel = "complement"'),
            LONE,
            'group "all", channel: epsilon is of the uniform channel only; remove the key, or give truth instead',
        ),
        (GROUPS.replace("epsilon = 2", 'channel = "uniform"'), LONE, 'group "all": "truth" is missing; add it'),
    ],
)
def test_groups_that_do_not_go_with_the_sampling_are_refused(groups: str, more: str, line: str) -> None:
    with pytest.raises(SurveyError) as raised:
        survey_of_tables(SPLIT, groups, more)
    assert str(raised.value).startswith(line)


@pytest.mark.parametrize(
    ("tables", "groups", "line"),
    [
        (
            [question("a", 3, "g", "replacement = { a0 = 1, a1 = 0, a2 = 0 }"), question("b", 2, "g")],
            'g = { truth = "1/2", channel = "uniform" }',
            'question "a", replacement: it shares its group with others, where the replacement would say nothing',
        ),
        (
            [question("a", 2, "g", "replacement = { a0 = 0.5, a1 = 0.4 }")],
            'g = { truth = "1/2", channel = "uniform" }',
            'question "a", replacement: the frequencies add up to 0.9, not to 1',
        ),
        (
            [question("a", 2, "g", "replacement = { a0 = 1.5, a1 = -0.5 }")],
            'g = { truth = "1/2", channel = "uniform" }',
            'question "a", replacement: a frequency is not positive',
        ),
        (
            [question("a", 2, "g", "replacement = { a0 = 1 }")],
            'g = { truth = "1/2", channel = "uniform" }',
            'question "a", replacement: the value "a1" is missing',
        ),
        (
            [question("a", 2, "g", "replacement = { a0 = 1, a1 = 0 }")],
            'g = { truth = "3/4" }',
            'question "a", replacement: only the uniform channel replaces answers by others',
        ),
        (
            [question("a", 2, "g", "replacement = { a0 = 1, a1 = 0 }")],
            "g = { epsilon = 1 }",
            (
                'group "g": epsilon: a value that is never drawn as a replacement '
                "gives no protection; give the value a probability in replacement, or give truth instead of epsilon"
            ),
        ),
        (
            [question("a", 5, "g", 'coding = "projective-6"')],
            "g = { epsilon = 1 }",
            (
                'question "a": coding: Deniable has no finite field with this number of elements'
                "; use one of: 2, 3, 4, 5, 7"
            ),
        ),
        (
            [question("a", 5, "g", 'coding = "subsets-5"')],
            "g = { epsilon = 1 }",
            'question "a": coding: the size of its subsets is not 2 or more and below the number of values',
        ),
        (
            [question("a", 20, "g", 'coding = "subsets-9"')],
            "g = { epsilon = 1 }",
            (
                'question "a": coding: it needs more than 2048 codes; choose another number of '
                "values, or remove the coding"
            ),
        ),
    ],
)
def test_replacements_and_block_codings_that_do_not_fit_are_refused(tables: list[str], groups: str, line: str) -> None:
    with pytest.raises(SurveyError) as raised:
        survey_of_tables(tables, groups)
    assert str(raised.value).startswith(line)
