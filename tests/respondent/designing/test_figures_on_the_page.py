"""Figures on the page are those of `collector check` and `miner plan`, to the last digit, over twenty designs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from collector.errors import SurveyError
from respondent.designing.app import as_json
from respondent.designing.document import SurveyDocument
from respondent.designing.figures import slid
from respondent.designing.operations import edited
from respondent.designing.state import state_of
from respondent.designing.values import EditError
from workshop import call

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
FILES = ("audit_c", "staff_climate", "wellbeing", "wellbeing_split", "wellbeing_two_languages", "who5")
Edits = list[dict[str, Any]]


def setting(path: str, value: object) -> dict[str, Any]:
    return {"op": "set", "path": [int(key) if key.isdigit() else key for key in path.split(".")], "value": value}


OWN_PRIVACY = [{"op": "delete", "path": ["groups"]}] + [
    {"op": "delete", "path": ["questions", at, "group"]} for at in range(1, 6)
]
VARIANTS: list[tuple[str, Edits]] = [
    *((name, []) for name in FILES),
    *(("wellbeing", [setting("groups.substances.truth", truth)]) for truth in ("3/5", "0.9", "1/4")),
    *(("wellbeing", [setting("groups.money.truth", truth)]) for truth in ("1/2", "0.85")),
    ("wellbeing", [setting("groups.health", {"epsilon": 1})]),
    ("wellbeing", [setting("groups.substances.channel", "uniform")]),
    ("wellbeing", [setting("questions.1.prior.yes", 0.5), setting("questions.1.prior.no", 0.5)]),
    ("wellbeing", [setting("questions.2.group", "money")]),
    ("wellbeing", [{"op": "move", "path": ["questions", 5], "to": 1}]),
    ("wellbeing", [setting("questions.5.ask_if", "cannabis = yes")]),
    *(("wellbeing", [*OWN_PRIVACY, setting("privacy.epsilon", epsilon)]) for epsilon in (2, 5)),
    ("wellbeing_split", [setting("privacy.epsilon", 3)]),
]


def state_at(path: Path, respondents: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(as_json(state_of(SurveyDocument(path), respondents)).data)
    return found


def written(folder: Path, name: str, edits: Edits) -> Path:
    path = folder / f"{name}.toml"
    path.write_text(edited((EXAMPLES / path.name).read_text(encoding="utf-8"), edits), encoding="utf-8")
    return path


@pytest.mark.parametrize(("name", "edits"), VARIANTS, ids=[f"{at}-{each[0]}" for at, each in enumerate(VARIANTS)])
def test_figures_are_those_of_the_commands_to_the_last_digit(name: str, edits: Edits, tmp_path: Path) -> None:
    path, people = written(tmp_path, name, edits), 730
    figures, kept = state_at(path, people)["figures"], SurveyDocument(path).figures(people)
    assert kept is not None
    found = call("collector", "check", str(path), "--respondents", str(people), "--json")
    check = json.loads(found.stdout)
    assert json.loads(as_json(kept.check.as_json).data) == check
    central = [figures["response"]["central"], *kept.lines[len(check["lines"]) :]]
    assert (kept.lines[: len(check["lines"])], central) == (check["lines"], check["central"]["lines"])
    plan = json.loads(call("miner", "plan", str(path), "--respondents", str(people), "--json").stdout)
    assert (plan.pop("models"), plan.pop("pilot")) == ([], False)
    assert {each["question"] for each in plan.pop("differences")} == {each["question"] for each in plan["questions"]}
    assert plan.pop("comparison")["level"] == 0.05  # which the page does not show, nor the differences
    shared = {key: check[key] for key in ("false", "central")}
    assert json.loads(as_json(kept.plan.as_json).data) | shared == plan
    for question, told, planned in zip(figures["questions"], check["questions"], plan["questions"], strict=True):
        assert (question["name"], question["bits"], question["epsilon"]) == (
            told["question"],
            told["anonymity"],
            told["epsilon"],
        )
        assert [each["likeliest"] for each in question["values"]] == [each["after"] for each in told["risks"]]
        for value, expected in zip(question["values"], planned["values"], strict=True):
            assert {key: value[key] for key in expected} == expected
            assert value["respondents_factor"] == expected["design_effect"]
    assert [each["epsilon"] for each in figures["groups"]] == [each["epsilon"] for each in check["groups"]]
    for group in figures["groups"]:
        own = [each for each in plan["questions"] if each["group"] == group["name"]]
        for at in group["curve"]:
            same = [each for question in own for each in question["truths"] if each["truth"] == at["truth"]]
            assert at["width"] == max(each["width"] for each in same)
            assert at["bits"] == min(each["bits"] for each in same)


def test_there_are_twenty_designs() -> None:
    assert len(VARIANTS) == 20


@pytest.mark.parametrize(("strength", "value"), [("truth", "3/5"), ("truth", "0.15"), ("epsilon", "1.5")])
def test_what_is_slid_is_what_the_edited_file_has_then(strength: str, value: str, tmp_path: Path) -> None:
    path = written(tmp_path, "wellbeing", [setting("groups.money", {"truth": "2/3", "channel": "uniform"})])
    compiled = SurveyDocument(path).last
    assert compiled is not None
    found = slid(compiled, "money", strength, value, 500)
    changed = {"truth": value, "channel": "uniform"} if strength == "truth" else {"epsilon": float(value)}
    after = state_at(written(tmp_path, "wellbeing", [setting("groups.money", changed)]), 500)["figures"]
    if strength == "truth":
        assert found["questions"] == [each for each in after["questions"] if each["group"] == "money"]
        (group,) = (each for each in after["groups"] if each["name"] == "money")
        assert found["group"]["epsilon"] == group["epsilon"]
        assert found["response"]["epsilon"] == after["response"]["epsilon"]
    else:  # in the file the coding follows the epsilon; while the slider moves it stays
        assert found["group"]["epsilon"] <= float(value)
        assert found["group"]["epsilon"] == pytest.approx(float(value), abs=1e-6)


@pytest.mark.parametrize(
    ("group", "strength", "value"),
    [("no", "truth", "1/2"), ("money", "truth", "1"), ("money", "truth", "x"), ("money", "epsilon", "0")],
)
def test_what_cannot_be_slid_is_refused(group: str, strength: str, value: str, tmp_path: Path) -> None:
    compiled = SurveyDocument(written(tmp_path, "wellbeing", [])).last
    assert compiled is not None
    with pytest.raises((EditError, SurveyError), match=f"{strength if group == 'money' else 'group'}.*: "):
        slid(compiled, group, strength, value, 500)


def test_figures_stay_while_the_file_does_not_compile(tmp_path: Path) -> None:
    document = SurveyDocument(written(tmp_path, "wellbeing", []))
    before = state_of(document, 100)["figures"]
    document.edit(1, [setting("questions.0.kind", "none")])
    state = state_of(document, 100)
    assert state["survey"] is None
    assert state["figures"] == before | {"stale": True}
    assert state["lints"] == []
