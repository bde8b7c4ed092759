"""The part of the study card that depends on which questions are disguised."""

from dataclasses import dataclass
from functools import lru_cache

from collector.disclosure.disclosure import QuestionDisclosure
from collector.disclosure.privacy import SurveyPrivacy
from collector.survey.question import Question
from collector.survey.survey import Group, Survey


@dataclass(frozen=True)
class DisguisedQuestions:
    """Which questions of a survey a page may call disguised.

    Attributes:
        some: Whether any question is disguised.
        every: Whether all questions are disguised.
        doubt: Whether some question is disguised, and no code of any disguised question makes its answer certain.
    """

    some: bool
    every: bool
    doubt: bool


@lru_cache(maxsize=64)  # surveys: a page is made for every visit
def disguise(survey: Survey) -> DisguisedQuestions:
    """Return which questions of a survey a page may call disguised."""
    disguised = [each for each in survey.questions if disguising(survey, each) is not None]
    shown = any(map(_shows, SurveyPrivacy(survey).among([each.name for each in disguised])))
    return DisguisedQuestions(bool(disguised), len(disguised) == len(survey.questions), bool(disguised) and not shown)


def disguising(survey: Survey, question: Question) -> Group | None:
    """Return the group that disguises a question, or None for an undisguised question."""
    group = survey.group_of(question.name)
    return None if group is None or group.channel.coin.fixed == 1 else group


def _shows(disclosure: QuestionDisclosure) -> bool:
    """Return whether some code of a question can come from only one value."""
    return any(risk.rise.before != 1 and risk.rise.after == 1 for risk in disclosure.risks)
