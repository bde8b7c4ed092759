"""Write questions and values in the words that respondents read.

Files and commands name questions and values by their names, not in words.
"""

from collections.abc import Collection, Mapping

from collector.survey.screen import GRID, MULTIPLE, RANKING
from collector.survey.survey import Survey
from collector.wording.wording import wording, wordings

ENDS = ("?", "!", ".", ":", "\N{ARABIC QUESTION MARK}", "\N{FULLWIDTH QUESTION MARK}")


def with_answer(question: str, answer: str) -> str:
    """Return a question and an answer to it in one line.

    A colon separates question and answer, unless the question ends in a punctuation mark.
    """
    return f"{question}{'' if question.endswith(ENDS) else ':'} {answer}"


def question_words(survey: Survey, name: str) -> str:
    """Return the label of a question. For an option or a statement, the label of its screen comes first."""
    language, screen = survey.languages[0], survey.screen_of(name)
    label = survey.question(name).label[language]
    if screen is None or screen.label is None or screen.kind not in {MULTIPLE, GRID}:
        return label
    return with_answer(screen.label[language], label)


def value_words(survey: Survey, name: str) -> tuple[str, ...]:
    """Return the values of a question in order, in the words of the survey's first language."""
    return wordings(survey, survey.question(name), survey.languages[0])


def items_of(survey: Survey, name: str) -> dict[str, str]:
    """Return the names of the items that a question ranks, or of the options whose combinations are its values.

    For questions without items or options, an empty dictionary is returned.
    """
    screen = survey.screen_of(name)
    if screen is None or not (screen.kind == RANKING or screen.is_combined):
        return {}
    return {item: text[survey.languages[0]] for item, text in screen.items}


def answers_line(survey: Survey, name: str) -> str:
    """Return all answers to a question in one line.

    For a question whose values are orders or combinations, the line has the items or options.
    """
    screen, question, words = survey.screen_of(name), survey.question(name), value_words(survey, name)
    items = items_of(survey, name)
    if screen is None or not items:
        return "; ".join(words)
    count, rest = len(question.base), words[len(question.base) :]
    what = "an order" if screen.kind == RANKING else "a combination"
    return "; ".join([f"{what} of {', '.join(items.values())} ({count} in all)", *rest])


def word_of(survey: Survey, name: str, value: str) -> str:
    """Return one value of a question, in the words that respondents read."""
    return wording(survey, survey.question(name), value, survey.languages[0])


def event_words(survey: Survey, event: Mapping[int, Collection[int]]) -> str:
    """Return a conjunction of conditions in words, given the possible values of each question."""
    parts = []
    for column, wanted in event.items():
        name = survey.questions[column].name
        words = [word for place, word in enumerate(value_words(survey, name)) if place in wanted]
        parts.append(with_answer(question_words(survey, name), " or ".join(words)))
    return "; ".join(parts) or "everybody"
