"""The form by hand, built with WTForms from the published design, with a field for the code of each question.

The form by hand is the only form that a browser itself sends. The controls of the page with a script have no names, so
that a native submit would send nothing.
"""

from flask_wtf import FlaskForm
from werkzeug.datastructures import MultiDict
from wtforms import RadioField
from wtforms.fields.choices import SelectChoice  # type: ignore[attr-defined] # newer than the published types
from wtforms.validators import InputRequired

from collector.survey.survey import Survey
from respondent.intake.body import QUESTION_PREFIX


class HandForm(FlaskForm):  # type: ignore[misc] # Flask-WTF brings no types
    """The base class of the forms of all surveys."""

    class Meta:
        """Settings of the form.

        The token of WTForms would need a cookie, and is replaced by `respondent.intake.proof`.
        """

        csrf = False


def hand_form(survey: Survey, sent: MultiDict[str, str] | None = None) -> HandForm:
    """Return the form of a survey, in which a code must be chosen for each question.

    Args:
        survey: Survey to answer.
        sent: Form data that were sent, with which the form is filled in and checked.
    """
    fields = {
        f"{QUESTION_PREFIX}{question.name}": RadioField(
            choices=[SelectChoice(str(code)) for code in question.codes], validators=[InputRequired()]
        )
        for question in survey.questions
    }
    form: HandForm = type("SurveyForm", (HandForm,), fields)(formdata=sent)
    if sent is not None:
        form.validate()
    return form
