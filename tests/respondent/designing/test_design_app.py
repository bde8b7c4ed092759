"""The place to design as a web application: who gets in, what is changed by whom, and the preview in its page."""

from __future__ import annotations

import json
import shutil
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from benchmarks.performance.designing import survey as long_survey
from collector.exchange.surveyjs import from_surveyjs
from collector.store.store import Store
from owner.link import GOOD_SECONDS, Link
from respondent.designing.app import LONGEST, MOST_PRICED, create_app
from respondent.designing.document import SurveyDocument
from respondent.designing.edits import values_of

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
OURS = {"Origin": "http://localhost"}
LABEL = ["questions", 0, "label"]


@dataclass
class OpenedDesign:
    """The place to design behind its link, as the browser that followed it has it."""

    path: Path
    link: Link
    client: FlaskClient
    inside: str

    def get(self, path: str = "") -> TestResponse:
        """Ask for something behind the link."""
        return self.client.get(f"{self.inside}{path}")

    def post(self, path: str, body: dict[str, Any], **headers: str) -> TestResponse:
        """Send something as the page does."""
        return self.client.post(f"{self.inside}{path}", json=body, headers=OURS | headers)

    def state(self) -> dict[str, Any]:
        """The present state."""
        found: dict[str, Any] = self.get("state").get_json()
        return found

    def set(self, value: str, version: int | None = None) -> TestResponse:
        """Set the label of the first question."""
        edits = [{"op": "set", "path": LABEL, "value": value}]
        return self.post("edit", {"version": version or self.state()["version"], "edits": edits})


@pytest.fixture
def opened(tmp_path: Path) -> OpenedDesign:
    path = tmp_path / "wellbeing.toml"
    shutil.copy(EXAMPLES / path.name, path)
    link = Link()
    client = create_app(SurveyDocument(path), link).test_client()
    answer = client.get(f"/open/{link.once}")
    return OpenedDesign(path, link, client, answer.headers["Location"])


def attempts(opened: OpenedDesign) -> dict[str, Callable[[], TestResponse]]:
    client, inside = opened.client, opened.inside
    body = {"version": 1, "edits": [{"op": "set", "path": LABEL, "value": "x"}]}
    return {
        "the link again": lambda: client.get(f"/open/{opened.link.once}"),
        "a wrong link": lambda: client.get("/open/x"),
        "a wrong address": lambda: client.get("/x/state"),
        "an edit by a link": lambda: client.get(f"{inside}edit"),
        "an edit at a wrong address": lambda: client.post("/x/edit", json=body, headers=OURS),
        "an edit from another site": lambda: client.post(f"{inside}edit", json=body, headers={"Origin": "http://e.e"}),
        "an edit from another port": lambda: client.post(
            f"{inside}edit", json=body, headers={"Origin": "http://localhost:99"}
        ),
        "an edit without a word from where": lambda: client.post(f"{inside}edit", json=body),
        "another method from another site": lambda: client.delete(f"{inside}preview/api", headers={"Origin": "null"}),
        "another name of this machine": lambda: client.post(
            f"{inside}edit", json=body, headers={"Host": "evil.example", "Origin": "http://evil.example"}
        ),
        "a file of the package": lambda: client.get(f"{inside}../app.py"),
        "no file of the page": lambda: client.get(f"{inside}design.html"),
        "without the last slash": lambda: client.get(inside[:-1]),
    }


def test_whoever_has_not_the_address_gets_a_404_and_changes_nothing(opened: OpenedDesign) -> None:
    before = opened.path.read_bytes()
    answers = {name: attempt().status_code for name, attempt in attempts(opened).items()}
    assert answers == dict.fromkeys(answers, 404)
    assert opened.path.read_bytes() == before
    assert opened.state()["version"] == 1


def test_who_has_the_address_is_told_what_cannot_be_done(opened: OpenedDesign) -> None:
    long = opened.client.post(f"{opened.inside}edit", data="x" * (LONGEST + 1), headers=OURS)
    problem = "This is too large. Files of at most 20 MB fit."
    assert (long.status_code, long.get_json()) == (413, {"problem": problem})
    assert opened.state()["version"] == 1
    form = json.dumps({"elements": [{"type": "boolean", "name": "smokes", "title": "Smoke?"}]}).encode()
    content = b64encode(form.ljust(20_000_000)).decode()
    begun = opened.post("begin", {"version": 1, "kind": "surveyjs", "name": "form.json", "content": content})
    assert begun.status_code == 200
    assert opened.post("undo", {"version": 2}).status_code == 200


def test_an_old_link_opens_nothing(tmp_path: Path) -> None:
    now = [0.0]
    link = Link(lambda: now[0])
    client = create_app(SurveyDocument(tmp_path / "new.toml"), link).test_client()
    now[0] = GOOD_SECONDS
    assert client.get(f"/open/{link.once}").status_code == 404


def test_the_page_has_a_strict_policy_and_no_cookie(opened: OpenedDesign) -> None:
    for path in ("", "state", "nothing"):
        answer = opened.get(path)
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "Set-Cookie" not in answer.headers


def test_an_edit_is_in_the_file_and_in_the_state(opened: OpenedDesign) -> None:
    before = opened.path.read_text(encoding="utf-8")
    answer = opened.set("Which year is yours?")
    assert answer.status_code == 200
    state = answer.get_json()
    assert state["document"]["questions"][0]["label"] == "Which year is yours?"
    assert (state["version"], state["undo"], state["redo"], state["disk"]) == (2, True, False, "same")
    assert state["document"]["study"]["until"] == "2099-12-31"
    assert opened.path.read_text(encoding="utf-8") == before.replace("Which year are you in?", "Which year is yours?")
    assert opened.post("undo", {"version": 2}).get_json()["redo"]
    assert opened.path.read_text(encoding="utf-8") == before
    assert opened.post("redo", {"version": 3}).get_json()["undo"]
    assert "Which year is yours?" in opened.path.read_text(encoding="utf-8")


def test_a_second_window_and_another_editor_are_noticed(opened: OpenedDesign) -> None:
    assert opened.set("One?", 1).status_code == 200
    late = opened.set("Two?", 1)
    assert late.status_code == 409
    assert "another window changed this survey" in late.get_json()["problem"]
    assert late.get_json()["state"]["document"]["questions"][0]["label"] == "One?"
    opened.path.write_text(opened.path.read_text(encoding="utf-8").replace("One?", "By hand?"), encoding="utf-8")
    late = opened.set("Three?", 2)
    assert (late.status_code, late.get_json()["state"]["disk"]) == (409, "changed")
    assert late.get_json()["state"]["document"]["questions"][0]["label"] == "By hand?"
    assert "By hand?" in opened.path.read_text(encoding="utf-8")
    assert opened.set("Four?", 3).get_json()["disk"] == "same"


@pytest.mark.parametrize(
    "body",
    [
        b"x",
        b"[]",
        b'{"version": "1", "edits": []}',
        b'{"version": 1, "edits": 3}',
        b'{"version": 1, "edits": [{"op": "set", "path": ["questions", 99, "label"], "value": "x"}]}',
        b'{"version": 1, "edits": [{"op": "set", "path": ["title"], "value": null}]}',
        b'{"version": 1, "edits": [{"op": "set", "path": ["title"], "value": NaN}]}',
        b'{"version": 1, "edits": [{"op": "set", "path": ["title"], "value": "y"}, {"op": "fly", "path": ["title"]}]}',
    ],
)
def test_what_does_not_fit_is_refused_whole(opened: OpenedDesign, body: bytes) -> None:
    before = opened.path.read_bytes()
    answer = opened.client.post(f"{opened.inside}edit", data=body, headers=OURS)
    assert answer.status_code == 400
    assert ": " in answer.get_json()["problem"]
    assert opened.path.read_bytes() == before


def test_the_preview_shows_the_last_version_that_compiled_and_may_stand_in_the_page(opened: OpenedDesign) -> None:
    opened.set("A new label?")
    page = opened.get("preview/s/wellbeing")
    assert page.status_code == 200
    assert "A new label?" in page.text
    assert "frame-ancestors 'self'" in page.headers["Content-Security-Policy"]
    opened.post("edit", {"version": 2, "edits": [{"op": "set", "path": ["questions", 0, "kind"], "value": "no"}]})
    assert opened.state()["survey"] is None
    assert opened.state()["problems"]
    assert "A new label?" in opened.get("preview/s/wellbeing").text
    script = opened.get("preview/static/page/survey.mjs")
    assert (script.status_code, script.mimetype) == (200, "text/javascript")


def test_a_blank_survey_has_the_title_and_the_language_that_are_asked_for(opened: OpenedDesign) -> None:
    body = {"version": 1, "kind": "blank", "name": "Élan 2027", "language": "pt-BR"}
    state = opened.post("begin", body).get_json()["state"]
    assert (state["survey"]["name"], state["survey"]["languages"]) == ("elan_2027", ["pt-BR"])
    assert (state["problems"], state["preview"]["stale"]) == ([], False)
    before = opened.path.read_bytes()
    refused = opened.post("begin", body | {"version": 2, "language": "Portuguese, Brazil"})
    assert (refused.status_code, "write language tags such as" in refused.get_json()["problem"]) == (400, True)
    assert opened.path.read_bytes() == before


def test_one_begins_blank_with_an_example_a_form_or_a_table_and_goes_back(opened: OpenedDesign) -> None:
    before = opened.path.read_bytes()
    offered = opened.get("beginnings").get_json()
    assert len({(each["title"], each["about"]) for each in offered}) == len(offered), "each is told from the others"
    names = {each["name"] for each in offered}
    examples = ("audit_c", "staff_climate", "wellbeing", "wellbeing_split", "wellbeing_two_languages", "who5")
    assert names == set(examples)
    form = json.dumps({"title": "T", "elements": [{"type": "boolean", "name": "smokes", "title": "Do you smoke?"}]})
    table = "age;smokes\n" + "".join(f"{20 + at};{'yes' if at % 3 else 'no'}\n" for at in range(40))
    for version, (kind, name, content, found) in enumerate(
        (
            ("blank", "", "", 'title = "Survey"'),
            ("example", "who5", "", 'name = "who5"'),
            ("surveyjs", "form.json", form, "Do you smoke?"),
            ("table", "pilot.csv", table, 'name = "smokes"'),
        ),
        start=1,
    ):
        body = {"version": version, "kind": kind, "name": name, "content": b64encode(content.encode()).decode()}
        answer = opened.post("begin", body)
        assert answer.status_code == 200, answer.text
        assert found in opened.path.read_text(encoding="utf-8")
    for version in range(5, 9):
        opened.post("undo", {"version": version})
    assert opened.path.read_bytes() == before
    wrong = {"version": 9, "kind": "example", "name": "../../secret"}
    assert opened.post("begin", wrong).status_code == 400


def test_beginning_with_a_form_says_what_was_left_out_as_the_command_does(opened: OpenedDesign) -> None:
    elements = [
        {"type": "boolean", "name": "smokes", "title": "Do you smoke?"},
        {"type": "comment", "name": "more", "title": "Anything else?"},
        {"type": "text", "inputType": "number", "name": "age", "title": "How old are you?", "min": 18, "max": 98},
    ]
    form = json.dumps({"title": "T", "elements": elements})
    body = {"version": 1, "kind": "surveyjs", "name": "form.json", "content": b64encode(form.encode()).decode()}
    answer = opened.post("begin", body).get_json()
    said = from_surveyjs(form, "form.json")
    report = answer["begun"]
    assert (report["tally"], report["left_out"], report["notes"]) == (str(said.tally), [*said.left_out], [*said.notes])
    assert "more" in " ".join(report["left_out"])
    assert [each["sensitive"] for each in answer["state"]["document"]["questions"]] == [False, False]
    ticked = [
        {"op": "delete", "path": ["questions", 0, "sensitive"]},
        {"op": "preset", "path": ["privacy"], "value": "balanced"},
    ]
    state = opened.post("edit", {"version": 2, "edits": ticked}).get_json()
    assert (state["problems"], state["document"]["privacy"]) == ([], {"epsilon": 4})
    assert [each.get("sensitive") for each in state["document"]["questions"]] == [None, False]


def test_a_spreadsheet_that_is_no_form_is_named_as_it_was_chosen(opened: OpenedDesign) -> None:
    content = b64encode(b"nothing").decode()
    answer = opened.post("begin", {"version": 1, "kind": "xlsform", "name": "form.xlsx", "content": content})
    assert answer.status_code == 400
    assert gettempdir() not in answer.text
    assert "form.xlsx" in answer.text


def test_it_publishes_only_once_it_is_confirmed_and_says_what_that_freezes(opened: OpenedDesign) -> None:
    place = opened.path.parent / "new.db"
    asked = opened.post("publish", {"version": 1, "confirmed": False, "store": str(place)})
    assert len(asked.get_json()["freezes"]) == 4
    assert not place.exists()
    done = opened.post("publish", {"version": 1, "confirmed": True, "store": str(place)})
    assert (done.get_json()["published"], done.get_json()["version"]) == ("wellbeing", 1)
    with Store(place) as store:
        assert store.published("wellbeing").fingerprint == opened.state()["survey"]["fingerprint"]
    again = opened.post("publish", {"version": 1, "confirmed": False, "store": str(place)})
    assert "version 1 already" in again.get_json()["freezes"][0]
    certain = [{"op": "set", "path": ["groups", "health", "truth"], "value": "1"}]
    opened.post("edit", {"version": 1, "edits": certain})
    refused = opened.post("publish", {"version": 2, "confirmed": True, "store": str(place)})
    assert (refused.status_code, "truth 1" in refused.get_json()["problem"]) == (400, True)


def test_before_it_publishes_it_says_what_becomes_of_the_version_and_of_its_responses(opened: OpenedDesign) -> None:
    place = str(opened.path.parent / "own store.db")

    def outlook(**store: str) -> dict[str, Any]:
        body = {"version": opened.state()["version"], "confirmed": False, **store}
        found: dict[str, Any] = opened.post("publish", body).get_json()
        return found

    assert outlook()["store"] == "deniable.db"
    done = opened.post("publish", {"version": 1, "confirmed": True, "store": place}).get_json()
    assert done["address"] == "http://127.0.0.1:8000/s/wellbeing"
    assert f"respondent serve --store '{place}'" in [each["command"] for each in done["steps"]]
    assert outlook()["store"] == place, "the store that was used last"
    with Store(place) as store:
        survey = store.published("wellbeing").survey
        store.add(survey, [[0] * len(survey.questions)] * 3)
    opened.set("Which year?")
    revised = outlook()["freezes"][0]
    assert ("revision of version 1" in revised, 'question "year", label' in revised, "3 responses" in revised) == (
        True,
        True,
        True,
    )
    truth = [{"op": "set", "path": ["groups", "health", "truth"], "value": "2/3"}]
    opened.post("edit", {"version": 2, "edits": truth})
    another = outlook()["freezes"][0]
    assert ("version 2" in another, "the 3 responses so far" in another) == (True, True)
    answer = opened.post("publish", {"version": 3, "confirmed": True})
    assert answer.get_json()["version"] == 2
    anew = create_app(SurveyDocument(opened.path), link := Link()).test_client()
    inside = anew.get(f"/open/{link.once}").headers["Location"]
    asked = anew.post(f"{inside}publish", json={"version": 1, "confirmed": False}, headers=OURS)
    assert asked.get_json()["store"] == place, "found beside the survey file"


def test_before_it_publishes_it_names_what_is_not_translated_and_what_the_study_card_lacks(
    opened: OpenedDesign,
) -> None:
    def post() -> TestResponse:
        return opened.post("publish", {"version": opened.state()["version"], "confirmed": False})

    def edit(*edits: dict[str, Any]) -> None:
        opened.post("edit", {"version": opened.state()["version"], "edits": [*edits]})

    assert post().get_json()["unfinished"] == []
    edit({"op": "delete", "path": ["study", "contact"]})
    assert [("whom to write to" in each) for each in post().get_json()["unfinished"]] == [True]
    edit({"op": "delete", "path": ["study"]})
    assert [("empty" in each) for each in post().get_json()["unfinished"]] == [True]
    edit({"op": "languages", "path": ["languages"], "value": ["en", "de"]})
    refused = post()
    assert (refused.status_code, "de: " in refused.get_json()["problem"]) == (400, True)


def test_a_mend_is_shown_before_it_is_made(opened: OpenedDesign) -> None:
    lint = next(each for each in opened.state()["lints"] if each["mend"])
    before = opened.path.read_bytes()
    shown = opened.post("mend", {"version": 1, "mend": lint["mend"]["id"], "apply": False}).get_json()
    assert "+group = " in shown["diff"]
    assert opened.path.read_bytes() == before
    price = opened.get(f"price?mend={lint['mend']['id']}&respondents=1000").get_json()
    assert "no more people" in price["words"]
    assert "no more people" in shown["cost"]
    assert opened.get("price?mend=x").get_json() is None  # an edit has removed the remark meanwhile
    made = opened.post("mend", {"version": 1, "mend": lint["mend"]["id"], "apply": True}).get_json()
    assert (made["diff"], made["state"]["version"]) == (shown["diff"], 2)
    assert opened.post("mend", {"version": 1, "mend": "x", "apply": True}).status_code == 409
    assert opened.post("mend", {"version": 2, "mend": "x", "apply": True}).status_code == 400


@pytest.mark.parametrize("questions", [MOST_PRICED, 400])
def test_a_remedy_for_many_groups_parses_the_file_few_times(opened: OpenedDesign, questions: int) -> None:
    text = long_survey(questions).replace("3/4", "1/200")
    for name in ("q7", "q9", "q11"):
        text = text.replace(f'{name} = {{ truth = "1/200"', f'{name} = {{ truth = "19/20"')
    opened.path.write_text(text, "utf-8")
    lint = next(each for each in opened.state()["lints"] if each["place"] == "whole response")
    mend = {"version": 2, "mend": lint["mend"]["id"], "apply": True}
    parsed = values_of.cache_info().misses
    price = opened.get(f"price?mend={mend['mend']}").get_json()
    assert (price is None) == (questions > MOST_PRICED), "it would slow the next edit down"
    assert price is None or "times as many people" in price["words"]
    made = opened.post("mend", mend).get_json()
    assert values_of.cache_info().misses - parsed < 20, "each edit and each trial parses the file"
    assert "times as many people" in made["cost"]
    groups = made["state"]["document"]["groups"]
    assert sorted(name for name, group in groups.items() if group["truth"] != "1/200") == ["q11", "q7", "q9"]
    assert groups["q7"] == groups["q9"]
    assert "whole response" not in [each["place"] for each in made["state"]["lints"]]


def test_the_slider_answers_without_a_change(opened: OpenedDesign) -> None:
    before = opened.path.read_bytes()
    answer = opened.get("slider?group=money&truth=3/5&respondents=500")
    assert answer.get_json()["group"]["truth"] == "3/5"
    assert opened.get("slider?group=money&epsilon=1").get_json()["group"]["epsilon"] <= 1
    assert opened.get("slider?group=none&truth=3/5").status_code == 400
    assert opened.path.read_bytes() == before


def test_the_design_that_privacy_would_choose_keeps_the_epsilon_of_the_response(opened: OpenedDesign) -> None:
    assert opened.get("chosen").get_json() is None, "a complement group of two has no epsilon"
    uniform = [{"op": "set", "path": ["groups", "substances", "channel"], "value": "uniform"}]
    state = opened.post("edit", {"version": 1, "edits": uniform}).get_json()
    before = opened.path.read_bytes()
    chosen = opened.get("chosen?respondents=500").get_json()
    assert chosen["epsilon"] <= state["figures"]["response"]["epsilon"] + 0.001
    assert [each["name"] for each in chosen["questions"]] == [each["name"] for each in state["figures"]["questions"]]
    assert all(each["width"] > 0 for each in chosen["questions"])
    assert opened.path.read_bytes() == before


def test_the_chosen_design_of_another_epsilon_is_the_one_that_the_file_has_once_it_is_written(
    opened: OpenedDesign,
) -> None:
    chosen = opened.get("chosen?epsilon=4&respondents=500").get_json()
    assert opened.get("chosen?epsilon=0").status_code == 400
    assert opened.get("chosen?epsilon=x").status_code == 400
    names = range(len(opened.state()["document"]["questions"]))
    edits = [{"op": "delete", "path": ["questions", at, "group"]} for at in names[1:]]
    edits += [{"op": "delete", "path": ["groups"]}, {"op": "set", "path": ["privacy", "epsilon"], "value": 4}]
    figures = opened.post("edit?respondents=500", {"version": 1, "edits": edits}).get_json()["figures"]
    assert chosen["epsilon"] == figures["response"]["epsilon"] == pytest.approx(4, abs=1e-6)
    for one, other in zip(chosen["questions"], figures["questions"], strict=True):
        assert {key: one[key] for key in ("name", "epsilon", "bits", "belief")} == {
            key: other[key] for key in one.keys() - {"width"}
        }
        assert one["width"] == max(each["width"] for each in other["values"])
    for one, other in zip(chosen["groups"], figures["groups"], strict=True):
        assert (one["name"], one["epsilon"]) == (other["name"], other["epsilon"])
    assert opened.get("chosen?respondents=500").get_json() == chosen, "the file has it now"


def test_the_preview_goes_on_where_only_a_translation_is_missing(opened: OpenedDesign) -> None:
    def edit(*edits: dict[str, Any]) -> dict[str, Any]:
        answer = opened.post("edit", {"version": opened.state()["version"], "edits": list(edits)})
        preview: dict[str, Any] = answer.get_json()["preview"]
        return preview

    def label(value: object) -> dict[str, Any]:
        return {"op": "set", "path": LABEL, "value": value}

    assert opened.state()["preview"]["missing"] == []
    shown = edit(label({"en": "Which year now?"}), {"op": "set", "path": ["languages"], "value": ["en", "fr"]})
    assert {"path": LABEL, "language": "fr"} in shown["missing"]
    assert not shown["stale"]
    assert "Which year now?" in opened.get("preview/s/wellbeing?lang=fr").text
    assert opened.state()["survey"] is None
    wrong = edit({"op": "set", "path": ["questions", 0, "kind"], "value": "maybe"}, label({"en": "Not shown"}))
    assert wrong == shown | {"missing": [], "stale": True}
    assert "Which year now?" in opened.get("preview/s/wellbeing").text
