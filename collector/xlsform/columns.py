"""Tables of the XLSForm types and columns that a survey does not support, with reasons and remedies."""

from __future__ import annotations

import re
from difflib import get_close_matches

OURS = (
    "rr::group",
    "rr::truth",
    "rr::channel",
    "rr::prior",
    "rr::cuts",
    "rr::coins",
    "rr::unit",
    "rr::decline",
    "rr::kind",
)
PICTURE_TEXT = "rr::picture_text"
"""Column with the description of a question's picture. A language may follow."""
NUMBERS = frozenset({"integer", "int", "decimal"})
ALIASES = {
    "relevance": "relevant",
    "caption": "label",
    "command": "type",
    "tag": "name",
    "value": "name",
    "calculate": "calculation",
    "readonly": "read_only",
    "set_form_title": "form_title",
    "title": "form_title",
    "set_form_id": "form_id",
    "id_string": "form_id",
    "jr:count": "repeat_count",
    "count": "repeat_count",
    **dict.fromkeys(("jr:constraintmsg", "constraintmsg", "constraint-msg"), "constraint_message"),
    **dict.fromkeys(("jr:requiredmsg", "requiredmsg", "required-msg"), "required_message"),
}
QUALIFIERS = frozenset({"bind", "body", "control", "media"})
"""Prefixes that are ignored: bind::relevant is the column relevant."""

READ = {
    "survey": (
        *("type", "name", "label", "hint", "appearance", "disabled", "relevant", "required", "parameters"),
        *("constraint", "image", PICTURE_TEXT, *OURS),
    ),
    "choices": ("list_name", "name", "label", "image"),
    "settings": ("form_title", "form_id", "default_language"),
}
TRANSLATED = frozenset({"label", "hint", "image", "big-image", "audio", "video"})
IGNORED = frozenset({
    "autoplay",
    "constraint_message",
    "guidance_hint",
    "no_app_error_string",
    "required_message",
    "rows",
})  # fmt: skip

_MEDIA = ("the page carries no sound or film, and a picture in one size", "say it in the label, and empty the cell")
_REPEAT = ("nothing is asked several times", "ask once, or write out as many questions as you need")
REFUSED_COLUMNS = {
    "survey": {
        "calculation": ("nothing is computed from answers", "empty the cell; the miner computes from the responses"),
        "default": ("an answer would be chosen beforehand", "empty the cell"),
        "choice_filter": ("every choice is offered to everybody", "empty the cell, or ask with a list of its own"),
        "read_only": ("it could not be answered", "make it a note, or empty the cell"),
        "repeat_count": _REPEAT,
        "trigger": ("nothing is computed from answers", "empty the cell"),
        "save_to": ("an entity would tie the response to a person or a thing", "empty the cell"),
        "big-image": _MEDIA,
        "audio": _MEDIA,
        "video": _MEDIA,
    },
    "choices": {"big-image": _MEDIA, "audio": _MEDIA, "video": _MEDIA},
    "settings": {},
}
NEEDED_COLUMNS = ("choice_filter", "read_only")
"""Columns without which a question cannot be asked. The question is left out. For other columns only the cell is."""
CONSTRAINTS = {
    "number": "a number may have . >= 0 and . <= 100, or one of the two",
    "date": "a date may have . >= date('2000-01-01') and . <= date('2030-01-01'), or one of the two",
    "select_multiple": "it may have count-selected(.) >= 1 and count-selected(.) <= 3, and a choice that stands alone",
}
_IDENTIFYING = (
    "audio",
    "audit",
    "background-audio",
    "background-geopoint",
    "barcode",
    "device_id",
    "deviceid",
    "email",
    "end",
    "file",
    "geopoint",
    "geoshape",
    "geotrace",
    "image",
    "imei",
    "location",
    "osm",
    "phone_number",
    "phonenumber",
    "photo",
    "picture",
    "signature",
    "simserial",
    "start",
    "start-geopoint",
    "subscriberid",
    "today",
    "username",
    "video",
)
_ELSEWHERE = (
    "its choices are not in this file",
    "put them on the choices sheet, and say select_one or select_multiple",
)
_TIME = ("a moment may tell who answers", "ask for a date, or a number such as the hour, with rr::cuts")
_SPANS = ("month", "six_months", "year")
_HIDDEN = ("nothing is sent but answers", "delete the row")
REFUSED_TYPES = {
    **dict.fromkeys(
        _IDENTIFYING, ("it may tell who answers, where or when", "delete the row: nothing of the kind is collected")
    ),
    "text": (
        "free text cannot be disguised",
        "ask a select_one with the answers you expect, or an integer with rr::cuts",
    ),
    "string": ("free text cannot be disguised", "ask a select_one with the answers you expect"),
    "select_one_from_file": _ELSEWHERE,
    "select_multiple_from_file": _ELSEWHERE,
    "select_one_external": _ELSEWHERE,
    "csv-external": _ELSEWHERE,
    "xml-external": _ELSEWHERE,
    "time": _TIME,
    "datetime": _TIME,
    "calculate": ("nothing is computed from answers", "delete the row; the miner computes from the responses"),
    "hidden": _HIDDEN,
    "acknowledge": ("it asks nothing", "ask a yes/no select_one, or make it a note"),
    "begin_repeat": _REPEAT,
    "end_repeat": _REPEAT,
    "begin_loop": _REPEAT,
    "end_loop": _REPEAT,
}
OLDER_TYPES = {
    "date_time": "datetime",
    "gps": "geopoint",
    "sim_id": "simserial",
    "subscriber_id": "subscriberid",
    "trigger": "acknowledge",
    **dict.fromkeys(("percentage", *(f"number_of_days_in_last_{each}" for each in _SPANS)), "integer"),
}
"""Types of older forms, with their present names."""
AROUND_TYPES = re.compile(r"^(q|get|add)_|^uri:|_prompt$")
"""Words around a type in older forms: ``get device id``, ``add text prompt``."""
SUPPORTED_TYPES = (
    *("select_one", "select_multiple", "rank", "integer", "decimal", "range", "date"),
    *("note", "begin_group", "end_group"),
)


def newest_type(name: str) -> str:
    """Return the newest name of an XLSForm question type, written with underscores."""
    plain = AROUND_TYPES.sub("", name)
    return OLDER_TYPES.get(plain, plain)


def close_match(word: str, words: tuple[str, ...]) -> str | None:
    """Return the known word that a misspelled word probably means, or None."""
    return next(iter(get_close_matches(word, words, n=1, cutoff=0.8)), None)
