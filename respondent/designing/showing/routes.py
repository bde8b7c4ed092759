"""The routes through the designed survey: who is asked each question, and how many answers are expected."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from collector.survey.question import NOT_APPLICABLE, Question
from collector.survey.survey import Survey
from collector.wording.wording import wording
from respondent.designing.places import Places

Json = dict[str, Any]
Met = tuple[tuple[str, frozenset[str]], ...]
"""For each question answered so far, the later questions that its answer allows to be asked."""
MOST_STATES = 4096
"""Maximum number of combinations of answers that are distinguished for one question."""


def routes_of(survey: Survey, values: Json, respondents: int) -> list[Json]:
    """Return the route to each question of the survey file.

    Args:
        survey: The design, compiled from `values`.
        values: Values of the survey file.
        respondents: Assumed number of respondents.

    Returns:
        A dictionary for each question, in the order of the file:
        - ``index``: position of the question in the file, counted from 0;
        - ``title``: title of the question;
        - ``conditions``: for each question that decides, its ``index``, its ``title`` and the ``answers`` that lead on;
        - ``share``: share of respondents who are asked, or None if there are too many combinations of answers;
        - ``expected``: expected number of answers;
        - ``guessed``: positions of the questions without a prior on which the share depends;
        - ``drawn``: probability that a split questionnaire asks the question.
    """
    places, found = Places(values), dict[int, Json]()
    for question in survey.questions:
        index = _index(places, question.name)
        if index is None or index in found:
            continue
        share, drawn = share_asked(survey, question.name), survey.asking_probability([question.name])
        found[index] = {
            "index": index,
            "title": _title(survey, question),
            "conditions": [
                {
                    "index": _index(places, name),
                    "title": survey.question(name).label[survey.languages[0]],
                    "answers": _answers(survey, survey.question(name), wanted),
                }
                for name, wanted in survey.routes.conditions(question.name).items()
            ],
            "share": None if share is None else float(share * drawn),
            "expected": None if share is None else round(share * drawn * respondents),
            "drawn": float(drawn),
            "guessed": sorted(
                {
                    at
                    for name in survey.routes.depends_on(question.name)
                    if (at := _index(places, name)) is not None and "prior" not in values["questions"][at]
                }
            ),
        }
    return [found[index] for index in sorted(found)]


def share_asked(survey: Survey, name: str) -> Fraction | None:
    """Return the share of people whose answers lead to a question, according to the priors.

    The answers of a person to different questions are assumed to be independent. The random choice of questions in a
    split questionnaire does not change the share.

    Returns:
        The share, or None if more than `MOST_STATES` combinations of answers would have to be distinguished.
    """
    waiting = [*survey.routes.depends_on(name), name]
    states: dict[Met, Fraction] = {(): Fraction(1)}
    for at, each in enumerate(waiting[:-1]):
        question, later = survey.question(each), waiting[at + 1 :]
        read = [other for other in waiting if each in survey.routes.conditions(other)]
        after = dict[Met, Fraction]()
        for met, share in states.items():
            for allowed, chance in _ways(survey, question, read, asked=_is_asked(survey, each, met)).items():
                kept = tuple(
                    (parent, led.intersection(later))
                    for parent, led in (*met, (each, allowed))
                    if any(parent in survey.routes.conditions(other) for other in later)
                )
                after[kept] = after.get(kept, Fraction(0)) + share * chance
        if len(after) > MOST_STATES:
            return None
        states = after
    return sum((share for met, share in states.items() if _is_asked(survey, name, met)), start=Fraction(0))


def _is_asked(survey: Survey, name: str, met: Met) -> bool:
    """Return whether a question is asked after given answers, which must decide all conditions of the question."""
    allowed = dict(met)
    return all(name in allowed[parent] for parent in survey.routes.conditions(name))


def _ways(survey: Survey, question: Question, read: list[str], *, asked: bool) -> Mapping[frozenset[str], Fraction]:
    """Return the probability of each set of questions that an answer to the given question may lead to."""
    chances = list(question.prior)
    skipped = question.values.index(NOT_APPLICABLE) if NOT_APPLICABLE in question.values else None
    if not asked:
        chances = [Fraction(int(value == skipped)) for value in range(len(chances))]
    elif skipped is not None:
        rest = 1 - chances[skipped]
        chances = [Fraction(0) if value == skipped else chance / rest for value, chance in enumerate(chances)]
    found = dict[frozenset[str], Fraction]()
    for value, chance in enumerate(chances):
        led = frozenset(other for other in read if value in survey.routes.conditions(other)[question.name])
        if chance:
            found[led] = found.get(led, Fraction(0)) + chance
    return found


def _index(places: Places, name: str) -> int | None:
    """Return the position in the file of the question from which a question of the design was derived."""
    path = places.question(name)
    return None if path is None else int(path[1])


def _title(survey: Survey, question: Question) -> str:
    screen = next((each for each in survey.screens if question.name in each.questions), None)
    label = question.label if screen is None or screen.label is None else screen.label
    return label[survey.languages[0]]


def _answers(survey: Survey, question: Question, wanted: frozenset[int]) -> list[str]:
    return [wording(survey, question, question.values[value], survey.languages[0]) for value in sorted(wanted)]
