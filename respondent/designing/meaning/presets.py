"""Privacy presets, which are names for truth probabilities and for epsilons of the whole response."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from collector.survey.group import Group
from respondent.designing.blocks import Path
from respondent.designing.edits import TomlText
from respondent.designing.inside import place_of
from respondent.designing.values import EditError

OPEN = "open"
STRENGTHS: Mapping[str, Fraction] = {"strong": Fraction(1, 2), "balanced": Fraction(3, 4), "light": Fraction(9, 10)}
"""Position of the truth probability between the uninformative point (0) and 1. A new question is Balanced."""
EPSILONS: Mapping[str, int] = {"strongest": 1, "strong": 2, "balanced": 4, "light": 8}
"""Epsilon of a whole response under ``[privacy]``. `collector check` warns above the value of the preset Light."""
TITLES: Mapping[str, str] = {
    "strongest": "Strongest",
    "strong": "Strong",
    "balanced": "Balanced",
    "light": "Light",
    OPEN: "Open",
}
USES: Mapping[str, str] = {
    "strongest": "for answers that could cost somebody their freedom or their life",
    "strong": "for answers that could cost somebody their job or their family",
    "balanced": "for what people would rather keep to themselves, such as health or money",
    "light": "for what is hardly sensitive, and where you have few people",
}
"""What each preset of the whole response is for."""
MARKS: Mapping[str, str] = {"strongest": "●●●●", "strong": "●●●○", "balanced": "●●○○", "light": "●○○○", OPEN: "○○○○"}
"""Mark of each preset in the list of questions."""
ANSWER_PRESETS = (*STRENGTHS, OPEN)
WHOLE_RESPONSE: Path = ("privacy",)
"""Path at which a preset covers the whole response, in place of the path of a question."""
UNIFORM_END, COMPLEMENT_END = Fraction(0), Fraction(1, 2)
STRENGTH_KEYS = ("epsilon", "odds")
DISGUISE_KEYS = ("coins", "coding", "replacement", "unasked")
"""Keys of a question that set how its answers are disguised."""


def presets() -> list[dict[str, Any]]:
    """Return the presets as plain JSON values, the most private first, with a null epsilon for the open answer."""
    return [
        {
            "name": name,
            "title": title,
            "mark": MARKS[name],
            "epsilon": EPSILONS.get(name),
            "use": USES.get(name),
            "answer": name in ANSWER_PRESETS,
        }
        for name, title in TITLES.items()
    ]


def set_preset(file: TomlText, path: Path, name: str) -> None:
    """Set the privacy preset of a question, or of the whole response.

    The preset of a question changes the truth probability of the question's group, or the epsilon of the response under
    ``[privacy]``.

    Args:
        file: The survey file.
        path: Path of the question, or `WHOLE_RESPONSE`.
        name: Name of the preset: one of `ANSWER_PRESETS` for a question, one of `EPSILONS` for the whole response.

    Raises:
        EditError: If the path or the name is not valid, or if a central epsilon decides how answers are disguised.
    """
    if path == WHOLE_RESPONSE and name in EPSILONS:
        _set_whole(file, name)
        return
    question = file.at(path) if path[0] == "questions" and len(path) == 2 else None
    if not isinstance(question, dict) or name not in ANSWER_PRESETS:
        raise EditError(
            place_of(path),
            "privacy can only be chosen for a question or a group",
            f"choose one of {', '.join(ANSWER_PRESETS)}",
        )
    if name == OPEN:
        _open(file, path, question)
        return
    if "sensitive" in question:
        file.delete((*path, "sensitive"))
    if isinstance(file.values.get("privacy"), dict):
        _set_whole(file, name)
        return
    group = question.get("group")
    if not isinstance(group, str):
        group = _new_group(file, path, str(question.get("name") or "question"))
    settings = file.at(("groups", group), missing={})
    for key in STRENGTH_KEYS:
        if key in settings:
            file.delete(("groups", group, key))
    end = end_of(settings)
    file.put(("groups", group, "truth"), str(end + (1 - end) * STRENGTHS[name]))


def _set_whole(file: TomlText, name: str) -> None:
    """Set the epsilon of the whole response, and delete the groups and codings that it replaces."""
    privacy = file.values.get("privacy")
    if isinstance(privacy, dict) and "central_epsilon" in privacy:
        raise EditError(
            "privacy", "the central epsilon decides how answers are disguised", "change the central epsilon instead"
        )
    if privacy is None:
        for index, question in enumerate(file.values.get("questions", [])):
            for key in {"group", *DISGUISE_KEYS} & question.keys():
                file.delete(("questions", index, key))
        if "groups" in file.values:
            file.delete(("groups",))
    file.put(("privacy", "epsilon"), EPSILONS[name])


def end_of(settings: Mapping[str, Any]) -> Fraction:
    """Return the truth probability at which responses reveal nothing, for a group with these settings."""
    return UNIFORM_END if settings.get("channel") == "uniform" else COMPLEMENT_END


def _open(file: TomlText, path: Path, question: dict[str, Any]) -> None:
    """Change the survey file so that the answers to a question are sent undisguised.

    A group or an epsilon that disguises no other question is also deleted from the survey file.
    """
    for key in DISGUISE_KEYS:
        if key in question:
            file.delete((*path, key))
    group = question.get("group")
    if group is not None:
        file.delete((*path, "group"))
        left = [each for each in file.values["questions"] if isinstance(each, dict) and each.get("group") == group]
        if not left and file.at(("groups", group), missing=None) is not None:
            file.delete(("groups", group) if len(file.values["groups"]) > 1 else ("groups",))
    if question.get("sensitive") is not False:
        file.put((*path, "sensitive"), value=False)
    others = [
        each for each in file.values["questions"] if isinstance(each, dict) and each.get("sensitive") is not False
    ]
    if not others and "privacy" in file.values:
        file.delete(("privacy",))


def _new_group(file: TomlText, path: Path, name: str) -> str:
    """Put a question into a new group, and return the name of the group."""
    taken = file.values.get("groups", {})
    while name in taken:
        name += "_"
    file.put((*path, "group"), name)
    file.put(("groups", name), {"truth": "3/4", "channel": "uniform"})
    return name


def preset_of(group: Group | None, epsilon: Fraction | None) -> tuple[str | None, str]:
    """Return the name and title of a question's preset, or None and a text such as "between Light and Open".

    Args:
        group: Group of the question, or None if its answers are sent undisguised.
        epsilon: Epsilon of the whole response if ``[privacy]`` sets it, otherwise None.
    """
    if group is None:
        return OPEN, TITLES[OPEN]
    if epsilon is not None:
        return _among(epsilon, {name: Fraction(each) for name, each in EPSILONS.items()})
    truth, end = group.channel.coin.fixed, group.channel.replacement.uninformative_at
    if truth is None:
        return None, ""
    return _among(abs(truth - end) / (1 - end), STRENGTHS)


def _among(strength: Fraction, known: Mapping[str, Fraction]) -> tuple[str | None, str]:
    """Return the preset with a given strength and its title, or None and a description of the nearest presets."""
    names = list(known)
    for name, each in known.items():
        if strength == each:
            return name, TITLES[name]
    below = [name for name in names if known[name] < strength]
    above = [name for name in names if known[name] > strength]
    if not below:
        return None, f"more private than {TITLES[above[0]]}"
    if not above:
        return None, f"less private than {TITLES[below[-1]]}"
    return None, f"between {TITLES[below[-1]]} and {TITLES[above[0]]}"
