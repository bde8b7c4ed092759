"""A multiple that allows some combinations only is one question, whose values are these."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from math import prod

import pytest

from collector.disclosure.lint import percent
from collector.disclosure.option_disclosure import option_disclosures
from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import SurveyError
from collector.exchange.codebook import html_codebook
from collector.exchange.surveyjs import from_surveyjs
from collector.exchange.surveyjs_out import to_surveyjs
from collector.survey.design import survey_from_design
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import survey_text
from kind_surveys import TICKS
from watching import joints, posteriors

CLOSE = 1e-9


def multiple(options: int, *keys: str, group: str = '{ truth = "51/100" }') -> Survey:
    named = ", ".join(f'o{each} = "Option {each}"' for each in range(options))
    head = 'name = "s"\ntitle = "S"\nlanguages = ["en"]\n[[questions]]\nname = "m"\nlabel = "Q?"\nkind = "multiple"\n'
    more = "\n".join(keys)
    return parse_survey(f'{head}options = {{ {named} }}\n{more}\ngroup = "g"\n[groups]\ng = {group}\n')


DESIGNS = {
    "up to three of eight": (8, "most = 3"),
    "declined": (3, "decline = true"),
    "skipped": (3, "optional = true"),
    "one of three at least": (3, "least = 1"),
    "none of these": (3, 'none = "None"', "most = 1"),
    "with a prior": (4, "most = 2", "decline = true", "prior = { o0 = 0.4, o1 = 0.1, o2 = 0.2, o3 = 0.05 }"),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_screens_that_would_show_a_coin_are_accepted_as_one_question_and_no_answer_or_option_passes_what_is_printed(
    name: str,
) -> None:
    options, *keys = DESIGNS[name]
    survey = multiple(options, *keys)
    (question,) = survey.questions
    assert survey.group_of("m").channel.name == "uniform", "complements would leave two combinations"  # type: ignore[union-attr]
    privacy = SurveyPrivacy(survey)
    assert privacy.refusals == ()
    (disclosure,) = privacy.questions
    for risk, (before, after) in zip(disclosure.risks, posteriors(survey.canonical)["m"], strict=True):
        assert float(risk.rise.before) == pytest.approx(before, abs=CLOSE)
        assert after <= risk.rise.after + CLOSE
    design = json.loads(survey.canonical)
    ((people, _, joint),) = joints(design)
    for each in option_disclosures(survey, disclosure):
        having = [each.option in question.values[value].split("+") for value in people[:, 0]]
        after = float((joint[having].sum(axis=0) / joint.sum(axis=0)).max())
        assert float(each.has.after) == pytest.approx(after, abs=CLOSE)
        assert f"{each.option} {percent(each.has)}" in " ".join(privacy.lines) or options > 4  # of many the first


def test_complements_are_refused_where_every_pair_of_combinations_shares_an_option_or_lacks_one() -> None:
    refusals = SurveyPrivacy(multiple(8, "most = 3", group='{ truth = "51/100", channel = "complement" }')).refusals
    assert '"o0" not ticked goes from 68.8% to 100.0%' in " ".join(map(str, refusals))
    assert {each.remedy for each in refusals} == {'say channel = "uniform"'}


def test_the_values_are_the_combinations_allowed_in_the_order_of_the_options() -> None:
    survey = parse_survey(TICKS)
    assert survey.question("how").values == (
        *("none", "words", "hands", "net", "words+hands", "words+net", "hands+net"),
        "prefer_not_to_say",
    )
    assert survey.screen_of("site").ask_if == (("how", ("net", "words+net", "hands+net")),)  # type: ignore[union-attr]
    assert multiple(3, "optional = true").questions[0].values == (
        *("o0", "o1", "o2", "o0+o1", "o0+o2", "o1+o2", "o0+o1+o2"),
        "no_answer",
    )


def test_the_prior_is_that_of_independent_options_without_the_combinations_that_cannot_be_ticked() -> None:
    shares = {"words": Fraction(1, 2), "hands": Fraction(1, 5), "net": Fraction(3, 10)}
    every = {
        "+".join(name for name, tick in zip(shares, ticks, strict=True) if tick) or "none": prod(
            (share if tick else 1 - share for share, tick in zip(shares.values(), ticks, strict=True)),
            start=Fraction(1),
        )
        for ticks in product((True, False), repeat=3)
    }
    del every["words+hands+net"]
    question = parse_survey(TICKS).question("how")
    prior = dict(zip(question.values, question.prior, strict=True))
    assert prior.pop("prefer_not_to_say") == Fraction(1, 20)
    assert prior == {value: share / sum(every.values()) * Fraction(19, 20) for value, share in every.items()}


@pytest.mark.parametrize("text", [TICKS, TICKS.replace("prior = { words = 0.5, hands = 0.2, net = 0.3 }\n", "")])
def test_a_design_is_written_back_as_the_table_that_people_write(text: str) -> None:
    survey = parse_survey(text)
    written = survey_text(survey, "again")
    assert 'kind = "multiple"' in written
    assert "[[screens]]" not in written
    assert parse_survey(written).fingerprint == survey.fingerprint
    assert survey_from_design(json.loads(survey.canonical)).fingerprint == survey.fingerprint


@pytest.mark.parametrize("coins", ["one", "own"])
def test_with_coins_of_its_own_or_one_it_is_a_question_for_each_option_and_is_written_back_so(coins: str) -> None:
    survey = multiple(3, "most = 2", f'coins = "{coins}"')
    assert [each.name for each in survey.questions] == ["m_o0", "m_o1", "m_o2"]
    written = survey_text(survey, "again")
    assert f'coins = "{coins}"' in written
    assert parse_survey(written).fingerprint == survey.fingerprint


def test_what_is_sent_as_it_is_or_allows_everything_is_a_question_for_each_option() -> None:
    assert len(multiple(3).questions) == len(multiple(3, 'none = "None"').questions) == 3
    head, _, _ = TICKS.partition('[[questions]]\nname = "site"')
    open_text = head.replace('group = "b"', "sensitive = false")
    assert len(parse_survey(open_text).questions) == 3


@pytest.mark.parametrize(
    ("options", "keys", "error"),
    [
        (
            10,
            ["decline = true"],
            '1,024 combinations may be ticked, and 255 are the most for one code; say coins = "own"',
        ),
        (3, ["least = 3"], "1 combinations may be ticked; lower the smallest number of ticks, or raise the largest"),
        (3, ["most = 2", "prior = { o0 = 0.5 }"], 'the option "o1" is missing'),
        (3, ["most = 2", 'prior = { "o0+o9" = 0.5 }'], '"o0+o9" is none of the options'),
    ],
)
def test_what_cannot_be_one_question_is_refused_with_its_remedy(options: int, keys: list[str], error: str) -> None:
    with pytest.raises(SurveyError) as refused:
        multiple(options, *keys)
    assert error in str(refused.value)
    assert "question" in refused.value.place


def test_too_many_combinations_are_a_question_each_with_the_coins_that_the_error_names() -> None:
    survey = multiple(10, "decline = true", 'coins = "own"', group='{ truth = "51/100", channel = "uniform" }')
    assert len(survey.questions) == 10


def test_an_option_is_not_named_like_a_value_that_we_add() -> None:
    with pytest.raises(SurveyError, match='"none" is reserved'):
        parse_survey(TICKS.replace("words", "none"))


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("how has net", "how has web", '"how" has no option "web"; use one of: words, hands, net'),
        ("how has net", "who has net", 'no multiple "who" with one coin for all options is asked before it'),
        ("how has net", "how has ", "a value is missing"),
        ("how has net", "how_net = yes", 'no question "how_net" is asked before it'),
    ],
)
def test_a_condition_on_an_option_is_refused_where_there_is_no_such_option(old: str, new: str, error: str) -> None:
    with pytest.raises(SurveyError) as refused:
        parse_survey(TICKS.replace(old, new))
    assert error in str(refused.value)
    assert "ask_if" in refused.value.place


def test_surveyjs_takes_it_as_a_checkbox_with_its_condition_and_gives_it_back() -> None:
    survey = parse_survey(TICKS)
    document = to_surveyjs(survey)
    text = document.content.decode()
    assert '"visibleIf": "{how} contains \'net\'"' in text
    assert '"type": "checkbox"' in text
    assert parse_survey(from_surveyjs(text, "it").content.decode()).fingerprint == survey.fingerprint


def test_the_code_book_reads_a_combination_as_its_options() -> None:
    assert "<td>words+net</td><td>By words + On the net</td>" in html_codebook(parse_survey(TICKS)).content.decode()


PARTED = """name = "s"
title = "S"
languages = ["en"]
[[questions]]
name = "m"
label = "Q?"
kind = "multiple"
options = { a = "A", b = "B", c = "C" }
KEYS
group = "m"
coins = "own"
[[questions]]
name = "q"
label = "Q?"
kind = "yes_no"
group = "q"
[sampling]
ask = 3
always = [ALWAYS]
[groups]
m = { truth = "2/3", channel = "uniform" }
q = { truth = "2/3", channel = "uniform" }
"""


def parted(*keys: str, always: str = "") -> Survey:
    return parse_survey(PARTED.replace("KEYS", "\n".join(keys)).replace("ALWAYS", always))


@pytest.mark.parametrize("always", ["", '"m_a", "m_b"', '"q"'])
@pytest.mark.parametrize(
    ("keys", "key", "limit"),
    [
        (["least = 2"], "least", "tick at least 2"),
        (["least = 1"], "least", "tick at least 1"),
        (["least = 2", 'none = "None"'], "least", "tick at least 2"),
        (["most = 2"], "most", "tick at most 2"),
        (["least = 1", "most = 1", 'none = "None"'], "most", "tick at most 1"),
    ],
)
def test_limits_of_ticks_are_refused_where_a_draw_asks_some_of_the_options(
    keys: list[str], key: str, limit: str, always: str
) -> None:
    with pytest.raises(SurveyError) as refused:
        parted(*keys, always=always)
    assert refused.value.place == f'question "m", {key}'
    assert f'"{limit}"' in refused.value.problem
    assert key in refused.value.remedy


@pytest.mark.parametrize(
    ("keys", "always"),
    [
        (["least = 1", 'none = "None"'], ""),  # as without it: a box, or none of these
        (["least = 0", "most = 3"], ""),  # limits nothing
        ([], ""),
    ],
)
def test_what_limits_no_ticks_goes_with_any_draw(keys: list[str], always: str) -> None:
    assert parted(*keys, always=always).sampling is not None


@pytest.mark.parametrize("limit", ["least = 2", "most = 2"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("always = [ALWAYS]", 'always = ["m"]'),  # all options are asked of everybody; r is drawn or not
        ("ask = 3\nalways = [ALWAYS]", "ask = 5"),
        ('coins = "own"', ""),  # one question, of combinations
    ],
)
def test_limits_of_ticks_go_with_draws_that_leave_the_options_together(limit: str, old: str, new: str) -> None:
    more = '[[questions]]\nname = "r"\nlabel = "R?"\nkind = "yes_no"\nsensitive = false\n[sampling]\nask = 4'
    text = PARTED.replace("KEYS", limit).replace("[sampling]\nask = 3", more)
    text = text.replace("ask = 4", "ask = 2") if not new else text
    text = text.replace(old.replace("ask = 3", "ask = 4"), new).replace("ALWAYS", "")
    assert parse_survey(text).sampling is not None


def test_a_design_of_a_store_with_limits_of_ticks_and_a_draw_is_read_as_it_was_published() -> None:
    design = json.loads(parted('none = "None"').canonical)
    (screen,) = design["screens"]
    screen["least"], screen["most"] = 2, 2
    assert survey_from_design(design).screens[0].least == 2
