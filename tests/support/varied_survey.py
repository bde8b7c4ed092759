"""A routed survey of sixteen questions of every kind: rankings, long lists, ticks, statements, days and followers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey

THINGS = (
    "Stationery and paper for the office printer", "Food from the canteen", "Cleaning supplies", "Gloves and masks",
    "Bandages and plasters", "Painkillers", "Sleeping pills", "Syringes", "Bed linen", "Towels", "Batteries",
    "Light bulbs", "Tools from the workshop", "Computer mice and keyboards", "Telephones", "Medical books",
    "Furniture that nobody used any more", "Plants", "Toys from the children\u2019s ward", "Cash",
)  # fmt: skip
HELP = {
    "pay": "Better pay",
    "time": "More time for each patient",
    "staff": "More colleagues",
    "lead": "A manager who listens",
}
AFTER = {"talk": "Somebody to talk to", "move": "Another ward", "law": "Help from a lawyer"}
WAYS = ("words", "hands", "net")
SCALE = (
    'kind = "scale"\nvalues = ["low", "some", "high"]\n'
    'words = { en = { low = "Hardly", some = "Some", high = "Very" } }'
)
CLIMATE = ("fair", "valued", "safe", "staffed")
ASKED = "bullied = yes"


def _items(texts: dict[str, str]) -> str:
    return "{ " + ", ".join(f'{name} = "{text}"' for name, text in texts.items()) + " }"


THINGS_BY_NAME = {f"t{number:02}": text for number, text in enumerate(THINGS, 1)}
QUESTIONS = (
    ("department", "Where do you work?", 'kind = "choice"\nvalues = ["icu", "surgery", "laboratory"]', ""),
    ("age", "How old are you?", 'kind = "number"\nunit = "years"\ncuts = [30, 45, 55]', ""),
    ("since", "Since when do you work here?", 'kind = "date"\ncuts = [2015-01-01, 2020-03-31]\ndecline = true', "a"),
    ("bullied", "Have you been bullied?", 'kind = "yes_no"', "b"),
    (
        "how",
        "How were you bullied?",
        (
            f'kind = "multiple"\ncoins = "own"\nask_if = "{ASKED}"\n'
            'options = { words = "By words", hands = "By hands", net = "On the net" }'
        ),
        "how",
    ),
    (
        "after",
        "What would have helped you most?",
        f'kind = "ranking"\nitems = {_items(AFTER)}\nask_if = "{ASKED}"',
        "b",
    ),
    (
        "climate",
        "How true is it?",
        (
            'kind = "grid"\nvalues = ["no", "partly", "yes"]\ncoins = "own"\n'
            'statements = { fair = "My manager is fair", valued = "I am valued",'
            ' safe = "I can speak up", staffed = "There are enough of us" }'
        ),
        "c",
    ),
    ("helps", "What would improve your work most?", f'kind = "ranking"\nitems = {_items(HELP)}', "d"),
    (
        "taken",
        "What have you ever taken home from work?",
        f'kind = "multiple"\ncoins = "own"\noptions = {_items(THINGS_BY_NAME)}',
        "e",
    ),
    (
        "last",
        "What did you take home last?",
        f'kind = "choice"\nvalues = [{", ".join(f"{chr(34)}{each}{chr(34)}" for each in THINGS)}]\ndecline = true',
        "f",
    ),
    (
        "income",
        "How much do you earn?",
        'kind = "number"\nunit = "EUR"\ncuts = [2000, 3000, 4000]\ndecline = true',
        "g",
    ),
    ("stress", "How stressed are you?", SCALE, "h"),
    (
        "drugs",
        "What do you take to get through a shift?",
        (
            'kind = "multiple"\nmost = 2\nnone = "Nothing of this"\n'
            'options = { coffee = "Much coffee", wine = "Wine", pills = "Pills",'
            ' smoke = "Cigarettes", pot = "Cannabis" }'
        ),
        "i",
    ),
    ("error", "Have you harmed a patient?", 'kind = "yes_no"\nprior = { yes = 0.1, no = 0.9 }', "j"),
    ("reported", "Did you report it?", 'kind = "yes_no"\nask_if = "error = yes"', "j"),
    ("leave", "Are you looking for another job?", 'kind = "yes_no"', "k"),
)


def varied_survey() -> Survey:
    """The survey; its target is the gate of most followers."""
    tables = (
        f'[[questions]]\nname = "{name}"\nlabel = "{label}"\n{kind}\n'
        + (f'group = "{group}"' if group else "sensitive = false")
        for name, label, kind, group in QUESTIONS
    )
    uniform = "".join(f'{name} = {{ truth = "3/4", channel = "uniform" }}\n' for name in "acdfgi")
    others = "".join(f'{name} = {{ truth = "4/5" }}\n' for name in ("b", "how", "e", "h", "j", "k"))
    head = 'name = "varied"\ntitle = "Work on the ward, and what it does to us"\nlanguages = ["en"]'
    return parse_survey("\n\n".join([head, *tables, f"[groups]\n{uniform}{others}", '[mining]\ntarget = "bullied"']))


def drawn_orders(weights: dict[str, float], count: int, rng: np.random.Generator) -> np.ndarray:
    """Orders of things, as values: each place goes to one that is left, in proportion to its weight."""
    names = np.array(list(weights))
    keys = np.log(list(weights.values())) + rng.gumbel(size=(count, len(names)))
    return np.array([">".join(names[each]) for each in np.argsort(-keys, axis=1)])


def varied_answers(count: int, rng: np.random.Generator) -> pd.DataFrame:
    """Answers of so many people."""

    def drawn(values: tuple[str, ...], *chances: float) -> np.ndarray:
        return rng.choice(np.array(values), count, p=np.array(chances) / sum(chances))

    def yes(chance: float) -> np.ndarray:
        return np.where(rng.random(count) < chance, "yes", "no")

    def among(asked: np.ndarray, answers: np.ndarray) -> np.ndarray:
        return np.where(asked, answers, "not_applicable")

    bullied, error = yes(0.25) == "yes", yes(0.1) == "yes"
    ticks = ("none", "coffee", "wine", "pills", "smoke", "pot", "coffee+pills", "coffee+smoke")
    return pd.DataFrame(
        {
            "department": drawn(("icu", "surgery", "laboratory"), 3, 4, 3),
            "age": rng.integers(18, 66, count),
            "since": drawn(("2012-05-01", "2017-05-01", "2021-05-01", "prefer_not_to_say"), 4, 3, 2, 1),
            "bullied": np.where(bullied, "yes", "no"),
            **{f"how_{way}": among(bullied, yes(0.5)) for way in WAYS},
            "after": among(bullied, drawn_orders({"talk": 3, "move": 2, "law": 1}, count, rng)),
            **{
                f"climate_{each}": np.where(
                    bullied, drawn(("no", "partly", "yes"), 6, 3, 1), drawn(("no", "partly", "yes"), 2, 4, 4)
                )
                for each in CLIMATE
            },
            "helps": drawn_orders({"pay": 3, "time": 2, "staff": 3, "lead": 1}, count, rng),
            **{f"taken_{name}": yes(0.02 + 0.004 * number) for number, name in enumerate(THINGS_BY_NAME)},
            "last": drawn((*THINGS, "prefer_not_to_say"), *range(2, 22), 10),
            "income": rng.normal(2900, 700, count).clip(500, 9000).round(),
            "stress": np.where(
                bullied, drawn(("low", "some", "high"), 1, 3, 6), drawn(("low", "some", "high"), 4, 4, 2)
            ),
            "drugs": drawn(ticks, 5, 4, 2, 2, 2, 1, 1, 1),
            "error": np.where(error, "yes", "no"),
            "reported": among(error, yes(0.5)),
            "leave": np.where(bullied, yes(0.6), yes(0.2)),
        }
    )
