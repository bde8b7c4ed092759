"""Values and codes as a respondent reads them in the form to fill in by hand; static/page/words.mjs is the twin."""

from __future__ import annotations

from collections.abc import Sequence

from collector.survey.question import Question
from respondent.pages.languages import Interface


def value_words(question: Question, value: int, interface: Interface) -> str:
    """A value as a respondent reads it: Yes, first, 400 to under 800 EUR."""
    _ = interface.gettext
    if question.shown:
        return question.shown[value][interface.language]
    if question.kind == "yes_no":
        return (_("Yes"), _("No"))[value]
    if question.kind != "number":
        return _readable(question.values)[value]
    cuts = question.cuts
    if value == 0:
        return _("under {number}").format(number=_with_unit(cuts[0], question))
    if value == len(cuts):
        return _("{number} or more").format(number=_with_unit(cuts[-1], question))
    return _("{low} to under {high}").format(low=cuts[value - 1], high=_with_unit(cuts[value], question))


def _with_unit(number: float, question: Question) -> str:
    """A number and its unit, as in 400 EUR; 1 stands alone: "1 days" is wrong, and the question names the unit."""
    return f"{number} {question.unit}" if question.unit and abs(number) != 1 else str(number)


def _readable(names: Sequence[str]) -> Sequence[str]:
    """Values that nobody gave words, as words: not_at_all reads "not at all" where no other value does."""
    words = [name.replace("_", " ").strip() or name for name in names]
    return words if len(set(words)) == len(words) else names


def code_words(question: Question, code: int, interface: Interface) -> str:
    """What a code stands for; with the code where it is one of several, or stands for nothing."""
    value = None if question.coding.shared else question.coding.value_of(code)
    if value is None:
        return interface.gettext("code {code}").format(code=code)
    words = value_words(question, value, interface)
    if len(question.coding.codes_of(value)) == 1:
        return words
    return interface.gettext("{answer} (code {code})").format(answer=words, code=code)
