"""The ``[[questions]]`` tables of a survey file."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from collector.coding.coding import plain_coding
from collector.errors import SurveyError, suggestion
from collector.survey.fields import Fields, read_fraction
from collector.survey.question import (
    KINDS,
    NOT_APPLICABLE,
    Question,
    check_name,
    check_prior,
    check_values,
)
from collector.survey.text import Text, read_optional_text, read_text, read_unit
from collector.survey_file.kinds.registry import KINDS as QUESTION_KINDS

DRAWN, SENT = "drawn", "sent"
UNASKED = (DRAWN, SENT)
SCREEN_KEYS = ("section", "ask_if", "decline", "optional", "shuffle", "picture", "picture_text", "pictures")


@dataclass(frozen=True)
class QuestionDraft:
    """A question of a survey file whose coding is not yet determined.

    Attributes:
        question: Question with one code for each value.
        place: Place of the question's table in the survey file.
        group: Name of the question's group, or None.
        coding: Name of the wanted coding, or None.
        replacement: Probability of each value as a replacement of the truth, or None.
        unasked: What people who are not asked send: ``drawn`` (a random answer), ``sent`` (not applicable), or None.
    """

    question: Question
    place: str
    group: str | None
    coding: str | None
    replacement: tuple[Fraction, ...] | None
    unasked: str | None = None

    @property
    def routed(self) -> bool:
        """Whether the question is disguised and is asked only of some people."""
        return self.question.sensitive and NOT_APPLICABLE in self.question.values


def read_question(fields: Fields, languages: tuple[str, ...]) -> QuestionDraft:
    """Return the question of a ``[[questions]]`` table, without the settings of the question's group.

    Raises:
        SurveyError: If a key is not valid.
    """
    name = fields.take("name", str)
    check_name(name, fields.place)
    kind = fields.take("kind", str)
    if kind not in KINDS:
        raise SurveyError(fields.within("kind"), "there is no question of this kind", suggestion(kind, KINDS))
    _refuse_unconfirmed(fields)
    sensitive = fields.take_optional("sensitive", bool) is not False
    values, cuts = QUESTION_KINDS[kind].values(fields)
    check_values(values, fields.within("values"))  # before a prior and a coding are drawn up for them
    question = Question(
        name=name,
        label=read_text(fields, "label", languages),
        kind=kind,
        values=values,
        prior=_shares(fields, "prior", values) or (Fraction(1, len(values)),) * len(values),
        coding=plain_coding(len(values)),
        sensitive=sensitive,
        unit=read_unit(fields),
        minimum=fields.take_number("minimum"),
        maximum=fields.take_number("maximum"),
        whole=fields.take_optional("whole", bool) or False,
        cuts=cuts,
        shown=() if kind == "number" else _shown(fields, values, languages),
        hint=read_optional_text(fields, "hint", languages),
    )
    draft = QuestionDraft(
        question,
        fields.place,
        fields.take_optional("group", str),
        fields.take_optional("coding", str),
        _shares(fields, "replacement", values, least=0),
        fields.take_optional("unasked", str),
    )
    if draft.unasked not in {None, *UNASKED} or (draft.unasked is not None and not draft.routed):
        remedy = f"say {' or '.join(UNASKED)} of a question that is disguised and has ask_if, or drop it"
        raise SurveyError(fields.within("unasked"), "the key does not apply to this question", remedy)
    for key in SCREEN_KEYS:  # read before (`question_tables`): named to who writes a key that is unknown
        fields.take_optional_any(key)
    fields.finish()
    return draft


def _refuse_unconfirmed(fields: Fields) -> None:
    """Refuse a question with values from `collector draft` that no person has confirmed to be public."""
    if fields.take_optional("confirmed", bool) is False:
        raise SurveyError(
            fields.within("confirmed"),
            "the values were read from data and are not confirmed yet",
            "check that the values are publicly known, correct them, and add confirmed = true",
        )


def _shown(fields: Fields, values: tuple[str, ...], languages: tuple[str, ...]) -> tuple[Text, ...]:
    """Return the texts with which the values of a question are shown, in order.

    A language without texts of the values uses the texts of the first language, or else the values.
    """
    tables = fields.take_optional("words", dict)
    if tables is None:
        return ()
    place = fields.within("words")
    for language, words in tables.items():
        if language not in languages:
            raise SurveyError(place, f'"{language}" is no language of the survey', suggestion(language, languages))
        if not isinstance(words, dict) or set(words) != set(values):
            raise SurveyError(
                place,
                "in one language, words are missing for a value, or are given for something that is not a value",
                "give each value its words in this language",
            )
        if not all(isinstance(word, str) for word in words.values()):
            raise SurveyError(place, "the words are not text", "write text")
    usual: dict[str, str] = tables.get(languages[0]) or {value: value for value in values}
    said: dict[str, dict[str, str]] = {each: tables.get(each) or usual for each in languages}
    return tuple(Text.of({each: words[value] for each, words in said.items()}) for value in values)


def _shares(fields: Fields, key: str, values: tuple[str, ...], least: int | None = None) -> tuple[Fraction, ...] | None:
    """Return shares of the values that add up to 1, or None if the key is missing.

    Args:
        fields: Fields of the question.
        key: Key of the table under which the shares are.
        values: Values of the question.
        least: Value 0 if shares of 0 are allowed, or None if all shares must be above 0.
    """
    table = fields.take_optional(key, dict)
    if table is None:
        return None
    place = fields.within(key)
    for value in table:
        if value not in values:
            raise SurveyError(place, f'"{value}" is no value of the question', suggestion(value, values))
    missing = [value for value in values if value not in table]
    if missing:
        raise SurveyError(place, f'the value "{missing[0]}" is missing', "give every value its frequency")
    shares = tuple(read_fraction(table[value], place) for value in values)
    check_prior(
        tuple(share for share in shares if share or least is None),
        len(values) if least is None else sum(map(bool, shares)),
        place,
    )
    return shares
