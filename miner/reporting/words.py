"""Words for questions and values, as respondents read them, where files and commands have names."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date

from collector.survey.question import EXTRAS, YES_NO, Question
from collector.survey.screen import DATE, GRID, MULTIPLE, ORDER, RANKING, Screen
from collector.survey.survey import Survey
from collector.survey.text import Text

PLAIN_WORDS = dict(zip((*YES_NO, *EXTRAS), ("Yes", "No", "Prefer not to say", "No answer", "Not asked"), strict=True))

MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
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
    screen, question, language = survey.screen_of(name), survey.question(name), survey.languages[0]
    if screen is not None and screen.kind == RANKING:
        items = items_of(survey, name)
        return tuple(
            ", then ".join(items.get(each) or PLAIN_WORDS.get(each, each) for each in value.split(ORDER))
            for value in question.values
        )
    if screen is not None:
        question = screen.spelled(question, " + ")
    return tuple(_value(question, place, language, screen) for place in range(len(question.values)))


def items_of(survey: Survey, name: str) -> dict[str, str]:
    """The items that a question ranks, or the options that its values combine, by name; empty for other questions."""
    screen = survey.screen_of(name)
    if screen is None or not (screen.kind == RANKING or screen.is_combined):
        return {}
    return {item: text[survey.languages[0]] for item, text in screen.items}


def answers_line(survey: Survey, name: str) -> str:
    """All answers to a question in one line; of orders and combinations the items or options."""
    screen, question, words = survey.screen_of(name), survey.question(name), value_words(survey, name)
    items = items_of(survey, name)
    if screen is None or not items:
        return "; ".join(words)
    count, rest = len(question.base), words[len(question.base) :]
    what = "an order" if screen.kind == RANKING else "a combination"
    return "; ".join([f"{what} of {', '.join(items.values())} ({count} in all)", *rest])


def word_of(survey: Survey, name: str, value: str) -> str:
    """One value of a question, as respondents read it."""
    return value_words(survey, name)[survey.question(name).value_index(value)]


def _value(question: Question, place: int, language: str, screen: Screen | None) -> str:
    value = question.values[place]
    shown = question.shown[place][language] if question.shown else value
    if shown != value or value in PLAIN_WORDS:
        return PLAIN_WORDS[value] if shown == value else shown
    if question.bounds and place < len(question.base):
        if screen is not None and screen.kind == DATE:
            return _days(question.bounds, place)
        own = None if screen is None else screen.unit
        unit = own[language] if isinstance(own, Text) else own or question.unit_in(language)
        return _interval(question.bounds, place, unit)
    return shown.replace("_", " ")


def event_words(survey: Survey, event: Mapping[int, Collection[int]]) -> str:
    """A conjunction in words: for each question, by its position, the values that it may have."""
    parts = []
    for column, wanted in event.items():
        name = survey.questions[column].name
        words = [word for place, word in enumerate(value_words(survey, name)) if place in wanted]
        parts.append(with_answer(question_words(survey, name), " or ".join(words)))
    return "; ".join(parts) or "everybody"


def _days(bounds: Sequence[str], place: int) -> str:
    """An interval between days as the page writes it: before 1 January 2015."""
    days = [f"{day.day} {MONTHS[day.month - 1]} {day.year}" for day in map(date.fromisoformat, bounds)]
    if place == len(days):
        return f"{days[-1]} or later"
    return f"{days[place - 1]} to before {days[place]}" if place else f"before {days[0]}"


def _interval(bounds: Sequence[str], place: int, unit: str) -> str:
    """An interval between numbers, the lower of which belongs to it."""
    if place == len(bounds):
        return f"{_with_unit(bounds[-1], unit)} or more"
    start = f"{bounds[place - 1]} to " if place else ""
    return f"{start}under {_with_unit(bounds[place], unit)}"


def _with_unit(number: str, unit: str) -> str:
    """A number and its unit; 1 stands alone, as "1 days" is wrong."""
    return f"{number} {unit}" if unit and number != "1" else number
