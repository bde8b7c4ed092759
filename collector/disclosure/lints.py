"""Remarks on defects of a design to correct before publication, with probabilities and remedies.

All remarks are listed in docs/lints.md. A remark is about an answer that becomes more certain than the truth
probability suggests, about numbers without a basis, or about respondents whose answers serve no purpose.
"""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import exp, isfinite, log, prod

from collector.disclosure.accounting import code_distribution, epsilon_of, person_ratio, power_below
from collector.disclosure.disclosure import SURELY, QuestionDisclosure
from collector.disclosure.group_disclosure import GroupDisclosure
from collector.disclosure.lint import (
    LOWER,
    NEARLY_CERTAIN,
    NOTE,
    REFUSE,
    WARN,
    Lint,
    by_gravity,
    certainty,
    nearly_certain,
    percent,
)
from collector.disclosure.precision import interval_width, reported_variance, respondents_for, strongest_disguise
from collector.disclosure.question_lints import question_lints
from collector.survey.question import Question
from collector.survey.survey import Survey

LARGE_EPSILON = 8.0
NOTHING_TOLD = 0.5  # width of an interval that cannot distinguish a quarter from three quarters
SOMETHING_TOLD = 0.2
KNOWN_TO_OTHERS = re.compile(
    r"\b(?:age|birth|birthday|born|child|children|city|class|country|degree|department|district|education|ethnicity"
    r"|faculty|gender|height|job|language|marital|married|nationality|occupation|postcode|profession|race|region"
    r"|religion|school|sex|state|town|university|(?<!\ba )(?<!each )(?<!every )(?<!last )(?<!next )(?<!past )(?<!per )"
    r"(?<!the )(?<!this )year|zip)\b",  # "within a year" is a time, "which year" a fact
    re.IGNORECASE,
)


def design_lints(
    survey: Survey, groups: Sequence[GroupDisclosure], questions: Sequence[QuestionDisclosure], *, planned: bool
) -> tuple[Lint, ...]:
    """Return every remark on a design, the most severe first.

    Args:
        survey: Design of the survey.
        groups: Disclosure of each group.
        questions: Disclosure of each question.
        planned: Whether the groups follow from ``[privacy]`` in the survey file, so that remedies change ``[privacy]``.
    """
    remarks = [lint for group in groups for lint in _group_lints(group, planned=planned)]
    remarks += [lint for question in questions for lint in question_lints(question, planned=planned)]
    remarks += _epsilon_lints(survey, groups, planned=planned)
    remarks += _sampling_lints(survey)
    remarks += _open_lints([question for question in survey.questions if not question.sensitive])
    return by_gravity(remarks)


def day_lints(survey: Survey) -> Iterator[Lint]:
    """Yield a remark if the last day of a survey is over."""
    if survey.study is not None and survey.is_over:
        zone = survey.study.timezone or "UTC"
        problem = f"the last day, {survey.study.until}, is over in {zone}, and no response will be taken"
        yield Lint(WARN, "study, until", problem, "write a later day, or none")


def precision_lints(survey: Survey, respondents: int, *, planned: bool = False) -> Iterator[Lint]:
    """Yield remarks on questions for which the number of respondents is too small for useful estimates.

    Args:
        survey: Design of the survey, whose priors are taken as right.
        respondents: Expected number of respondents, at least 1.
        planned: Whether the groups follow from ``[privacy]`` in the survey file, so that remedies change ``[privacy]``.
    """
    for group in survey.groups:
        for question in survey.members(group):
            values = range(len(question.values))
            variance = max(reported_variance(survey, question, value) for value in values)
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
            other = strongest_disguise(survey, group, (question,), respondents, SOMETHING_TOLD) if alone else None
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
            f"a response leaves 2 of {whole} combinations of answers possible, "
            f"and whoever knows one of its {number} answers from elsewhere knows them all"
        )
        yield Lint(WARN, place, problem, remedy)
        if nearly_certain(disclosure.belief):
            yield Lint(WARN, place, f"all its answers together may go from {percent(disclosure.belief)}", remedy)
        yield from (lint for question in disclosure.questions for lint in _giveaway_lints(disclosure, question))
    if outside is not None:
        yield from _known_lints(disclosure, outside, planned=planned)


def coin_told(disclosure: GroupDisclosure) -> str:
    """Return the remark's text on a group whose coin has probability 0 or 1."""
    if not any(question.coding.shared for question in disclosure.questions):
        return "every answer is certain"
    return f"every code is the truth's, and leaves an answer up to {certainty(disclosure.surest)} certain"


def _giveaway_lints(disclosure: GroupDisclosure, question: Question) -> Iterator[Lint]:
    """Yield a remark on a question that nearly everybody answers alike, if it shares its coin with other questions.

    If nearly everybody answers a question alike, the code of the question reveals how the coin fell.
    """
    straight = max(disclosure.truth, 1 - disclosure.truth)
    chance = code_distribution(question.coding, question.prior)
    surest = max(
        straight * chance[code] / (straight * chance[code] + (1 - straight) * chance[question.coding.complement(code)])
        for code in question.codes
        if chance[code]
    )
    if surest >= NEARLY_CERTAIN > straight:
        problem = (
            f'the answers to "{question.name}" are so uneven that its code may tell the coin with '
            f"{certainty(surest)}, and with it the other {len(disclosure.questions) - 1}"
        )
        yield Lint(WARN, f'group "{disclosure.group.name}"', problem, "give that question its own group")


def _known_lints(disclosure: GroupDisclosure, outside: Fraction, *, planned: bool) -> Iterator[Lint]:
    """Yield a remark on a question whose answer others may know, if it shares its coin with sensitive questions."""
    for question in disclosure.questions:
        known = KNOWN_TO_OTHERS.search(" ".join([question.name.replace("_", " "), *question.label.design.values()]))
        if known is not None:
            problem = (
                f'others may know the answer to "{question.name}" (it asks about {known[0].lower()}), and the other '
                f"{len(disclosure.questions) - 1} with {certainty(outside)} certainty from it"
            )
            own = "lower its odds" if disclosure.group.channel.coin.varies else "give it its own group"
            own = 'say coins = "own" under [privacy]' if planned else own
            remedy = f"{own}, or say sensitive = false and send it as it is"
            yield Lint(WARN, f'group "{disclosure.group.name}"', problem, remedy)


def _sampling_lints(survey: Survey) -> Iterator[Lint]:
    """Yield remarks on a split questionnaire that asks too few people the target, or draws only one question."""
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
    """Return the number of combinations of answers as text."""
    count = prod(len(question.values) for question in questions)
    power = power_below(log(count))
    return str(count) if power is None else f"over {power}"
