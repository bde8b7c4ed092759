"""What a whole response tells of the answers of a family of questions, under what the screens allow."""

from __future__ import annotations

from fractions import Fraction

import pytest

from collector.disclosure import family as family_module
from collector.disclosure.families import family_of
from collector.disclosure.privacy import SurveyPrivacy
from collector.disclosure.truths import prior
from collector.errors import SurveyError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import survey_text
from watching import posteriors

HEAD = 'name = "s"\ntitle = "S"\nlanguages = ["en"]\n'
YES_NO = '[[questions]]\nname = "{}"\nlabel = "Q?"\nkind = "yes_no"\n{}\n'
COMPLEMENT, UNIFORM = '{ truth = "51/100" }', '{ truth = "1/2", channel = "uniform" }'
ONE = 'coins = "one"'


def multiple(options: int, *keys: str) -> str:
    named = ", ".join(f'o{each} = "Option {each}"' for each in range(options))
    lines = ["[[questions]]", 'name = "m"', 'label = "Q?"', 'kind = "multiple"', f"options = {{ {named} }}", *keys]
    return "\n".join([*lines, 'group = "g"', ""])


def survey(*parts: str) -> Survey:
    return parse_survey(HEAD + "\n".join(parts))


def routed(child: str = 'group = "g"', gate: str = 'group = "g"') -> str:
    return YES_NO.format("gate", gate) + YES_NO.format("child", f'ask_if = "gate = yes"\n{child}')


FORCED = {
    "up to three of eight": survey(multiple(8, "most = 3", ONE), f"[groups]\ng = {COMPLEMENT}"),
    "one of three at least": survey(multiple(3, "least = 1", ONE), f"[groups]\ng = {COMPLEMENT}"),
    "none of these": survey(multiple(3, 'none = "None"', "most = 1", ONE), f"[groups]\ng = {COMPLEMENT}"),
    "declined": survey(multiple(3, "decline = true", ONE), f"[groups]\ng = {COMPLEMENT}"),
    "declined, own coins": survey(multiple(3, "decline = true", 'coins = "own"'), f"[groups]\ng = {COMPLEMENT}"),
    "an open follower": survey(routed("sensitive = false", 'group = "g"'), f"[groups]\ng = {COMPLEMENT}"),
}


@pytest.mark.parametrize("name", FORCED)
def test_designs_whose_screens_show_the_coin_are_refused(name: str) -> None:
    design = FORCED[name]
    after_any = posteriors(design.canonical)
    sensitive = [each.name for each in design.questions if each.sensitive]
    assert any(before < 1 - 1e-9 < after for each in sensitive for before, after in after_any[each])
    refusals = SurveyPrivacy(design).refusals
    assert refusals
    assert all(each.remedy for each in refusals)


@pytest.mark.parametrize("keys", [("most = 3",), ("least = 1",), ('none = "None"', "most = 1")])
def test_the_same_screens_in_the_uniform_channel_are_not_refused(keys: tuple[str, ...]) -> None:
    assert not SurveyPrivacy(survey(multiple(3, *keys, ONE), f"[groups]\ng = {UNIFORM}")).refusals


def test_a_question_that_stands_alone_has_no_family_but_itself(wellbeing: Survey) -> None:
    together = {
        each.name: {one.name for one in family_of(wellbeing, each.name).questions} for each in wellbeing.questions
    }
    assert together["debt"] == {"debt"}
    assert together["cannabis"] == together["drinking"] == {"cannabis", "drinking"}


def test_a_family_that_is_too_large_to_be_listed_has_bounds_that_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    design = survey(multiple(4, "most = 2", ONE), f"[groups]\ng = {UNIFORM}")
    exact = family_of(design, "m_o1").rises["m_o1"]
    monkeypatch.setattr(family_module, "MOST_TERMS", 10)
    family = family_of(design, "m_o1")
    assert not family.exact
    assert family.bits(design.question("m_o1")) is None
    assert all(bound[1] >= each[1] for bound, each in zip(family.rises["m_o1"], exact, strict=True))
    assert "(a bound)" in " ".join(SurveyPrivacy(design).lines)


def test_a_family_without_bounds_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    design = survey(multiple(4, "most = 2", ONE), f"[groups]\ng = {COMPLEMENT}")
    monkeypatch.setattr(family_module, "MOST_TERMS", 10)
    assert "too many to be weighed" in str(SurveyPrivacy(design).refusals[0])


def test_a_free_group_needs_no_listing(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [
        YES_NO.format(f"q{each}", f'prior = {{ yes = 0.{each + 1}, no = 0.{9 - each} }}\ngroup = "g"')
        for each in range(4)
    ]
    design = survey(*parts, '[groups]\ng = { truth = "4/5" }')
    listed = {each.name: family_of(design, each.name).rises[each.name] for each in design.questions}
    monkeypatch.setattr(family_module, "MOST_TERMS", 10)
    for each in design.questions:
        family = family_of(design, each.name)
        assert family.exact
        assert [rise[:2] for rise in family.rises[each.name]] == [rise[:2] for rise in listed[each.name]]
        assert all(isinstance(rise[1], Fraction) for rise in family.rises[each.name])


@pytest.mark.parametrize(("unasked", "after"), [("drawn", Fraction(1, 2)), ("sent", Fraction(256, 257))])
def test_drawn_answers_leave_the_gate_to_its_own_coin(unasked: str, after: Fraction) -> None:
    followers = [
        YES_NO.format(f"f{each}", f'prior = {{ yes = 0.3, no = 0.7 }}\nask_if = "gate = yes"\ngroup = "g{each}"\n')
        + f'unasked = "{unasked}"\n'
        for each in range(4)
    ]
    groups = "\n".join(f'g{each} = {{ truth = "4/5" }}' for each in range(4))
    gate = YES_NO.format("gate", 'prior = { yes = 0.2, no = 0.8 }\ngroup = "gate"')
    design = survey(gate, *followers, f'[groups]\ngate = {{ truth = "4/5" }}\n{groups}')
    (before, found, _), _ = family_of(design, "gate").rises["gate"]
    assert before == Fraction(1, 5)
    assert found == after
    assert posteriors(design.canonical)["gate"][0][1] == pytest.approx(float(after))


def test_answers_are_drawn_as_often_as_the_prior_says_of_those_who_are_asked() -> None:
    design = survey(
        YES_NO.format("gate", 'group = "g"'),
        YES_NO.format("child", 'prior = { yes = 0.3, no = 0.7 }\nask_if = "gate = yes"\ngroup = "h"'),
        "[groups]",
        f"g = {COMPLEMENT}\nh = {UNIFORM}",
    )
    coding = design.question("child").coding
    assert coding.routed
    assert coding.draw_probabilities(2) == {0: Fraction(3, 10), 1: Fraction(7, 10)}
    assert parse_survey(survey_text(design, "")).fingerprint == design.fingerprint


def test_a_coding_without_drawn_answers_is_refused_if_these_are_asked_for() -> None:
    gate = YES_NO.format("gate", 'group = "g"')
    scale = '[[questions]]\nname = "s"\nlabel = "Q?"\nkind = "scale"\nvalues = ["a", "b", "c"]\nask_if = "gate = yes"\n'
    for keys in ('coding = "thresholds"\nunasked = "drawn"', 'unasked = "never"'):
        with pytest.raises(SurveyError, match="unasked"):
            survey(gate, f'{scale}group = "h"\n{keys}\n', f"[groups]\ng = {COMPLEMENT}\nh = {UNIFORM}")
    with pytest.raises(SurveyError, match="unasked"):
        survey(YES_NO.format("gate", 'group = "g"\nunasked = "drawn"'), f"[groups]\ng = {COMPLEMENT}")


def test_a_gate_of_three_values_is_disguised_so_that_no_response_rules_it_out() -> None:
    gate = YES_NO.format("gate", 'decline = true\ngroup = "g"')
    child = YES_NO.format("child", 'ask_if = "gate = yes"\ngroup = "h"')
    groups = '[groups]\ng = { truth = "3/4"CHANNEL }\nh = { truth = "3/4" }'
    design = survey(gate, child, groups.replace("CHANNEL", ""))
    assert design.groups[0].channel.name == "uniform"
    assert not SurveyPrivacy(design).refusals
    complement = survey(gate, child, groups.replace("CHANNEL", ', channel = "complement"'))
    (refusal,) = SurveyPrivacy(complement).refusals
    assert refusal.place == 'question "child"'
    assert 'say channel = "uniform" in the groups of gate' in refusal.remedy
    assert posteriors(complement.canonical)["child"][2][1] == pytest.approx(1)


def test_the_prior_chances_that_bounds_start_from_are_those_of_the_answers_allowed() -> None:
    gate = YES_NO.format("gate", 'prior = { yes = 0.2, no = 0.8 }\ngroup = "h"')
    groups = f"[groups]\ng = {UNIFORM}\nh = {UNIFORM}"
    for keys in (("least = 3",), ("most = 1",), ("least = 2", "decline = true"), ("optional = true", 'none = "None"')):
        asked = multiple(4, *keys, 'ask_if = "gate = yes"', 'coins = "one"', 'unasked = "sent"')
        family = family_of(survey(gate, asked, groups), "m_o1")
        assert family.exact
        assert family.listed
        joint, over = family.listed[0].joint, family.listed[0].over
        for at, each in enumerate(family.questions):
            listed = tuple(sum(rows[at][value] for rows in joint.values()) for value in range(len(each.values)))
            assert prior(family.survey, each, 4) == tuple(Fraction(share, over) for share in listed)
        for question in family.questions:
            bounds = [bound for _, bound, _ in family.bounded_rises(question)]
            assert all(most >= rise[1] for most, rise in zip(bounds, family.rises[question.name], strict=True))
