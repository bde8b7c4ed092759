"""Options that become certain not to be ticked, and priors where answers are too many to be listed."""

from __future__ import annotations

import pytest

from collector.disclosure import family as family_module
from collector.disclosure.families import family_of
from collector.disclosure.privacy import SurveyPrivacy
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from watching import bits, is_forced, posteriors

HEAD = 'name = "s"\ntitle = "S"\nlanguages = ["en"]\n'
DRUGS = """
[[questions]]
name = "drugs"
label = "Which did you take?"
kind = "multiple"
options = { speed = "Speed", cannabis = "Cannabis", khat = "Khat" }
most = 1
decline = true
group = "drugs"
[[questions]]
name = "others"
label = "Others do?"
kind = "yes_no"
ask_if = "not drugs has khat"
unasked = "sent"
group = "others"
[groups]
drugs = { truth = "1/4" }
others = { truth = "1/3", channel = "complement" }
"""
OWN = """
[[questions]]
name = "gate"
label = "Gate?"
kind = "choice"
values = ["a", "b", "c"]
group = "gate"
[[questions]]
name = "ills"
label = "Which?"
kind = "multiple"
options = { cough = "Cough", fever = "Fever" }
none = "None of these"
coins = "one"
ask_if = "gate = a"
unasked = "sent"
group = "ills"
[groups]
gate = { truth = "1/4", channel = "uniform" }
ills = { truth = "3/5", channel = "complement" }
"""
NESTED = """
[[questions]]
name = "mood"
label = "How?"
kind = "grid"
statements = { home = "Home", work = "Work" }
values = ["bad", "fair", "good"]
group = "mood"
[[questions]]
name = "often"
label = "Often?"
kind = "grid"
statements = { day = "Day", night = "Night" }
values = ["no", "yes"]
decline = true
ask_if = "mood_home in (bad, fair)"
unasked = "sent"
group = "often"
[[questions]]
name = "aids"
label = "Which?"
kind = "multiple"
options = { pill = "Pill", tea = "Tea", talk = "Talk" }
least = 2
coins = "one"
ask_if = "often_day = yes and not mood_home = bad"
unasked = "sent"
group = "often"
[groups]
mood = { truth = "1/3", channel = "uniform" }
often = { truth = "1/5", channel = "uniform" }
"""


def survey(text: str) -> Survey:
    return parse_survey(HEAD + text)


@pytest.mark.parametrize(("text", "told"), [(DRUGS, '"khat" not ticked goes from'), (OWN, "that it was not ticked")])
def test_a_design_of_which_a_response_rules_an_option_out_is_refused_and_its_remedy_mends_it(
    text: str, told: str
) -> None:
    """Whoever did not tick it may have declined, or not have been asked: no single answer is certain."""
    design = survey(text)
    assert is_forced(design.canonical)
    refusals = SurveyPrivacy(design).refusals
    assert any(told in each.problem and "100.0%" in each.problem for each in refusals)
    assert {each.remedy.rpartition(": ")[2] for each in refusals} <= {"others", "ills"}
    assert all('channel = "uniform"' in each.remedy for each in refusals)
    mended = survey(text.replace("complement", "uniform"))
    assert not is_forced(mended.canonical)
    assert not SurveyPrivacy(mended).refusals


def test_an_open_gate_that_shows_who_is_not_asked_does_not_rule_an_option_out() -> None:
    gate = '[[questions]]\nname = "gate"\nlabel = "G?"\nkind = "yes_no"\nsensitive = false\n'
    asked = DRUGS[: DRUGS.index('[[questions]]\nname = "others"')].replace(
        "most = 1", 'most = 1\nask_if = "gate = yes"\nunasked = "sent"'
    )
    design = survey(f'{gate}{asked}[groups]\ndrugs = {{ truth = "1/4" }}\n')
    assert not SurveyPrivacy(design).refusals
    assert not is_forced(design.canonical)


def test_a_family_that_is_too_large_has_its_prior_and_a_lower_bound_of_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The prior was an upper bound, 100 % for an answer of three in four, and more bits were printed than there are."""
    design = survey(NESTED)
    after_any, unknown = posteriors(design.canonical), bits(design.canonical)
    monkeypatch.setattr(family_module, "MOST_TERMS", 10)
    privacy = SurveyPrivacy(design)
    for each in privacy.questions:
        assert not each.exact
        assert not each.counted
        before = [before for before, _ in after_any[each.question.name]]
        assert [float(risk.rise.before or 0) for risk in each.risks] == pytest.approx(before)
        assert each.anonymity <= unknown[each.question.name]
        assert f" {each.anonymity // 0.001 / 1000:.3f} bits " in privacy.question_line(each)


def test_a_prior_that_too_many_answers_decide_is_said_to_be_not_known_and_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(family_module, "MOST_TRUTHS", 1)
    design = survey(NESTED)
    (told,) = [each for each in SurveyPrivacy(design).questions if each.question.name == "aids_pill"]
    assert {risk.rise.before for risk in told.risks} == {None}
    assert "at least 0.000 bits" in SurveyPrivacy(design).question_line(told)
    assert "not known to 100.0%" in SurveyPrivacy(design).question_line(told)
    assert told.as_dict["entropy"] is None
    refusals = [each for each in SurveyPrivacy(design).refusals if each.place == 'question "aids_pill"']
    assert all("too many" in each.problem for each in refusals)
    assert refusals


@pytest.mark.parametrize("channel", ["complement", "uniform"])
def test_the_bits_of_a_group_too_large_to_be_listed_are_bounded_closely(
    channel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares = [0.1, 0.2, 0.3, 0.2, 0.5]
    tables = "".join(
        f'[[questions]]\nname = "q{at}"\nlabel = "Q?"\nkind = "yes_no"\ngroup = "g"\n'
        f"prior = {{ yes = {share}, no = {1 - share:.1f} }}\n"
        for at, share in enumerate(shares)
    )
    design = survey(f'{tables}[groups]\ng = {{ truth = "4/5", channel = "{channel}" }}\n')
    unknown = bits(design.canonical)
    monkeypatch.setattr(family_module, "MOST_TERMS", 10)
    for few in (0, 40):  # what others tell of the coin is reckoned once for the group, or for each question
        monkeypatch.setattr(family_module, "FEW", few)
        for each in design.questions:
            bound = family_of(design, each.name).bits_at_least(each)
            assert bound <= unknown[each.name]
            if few:
                assert bound > unknown[each.name] - 0.01
