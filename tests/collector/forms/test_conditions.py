"""Conditions of forms: what of them `ask_if` can say, and what is refused by name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector.errors import SurveyError
from collector.forms.conditions import SURVEYJS, XPATH, Named, conditions_of, expression_of, named
from collector.survey.screen import Condition

VOICES = {"fair": "fair", "voice": "voice"}
KNOWN: dict[str, Named] = (
    named({"name": "age", "kind": "number", "cuts": ["18", "65"], "optional": True, "decline": True}, "age")
    | named({"name": "often", "kind": "scale", "values": ["never", "monthly", "weekly"], "decline": True}, "often")
    | named({"name": "smokes", "kind": "yes_no"}, "smokes", {"true": "yes", "false": "no"})
    | named(
        {"name": "by", "kind": "multiple", "options": {"boss": "B", "two": "2"}}, "by", {"boss": "boss", "2": "two"}
    )
    | named(
        {"name": "work", "kind": "grid", "statements": {"fair": "F", "voice": "V"}, "values": ["1", "2", "3"]},
        "work",
        VOICES,
    )
    | named({"name": "born", "kind": "date", "cuts": ["1980-01-01"]}, "born")
)


@pytest.mark.parametrize(
    ("expression", "conditions"),
    [
        ("${age} >= 18", [("age", ("18..65", ">=65"))]),
        ("18 <= ${age}", [("age", ("18..65", ">=65"))]),
        ("65 > ${age} and ${age} >= 18", [("age", ("18..65",))]),
        ("${age} = ''", [("age", ("no_answer",))]),
        ("{age} notempty", [("age", ("<18", "18..65", ">=65", "prefer_not_to_say"))]),
        ("${often} != 'never'", [("often", ("monthly", "weekly", "prefer_not_to_say"))]),
        ("{often} anyof ['never', \"weekly\"]", [("often", ("never", "weekly"))]),
        ("{often} = 'never' or {often} == 'weekly'", [("often", ("never", "weekly"))]),
        (
            "not(${often} = 'never' or ${smokes} = true())",
            [("often", ("monthly", "weekly", "prefer_not_to_say")), ("smokes", ("no",))],
        ),
        (
            "!({smokes} = false) && {often} <> 'never'",
            [("smokes", ("yes",)), ("often", ("monthly", "weekly", "prefer_not_to_say"))],
        ),
        ("selected(${by}, '2') and not(selected(${by}, 'boss'))", [("by_two", ("yes",)), ("by_boss", ("no",))]),
        ("{by} contains 'boss'", [("by_boss", ("yes",))]),
        ("{by} notcontains 2", [("by_two", ("no",))]),
        ("{work.voice} > 1", [("work_voice", ("2", "3"))]),
        ("${born} < date('1980-01-01')", [("born", ("<1980-01-01",))]),
        ("{often} notempty", []),
        ("{smokes} = true and {smokes} = true", [("smokes", ("yes",))]),
    ],
)
def test_a_condition_becomes_the_values_for_which_it_holds(expression: str, conditions: list[Condition]) -> None:
    assert conditions_of(expression, KNOWN) == tuple(conditions)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("${age} > 18", '"age" is known in intervals, and > 18 divides an interval; write < or >= with one of 18, 65'),
        ("${age} >= 20", "divides an interval"),
        ("{often} = 'nev'", '"nev" is no value of "often"; use: never, monthly, weekly'),
        ("{often} > 3", "values that are no numbers"),
        ("today() > 3", '"today" is not supported'),
        ("count-selected(${by}) > 1", '"count-selected" is not supported'),
        ("{often} = 'never' or {smokes} = true", 'it joins questions by "or": often, smokes'),
        ("{unknown} = 1", 'no question "unknown" that conditions can name'),
        ("{by} = 'boss'", "has several answers"),
        ("{often} = {smokes}", "does not compare a question with values"),
        ("{often}", "is no comparison"),
        ("{often} = 'never' and", "the condition ends where a value should stand"),
        ("({often} = 'never'", 'the condition ends where ")" should stand'),
        ("{often} = 'never')", "stands where its end should"),
        ("{often} ~ 3", "cannot be read from"),
        ("{often} = 'never' and {often} = 'weekly'", 'no value of "often" fits it'),
        ("(" * 5000, "nested too deep"),
    ],
)
def test_what_ask_if_cannot_say_is_refused_by_name(expression: str, words: str) -> None:
    with pytest.raises(SurveyError) as refused:
        conditions_of(expression, KNOWN)
    assert words in str(refused.value)


@given(st.text(alphabet="{}${often}age 'never'=<>!&|()[],andornot1", max_size=40))
def test_any_text_is_a_condition_or_refused(text: str) -> None:
    try:
        conditions_of(text, KNOWN)
    except SurveyError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017 - either is right


SUBJECTS = [(each.question, each.values) for each in KNOWN.values() if not each.ticked] + [("by_boss", ("yes", "no"))]


@given(st.data())
def test_any_condition_goes_out_in_both_formats_and_comes_back(data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(SUBJECTS), min_size=1, max_size=3, unique_by=lambda each: each[0]))
    conditions = []
    for name, values in chosen:
        kept = data.draw(st.sets(st.sampled_from(values), min_size=1, max_size=len(values) - 1))
        conditions.append((name, tuple(value for value in values if value in kept)))
    for dialect in (XPATH, SURVEYJS):
        written = expression_of(conditions, KNOWN, dialect)
        assert written is not None
        assert conditions_of(written, KNOWN) == tuple(conditions)
