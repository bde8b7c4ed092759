"""Remarks on the disclosure of a question by a response, and on the conditions for asking the question."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import sqrt

from collector.allocation.best_coding import best_coding
from collector.channel.channel import Channel, channel
from collector.channel.coin import sharp
from collector.channel.rounding import truth_below
from collector.coding.threshold_coding import THRESHOLDS
from collector.disclosure.accounting import draw_ratio
from collector.disclosure.disclosure import SURELY, QuestionDisclosure, Rise, Risk
from collector.disclosure.families import secret_rises
from collector.disclosure.family import Family
from collector.disclosure.lint import LOWER, NOTE, REFUSE, WARN, Lint, nearly_certain, percent
from collector.disclosure.precision import term_variance
from collector.survey.question import NOT_APPLICABLE, Question
from collector.survey.routing import narrowed
from collector.survey.screen import Screen
from collector.survey.survey import Survey

RARE = Fraction(1, 20)
LIKELY = Fraction(1, 2)
SHOWN = 4
EVEN_REMEDY = "give a prior if you know better, from a pilot or miner recode; keep it if a pilot gave it"


def question_lints(disclosure: QuestionDisclosure, *, planned: bool) -> Iterator[Lint]:
    """Yield every remark on one question."""
    group, question = disclosure.group, disclosure.question
    if group is None or disclosure.channel is None:
        return
    if disclosure.channel.coin.fixed in {0, 1}:  # the group's lint says it
        return
    place = f'question "{question.name}"'
    move = f'move the truth of group "{group.name}" towards {group.channel.replacement.uninformative_at}'
    risks = _secret_risks(disclosure)
    if group.channel.coin.varies:
        move = f'lower the odds of group "{group.name}", or its epsilon'
        risks = (max(risks, key=lambda risk: risk.rise.after),)  # every value is alike
    move = LOWER if planned else move
    if disclosure.family is not None and disclosure.family.free and len(group.questions) > 1 and not planned:
        move = f"give it a group of its own, or {move}"
    yield from (lint for risk in risks for lint in _risk_lints(disclosure, risk, place, move))
    if len(set(question.prior)) == 1 and question.kind != "number":
        coded = (
            "coding and figures take" if disclosure.bound is not None and len(question.values) > 2 else "figures take"
        )
        problem = f"its prior is even: {coded} each value to have {float(question.prior[0]):.1%}"
        yield Lint(
            NOTE,
            place,
            problem,
            EVEN_REMEDY,
        )
    if question.coding.scheme == THRESHOLDS:
        yield _threshold_lint(question, disclosure.channel, place)


def _secret_risks(disclosure: QuestionDisclosure) -> tuple[Risk, ...]:
    """Return the largest posterior probabilities of values that undisguised answers leave uncertain."""
    if disclosure.family is None:
        return disclosure.risks
    rises = secret_rises(disclosure.family, disclosure.question)
    return tuple(Risk(value, code, Rise(before, after)) for value, (before, after, code) in enumerate(rises))


def _risk_lints(disclosure: QuestionDisclosure, risk: Risk, place: str, move: str) -> Iterator[Lint]:
    """Yield remarks on values that a response makes certain or nearly certain, and on rare values made probable."""
    question, rise, family = disclosure.question, risk.rise, disclosure.family
    if rise.before == SURELY:  # nobody is asked
        return
    others = family.others(question) if family is not None and disclosure.told_by_others[risk.value] else ()
    after = "once " + ("responses are sent" if risk.sent is None else f"{question.word_of(risk.sent)} is sent")
    after += f", and codes of {listed(others)} that fit" if others else ""
    problem = f'"{question.values[risk.value]}" goes from {percent(rise)} {after}'
    apart = None if family is None or family.free else _apart(family)
    gates = family.survey.routes.depends_on(question.name) if family is not None and question.coding.routed else ()
    if apart is None and gates and rise.after == SURELY:
        apart = f'say channel = "uniform" in the groups of {", ".join(gates)}: a complement rules a condition out'
    if rise.after == SURELY and not disclosure.exact:
        drawn = "" if family is None or family.survey.sampling is None else ", with the questions drawn,"
        why = f"the answers allowed{drawn} are too many to be weighed, and no epsilon holds"
        if rise.before is None:
            why = "the combinations of answers that decide whether it is asked are too many to be weighed"
        problem = f'"{question.values[risk.value]}" may become certain: {why}'
        yield Lint(REFUSE, place, problem, apart or move)
    elif rise.after == SURELY:
        balanced = 'say coding = "balanced", which leaves no value alone'
        replaced = "give every value a chance in its replacement"
        yield Lint(REFUSE, place, problem, apart or (replaced if question.coding.replacement else balanced))
    elif nearly_certain(rise):
        yield Lint(WARN, place, problem, f"{apart}, or {move}" if apart else move)
    elif rise.before is not None and rise.before <= RARE and rise.after >= LIKELY:
        joined = f"{apart}, or {move}" if apart else f"join it with another value, or {move}"
        yield Lint(WARN, place, f"rare as it is, {problem}", joined)


def _apart(family: Family) -> str:
    """Return the remedy if conditions for asking questions disclose the answers to other questions."""
    names = {question.name for question in family.questions}
    screens = [each for each in family.survey.screens if names & set(each.questions)]
    tied = any(family.survey.is_tied(each) for each in screens)
    sent = [each for each in family.questions if NOT_APPLICABLE in each.values and not each.coding.routed]
    remedies = ["drop coins, so that the options have one code"] if tied else []
    paired = paired_groups(family)
    if any(each.sensitive for each in sent) and family.survey.sampling is not None and paired:
        remedies.append(f'say channel = "uniform" in each of these groups: {", ".join(paired)}')
    elif any(each.sensitive for each in sent):
        remedies.append(f'have answers drawn where "{sent[0].name}" is not asked (unasked = "drawn")')
    elif sent:
        remedies.append(f'disguise "{sent[0].name}"')
    return ", and ".join(remedies) or "ask it of everybody, with a plain answer for whom it does not concern"


def paired_groups(family: Family) -> list[str]:
    """Return the groups of a family that send complements. A complement may exclude some answers."""
    names = {question.name for question in family.questions}
    return [
        each.name for each in family.survey.groups if names & set(each.questions) and each.channel.replacement.paired
    ]


def listed(questions: Sequence[Question]) -> str:
    """Return the names of questions as text, shortened if there are many names."""
    more = len(questions) - SHOWN
    return ", ".join(each.name for each in questions[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def _threshold_lint(question: Question, how: Channel, place: str) -> Lint:
    """Return a remark on the cost of a threshold coding, compared with the best coding at the same epsilon."""
    epsilon = Fraction(how.epsilon([question.coding]))
    coding = best_coding(question.prior, epsilon)
    usual = replace(question, coding=coding), channel("uniform", truth_below(epsilon, sharp(coding)))
    own, other = (
        sum(term_variance(each, disguise, value) for value in range(len(question.values)))
        for each, disguise in ((question, how), usual)
    )
    problem = (
        "its codes are sides of thresholds, for what runs along the scale: standard errors of its shares are "
        f"{sqrt(own / other):.1f} times what they might be"
    )
    return Lint(NOTE, place, problem, "drop its coding if shares matter more")


def routing_lints(survey: Survey) -> Iterator[Lint]:
    """Yield remarks on each screen that is shown only if a condition is met.

    The codes of a screen's questions are evidence about whether the screen's condition was met.
    """
    for screen in survey.screens:
        if screen.ask_if and _is_never_asked(survey, screen):
            problem = "its conditions (ask_if) contradict each other, or those of the questions that they name"
            yield Lint(
                WARN, f'question "{screen.questions[0]}"', f"it is never asked: {problem}", "correct one of them"
            )
            continue
        for name, values in screen.ask_if:
            yield _routing_lint(survey, screen, name, " or ".join(values))


def _is_never_asked(survey: Survey, screen: Screen) -> bool:
    """Return whether the conditions of a screen contradict each other."""
    applies = {name: len(survey.question(name).values) - 1 for name in screen.questions}
    sets = [
        frozenset(range(len(each.values))) - ({applies[each.name]} if each.name in applies else set())
        for each in survey.questions
    ]
    return narrowed(survey.rules, tuple(sets)) is None


def _routing_lint(survey: Survey, screen: Screen, name: str, values: str) -> Lint:
    place, asked = f'question "{screen.questions[0]}"', f'it is asked only if "{name}" is {values}'
    group = survey.group_of(name)
    if group is None or not survey.is_disguised(name):
        return Lint(NOTE, place, f'{asked}, and "{name}" is sent as it is', "know that everybody sees who was asked")
    open_ones = [each for each in screen.questions if not survey.is_disguised(each)]
    if open_ones:
        problem = f'{asked}; "{open_ones[0]}" is sent as it is and shows the answer to "{name}"'
        return Lint(WARN, place, problem, f'disguise it, or send "{name}" as it is')
    ratio = draw_ratio(survey, [name, *screen.questions])
    if all(survey.question(each).coding.routed for each in screen.questions):
        bound = "no bound holds" if ratio is None else f"at most {float(ratio):.3g} times"
        problem = (
            f'{asked}: whoever is not asked sends a drawn answer, whose codes tell of "{name}" only as far as answers '
            f"differ from the prior ({bound}, with its own)"
        )
        return Lint(NOTE, place, problem, "give it a prior of those who are asked")
    bound = "no bound holds for what they tell together" if ratio is None else f"at most {float(ratio):.3g} times"
    consequence = f'codes tell of "{name}", too ({bound}), and where they contradict each other a coin fell'
    return Lint(NOTE, place, f"{asked}: its {consequence}", "count what both groups disclose together")
