"""The form to fill in by hand, built with WTForms from the published design: of each question the code that comes out.

It is the only form of ours that a browser itself sends. The questions of the page that runs a script are built by the
script, of controls without names, so that a native submit would find nothing to send.
"""

from flask_wtf import FlaskForm
from werkzeug.datastructures import MultiDict
from wtforms import RadioField
from wtforms.fields.choices import SelectChoice  # type: ignore[attr-defined] # newer than the published types
from wtforms.validators import InputRequired

from collector.survey.survey import Survey
from respondent.intake.body import QUESTION_PREFIX


class HandForm(FlaskForm):  # type: ignore[misc] # Flask-WTF brings no types
    """The base of every survey's form."""

    class Meta:
        """The form's proof is our own (`respondent.intake.proof`): WTForms' token would need a cookie."""

        csrf = False


def hand_form(survey: Survey, sent: MultiDict[str, str] | None = None) -> HandForm:
    """The form of a survey: for each question, in order, one of its codes, which must be chosen.

    Args:
        survey: To be answered.
        sent: What was sent of it: it is filled in, and each field has its errors.
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
