"""One question through a channel: weights are unbiased for every value, exactly, for every channel and coding."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from benchmarks.exact_table import event_weight, transition_of
from channels import complement, uniform, uniform_odds
from collector.channel.channel import Channel
from collector.channel.value_channel import value_transition
from collector.coding.coding import Coding, balanced_coding, block_coding, plain_coding, szucs_coding
from exact_tables import value_weights

PRIOR = (Fraction(1, 2), Fraction(3, 10), Fraction(1, 5))
UNEVEN = (Fraction(7, 10), Fraction(1, 5), Fraction(1, 10))
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
CASES: dict[str, tuple[Coding, Channel | None]] = {
    "open": (plain_coding(4), None),
    "complement of a pair": (balanced_coding((THIRD, 1 - THIRD)), complement(Fraction(4, 5))),
    "complement, several codes": (balanced_coding(PRIOR), complement(Fraction(1, 5))),
    "complement, one value over half": (balanced_coding(UNEVEN), complement(Fraction(4, 5))),
    "complement, a value alone": (szucs_coding(PRIOR), complement(Fraction(4, 5))),
    "k-ary randomized response": (plain_coding(5), uniform(Fraction(2, 7))),
    "as it is": (plain_coding(3), uniform(Fraction(1))),
    "forced response": (plain_coding(2, (Fraction(3, 4), Fraction(1, 4))), uniform(Fraction(2, 3))),
    "forced yes": (plain_coding(2, (Fraction(1), Fraction(0))), uniform(Fraction(2, 3))),
    "unrelated question": (plain_coding(3, PRIOR), uniform(HALF)),
    "Fano plane": (block_coding("projective", 7, 2), uniform(Fraction(1, 4))),
    "five lines of it": (block_coding("projective", 5, 2), uniform(Fraction(1, 4))),
    "order four": (block_coding("projective", 16, 4), uniform(Fraction(1, 3))),
    "order nine": (block_coding("projective", 12, 9), uniform(Fraction(1, 3))),
    "planes of a space": (block_coding("projective", 15, 2), uniform(Fraction(1, 8))),
    "pairs of values": (block_coding("subsets", 4, 2), uniform(HALF)),
    "triples of values": (block_coding("subsets", 7, 3), uniform(Fraction(2, 9))),
    "sides of three thresholds": (block_coding("thresholds", 4), uniform(Fraction(2, 7))),
    "sides of six": (block_coding("thresholds", 7), uniform(Fraction(1, 9))),
    "with odds": (plain_coding(3), uniform_odds(Fraction(7)).at([plain_coding(2), plain_coding(3)])),
}


@pytest.mark.parametrize("case", CASES)
def test_the_weights_of_values_are_unbiased_for_every_truth(case: str) -> None:
    coding, channel = CASES[case]
    sent, weights = value_transition(coding, channel), value_weights(coding, channel)
    values = range(len(coding.draws))
    assert list(sent) == list(weights) == list(coding.codes)
    for truth, counted in product(values, repeat=2):
        mean = sum(sent[code][truth] * weights[code][counted] for code in coding.codes)
        assert mean == (truth == counted)


@pytest.mark.parametrize("case", CASES)
def test_the_weights_of_a_code_add_up_to_one_and_so_do_its_chances(case: str) -> None:
    coding, channel = CASES[case]
    assert {sum(row) for row in value_weights(coding, channel).values()} == {1}
    columns = zip(*value_transition(coding, channel).values(), strict=True)
    assert {sum(column) for column in columns} == {1}


@pytest.mark.parametrize(
    "case", [name for name, (coding, channel) in CASES.items() if channel is not None and len(coding.codes) <= 16]
)
def test_what_is_sent_for_a_value_is_what_the_channel_does_to_its_codes(case: str) -> None:
    coding, channel = CASES[case]
    assert channel is not None
    matrix = transition_of(channel, [coding])
    for value, draws in enumerate(coding.draws):
        total = sum(weight for _, weight in draws)
        for column, code in enumerate(coding.codes):
            chance = sum(Fraction(weight, total) * matrix[coding.codes.index(own)][column] for own, weight in draws)
            assert value_transition(coding, channel)[code][value] == chance


@pytest.mark.parametrize("case", [name for name, (coding, _) in CASES.items() if not coding.shared])
def test_where_a_code_stands_for_one_value_the_weights_are_those_of_its_event(case: str) -> None:
    coding, channel = CASES[case]
    if channel is None or coding.scheme == "szucs":
        return
    for code, weights in value_weights(coding, channel).items():
        for value, weight in enumerate(weights):
            event = [frozenset(coding.codes_of(value))]
            assert weight == event_weight(channel, (code,), event, [coding])


def test_a_question_among_others_has_the_weights_of_the_channel_at_all_that_is_asked() -> None:
    codings = [plain_coding(2), plain_coding(3)]
    whole = uniform_odds(Fraction(7)).at(codings)
    weights = value_weights(codings[1], whole)
    for codes in product(range(2), range(3)):
        for value in range(3):
            assert event_weight(whole, codes, [None, frozenset({value})], codings) == weights[codes[1]][value]
