"""A form of another program is taken but for what a survey cannot have, and each such thing is named with its place.

The forms are ours; they do the kinds of thing that the public forms do which docs/xlsform.md names.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from collector.errors import SurveyError
from collector.exchange.surveyjs import from_surveyjs
from collector.exchange.surveyjs_out import to_surveyjs
from collector.exchange.xlsform_out import to_xlsform
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.xlsform.form import import_form
from spreadsheet_forms import YES_NO, sheets
from spreadsheets import Sheets, save_form


class Taken(NamedTuple):
    """What a form became."""

    survey: Survey
    left_out: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def asked(self) -> list[str]:
        """The names of its questions."""
        return [question.name for question in self.survey.questions]

    def names(self, *words: str) -> bool:
        """Whether each of these words stands in a line of its own of what is left out."""
        return all(any(word in line for line in self.left_out) for word in words)


@pytest.fixture
def take(tmp_path: Path) -> Callable[..., Taken]:
    """Take a form of either format."""

    def taken(form: Sheets | dict[str, Any], *, strict: bool = False) -> Taken:
        if "elements" in form or "pages" in form:
            found = from_surveyjs(json.dumps(form), "form.json", strict=strict)
            return Taken(parse_survey(found.content.decode()), found.left_out, found.notes)
        imported = import_form(save_form(tmp_path / "form.xlsx", form), strict=strict)
        return Taken(imported.survey, imported.left_out, imported.notes)

    return taken


def yes_no(name: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    return {"type": "boolean", "name": name, "title": f"{name}?", **more}


MIXED: dict[str, Sheets | dict[str, Any]] = {
    "xlsform": sheets(
        "mixed",
        """
start | start
deviceid | device
note | hello | Hello!
text | who | Who are you?
select_one yes_no | smokes | Do you smoke? | default = yes | required = yes
integer | age | How old are you?
select_one yes_no | adult | Are you of age? | relevant = ${age} > 17
select_one yes_no | adult_too | And your partner? | relevant = ${adult} = 'yes'
begin_repeat | children | Children
begin_group | child | A child
select_one yes_no | ill | Was it ill?
end_group
end_repeat
select_one yes_no or_other | quit | Did you stop? | relevant = ${smokes} = \u2018yes\u2019 | required = yes
select_one yes_no | why | Why, ${who}?
calculate | sum | | calculation = 1 + 1
note | bye | Goodbye!""",
        YES_NO,
    ),
    "surveyjs": {
        "title": "Mixed",
        "triggers": [{"type": "setvalue", "expression": "{smokes} = true", "setToName": "quit"}],
        "elements": [
            {"type": "text", "name": "who"},
            yes_no("smokes", defaultValue=True),
            {"type": "text", "name": "age", "inputType": "number"},
            yes_no("adult", visibleIf="{age} > 17"),
            yes_no("adult_too", visibleIf="{adult} = true"),
            {"type": "paneldynamic", "name": "children", "templateElements": [yes_no("ill")]},
            {
                "type": "radiogroup",
                "name": "quit",
                "choices": ["yes", "no"],
                "showOtherItem": True,
                "visibleIf": "{smokes} = true",
            },
            yes_no("why", title="Why, {who}?"),
            {"type": "html", "name": "bye", "html": "<p>Goodbye!</p>"},
        ],
    },
}


@pytest.mark.parametrize("name", MIXED)
def test_what_can_be_asked_is_taken_and_each_thing_else_is_named(
    take: Callable[..., Taken], name: str, tmp_path: Path
) -> None:
    """What depends on a question that is left out is left out with it: it is not asked of everybody instead."""
    found = take(MIXED[name])
    assert found.asked == ["smokes", "quit"]
    assert found.survey.question("quit").values[:3] == ("yes", "no", "other")
    assert found.survey.screens[-1].ask_if == (("smokes", ("yes",)),)
    rows = {"who": 5, "age": 7, "adult": 8, "adult_too": 9, "children": 10, "why": 16, "bye": 18}
    places = {
        each: f"sheet survey, row {row}" if name == "xlsform" else f'element "{each}"' for each, row in rows.items()
    }
    assert found.names(*places.values())
    for each in ("adult", "adult_too"):
        (line,) = [line for line in found.left_out if line.startswith(f"{places[each]},")]
        assert "is asked before it" in line
    assert found.names(*(("deviceid", "default", "or_other") if name == "xlsform" else ("triggers", "defaultValue")))
    with pytest.raises(SurveyError):
        take(MIXED[name], strict=True)
    path = tmp_path / "again.xlsx"
    path.write_bytes(to_xlsform(found.survey).content)
    again = import_form(path, strict=True).survey
    assert (again.questions, again.screens) == (found.survey.questions, found.survey.screens)
    back = from_surveyjs(to_surveyjs(found.survey).content.decode(), "form.json", strict=True)
    assert parse_survey(back.content.decode()).fingerprint == found.survey.fingerprint


def test_a_question_that_says_how_it_is_disguised_is_never_left_out(take: Callable[..., Taken]) -> None:
    form = sheets("f", "text | who | Who? | @who\nselect_one yes_no | smokes | Do you smoke? | @smokes", YES_NO)
    with pytest.raises(SurveyError, match="row 2, column type"):
        take(form)
    groups = {"who": {"truth": "3/4"}}
    with pytest.raises(SurveyError, match='element "who"'):
        take(
            {
                "elements": [{"type": "text", "name": "who", "rr": {"group": "who"}}, yes_no("a")],
                "rr": {"groups": groups},
            }
        )


def test_a_form_that_disguises_nothing_is_taken_and_says_so(take: Callable[..., Taken]) -> None:
    for form in (sheets("f", "select_one yes_no | a | A?", YES_NO), {"elements": [yes_no("a")]}):
        assert any("no question is disguised" in each for each in take(form).notes)


def test_a_form_of_which_nothing_can_be_asked_is_refused_with_each_reason(take: Callable[..., Taken]) -> None:
    for form in (
        sheets("f", "text | a | A?\ngeopoint | b | B?"),
        {"elements": [{"type": "comment", "name": "a"}, {"type": "file", "name": "b"}]},
    ):
        with pytest.raises(SurveyError, match=r"free text .* \| .*who answers"):
            take(form)


def test_a_text_that_lacks_a_translation_reads_as_in_another_language_and_that_is_said(
    take: Callable[..., Taken],
) -> None:
    form = sheets(
        "f", "select_one yes_no | a | One? | label::German (de) = Eins?\nselect_one yes_no | b | Two?", YES_NO
    )
    elements = [
        yes_no("a") | {"title": {"default": "One?", "de": "Eins?"}},
        yes_no("b") | {"title": {"default": "Two?"}},
    ]
    for each, place in ((form, "sheet choices, row 2"), ({"elements": elements}, 'element "b"')):
        found = take(each)
        assert [question.label.design for question in found.survey.questions] == [
            {"en": "One?", "de": "Eins?"},
            {"en": "Two?", "de": "Two?"},
        ]
        (line,) = [note for note in found.notes if note.startswith('not translated into "de"')]
        assert place in line
        with pytest.raises(SurveyError, match="the text is missing"):
            take(each, strict=True)


def test_markup_is_taken_out_of_a_text_and_named(take: Callable[..., Taken]) -> None:
    text = "Do you <b>really</b>  want to?"
    for form in (sheets("f", f"select_one yes_no | a | {text}", YES_NO), {"elements": [yes_no("a", title=text)]}):
        found = take(form)
        assert found.survey.question("a").label["en"] == "Do you really want to?"
        assert found.names("HTML or Markdown")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("See **this**, [there](https://example.org): yes?", "See this, there: yes?"),
        ("[a page](https://example.org/a_(b) 'A') or [another][1]", "a page or another"),
        ("*Note*: **_both_**, __this__ and ***that***", "Note: both, this and that"),
        ("**H**ow &amp; when<br>did it<p style='x'>begin?</p>", "How & when did it begin?"),
        ("## Your home", "Your home"),
        ("# of children", "# of children"),
        ("5 * 3 * 2, a_b_c, x<y, and z>w, ____ years, Name *", "5 * 3 * 2, a_b_c, x<y, and z>w, ____ years, Name *"),
    ],
)
def test_of_links_and_emphasis_the_words_stay(take: Callable[..., Taken], text: str, words: str) -> None:
    for form in (
        sheets("f", f"select_one yes_no | a | A? | hint = {text}", YES_NO),
        {"elements": [yes_no("a", description=text)]},
    ):
        found = take(form)
        hint = found.survey.question("a").hint
        assert hint is not None
        assert hint["en"] == words
        assert [found.names("HTML or Markdown"), bool(found.left_out)] == [text != words] * 2


def test_what_is_too_long_is_shortened_or_dropped_and_never_refuses_the_form(take: Callable[..., Taken]) -> None:
    note, long = "This is said. " * 50, "This is said. " * 200
    rows = f"note | one | {note}\nnote | two | First {note}\nselect_one yes_no | a | A? | hint = Read it."
    found = take(sheets("f", f"{rows}\nselect_one yes_no | b | {long}", YES_NO))
    first, second = found.survey.questions
    assert first.hint is not None
    assert first.hint["en"] == f"First {note}Read it."
    assert second.label["en"].endswith("This is said. …")
    assert 900 < len(second.label["en"]) <= 1000
    assert found.names("row 2, column label: with what follows it, it is longer", "row 5, column label: the text is l")
    inner = {"type": "panel", "name": "q", "description": f"First {note}", "elements": [yes_no("a")]}
    panel = {"type": "panel", "name": "p", "description": note, "elements": [inner]}
    for description in (long, {"default": long}):
        found = take({"description": description, "elements": [panel]})
        (question,) = found.survey.questions
        assert question.hint is not None
        assert question.hint["en"] == f"First {note}".strip()
        assert found.survey.study.why is not None
        assert len(found.survey.study.why["en"]) <= 1000
        assert found.names('element "a", description', "description: ")


def test_a_section_of_which_no_question_is_left_goes_with_them(take: Callable[..., Taken]) -> None:
    form = sheets(
        "f",
        """
begin_group | one | About you
text | who | Who?
end_group
begin_group | two | About work
select_one yes_no | stay | Do you want to stay?
end_group""",
        YES_NO,
    )
    pages = [
        {"name": "one", "title": "About you", "elements": [{"type": "text", "name": "who"}]},
        {"name": "two", "title": "About work", "elements": [{"type": "text", "name": "what"}, yes_no("stay")]},
    ]
    for each in (form, {"pages": pages}):
        found = take(each)
        assert [screen.section and screen.section["en"] for screen in found.survey.screens] == ["About work"]
        assert any("not used:" in note and "one" in note for note in found.notes)


def test_what_is_offered_to_some_only_is_not_offered_to_everybody(take: Callable[..., Taken]) -> None:
    shown = [{"value": "a", "visibleIf": "{x} = true"}, "b"]
    for part in (
        {"type": "radiogroup", "choices": shown},
        {"type": "radiogroup", "choices": ["a", "b"], "choicesVisibleIf": "{item} = 'a'"},
        {"type": "boolean", "enableIf": "{x} = true"},
        {"type": "boolean", "readOnly": True},
    ):
        found = take({"elements": [yes_no("x"), {"name": "y"} | part]})
        assert (found.asked, len(found.left_out)) == (["x"], 1)
    form = sheets("f", "select_one yes_no | x | X?\nselect_one yes_no | y | Y? | choice_filter = true()", YES_NO)
    assert take(form).asked == ["x"]


def test_a_panel_that_is_not_shown_is_left_out_whole(take: Callable[..., Taken]) -> None:
    panel = {"type": "panel", "name": "p", "visible": False, "elements": [yes_no("a"), yes_no("b")]}
    found = take({"elements": [panel, yes_no("c")]})
    assert (found.asked, len(found.left_out)) == (["c"], 1)
    assert found.names('panel "p", visible')


def test_two_questions_of_one_name_are_one_and_the_other_is_named(take: Callable[..., Taken]) -> None:
    found = take({"elements": [yes_no("a"), yes_no("a"), yes_no("b")]})
    assert found.asked == ["a", "b"]
    assert found.names('"a" is used twice')


def test_names_that_would_be_made_alike_stay_apart_and_conditions_find_each(take: Callable[..., Taken]) -> None:
    long = "Were you able to see a doctor when you felt that it was needed, "
    names = ["Q 1", "q_1", "Q-1", f"{long}last year", f"{long}ever"]
    found = take(
        {"elements": [*map(yes_no, names), yes_no("last", visibleIf=f"{{{names[4]}}} = true and {{Q-1}} = true")]}
    )
    assert found.asked[:3] == ["q_1", "q_1_2", "q_1_3"]
    assert (len(set(found.asked)), found.left_out) == (6, ())
    assert found.survey.screens[-1].ask_if == ((found.asked[4], ("yes",)), ("q_1_3", ("yes",)))
    form = sheets("q", "select_one yes_no | Q | One?\nselect_one yes_no | q | Two?", YES_NO)
    assert take(form).asked == ["q", "q_2"]


def test_a_picture_picker_is_a_choice_or_several_without_its_pictures(take: Callable[..., Taken]) -> None:
    choices = [{"value": "cat", "imageLink": "cat.png"}, {"value": "dog", "imageLink": "dog.png"}]
    for more, questions in (({}, ["pet"]), ({"multiSelect": True}, ["pet_cat", "pet_dog"])):
        found = take({"elements": [{"type": "imagepicker", "name": "pet", "choices": choices, **more}]})
        assert found.asked == questions
        assert found.names("pictures of choices")


def test_languages_are_known_by_their_names_and_one_that_is_not_is_left_out(take: Callable[..., Taken]) -> None:
    form = sheets("f", "select_one yes_no | a | One? | label::French = Un ? | label::Old Norse = Einn?", YES_NO)
    found = take(form)
    assert found.survey.languages == ("en", "fr")
    assert found.names('"Old Norse"')
    form = sheets("f", "select_one yes_no | a | One?", YES_NO)
    del form["settings"]
    found = take(form)
    assert found.survey.languages == ("en",)
    assert any("taken for English (en)" in note for note in found.notes)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("gps", '"geopoint" is not supported: it may tell who answers, where or when'),
        ("get device id", '"device_id" is not supported: it may tell who answers'),
        ("uri:phonenumber", '"phonenumber" is not supported: it may tell who answers'),
        ("add text prompt", '"text" is not supported: free text cannot be disguised'),
        ("trigger", '"acknowledge" is not supported: it asks nothing'),
        ("date time", '"datetime" is not supported: a moment may tell who answers'),
        ("q int", 'there is no type "q"; write int'),
        ("percentage", 'there is no type "percentage"; write integer'),
    ],
)
def test_types_of_older_forms_are_left_out_for_the_reason_of_those_they_are_now(
    take: Callable[..., Taken], written: str, why: str
) -> None:
    rows = f"select_one yes_no | smokes | Do you smoke?\n{written} | older | Older?"
    found = take(sheets("older", rows, YES_NO))
    assert found.asked == ["smokes"]
    (line,) = found.left_out
    assert line.startswith(f"sheet survey, row 3, column type: {why}")


def test_a_default_language_without_a_tag_is_taken_for_english_and_named(take: Callable[..., Taken]) -> None:
    rows = "select_one yes_no | a | One? | label::French = Un ?"
    for row in (rows, rows.replace("One?", "").replace("label::French", "label::Old Norse")):
        form = sheets("f", row, YES_NO)
        form["settings"][1][2] = "Old Norse"
        found = take(form)
        assert found.survey.languages[0] == "en"
        assert found.survey.question("a").label["en"] in {"One?", "Un ?"}
        assert found.names('column default_language: the language "Old Norse"')
    form = sheets("f", rows, YES_NO)
    form["settings"][1][2] = "French"
    assert take(form).survey.languages == ("fr",)


def test_of_a_text_in_two_columns_that_of_the_named_language_is_taken(take: Callable[..., Taken]) -> None:
    found = take(sheets("f", "select_one yes_no | a | One? | label::English (en) = Which one?", YES_NO))
    assert found.survey.question("a").label["en"] == "Which one?"
    assert found.names("row 2, column label: ")


def test_columns_of_settings_that_are_unknown_or_say_a_thing_twice_are_noted(take: Callable[..., Taken]) -> None:
    form = sheets("f", "select_one yes_no | a | A?", YES_NO)
    form["settings"][0] += ["form_titel", "id_string", "form_title::French (fr)", "version"]
    form["settings"][1] += ["Other", "other", "Autre", "1"]
    found = take(form)
    assert (found.survey.name, found.survey.title["en"]) == ("f", "f")
    assert any(
        each.startswith("columns of the sheet settings")
        and each.endswith(": form_titel, id_string, form_title::French (fr), version")
        for each in found.notes
    )


def test_a_question_without_a_text_has_that_of_the_panel_or_note_above_it(take: Callable[..., Taken]) -> None:
    grouped = "begin_group | g | Do you smoke?\nselect_one yes_no | a |\nend_group"
    noted = "note | n | Do you smoke?\nselect_one yes_no | a |"
    for panel in ({"title": "Do you smoke?"}, {"description": "Do you smoke?"}):
        part = {"type": "panel", "name": "p", "elements": [{"type": "boolean", "name": "a"}]} | panel
        (question,) = take({"elements": [part]}).survey.questions
        assert (question.label["en"], question.hint) == ("Do you smoke?", None)
    for rows in (grouped, noted):
        found = take(sheets("f", rows, YES_NO))
        (question,) = found.survey.questions
        assert (question.label["en"], question.hint, found.survey.screens) == ("Do you smoke?", None, ())
    two = grouped.replace("\nend", "\nselect_one yes_no | b | B?\nend")
    assert take(sheets("f", two, YES_NO)).asked == ["b"]
    both = {
        "type": "panel",
        "name": "p",
        "title": "T",
        "elements": [{"type": "boolean", "name": each} for each in "ab"],
    }
    assert [each.label["en"] for each in take({"elements": [both]}).survey.questions] == ["a", "b"]
