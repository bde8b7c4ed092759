"""Disclosure by every response of a published design, by enumeration of its canonical JSON alone.

Nothing here asks `collector.disclosure` or `collector.survey`: it is what an auditor would write who has the design and
knows what its keys mean.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Design = dict[str, Any]
Floats = NDArray[np.float64]
MOST = 4_000_000  # pairs of a set of answers and a response
SOMETHING_ELSE = ("prefer_not_to_say", "no_answer", "not_applicable")


def answers(design: Design) -> tuple[NDArray[np.int64], Floats]:
    """Every set of answers that the screens allow, shape (sets, questions), with its chance under the priors."""
    questions, names = design["questions"], [each["name"] for each in design["questions"]]
    screens = list(design.get("screens", []))
    shown = {name for screen in screens for name in screen["questions"]}
    screens += [{"kind": "plain", "questions": [name]} for name in names if name not in shown]
    screens.sort(key=lambda screen: names.index(screen["questions"][0]))
    people: dict[tuple[int, ...], float] = {(): 1.0}
    for screen in screens:
        members = [questions[names.index(name)] for name in screen["questions"]]
        ways = dict(_ways(screen, members))
        nothing = tuple(each["values"].index("not_applicable") for each in members) if screen.get("ask_if") else ()
        after: dict[tuple[int, ...], float] = {}
        for person, chance in people.items():
            conditions = [(names.index(name), values) for name, values in screen.get("ask_if", [])]
            if all(questions[at]["values"][person[at]] in values for at, values in conditions):
                after |= {(*person, *way): chance * share for way, share in ways.items()}
            else:
                after[*person, *nothing] = chance
        people = after
    return np.array(list(people)), np.array(list(people.values()))


def _ways(screen: Design, members: list[Design]) -> Iterator[tuple[tuple[int, ...], float]]:
    """The answers to a screen that is asked, each with its chance."""
    asked = [np.array([value != "not_applicable" for value in each["values"]]) for each in members]
    priors = [np.array([part / whole for part, whole in each["prior"]]) for each in members]
    priors = [prior * is_asked / prior[is_asked].sum() for prior, is_asked in zip(priors, asked, strict=True)]
    values = members[0]["values"]
    if screen["kind"] != "multiple" or len(members) == 1:
        for way in itertools.product(*(np.flatnonzero(prior).tolist() for prior in priors)):
            yield way, float(np.prod([prior[value] for prior, value in zip(priors, way, strict=True)]))
        return
    outs = [values.index(each) for each in SOMETHING_ELSE[:2] if each in values]
    yield from (((out,) * len(members), float(priors[0][out])) for out in outs)
    ticked = {}
    for way in itertools.product((0, 1), repeat=len(members)):
        count = way.count(0)
        none = count == 0 and "none" in screen
        few = count < max(screen.get("least", 0), "none" in screen or "no_answer" in values)
        if none or not (few or count > screen.get("most", len(members))):
            ticked[way] = float(np.prod([prior[value] for prior, value in zip(priors, way, strict=True)]))
    left = (1 - sum(priors[0][out] for out in outs)) / sum(ticked.values())
    yield from ((way, share * left) for way, share in ticked.items())


def draws(design: Design) -> Iterator[list[str]]:
    """The names of the questions that one respondent may be asked, for each draw of a split questionnaire."""
    names, sampling = [each["name"] for each in design["questions"]], design.get("sampling")
    if sampling is None:
        yield names
        return
    pool = [name for name in names if name not in sampling["always"]]
    for drawn in itertools.combinations(pool, sampling["ask"] - len(sampling["always"])):
        yield [name for name in names if name in drawn or name in sampling["always"]]


def sent(design: Design, people: NDArray[np.int64], asked: list[str] | None = None) -> Floats:
    """P(response | answers) if these are asked, or all: shape (sets of answers, responses), all that there may be."""
    found = np.ones((len(people), 1))
    homes = {name: group for group in design["groups"] for name in group["questions"]}
    names = [each["name"] for each in design["questions"]]
    asked = names if asked is None else asked
    parts = [[name] for name in asked if name not in homes]
    parts += [[name for name in group["questions"] if name in asked] for group in design["groups"]]
    for part in filter(None, parts):
        columns = [names.index(name) for name in part]
        members = [design["questions"][column]["coding"] for column in columns]
        own = [_own(coding)[people[:, column]] for coding, column in zip(members, columns, strict=True)]
        rows = _joint(own)
        group = homes.get(part[0])
        if group is not None:
            truth = _truth(group, members)
            swapped = [
                table[:, [coding["codes"].index(each) for each in coding["complements"]]]
                if group["channel"] == "complement"
                else np.tile(_drawn(coding), (len(people), 1))
                for coding, table in zip(members, own, strict=True)
            ]
            rows = truth * rows + (1 - truth) * _joint(swapped)
        if found.size * rows.shape[1] > MOST:
            raise OverflowError
        found = (found[:, :, None] * rows[:, None, :]).reshape(len(people), -1)
    return found


def _truth(group: Design, members: list[Design]) -> float:
    """Chance that a group is sent as it is: as published, or so that no ratio exceeds 1 and the odds that are."""
    if "truth" in group:
        return float(group["truth"][0] / group["truth"][1])
    odds, largest = group["odds"][0] / group["odds"][1], 1.0
    for coding in members:
        largest *= _own(coding).max() * len(coding["codes"])
    return float(odds / (odds + largest))


def _own(coding: Design) -> Floats:
    table = np.zeros((len(coding["draws"]), len(coding["codes"])))
    for value, draws in enumerate(coding["draws"]):
        for code, weight in draws:
            table[value, coding["codes"].index(code)] = weight / sum(each for _, each in draws)
    return table


def _drawn(coding: Design) -> Floats:
    weights = np.array(coding.get("replacement") or [1] * len(coding["codes"]), np.float64)
    return np.asarray(weights / weights.sum())


def _joint(tables: list[Floats]) -> Floats:
    found = np.ones((len(tables[0]), 1))
    for table in tables:
        if found.size * table.shape[1] > MOST:
            raise OverflowError
        found = (found[:, :, None] * table[:, None, :]).reshape(len(found), -1)
    return found


def joints(design: Design) -> Iterator[tuple[NDArray[np.int64], Floats, Floats]]:
    """Sets of answers, their chances, and those of each set together with each response, for each draw.

    Raises:
        OverflowError: If the design is too large to be enumerated.
    """
    people, chances = answers(design)
    every, size = list(draws(design)), 0
    for asked in every:
        joint = sent(design, people, asked) * chances[:, None]
        size += joint.size
        if size > MOST:
            raise OverflowError
        yield people, chances, joint[:, joint.sum(axis=0) > 0]


def posteriors(canonical: str) -> dict[str, list[tuple[float, float]]]:
    """Probability of each question's values before a response, and the largest after any response in any draw.

    Raises:
        OverflowError: If the design is too large to be enumerated.
    """
    design = json.loads(canonical)
    found = {each["name"]: [(0.0, 0.0)] * len(each["values"]) for each in design["questions"]}
    for people, chances, joint in joints(design):
        totals = joint.sum(axis=0)
        for column, name in enumerate(found):
            for value, (_, largest) in enumerate(found[name]):
                having = people[:, column] == value
                after = float((joint[having].sum(axis=0) / totals).max())
                found[name][value] = float(chances[having].sum()), max(after, largest)
    return found


def bits(canonical: str) -> dict[str, float]:
    """H(value | response) of each question, in bits, in the draw in which it is smallest."""
    design = json.loads(canonical)
    found = {each["name"]: np.inf for each in design["questions"]}
    for people, _, joint in joints(design):
        for column, question in enumerate(design["questions"]):
            values = [joint[people[:, column] == value].sum(axis=0) for value in range(len(question["values"]))]
            parts = np.array(values) / joint.sum(axis=0)
            entropies = -(parts * np.log2(np.where(parts > 0, parts, 1))).sum(axis=0)
            found[question["name"]] = min(found[question["name"]], float(entropies @ joint.sum(axis=0)))
    return found


def is_forced(canonical: str) -> bool:
    """Whether a response makes a disguised answer certain, or that an option was not ticked.

    Not that a question was not asked, where open gates say so alone.
    """
    design = json.loads(canonical)
    for people, chances, joint in joints(design):
        for column, question in enumerate(design["questions"]):
            gates = open_gates(design, question["name"])
            for values in _secrets(design, question) if question["sensitive"] else ():
                having = np.isin(people[:, column], values)
                if not chances[~having].any():
                    continue
                certain = ~joint[~having].any(axis=0)
                for response in joint[:, certain].T:
                    alike = (people[:, gates] == people[response.argmax(), gates]).all(axis=1)
                    if not gates or not having[alike].all():
                        return True
    return False


def _secrets(design: Design, question: Design) -> Iterator[list[int]]:
    """Sets of values of a question that are not to become certain: each, and those with an option or without it."""
    every = range(len(question["values"]))
    yield from ([value] for value in every)
    (screen,) = [each for each in design.get("screens", []) if question["name"] in each["questions"]] or [{}]
    if screen.get("kind") == "multiple" and "items" in screen:
        for option, _ in screen["items"]:
            ticked = [at for at in every if option in question["values"][at].split("+")]
            yield ticked
            yield [at for at in every if at not in ticked]
    elif screen.get("kind") == "multiple":
        yield [at for at in every if question["values"][at] != "yes"]


def open_gates(design: Design, name: str) -> list[int]:
    """The columns of questions sent as they are on whose answers it depends whether one is asked."""
    names, found, waiting = [each["name"] for each in design["questions"]], set[str](), [name]
    while waiting:
        one = waiting.pop()
        screens = [each for each in design.get("screens", []) if one in each["questions"]]
        new = {parent for screen in screens for parent, _ in screen.get("ask_if", [])} - found
        found, waiting = found | new, [*waiting, *new]
    return [names.index(each) for each in found if not design["questions"][names.index(each)]["sensitive"]]


def some_design(number: int) -> str:
    """A survey file of a few questions of all kinds, with screens and coins as they come."""
    chance = random.Random(number)  # noqa: S311 - a test that repeats
    groups: dict[str, str] = {}
    gates: list[tuple[str, str]] = []
    tables = [_table(chance, f"q{at}", gates, groups) for at in range(chance.randint(1, 4))]
    rows = "\n".join(f"{name} = {how}" for name, how in groups.items())
    return f'name = "s{number}"\ntitle = "S"\nlanguages = ["en"]\n' + "\n".join(tables) + f"\n[groups]\n{rows}\n"


def _table(chance: random.Random, name: str, gates: list[tuple[str, str]], groups: dict[str, str]) -> str:
    kind = chance.choice(["yes_no", "yes_no", "choice", "multiple", "multiple", "grid", "ranking", "date"])
    lines = ["[[questions]]", f'name = "{name}"', 'label = "Q?"', f'kind = "{kind}"', *_keys(chance, kind)]
    lines += [f"{key} = true" for key in ("decline", "optional") if chance.random() < 0.2]
    if gates and chance.random() < 0.5:
        lines.append('ask_if = "{} = {}"'.format(*chance.choice(gates)))
    if kind in {"yes_no", "choice"}:
        gates += [(name, value) for value in (["yes", "no"] if kind == "yes_no" else ["a", "b"])]
    if chance.random() < 0.1:
        return "\n".join([*lines, "sensitive = false"])
    channel, truth = chance.choice([("complement", "4/5"), ("complement", "51/100"), ("uniform", "1/2")])
    alike = [each for each, how in groups.items() if channel in how]
    home = chance.choice(alike) if alike and chance.random() < 0.4 else f"g{len(groups)}"
    groups.setdefault(home, f'{{ truth = "{truth}", channel = "{channel}" }}')
    lines.append(f'group = "{home}"')
    if kind in {"multiple", "grid"} and chance.random() < 0.4:
        lines.append('coins = "own"')
    return "\n".join(lines)


def _keys(chance: random.Random, kind: str) -> list[str]:
    """The keys that a kind of question has of its own."""
    if kind == "yes_no":
        return [f"prior = {{ yes = {share}, no = {1 - share:.1f} }}" for share in [chance.choice([0.1, 0.3, 0.5])]]
    if kind == "multiple":
        parts = [f"p{each}" for each in range(chance.randint(2, 4))]
        least, most = sorted(chance.choices(range(len(parts) + 1), k=2))
        bounds = [f"least = {least}", f"most = {max(most, 1)}", 'none = "None of these"']
        prior = ["prior = { " + ", ".join(f"{part} = 0.3" for part in parts) + " }"] * chance.randint(0, 1)
        options = ", ".join(f'{part} = "Option {part}"' for part in parts)
        return [f"options = {{ {options} }}", *prior, *chance.sample(bounds, chance.randint(0, 2))]
    return {
        "choice": ['values = ["a", "b", "c"]\nprior = { a = 0.5, b = 0.3, c = 0.2 }'],
        "grid": ['statements = { fair = "Fair", voice = "Voice" }\nvalues = ["no", "partly", "full"]'],
        "ranking": ['items = { x = "X", y = "Y", z = "Z" }'],
        "date": ["cuts = [2010-01-01, 2020-01-01]"],
    }[kind]
