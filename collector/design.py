"""Reading a published design back from its canonical JSON, trusting nothing in it."""

from __future__ import annotations

import json

from collector.channel import channel
from collector.coding import Coding
from collector.errors import SurveyError
from collector.fields import Fields
from collector.question import Question
from collector.study import study_from_design
from collector.survey import FORMAT, Group, Survey
from collector.text import Text, text_table


def survey_from_json(text: str) -> Survey:
    """Read canonical JSON.

    Raises:
        SurveyError: If it is not JSON, or not a published design.
    """
    try:
        design = json.loads(text)
    except (ValueError, RecursionError):
        raise SurveyError("design", "it is not JSON", "publish the survey file again") from None
    return survey_from_design(design)


def survey_from_design(design: object) -> Survey:
    """Build the survey that a published design describes, checking all of it.

    Raises:
        SurveyError: Naming the place in the design and the remedy.
    """
    fields = Fields(design, "design")
    if fields.take("format", int) != FORMAT:
        raise SurveyError("design, format", "this version cannot read it", f"publish it again as format {FORMAT}")
    survey = Survey(
        name=fields.take("name", str),
        title=_text(fields, "title"),
        languages=tuple(fields.take_list("languages", str)),
        questions=tuple(_question(each) for each in fields.tables("questions")),
        groups=tuple(_group(each) for each in fields.tables("groups")),
        target=fields.take_optional("target", str),
        study=study_from_design(fields.take_optional("study", dict)),
        preview=fields.take("preview", str),
    )
    fields.finish()
    return survey


def _question(fields: Fields) -> Question:
    coding = Fields(fields.take("coding", dict), f"{fields.place}, coding")
    complements = coding.take_optional("complements", list)
    hint = fields.take_optional("hint", dict)
    question = Question(
        name=fields.take("name", str),
        label=_text(fields, "label"),
        kind=fields.take("kind", str),
        values=tuple(fields.take_list("values", str)),
        prior=tuple(fields.fraction_pair(pair) for pair in fields.take_list("prior", list)),
        coding=Coding(
            scheme=coding.take("scheme", str),
            codes=tuple(coding.take_list("codes", int)),
            complements=None if complements is None else tuple(coding.all_of("complements", complements, int)),
            draws=tuple(
                tuple(coding.integer_pair(draw) for draw in coding.all_of("draws", draws, list))
                for draws in coding.take_list("draws", list)
            ),
        ),
        sensitive=fields.take("sensitive", bool),
        unit=fields.take_optional("unit", str),
        minimum=fields.take_number("minimum"),
        cuts=tuple(fields.take_numbers("cuts")),
        shown=tuple(text_table(each, fields.within("words")) for each in fields.take_list("words", dict)),
        hint=None if hint is None else text_table(hint, fields.within("hint")),
    )
    coding.finish()
    fields.finish()
    return question


def _text(fields: Fields, key: str) -> Text:
    return text_table(fields.take(key, dict), fields.within(key))


def _group(fields: Fields) -> Group:
    group = Group(
        name=fields.take("name", str),
        channel=channel(fields.take("channel", str), fields.fraction_pair(fields.take("truth", list))),
        questions=tuple(fields.take_list("questions", str)),
    )
    fields.finish()
    return group
