"""All remarks on a survey that is to be asked: what `collector check` and the desk show."""

import re

from collector.disclosure.lint import NOTE, Lint, by_gravity
from collector.disclosure.lints import day_lints, precision_lints
from collector.disclosure.privacy import SurveyPrivacy
from collector.exchange.texts import entries
from collector.survey.survey import Survey

ADDRESS = re.compile("@|://|^[^a-zA-Z]*$")  # reads alike in every language
MOST_NAMED = 5


def remarks(privacy: SurveyPrivacy, respondents: int | None) -> tuple[Lint, ...]:
    """Every remark, the gravest first."""
    survey = privacy.survey
    few = [] if respondents is None else precision_lints(survey, respondents, planned=privacy.planned)
    return by_gravity([*privacy.lints, *day_lints(survey), *untranslated(survey), *few])


def untranslated(survey: Survey) -> list[Lint]:
    """For each other language a note on the texts that read as in the first: they may lack a translation."""
    notes = []
    for language in survey.languages[1:]:
        alike = [each for each in entries(survey, language) if each.text == each.translation]
        same = [each.place for each in alike if not ADDRESS.search(each.text)]
        if same:
            named = ", ".join(same[:MOST_NAMED]) + (" and others" if len(same) > MOST_NAMED else "")
            problem = f'{len(same)} texts read as in "{survey.languages[0]}": {named}'
            notes.append(Lint(NOTE, f'language "{language}"', problem, "translate them (collector texts), if need be"))
    return notes
