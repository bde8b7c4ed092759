"""What should be mended in a design before it is published: each remark with its numbers and a remedy.

docs/lints.md lists them all. None of them is a matter of taste: each tells of an answer that comes out surer than the
truth probability suggests, of figures that rest on nothing, or of respondents who are asked for nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, isfinite, log, prod, sqrt

from collector.allocation.best_coding import best_coding
from collector.channel.channel import Channel, channel
from collector.channel.coin import sharp
from collector.channel.replacement import PAIR
from collector.channel.rounding import truth_below
from collector.coding.threshold_coding import THRESHOLDS
from collector.disclosure.accounting import epsilon_of, person_ratio, power_below
from collector.disclosure.disclosure import SURELY, QuestionDisclosure, Rise, code_distribution
from collector.disclosure.group_disclosure import GroupDisclosure
from collector.disclosure.precision import (
    interval_width,
    respondents_for,
    response_variance,
    strongest_disguise,
    term_variance,
)
from collector.survey.question import Question
from collector.survey.survey import Survey

REFUSE, WARN, NOTE = "refuse", "warn", "note"
NEARLY_CERTAIN = Fraction(19, 20)
COMMON = Fraction(9, 10)  # what is this frequent is a safe guess without any response
RARE = Fraction(1, 20)
LIKELY = Fraction(1, 2)
LARGE_EPSILON = 8.0
LOWER = "lower the epsilon under [privacy]"
NOTHING_TOLD = 0.5  # the width of an interval that cannot tell a quarter from three quarters
SOMETHING_TOLD = 0.2
KNOWN_TO_OTHERS = re.compile(
    r"\b(?:age|birth|birthday|born|child|children|city|class|country|degree|department|district|education|ethnicity"
    r"|faculty|gender|height|job|language|marital|married|nationality|occupation|postcode|profession|race|region"
    r"|religion|school|sex|state|town|university|(?<!\ba )(?<!each )(?<!every )(?<!last )(?<!next )(?<!past )(?<!per )"
    r"(?<!the )(?<!this )year|zip)\b",  # "within a year" is a time, "which year" a fact
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Lint:
    """One remark on a design.

    Attributes:
        severity: ``refuse`` (not to be published), ``warn`` (know this before you publish) or ``note``.
        place: The group or question it is about.
        problem: With numbers.
        remedy: What to do about it.
    """

    severity: str
    place: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.place}: {self.problem}; {self.remedy}"


def percent(rise: Rise) -> str:
    """``20.0% to 50.0%``; 100.0% only where it is certain."""
    return f"{float(rise.before):.1%} to {_certainty(rise.after)}"


def _certainty(chance: Fraction) -> str:
    text = f"{float(chance):.1%}"
    return "over 99.9%" if chance < SURELY and text == "100.0%" else text


def design_lints(
    survey: Survey, groups: Sequence[GroupDisclosure], questions: Sequence[QuestionDisclosure], *, planned: bool
) -> tuple[Lint, ...]:
    """Every remark on a design, the gravest first.

    Args:
        survey: The design.
        groups: What each of its groups discloses.
        questions: What each of its questions discloses.
        planned: Whether its groups follow from the ``[privacy]`` of a survey file, which is then what can be changed.
    """
    remarks = [lint for group in groups for lint in _group_lints(group, planned=planned)]
    remarks += [lint for question in questions for lint in _question_lints(question, planned=planned)]
    remarks += _epsilon_lints(survey, groups, planned=planned)
    remarks += _sampling_lints(survey)
    remarks += _open_lints([question for question in survey.questions if not question.sensitive])
    return by_gravity(remarks)


def day_lints(survey: Survey) -> Iterator[Lint]:
    """A remark on a survey whose last day is over."""
    if survey.study is not None and survey.is_over:
        zone = survey.study.timezone or "UTC"
        problem = f"the last day, {survey.study.until}, is over in {zone}, and no response will be taken"
        yield Lint(WARN, "study, until", problem, "write a later day, or none")


def by_gravity(remarks: Sequence[Lint]) -> tuple[Lint, ...]:
    """The gravest first, else in their order."""
    return tuple(sorted(remarks, key=lambda lint: (REFUSE, WARN, NOTE).index(lint.severity)))


def precision_lints(survey: Survey, respondents: int, *, planned: bool = False) -> Iterator[Lint]:
    """Remarks on questions of which so many respondents will tell next to nothing.

    Args:
        survey: The design; its priors are taken to be right.
        respondents: How many will answer, at least 1.
        planned: As for `design_lints`.
    """
    for group in survey.groups:
        for question in survey.members(group):
            values = range(len(question.values))
            variance = max(response_variance(survey, question, value) for value in values)
            width = interval_width(variance, respondents)
            if width < NOTHING_TOLD:
                continue
            fixed = group.channel.coin.fixed
            at = "these odds" if fixed is None else f"truth {fixed}"
            problem = (
                f"at {at} {respondents} respondents tell next to nothing: its 95 % intervals will be {width:.2f} wide"
            )
            remedy = f"ask {respondents_for(variance, SOMETHING_TOLD)} people for {SOMETHING_TOLD}"
            alone = survey.sampling is None and not planned
            other = strongest_disguise(group, (question,), respondents, SOMETHING_TOLD) if alone else None
            remedy += "" if other is None else f", or give its group the truth {other.channel.coin.fixed}"
            yield Lint(WARN, f'question "{question.name}"', problem, remedy)


def _group_lints(disclosure: GroupDisclosure, *, planned: bool) -> Iterator[Lint]:
    place, truth = f'group "{disclosure.group.name}"', disclosure.truth
    if disclosure.candidates == 1:
        yield Lint(REFUSE, place, f"at truth {truth} {coin_told(disclosure)}", "move it away from there, such as 3/4")
        return
    outside = disclosure.belief_with_outside_fact
    if outside == SURELY:
        remedy = 'give each question its own group, or say channel = "uniform"'
        number = len(disclosure.questions)
        whole = _combinations(disclosure.questions)
        problem = (
            f"a response leaves {PAIR} of {whole} combinations of answers possible, "
            f"and whoever knows one of its {number} answers from elsewhere knows them all"
        )
        yield Lint(WARN, place, problem, remedy)
        if _nearly_certain(disclosure.belief):
            yield Lint(WARN, place, f"all its answers together may go from {percent(disclosure.belief)}", remedy)
        yield from (lint for question in disclosure.questions for lint in _giveaway_lints(disclosure, question))
    if outside is not None:
        yield from _known_lints(disclosure, outside, planned=planned)


def coin_told(disclosure: GroupDisclosure) -> str:
    """What a response tells of a group whose coin decides nothing: all, but where values share codes."""
    if not any(question.coding.shared for question in disclosure.questions):
        return "every answer is certain"
    return f"every code is the truth's, and leaves an answer up to {_certainty(disclosure.surest)} certain"


def _giveaway_lints(disclosure: GroupDisclosure, question: Question) -> Iterator[Lint]:
    """A question that nearly everybody answers alike gives away the coin that the others share."""
    straight = max(disclosure.truth, 1 - disclosure.truth)
    chance = code_distribution(question.coding, question.prior)
    certainty = max(
        straight * chance[code] / (straight * chance[code] + (1 - straight) * chance[question.coding.complement(code)])
        for code in question.codes
        if chance[code]
    )
    if certainty >= NEARLY_CERTAIN > straight:
        problem = (
            f'the answers to "{question.name}" are so uneven that its code may tell the coin with '
            f"{_certainty(certainty)}, and with it the other {len(disclosure.questions) - 1}"
        )
        yield Lint(WARN, f'group "{disclosure.group.name}"', problem, "give that question its own group")


def _known_lints(disclosure: GroupDisclosure, outside: Fraction, *, planned: bool) -> Iterator[Lint]:
    """A question whose answer others may know shares its coin with sensitive ones."""
    for question in disclosure.questions:
        known = KNOWN_TO_OTHERS.search(" ".join([question.name.replace("_", " "), *question.label.design.values()]))
        if known is not None:
            problem = (
                f'others may know the answer to "{question.name}" (it asks about {known[0].lower()}), and the other '
                f"{len(disclosure.questions) - 1} with {_certainty(outside)} certainty from it"
            )
            own = "lower its odds" if disclosure.group.channel.coin.varies else "give it its own group"
            own = 'say coins = "own" under [privacy]' if planned else own
            remedy = f"{own}, or say sensitive = false and send it as it is"
            yield Lint(WARN, f'group "{disclosure.group.name}"', problem, remedy)


def _question_lints(disclosure: QuestionDisclosure, *, planned: bool) -> Iterator[Lint]:
    group, question = disclosure.group, disclosure.question
    if group is None or disclosure.channel is None:
        return
    if disclosure.channel.coin.fixed in {0, 1}:  # the group's lint says it
        return
    place = f'question "{question.name}"'
    move = f'move the truth of group "{group.name}" towards {group.channel.replacement.uninformative_at}'
    risks = disclosure.risks
    if group.channel.coin.varies:
        move = f'lower the odds of group "{group.name}", or its epsilon'
        risks = (max(risks, key=lambda risk: risk.rise.after),)  # every value is alike
    move = LOWER if planned else move
    for risk in risks:
        sent, value, rise = question.word_of(risk.sent), question.values[risk.value], risk.rise
        problem = f'"{value}" goes from {percent(rise)} once {sent} is sent'
        if rise.after == SURELY:
            balanced = 'say coding = "balanced", which leaves no value alone'
            replaced = "give every value a chance in its replacement"
            yield Lint(REFUSE, place, problem, replaced if question.coding.replacement else balanced)
        elif _nearly_certain(rise):
            yield Lint(WARN, place, problem, move)
        elif rise.before <= RARE and rise.after >= LIKELY:
            yield Lint(WARN, place, f"rare as it is, {problem}", f"join it with another value, or {move}")
    if len(set(question.prior)) == 1 and question.kind != "number":
        coded = (
            "coding and figures take"
            if disclosure.bound is not None and len(question.values) > PAIR
            else "figures take"
        )
        problem = f"its prior is even: {coded} each value to have {float(question.prior[0]):.1%}"
        yield Lint(NOTE, place, problem, "give a prior if you know better, from a pilot or miner recode")
    if question.coding.scheme == THRESHOLDS:
        yield _threshold_lint(question, disclosure.channel, place)


def _threshold_lint(question: Question, how: Channel, place: str) -> Lint:
    """What thresholds cost, beside the coding that is best for shares and as private where the question is alone."""
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


def _nearly_certain(rise: Rise) -> bool:
    return rise.after >= NEARLY_CERTAIN and rise.before <= COMMON


def _sampling_lints(survey: Survey) -> Iterator[Lint]:
    """A split questionnaire that hardly asks what it is about, or never two things of the same person."""
    sampling, questions = survey.sampling, len(survey.questions)
    if sampling is None:
        return
    if survey.target is not None and survey.may_miss(survey.target):
        share = float(survey.asking_probability([survey.target]))
        problem = f'the target "{survey.target}" is asked of {share:.0%} of respondents only; no other can teach it'
        yield Lint(WARN, "sampling", problem, "add it to always")
    if sampling.ask - len(sampling.always) == 1 and questions - len(sampling.always) > 1:
        problem = (
            "no two of the questions drawn are ever asked of the same person: how they go together cannot be learnt"
        )
        yield Lint(WARN, "sampling", problem, f"ask {sampling.ask + 1} or more")


def _epsilon_lints(survey: Survey, groups: Sequence[GroupDisclosure], *, planned: bool) -> Iterator[Lint]:
    whole = epsilon_of(person_ratio(survey))
    total = whole if isfinite(whole) else sum(group.epsilon for group in groups if isfinite(group.epsilon))
    if total > LARGE_EPSILON:
        power = power_below(total)
        odds = f"{exp(total):,.0f}" if power is None else f"more than {power}"
        problem = (
            f"the epsilons of its groups add up to {total:.3f}, over {LARGE_EPSILON:g}: "
            f"some two sets of answers are distinguished with odds of {odds} to 1"
        )
        remedy = LOWER if planned else "ask less of each respondent, or lower the truth of its groups"
        yield Lint(WARN, "whole response", problem, remedy)


def _open_lints(questions: list[Question]) -> Iterator[Lint]:
    if questions:
        place = f"sent as they are ({', '.join(question.name for question in questions)})"
        problem = f"{_combinations(questions)} combinations of answers, and a rare one may tell who somebody is"
        yield Lint(NOTE, place, problem, "ask fewer, or with fewer values")


def _combinations(questions: Sequence[Question]) -> str:
    """How many combinations of answers there are, or more than what power of ten."""
    count = prod(len(question.values) for question in questions)
    power = power_below(log(count))
    return str(count) if power is None else f"over {power}"
