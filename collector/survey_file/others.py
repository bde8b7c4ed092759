"""The search for all errors of a survey file, by reading each part of the file separately."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from collector.conditions.language import comparisons_in
from collector.errors import Faults, SurveyError, SurveyFaultsError
from collector.survey.fields import Fields
from collector.survey.study import read_study
from collector.survey.text import check_languages, read_text
from collector.survey_file.group_file import read_wishes
from collector.survey_file.kinds.kind import Expanded, QuestionTable
from collector.survey_file.picture_file import read_picture
from collector.survey_file.privacy_file import read_promise
from collector.survey_file.question_file import read_question
from collector.survey_file.question_tables import expand


def with_others(first: SurveyError, document: Mapping[str, Any], folder: Path | None) -> SurveyError:
    """Return the error that ended the reading of a survey file, together with errors in other parts of the file.

    Questions that depend on a question with errors are not checked, and neither are rules about several questions.

    Args:
        first: First error, which ended the reading of the file.
        document: Values of the survey file.
        folder: Folder of the pictures.
    """
    faults = Faults()
    fields, languages = Fields(document, "survey"), list[str]()
    with faults.part():
        languages = fields.take_list("languages", str)
        check_languages(languages)
    if faults.found:  # no text can be read without them
        return first
    tags = tuple(languages)
    with faults.part():
        fields.take("name", str)
    with faults.part():
        read_text(fields, "title", tags).check_languages(tags, "title")
    groups = document.get("groups")
    _questions(faults, fields, document, tags, folder)
    with faults.part():
        read_wishes(groups if isinstance(groups, dict) else {})
    with faults.part():
        read_promise(fields.take_optional("privacy", dict), groups if isinstance(groups, dict) else None)
    with faults.part():
        card = fields.take_optional("study", dict)
        logo = None if card is None else read_picture(Fields(card, "study"), "logo", tags, folder)
        read_study(card, tags, logo)
    faults.add(first)
    return faults.found[0] if len(faults.found) == 1 else SurveyFaultsError(faults.found)


def _questions(
    faults: Faults, fields: Fields, document: Mapping[str, Any], languages: tuple[str, ...], folder: Path | None
) -> None:
    """Check each `[[questions]]` table separately, and collect all errors."""
    tables: list[Fields] = []
    with faults.part():
        tables = fields.tables("questions")
    groups, wrong = document.get("groups"), set[str]()
    whole = Expanded(groups=dict(groups) if isinstance(groups, dict) else None)
    for each, table in zip(tables, document.get("questions") or (), strict=False):
        found, before = len(faults.found), len(whole.questions)
        if wrong.intersection(test.name for test in comparisons_in(str(table.get("ask_if", "")))):
            wrong.add(str(table.get("name")))
            continue
        with faults.part():
            expand(QuestionTable(each, dict(table), languages, whole, folder))
            for plain in Fields({"questions": whole.questions}, "survey").tables("questions", before):
                question = read_question(plain, languages).question
                for key, text in question.texts():
                    text.check_languages(languages, f"{plain.place}, {key}")
        if len(faults.found) > found:
            wrong.add(str(table.get("name")))
