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


def listed(kind: str, name: str, title: Any, choices: list[Any], **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    return {"type": kind, "name": name, "title": title, "choices": choices, "isRequired": True, **more}


def named(*names: str) -> list[dict[str, str]]:
    return [{"value": name, "text": f"In words: {name}"} for name in names]


COIN = {"truth": "2/3", "channel": "uniform"}
FORMS |= {
    "bullying": {
        "title": "Work",
        "description": "What it is for.",
        "completedHtml": "Thank you &amp; goodbye.",
        "pages": [
            {
                "name": "first",
                "title": "What happened",
                "elements": [
                    listed(
                        "radiogroup",
                        "bullied",
                        "Were you bullied?",
                        named("often", "once", "never"),
                        showRefuseItem=True,
                    ),
                    listed(
                        *("checkbox", "by", "By whom?", named("boss", "peer", "client")),
                        visibleIf="{bullied} anyof ['often', 'once']",
                        showNoneItem=True,
                        noneText="Nobody",
                        maxSelectedChoices=2,
                        rr={"group": "by", "coins": "own"},
                    ),
                ],
            },
            {
                "name": "second",
                "title": "What came of it",
                "visibleIf": "{by} contains 'boss' and {by} notcontains 'client'",
                "elements": [
                    {"type": "boolean", "name": "told", "title": "Did you tell somebody?", "isRequired": True}
                ],
            },
        ],
        "rr": {"groups": {"by": COIN}},
    },
    "grid": form(
        {"default": "Climate", "de": "Klima"},
        {
            "type": "matrix",
            "name": "work",
            "title": {"default": "Do you agree?", "de": "Stimmen Sie zu?"},
            "columns": [
                {"value": "no", "text": {"default": "No", "de": "Nein"}},
                {"value": "yes", "text": {"default": "Yes", "de": "Ja"}},
            ],
            "rows": [
                {"value": "fair", "text": {"default": "It is fair", "de": "Es ist fair"}},
                {"value": "safe", "text": {"default": "It is safe", "de": "Es ist sicher"}},
            ],
            "isRequired": True,
            "rowsOrder": "random",
            "rr": {"group": "work"},
        },
        {
            "type": "boolean",
            "name": "stay",
            "title": {"default": "Stay?", "de": "Bleiben?"},
            "isRequired": False,
            "visibleIf": "{work.fair} = 'no'",
        },
        rr={"groups": {"work": COIN}},
    ),
    "order": form(
        "What matters",
        listed("ranking", "matters", "What matters most?", named("pay", "time", "peers"), choicesOrder="random"),
        listed("radiogroup", "missing", "What is missing?", ["pay", "time", "peers"], choicesOrder="random"),
        questionsOrder="random",
    ),
    "numbers_and_days": form(
        "Age",
        *(
            {
                "type": "text",
                "name": "age",
                "title": "Age",
                "inputType": "number",
                "min": 10,
                "isRequired": True,
                "rr": {"cuts": [18, 65]},
            },
            {
                "type": "text",
                "name": "since",
                "title": "Since",
                "inputType": "date",
                "rr": {"cuts": ["2010-01-01"]},
                "visibleIf": "{age} >= 18",
            },
            {
                "type": "slider",
                "name": "pain",
                "title": "Pain",
                "max": 10,
                "visibleIf": "{since} < '2010-01-01' and {age} < 65",
            },
            {
                "type": "buttongroup",
                "name": "sex",
                "title": "Sex",
                "choices": ["f", "m", "x"],
                "visibleIf": "{pain} > 7",
            },
        ),
    ),
    "nested": {
        "title": "Nested",
        "elements": [
            {"type": "boolean", "name": "smokes", "title": "Do you smoke?", "valueTrue": "Y", "valueFalse": "N"},
            {
                "type": "panel",
                "name": "outer",
                "title": "Smoking",
                "visibleIf": "{smokes} = 'Y'",
                "elements": [
                    {
                        "type": "tagbox",
                        "name": "what",
                        "title": "What?",
                        "choices": ["pipe", "cigar", "e-cigarette"],
                        "minSelectedChoices": 1,
                    },
                    {
                        "type": "panel",
                        "name": "inner",
                        "visibleIf": "{what} contains 'e-cigarette'",
                        "elements": [
                            {
                                "type": "rating",
                                "name": "much",
                                "title": "How much?",
                                "rateMax": 3,
                                "minRateDescription": "little",
                            }
                        ],
                    },
                ],
            },
        ],
    },
}
