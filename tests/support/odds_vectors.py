"""Cases of the shared vectors about the odds in words: what is said to those who are asked certain questions."""

from __future__ import annotations

from collections.abc import Iterator

from collector.survey.survey import Survey
from told_odds import Told, example, total
from vector_chance import Case
from vector_surveys import surveys

SETS = 6  # of questions asked, of a split questionnaire


def odds_cases() -> Iterator[Case]:
    """Cases of each survey, one for each set of questions that is asked."""
    for name, survey in surveys().items():
        for asked in _sets(survey):
            yield _case(name, survey, asked)


def _sets(survey: Survey) -> list[list[str]]:
    names = [each.name for each in survey.questions]
    if survey.sampling is None:
        return [names]
    draws = list(survey.sampling.draws(names))
    return [list(each) for each in draws[:: len(draws) // SETS]]


def _case(name: str, survey: Survey, asked: list[str]) -> Case:
    told = [Told(survey, survey.question(each), asked) for each in asked]
    return {
        "survey": name,
        "asked": asked,
        "words": [each.words for each in told],
        "odds": [each.odds() for each in told],
        "codes": [[each.code(code) for code in each.question.codes] for each in told],
        "limits": [each.limit() for each in told if each.group is not None],
        "example": example(survey, asked),
        "total": total(survey, asked),
    }
