"""The words that show answers in pages, forms, reports and code books.

On the respondent's page, the script static/page/words.mjs writes the words of all values except intervals.
"""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from itertools import pairwise

from collector.characters import isolated
from collector.survey.question import EXTRAS, YES_NO, Question
from collector.survey.screen import DATE, NUMBER, ORDER, PLAIN, RANKING, Screen
from collector.survey.survey import Survey
from collector.survey.text import Text
from collector.survey.ticks import PLUS
from collector.wording.languages import catalogue, day_words, number_words

NEXT, TOGETHER = " \u203a ", " + "
"""Separators of the items of an order, and of options ticked together. Lists of values have commas."""


def wordings(survey: Survey, question: Question, language: str) -> tuple[str, ...]:
    """Return the words that show all values of a question, in order, in a language of the survey."""
    extras = extra_words(language)
    base = _base(survey, question, language)
    words = base + [isolated(text[language]) for text in question.shown[len(base) :]]
    words += question.values[len(words) :]
    return tuple(
        extras[value] if value in extras and read == value else read
        for value, read in zip(question.values, words, strict=True)
    )


def wording(survey: Survey, question: Question, value: str, language: str) -> str:
    """Return the words that show a value in a language, such as "Yes" or "400 to under 800 EUR"."""
    return wordings(survey, question, language)[question.value_index(value)]


def extra_words(language: str) -> dict[str, str]:
    """Return the words for values such as "no answer", which give the reason for a missing answer."""
    _ = catalogue(language)
    words = _("Prefer not to say"), _("No answer"), _("Does not apply")
    return dict(zip(EXTRAS, words, strict=True))


def kind_of(survey: Survey, question: Question) -> str:
    """Return the kind of a question as a survey file names it.

    The kind of a question in the design may differ: for example, a ``ranking`` is a choice in the design.
    """
    screen = survey.screen_of(question.name)
    if screen is not None and screen.kind != PLAIN:
        return screen.kind
    return "yes_no" if _is_yes_no(question) else question.kind


def unit_of(survey: Survey, question: Question, language: str) -> str:
    """Return the unit of a number question in a language, or an empty text."""
    screen = survey.screen_of(question.name)
    unit = question.unit if screen is None or not screen.cuts else screen.unit
    return unit[language] if isinstance(unit, Text) else unit or ""


def is_whole(survey: Survey, question: Question) -> bool:
    """Return whether a question asks for a whole number, such as a count."""
    screen = survey.screen_of(question.name)
    return question.whole or (screen is not None and screen.whole)


def is_cut(survey: Survey, question: Question) -> bool:
    """Return whether the values of a question are intervals between numbers or days."""
    return kind_of(survey, question) in {NUMBER, DATE}


def _base(survey: Survey, question: Question, language: str) -> list[str]:
    """Return the words for the values of a question, without extra values such as "no answer"."""
    _, screen = catalogue(language), survey.screen_of(question.name)
    if question.shown:
        return [isolated(text[language]) for text in question.shown[: len(question.base)]]
    if _is_yes_no(question):
        return [_("Yes"), _("No")]
    if screen is not None and screen.items:
        return [_items(screen, value, language) for value in question.base]
    return _intervals(survey, question, language) if is_cut(survey, question) else _readable(question.base)


def _is_yes_no(question: Question) -> bool:
    """Return whether a question is a yes-no question, perhaps with extra values such as "no answer"."""
    return question.kind == "yes_no" or question.base == YES_NO != question.values


def _items(screen: Screen, value: str, language: str) -> str:
    """Return the words for an order of items to rank, or for a combination of options."""
    labels = {name: isolated(text[language]) for name, text in screen.items}
    if screen.kind == RANKING:
        return NEXT.join(labels[name] for name in value.split(ORDER))
    nothing = catalogue(language)("Nothing ticked") if screen.none is None else screen.none[language]
    return TOGETHER.join(labels.get(name, nothing) for name in value.split(PLUS))


def _intervals(survey: Survey, question: Question, language: str) -> list[str]:
    """Return the words for the intervals of a number or date question."""
    _, bounds = catalogue(language), question.bounds
    if kind_of(survey, question) == DATE:
        days = [day_words(date.fromisoformat(each), language) for each in bounds]
        inner = [_("{low} to before {high}").format(low=low, high=high) for low, high in pairwise(days)]
        return [_("before {number}").format(number=days[0]), *inner, _("{number} or later").format(number=days[-1])]
    unit = isolated(unit_of(survey, question, language))
    numbers = [number_words(Decimal(each), language) for each in bounds]
    # 1 stands alone: "1 days" is wrong, and the question names the unit
    measured = [
        f"{words} {unit}" if unit and abs(Decimal(each)) != 1 else words
        for each, words in zip(bounds, numbers, strict=True)
    ]
    inner = [
        _("{low} to under {high}").format(low=low, high=high) for low, high in zip(numbers, measured[1:], strict=False)
    ]
    return [_("under {number}").format(number=measured[0]), *inner, _("{number} or more").format(number=measured[-1])]


def _readable(names: Sequence[str]) -> list[str]:
    """Return the names of values as words, such as "not at all" for not_at_all."""
    words = [name.replace("_", " ").strip() or name for name in names]
    return words if len(set(words)) == len(words) else list(names)
