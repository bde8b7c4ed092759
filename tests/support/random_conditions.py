"""Random conditions: texts in random spelling, and what each means for every combination of answers."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable

SURVEY = """
name = "conditions"
title = "Conditions"
languages = ["en"]
[[questions]]
name = "a"
label = "A?"
kind = "yes_no"
decline = true
sensitive = false
[[questions]]
name = "s"
label = "S?"
kind = "scale"
values = ["low", "middle or so", "high"]
optional = true
sensitive = false
[[questions]]
name = "c"
label = "C?"
kind = "choice"
values = ["HIV (positive)", "unknown, yet", "this and a = yes", 'it is "so"', "don't know"]
sensitive = false
[[questions]]
name = "n"
label = "N?"
kind = "number"
cuts = [400, 800]
minimum = 0
sensitive = false
[[questions]]
name = "m"
label = "M?"
kind = "multiple"
options = { x = "X", y = "Y", z = "Z" }
least = 1
most = 2
group = "g"
[groups]
g = { truth = "4/5", channel = "uniform" }
"""
FOLLOWER = """
[[questions]]
name = "f"
label = "F?"
kind = "yes_no"
sensitive = false
ask_if = {condition}
"""
VALUES = {
    "a": ("yes", "no", "prefer_not_to_say"),
    "s": ("low", "middle or so", "high", "no_answer"),
    "c": ("HIV (positive)", "unknown, yet", "this and a = yes", 'it is "so"', "don't know"),
    "n": ("<400", "400..800", ">=800"),
    "m": ("x", "y", "z", "x+y", "x+z", "y+z"),
}
ANSWERS = tuple(itertools.product(*VALUES.values()))
"""Every combination of answers."""
NUMBERS = {"<400": 399, "400..800": 400, ">=800": 1000}
"""A number in each interval."""
PLACES = {name: place for place, name in enumerate(VALUES)}
Holds = Callable[[tuple[str, ...]], bool]


def random_condition(rng: random.Random, depth: int = 3) -> tuple[str, Holds]:
    """A condition as text, and whether it holds for answers to all questions, in the order of `VALUES`."""
    kind = rng.choice(["test", "and", "or", "not"]) if depth else "test"
    if kind == "test":
        return _test(rng)
    if kind == "not":
        text, inner = random_condition(rng, depth - 1)
        bracket = rng.random() < 0.3 or " and " in text or " or " in text
        return (f"not ({text})" if bracket else f"not {text}"), lambda answers: not inner(answers)
    parts = [random_condition(rng, depth - 1) for _ in range(rng.choice([2, 2, 3]))]
    texts = [f"({text})" if rng.random() < 0.3 or " or " in text or " and " in text else text for text, _ in parts]
    meets = [holds for _, holds in parts]
    if kind == "and":
        return " and ".join(texts), lambda answers: all(holds(answers) for holds in meets)
    return " or ".join(texts), lambda answers: any(holds(answers) for holds in meets)


def _test(rng: random.Random) -> tuple[str, Holds]:
    name = rng.choice([*VALUES])
    values, at, space = VALUES[name], PLACES[name], rng.choice(["", " "])
    sign = rng.choice(
        {"s": ["=", "!=", "in", *"<>", "<=", ">="], "n": ["=", "!=", "in", "<", ">="], "m": ["=", "in", "has"]}.get(
            name, ["=", "!=", "in"]
        )
    )
    if sign == "in":
        some = rng.sample(values, rng.randint(1, len(values) - 1))
        return f"{name} in ({', '.join(_spelt(rng, each) for each in some)})", lambda answers: answers[at] in some
    if sign == "has":
        option = rng.choice("xyz")
        return f"{name} has {_spelt(rng, option)}", lambda answers: option in answers[at].split("+")
    if sign in {"=", "!="}:
        value = rng.choice(values)
        return (
            f"{name}{space}{sign}{space}{_spelt(rng, value)}",
            lambda answers: (answers[at] == value) == (sign == "="),
        )
    if name == "n":
        cut = rng.choice([400, 800])
        return f"n {sign} {cut}", lambda answers: (NUMBERS[answers[at]] >= cut) == (sign == ">=")
    order = values[:3]
    bound = rng.randrange(3)
    compare = {"<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__}[sign]
    text = f"{name} {sign}{space}{_spelt(rng, order[bound])}"
    return text, lambda answers: answers[at] in order and compare(order.index(answers[at]), bound)


def _spelt(rng: random.Random, value: str) -> str:
    """A value in double or single quotes, or without where it need not have any."""
    double, single = '"' + value.replace('"', '""') + '"', "'" + value.replace("'", "''") + "'"
    bare = [value] if value not in VALUES["c"][1:3] else []
    return rng.choice([double, single, *bare])
