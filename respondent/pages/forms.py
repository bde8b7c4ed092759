"""The form for disguising by hand, built with WTForms from the design, with a field for each question's code.

Only the form for disguising by hand is sent by the browser itself. All other pages send responses with a script.
"""

from flask_wtf import FlaskForm
from werkzeug.datastructures import MultiDict
from wtforms import RadioField
from wtforms.fields.choices import SelectChoice  # type: ignore[attr-defined] # newer than the published types
from wtforms.validators import InputRequired

from collector.survey.survey import Survey
from respondent.intake.body import QUESTION_PREFIX


class HandForm(FlaskForm):  # type: ignore[misc] # Flask-WTF brings no types
    """The base class of the forms for disguising by hand."""

    class Meta:
        """The settings of WTForms.

        The form uses `respondent.intake.proof` instead of the CSRF token of WTForms, which needs a cookie.
        """

        csrf = False


def hand_form(survey: Survey, sent: MultiDict[str, str] | None = None) -> HandForm:
    """Return the form of a survey, in which a code must be chosen for each question.

    Args:
        survey: Survey to answer.
        sent: Form data that a respondent sent, with which the form is filled in and checked.
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
