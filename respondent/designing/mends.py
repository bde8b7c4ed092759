"""Fixes of lints (remarks on a design): edits of the survey file that follow the remedy of a lint."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from difflib import unified_diff
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from collector.disclosure.lint import LOWER, Lint
from collector.disclosure.precision import other_truths
from collector.errors import SurveyError
from collector.exchange.checked import checked
from collector.survey_file.survey_file import compiled, compiled_values
from respondent.designing.edits import values_of
from respondent.designing.inside import put_value, unshared
from respondent.designing.meaning.fewer import MANY, asking, filters
from respondent.designing.meaning.presets import end_of
from respondent.designing.places import Places
from respondent.designing.values import EditError

Edit = dict[str, Any]
Way = tuple[str, Callable[[], list[Edit]]]
"""Label of a fix, and a function that returns its edits."""
APART = "give each question its own group"
OWN = ("give that question its own group", "give it a group of its own", "give it its own group")
QUOTED = re.compile(r'"([^"]+)"')
MOVE = re.compile(r'move the truth of group "([^"]+)" towards')
GIVEN = re.compile(r"or give its group the truth (\S+)$")
MORE = re.compile(r"ask (\d+) or more")
TWENTIETH = Fraction(1, 20)
TENTHS = range(9, 0, -1)


@dataclass(frozen=True)
class FoundLint:
    """A lint, with the survey file in which it was found.

    Attributes:
        lint: The lint.
        text: Text of the survey file.
        values: Values of the survey file.
        places: Lookup of paths in the survey file.
        folder: Folder of the survey's pictures.
        respondents: Assumed number of respondents.
    """

    lint: Lint
    text: str
    values: dict[str, Any]
    places: Places
    folder: Path
    respondents: int

    def question(self) -> int | None:
        """Return the position, in the survey file, of the question that the lint is about, or None."""
        path = self.places.path_of(self.lint.place)
        named = QUOTED.search(self.lint.problem if self.lint.place.startswith("group") else self.lint.place)
        if self.lint.place.startswith("group") and named:
            path = self.places.path_of(f'question "{named[1]}"')
        is_question = len(path) > 1 and path[0] == "questions" and isinstance(path[1], int)
        if not is_question or named is None or self.values["questions"][path[1]].get("name") != named[1]:
            return None
        return int(path[1])

    def group(self) -> str | None:
        """Return the name of the group that the lint is about, or None if the survey file has no such group."""
        path = self.places.path_of(self.lint.place)
        if path[:1] == ("groups",) and len(path) > 1:
            return str(path[1])
        at = self.question()
        name = None if at is None else self.values["questions"][at].get("group")
        return name if isinstance(name, str) and name in self.values.get("groups", {}) else None


@dataclass(frozen=True)
class Mend:
    """A change of the survey file that fixes a lint.

    Attributes:
        id: Id of the fix, which does not change while the lint exists.
        label: Description of the fix.
        make: Function that returns the edits of the survey file.
    """

    id: str
    label: str
    make: Callable[[], list[Edit]]


def mend_of(found: FoundLint) -> Mend | None:
    """Return the fix of a lint, or None if the remedy does not determine what to change."""
    for label, make in _ways(found):
        return Mend(sha256(str(found.lint).encode()).hexdigest()[:12], label, make)
    return None


def difference(before: str, after: str, name: str) -> str:
    """Return the unified diff between two texts of a survey file."""
    lines = before.splitlines(keepends=True), after.splitlines(keepends=True)
    return "".join(unified_diff(*lines, name, name))


def _ways(found: FoundLint) -> Iterator[Way]:
    """Yield the ways to fix a lint, in the order in which the remedy names the ways."""
    group, at = found.group(), found.question()
    if group is not None:
        yield from _ways_of_group(found, group, at)
    yield from _ways_of_strength(found)
    yield from _ways_of_sampling(found)
    if found.lint.remedy == "write a later day, or none":
        yield "Have no last day", lambda: [_delete(["study", "until"])]
    if at is not None and found.lint.remedy.startswith("drop its coding") and "coding" in found.values["questions"][at]:
        yield "Drop its coding", lambda: [_delete(["questions", at, "coding"])]


def _ways_of_group(found: FoundLint, group: str, at: int | None) -> Iterator[Way]:
    remedy, table = found.lint.remedy, found.values["groups"][group]
    if remedy.startswith(APART):
        yield f'Give each question of "{group}" its own group', lambda: _apart(found.values, group)
    if remedy.startswith(OWN) and at is not None:
        yield "Give the question its own group", lambda: _own(found.values, group, [at])
    if remedy.startswith('say channel = "uniform"'):
        yield "Choose the uniform channel", lambda: [_set(["groups", group, "channel"], "uniform")]
    if remedy.startswith("move it away from there, such as 3/4"):
        yield "Set the truth probability to 3/4", lambda: [_set(["groups", group, "truth"], "3/4")]
    if (given := GIVEN.search(remedy)) and "truth" in table:
        truth = given[1]
        yield f"Set the truth probability to {truth}", lambda: [_set(["groups", group, "truth"], truth)]


def _ways_of_strength(found: FoundLint) -> Iterator[Way]:
    moved = MOVE.search(found.lint.remedy)
    if moved and "truth" in found.values.get("groups", {}).get(moved[1], {}):
        name = moved[1]
        yield f'Disguise group "{name}" more, until this remark goes', lambda: _milder(found, name)
    if found.lint.place == "whole response" and found.lint.remedy.endswith("lower the truth of its groups"):
        yield "Ask less of each person, or disguise more, until this remark goes", lambda: _tell_less(found)
    if found.lint.remedy == LOWER:
        yield "Lower the epsilon, until this remark goes", lambda: _lower(found)


def _ways_of_sampling(found: FoundLint) -> Iterator[Way]:
    target, more = QUOTED.search(found.lint.problem), MORE.fullmatch(found.lint.remedy)
    if target and found.lint.remedy == "add it to always":
        always = [*found.values.get("sampling", {}).get("always", []), target[1]]
        yield "Add it to always", lambda: [_set(["sampling", "always"], always)]
    if more and found.lint.place == "sampling":
        number = int(more[1])
        yield f"Ask {number}", lambda: [_set(["sampling", "ask"], number)]


def _delete(path: list[str | int]) -> Edit:
    return {"op": "delete", "path": path}


def _set(path: list[str | int], value: Any) -> Edit:  # noqa: ANN401 - any JSON
    return {"op": "set", "path": path, "value": value}


def _apart(values: dict[str, Any], group: str) -> list[Edit]:
    """Return edits that move each question of a group, except the first, into a new group with equal settings."""
    members = [at for at, each in enumerate(values["questions"]) if each.get("group") == group]
    return _own(values, group, members[1:])


def _own(values: dict[str, Any], group: str, questions: list[int]) -> list[Edit]:
    taken, edits = set(values["groups"]), list[Edit]()
    for at in questions:
        base = str(values["questions"][at]["name"])
        name = next(each for number in range(len(taken) + 1) if (each := base + "_" * number) not in taken)
        taken.add(name)
        edits += [
            _set(["groups", name], dict(values["groups"][group])),
            _set(["questions", at, "group"], name),
        ]
    return edits


def _milder(found: FoundLint, group: str) -> list[Edit]:
    """Return an edit that changes a group's truth probability to the nearest multiple of 1/20 without the lint."""
    survey = compiled(found.text, found.folder).survey
    present = next(each for each in survey.groups if each.name == group)
    own = survey.truth_at(present, present.questions)
    end = present.channel.replacement.uninformative_at
    nearer = [each for each in other_truths(present) if each % TWENTIETH == 0 and abs(each - end) < abs(own - end)]
    tries = sorted(nearer, key=lambda each: abs(each - own))
    return _first_mending(found, ([_set(["groups", group, "truth"], str(each))] for each in tries))


def _lower(found: FoundLint) -> list[Edit]:
    """Return an edit that lowers epsilon by as many tenths as are needed to remove the lint."""
    epsilon = Fraction(str(found.values["privacy"]["epsilon"]))
    tries = (Decimal(f"{float(epsilon * tenths / 10):.3g}") for tenths in TENTHS)
    return _first_mending(found, ([_set(["privacy", "epsilon"], each)] for each in tries))


def label_of(before: str, after: str, folder: Path) -> str | None:
    """Return the label of a fix that asks each person fewer questions, or None if the fix does something else.

    Args:
        before: Text of the survey file before the fix.
        after: Text of the survey file after the fix.
        folder: Folder of the survey's pictures.
    """
    found = compiled(after, folder).survey if "sampling" in values_of(after) else None
    if found is None or found.sampling is None or values_of(before).get("sampling") == values_of(after)["sampling"]:
        return None
    return f"Ask each person {found.sampling.ask} of the {len(found.questions)} questions"


def _tell_less(found: FoundLint) -> list[Edit]:
    """Return edits that ask each person fewer questions, or that disguise more if this does not remove the lint."""
    try:
        return _ask_fewer(found)
    except (EditError, SurveyError):
        return _lower_all(found)


def _ask_fewer(found: FoundLint) -> list[Edit]:
    """Return edits after which each person is asked as many questions as are possible without the lint.

    Questions that others depend on, and the target, are asked of everybody.
    """
    survey, sampling = compiled(found.text, found.folder).survey, found.values.get("sampling", {})
    count = len(survey.questions)
    wanted = list(filters(survey)) or [each for each in [survey.target] if each is not None]
    always = [] if "always" in sampling else wanted
    least = len(sampling.get("always", always)) + 2  # below it no two questions are drawn together
    now = count if survey.sampling is None else survey.sampling.ask
    numbers = range(now - 1, least - 1, -1) if count <= MANY else range(0)
    return _first_mending(found, (asking(each, always) for each in numbers))


def _lower_all(found: FoundLint) -> list[Edit]:
    """Return edits that lower the truth probabilities of groups by no more than is needed to remove the lint.

    For each limit that is tried, truth probabilities above the limit are lowered to the limit.
    """
    groups = {name: each for name, each in found.values["groups"].items() if "truth" in each}
    ways = {name: (end_of(each), Fraction(str(each["truth"]))) for name, each in groups.items()}

    def edits(share: Fraction) -> list[Edit]:
        aims = {name: end + (1 - end) * share for name, (end, _) in ways.items()}
        return [_set(["groups", name, "truth"], str(aim)) for name, aim in aims.items() if aim < ways[name][1]]

    return _first_mending(found, (edits(twentieths * TWENTIETH) for twentieths in range(19, 0, -1)))


def _first_mending(found: FoundLint, tries: Iterable[list[Edit]]) -> list[Edit]:
    """Return the first edits that remove a lint.

    Args:
        found: The lint.
        tries: Lists of edits to try, the smallest change of the survey first.
    """
    every = list(tries)
    at = bisect_left(every, True, key=lambda edits: _stays(found, edits) is not True)  # noqa: FBT003 - what is sought
    if at == len(every) or _stays(found, every[at]) is None:
        raise EditError(found.lint.place, "the remark has no such remedy", "edit the survey by hand")
    return every[at]


def _stays(found: FoundLint, edits: list[Edit]) -> bool | None:
    """Return whether a lint remains after some edits, or None if the edited survey is not valid."""
    values = found.values
    for each in edits:
        values = unshared(values, tuple(each["path"][:-1]))
        put_value(values, tuple(each["path"]), each["value"])
    try:
        after = checked(compiled_values(values, found.folder), found.respondents)
    except SurveyError:
        return None
    alike = (found.lint.place, found.lint.severity)
    return any((each.place, each.severity) == alike and _same(each, found.lint) for each in after.lints)


def _same(one: Lint, other: Lint) -> bool:
    return re.sub(r"[\d.,%]+", "", one.remedy) == re.sub(r"[\d.,%]+", "", other.remedy)
