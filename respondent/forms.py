"""The survey as a form, built with WTForms from the published design.

No control has a name: a browser's own submit would find nothing to send, even if something let it. The controls are
disabled until the script that codes, disguises and sends is running. None is completed or restored by the browser: the
form says so for all of them.
"""

from __future__ import annotations

from typing import Any

from flask_wtf import FlaskForm
from wtforms import Field, RadioField, StringField
from wtforms.fields.choices import SelectChoice  # type: ignore[attr-defined] # newer than the published types
from wtforms.widgets import RadioInput, TextInput, html_params

from collector.question import Question
from collector.survey import Survey
from respondent.languages import Interface
from respondent.odds import value_words

PREFIX = "q-"  # of ids; also keeps a question named "data" from hiding an attribute of the form


class Nameless:
    """Mixed into a widget: its input has no name, and is disabled until the script runs."""

    @staticmethod
    def html_params(**attributes: Any) -> str:  # noqa: ANN401 - what WTForms passes on
        """The attributes as HTML, without the name."""
        attributes.pop("name", None)
        return html_params(**attributes, disabled=True)


class NamelessRadio(Nameless, RadioInput):
    """One option of a choice."""


class NamelessText(Nameless, TextInput):
    """A line of text."""


class ChoiceField(RadioField):
    """One value out of several."""

    option_widget = NamelessRadio()


class NumberField(StringField):
    """A number, typed as text: people write it in more ways than a number input takes."""

    widget = NamelessText()


class QuestionForm(FlaskForm):  # type: ignore[misc] # Flask-WTF brings no types
    """The base of every survey's form."""

    class Meta:
        """There is no cookie and no native submit, hence nothing for a token to protect."""

        csrf = False


def survey_form(survey: Survey, interface: Interface) -> QuestionForm:
    """The form of a survey in one language: one field for each question, in order."""
    fields = {f"{PREFIX}{question.name}": _field(question, interface) for question in survey.questions}
    form: QuestionForm = type("SurveyForm", (QuestionForm,), fields)(formdata=None)
    return form


def _field(question: Question, interface: Interface) -> Field:
    label = question.label[interface.language]
    if question.kind == "number":
        return NumberField(label, render_kw={"inputmode": "decimal", "spellcheck": "false", "dir": "ltr"})
    choices = [
        SelectChoice(value, value_words(question, index, interface)) for index, value in enumerate(question.values)
    ]
    return ChoiceField(label, choices=choices)
