"""Cases of the shared vectors about what is read: published designs and responses, good ones and malformed ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from malformed import MALFORMED_CODES, MALFORMED_DESIGNS, MALFORMED_SPLITS
from vector_chance import Case
from vector_surveys import surveys


def design_cases() -> Iterator[Case]:
    """Published designs, good ones and each edited in one place, with the place that is named."""
    for name in surveys():
        yield {"why": "as published", "survey": name, "path": [], "error": None}
    for why, path, value, place in MALFORMED_DESIGNS:
        edit = {} if value is ... else {"value": value}
        yield {"why": why, "survey": "small", "path": path, **edit, "error": place}
    for why, path, value, place in MALFORMED_SPLITS:
        edit = {} if value is ... else {"value": value}
        yield {"why": why, "survey": "split", "path": path, **edit, "error": place}
    small = surveys()["small"].design
    year, income = small["questions"][0], small["questions"][3]
    twins = {**small, "questions": [year, year], "groups": [], "target": None}
    yield {
        "why": "two sound questions of one name",
        "survey": "small",
        "path": [],
        "value": twins,
        "error": 'question "year"',
    }
    turned = {**income, "cuts": [800, 400], "values": ["<800", "800..400", ">=400"]}
    yield {
        "why": "cuts and values that descend together",
        "survey": "small",
        "path": ["questions", 3],
        "value": turned,
        "error": 'question "income", cuts',
    }


def response_cases() -> Iterator[Case]:
    """Codes as they would be sent: good ones, and malformed ones with the place of the fault."""
    for codes in ({"year": 0, "drug": 0, "fear": 0, "income": 0}, {"income": 2, "fear": 1, "drug": 3, "year": 2}):
        yield {"why": "one code for each question", "survey": "small", "codes": codes, "error": None}
    for why, codes, place in MALFORMED_CODES:
        yield {"why": why, "survey": "small", "codes": codes, "error": place}


def edited(design: Any, path: Sequence[Any], **edit: Any) -> Any:  # noqa: ANN401 - JSON
    """A copy of a design with one place replaced by ``value``, or taken out where there is none."""
    if not path:
        return edit.get("value", design)
    copy: Any = dict(design) if isinstance(design, dict) else list(design)
    first, *rest = path
    if rest:
        copy[first] = edited(copy[first], rest, **edit)
    elif "value" in edit:
        copy[first] = edit["value"]
    else:
        del copy[first]
    return copy
