"""The file stays the truth: edits keep what they are not about, and a crash leaves the old or the new file whole."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from errno import ENOSPC
from pathlib import Path
from random import Random
from typing import Any

import pytest

from collector.errors import OutputError, SurveyError
from collector.survey_file.survey_file import compiled
from respondent.designing.document import SurveyDocument
from respondent.designing.edits import TomlText, values_of
from respondent.designing.operations import edited
from respondent.designing.renames import rename as rename_everywhere
from respondent.designing.state import state_of
from respondent.designing.values import EditError

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
COMMENT = re.compile(r"#[^\n]*")
UNKNOWN = """
# Kept for the archive, by hand.

[archive]   # our own
number = 0x1F  # in hexadecimal
words = '''
[[questions]] # no header: a text'''
shelves = [ # from the left
  1,   # upper
  2,   # lower
]
"""
Change = Callable[[TomlText, Random], None]


def relabel(file: TomlText, random: Random) -> None:
    file.put(("questions", random.randrange(count(file)), "label"), f'"A # label" {random.random()}')


def add(file: TomlText, random: Random) -> None:
    name = f"added_{random.randrange(10**9)}"
    value = {"name": name, "label": "New?", "kind": "yes_no", "sensitive": False}
    file.insert(("questions", random.randrange(count(file) + 1)), value)


def move(file: TomlText, random: Random) -> None:
    file.move(("questions", random.randrange(count(file))), random.randrange(count(file)))


def hint(file: TomlText, random: Random) -> None:
    place = ("questions", random.randrange(count(file)), "hint")
    if file.at(place, missing=None) is None:
        file.put(place, "Think of last month.")
    else:
        file.delete(place)


def card(file: TomlText, random: Random) -> None:
    file.put(("study", random.choice(["who", "why", "contact"])), f"somebody {random.random()}")


def group(file: TomlText, random: Random) -> None:
    file.put(("groups", f"g{random.randrange(10**9)}"), {"truth": "3/4"})


def rename(file: TomlText, random: Random) -> None:
    place, to = random.randrange(count(file)), f"renamed_{random.randrange(10**9)}"
    rename_everywhere(file, ("questions", place), to)


CHANGES: tuple[Change, ...] = (relabel, add, move, hint, card, group, rename)


def count(file: TomlText) -> int:
    return len(file.values["questions"])


@pytest.mark.parametrize("seed", range(12))
def test_comments_order_and_unknown_keys_survive_fifty_random_edits(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - which edits are tried
    name = random.choice(["wellbeing", "wellbeing_split", "audit_c", "who5", "staff_climate"])
    file = TomlText((EXAMPLES / f"{name}.toml").read_text(encoding="utf-8") + UNKNOWN)
    comments, archive = Counter(COMMENT.findall(file.text)), file.text[file.text.index("[archive]") :].strip()
    tops = [key for key in file.values if key not in {"groups", "study"}]
    for _ in range(50):
        names = [each["name"] for each in file.values["questions"]]
        change = random.choice(CHANGES)
        change(file, random)
        after = [each["name"] for each in file.values["questions"]]
        if change in {relabel, hint, card, group}:
            assert after == names
        elif change is add:
            assert [each for each in after if each in names] == names
        assert comments <= Counter(COMMENT.findall(file.text))
        assert archive in file.text
        assert [key for key in file.values if key in tops] == tops


def test_an_edit_changes_its_own_lines_only() -> None:
    before = (EXAMPLES / "wellbeing.toml").read_text(encoding="utf-8")
    after = edited(before, [{"op": "set", "path": ["questions", 1, "prior", "yes"], "value": 0.25}])
    assert after == before.replace("prior = { yes = 0.2, no = 0.8 }", "prior = { yes = 0.25, no = 0.8 }")
    after = edited(before, [{"op": "delete", "path": ["questions", 0]}])
    start, end = before.index("[[questions]]"), before.index('[[questions]]\nname = "cannabis"')
    assert after == before[:start] + before[end:]
    back = edited(after, [{"op": "insert", "path": ["questions", 0], "value": values_of(before)["questions"][0]}])
    assert values_of(back) == values_of(before)


def test_a_comment_above_a_question_goes_with_it_and_one_that_stands_apart_stays() -> None:
    text = 'name = "x"\n\n# Part one\n\n# of a\n[[questions]]\nname = "a"\n\n# Part two\n\n[[questions]]\nname = "b"\n'
    moved = edited(text, [{"op": "move", "path": ["questions", 0], "to": 1}])
    assert moved.index("Part one") < moved.index('"b"') < moved.index("# of a") < moved.index('"a"')
    assert moved.index("Part two") < moved.index('"b"')


def test_renaming_a_question_takes_along_whatever_names_it() -> None:
    text = (EXAMPLES / "wellbeing.toml").read_text(encoding="utf-8")
    asked = "cannabis = yes and not (year = first or year in ('year = x'))"
    edits: list[dict[str, Any]] = [
        {
            "op": "set",
            "path": ["questions", 4, "ask_if"],
            "value": asked,
        },
        {"op": "set", "path": ["study", "quotas"], "value": {"year": {"first": 20}}},
        {"op": "rename", "path": ["questions", 0, "name"], "to": "level"},
        {"op": "rename", "path": ["questions", 5], "to": "coping"},
        {"op": "rename", "path": ["groups", "substances"], "to": "drugs"},
    ]
    values = values_of(edited(text, edits))
    assert values["questions"][4]["ask_if"] == "cannabis = yes and not (level = first or level in ('year = x'))"
    assert values["study"]["quotas"] == {"level": {"first": 20}}
    assert values["mining"]["target"] == "coping"
    assert [each.get("group") for each in values["questions"]][1:3] == ["drugs", "drugs"]
    assert next(iter(values["groups"])) == "drugs"


ROUTED = """name = "routed"
title = "Routed"
languages = ["en"]

[[questions]]
name = "gate"
label = "Gate?"
kind = "yes_no"
sensitive = false

[[questions]]
name = "why"
label = "Why?"
kind = "checkboxes"
options = { pay = "Pay", time = "Time" }
ask_if = "gate = yes"
sensitive = false

[[questions]]
name = "how"
label = "How?"
kind = "yes_no"
ask_if = "gate = no or why has pay and why_time = yes"
sensitive = false
"""


@pytest.mark.parametrize("wrong", ["gate here", "Gate", "7", "and", "x" * 64, "how", "why_pay"])
def test_a_name_that_is_refused_leaves_every_condition_as_it_was(wrong: str) -> None:
    way = {"op": "rename", "path": ["questions", 0]}
    with pytest.raises(SurveyError if wrong not in {"how", "why_pay"} else EditError):
        edited(ROUTED, [way | {"to": wrong}])
    there = edited(ROUTED, [way | {"to": "or"}])
    assert [each.get("ask_if") for each in values_of(there)["questions"]][1] == "or = yes"
    assert edited(there, [way | {"to": "gate"}]) == ROUTED


def test_a_group_is_not_given_a_name_that_no_group_may_have() -> None:
    with pytest.raises(SurveyError, match="sub stances"):
        edited(
            (EXAMPLES / "wellbeing.toml").read_text(encoding="utf-8"),
            [{"op": "rename", "path": ["groups", "substances"], "to": "sub stances"}],
        )


def test_the_state_says_whose_conditions_mention_a_question_or_its_parts(tmp_path: Path) -> None:
    path = tmp_path / "routed.toml"
    path.write_text(ROUTED, encoding="utf-8")
    assert state_of(SurveyDocument(path), 100)["followers"] == [[1, 2], [2], []]


CALLS = ("open", "fchmod", "fsync", "replace", "rename")


class Crash(BaseException):
    """The machine stops here."""


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "survey.toml"
    place.write_bytes((EXAMPLES / "wellbeing.toml").read_bytes())
    yield place
    assert list(tmp_path.glob("*.toml")) == [place]


def test_a_crash_at_any_step_leaves_the_old_or_the_new_file_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, edits = path.read_text(encoding="utf-8"), [{"op": "set", "path": ["title"], "value": "Another"}]
    new, seen = edited(old, edits), set[str]()
    for step in range(40):
        document = SurveyDocument(path)
        with monkeypatch.context() as patched:
            steps = iter(range(step, -1, -1))
            for name in CALLS:
                patched.setattr(os, name, stopping(getattr(os, name), steps, name, seen))
            try:
                document.edit(1, edits)
            except Crash:
                pass
            else:
                assert path.read_text(encoding="utf-8") == new
                assert step > 1, "nothing was stopped"
                break
        assert path.read_text(encoding="utf-8") in {old, new}
        assert document.text in {old, new}
        path.write_text(old, encoding="utf-8")
    else:
        pytest.fail("the edit never ended")
    assert {"open", "fchmod", "fsync", "replace"} <= seen


def stopping(call: Callable[..., Any], steps: Iterator[int], name: str, seen: set[str]) -> Callable[..., Any]:
    def stopped(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - as the system's
        if next(steps, 0) == 0:
            raise Crash(name)
        seen.add(name)
        return call(*arguments, **named)

    return stopped


def test_a_file_that_cannot_be_written_is_refused_and_nothing_changes(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(ENOSPC, "full")

    document, before = SurveyDocument(path), path.read_bytes()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="it cannot be written"):
        document.edit(1, [{"op": "set", "path": ["title"], "value": "x"}])
    assert (document.version, path.read_bytes(), list(path.parent.iterdir())) == (1, before, [path])


def test_a_file_that_somebody_broke_is_shown_and_undone(path: Path) -> None:
    document, before = SurveyDocument(path), path.read_text(encoding="utf-8")
    path.write_text("name = [", encoding="utf-8")
    document.look()
    assert (document.version, document.values, document.is_changed) == (2, {}, True)
    with pytest.raises(EditError, match="cannot be read"):
        document.edit(2, [{"op": "set", "path": ["title"], "value": "x"}])
    document.undo(2)
    assert path.read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    "text", [f"x = {'[' * 5000}{']' * 5000}", f"a{'.a' * 5000} = 1", f"x = {'{a=' * 5000}1{'}' * 5000}"]
)
def test_tables_that_nest_too_deep_are_shown_as_a_problem(text: str, tmp_path: Path) -> None:
    (tmp_path / "deep.toml").write_text(text, encoding="utf-8")
    state = state_of(SurveyDocument(tmp_path / "deep.toml"), 100)
    assert json.dumps(state)
    assert (state["document"], len(state["problems"])) == ({}, 1)


@pytest.mark.parametrize("name", ["wellbeing", "who5", "audit_c", "staff_climate"])
def test_a_copy_of_any_question_compiles_and_adds_lines_only(name: str) -> None:
    text = (EXAMPLES / f"{name}.toml").read_text("utf-8")
    before = values_of(text)
    for place, question in enumerate(before["questions"]):
        copied = edited(text, [{"op": "duplicate", "path": ["questions", place]}])
        after = values_of(copied)
        copy = after["questions"].pop(place + 1)
        fresh = copy["name"]
        assert after["questions"] == before["questions"]
        assert {**copy, "name": question["name"]} | {k: question[k] for k in ("group",) if k in question} == question
        if "group" in question:
            assert copy["group"] == fresh
            assert after["groups"].pop(fresh) == before["groups"][question["group"]]
        assert after == before
        assert not Counter(text.splitlines()) - Counter(copied.splitlines())
        compiled(copied, EXAMPLES)


def test_the_name_of_a_copy_is_none_of_another_question_or_of_its_parts() -> None:
    text = """
[[questions]]
name = "fear"
options.5 = "Five"

[[questions]]
name = "fear_2"

[[questions]]
name = "fear_3"
options.dogs = "Dogs"

[[questions]]
name = "fear_4_cats"

[groups]
fear_6 = { truth = "3/4" }
"""
    copied = edited(text, [{"op": "duplicate", "path": ["questions", 2]}])
    names = [each["name"] for each in values_of(copied)["questions"]]
    assert names[3] == "fear_7"
    with pytest.raises(EditError, match="only questions can be duplicated"):
        edited(text, [{"op": "duplicate", "path": ["groups", "fear_6"]}])
