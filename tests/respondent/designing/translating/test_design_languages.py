"""Languages of a survey that is designed: added, called otherwise and removed at any time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from owner.link import Link
from respondent.designing.app import create_app
from respondent.designing.beginnings import blank
from respondent.designing.document import SurveyDocument
from respondent.designing.edits import values_of
from respondent.designing.operations import edited
from respondent.designing.values import EditError

OURS = {"Origin": "http://localhost"}
Edit = dict[str, Any]
State = dict[str, Any]
LANGUAGES = ["en", "de"]


def languages(*codes: str) -> Edit:
    return {"op": "languages", "path": ["languages"], "value": list(codes)}


def worded(path: list[str | int], standing: object, language: str, known: list[str], words: str) -> Edit:
    """The edit with which the page writes a text in one language."""
    if isinstance(standing, dict):
        return {"op": "set", "path": [*path, language], "value": words}
    if len(known) == 1:
        return {"op": "set", "path": path, "value": words}
    before = {} if standing is None else {known[0]: standing}
    return {"op": "set", "path": path, "value": before | {language: words}}


def said_in(document: State) -> list[str]:
    return list(document.get("languages") or ["en"])


def name_it(send: Callable[[list[Edit]], State], _: State) -> None:
    send([{"op": "set", "path": ["name"], "value": "mine"}])


def title_it(send: Callable[[list[Edit]], State], document: State) -> None:
    known = said_in(document)
    for language in known:
        document = send([worded(["title"], document.get("title"), language, known, f"Title {language}")])["document"]


def say_languages(send: Callable[[list[Edit]], State], _: State) -> None:
    send([languages(*LANGUAGES)])


def ask(send: Callable[[list[Edit]], State], document: State) -> None:
    known = said_in(document)
    label = "Asked?" if len(known) == 1 else dict.fromkeys(known, "Asked?")
    question = {"name": "asked", "label": label, "kind": "yes_no"}
    send(
        [
            {"op": "insert", "path": ["questions", 0], "value": question},
            {"op": "preset", "path": ["privacy"], "value": "balanced"},
        ]
    )


STEPS = (name_it, title_it, say_languages, ask)


@pytest.mark.parametrize("text", ["", blank()], ids=["no file", "blank"])
@pytest.mark.parametrize(
    "order", list(permutations(STEPS)), ids=lambda order: " ".join(each.__name__ for each in order)
)
def test_a_survey_begins_in_any_order_without_a_dead_end(order: tuple[Any, ...], text: str, tmp_path: Path) -> None:
    path = tmp_path / "survey.toml"
    if text:
        path.write_text(text, "utf-8")
    link = Link()
    client = create_app(SurveyDocument(path), link).test_client()
    inside = client.get(f"/open/{link.once}").headers["Location"]

    def state() -> State:
        found: State = client.get(f"{inside}state").get_json()
        return found

    def send(edits: list[Edit]) -> State:
        answer = client.post(f"{inside}edit", json={"version": state()["version"], "edits": edits}, headers=OURS)
        found: State = answer.get_json()
        assert answer.status_code == 200, found
        return found

    for step in order:
        step(send, state()["document"])
    assert all("is not in de" in each["problem"] for each in state()["problems"])
    assert state()["preview"]["stale"] is False  # a text that is not translated yet hides nothing
    document = state()["document"]
    send([worded(["title"], document["title"], "de", LANGUAGES, "Deutsch")])
    for at, question in enumerate(document["questions"]):
        send([worded(["questions", at, "label"], question["label"], "de", LANGUAGES, "Deutsch")])
    assert state()["problems"] == []
    assert state()["survey"]["languages"] == LANGUAGES
    send([languages("de")])
    assert state()["problems"] == []
    assert state()["survey"]["languages"] == ["de"]


TWO = """
name = "two"
languages = ["en", "de"]
title = { en = "Two", de = "Zwei" }

[[questions]]
name = "q"
label = { en = "Asked?" }
kind = "multiple"
options = { a = { en = "A", de = "Ah" }, b = { en = "B", de = "Beh" } }

[[questions]]
name = "r"
label = { en = "Again?", de = "Nochmal?" }
kind = "yes_no"
words = { en = { yes = "Yes!", no = "No!" }, de = { yes = "Ja!", no = "Nein!" } }
"""


def test_a_language_goes_with_all_its_texts() -> None:
    found = values_of(edited(TWO, [languages("en")]))
    assert found["languages"] == ["en"]
    assert found["title"] == {"en": "Two"}
    assert found["questions"][0]["options"] == {"a": {"en": "A"}, "b": {"en": "B"}}
    assert found["questions"][1]["words"] == {"en": {"yes": "Yes!", "no": "No!"}}


def test_the_last_language_of_a_text_does_not_take_the_text_with_it() -> None:
    found = values_of(edited(TWO, [languages("de")]))
    assert found["questions"][0]["label"] == {"de": "Asked?"}
    assert found["questions"][1]["label"] == {"de": "Nochmal?"}
    assert values_of(edited(TWO, [languages("fr", "it")]))["title"] == {"fr": "Two"}


@pytest.mark.parametrize("codes", [[], ["en", "en"], [""]])
def test_no_language_or_one_twice_is_refused(codes: list[str]) -> None:
    with pytest.raises(EditError, match="commas"):
        edited(TWO, [languages(*codes)])


def test_a_text_above_all_tables_gets_its_languages_where_it_stands() -> None:
    both = {"en": "A survey", "de": "Umfrage"}
    text = 'name = "s"\ntitle = "A survey"  # read above it\n\n[study]\nwho = "We"\n'
    changed = edited(text, [{"op": "set", "path": ["title"], "value": both}])
    assert values_of(changed)["title"] == both
    assert "[title]" not in changed
