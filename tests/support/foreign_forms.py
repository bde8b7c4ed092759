"""Ten questionnaires as SurveyJS writes them, after public descriptions of instruments."""

from __future__ import annotations

from typing import Any

FREQUENCY = ["all_the_time", "most_of_the_time", "more_than_half", "less_than_half", "some_of_the_time", "at_no_time"]
AGREE = ["strongly_disagree", "disagree", "neutral", "agree", "strongly_agree"]


def radio(name: str, title: Any, choices: list[Any], **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    return {"type": "radiogroup", "name": name, "title": title, "choices": choices, **more}


def form(title: Any, *elements: dict[str, Any], **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    return {"title": title, "pages": [{"name": "page1", "elements": list(elements)}], **more}


FORMS: dict[str, dict[str, Any]] = {
    "who5": form(
        "WHO-5 Well-Being Index",
        *(
            radio(name, title, FREQUENCY, rr={"kind": "scale", "group": name})
            for name, title in (
                ("cheerful", "I have felt cheerful and in good spirits"),
                ("calm", "I have felt calm and relaxed"),
                ("active", "I have felt active and vigorous"),
                ("rested", "I woke up feeling fresh and rested"),
                ("interested", "My daily life has been filled with things that interest me"),
            )
        ),
        rr={
            "groups": {
                name: {"truth": "4/5", "channel": "uniform"}
                for name in ("cheerful", "calm", "active", "rested", "interested")
            }
        },
    ),
    "audit_c": form(
        {"default": "AUDIT-C", "de": "AUDIT-C auf Deutsch"},
        radio(
            "how_often",
            {"default": "How often do you have a drink?", "de": "Wie oft trinken Sie Alkohol?"},
            [
                {"value": "never", "text": {"default": "Never", "de": "Nie"}},
                {"value": "monthly", "text": {"default": "Monthly or less", "de": "Monatlich oder seltener"}},
                {"value": "weekly", "text": {"default": "2-3 times a week", "de": "2-3 Mal die Woche"}},
            ],
            rr={"kind": "scale", "group": "drinking"},
        ),
        locale="en",
        rr={"groups": {"drinking": {"truth": "3/4"}}},
    ),
    "climate": form(
        "Staff climate",
        *(
            {"type": "rating", "name": f"item{number}", "title": f"Statement {number}", "rateMin": 1, "rateMax": 5}
            for number in range(1, 6)
        ),
    ),
    "agreement": form("Agreement", radio("Fair pay", "My pay is fair", AGREE, colCount=5)),
    "dropdowns": form("Region", {"type": "dropdown", "name": "region", "choices": [f"region {n}" for n in range(20)]}),
    "numbers": form(
        "Income",
        {
            "type": "text",
            "name": "income",
            "title": "Monthly income",
            "inputType": "number",
            "min": 0,
            "max": 9000,
            "rr": {"cuts": ["400", "800"], "unit": "EUR", "group": "money"},
        },
        rr={"groups": {"money": {"truth": "2/3", "channel": "uniform"}}},
    ),
    "booleans": form(
        "Smoking",
        {"type": "boolean", "name": "smokes", "title": "Do you smoke?", "labelTrue": "I do", "labelFalse": "I do not"},
        {"type": "boolean", "name": "quit", "title": "Did you try to stop?", "description": "In the last year."},
    ),
    "panels": {
        "title": "Panels",
        "elements": [
            {"type": "panel", "name": "p", "elements": [{"type": "boolean", "name": "a", "title": "A?"}]},
            {"type": "boolean", "name": "b", "title": "B?"},
        ],
    },
    "steps": form("Pain", {"type": "rating", "name": "pain", "rateMin": 0, "rateMax": 10, "rateStep": 2}),
    "rates": form(
        "Service",
        {
            "type": "rating",
            "name": "service",
            "rateValues": [{"value": 1, "text": "poor"}, {"value": 2, "text": "good"}],
        },
    ),
}
