"""The form by hand, built with WTForms from the published design, with a field for the code of each question.

Only the form by hand is sent by the browser. All other pages send responses with a script.
"""

from flask_wtf import FlaskForm
from werkzeug.datastructures import MultiDict
from wtforms import RadioField
from wtforms.fields.choices import SelectChoice  # type: ignore[attr-defined] # newer than the published types
from wtforms.validators import InputRequired

from collector.survey.survey import Survey
from respondent.intake.body import QUESTION_PREFIX


class HandForm(FlaskForm):  # type: ignore[misc] # Flask-WTF brings no types
    """The base class of the forms by hand of all surveys."""

    class Meta:
        """The settings of WTForms for the form by hand.

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
