"""The disclosure of whether each option was ticked, for multiple-choice questions with one code for all options."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from collector.disclosure.disclosure import SURELY, QuestionDisclosure, Rise
from collector.disclosure.families import secret_rise
from collector.disclosure.lint import LOWER, REFUSE, WARN, Lint, nearly_certain, percent, rise_size
from collector.disclosure.question_lints import paired_groups
from collector.disclosure.truths import YES
from collector.survey.question import NOT_APPLICABLE
from collector.survey.screen import MULTIPLE
from collector.survey.survey import Survey
from collector.survey.ticks import holding

SHOWN = 4


@dataclass(frozen=True)
class OptionDisclosure:
    """The most that a response can raise the probabilities that an option was ticked and that it was not ticked.

    Attributes:
        option: Name of the option.
        has: Largest rise of the probability that the option was ticked.
        lacks: Largest rise of the probability that the option was not ticked, including people who declined or were not
            asked.
    """

    option: str
    has: Rise
    lacks: Rise


def option_disclosures(survey: Survey, disclosure: QuestionDisclosure) -> tuple[OptionDisclosure, ...]:
    """Return the disclosure of each option of a question, which is empty for an undisguised question."""
    question, screen = disclosure.question, survey.screen_of(disclosure.question.name)
    if disclosure.group is None or screen is None or not screen.is_combined:
        return ()
    found = []
    for option, _ in screen.items:
        values = {question.values.index(each) for each in holding(question.base, option)}
        others = {*range(len(question.values))} - values
        has, lacks = (_rise(disclosure, each) if each else Rise(Fraction(0), Fraction(0)) for each in (values, others))
        found.append(OptionDisclosure(option, has, lacks))
    return tuple(found)


def _rise(disclosure: QuestionDisclosure, values: set[int]) -> Rise:
    if disclosure.family is not None:
        return Rise(*secret_rise(disclosure.family, disclosure.question, values)[:2])
    before = sum((disclosure.question.prior[value] for value in values), start=Fraction(0))
    after = (sum((row[value] for value in values), start=Fraction(0)) for row in disclosure.posteriors.values())
    return Rise(before, max(after))


def option_lints(survey: Survey, disclosure: QuestionDisclosure, *, planned: bool) -> Iterator[Lint]:
    """Yield a remark on each option that a response makes certain, or nearly certain, to be ticked or not ticked."""
    group, place = disclosure.group, f'question "{disclosure.question.name}"'
    if group is None or disclosure.channel is None or disclosure.channel.coin.fixed in {0, 1}:
        return
    lower = LOWER if planned else f'lower the truth of group "{group.name}"'
    lower = 'say channel = "uniform"' if group.channel.replacement.paired else lower
    for each in option_disclosures(survey, disclosure):
        for words, rise in ((f'"has {each.option}"', each.has), (f'"{each.option}" not ticked', each.lacks)):
            if rise.before != SURELY == rise.after:
                remedy = _ruled_out_remedy(disclosure)
                yield Lint(REFUSE, place, f"{words} goes from {percent(rise)} by some responses", remedy)
            elif nearly_certain(rise):
                yield Lint(WARN, place, f"{words} goes from {percent(rise)} by some responses", lower)
    screen, others = survey.screen_of(disclosure.question.name), {*range(len(disclosure.question.values))} - {YES}
    if screen is not None and screen.kind == MULTIPLE and not screen.is_combined and len(others) > 1:
        lacks = _rise(disclosure, others)
        if lacks.before != SURELY == lacks.after and not any(risk.rise.after == SURELY for risk in disclosure.risks):
            problem = f"that it was not ticked goes from {percent(lacks)} by some responses"
            yield Lint(REFUSE, place, problem, _ruled_out_remedy(disclosure))


def _ruled_out_remedy(disclosure: QuestionDisclosure) -> str:
    """Return the remedy for codes after which some answers are impossible."""
    family = disclosure.family
    if family is None:
        return 'say channel = "uniform"'
    shown = [each.name for each in family.questions if not each.sensitive and NOT_APPLICABLE in each.values]
    remedies = [f'disguise "{name}"' for name in shown[:1]]
    paired = paired_groups(family)
    remedies += [f'say channel = "uniform" in each of these groups: {", ".join(paired)}'] if paired else []
    return ", and ".join(remedies) or "give every value a chance in its replacement"


def options_told(disclosures: tuple[OptionDisclosure, ...]) -> str:
    """Return text about the options that a response may make more probable, sorted by the rise of probability."""
    steepest = sorted(disclosures, key=lambda each: -rise_size(each.has))
    texts = [f"{each.option} {percent(each.has)}" for each in steepest[:SHOWN]]
    more = f", and {len(steepest) - SHOWN} more" if len(steepest) > SHOWN else ""
    return f"; an option ticked, at most: {', '.join(texts)}{more}" if texts else ""


def as_plain(disclosures: tuple[OptionDisclosure, ...]) -> list[Mapping[str, str | float | None]]:
    """Return the disclosures as plain JSON values."""
    return [
        {
            "option": each.option,
            "before": None if each.has.before is None else float(each.has.before),
            "after": float(each.has.after),
        }
        for each in disclosures
    ]
