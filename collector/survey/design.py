"""The reader of published designs, which reads canonical JSON and checks every field."""

import json

from collector.channel.channel import REPLACEMENTS, Channel, replacement
from collector.channel.coin import Coin
from collector.coding.coding import Coding
from collector.errors import SurveyError
from collector.survey.fields import Fields
from collector.survey.question import Question
from collector.survey.sampling import Sampling
from collector.survey.screen import Screen, read_screen
from collector.survey.study import study_from_design
from collector.survey.survey import FORMAT, Group, Survey
from collector.survey.text import Text, read_unit, text_table


def survey_from_json(text: str) -> Survey:
    """Return the survey that canonical JSON describes.

    Raises:
        SurveyError: If the text is not JSON or not a published design.
    """
    try:
        design = json.loads(text)
    except (ValueError, RecursionError):
        raise SurveyError("design", "the design is not JSON", "publish the survey file again") from None
    return survey_from_design(design)


def survey_from_design(design: object) -> Survey:
    """Build the survey that a published design describes, and check every part.

    Raises:
        SurveyError: If a part of the design is not valid.
    """
    fields = Fields(design, "design")
    if fields.take("format", int) != FORMAT:
        raise SurveyError(
            "design, format", "this version of Deniable cannot read the design", f"publish it again as format {FORMAT}"
        )
    survey = Survey(
        name=fields.take("name", str),
        title=_text(fields, "title"),
        languages=tuple(fields.take_list("languages", str)),
        questions=tuple(_question(each) for each in fields.tables("questions")),
        groups=tuple(_group(each) for each in fields.tables("groups")),
        target=fields.take_optional("target", str),
        study=study_from_design(fields.take_optional("study", dict)),
        preview=fields.take("preview", str),
        sampling=_sampling(fields.take_optional("sampling", dict)),
        screens=read_screens(fields),
        shuffle=fields.take_optional("shuffle", bool) or False,
        wave=_wave(fields),
        deposit=fields.take_optional("deposit", bool) or False,
    )
    fields.finish()
    return survey


def _wave(fields: Fields) -> int:
    wave = fields.take_optional("wave", int)
    return 1 if wave is None else wave


def read_screens(fields: Fields) -> tuple[Screen, ...]:
    """Return the screens in a table of a design or a survey file, or an empty tuple."""
    listed = fields.take_optional("screens", list) or []
    return tuple(read_screen(Fields(each, f"screens number {at}")) for at, each in enumerate(listed, start=1))


def _sampling(table: dict[str, object] | None) -> Sampling | None:
    if table is None:
        return None
    fields = Fields(table, "sampling")
    sampling = Sampling(fields.take("ask", int), tuple(fields.take_list("always", str)))
    fields.finish()
    return sampling


def _question(fields: Fields) -> Question:
    coding = _coding(Fields(fields.take("coding", dict), fields.within("coding")))
    hint = fields.take_optional("hint", dict)
    question = Question(
        name=fields.take("name", str),
        label=_text(fields, "label"),
        kind=fields.take("kind", str),
        values=tuple(fields.take_list("values", str)),
        prior=tuple(fields.fraction_pair(pair) for pair in fields.take_list("prior", list)),
        coding=coding,
        sensitive=fields.take("sensitive", bool),
        unit=read_unit(fields),
        minimum=fields.take_number("minimum"),
        maximum=fields.take_number("maximum"),
        whole=fields.take_optional("whole", bool) or False,
        cuts=tuple(fields.take_numbers("cuts")),
        shown=tuple(text_table(each, fields.within("words")) for each in fields.take_list("words", dict)),
        hint=None if hint is None else text_table(hint, fields.within("hint")),
    )
    fields.finish()
    return question


def _coding(fields: Fields) -> Coding:
    scheme, codes = fields.take("scheme", str), tuple(fields.take_list("codes", int))
    partners = fields.take_optional("complements", list)
    complements = None if partners is None else tuple(fields.all_of("complements", partners, int))
    draws = tuple(
        tuple(fields.integer_pair(draw) for draw in fields.all_of("draws", each, list))
        for each in fields.take_list("draws", list)
    )
    weights = fields.take_optional("replacement", list)
    replacement = None if weights is None else tuple(fields.all_of("replacement", weights, int))
    fields.finish()
    try:
        return Coding(scheme, codes, complements, draws, replacement)
    except SurveyError as error:  # a coding does not know whose it is
        raise SurveyError(fields.place, error.problem, error.remedy) from None


def _text(fields: Fields, key: str) -> Text:
    return text_table(fields.take(key, dict), fields.within(key))


def _group(fields: Fields) -> Group:
    group = Group(
        name=fields.take("name", str), channel=_channel(fields), questions=tuple(fields.take_list("questions", str))
    )
    fields.finish()
    return group


def _channel(fields: Fields) -> Channel:
    name = fields.take("channel", str)
    kind = REPLACEMENTS.get(name)
    odds = fields.take_optional("odds", list) if kind is not None and kind.keeps_epsilon else None
    given = fields.fraction_pair(fields.take("truth", list) if odds is None else odds)
    try:
        return Channel(Coin(given) if odds is None else Coin(odds=given), replacement(name))
    except SurveyError as error:  # a channel does not know whose it is
        raise SurveyError(fields.within(error.place), error.problem, error.remedy) from None
