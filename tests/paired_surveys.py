"""Surveys in which two answers have one code, and every response that somebody may send to them, with its chance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

from collector.pair_channel import TogetherChannel
from collector.pair_coding import PairCode, PairCoding
from collector.survey import Survey
from split_surveys import question, survey_of_tables

ODDS = Fraction(7, 2)
FORCED: dict[str, tuple[PairCoding, ...]] = {
    "masks": (PairCoding(4, "subsets", 4, 2), PairCoding(6, "subsets", 6, 3)),
    "affine maps": (PairCoding(4, "affine", 5, 2), PairCoding(6, "affine", 7, 3)),
    "plain, and maps": (PairCoding(4, "plain", 4, 1), PairCoding(6, "affine", 7, 4)),
    "plain, and masks": (PairCoding(4, "subsets", 4, 2), PairCoding(6, "plain", 6, 1)),
}


def paired_survey(
    sizes: Sequence[int] = (2, 2, 3), how: str = 'odds = "7/2"', always: str = "", priors: Sequence[str] = ()
) -> Survey:
    """Questions q0, q1, ... of so many values, two of which are asked, in one group."""
    more = [*priors, *[""] * len(sizes)]
    tables = [question(f"q{number}", size, "g", more[number]) for number, size in enumerate(sizes)]
    return survey_of_tables(tables, f"g = {{ {how}, together = true }}", f"[sampling]\nask = 2\nalways = [{always}]\n")


def forced(codings: str | tuple[PairCoding, ...], sizes: Sequence[int] = (2, 2, 3)) -> Survey:
    """The same with these codings, or those of this name, whether or not they are the best."""
    chosen = FORCED[codings] if isinstance(codings, str) else codings
    survey = paired_survey(sizes)
    group = replace(survey.groups[0], channel=TogetherChannel(ODDS, chosen))
    return replace(survey, groups=(group,))


def code_chances(coding: PairCoding, odds: Fraction, combination: int) -> dict[PairCode, Fraction]:
    """P(code | combination) of every code, from nothing but which combinations a code stands for."""
    codes = list(coding.codes)
    own = [code for code in codes if coding.has(code, combination)]
    truth = odds / (odds + Fraction(coding.points, coding.size))
    even = (1 - truth) / len(codes)
    return {code: even + (truth / len(own) if code in own else 0) for code in codes}


def draws(survey: Survey) -> Iterator[tuple[int, int]]:
    """The places of any two questions that may be asked together."""
    always = survey.sampling.always if survey.sampling else ()
    for both in combinations(range(len(survey.questions)), 2):
        if set(always) <= {survey.questions[place].name for place in both}:
            yield both


def sent_by(survey: Survey, values: Sequence[int]) -> Iterator[tuple[tuple[int, int], dict[tuple[int, ...], Fraction]]]:
    """For each draw, all as likely: what somebody with these values sends, -1 for what is not asked, and how likely."""
    channel = survey.together
    assert channel is not None
    for first, second in draws(survey):
        sizes = [len(survey.questions[place].values) for place in (first, second)]
        coding = channel.coding_of(sizes)
        found = {}
        for (low, high), chance in code_chances(
            coding, channel.odds, values[first] * sizes[1] + values[second]
        ).items():
            row = [-1] * len(survey.questions)
            row[first], row[second] = low, high
            found[tuple(row)] = chance
        yield (first, second), found
