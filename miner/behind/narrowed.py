"""Responses without the questions that only some answers to a class question bring."""

from dataclasses import replace

from collector.survey.survey import Survey
from miner.responses.possible import predictors
from miner.responses.responses import Responses


def without_followers(responses: Responses, target: str) -> tuple[Responses, list[int]]:
    """Responses to the class question and to those that can predict it, and the positions of these in the survey.

    The likelihood of a class is summed over the answers that predict it. A question that is asked if the class has some
    value is none of them, and its code tells of the class by having been asked: it has to be left out of the chance of
    the other answers, too. Codes that are left out change nothing of the others' channel.

    Under `[sampling]` the truth of a coin may depend on which questions were asked: then all stay.
    """
    survey = responses.survey
    kept = sorted((*predictors(survey, target), survey.column(target)))
    if len(kept) == len(survey.questions) or survey.sampling is not None:
        return responses, list(range(len(survey.questions)))
    return replace(responses, survey=_narrowed(survey, kept, target), codes=responses.codes[:, kept]), kept


def _narrowed(survey: Survey, kept: list[int], target: str) -> Survey:
    questions = tuple(survey.questions[place] for place in kept)
    names = {question.name for question in questions}
    groups = []
    for group in survey.groups:
        left = tuple(name for name in group.questions if name in names)
        if left:  # the coin is that of the whole group
            groups.append(replace(group, questions=left, channel=survey.channel_at(group, group.questions)))
    screens = tuple(screen for screen in survey.screens if names.issuperset(screen.questions))
    return replace(
        survey, questions=questions, groups=tuple(groups), screens=screens, target=target, study=None, shuffle=False
    )
