"""Conditions of ``ask_if``: what "and", "or", "not" and brackets mean, against the sets they stand for."""

import itertools

import pytest

from collector.conditions.language import Comparison, written_one_of
from collector.conditions.meaning import Subject, conditions_in
from collector.errors import SurveyError

SUBJECTS = {
    "hurt": Subject("hurt", ("yes", "no", "prefer_not_to_say")),
    "year": Subject("year", ("first", "second", "third"), ordered=True),
    "site": Subject("site", ("north and south", "here or there", "home (rented)", "don't know", "a, b", 'the "hut"')),
    "how": Subject("how", ("words", "net", "words+net", "no_answer"), options=("words", "net")),
    "age": Subject("age", ("<18", "18..65", ">=65", "no_answer"), ordered=True),
}
VALUES = {name: subject.values for name, subject in SUBJECTS.items()}


def subject(test: Comparison) -> Subject:
    return SUBJECTS[test.name]


def met(text: str) -> set[tuple[str, ...]]:
    """The answers to all questions for which a condition holds."""
    found, places = conditions_in(text, "ask_if", subject), {name: place for place, name in enumerate(VALUES)}
    return {
        answers
        for answers in itertools.product(*VALUES.values())
        if all(answers[places[name]] in said for name, said in found)
    }


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("hurt = yes", {"hurt": ("yes",)}),
        ("hurt=yes", {"hurt": ("yes",)}),
        ("not hurt = yes", {"hurt": ("no", "prefer_not_to_say")}),
        ("hurt != yes", {"hurt": ("no", "prefer_not_to_say")}),
        ("not not hurt = yes", {"hurt": ("yes",)}),
        ("year = first or year = third", {"year": ("first", "third")}),
        ("not (year = first or year = third)", {"year": ("second",)}),
        ("not year in (first, second) and hurt = no", {"year": ("third",), "hurt": ("no",)}),
        ("(year = first or year = second) and hurt = no", {"year": ("first", "second"), "hurt": ("no",)}),
        ("hurt = no and (year = second or not year >= second)", {"year": ("first", "second"), "hurt": ("no",)}),
        ("year != second and not year = first", {"year": ("third",)}),
        ("year < second", {"year": ("first",)}),
        ("year <= second", {"year": ("first", "second")}),
        ("year > second", {"year": ("third",)}),
        ("age >= 18", {"age": ("18..65", ">=65")}),
        ("age >= 18 and age < 65.0", {"age": ("18..65",)}),
        ("age <= 18..65", {"age": ("<18", "18..65")}),
        ("not age < 18", {"age": ("18..65", ">=65", "no_answer")}),
        ("how has words", {"how": ("words", "words+net")}),
        ("not how has words", {"how": ("net", "no_answer")}),
        ('site = "north and south"', {"site": ("north and south",)}),
        ("site = here or there", {"site": ("here or there",)}),
        ("site = north and south and hurt = no", {"site": ("north and south",), "hurt": ("no",)}),
        ('site = "here or there" or site = home (rented)', {"site": ("here or there", "home (rented)")}),
        ("site = don't know and hurt = yes", {"site": ("don't know",), "hurt": ("yes",)}),
        ("site in (\"home (rented)\", 'a, b')", {"site": ("home (rented)", "a, b")}),
        ("site in (home (rented), don't know, 'north and south')", {"site": VALUES["site"][:1] + VALUES["site"][2:4]}),
        ('site in ("the ""hut""", \'don\'\'t know\')', {"site": ('the "hut"', "don't know")}),
        ("not (hurt = yes or year = first)", {"hurt": ("no", "prefer_not_to_say"), "year": ("second", "third")}),
        ("hurt = yes and year = first or hurt = yes and year = third", {"hurt": ("yes",), "year": ("first", "third")}),
        ("(hurt = yes or year = first) and year != first", {"hurt": ("yes",), "year": ("second", "third")}),
        ("(hurt = yes or hurt != yes) and year = first", {"year": ("first",)}),
    ],
)
def test_a_condition_holds_for_the_answers_it_says(text: str, allowed: dict[str, tuple[str, ...]]) -> None:
    sets = [allowed.get(name, every) for name, every in VALUES.items()]
    assert met(text) == set(itertools.product(*sets))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("year in (third, first)", (("year", ("third", "first")),)),
        ("year = third or year = first", (("year", ("third", "first")),)),
        ("hurt = no and year = first and hurt in (yes, no)",
         (("hurt", ("no",)), ("year", ("first",)), ("hurt", ("yes", "no")))),
        ("not (year = third or year = first)", (("year", ("second",)),)),
    ],
)  # fmt: skip
def test_conditions_of_single_questions_stay_as_they_stand_so_that_no_published_design_changes(
    text: str, found: tuple[tuple[str, tuple[str, ...]], ...]
) -> None:
    assert conditions_in(text, "ask_if", subject) == found


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("hurt = yes or year = first", ': it joins questions by "or": hurt, year; who is asked is decided question by'),
        ("year = first or year = second and hurt = no", ': it joins questions by "or": year, hurt'),
        ("not (hurt = yes and year = first)", ': it joins questions by "or": hurt, year'),
        ("hurt = yes and year = first or age < 18", ': it joins questions by "or": hurt, year, age'),
        ("(hurt = yes and year = first) and not (hurt = yes and year = first)", ": no answers fit it"),
        ("hurt in (yes, no) or not hurt = yes", ": the condition holds for everybody"),
        ("hurt < yes", ', character 1: "hurt" has no order; use =, != or in'),
        ("age > 18", ', character 1: "age" is known in intervals that begin with 18, 65, and > 18 parts'),
        ("age < 20", ', character 7: "age" is not cut there; compare with a cut point: 18, 65'),
        ("age < no_answer", ', character 7: "no_answer" has no place in the order'),
        ("hurt = yes and year < forth", ', character 23: "year" has no value "forth"; use one of: first, second'),
        ("not site = here", ', character 12: "site" has no value "here"; use one of: "north and south"'),
        ("hurt has yes", ', character 1: "hurt" has no options that are ticked together'),
        ("how has nets", ', character 9: "how" has no option "nets"; did you mean "net"? use one of: words, net'),
    ],
)  # fmt: skip
def test_a_condition_that_says_nothing_we_can_keep_is_refused(text: str, problem: str) -> None:
    with pytest.raises(SurveyError) as refused:
        conditions_in(text, "here", subject)
    assert str(refused.value).startswith(f"here{problem}")


@pytest.mark.parametrize("name", VALUES)
def test_what_is_written_is_read_back(name: str) -> None:
    for size in range(1, len(VALUES[name])):
        for some in itertools.combinations(VALUES[name], size):
            assert conditions_in(written_one_of(name, some)) == ((name, some),)
            assert conditions_in(written_one_of(name, some), "ask_if", subject) == ((name, some),)


def test_a_condition_of_too_many_combinations_of_answers_is_refused_at_once() -> None:
    pairs = " or ".join(f"a{number} = yes and b{number} = yes" for number in range(30))
    with pytest.raises(SurveyError, match="more than 64 combinations"):
        conditions_in(pairs, "ask_if", lambda test: Subject(test.name, ("yes", "no")))
