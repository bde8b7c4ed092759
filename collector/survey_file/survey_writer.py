"""Writing of a `Survey` as a survey file: the inverse of `collector.survey_file.survey_file`.

The written file compiles to the fingerprint of the survey (`tests/collector/survey_file/test_survey_writer.py`).
Comments and the order of keys are lost, because a published design does not contain them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from collector.coding.coding_check import ROUTED
from collector.errors import SurveyError
from collector.survey.question import EXTRAS, NOT_APPLICABLE, Question
from collector.survey.study import WORDS, Study
from collector.survey.survey import Group, Survey
from collector.survey.text import in_languages
from collector.survey_file.kinds.registry import KINDS
from collector.survey_file.priors import share_text
from collector.survey_file.question_file import SENT
from collector.survey_file.question_tables import folded
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_toml import table_lines, written

MOST_CARE = 2  # largest value of `care` in `folded`
PLAIN = ("per_address", "quota", *WORDS, "quotas", "logo")  # keys of the study that are written as in the design


def survey_text(survey: Survey, comment: str) -> str:
    """Return a survey as the text of a survey file.

    Args:
        survey: Survey to write.
        comment: Line of comment at the top of the file.
    """
    return file_of(survey_tables(survey), comment)


def survey_tables(survey: Survey) -> dict[str, Any]:
    """Return the tables of a survey file as Python values, with as few plain questions as possible."""
    care = dict.fromkeys((question.name for question in survey.questions), 0)
    while True:
        tables = _tables(survey, care)
        wrong = [name for name in _changed(survey, tables) if care[name] < MOST_CARE]
        if not wrong:
            return tables
        care |= {name: care[name] + 1 for name in wrong}


def _changed(survey: Survey, tables: Mapping[str, Any]) -> set[str]:
    """Return the questions that change when the written file is read, or all questions if anything else changes."""
    everything = {question.name for question in survey.questions}
    try:
        again = parse_survey(file_of(tables, "again"))
    except SurveyError:
        return everything
    if again.fingerprint == survey.fingerprint:
        return set()
    parts = [set(each.questions) | set(each.screens) | set(each.groups) for each in (survey, again)]
    named = {each.name for each in parts[0] ^ parts[1] if isinstance(each, Question)}
    for each in parts[0] ^ parts[1]:
        named |= set() if isinstance(each, Question) else set(each.questions)
    return named & everything or everything


def _tables(survey: Survey, care: Mapping[str, int]) -> dict[str, Any]:
    tables: dict[str, Any] = {"name": survey.name, "title": in_languages(survey.title)}
    tables |= {"languages": list(survey.languages), "preview": survey.preview}
    tables |= {"shuffle": True} if survey.shuffle else {}
    tables |= {"wave": survey.wave} if survey.wave > 1 else {}
    tables |= {"deposit": True} if survey.deposit else {}
    if survey.study is not None:
        tables["study"] = _study(survey.study)
    groups = {group.name: _group(group) for group in survey.groups}
    parts = folded([_table(each, survey) for each in survey.questions], groups, survey.screens, care)
    tables["questions"] = parts.questions
    tables |= {"screens": [screen.design for screen in parts.screens]} if parts.screens else {}
    tables["groups"] = parts.groups
    if survey.sampling is not None:
        tables["sampling"] = survey.sampling.design
    return tables if survey.target is None else tables | {"mining": {"target": survey.target}}


def file_of(tables: Mapping[str, Any], comment: str) -> str:
    """Return the text of a survey file, given its tables as Python values (including ``Decimal`` and ``date``)."""
    return "\n".join([f"# {comment}", "", *_lines(tables), ""])


def _lines(tables: Mapping[str, Any]) -> Iterator[str]:
    def is_table(key: str, value: object) -> bool:
        nested = isinstance(value, list) and bool(value) and isinstance(value[0], Mapping)
        return key != "title" and (isinstance(value, Mapping) or nested)

    yield from table_lines({key: each for key, each in tables.items() if not is_table(key, each)})
    for key, value in tables.items():
        if not is_table(key, value):
            continue
        if isinstance(value, list):
            for each in value:
                yield from ("", f"[[{key}]]", *table_lines(each, key))
        elif key == "groups":
            yield from ("", "[groups]", *(f"{name} = {written(group)}" for name, group in value.items()))
        else:
            yield from ("", f"[{key}]", *table_lines(value, key))


def _group(group: Group) -> dict[str, str]:
    key, number = group.channel.coin.published
    return {key: str(number), "channel": group.channel.name}


def _study(study: Study) -> dict[str, Any]:
    texts: dict[str, Any] = {key: in_languages(text) for key, text in study.texts()}
    said = {"minutes": study.minutes, "opens": study.opens, "until": study.until}
    texts |= {key: study.design[key] for key in PLAIN if key in study.design}
    return {key: each for key, each in said.items() if each is not None} | texts


def _table(question: Question, survey: Survey) -> dict[str, Any]:
    table: dict[str, Any] = {"name": question.name, "label": in_languages(question.label)}
    if question.hint is not None:
        table["hint"] = in_languages(question.hint)
    table |= {"kind": question.kind} | KINDS[question.kind].keys(question)
    if len(set(question.prior)) > 1 or question.values[-1] in EXTRAS:
        table["prior"] = dict(zip(question.values, map(share_text, question.prior), strict=True))
    group = survey.group_of(question.name)
    table |= {"sensitive": False} if group is None else {"group": group.name}
    drawn = question.coding.scheme in {"plain", "balanced"} and question.coding.replacement is None
    if drawn and question.sensitive and NOT_APPLICABLE in question.values and survey.sampling is None:
        table["unasked"] = SENT
    if question.coding.scheme not in {"plain", "balanced", ROUTED}:
        table["coding"] = question.coding.written
    if question.coding.replacement is not None:
        chances = question.coding.replacement_probabilities.values()
        table["replacement"] = dict(zip(question.values, map(share_text, chances), strict=True))
    if question.shown:
        table["words"] = _words(question)
    return {key: value for key, value in table.items() if value is not None}


def _words(question: Question) -> Mapping[str, Mapping[str, str]]:
    """Return the texts of a question's values, by language."""
    words: dict[str, dict[str, str]] = {}
    for value, text in zip(question.values, question.shown, strict=True):
        for language, word in text.design.items():
            words.setdefault(language, {})[value] = word
    return words
