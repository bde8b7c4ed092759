"""Disclosure of each option of a multiple that is one question: that it was ticked, or was not."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from collector.disclosure.disclosure import SURELY, QuestionDisclosure, Rise
from collector.disclosure.lint import LOWER, REFUSE, WARN, Lint, nearly_certain, percent
from collector.survey.survey import Survey
from collector.survey.ticks import holding

SHOWN = 4


@dataclass(frozen=True)
class OptionDisclosure:
    """Largest rise of the probability that an option was ticked, and that it was not, by a response.

    Attributes:
        option: Its name.
        has: Rise of the probability that it was ticked.
        lacks: Rise of the probability that it was not, by somebody who answered.
    """

    option: str
    has: Rise
    lacks: Rise


def option_disclosures(survey: Survey, disclosure: QuestionDisclosure) -> tuple[OptionDisclosure, ...]:
    """Disclosure of each option; empty for a question that has no options, or is sent as it is."""
    question, screen = disclosure.question, survey.screen_of(disclosure.question.name)
    if disclosure.group is None or screen is None or not screen.is_combined:
        return ()
    found = []
    for option, _ in screen.items:
        values = {question.values.index(each) for each in holding(question.base, option)}
        others = {*range(len(question.base))} - values
        has, lacks = (_rise(disclosure, each) if each else Rise(Fraction(0), Fraction(0)) for each in (values, others))
        found.append(OptionDisclosure(option, has, lacks))
    return tuple(found)


def _rise(disclosure: QuestionDisclosure, values: set[int]) -> Rise:
    if disclosure.family is not None:
        return Rise(*disclosure.family.rise(disclosure.question, values))
    before = sum((disclosure.question.prior[value] for value in values), start=Fraction(0))
    after = (sum((row[value] for value in values), start=Fraction(0)) for row in disclosure.posteriors.values())
    return Rise(before, max(after))


def option_lints(survey: Survey, disclosure: QuestionDisclosure, *, planned: bool) -> Iterator[Lint]:
    """A remark on each option that a response makes certain, or nearly, to have been ticked or not."""
    group, place = disclosure.group, f'question "{disclosure.question.name}"'
    if group is None or disclosure.channel is None or disclosure.channel.coin.fixed in {0, 1}:
        return
    remedy = LOWER if planned else f'lower the truth of group "{group.name}"'
    remedy = 'say channel = "uniform"' if group.channel.replacement.paired else remedy
    for each in option_disclosures(survey, disclosure):
        for words, rise in ((f'"has {each.option}"', each.has), (f'"{each.option}" not ticked', each.lacks)):
            if rise.before < SURELY == rise.after:
                yield Lint(REFUSE, place, f"{words} goes from {percent(rise)} by some responses", remedy)
            elif nearly_certain(rise):
                yield Lint(WARN, place, f"{words} goes from {percent(rise)} by some responses", remedy)


def options_told(disclosures: tuple[OptionDisclosure, ...]) -> str:
    """The options that a response may make likelier, the steepest rise first; empty without options."""
    steepest = sorted(disclosures, key=lambda each: each.has.before - each.has.after)
    texts = [f"{each.option} {percent(each.has)}" for each in steepest[:SHOWN]]
    more = f", and {len(steepest) - SHOWN} more" if len(steepest) > SHOWN else ""
    return f"; an option ticked, at most: {', '.join(texts)}{more}" if texts else ""


def as_plain(disclosures: tuple[OptionDisclosure, ...]) -> list[Mapping[str, str | float]]:
    """Plain JSON values."""
    return [
        {"option": each.option, "before": float(each.has.before), "after": float(each.has.after)}
        for each in disclosures
    ]
