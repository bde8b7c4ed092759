"""The exact epsilon of one respondent's whole response, including split questionnaires.

The probabilities of a response under two sets of answers have a ratio of at most e^epsilon. Groups have independent
coins, so the ratios of probabilities of all groups are multiplied. The draw of questions is public and does not depend
on any answer, so it adds nothing to epsilon. The epsilon of a person is the largest epsilon over all draws of
questions.
"""

from collections.abc import Collection, Sequence
from fractions import Fraction
from itertools import combinations
from math import ceil, comb, floor, inf, log, prod

from collector.channel.channel import natural_log
from collector.channel.coin import sharp
from collector.coding.coding import Coding
from collector.coding.common_denominator import whole
from collector.survey.group import Group, most_asked
from collector.survey.question import Question
from collector.survey.sampling import draws_sum
from collector.survey.survey import Survey

Ratio = Fraction | None
"""The number e^epsilon, or None if there is no bound."""
WRITTEN_OUT = 15  # digits of the largest number that is written out
ROUNDING = 1e-9  # more than the floating-point error of a logarithm


def epsilon_of(ratio: Ratio) -> float:
    """Return the epsilon of a ratio of probabilities, or infinity if the ratio has no bound."""
    return inf if ratio is None else natural_log(ratio)


def power_below(logarithm: float) -> str | None:
    """Return the largest power of ten below a large number as text, or None for a number with few digits.

    Args:
            logarithm: Natural logarithm of the number.
    """
    digits = floor(logarithm / log(10) - ROUNDING)
    return f"10^{digits}" if digits >= WRITTEN_OUT else None


def power_above(logarithm: float) -> str | None:
    """Return the smallest power of ten above a large number as text, or None for a number with few digits.

    Args:
            logarithm: Natural logarithm of the number.
    """
    digits = ceil(logarithm / log(10) + ROUNDING)
    return f"10^{digits}" if digits > WRITTEN_OUT else None


def draw_ratio(survey: Survey, asked: Collection[str]) -> Ratio:
    """Return the largest ratio of a response's probabilities under two sets of answers, for one draw of questions.

    Undisguised questions are left out of the epsilon.
    """
    members = ([each for each in survey.members(group) if each.name in asked] for group in survey.groups)
    return _product([_ratio(group, each) for group, each in zip(survey.groups, members, strict=True)])


def person_ratio(survey: Survey) -> Ratio:
    """Return the largest ratio of a response's probabilities under two sets of answers, over all draws."""
    return largest_ratio(survey, survey.groups)


def largest_ratio(survey: Survey, groups: Sequence[Group]) -> Ratio:
    """Return the largest ratio of the probabilities of some groups' codes under two sets of answers."""
    if survey.sampling is None:
        return _product([group_ratio(survey, group) for group in groups])
    always = [group for group in groups if any(not survey.may_miss(name) for name in group.questions)]
    others = [group_ratio(survey, group) for group in groups if group not in always]
    room = survey.sampling.ask - len(survey.sampling.always)
    if None in others:
        return None  # a draw may ask about that group
    drawn = sorted((each for each in others if each), reverse=True)[:room]
    return _product([*(group_ratio(survey, group) for group in always), *drawn])


def group_ratio(survey: Survey, group: Group) -> Ratio:
    """Return the largest ratio of probabilities of a group's codes, over all draws of questions.

    The ratio of a group with a fixed truth probability is largest in the draw that asks the most questions of the
    group.
    """
    members = survey.members(group)
    if survey.sampling is None:
        return _ratio(group, members)
    return _ratio(group, most_asked(members, survey.sampling))


def _ratio(group: Group, asked: Sequence[Question]) -> Ratio:
    return group.channel.ratio([each.coding for each in asked]) if asked else Fraction(1)


def _product(ratios: Sequence[Ratio]) -> Ratio:
    known = [each for each in ratios if each is not None]
    return prod(known, start=Fraction(1)) if len(known) == len(ratios) else None


def fewest_asked(survey: Survey, group: Group, name: str | None = None) -> tuple[Question, ...]:
    """Return the questions of a group in the draw that asks the fewest of its questions.

    Args:
        survey: Design of the survey.
        group: Group of the survey.
        name: Question that the draw must ask, or None if the draw may ask any question of the group.
    """
    members = survey.members(group)
    if survey.sampling is None:
        return members
    kept = {each.name for each in members if each.name == name or not survey.may_miss(each.name)}
    others = sorted((each for each in members if each.name not in kept), key=_surest, reverse=True)
    elsewhere = sum(survey.may_miss(each.name) for each in survey.questions) - sum(
        map(survey.may_miss, group.questions)
    )
    drawn = survey.sampling.ask - len(survey.sampling.always) - sum(map(survey.may_miss, kept))
    forced = max(drawn - elsewhere, 0 if kept else 1)
    kept |= {each.name for each in others[:forced]}
    return tuple(each for each in members if each.name in kept)


def _surest(question: Question) -> Fraction:
    """Return the largest factor by which a question's code raises the odds that its group's true codes are sent."""
    chances = code_distribution(question.coding, question.prior)
    return max(chances.values()) * len(chances) / sharp(question.coding)


def code_distribution(coding: Coding, prior: tuple[Fraction, ...]) -> dict[int, Fraction]:
    """Return the exact prior probability that each code of a question is the true code."""
    shares, over = whole(
        share / sum(weight for _, weight in draws) for share, draws in zip(prior, coding.draws, strict=True)
    )
    counts = dict.fromkeys(coding.codes, 0)
    for share, draws in zip(shares, coding.draws, strict=True):
        for code, weight in draws:
            counts[code] += share * weight
    return {code: Fraction(count, over) for code, count in counts.items()}


def draws_of(survey: Survey, names: Collection[str], most: int) -> tuple[frozenset[str], ...] | None:
    """Return the draws (sets of questions for one respondent) that disclose most about the answers.

    Only draws that may disclose most are returned. If no coin is set by odds, they ask as many questions as possible.

    Args:
        survey: Design of the survey.
        names: Names of all questions of some groups.
        most: Largest number of draws to return.

    Returns:
        The draws of questions, or None if there are more than `most` draws.
    """
    if survey.sampling is None:
        return (frozenset(names),)
    fixed = [name for name in names if not survey.may_miss(name)]
    pool = [each.name for each in survey.questions if each.name in names and survey.may_miss(each.name)]
    varying = {name for each in survey.groups if each.channel.coin.varies for name in each.questions}
    odds, rest = ([name for name in pool if (name in varying) == has] for has in (True, False))
    room = survey.sampling.ask - len(survey.sampling.always)
    elsewhere = len(survey.questions) - len(survey.sampling.always) - len(pool)
    largest = min(room, len(pool))
    ways = [(largest, pool, fixed)]
    fewer = range(max(room - elsewhere, len(rest)), largest)
    ways += [(size - len(rest), odds, [*fixed, *rest]) for size in fewer]
    if sum(comb(len(some), size) for size, some, _ in ways) > most:
        return None
    return tuple(frozenset((*drawn, *kept)) for size, some, kept in ways for drawn in combinations(some, size))


def states_sum(survey: Survey, group: Group, asked: Collection[str], power: int) -> Fraction:
    """Return the mean, over all draws, of (product of the sharpness of the group's questions asked)^power.

    A draw of questions counts as 0 in the mean if it does not ask all questions in `asked`.
    """
    sizes = {name: sharp(survey.question(name).coding) ** power for name in group.questions}
    if survey.sampling is None:
        return prod(sizes.values(), start=Fraction(1))
    fixed = {*asked, *survey.sampling.always}
    room = survey.sampling.ask - len(fixed)
    if room < 0:
        return Fraction(0)
    drawn = [sizes.get(question.name, Fraction(1)) for question in survey.questions if question.name not in fixed]
    known = prod((size for name, size in sizes.items() if name in fixed), start=Fraction(1))
    return draws_sum(drawn, room) * known / survey.sampling.count(len(survey.questions))
