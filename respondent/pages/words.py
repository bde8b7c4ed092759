"""Words for codes and conditions in the form for disguising by hand."""

from collections.abc import Sequence

from collector.survey.question import NOT_APPLICABLE, Question
from collector.survey.survey import Survey
from collector.wording.wording import wording, wordings
from respondent.pages.languages import Interface


def code_words(survey: Survey, question: Question, interface: Interface) -> dict[int, str]:
    """Return the meaning of each code of a question.

    The words for a code's meaning include the code if a value has several codes, or if the code stands for no value.
    """
    _, coding, found = interface.gettext, question.coding, dict[int, str]()
    words = wordings(survey, question, interface.language)
    for code in question.codes:
        value = None if coding.shared else coding.value_of(code)
        if value is None:
            found[code] = _("code {code}").format(code=code)
        elif len(coding.codes_of(value)) == 1:
            found[code] = words[value]
        else:
            found[code] = _("{answer} (code {code})").format(answer=words[value], code=code)
    return found


def condition_words(survey: Survey, question: Question, name: str, values: Sequence[str], interface: Interface) -> str:
    """Return the condition under which a question is asked, in words for a person who disguises by hand."""
    other, numbers = survey.question(name), [each.name for each in survey.questions]
    words = [wording(survey, other, value, interface.language) for value in values]
    template = interface.gettext(
        "If your answer to question {number} is not {answers}, your answer here is: {skipped}."
    )
    skipped = wording(survey, question, NOT_APPLICABLE, interface.language)
    return template.format(number=numbers.index(name) + 1, answers=interface.gettext(", ").join(words), skipped=skipped)
