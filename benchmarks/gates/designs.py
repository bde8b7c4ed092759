"""Twelve survey files with answers of made-up people, on which two commits are compared."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

PEOPLE = 1_500
REGIONS, SCHOOLS = 4, 24
FOUR = ("never", "seldom", "often", "always")
CHOICE = """
[[questions]]
name = "{name}"
label = "{name}?"
kind = "choice"
values = {values}
sensitive = false
"""
PLAIN = (
    CHOICE.format(name="region", values=[f"r{each}" for each in range(REGIONS)])
    + CHOICE.format(name="school", values=[f"s{each}" for each in range(SCHOOLS)])
    + """
[[questions]]
name = "age"
label = "age?"
kind = "number"
minimum = 15
maximum = 90
cuts = [30, 50]
sensitive = false
"""
)
"""Questions that are sent as they are, of which a sampling design is made."""
SAMPLE = """strata = "region"
clusters = "school"

[weights.region]
r0 = 1.25
r1 = 2
r2 = 2
r3 = 5

[population]
r0 = 40
r1 = 60
r2 = 60
r3 = 80
"""
CLUSTERS = SAMPLE.split("[population]", maxsplit=1)[0]
RAKED = """[weights.age]
"<30" = 2
"30..50" = 1
">=50" = 1.5

[rake.region]
r0 = 400
r1 = 500
r2 = 300
r3 = 300
"""


def _question(name: str, kind: str, group: str | None, more: str = "") -> str:
    values = f"values = {list(FOUR)}\n" if kind in {"scale", "choice"} else ""
    home = f'group = "{group}"\n' if group else ""
    return f'\n[[questions]]\nname = "{name}"\nlabel = "{name}?"\nkind = "{kind}"\n{values}{home}{more}'


def _four(group: str, *kinds: str) -> str:
    """Return four questions that share a coin, the last of which is the class."""
    return "".join(_question(name, kind, group) for name, kind in zip("abcd", kinds, strict=True))


def _groups(**tables: str) -> str:
    return "[groups]\n" + "".join(f"{name} = {{ {table} }}\n" for name, table in tables.items())


def designs() -> dict[str, str]:
    """Return the text of each survey file of one version, by the name of its survey."""
    mixed = ("yes_no", "scale", "choice", "yes_no")
    own = "".join(_question(name, kind, name) for name, kind in zip("abcd", mixed, strict=True))
    routed = (
        _question("a", "yes_no", "g")
        + _question("b", "scale", "h", 'ask_if = "a = yes"\n')
        + _question("c", "scale", "i")
        + _question("d", "yes_no", "j")
    )
    four = dict.fromkeys("abcd", 'truth = "3/4", channel = "uniform"')
    texts = {
        "one_coin": _four("g", *mixed) + _groups(g='truth = "4/5", channel = "complement"'),
        "one_uniform": _four("g", *mixed) + _groups(g='truth = "4/5", channel = "uniform"'),
        "own_coins": own + _groups(**four),
        "szucs": _four("g", *mixed).replace('group = "g"', 'group = "g"\ncoding = "szucs"')
        + _groups(g='truth = "4/5", channel = "complement"'),
        "trend": own.replace('group = "b"', 'group = "b"\ncoding = "trend"')
        + _groups(**(four | {"b": 'epsilon = 2, channel = "uniform"'})),
        "routed": routed + _groups(**dict.fromkeys("ghij", 'truth = "4/5", channel = "uniform"')),
        "open": own + _groups(**(four | {"a": 'truth = "1"'})),
        "planned": own.replace("group", "# group") + "[privacy]\nepsilon = 6\n",
        "split": own.replace("group", "# group")
        + '[privacy]\nepsilon = 6\n[sampling]\nask = 5\nalways = ["region", "school", "age"]\n',
        "numbers": _question("a", "number", "a", "minimum = 0\nmaximum = 40\ncuts = [10, 20]\n")
        + "".join(_question(name, "yes_no", name) for name in "bcd")
        + _groups(**four),
        "declined": _question("a", "yes_no", "a", "decline = true\n")
        + _question("b", "scale", "b", "optional = true\n")
        + "".join(_question(name, "yes_no", name) for name in "cd")
        + _groups(**four),
        "plain": own.replace("group", "sensitive = false\n# group"),
    }
    return {
        name: f'name = "{name}"\ntitle = "{name}"\nlanguages = ["en"]\n{PLAIN}{text}[mining]\ntarget = "d"\n'
        for name, text in texts.items()
    }


def versions() -> list[tuple[str, bool]]:
    """Return the text of each version of a survey with name `waves`, and whether it has responses.

    The first and the last version agree in all questions of the last, in another order. The second disguises b
    otherwise, and the third has no response. Only the first two ask c.
    """
    kinds = dict(zip("abcd", ("yes_no", "scale", "choice", "yes_no"), strict=True))

    def version(names: str, truth: str = "3/4") -> str:
        coins = {name: f'truth = "{truth if name == "b" else "3/4"}", channel = "uniform"' for name in names}
        asked = "".join(_question(name, kinds[name], name) for name in names)
        head = 'name = "waves"\ntitle = "waves"\nlanguages = ["en"]\n'
        return f'{head}{PLAIN}{asked}{_groups(**coins)}[mining]\ntarget = "d"\n'

    return [(version("abcd"), True), (version("abcd", "2/3"), True), (version("adb"), False), (version("dab"), True)]


def write_answers(name: str, text: str, path: Path, people: int = PEOPLE) -> None:
    """Write answers of people that follow one trait, as a table in words."""
    rng = np.random.default_rng([ord(each) for each in name])
    trait = rng.normal(size=people)

    def dealt(values: list[str], follows: float) -> list[str]:
        ranks = np.argsort(np.argsort(follows * trait + rng.normal(size=people)))
        return [values[rank * len(values) // people] for rank in ranks]

    table: dict[str, list[Any]] = {"region": dealt([f"r{each}" for each in range(REGIONS)], 0.3)}
    schools = rng.integers(SCHOOLS // REGIONS, size=people)
    table["school"] = [
        f"s{int(region[1:]) * (SCHOOLS // REGIONS) + school}"
        for region, school in zip(table["region"], schools, strict=True)
    ]
    table["age"] = rng.integers(15, 90, size=people).tolist()
    for each in "abcd":
        block = text.split(f'name = "{each}"')[1].split("[[", maxsplit=1)[0]
        kind = block.split('kind = "')[1].split('"')[0]
        if kind == "number":
            table[each] = [
                float(number) for number in np.round(np.clip(12 + 6 * trait + rng.normal(size=people), 0, 40), 1)
            ]
        else:
            table[each] = dealt(["no", "yes"] if kind == "yes_no" else list(FOUR), 1.0)
        if "ask_if" in block:
            table[each] = [
                value if asked == "yes" else "" for value, asked in zip(table[each], table["a"], strict=True)
            ]
        for key in ("decline", "optional"):
            if key in block:
                word = "prefer_not_to_say" if key == "decline" else ""
                table[each] = [
                    word if lost < 0.05 else value for value, lost in zip(table[each], rng.random(people), strict=True)
                ]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
