"""Question kinds that are made of others become ordinary questions, and a screen that only the page reads."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import SurveyError
from collector.survey.design import survey_from_design
from collector.survey.question import EXTRAS
from collector.survey.text import Text
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import survey_text
from kind_surveys import EVERY_KIND

KINDS = parse_survey(EVERY_KIND)
HEAD = 'name = "s"\ntitle = "S"\nlanguages = ["en"]\n[groups]\ng = { truth = "3/4" }\n'


def survey_with(*tables: str) -> str:
    return HEAD + "".join(f"\n[[questions]]\n{table}\n" for table in tables)


YES_NO = 'name = "q"\nlabel = "Q?"\nkind = "yes_no"\nprior = { yes = 0.2, no = 0.8 }\ngroup = "g"'
MULTIPLE = 'name = "m"\nlabel = "M?"\nkind = "multiple"\noptions = { a = "A", b = "B" }\ngroup = "g"'
GRID = 'name = "m"\nlabel = "M?"\nkind = "grid"\nstatements = { a = "A", b = "B" }\nvalues = ["x", "y"]\ngroup = "g"'
RANKING = 'name = "m"\nlabel = "M?"\nkind = "ranking"\nitems = { a = "A", b = "B" }\ngroup = "g"'
DATE = 'name = "m"\nlabel = "M?"\nkind = "date"\ncuts = [2000-01-01]\ngroup = "g"'
LISTED = 'name = "m"\nlabel = "M?"\nkind = "multiple"\noptions = ["Wine", "Beer or stout"]\ngroup = "g"'
MOOD = 'name = "mood"\nlabel = "Mood?"\nkind = "choice"\nvalues = ["low", "high"]\ndecline = true\ngroup = "g"'
NUMBER = 'name = "m"\nlabel = "M?"\nkind = "number"\ncuts = [3]\ndecline = true\ngroup = "g"'


def test_each_option_statement_and_order_is_a_question_or_a_value_of_one() -> None:
    values = {each.name: each.values for each in KINDS.questions}
    assert list(values) == [
        *(
            "bullied",
            "how_words",
            "how_hands",
            "how_net",
            "climate_fair",
            "climate_voice",
            "rank",
            "moved",
            "money",
            "bus",
        )
    ]
    assert values["how_net"] == ("yes", "no", "not_applicable")
    assert values["climate_voice"] == ("no", "partly", "full")
    assert len(values["rank"]) == 6
    assert values["rank"][0] == "pay>time>peers"
    assert values["moved"] == ("<2010-01-01", "2010-01-01..2020-01-01", ">=2020-01-01")
    assert values["money"] == ("<1000", "1000..2000", ">=2000", "prefer_not_to_say", "no_answer")
    assert [each.kind for each in KINDS.questions].count("scale") == 4, "a value beside them leaves the others in order"


SCALE = 'name = "mood"\nlabel = "Mood?"\nkind = "scale"\nvalues = ["low", "middle", "high"]\n'


def test_values_for_those_who_give_none_stand_beside_the_order_of_the_others() -> None:
    scale = survey_with(YES_NO, SCALE + 'decline = true\noptional = true\nask_if = "q = yes"\ngroup = "g"')
    question = parse_survey(scale).question("mood")
    assert (question.kind, question.ordered, question.in_order) == ("scale", True, 3)
    assert question.values == (*question.base, *EXTRAS)
    assert survey_from_design(parse_survey(scale).design).fingerprint == parse_survey(scale).fingerprint
    choice = parse_survey(scale.replace('"scale"', '"choice"')).question("mood")
    assert (choice.base, choice.in_order) == (question.base, 0)
    plain = parse_survey(survey_with(SCALE + 'group = "g"')).question("mood")
    assert (plain.base, plain.in_order) == (plain.values, 3)


def test_a_scale_that_may_be_declined_is_coded_by_its_thresholds() -> None:
    groups = HEAD.replace('truth = "3/4"', 'truth = "1/2", channel = "uniform"')
    table = SCALE + 'decline = true\ncoding = "thresholds"\ngroup = "g"'
    coding = parse_survey(f"{groups}\n[[questions]]\n{table}").question("mood").coding
    assert [coding.codes_of(value) for value in range(4)] == [(0, 2, 4), (1, 2, 4), (1, 3, 4), (1, 3, 5)]


def test_options_share_their_group_and_statements_with_coins_of_their_own_have_a_group_each() -> None:
    assert {each.name: each.questions for each in KINDS.groups} == {
        "a": ("bullied",),
        "b": ("how_words", "how_hands", "how_net"),
        "d": ("rank",),
        "e": ("moved",),
        "f": ("money",),
        "g": ("bus",),
        "c_fair": ("climate_fair",),
        "c_voice": ("climate_voice",),
    }


def test_options_may_be_a_list_of_texts_of_which_names_are_made() -> None:
    survey = parse_survey(survey_with(LISTED))
    assert {each.name: each.label["en"] for each in survey.questions} == {
        "m_wine": "Wine",
        "m_beer_or_stout": "Beer or stout",
    }
    assert parse_survey(survey_text(survey, "written")).fingerprint == survey.fingerprint
    german = LISTED.replace('label = "M?"', 'label = { en = "M?", de = "M?" }')
    two = parse_survey(survey_with(german).replace('["en"]', '["en", "de"]').replace('"S"', '{ en = "S", de = "S" }'))
    assert two.question("m_wine").label == Text.of(en="Wine", de="Wine"), "as values without words do"


def test_who_is_not_asked_follows_from_the_prior_of_the_condition() -> None:
    bullied, how = KINDS.question("bullied"), KINDS.question("how_words")
    assert bullied.prior == (Fraction(19, 100), Fraction(19, 25), Fraction(1, 20))
    assert how.prior == (Fraction(19, 200), Fraction(19, 200), 1 - Fraction(19, 100))


def test_a_design_with_screens_is_read_back_from_its_json_and_from_its_survey_file() -> None:
    assert survey_from_design(json.loads(KINDS.canonical)) == KINDS
    assert parse_survey(survey_text(KINDS, "written")).fingerprint == KINDS.fingerprint


def test_a_design_without_screens_says_nothing_of_them() -> None:
    assert not {"screens", "shuffle"} & parse_survey(survey_with(YES_NO)).design.keys()


def test_what_is_drawn_by_chance_counts_the_questions_of_a_table_by_its_name() -> None:
    three = survey_with(YES_NO, YES_NO.replace('"q"', '"r"'), MULTIPLE) + '[sampling]\nask = 3\nalways = ["m"]\n'
    sampling = parse_survey(three).sampling
    assert sampling is not None
    assert sampling.always == ("m_a", "m_b")


@pytest.mark.parametrize(
    ("tables", "place", "problem"),
    [
        ([YES_NO.replace("yes_no", "slider")], 'question "q", kind', "there is no question of this kind"),
        ([MULTIPLE.replace(', b = "B"', "")], 'question "m", options', "the number of parts is 1"),
        ([MULTIPLE.replace("b =", "B =")], 'question "m", options, B', "the name is not"),
        ([MULTIPLE + "\nmost = 3"], 'question "m", most', "least and most do not fit the 2 options"),
        ([MULTIPLE + "\nleast = 2\nmost = 1"], 'question "m", most', "least and most do not fit the 2 options"),
        ([MULTIPLE + "\nleast = 3"], 'question "m", least', "least and most do not fit the 2 options"),
        ([MULTIPLE.replace('"B"', '"A"')], 'question "m", options', "two of the parts have the same words"),
        ([LISTED.replace("Beer or stout", "Wine")], 'question "m", options', "two of the parts have the same words"),
        ([LISTED.replace('"Beer or stout"', "3")], 'question "m", options', "it is not text"),
        (
            [LISTED.replace('["Wine", "Beer or stout"]', '"Wine"')],
            'question "m", options',
            "neither a table nor a list",
        ),
        ([MULTIPLE + "\nprior = 0.2"], 'question "m", prior', "the prior is not a table"),
        ([MULTIPLE + "\nprior = { a = 0.2 }"], 'question "m", prior', 'the option "b" is missing'),
        ([MULTIPLE + "\nprior = { a = 0.2, b = 0.1, c = 0.1 }"], 'question "m", prior', '"c" is none of the options'),
        ([MULTIPLE + "\nprior = { a = 0.2, b = 1 }"], 'question "m", prior', 'the share of "b" is not between 0 and 1'),
        ([MOOD.replace("group", "prior = 0.2\ngroup")], 'question "mood", prior', "the prior is not a table"),
        ([MULTIPLE + '\ncoins = "none"'], 'question "m", coins', "coins must be"),
        ([MULTIPLE.replace('"g"', '"h"') + '\ncoins = "own"'], 'question "m", coins', "there is none"),
        ([MULTIPLE + "\ncuts = [1]"], 'question "m_a"', "unknown"),
        (
            [GRID.replace('kind = "grid"', 'kind = "grid"\nnone = "None"')],
            'question "m_a"',
            '"none" is unknown',
        ),
        ([GRID.replace("statements", "items")], 'question "m"', '"statements" is missing'),
        (
            [RANKING.replace('b = "B"', ", ".join(f'b{n} = "B{n}"' for n in range(5)))],
            'question "m", items',
            "6 items have more orders",
        ),
        ([DATE.replace("2000-01-01", "2000")], 'question "m", cuts', "a cut point is not a day"),
        ([f"{DATE}\nminimum = 1900"], 'question "m", minimum', "the minimum is not a day"),
        ([DATE.replace("cuts = [2000-01-01]", "")], 'question "m", cuts', "the date has no cut points"),
        ([DATE.replace("[2000-01-01]", "3")], 'question "m", cuts', "it is not a list"),
        ([NUMBER.replace("[3]", "3")], 'question "m", cuts', "it is not a list"),
        ([NUMBER.replace("cuts = [3]", "")], 'question "m"', '"cuts" is missing'),
        ([NUMBER + '\nminimum = "low"'], 'question "m", minimum', "the value is not a number"),
        ([GRID.replace('values = ["x", "y"]', "decline = true")], 'question "m_a"', '"values" is missing'),
        ([DATE + "\nminimum = 2001-01-01"], 'question "m", minimum', "not below the first cut"),
        ([DATE.replace("[2000-01-01]", "[2000-01-01, 1999-01-01]")], 'question "m", cuts', "not in ascending order"),
        ([NUMBER + "\nmaximum = 2"], 'question "m", maximum', "below the last cut"),
        ([YES_NO, MULTIPLE + '\nask_if = "q is yes"'], 'question "m", ask_if, character 3', '"q" needs a comparison'),
        ([YES_NO, MULTIPLE + '\nask_if = "r = yes"'], 'question "m", ask_if', 'no question "r" is asked before it'),
        ([MULTIPLE + '\nask_if = "q = yes"', YES_NO], 'question "m", ask_if', 'no question "q" is asked before it'),
        ([YES_NO, MULTIPLE + '\nask_if = "q = maybe"'], 'question "m", ask_if, character 5', 'has no value "maybe"'),
        ([YES_NO, MULTIPLE + '\nask_if = "q in (yes, no)"'], 'question "m", ask_if', "holds for everybody"),
        ([YES_NO + '\nsection = ""'], 'question "q", section', "empty"),
        ([YES_NO + "\ndecline = 1"], 'question "q", decline', "true or false"),
    ],
)
def test_what_cannot_be_asked_so_is_refused_at_its_place(tables: list[str], place: str, problem: str) -> None:
    with pytest.raises(SurveyError) as refused:
        parse_survey(survey_with(*tables))
    assert refused.value.place == place
    assert problem in refused.value.problem


def test_a_condition_that_not_everybody_is_asked_is_refused() -> None:
    text = survey_with(YES_NO, MULTIPLE + '\nask_if = "q = yes"') + '[sampling]\nask = 2\nalways = ["m_a"]\n'
    with pytest.raises(SurveyError, match='not everybody is asked "q"'):
        parse_survey(text)


def test_questions_in_random_order_cannot_depend_on_each_other() -> None:
    text = survey_with(YES_NO, MULTIPLE + '\nask_if = "q = yes"')
    with pytest.raises(SurveyError, match="shuffle"):
        parse_survey("shuffle = true\n" + text)
    assert parse_survey("shuffle = true\n" + survey_with(YES_NO, MULTIPLE)).design["shuffle"] is True


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("questions", ["how_words", "bullied", "how_net"]),
        ("questions", []),
        ("kind", "grid"),
        ("kind", "slider"),
        ("ask_if", [["bullied"]]),
        ("ask_if", []),
        ("label", "How?"),
        ("label", {"en": "How?"}),
        ("colour", "red"),
    ],
)
def test_a_screen_that_does_not_fit_its_questions_is_refused(key: str, value: object) -> None:
    design = json.loads(KINDS.canonical)
    design["screens"][1][key] = value
    with pytest.raises(SurveyError):
        survey_from_design(design)


@pytest.mark.parametrize(
    ("condition", "follow_up", "severity", "told"),
    [
        ('group = "g"', 'group = "h"', "note", "at most 7 times"),
        ('group = "g"', 'group = "h", unasked = "sent"', "note", "at most 9 times"),
        ("sensitive = false", 'group = "h"', "note", "is sent as it is"),
        ('group = "g"', "sensitive = false", "warn", 'shows the answer to "q"'),
    ],
)
def test_a_question_that_depends_on_another_is_said_to_tell_of_it(
    condition: str, follow_up: str, severity: str, told: str
) -> None:
    text = f"""
name = "s"
title = "S"
languages = ["en"]
questions = [
  {{ name = "q", label = "Q?", kind = "yes_no", {condition} }},
  {{ name = "r", label = "R?", kind = "yes_no", {follow_up}, ask_if = "q = yes" }},
]
[groups]
{"g = { truth = '3/4' }" if "group" in condition else ""}
{"h = { truth = '2/5', channel = 'uniform' }" if "group" in follow_up else ""}
"""
    lints = [lint for lint in SurveyPrivacy(parse_survey(text)).lints if "asked only if" in lint.problem]
    assert [(lint.severity, told in lint.problem) for lint in lints] == [(severity, True)]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("not q = yes", [["q", ["no"]]]),
        ("not income in (<400)", [["income", ["400..800", ">=800"]]]),
        ("income = <400 or income = >=800", [["income", ["<400", ">=800"]]]),
        ("not s = fully and q = yes", [["s", ["not at all", "partly", "prefer_not_to_say"]], ["q", ["yes"]]]),
    ],
)
def test_not_means_every_other_value_of_the_question(condition: str, expected: list[list[object]]) -> None:
    """Others of the last question have "prefer not to say" among them."""
    number = 'name = "income"\nlabel = "?"\nkind = "number"\ncuts = [400, 800]\nsensitive = false\n'
    scale = 'name = "s"\nlabel = "?"\nkind = "scale"\nvalues = ["not at all", "partly", "fully"]\n'
    last = f'name = "m"\nlabel = "?"\nkind = "yes_no"\nask_if = "{condition}"\ngroup = "g"\n'
    text = survey_with(YES_NO, number, scale + "decline = true\nsensitive = false\n", last)
    screen = parse_survey(text).screen_of("m")
    assert screen is not None
    assert screen.design["ask_if"] == expected
