"""A central epsilon in a survey file decides the epsilon of a response, and is kept by the design that follows."""

from __future__ import annotations

import pytest

from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import SurveyError
from collector.planning.shuffled import central_privacy
from collector.survey_file.survey_file import Compiled, compiled
from split_surveys import HEAD, budget_question


def made(questions: list[str], privacy: str, more: str = "") -> Compiled:
    return compiled(HEAD + "".join(questions) + f"[privacy]\n{privacy}\n" + more)


@pytest.mark.parametrize(("central", "respondents"), [(0.05, 4_000), (0.1, 1_000), (0.5, 100)])
@pytest.mark.parametrize(
    ("questions", "more"),
    [
        ([budget_question("a", 2)], ""),
        ([budget_question("a", 5)], ""),
        ([budget_question("a", 2), budget_question("b", 3)], ""),
        ([budget_question(name, 3) for name in "abcd"], "[sampling]\nask = 2\n"),
    ],
    ids=["two values", "five values", "two questions", "split"],
)
def test_the_design_keeps_the_central_epsilon_and_has_a_larger_local_one(
    questions: list[str], more: str, central: float, respondents: int
) -> None:
    found = made(questions, f"central_epsilon = {central}\nrespondents = {respondents}", more)
    stated = central_privacy(found.survey, respondents)
    assert stated.epsilon <= central * (1 + 1e-9)
    assert stated.local > central
    if len(questions) == 1 and len(found.survey.questions[0].values) == 2:
        assert stated.epsilon >= central * 0.99, "less noise would do"
    assert found.plan is not None
    first = found.plan.lines[0]
    assert first.startswith(
        f"Central epsilon {central:g} for readers of what is published, with {respondents:,} respondents"
    )
    assert f"epsilon {float(found.plan.epsilon):g} of a whole response" in first
    assert SurveyPrivacy(found.survey).epsilon <= float(found.plan.epsilon)


def test_few_respondents_hide_nobody_and_the_local_epsilon_is_the_central_one() -> None:
    found = made([budget_question("a", 3)], "central_epsilon = 1.5\nrespondents = 1")
    assert found.plan is not None
    assert found.plan.epsilon == 1.5


def test_a_smaller_delta_takes_more_disguise() -> None:
    usual, small = (
        made([budget_question("a", 2)], f"central_epsilon = 0.1\nrespondents = 4000\n{delta}").plan
        for delta in ("", 'delta = "1/1000000000"')
    )
    assert usual is not None
    assert small is not None
    assert small.epsilon < usual.epsilon


@pytest.mark.parametrize(
    ("privacy", "message"),
    [
        ("central_epsilon = 1", "a central epsilon needs a number of respondents"),
        ("central_epsilon = 1\nrespondents = 0", "a central epsilon needs a number of respondents"),
        ("central_epsilon = 0\nrespondents = 10", "it is not above 0 and at most 100"),
        ("central_epsilon = 1\nrespondents = 10\nnew = 0", "the number of new people is below 1"),
        ("central_epsilon = 1\nrespondents = 10\ndelta = 1", "delta is not between 0 and 1"),
        ("central_epsilon = 1\nrespondents = 10\nepsilon = 2", "[privacy] has both an epsilon and a central epsilon"),
        ("epsilon = 1\nrespondents = 10", "respondents, new and delta belong to a central epsilon"),
        ("coins = 'one'", "privacy, epsilon: the epsilon is missing"),
    ],
)
def test_what_does_not_go_together_is_refused(privacy: str, message: str) -> None:
    with pytest.raises(SurveyError, match="privacy") as refused:
        made([budget_question("a", 2)], privacy)
    assert message in str(refused.value)
