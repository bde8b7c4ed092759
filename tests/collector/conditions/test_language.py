"""The grammar of conditions: how they are read, and what is said where they cannot be."""

import pytest

from collector.conditions.language import Comparison, Joined, comparisons_in, parsed, written
from collector.errors import SurveyError


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("q = 800 or more", ("800 or more",)),
        ("q = 800 or more and r = a", ("800 or more",)),
        ("q in (a (b, c), d)", ("a (b, c)", "d")),
        ("q in (HIV (positive), negative)", ("HIV (positive)", "negative")),
        ('q in ("HIV (positive)", negative)', ("HIV (positive)", "negative")),
        ("q = <400", ("<400",)),
        ("q =<400", ("<400",)),
        ("q = R & D", ("R & D",)),
        ("q = this OR that", ("this OR that",)),
        ("q in (<400, >=1500)", ("<400", ">=1500")),
        ("q = 'a and r = b'", ("a and r = b",)),
        ("q = 'don''t'", ("don't",)),
        ('q = "say ""no"""', ('say "no"',)),
        ("q has it's", ("it's",)),
        ("q = this and that or others", ("this and that or others",)),
    ],
)
def test_a_value_is_read_as_it_stands_with_and_without_quotes(text: str, values: tuple[str, ...]) -> None:
    first, *_ = comparisons_in(text)
    assert (first.name, first.values) == ("q", values)


def test_not_binds_closer_than_and_which_binds_closer_than_or() -> None:
    a, b, c = (Comparison(name, "=", ("x",), at, (at + 4,)) for name, at in (("a", 4), ("b", 14), ("c", 23)))
    assert parsed("not a = x and b = x or c = x", "") == Joined("or", (Joined("and", (Joined("not", (a,)), b)), c))


def test_words_of_the_language_may_be_names_of_questions_where_they_cannot_be_words() -> None:
    found = comparisons_in("not = yes and not has = no and or != a or not not = no")
    assert [(each.name, each.values) for each in found] == [
        ("not", ("yes",)), ("has", ("no",)), ("or", ("a",)), ("not", ("no",))
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "at", "problem"),
    [
        ("", 1, "the name of a question is missing"),
        ("not", 4, "the name of a question is missing"),
        ("q = a and", 10, "the name of a question is missing"),
        ("(q = a", 1, "the bracket is not closed"),
        ("q = a)", 6, "it closes a bracket that is not open"),
        ("q in (a, b", 6, "the bracket is not closed"),
        ("q in a", 6, '"(" is missing'),
        ("q in ()", 7, "a value is missing"),
        ("q in (a, )", 10, "a value is missing"),
        ("q = (a", 5, "the bracket is not closed"),
        ("q = ", 5, "a value is missing"),
        ("q = and r = b", 5, "a value is missing"),
        ("q == a", 3, '"==" is not written so here'),
        ("q <> a", 3, '"<>" is not written so here'),
        ("q => 3", 3, '"=>" is not written so here'),
        ("!q = a", 1, '"!" is not written so here'),
        ("q = a and NOT r = b", 11, '"NOT" is not written so here'),
        ("q = a && r = b", 7, '"&&" does not join conditions'),
        ("q = a || not (r in (b))", 7, '"||" does not join conditions'),
        ("q = a OR r has b", 7, '"OR" does not join conditions'),
        ("q is a", 3, '"q" needs a comparison'),
        ("q = 'a", 5, "the quotes are not closed"),
        ("q = 'a'b", 8, "the quotes end before the value does"),
        ("q = 'a' r = b", 9, "the comparison before this is complete"),
        ("(q = 'a' r = b)", 10, "the comparison before this is complete"),
        ("not " * 60 + "q = a", 205, 'more than 50 brackets and "not" stand in each other'),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_character(text: str, at: int, problem: str) -> None:
    with pytest.raises(SurveyError) as refused:
        parsed(text, "here")
    assert (refused.value.place, refused.value.problem) == (f"here, character {at}", problem)
    assert refused.value.remedy
    assert comparisons_in(text) == []


@pytest.mark.parametrize(
    "value", ["yes", "and", "<5", "a, b", "'tis", "don't", 'a "b"', '"', "a (b", "=", "é", "-1", "not a"]
)
def test_a_value_is_written_so_that_it_is_read_back(value: str) -> None:
    for text in (f"q = {written(value)}", f"not q in (x, {written(value)}) and r = b", f"(q has {written(value)})"):
        assert comparisons_in(text)[0].values[-1] == value
