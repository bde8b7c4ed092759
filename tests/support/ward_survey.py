"""A survey of 31 questions with ten coins and more: gates with followers, options, statements, scales and numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey

SCALE = (
    'kind = "scale"\nvalues = ["low", "some", "high"]\n'
    'words = { en = { low = "Hardly", some = "Somewhat", high = "Very" } }'
)
YES_NO = 'kind = "yes_no"'
OPEN = "sensitive = false"
QUESTIONS = (
    ("department", "Where do you work?", 'kind = "choice"\nvalues = ["icu", "surgery", "laboratory"]', OPEN),
    ("age", "How old are you?", 'kind = "number"\nunit = "years"\ncuts = [30, 45, 55]', OPEN),
    ("nights", "How often do you work at night?", SCALE, OPEN),
    ("bullied", "Have you been bullied?", YES_NO, 'group = "bullying"'),
    ("often", "How often were you bullied?", f'{SCALE}\nask_if = "bullied = yes"', 'group = "bullying"'),
    ("told", "Did you tell anybody?", f'{YES_NO}\nask_if = "bullied = yes"', 'group = "bullying"'),
    ("helped", "Did it help?", f'{YES_NO}\nask_if = "told = yes"', 'group = "bullying"'),
    (
        "by",
        "Who bullied you?",
        (
            'kind = "multiple"\ncoins = "own"\nask_if = "bullied = yes"\n'
            'options = { boss = "A manager", peer = "A colleague", patient = "A patient" }'
        ),
        'group = "by"',
    ),
    ("stress", "How stressed are you?", SCALE, 'group = "stress"'),
    ("sleep", "How many hours do you sleep?", 'kind = "number"\nunit = "hours"\ncuts = [5, 6, 7]', 'group = "sleep"'),
    ("alcohol", "How often do you drink?", SCALE, 'group = "substances"'),
    ("pills", "Do you take pills?", f"{YES_NO}\nprior = {{ yes = 0.15, no = 0.85 }}", 'group = "substances"'),
    ("pills_often", "How often do you take them?", f'{SCALE}\nask_if = "pills = yes"', 'group = "substances"'),
    ("error", "Have you harmed a patient?", f"{YES_NO}\nprior = {{ yes = 0.1, no = 0.9 }}", 'group = "errors"'),
    ("reported", "Did you report it?", f'{YES_NO}\nask_if = "error = yes"', 'group = "errors"'),
    (
        "climate",
        "How true is it?",
        (
            'kind = "grid"\nvalues = ["no", "partly", "yes"]\nstatements = { fair = "My manager is fair",'
            ' valued = "I am valued", safe = "I can speak up", staffed = "There are enough of us" }'
        ),
        'group = "climate"',
    ),
    ("debt", "Do you owe money?", YES_NO, 'group = "money"'),
    ("income", "How much do you earn?", 'kind = "number"\nunit = "EUR"\ncuts = [2000, 3000, 4000]', 'group = "money"'),
    ("ill", "On how many days were you ill?", 'kind = "number"\nunit = "days"\ncuts = [1, 6, 16]', 'group = "health"'),
    ("depressed", "Have you felt depressed?", YES_NO, 'group = "health"'),
    ("union", "Are you in a union?", YES_NO, 'group = "union"'),
    ("second", "Do you have a second job?", YES_NO, 'group = "second"'),
    ("contract", "What contract do you have?", 'kind = "choice"\nvalues = ["open", "fixed", "agency"]', OPEN),
    ("children", "Do children live with you?", YES_NO, OPEN),
    ("leave", "Are you looking for another job?", YES_NO, 'group = "leave"'),
    (
        "leave_why",
        "What is the main reason?",
        'kind = "choice"\nvalues = ["pay", "people", "load"]\nask_if = "leave = yes"',
        'group = "leave"',
    ),
)
GROUPS = ("bullying", "by", "stress", "sleep", "substances", "errors", "climate", "money", "health", "union", "second")


def ward_survey() -> Survey:
    """The survey; its target is the gate that most followers depend on."""
    tables = (
        f'[[questions]]\nname = "{name}"\nlabel = "{label}"\n{kind}\n{rest}' for name, label, kind, rest in QUESTIONS
    )
    groups = "\n".join(f'{name} = {{ truth = "3/4" }}' for name in (*GROUPS, "leave"))
    head = 'name = "ward"\ntitle = "Working in the hospital"\nlanguages = ["en"]'
    return parse_survey("\n\n".join([head, *tables, f"[groups]\n{groups}", '[mining]\ntarget = "bullied"']))


def ward_answers(count: int, rng: np.random.Generator) -> pd.DataFrame:
    """Answers of so many people: stress, depression and a poor climate come with being bullied, other things do not."""

    def happens(chance: np.ndarray | float) -> np.ndarray:
        return rng.random(count) < chance

    def yes_no(happened: np.ndarray) -> np.ndarray:
        return np.where(happened, "yes", "no")

    def among(asked: np.ndarray, answers: np.ndarray) -> np.ndarray:
        return np.where(asked, answers, "not_applicable")

    def drawn(values: str, *chances: float) -> np.ndarray:
        return rng.choice(values.split(), count, p=chances)

    department = drawn("icu surgery laboratory", 0.3, 0.4, 0.3)
    bullied = happens(np.where(department == "icu", 0.4, 0.18))
    told, pills, error, leave = happens(0.5), happens(0.12), happens(0.08), happens(np.where(bullied, 0.55, 0.15))
    stress = np.where(bullied, drawn("low some high", 0.1, 0.3, 0.6), drawn("low some high", 0.4, 0.4, 0.2))
    answers = {
        "department": department,
        "age": rng.integers(18, 66, count),
        "nights": drawn("low some high", 0.4, 0.3, 0.3),
        "bullied": yes_no(bullied),
        "often": among(bullied, drawn("low some high", 0.5, 0.3, 0.2)),
        "told": among(bullied, yes_no(told)),
        "helped": among(bullied & told, yes_no(happens(0.4))),
        **{f"by_{each}": among(bullied, yes_no(happens(0.5))) for each in ("boss", "peer", "patient")},
        "stress": stress,
        "sleep": np.clip(rng.normal(np.where(stress == "high", 6, 7), 1), 2, 11).round(1),
        "alcohol": drawn("low some high", 0.4, 0.4, 0.2),
        "pills": yes_no(pills),
        "pills_often": among(pills, drawn("low some high", 0.4, 0.3, 0.3)),
        "error": yes_no(error),
        "reported": among(error, yes_no(happens(0.5))),
        "debt": yes_no(happens(0.2)),
        "income": rng.normal(2900, 700, count).clip(500, 9000).round(),
        "ill": rng.poisson(np.where(bullied, 9, 4)),
        "depressed": yes_no(happens(np.where(bullied, 0.4, 0.15))),
        "union": yes_no(happens(0.3)),
        "second": yes_no(happens(0.2)),
        "contract": drawn("open fixed agency", 0.6, 0.3, 0.1),
        "children": yes_no(happens(0.4)),
        "leave": yes_no(leave),
        "leave_why": among(leave, drawn("pay people load", 0.4, 0.3, 0.3)),
    }
    for each in ("fair", "valued", "safe", "staffed"):
        rarely, often = drawn("no partly yes", 0.6, 0.3, 0.1), drawn("no partly yes", 0.2, 0.4, 0.4)
        answers[f"climate_{each}"] = np.where(bullied, rarely, often)
    return pd.DataFrame(answers)
