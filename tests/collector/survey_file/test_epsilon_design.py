"""The designs that keep one epsilon, compiled."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from collector.allocation.problem import Option
from collector.errors import SurveyError
from collector.survey.survey import Survey
from collector.survey_file.epsilon_design import ONE_GROUP, always_asked, design_of, numbers_below_all, problem_of
from collector.survey_file.question_file import QuestionDraft
from collector.survey_file.survey_file import parse_survey
from split_surveys import HEAD, budget_question

OPEN = budget_question("open", 3, "sensitive = false")
QUESTIONS = f"{OPEN}{budget_question('two', 2)}{budget_question('five', 5)}{budget_question('nine', 9)}"
MINING = '[mining]\ntarget = "two"\n'


def survey(privacy: str) -> Survey:
    return parse_survey(f"{HEAD}{QUESTIONS}{privacy}{MINING}")


WHOLE = survey("[privacy]\nepsilon = 6\n")
DRAFTS = [QuestionDraft(each, f'question "{each.name}"', None, None, None) for each in WHOLE.questions]


def test_always_asked_are_the_target_and_what_is_sent_as_it_is() -> None:
    assert always_asked(WHOLE.questions, "nine") == ("open", "nine")
    assert always_asked(WHOLE.questions, None) == ("open",)
    problem = problem_of(Fraction(6), WHOLE.questions, ("open", "two"), "two")
    assert [(each.name, each.values, each.sensitive, each.always) for each in problem.questions] == [
        ("open", 3, False, True),
        ("two", 2, True, True),
        ("five", 5, True, False),
        ("nine", 9, True, False),
    ]


def test_numbers_of_questions_leave_some_for_the_draw_and_ask_not_all() -> None:
    assert [*numbers_below_all(7, 2)] == [3, 4, 5, 6]
    assert [*numbers_below_all(3, 2)] == []
    assert [*numbers_below_all(100, 0)] == [*range(1, 25)]


def test_one_coin_makes_one_group_and_coins_of_their_own_one_each() -> None:
    one = design_of(Option("one coin", 3, (), 1.0), Fraction(6), DRAFTS, ("open", "two"))
    (group,) = one.groups
    assert (group.name, group.questions) == (ONE_GROUP, ("two", "five", "nine"))
    assert group.channel.coin.varies
    assert one.sampling is not None
    assert (one.sampling.ask, one.sampling.always) == (3, ("open", "two"))
    shares = (("two", Fraction(3)), ("five", Fraction(2)), ("nine", Fraction(1)))
    own = design_of(Option("unequal", 4, shares, 1.0), Fraction(6), DRAFTS, ("open", "two"))
    assert [(each.name, each.questions) for each in own.groups] == [(name, (name,)) for name, _ in shares]
    assert own.sampling is None


def test_a_draft_says_its_coding_unless_the_option_does() -> None:
    plain = [replace(each, coding="plain" if each.question.sensitive else None) for each in DRAFTS]
    said = Option("one coin", 4, (), 1.0, (("nine", "subsets-2"),))
    codes = [len(each.coding.codes) for each in design_of(said, Fraction(6), plain, ()).questions]
    assert codes == [3, 2, 5, 36]
    best = Option("even", 4, tuple((name, Fraction(1, 2)) for name in ("two", "five", "nine")), 1.0)
    assert len(design_of(best, Fraction(3, 2), plain, ()).questions[3].coding.codes) == 9
    assert len(design_of(best, Fraction(3, 2), DRAFTS, ()).questions[3].coding.codes) > 9


def test_an_epsilon_that_nothing_keeps_is_refused() -> None:
    with pytest.raises(SurveyError, match=r'group "response": epsilon: .* too small'):
        design_of(Option("one coin", 4, (), 1.0), Fraction(1, 10**9), DRAFTS, ())
