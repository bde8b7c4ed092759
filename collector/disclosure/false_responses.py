"""The largest possible shift of an estimate by false responses, computed exactly from the range of the weights.

An estimate of a share is the mean of the weights with which responses count. The sender of a false response chooses
codes without a coin, and can choose any weight in the range. If m of n responses are false, the estimate moves by at
most m / n times the distance from the share among honest responses to an end of the range of weights. No test can
detect that a single response is false, because an honest person may send equal codes.
"""

from collections.abc import Collection, Mapping
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Any, NamedTuple

from collector.channel.channel import Channel
from collector.channel.coin import sharp
from collector.coding.coding import Coding
from collector.coding.common_denominator import whole as whole_numbers
from collector.errors import QueryError
from collector.survey.survey import Group, Survey

ONE_IN = 100
MOST_REMEMBERED = 2**11  # number of questions whose weights are cached
ROUNDING = 1e-6  # largest part of a last digit that is rounded down
TOGETHER = (1, 2, 4)  # numbers of answers for which the shift is computed
Ends = tuple[Fraction, Fraction]
Event = Mapping[str, frozenset[int]]
"""Indices of values, by name of the question."""


def rounded_up(bound: float, digits: int) -> str:
    """Return an upper bound of at least 0 as text, rounded up to some digits."""
    return f"{ceil(bound * 10**digits - ROUNDING) / 10**digits:.{digits}f}"


class Shift(NamedTuple):
    """The largest shifts, by false responses, of an estimate above and below the share among honest respondents."""

    too_high: float
    too_low: float

    @property
    def largest(self) -> float:
        """The largest possible shift of an estimate in either direction."""
        return max(self)

    @property
    def line(self) -> str:
        """The largest possible shifts of an estimate upwards and downwards, in words."""
        return f"at most {rounded_up(self.too_high, 4)} too high or {rounded_up(self.too_low, 4)} too low"


def checked_false(false: int | None, responses: int) -> int:
    """Return the assumed number of false responses, by default 1 % of all responses and at least 1.

    Raises:
        QueryError: If the number of false responses is not smaller than the number of responses.
    """
    if false is None:
        return max(1, responses // ONE_IN)
    if false >= responses:
        raise QueryError(
            "--false", f"all of {responses} responses would be false", "give a smaller number of false responses"
        )
    return false


def planned_shift(survey: Survey, wanted: Mapping[str, int], false: int, responses: int) -> Shift:
    """Return the largest shift, by false responses, of the estimated share of a combination of answers.

    The computation assumes that the priors are right and that answers to different questions are independent.

    Args:
        survey: Design of the survey.
        wanted: Position of a value among the question's values, by name of the question.
        false: Number of false responses.
        responses: Number of responses from people who were asked all questions in `wanted`, including false responses.
    """
    low, high = weight_range(survey, wanted)
    share = sum((sign * _share(survey, term) for sign, term in _terms(survey, wanted)), start=Fraction(0))
    part = Fraction(false, responses)
    return Shift(float(part * (high - share)), float(part * (share - low)))


class PlannedShift(NamedTuple):
    """The largest shift, by false responses, of the estimated share of a combination of answers.

    Attributes:
        answers: Value in words, by name of the question.
        false: Number of false responses.
        responses: Number of all responses.
        shift: Largest possible shifts upwards and downwards.
    """

    answers: dict[str, str]
    false: int
    responses: int
    shift: Shift

    @property
    def line(self) -> str:
        """A line of text that states the largest shift."""
        named = " and ".join(f"{name} = {value}" for name, value in self.answers.items())
        return f"{self.false} false of {self.responses} responses: the estimate of {named} is {self.shift.line}"

    @property
    def as_json(self) -> dict[str, Any]:
        """The largest shifts as plain JSON values."""
        return {"answers": self.answers, "false": self.false, "responses": self.responses, **self.shift._asdict()}


def planned_shifts(survey: Survey, false: int, responses: int) -> list[PlannedShift]:
    """Return the largest shifts of the estimated shares of one answer and of combinations of two and four answers.

    Returns:
        The largest shifts for one, two and four answers, as far as the survey has enough disguised questions. Each
        shift is for the rarest answers to the questions that false responses can shift most.
    """
    worst: dict[str, tuple[float, int]] = {}
    for question in (each for each in survey.questions if survey.is_disguised(each.name)):
        rarest = question.prior.index(min(question.prior[: len(question.coding.owners)]))
        worst[question.name] = planned_shift(survey, {question.name: rarest}, false, responses).too_high, rarest
    order = sorted(worst, key=lambda name: -worst[name][0])
    found = []
    for count in (count for count in TOGETHER if count <= len(order)):
        wanted = {name: worst[name][1] for name in order[:count]}
        answers = {name: survey.question(name).values[value] for name, value in wanted.items()}
        found.append(PlannedShift(answers, false, responses, planned_shift(survey, wanted, false, responses)))
    return found


def weight_range(survey: Survey, wanted: Mapping[str, int]) -> Ends:
    """Return the smallest and the largest weight of a response in the estimated share of a combination of answers.

    Args:
        survey: Design of the survey.
        wanted: Position of a value among the question's values, by name of the question.

    Returns:
        The smallest and the largest weight of a response. The weights are only bounds if people who are not asked a
        question send a random code, or if the questionnaire is split.
    """
    ends = [(sign, _range(survey, term)) for sign, term in _terms(survey, wanted)]
    lows = (low if sign > 0 else -high for sign, (low, high) in ends)
    highs = (high if sign > 0 else -low for sign, (low, high) in ends)
    return sum(lows, start=Fraction(0)), sum(highs, start=Fraction(0))


def _terms(survey: Survey, wanted: Mapping[str, int]) -> list[tuple[int, Event]]:
    """Return the events, with signs, whose shares add up to the share of a combination of answers."""
    terms: list[tuple[int, Event]] = [(1, {})]
    for name, value in wanted.items():
        question = survey.question(name)
        ways: list[tuple[int, Event]] = [(1, {name: frozenset({value})})]
        if question.coding.routed:
            asked = survey.routes.asked_if(name)
            last = value == len(question.values) - 1
            ways = [(1, {}), *((-1, box) for box in asked)] if last else []
            ways += [(1, {**box, name: frozenset({value})}) for box in asked if not last]
        terms = [(one * two, _both(left, right)) for one, left in terms for two, right in ways]
    return [(sign, term) for sign, term in terms if all(term.values())]


def _both(one: Event, other: Event) -> Event:
    return {name: one.get(name, values) & other.get(name, values) for name, values in {**one, **other}.items()}


def _share(survey: Survey, event: Event) -> Fraction:
    """Return the prior probability of an event (a combination of answers)."""
    found = Fraction(1)
    for name, values in event.items():
        question = survey.question(name)
        part = sum((question.prior[value] for value in values), start=Fraction(0))
        found *= part / (1 - question.prior[-1]) if question.coding.routed else part
    return found


def _range(survey: Survey, event: Event) -> Ends:
    low, high = Fraction(1), Fraction(1)
    open_names = [name for name in event if survey.group_of(name) is None]
    parts: list[tuple[Group | None, list[str]]] = [(None, open_names)] if open_names else []
    homes = {home.name: home for name in event if (home := survey.group_of(name)) is not None}
    parts += [(group, [name for name in group.questions if name in event]) for group in homes.values()]
    for group, names in parts:
        factors = _factors(survey, group, names, event)
        corners = [end * factor for end in (low, high) for factor in factors]
        low, high = min(corners), max(corners)
    return low, high


def _factors(survey: Survey, group: Group | None, names: list[str], event: Event) -> set[Fraction]:
    """Return all possible weights of the codes of one group."""
    pairs: Collection[tuple[Fraction, Fraction]] = {(Fraction(1), Fraction(1))}
    for name in names:
        counts = _counts(None if group is None else group.channel, survey.question(name).coding, event[name])
        pairs = counts if len(names) == 1 else {(a * c, b * d) for a, b in pairs for c, d in counts}
    if group is None:
        return {own for own, _ in pairs}
    ends = asked_ends(survey, group, names) if group.channel.coin.varies else (group.questions,)
    weights = [survey.weights_at(group, end) for end in ends]
    return {own * a + replaced * b for a, b in pairs for own, replaced in weights}


@lru_cache(maxsize=MOST_REMEMBERED)
def _counts(channel: Channel | None, coding: Coding, values: frozenset[int]) -> frozenset[tuple[Fraction, Fraction]]:
    """Return, for each code, its inverse weight and the mean inverse weight of its replacements."""
    found, before, mean = set(), None, Fraction(0)
    counts = {code: sum((row[each] for each in values), start=Fraction(0)) for code, row in coding.reading.items()}
    whole, over = whole_numbers(counts.values())
    numbers = dict(zip(counts, whole, strict=True))
    for code in coding.codes:
        sent = {} if channel is None else channel.replacement.sent(code, coding)
        if sent is not before:  # often the same for all codes
            mean = sum((chance * numbers[each] for each, chance in sent.items() if numbers[each]), start=Fraction(0))
            before = sent
        found.add((counts[code], mean / over))
    return frozenset(found)


def asked_ends(survey: Survey, group: Group, touched: Collection[str]) -> tuple[list[str], list[str]]:
    """Return the questions of a group asked in the draw with the smallest weights and in the draw with the largest.

    Args:
        survey: Published design.
        group: Group of the survey.
        touched: Questions of the group that every returned draw must ask.
    """
    others = [each for each in survey.members(group) if each.name not in touched]
    sure = [each.name for each in others if not survey.may_miss(each.name)]
    more = sorted((each for each in others if each.name not in sure), key=lambda each: -sharp(each.coding))
    room = 0 if survey.sampling is None else max(0, survey.sampling.ask - len({*survey.sampling.always, *touched}))
    least = [*touched, *sure]
    return least, [*least, *(each.name for each in more[:room])]
