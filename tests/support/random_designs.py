"""Random survey files of every kind of question, screen, channel and sampling, as they come; not all are accepted."""

from __future__ import annotations

import random

SHARES = (0.02, 0.1, 0.3, 0.5)
TRUTHS = {"complement": ("4/5", "51/100", "1/4", "9/10"), "uniform": ("1/2", "1/5", "2/3", "9/10")}
KINDS = ("yes_no", "yes_no", "yes_no", "choice", "scale", "number", "date", "multiple", "multiple", "grid", "ranking")
Gates = list[tuple[str, tuple[str, ...]]]


class _Drawn:
    """A survey file in the making."""

    def __init__(self, number: int) -> None:
        self.chance = random.Random(number)  # noqa: S311 - a test that repeats
        self.split = self.chance.random() < 0.4
        self.groups: dict[str, str] = {}
        self.gates: Gates = []
        self.names: list[str] = []  # of questions of the design
        self.named: set[str] = set()  # in conditions
        self.sizes: dict[str, int] = {}

    def maybe(self, share: float) -> bool:
        return self.chance.random() < share

    def table(self, name: str) -> str:
        """One question of the file."""
        kind = self.chance.choice(KINDS)
        lines = ["[[questions]]", f'name = "{name}"', 'label = "Q?"', f'kind = "{kind}"']
        keys, members, values = self.keys(kind, name)
        lines += keys
        extras = [
            value
            for key, value in (("decline", "prefer_not_to_say"), ("optional", "no_answer"))
            if self.maybe(0.2) and not lines.append(f"{key} = true")
        ]
        asked_if = self.condition() if self.gates and self.maybe(0.5) else None
        if asked_if:
            lines += [f'ask_if = "{asked_if}"', *['unasked = "sent"'] * self.maybe(0.5)]
            extras.append("not_applicable")
        if kind in {"yes_no", "choice", "grid"} or (kind == "multiple" and "own" in str(keys)):
            self.gates += [(member, (*values, *extras)) for member in members]
        if kind == "multiple" and "own" not in str(keys):
            self.gates.append((name, ("has",)))
        self.names += members
        if self.maybe(0.1):
            return "\n".join([*lines, "sensitive = false"])
        return "\n".join([*lines, f'group = "{self.home(len(members))}"'])

    def keys(self, kind: str, name: str) -> tuple[list[str], list[str], tuple[str, ...]]:
        """The keys of a kind, the questions that it makes, and their values."""
        share = self.chance.choice(SHARES)
        if kind == "yes_no":
            return [f"prior = {{ yes = {share}, no = {1 - share:.2f} }}"] * self.maybe(0.7), [name], ("yes", "no")
        if kind == "multiple":
            parts = "abcd"[: self.chance.randint(2, 4)]
            least, most = sorted(self.chance.choices(range(len(parts) + 1), k=2))
            bounds = [f"least = {least}", f"most = {max(most, 1)}", 'none = "None of these"']
            prior = ["prior = { " + ", ".join(f"{part} = {share}" for part in parts) + " }"] * self.maybe(0.5)
            options = ", ".join(f'{part} = "Option {part}"' for part in parts)
            coins = [f'coins = "{self.chance.choice(["one", "own"])}"'] * self.maybe(0.5)
            limits = self.chance.sample(bounds, self.chance.randint(0, 2))
            if self.split and coins:  # limits of ticks are refused where some options are asked only
                limits = [each for each in limits if each.startswith("none")]
            keys = [f"options = {{ {options} }}", *prior, *limits, *coins]
            return keys, [f"{name}_{part}" for part in parts] if coins else [name], ("yes", "no")
        if kind == "grid":
            coins = [f'coins = "{self.chance.choice(["one", "own"])}"'] * self.maybe(0.5)
            keys = ['statements = { a = "A", b = "B" }\nvalues = ["lo", "mid", "hi"]', *coins]
            return keys, [f"{name}_a", f"{name}_b"], ("lo", "mid", "hi")
        plain = {
            "choice": f'values = ["a", "b", "c"]\nprior = {{ a = 0.4, b = {0.6 - share:.2f}, c = {share} }}',
            "scale": 'values = ["low", "mid", "high"]',
            "number": "cuts = [25, 39]",
            "date": "cuts = [2010-01-01, 2020-01-01]",
            "ranking": 'items = { x = "X", y = "Y", z = "Z" }',
        }
        return [plain[kind]], [name], ("a", "b", "c")

    def condition(self) -> str:
        """A condition on one or two questions above."""
        return " and ".join(
            self.term(gate)
            for gate in self.chance.sample(self.gates, min(len(self.gates), self.chance.choice([1, 1, 2])))
        )

    def term(self, gate: tuple[str, tuple[str, ...]]) -> str:
        name, values = gate
        self.named.add(name)
        if values == ("has",):
            term = f"{name} has {self.chance.choice('ab')}"
        else:
            some = self.chance.sample(values, self.chance.choice([1, 1, 2]))
            term = f"{name} = {some[0]}" if len(some) == 1 else f"{name} in ({', '.join(some)})"
        return f"not {term}" if self.maybe(0.3) else term

    def home(self, members: int) -> str:
        """A group, new or one with others."""
        if self.groups and self.maybe(0.45):
            home = self.chance.choice(list(self.groups))
        else:
            home = f"g{len(self.groups)}"
            channel = self.chance.choice(list(TRUTHS))
            self.groups[home] = f'truth = "{self.chance.choice(TRUTHS[channel])}", channel = "{channel}"'
        self.sizes[home] = self.sizes.get(home, 0) + members
        return home


def any_design(number: int) -> str:
    """A survey file of a few questions, with screens, coins and draws as they come.

    Args:
        number: Another number makes another file.
    """
    file = _Drawn(number)
    tables = [file.table(f"q{at}") for at in range(file.chance.randint(1, 4))]
    sampling = ""
    if file.split and len(file.names) > 1:
        always = [name for name in file.names if name in file.named or file.maybe(0.2)][: len(file.names) - 1]
        ask = file.chance.randint(len(always) + 1, len(file.names))
        sampling = f"[sampling]\nask = {ask}\nalways = {always}\n".replace("'", '"')
        for name, how in file.groups.items():
            if "uniform" in how and file.sizes[name] > 1:
                file.groups[name] = f"epsilon = {file.chance.choice([1, 2, 4])}"
    groups = "".join(f"{name} = {{ {how} }}\n" for name, how in file.groups.items())
    return (
        f'name = "s{number}"\ntitle = "S"\nlanguages = ["en"]\n' + "\n".join(tables) + f"\n{sampling}[groups]\n{groups}"
    )
