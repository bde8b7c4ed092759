"""Leave out questions that are asked only after some answers to the class question."""

from dataclasses import replace

from collector.survey.survey import Survey
from miner.responses.possible import predictors
from miner.responses.responses import Responses


def without_followers(responses: Responses, target: str) -> tuple[Responses, list[int]]:
    """Return the responses to the class question and its predictors, and the positions of these questions.

    A question that is asked only for some values of the class cannot be a predictor, because the fact that it was asked
    reveals the class. Leaving out a question does not change the channel of other questions.

    In a split questionnaire, no question is left out, because a coin's truth probability may depend on the questions
    asked.
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
