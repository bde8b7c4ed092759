"""The form to fill in by hand, built with WTForms from the published design.

It has one field for the code of each question. The form by hand is the only form that a browser itself sends. The page
with a script has controls without names, so that a native submit would send nothing.
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
        """Settings of the form. WTForms' token would need a cookie, so `respondent.intake.proof` replaces it."""

        csrf = False


def hand_form(survey: Survey, sent: MultiDict[str, str] | None = None) -> HandForm:
    """Return the form of a survey: for each question, in order, one of its codes must be chosen.

    Args:
        survey: Survey to answer.
        sent: Form data that were sent. The form is filled in with them, and each field has its errors.
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
