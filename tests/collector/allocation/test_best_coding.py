"""Block designs are designs, and the coding chosen at an epsilon is the one whose estimates vary least."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import comb, exp

import numpy as np
import pytest

from channels import uniform
from collector.allocation.best_coding import BlockDesign, best_coding, designs, second_moment
from collector.channel.rounding import truth_below
from collector.channel.value_channel import value_transition
from collector.coding.block_design import (
    MOST_CODES,
    cyclotomic_blocks,
    images,
    is_block_design,
    points,
    projective_blocks,
    subset_blocks,
)
from collector.coding.coding import Coding, block_coding, plain_coding
from collector.coding.finite_field import ORDERS, field
from collector.errors import SurveyError
from exact_tables import value_weights
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
    size = "the size of its subsets is not 2 or more and below the number of values; use a size from 2 to 3"
    field = "Deniable has no finite field with this number of elements; use one of: 2, 3, 4, 5, 7, 8,"
    with pytest.raises(SurveyError, match=f"^coding: {size if scheme == 'subsets' else field}"):
        block_coding(scheme, values, order)


@pytest.mark.parametrize(("order", "size"), [(6, 2), (7, 1), (7, 6), (8, 3), (5, 2)])
def test_base_sets_that_make_no_design_are_refused(order: int, size: int) -> None:
    values = 9 if order == 8 else 6
    problem = f"a base set of {size} in a field of {order} does not make a design for {values} values"
    remedy = f"use a field of {values} elements or more, and a base set of 2 elements to 2 fewer than the field has"
    expected = f"{problem}; {remedy}"
    with pytest.raises(
        SurveyError, match=f"^coding: ({expected}$|Deniable has no finite field with this number of elements; )"
    ):
        block_coding("cyclotomic", values, order, size)


@pytest.mark.parametrize(("scheme", "values", "parameters"), [("subsets", 20, (10,)), ("cyclotomic", 47, (64, 11))])
def test_designs_with_too_many_codes_are_refused(scheme: str, values: int, parameters: tuple[int, ...]) -> None:
    with pytest.raises(SurveyError, match=rf"^coding: .* {MOST_CODES} codes"):
        block_coding(scheme, values, *parameters)


@pytest.mark.parametrize("order", ORDERS)
def test_a_field_adds_and_multiplies_as_one(order: int) -> None:
    sums, times, elements = field(order).sums, field(order).times, range(order)
    assert all(sorted(sums[each]) == [*elements] for each in elements)
    assert all(sorted(times[each]) == [*elements] for each in elements if each)
    assert [sums[0], times[1], times[0]] == [[*elements], [*elements], [0] * order]
    assert sorted(field(order).primitive_powers) == [*elements][1:]
    few = [*range(min(order, 5)), order - 2, order - 1]
    for one, two, three in product(few, repeat=3):
        assert times[one][sums[two][three]] == sums[times[one][two]][times[one][three]]
        assert times[one][times[two][three]] == times[times[one][two]][three]
        assert sums[one][sums[two][three]] == sums[sums[one][two]][three]


OFFERED = sorted(
    {each.parameters for values in range(3, 65) for each in designs(values) if each.scheme == "cyclotomic"}
)


def test_base_sets_are_offered_in_fields_of_every_order_from_four_to_64() -> None:
    assert {order for order, _ in OFFERED} == {order for order in ORDERS if order > 3}
    assert all(
        any(each == (order, size) for each in OFFERED) for order in (43, 53, 61) for size in range(2, order // 2)
    )


POWERS = (4, 8, 9, 16, 25, 27, 32, 49, 64)  # of primes: there a base set may have fewer images


@pytest.mark.parametrize("order", sorted({order for order, _ in OFFERED}))
def test_any_two_elements_are_in_equally_many_images_of_every_base_set(order: int) -> None:
    for size in [size for each, size in OFFERED if each == order]:
        blocks, codes = cyclotomic_blocks(order, order, size)
        assert codes == images(order, size) if order not in POWERS else codes <= images(order, size)
        incidence = np.zeros((codes, order), np.int64)
        for value, block in enumerate(blocks):
            incidence[list(block), value] = 1
        assert (incidence.sum(axis=1) == size).all()
        assert len(np.unique(incidence, axis=0)) == codes
        own, common = codes * size // order, codes * size * (size - 1) // (order * (order - 1))
        assert (incidence.T @ incidence == np.where(np.eye(order), own, common)).all()


@pytest.mark.parametrize(("values", "order", "size"), [(9, 13, 4), (7, 7, 3), (20, 25, 6), (30, 43, 12)])
def test_fewer_values_than_elements_are_a_design_too(values: int, order: int, size: int) -> None:
    coding = block_coding("cyclotomic", values, order, size)
    assert coding.written == f"cyclotomic-{order}-{size}"
    assert is_block_design(coding.blocks, len(coding.codes))
    assert coding.sharpness == Fraction(order, size)


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
        block_coding("cyclotomic", 7, 7, 3),
        block_coding("cyclotomic", 6, 8, 3),
    ],
    ids=lambda coding: f"{coding.written}, {len(coding.draws)}",
)
def test_the_second_moment_is_what_enumeration_says(coding: Coding) -> None:
    truth, values = Fraction(2, 7), len(coding.draws)
    sent, weights = value_transition(coding, uniform(truth)), value_weights(coding, uniform(truth))
    for prior in (EVEN[values], sevenths(values)):
        mean = sum(
            prior[value] * sent[code][value] * weights[code][counted] ** 2
            for code, value, counted in product(coding.codes, range(values), range(values))
        )
        assert second_moment(coding, truth, prior) == mean


def test_the_closed_form_is_exact_for_whole_designs_and_no_less_for_parts() -> None:
    truth = Fraction(1, 5)
    for values, scheme, order in ((7, "projective", 2), (13, "projective", 3), (6, "subsets", 3)):
        (design,) = [each for each in designs(values) if (each.scheme, each.parameters) == (scheme, (order,))]
        assert second_moment(block_coding(scheme, values, order), truth, EVEN[values]) == design.moment(values, truth)
    (part,) = [each for each in designs(10) if (each.scheme, each.parameters) == ("projective", (3,))]
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
        BlockDesign("subsets", (size,), Fraction(size, values), Fraction(size - 1, values - 1), comb(values, size))
        for size in range(1, values)
    )
    return min(float(each.moment(values, each.truth(Fraction(str(epsilon))))) for each in whole) - 1 / values


@pytest.mark.parametrize("epsilon", [0.25, 0.5, 1, 2, 3, 4])
@pytest.mark.parametrize("values", [2, 3, 5, 8, 12, 16, 24, 48])
def test_the_chosen_coding_is_no_worse_than_unary_encoding_or_randomized_response(values: int, epsilon: float) -> None:
    chosen = excess(values, epsilon, best_coding(EVEN[values], Fraction(str(epsilon))))
    assert chosen <= 1.001 * excess(values, epsilon, plain_coding(values))
    assert chosen <= 1.001 * unary_encoding(values, epsilon)
    assert chosen <= 1.006 * subset_selection(values, epsilon)


@pytest.mark.parametrize("values", [2, 3, 4, 6])
def test_few_values_at_a_generous_epsilon_keep_the_plain_coding(values: int) -> None:
    assert best_coding(EVEN[values], Fraction(3)).scheme == "plain"


@pytest.mark.parametrize(
    ("values", "epsilon", "written", "codes"),
    [(20, 1, "projective-4", 21), (16, 1, "cyclotomic-16-4", 20), (43, 1, "cyclotomic-43-12", 301)],
)
def test_many_values_get_a_design_with_few_codes(values: int, epsilon: int, written: str, codes: int) -> None:
    coding = best_coding(EVEN[values], Fraction(epsilon))
    assert (coding.written, len(coding.codes)) == (written, codes)


@pytest.mark.parametrize(("wish", "written"), [("", "projective-4"), ("auto", "projective-4"), ("plain", "plain")])
def test_a_survey_file_gets_the_coding_it_asks_for(wish: str, written: str) -> None:
    more = f'coding = "{wish}"' if wish else ""
    survey = survey_of_tables([question("a", 20, "g", more)], "g = { epsilon = 1 }")
    assert survey.questions[0].coding.written == written
