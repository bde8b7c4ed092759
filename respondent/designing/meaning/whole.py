"""Sentences on each privacy preset of the whole response: what it reveals, and how many people it takes."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

from collector.disclosure.disclosure import QuestionDisclosure
from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import DeniableError
from collector.planning.expectations import value_plans
from collector.survey.survey import Survey
from collector.survey_file.survey_file import Compiled, compiled_values
from respondent.designing.edits import TomlText, values_of
from respondent.designing.meaning.fewer import fewer_questions, people_needed
from respondent.designing.meaning.plain import plain
from respondent.designing.meaning.presets import EPSILONS, TITLES, WHOLE_RESPONSE, set_preset
from respondent.designing.meaning.sentences import about, meaning_of, times, together, words_of

UNDISGUISED = 385  # people whose undisguised answers give a share of one half within 5 points: (1.96 / 0.1) squared
Json = dict[str, Any]


def whole_offers(text: str, folder: Path, respondents: int) -> list[Json]:
    """Return the sentences on each preset of the whole response.

    If the survey file cannot have a preset, ``problem`` gives the reason.

    Args:
        text: Text of the survey file.
        folder: Folder of the survey's pictures.
        respondents: Assumed number of respondents.
    """
    offers = [_offer(text, folder, respondents, name) for name in EPSILONS]
    for at, offer in enumerate(offers):
        safer = [each["title"] for each in offers[at + 1 :] if (each["belief"] or 1) < (offer["belief"] or 0)]
        if safer:
            offer["words"][1] += _why_more(safer[0])
    return offers


def _why_more(weaker: str) -> str:
    """Return a sentence on why one answer reveals more under a preset than under a weaker preset."""
    return (
        f" Under {weaker} the answer to one question tells less, because the design that takes the fewest people there "
        "shares the epsilon otherwise; all answers of a person together tell more."
    )


def _offer(text: str, folder: Path, respondents: int, name: str) -> Json:
    offer: Json = {"name": name, "title": TITLES[name], "epsilon": EPSILONS[name], "words": [], "problem": None}
    offer |= {"fewer": None, "belief": None}
    try:
        values = values_of(with_whole(text, name))
        found = compiled_values(values, folder)
        privacy = SurveyPrivacy(found.survey, planned=True)
        needed = people_needed(found.survey)
        fewer = fewer_questions(found, privacy, max(needed.values()), values, folder)
        return offer | {
            "words": _sentences(found, privacy, needed, values, respondents),
            "fewer": None if fewer is None else fewer.as_json,
            "belief": float(_belief(_most(privacy))),
        }
    except DeniableError as error:
        return offer | {"problem": plain(error.problem, error.remedy)}
    except ValueError:
        return offer | {"problem": "The survey file cannot be read."}


def with_whole(text: str, name: str) -> str:
    """Return the text of a survey file with a preset of the whole response, one of `EPSILONS`."""
    file = TomlText(text)
    set_preset(file, WHOLE_RESPONSE, name)
    return file.text


def _belief(disclosed: QuestionDisclosure) -> Fraction:
    """Return the largest probability that a response can give to an answer to a question."""
    return max(risk.rise.after for risk in disclosed.risks)


def _most(privacy: SurveyPrivacy) -> QuestionDisclosure:
    """Return the disguised question about which a response reveals most."""
    return max((each for each in privacy.questions if each.group), key=_belief)


def _sentences(
    found: Compiled, privacy: SurveyPrivacy, needed: Mapping[str, int], file: Json, respondents: int
) -> list[str]:
    survey, plan, most = found.survey, found.plan, _most(privacy)
    least = max(needed, key=lambda name: needed[name])
    values = [each.as_json for each in value_plans(survey, most.question, respondents)]
    meaning = meaning_of(most, words_of(privacy, most), values, respondents)
    count = len(survey.questions)
    words = [
        together(privacy),
        f'One answer, to "{most.question.name}": {meaning["belief"]}',
        _asked(survey, file),
        f'For \u00b1 5 points at "{least}", the least precise question, you need {about(needed[least])} people.',
    ]
    if plan is not None and survey.target is not None and survey.target in needed and count > 1:
        more = plan.chosen.measure
        words.append(
            f'A table of one question with "{survey.target}" takes {times(more)} times as many people as undisguised '
            f"answers to all questions: {about(ceil(UNDISGUISED * more))} people for \u00b1 5 points."
        )
    return words


def _asked(survey: Survey, file: Json) -> str:
    """Return a sentence on how many questions each person is asked, and on rows of grids, which count as questions."""
    count, sampling, questions = len(survey.questions), survey.sampling, file.get("questions", [])
    asked = f"all {count}" if sampling is None else f"{sampling.ask} of {count}"
    grids = [each for each in questions if each.get("kind") == "grid"]
    if grids and len(questions) == 1:
        return f'Each person is asked {asked} rows of "{grids[0].get("name")}".'
    rows = "; each row of a grid counts as one" if grids else ""
    return f"Each person is asked {asked} questions{rows}."
