"""Values and codes as a respondent reads them in the form to fill in by hand; static/page/words.mjs is the twin."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise

from collector.survey.question import EXTRAS, NOT_APPLICABLE, YES_NO, Question
from collector.survey.screen import DATE
from collector.survey.survey import Survey
from collector.survey.text import Text
from respondent.pages.languages import Interface, interface


def extra_words(interface: Interface) -> dict[str, str]:
    """Words for the values that say why there is no other answer."""
    _ = interface.gettext
    words = _("Prefer not to say"), _("No answer"), _("Does not apply")
    return dict(zip(EXTRAS, words, strict=True))


def spelled(survey: Survey, question: Question) -> Question:
    """A question with words for values that are combinations, By words + On the net, or intervals of days."""
    screen = survey.screen_of(question.name)
    if screen is not None and screen.kind == DATE and not question.shown:
        words = {tag: _days(screen.cuts, interface(tag)) for tag, _ in question.label.pairs}
        extras = [dict.fromkeys(words, extra) for extra in question.values[len(screen.cuts) + 1 :]]
        shown = [{tag: words[tag][value] for tag in words} for value in range(len(screen.cuts) + 1)]
        return replace(question, shown=tuple(map(Text.of, [*shown, *extras])))
    return question if screen is None else screen.spelled(question, " + ")  # lists of values have commas


def _days(cuts: Sequence[object], interface: Interface) -> list[str]:
    """The intervals between days, in words."""
    _ = interface.gettext
    days = [interface.day(date.fromisoformat(str(each))) for each in cuts]
    inner = [_("{low} to before {high}").format(low=low, high=high) for low, high in pairwise(days)]
    return [_("before {number}").format(number=days[0]), *inner, _("{number} or later").format(number=days[-1])]


def value_words(question: Question, value: int, interface: Interface) -> str:
    """A value as a respondent reads it: Yes, first, 400 to under 800 EUR."""
    _ = interface.gettext
    name = question.values[value]
    shown = question.shown[value][interface.language] if question.shown else name
    if name in EXTRAS and shown == name:
        return extra_words(interface)[name]
    if question.shown:
        return shown
    if question.kind == "number":
        return _interval(question, value, interface)
    if question.kind == "yes_no" or question.base == YES_NO != question.values:
        return (_("Yes"), _("No"))[value]
    return _readable(question.values)[value]


def _interval(question: Question, value: int, interface: Interface) -> str:
    _, cuts = interface.gettext, question.cuts
    if value == 0:
        return _("under {number}").format(number=_with_unit(cuts[0], question, interface))
    if value == len(cuts):
        return _("{number} or more").format(number=_with_unit(cuts[-1], question, interface))
    return _("{low} to under {high}").format(low=cuts[value - 1], high=_with_unit(cuts[value], question, interface))


def _with_unit(number: float, question: Question, interface: Interface) -> str:
    """A number and its unit, as in 400 EUR; 1 stands alone: "1 days" is wrong, and the question names the unit."""
    unit = question.unit_in(interface.language)
    return f"{number} {unit}" if unit and abs(number) != 1 else str(number)


def _readable(names: Sequence[str]) -> Sequence[str]:
    """Values without words of their own, as words: not_at_all reads "not at all" where no other value does."""
    words = [name.replace("_", " ").strip() or name for name in names]
    return words if len(set(words)) == len(words) else names


def code_words(question: Question, code: int, interface: Interface) -> str:
    """The meaning of a code; with the code where it is one of several, or stands for nothing."""
    value = None if question.coding.shared else question.coding.value_of(code)
    if value is None:
        return interface.gettext("code {code}").format(code=code)
    words = value_words(question, value, interface)
    if len(question.coding.codes_of(value)) == 1:
        return words
    return interface.gettext("{answer} (code {code})").format(answer=words, code=code)


def condition_words(survey: Survey, question: Question, name: str, values: Sequence[str], interface: Interface) -> str:
    """The condition, for somebody who answers by hand, under which a question is asked."""
    other, numbers = spelled(survey, survey.question(name)), [each.name for each in survey.questions]
    words = [value_words(other, other.value_index(value), interface) for value in values]
    told = interface.gettext("If your answer to question {number} is not {answers}, your answer here is: {skipped}.")
    skipped = value_words(question, question.value_index(NOT_APPLICABLE), interface)
    return told.format(number=numbers.index(name) + 1, answers=interface.gettext(", ").join(words), skipped=skipped)
