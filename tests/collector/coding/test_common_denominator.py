"""Fractions as whole numbers over one denominator."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from collector.coding.common_denominator import Over, whole, whole_rows

FRACTIONS = st.fractions(max_denominator=1000)


@given(st.lists(FRACTIONS))
def test_numerators_over_the_denominator_are_the_fractions_again(listed: list[Fraction]) -> None:
    numerators, over = whole(listed)
    assert [Fraction(each, over) for each in numerators] == listed


def test_the_denominator_is_the_least() -> None:
    assert whole([Fraction(1, 4), Fraction(5, 6)]) == ([3, 10], 12)
    assert whole([]) == ([], 1)


@given(st.dictionaries(st.integers(0, 9), st.lists(FRACTIONS)))
def test_a_table_keeps_its_rows(table: dict[int, list[Fraction]]) -> None:
    rows, over = whole_rows(table)
    made = Over(over)
    assert {code: [made[each] for each in row] for code, row in rows.items()} == table
