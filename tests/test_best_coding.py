"""Block designs are designs, and the coding chosen at an epsilon is the one whose estimates vary least."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import comb, exp

import pytest

from collector.best_coding import Design, best_coding, designs, second_moment
from collector.block_design import MOST_CODES, ORDERS, points, projective_blocks, subset_blocks
from collector.channel import UniformChannel
from collector.coding import Coding, block_coding, plain_coding
from collector.errors import SurveyError
from collector.rounding import truth_below
from collector.value_channel import value_transition, value_weights
from split_surveys import question, survey_of_tables

EVEN = {values: (Fraction(1, values),) * values for values in range(2, 257)}


def sevenths(values: int) -> tuple[Fraction, ...]:
    """An uneven prior: each value half as likely as the one before."""
    shares = [Fraction(1, 2**place) for place in range(values)]
    return tuple(share / sum(shares) for share in shares)


@pytest.mark.parametrize("order", [order for order in ORDERS if order <= 16])
def test_hyperplanes_have_equally_many_points_and_any_two_equally_many_in_common(order: int) -> None:
    for dimension in (3, 4):
        if points(order, dimension) > 156:
            continue
        blocks, codes = projective_blocks(points(order, dimension), order)
        assert codes == len(blocks) == points(order, dimension)
        assert {len(block) for block in blocks} == {points(order, dimension - 1)}
        assert {len({*first} & {*second}) for first, second in combinations(blocks, 2)} == {
            points(order, dimension - 2)
        }
        assert all(sum(code in block for block in blocks) == points(order, dimension - 1) for code in range(codes))


@pytest.mark.parametrize(("values", "size"), [(3, 2), (5, 2), (6, 3), (9, 4)])
def test_a_code_stands_for_every_set_of_so_many_values(values: int, size: int) -> None:
    blocks, codes = subset_blocks(values, size)
    sets = {tuple(value for value in range(values) if code in blocks[value]) for code in range(codes)}
    assert sets == set(combinations(range(values), size))


@pytest.mark.parametrize(
    ("scheme", "values", "order"), [("projective", 3, 6), ("projective", 3, 1), ("subsets", 4, 1), ("subsets", 4, 4)]
)
def test_designs_that_there_are_not_are_refused(scheme: str, values: int, order: int) -> None:
    with pytest.raises(SurveyError):
        block_coding(scheme, values, order)


def test_designs_with_too_many_codes_are_refused() -> None:
    with pytest.raises(SurveyError, match=f"more than {MOST_CODES} codes"):
        block_coding("subsets", 20, 10)


BROKEN: dict[str, tuple[str, tuple[int, ...], tuple[int, ...] | None, list[list[tuple[int, int]]]]] = {
    "unequal sizes": ("subsets", (0, 1, 2), None, [[(0, 1), (1, 1)], [(2, 1)]]),
    "unequal overlaps": ("subsets", (0, 1, 2, 3), None, [[(0, 1), (1, 1)], [(1, 1), (2, 1)], [(2, 1), (3, 1)]]),
    "the same twice": ("subsets", (0, 1, 2), None, [[(0, 1), (1, 1)], [(0, 1), (1, 1)]]),
    "all codes": ("subsets", (0, 1), None, [[(0, 1), (1, 1)], [(0, 1), (1, 1)]]),
    "a code twice": ("subsets", (0, 1, 2), None, [[(0, 1), (0, 1)], [(1, 1), (2, 1)]]),
    "weights": ("projective", (0, 1, 2), None, [[(0, 1), (1, 2)], [(1, 1), (2, 1)]]),
    "complements": ("projective", (0, 1, 2, 3), (3, 2, 1, 0), [[(0, 1), (1, 1)], [(1, 1), (2, 1)]]),
    "gaps": ("subsets", (0, 1, 3), None, [[(0, 1), (1, 1)], [(1, 1), (3, 1)]]),
    "one value": ("subsets", (0, 1, 2), None, [[(0, 1), (1, 1)]]),
    "none": ("subsets", (0, 1), None, [[], []]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_block_coding_that_is_no_design_is_refused(name: str) -> None:
    scheme, codes, complements, draws = BROKEN[name]
    with pytest.raises(SurveyError):
        Coding(scheme, codes, complements, tuple(tuple(each) for each in draws))


@pytest.mark.parametrize("weights", [(1, 1), (2, 4), (0, 0), (1, -1), (1,), (1, 2, 3), (1, 2**32)])
def test_a_replacement_that_is_none_is_refused(weights: tuple[int, ...]) -> None:
    plain = plain_coding(2)
    with pytest.raises(SurveyError, match="the weights of its replacement"):
        Coding("plain", plain.codes, None, plain.draws, weights)


def test_a_shared_code_stands_for_several_values_and_for_none_in_particular() -> None:
    coding = block_coding("subsets", 4, 2)
    assert [coding.values_of(code) for code in coding.codes] == list(combinations(range(4), 2))
    with pytest.raises(ValueError, match="stands for several values"):
        coding.value_of(0)
    assert plain_coding(3).values_of(1) == (1,)


def test_tables_show_a_shared_code_itself() -> None:
    survey = survey_of_tables([question("a", 4, "g", 'coding = "subsets-2"')], "g = { epsilon = 1 }")
    assert survey.questions[0].words == ("#0", "#1", "#2", "#3", "#4", "#5")


# What codings cost


@pytest.mark.parametrize(
    "coding",
    [
        plain_coding(4),
        block_coding("subsets", 5, 2),
        block_coding("projective", 7, 2),
        block_coding("projective", 5, 2),
        block_coding("projective", 10, 3),
    ],
    ids=lambda coding: f"{coding.written}, {len(coding.draws)}",
)
def test_the_second_moment_is_what_enumeration_says(coding: Coding) -> None:
    truth, values = Fraction(2, 7), len(coding.draws)
    sent, weights = value_transition(coding, UniformChannel(truth)), value_weights(coding, UniformChannel(truth))
    for prior in (EVEN[values], sevenths(values)):
        mean = sum(
            prior[value] * sent[code][value] * weights[code][counted] ** 2
            for code, value, counted in product(coding.codes, range(values), range(values))
        )
        assert second_moment(coding, truth, prior) == mean


def test_the_closed_form_is_exact_for_whole_designs_and_no_less_for_parts() -> None:
    truth = Fraction(1, 5)
    for values, scheme, order in ((7, "projective", 2), (13, "projective", 3), (6, "subsets", 3)):
        (design,) = [each for each in designs(values) if (each.scheme, each.order) == (scheme, order)]
        assert second_moment(block_coding(scheme, values, order), truth, EVEN[values]) == design.moment(values, truth)
    (part,) = [each for each in designs(10) if (each.scheme, each.order) == ("projective", 3)]
    assert second_moment(block_coding("projective", 10, 3), truth, EVEN[10]) <= part.moment(10, truth)


def excess(values: int, epsilon: float, coding: Coding) -> float:
    """The variance that estimates of all values add up to, for one respondent, under an even prior."""
    truth = truth_below(Fraction(str(epsilon)), coding.sharpness or Fraction(1))
    return float(second_moment(coding, truth, EVEN[values])) - 1 / values


def unary_encoding(values: int, epsilon: float) -> float:
    """The same of optimised unary encoding (Wang and others 2017): bits kept with 1/2, set with 1/(e^epsilon + 1)."""
    stray, kept = 1 / (exp(epsilon) + 1), 1 / 2
    sent = kept / values + stray * (1 - 1 / values)
    square = (sent * (1 - stray) ** 2 + (1 - sent) * stray**2) / (kept - stray) ** 2
    return values * square - 1 / values


def subset_selection(values: int, epsilon: float) -> float:
    """The same of subset selection with as many codes as it takes (Ye & Barg 2018)."""
    whole = (
        Design("subsets", size, Fraction(size, values), Fraction(size - 1, values - 1)) for size in range(1, values)
    )
    return min(float(each.moment(values, each.truth(Fraction(str(epsilon))))) for each in whole) - 1 / values


@pytest.mark.parametrize("epsilon", [0.25, 0.5, 1, 2, 3, 4])
@pytest.mark.parametrize("values", [2, 3, 5, 8, 12, 16, 24, 48])
def test_the_chosen_coding_is_no_worse_than_unary_encoding_or_randomized_response(values: int, epsilon: float) -> None:
    chosen = excess(values, epsilon, best_coding(EVEN[values], Fraction(str(epsilon))))
    assert chosen <= 1.021 * excess(values, epsilon, plain_coding(values))
    assert chosen <= 1.015 * unary_encoding(values, epsilon)
    assert chosen <= 1.08 * subset_selection(values, epsilon)


@pytest.mark.parametrize("values", [2, 3, 4, 6])
def test_few_values_at_a_generous_epsilon_keep_the_plain_coding(values: int) -> None:
    assert best_coding(EVEN[values], Fraction(3)).scheme == "plain"


def test_many_values_get_a_design_with_few_codes() -> None:
    coding = best_coding(EVEN[20], Fraction(1))
    assert (coding.written, len(coding.codes)) == ("projective-4", 21)
    assert comb(20, 5) > MOST_CODES


@pytest.mark.parametrize(("wish", "written"), [("", "projective-4"), ("auto", "projective-4"), ("plain", "plain")])
def test_a_survey_file_gets_the_coding_it_asks_for(wish: str, written: str) -> None:
    more = f'coding = "{wish}"' if wish else ""
    survey = survey_of_tables([question("a", 20, "g", more)], "g = { epsilon = 1 }")
    assert survey.questions[0].coding.written == written
