"""Words for questions and values, as respondents read them, where files and commands have names."""

from collections.abc import Collection, Mapping

from collector.survey.question import EXTRAS, YES_NO, Question
from collector.survey.screen import DATE, GRID, MULTIPLE, ORDER, RANKING
from collector.survey.survey import Survey

PLAIN_WORDS = dict(zip((*YES_NO, *EXTRAS), ("Yes", "No", "Prefer not to say", "No answer", "Not asked"), strict=True))

ENDS = ("?", "!", ".", ":", "\N{ARABIC QUESTION MARK}", "\N{FULLWIDTH QUESTION MARK}")


def with_answer(question: str, answer: str) -> str:
    """A question and an answer to it in one line, with a colon between them unless the question ends in a mark."""
    return f"{question}{'' if question.endswith(ENDS) else ':'} {answer}"


def question_words(survey: Survey, name: str) -> str:
    """The label of a question, behind that of its screen where it is an option or a statement."""
    language, screen = survey.languages[0], survey.screen_of(name)
    label = survey.question(name).label[language]
    if screen is None or screen.label is None or screen.kind not in {MULTIPLE, GRID}:
        return label
    return with_answer(screen.label[language], label)


def value_words(survey: Survey, name: str) -> tuple[str, ...]:
    """The values of a question in their order, as respondents read them; in the first language of the survey."""
    screen, question = survey.screen_of(name), survey.question(name)
    if screen is not None and screen.kind == RANKING:
        items = {name: text[survey.languages[0]] for name, text in screen.items}
        return tuple(
            ", then ".join(items.get(each) or PLAIN_WORDS.get(each, each) for each in value.split(ORDER))
            for value in question.values
        )
    if screen is not None:
        question = screen.spelled(question, " + ")
    kind = screen.kind if screen is not None else question.kind
    return tuple(_value(question, place, survey.languages[0], kind) for place in range(len(question.values)))


def word_of(survey: Survey, name: str, value: str) -> str:
    """One value of a question, as respondents read it."""
    return value_words(survey, name)[survey.question(name).value_index(value)]


def _value(question: Question, place: int, language: str, kind: str) -> str:
    value = question.values[place]
    shown = question.shown[place][language] if question.shown else value
    if shown != value or value in PLAIN_WORDS:
        return PLAIN_WORDS[value] if shown == value else shown
    if question.bounds and place < len(question.base):
        return _interval(question, place, language, days=kind == DATE)
    return shown.replace("_", " ")


def event_words(survey: Survey, event: Mapping[int, Collection[int]]) -> str:
    """A conjunction in words: for each question, by its position, the values that it may have."""
    parts = []
    for column, wanted in event.items():
        name = survey.questions[column].name
        words = [word for place, word in enumerate(value_words(survey, name)) if place in wanted]
        parts.append(with_answer(question_words(survey, name), " or ".join(words)))
    return "; ".join(parts) or "everybody"


def _interval(question: Question, place: int, language: str, *, days: bool) -> str:
    """An interval between bounds, the lower of which belongs to it."""
    bounds, unit = question.bounds, question.unit_in(language)
    last = bounds[min(place, len(bounds) - 1)]
    if place == len(bounds):
        return f"{last} or later" if days else f"{_with_unit(last, unit)} or more"
    start = f"{bounds[place - 1]} to " if place else ""
    return f"{start}{'before' if days else 'under'} {_with_unit(last, unit)}"


def _with_unit(number: str, unit: str) -> str:
    """A number and its unit; 1 stands alone, as "1 days" is wrong."""
    return f"{number} {unit}" if unit and number != "1" else number
