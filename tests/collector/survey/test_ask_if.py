"""Conditions of ``ask_if``: what "and", "or", "not" and brackets mean, against the sets they stand for."""

import itertools

import pytest

from collector.errors import SurveyError
from collector.survey.condition import condition_text, conditions_in

VALUES = {
    "hurt": ("yes", "no", "prefer_not_to_say"),
    "year": ("first", "second", "third"),
    "site": ("north and south", "here or there", "home (rented)", "don't know"),
}


def values(name: str, option: str | None) -> tuple[str, ...]:
    assert option is None or (name, option) == ("year", "odd")
    return ("first", "third") if option else VALUES[name]


def met(text: str) -> set[tuple[str, ...]]:
    """The answers to all three questions for which a condition holds."""
    places = {name: place for place, name in enumerate(VALUES)}
    return {
        answers
        for answers in itertools.product(*VALUES.values())
        if all(answers[places[name]] in said for name, said in conditions_in(text, values=values))
    }


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("hurt = yes", {"hurt": ("yes",)}),
        ("not hurt = yes", {"hurt": ("no", "prefer_not_to_say")}),
        ("not not hurt = yes", {"hurt": ("yes",)}),
        ("year = first or year = third", {"year": ("first", "third")}),
        ("not (year = first or year = third)", {"year": ("second",)}),
        ("not year in (first, second) and hurt = no", {"year": ("third",), "hurt": ("no",)}),
        ("(year = first or year = second) and hurt = no", {"year": ("first", "second"), "hurt": ("no",)}),
        ("hurt = no and (year = second or not year has odd)", {"year": ("second",), "hurt": ("no",)}),
        ("year has odd and not year = first", {"year": ("third",)}),
        ("year = first or year has odd and not year = first", {"year": ("first", "third")}),
        ('site = "north and south"', {"site": ("north and south",)}),
        ("site = here or there", {"site": ("here or there",)}),
        ("site = north and south and hurt = no", {"site": ("north and south",), "hurt": ("no",)}),
        ('site = "here or there" or site = home (rented)', {"site": ("here or there", "home (rented)")}),
        ("site = don't know and hurt = yes", {"site": ("don't know",), "hurt": ("yes",)}),
    ],
)
def test_a_condition_holds_for_the_answers_it_says(text: str, allowed: dict[str, tuple[str, ...]]) -> None:
    sets = [allowed.get(name, every) for name, every in VALUES.items()]
    assert met(text) == set(itertools.product(*sets))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("hurt = yes or year = first", 'it joins questions by "or": hurt, year'),
        ("year = first or year = second and hurt = no", 'it joins questions by "or": year, hurt'),
        ("not (hurt = yes and year = first)", '"not" before several questions joins them by "or": hurt, year'),
        ("(hurt = yes", "it cannot be read"),
        ("hurt = yes)", "it cannot be read"),
        ("hurt is yes", 'it cannot be read: "hurt is yes"'),
        ("not", "it cannot be read"),
        ("", "it cannot be read"),
        ("not " * 60 + "hurt = yes", "it cannot be read"),
    ],
)
def test_a_condition_that_says_nothing_we_can_keep_is_refused(text: str, problem: str) -> None:
    with pytest.raises(SurveyError) as refused:
        conditions_in(text, "here", values)
    assert str(refused.value).startswith(f"here: {problem}")


def test_without_questions_above_not_is_refused() -> None:
    with pytest.raises(SurveyError, match="it cannot be read"):
        conditions_in("not hurt = yes")


@pytest.mark.parametrize("name", VALUES)
def test_what_is_written_is_read_back_or_not_written(name: str) -> None:
    for size in (1, 2, 3):
        for some in itertools.combinations(VALUES[name], size):
            text = condition_text((name, some))
            assert text is None or conditions_in(text) == ((name, some),)
            plain = all(value.isalpha() for value in some)
            assert text is not None or not plain
