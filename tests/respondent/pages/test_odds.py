"""The odds in words say what the channel does, exactly."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from respondent.pages.card import example, limits, open_questions
from respondent.pages.languages import interface
from respondent.pages.odds import THESE, CodeOdds, Odds, code_odds, code_words, question_odds, sent_values, value_words
from vector_surveys import SPLIT

ENGLISH = interface("en")
THIRDS = "prior = { x = 0.5, y = 0.25, z = 0.25 }"


def one_question(kind: str, group: str, extra: str = "") -> Survey:
    values = {"yes_no": "", "number": "cuts = [0.5, 800]\nunit = 'EUR'"}.get(kind, 'values = ["x", "y", "z"]')
    return parse_survey(f"""
name = "s"
title = "S"
languages = ["en"]
[[questions]]
name = "q"
label = "Q?"
kind = "{kind}"
group = "g"
{values}
{extra}
[groups]
g = {{ {group} }}
""")


def odds_of(survey: Survey, name: str = "q") -> Odds:
    return question_odds(survey, survey.question(name), ENGLISH)


def headline(survey: Survey, name: str = "q") -> str:
    return odds_of(survey, name).headline


def test_both_answers_of_a_yes_no_question_are_told() -> None:
    assert headline(one_question("yes_no", 'truth = "3/4"')) == (
        "Of 100 people whose true answer is Yes, 25 will have No sent. "
        "Of 100 people whose true answer is No, 25 will have Yes sent."
    )


def test_thirds_are_told_of_three_people() -> None:
    told = headline(one_question("yes_no", 'truth = "2/3"'))
    assert told.startswith("Of 3 people whose true answer is Yes, 1 will have No sent.")


@pytest.mark.parametrize(
    ("truth", "words"),
    [
        ("1000/1001", "Of 1000 people whose true answer is Yes, fewer than 1 will have No sent."),
        ("1/1001", "Of 1000 people whose true answer is Yes, more than 999 will have No sent."),
        ("1001/2003", "Of 1000 people whose true answer is Yes, about 500 will have No sent."),
        ("999/1000", "Of 1000 people whose true answer is Yes, 1 will have No sent."),
    ],
)
def test_what_no_thousand_people_show_exactly_is_rounded_but_never_to_certainty(truth: str, words: str) -> None:
    assert headline(one_question("yes_no", f'truth = "{truth}"')).startswith(words)


def test_a_value_with_two_codes_has_two_partners() -> None:
    odds = odds_of(one_question("choice", 'truth = "4/5"', THIRDS))
    assert odds.headline == "Of 100 people, whatever their true answer, 20 will have another answer sent."
    assert odds.lines == (
        "Of 100 people whose true answer is x, 80 will have x sent, 10 will have y sent and 10 will have z sent.",
        "Of 100 people whose true answer is y, 20 will have x sent and 80 will have y sent.",
        "Of 100 people whose true answer is z, 20 will have x sent and 80 will have z sent.",
    )


def test_uniform_counts_only_those_whose_answer_changes() -> None:
    assert headline(one_question("number", 'truth = "2/3", channel = "uniform"')) == (
        "Of 9 people, whatever their true answer, 2 will have another answer sent: any other, equally often."
    )


def test_a_value_that_szucs_coding_left_alone_is_said_to_show() -> None:
    odds = odds_of(one_question("choice", 'truth = "4/5"', f"{THIRDS}\ncoding = 'szucs'"))
    assert odds.headline == "What is sent depends on your true answer."
    assert [line for line in odds.lines if line.startswith("All people whose true answer is")]
    assert sum("what is sent shows it" in line for line in odds.lines) == 1


def test_what_hides_nothing_says_so() -> None:
    assert headline(one_question("yes_no", "truth = 1")) == "Sent as it is: this survey does not disguise it."
    assert headline(one_question("yes_no", "truth = 0")).endswith("The disguise is certain, so that it hides nothing.")


def test_a_shared_coin_is_told_with_what_one_outside_fact_reveals(wellbeing: Survey) -> None:
    for name in ("cannabis", "drinking"):
        assert odds_of(wellbeing, name).lines[-1] == (
            "One coin decides for questions 2 and 3 together: whoever knows your true answer to one of them "
            "can work out the other from what is sent."
        )
    assert odds_of(wellbeing, "debt").lines == ()


def test_a_question_that_is_not_disguised_says_so(wellbeing: Survey) -> None:
    assert headline(wellbeing, "year") == "Sent as it is: this question is not disguised."


def test_the_shares_are_exact_and_add_up(wellbeing: Survey) -> None:
    for question in wellbeing.questions:
        group = wellbeing.group_of(question.name)
        if group is not None:
            sent = sent_values(question, group.channel)
            assert [sum(shares.values()) for shares in sent] == [1] * len(question.values)
    drinking = wellbeing.question("drinking")
    channel = wellbeing.groups[0].channel
    assert sent_values(drinking, channel)[0] == {0: Fraction(4, 5), 1: Fraction(3, 25), 2: Fraction(2, 25)}


def test_the_people_of_every_line_add_up(wellbeing: Survey) -> None:
    for line in question_odds(wellbeing, wellbeing.question("drinking"), ENGLISH).lines[:-1]:
        base, *counts = map(int, re.findall(r"\d+", line))
        assert sum(counts) == base


def test_values_are_said_as_people_say_them() -> None:
    survey = one_question("number", 'truth = "2/3", channel = "uniform"')
    words = [value_words(survey.question("q"), value, ENGLISH) for value in range(3)]
    assert words == ["under 0.5 EUR", "0.5 to under 800 EUR", "800 EUR or more"]
    yes_no = one_question("yes_no", 'truth = "2/3"').question("q")
    assert [value_words(yes_no, value, ENGLISH) for value in range(2)] == ["Yes", "No"]


def test_a_number_of_one_stands_without_its_unit() -> None:
    survey = one_question("number", 'truth = "2/3", channel = "uniform"').question("q")
    days = replace(survey, cuts=(1, 7), values=("<1", "1..7", ">=7"), unit="days")
    assert [value_words(days, value, ENGLISH) for value in range(3)] == [
        "under 1",
        "1 to under 7 days",
        "7 days or more",
    ]


def test_values_without_words_read_as_words_unless_two_would_read_the_same() -> None:
    choice = one_question("choice", 'truth = "4/5"').question("q")
    plain = replace(choice, values=("not_at_all", "a bit", "very_much"))
    assert [value_words(plain, value, ENGLISH) for value in range(3)] == ["not at all", "a bit", "very much"]
    twins = replace(choice, values=("a_bit", "a bit", "_"))
    assert [value_words(twins, value, ENGLISH) for value in range(3)] == ["a_bit", "a bit", "_"]


def test_values_read_as_the_survey_words_them_in_each_language(bilingual: Survey) -> None:
    drinking = bilingual.question("drinking")
    assert value_words(drinking, 0, ENGLISH) == "Never"
    assert value_words(drinking, 0, interface("ar")) == "أبدا"
    assert value_words(bilingual.question("cannabis"), 0, interface("ar")) == "نعم"


def test_a_language_without_a_catalogue_is_told_in_english(wellbeing: Survey) -> None:
    assert value_words(wellbeing.question("cannabis"), 0, interface("nl")) == "Yes"


def test_each_code_is_explained_by_those_for_whom_it_is_sent(wellbeing: Survey) -> None:
    assert code_odds(wellbeing, wellbeing.question("cannabis"), ENGLISH) == {
        0: CodeOdds(100, (("80", 0), ("20", 1))),
        1: CodeOdds(100, (("20", 0), ("80", 1))),
    }
    assert code_odds(wellbeing, wellbeing.question("year"), ENGLISH) == {}


def test_under_uniform_every_other_answer_is_told_at_once(wellbeing: Survey) -> None:
    told = code_odds(wellbeing, wellbeing.question("income"), ENGLISH)
    assert told[1] == CodeOdds(12, (("9", 1), ("1", None)))


def test_what_is_told_of_all_codes_of_a_value_adds_up(wellbeing: Survey) -> None:
    drinking = wellbeing.question("drinking")
    told = code_odds(wellbeing, drinking, ENGLISH).values()
    for value in range(len(drinking.values)):
        shares = [Fraction(int(count), each.base) for each in told for count, meant in each.shares if meant == value]
        assert sum(shares) == 1


def test_codes_of_one_value_are_told_apart_and_one_that_stands_for_nothing_is_a_number() -> None:
    question = one_question("choice", 'truth = "4/5"', THIRDS).question("q")
    assert [code_words(question, code, ENGLISH) for code in question.codes] == ["x (code 0)", "x (code 1)", "y", "z"]
    lone = one_question("choice", 'truth = "4/5"', f"{THIRDS}\ncoding = 'szucs'")
    assert "code 2" in [code_words(lone.question("q"), code, ENGLISH) for code in lone.question("q").codes]


SAMPLED = parse_survey(SPLIT)


def test_a_code_that_stands_for_several_answers_is_told_so() -> None:
    assert odds_of(SAMPLED, "city") == Odds(
        "What is sent stands for several answers at once. Of 21 people, whatever their true answer, it is among them "
        "for 15; any other answer is among them for 8."
    )
    assert code_odds(SAMPLED, SAMPLED.question("city"), ENGLISH) == {"any": CodeOdds(42, (("10", THESE), ("3", None)))}


def test_thresholds_of_a_scale_are_told_by_how_often_the_side_is_right() -> None:
    assert odds_of(SAMPLED, "mood") == Odds(
        "What is sent says whether your answer is above a point of the scale that is drawn by chance. Of 100 people, "
        "whatever their true answer, this is right for 70."
    )
    assert code_odds(SAMPLED, SAMPLED.question("mood"), ENGLISH) == {"any": CodeOdds(30, (("7", THESE), ("3", None)))}


def test_a_published_replacement_is_told_with_each_answer_s_own_odds() -> None:
    assert headline(SAMPLED, "debt") == (
        "Of 12 people whose true answer is Yes, 1 will have No sent. "
        "Of 100 people whose true answer is No, 25 will have Yes sent."
    )
    assert headline(SAMPLED, "vice") == "What is sent depends on your true answer."
    assert code_odds(SAMPLED, SAMPLED.question("vice"), ENGLISH)[0] == CodeOdds(3, (("1", 0),))


def test_odds_that_depend_on_what_else_is_asked_are_told_from_the_fewest_to_the_most() -> None:
    told = odds_of(SAMPLED, "income")
    assert told.headline == (
        "Of 481 people, whatever their true answer, 148 to 260 will have another answer sent: the more, the more "
        "questions share their coin."
    )
    assert told.lines[0].startswith("One coin decides for questions “Income?”, “Rent?” and “Loans?” together")
    assert code_odds(SAMPLED, SAMPLED.question("income"), ENGLISH) == {}


def test_the_odds_that_are_told_are_among_those_of_some_draw() -> None:
    """The two ends by enumeration of every draw that asks the question."""
    assert SAMPLED.sampling is not None
    lies = [lie * Fraction(1, 2) for lie in lies_of_draws("rent")]
    base, low, high = map(int, re.findall(r"\d+", headline(SAMPLED, "rent")))
    assert (Fraction(low, base), Fraction(high, base)) == (min(lies), max(lies))


def lies_of_draws(name: str) -> list[Fraction]:
    """The chance that the coin says disguise, in every draw that asks a question."""
    group = SAMPLED.group_of(name)
    assert SAMPLED.sampling is not None
    assert group is not None
    draws = SAMPLED.sampling.draws([each.name for each in SAMPLED.questions])
    return [1 - SAMPLED.truth_at(group, asked) for asked in draws if name in asked]


def test_codes_that_stand_for_several_answers_have_odds_that_depend_on_what_else_is_asked() -> None:
    """An answer has 2 of 5 codes, and another answer 1 in 4 of these."""
    lies = lies_of_draws("loans")
    own = [1 - lie + lie * Fraction(2, 5) for lie in lies]
    other = [(1 - lie) * Fraction(1, 4) + lie * Fraction(2, 5) for lie in lies]
    told = headline(SAMPLED, "loans")
    assert told.startswith("What is sent stands for several answers at once.")
    base, *numbers = map(int, re.findall(r"\d+", told))
    assert [Fraction(each, base) for each in numbers] == [min(own), max(own), min(other), max(other)]


def test_where_not_all_are_asked_the_same_questions_are_called_by_their_labels() -> None:
    lines = limits(SAMPLED, ENGLISH)
    assert lines[0].startswith("Question “Were you afraid?”: what is sent for it may raise")
    assert not any(re.match(r"Question \d", line) for line in lines)
    assert open_questions(SAMPLED, ENGLISH) == "Not disguised, and sent as answered: question “Which year?”."
    picture = example(SAMPLED, ENGLISH)
    assert picture is not None
    assert (
        picture.line
        == "Question “Were you afraid?”, for example. Of 100 people whose true answer is No, 20 will have Yes sent."
    )
