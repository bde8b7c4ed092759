"""The preview of a survey file: marked on every screen, read again when it changes, and nothing kept but by wish."""

from __future__ import annotations

import json
import os
import re
import tomllib
from copy import deepcopy
from html import unescape
from pathlib import Path

import pytest

from collector.errors import StoreError, SurveyFaultsError
from collector.store.simulated import Coins
from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import read_survey_file
from respondent.preview import TestStore as StoreOfTests
from respondent.preview import filled_in, preview_app
from store_rows import ROW

JSON = {"Content-Type": "application/json"}
RECEIPT = "A" * 43


@pytest.fixture
def survey_file(root: Path, tmp_path: Path) -> Path:
    path = tmp_path / "survey.toml"
    path.write_bytes((root / "examples" / "wellbeing.toml").read_bytes())
    return path


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))


def body(survey: Survey) -> str:
    codes = {question.name: code for question, code in zip(survey.questions, ROW, strict=True)}
    return json.dumps({"fingerprint": survey.fingerprint, "codes": codes, "receipt": RECEIPT})


def test_a_preview_says_so_on_every_page_and_keeps_nothing(survey_file: Path, wellbeing: Survey) -> None:
    client = preview_app(None, survey_file).test_client()
    for address in ("/", "/s/wellbeing", "/s/wellbeing/by-hand", "/s/nothing"):
        assert "Preview: " in client.get(address).text
    for _ in range(2):
        answer = client.post("/api/v1/surveys/wellbeing/responses", data=body(wellbeing), headers=JSON)
        assert answer.status_code == 201
    gone = client.delete("/api/v1/surveys/wellbeing/responses", data=json.dumps({"receipt": RECEIPT}), headers=JSON)
    assert gone.status_code == 204
    assert [each.name for each in survey_file.parent.iterdir()] == ["survey.toml"]


def test_a_preview_checks_what_is_sent_like_any_response(survey_file: Path, wellbeing: Survey) -> None:
    client = preview_app(None, survey_file).test_client()
    wrong = body(wellbeing).replace('"year": 0', '"year": 9')
    assert client.post("/api/v1/surveys/wellbeing/responses", data=wrong, headers=JSON).status_code == 400


def test_a_reload_shows_the_file_as_it_is_by_then_and_what_is_wrong_with_it(survey_file: Path) -> None:
    client = preview_app(None, survey_file).test_client()
    assert "<title>Student wellbeing</title>" in client.get("/s/wellbeing").text
    edit(survey_file, 'title = "Student wellbeing"', 'title = "Changed"')
    assert "<title>Changed</title>" in client.get("/s/wellbeing").text
    edit(survey_file, 'kind = "yes_no"', 'kind = "maybe"')
    broken = client.get("/s/wellbeing")
    assert broken.status_code == 500
    assert "cannot be shown</h1>" in broken.text
    assert "of this kind" in broken.text
    edit(survey_file, 'kind = "maybe"', 'kind = "yes_no"')
    assert client.get("/s/wellbeing").status_code == 200


def test_all_that_is_wrong_with_the_file_stands_on_the_page_each_in_a_line_of_its_own(survey_file: Path) -> None:
    client = preview_app(None, survey_file).test_client()
    edit(survey_file, 'kind = "yes_no"', 'kind = "maybe"')
    edit(survey_file, 'truth = "2/3"', 'truth = "7/3"')
    with pytest.raises(SurveyFaultsError) as found:
        read_survey_file(survey_file)
    page = client.get("/s/wellbeing").text
    assert len(found.value.lines) > 2
    assert [unescape(each) for each in re.findall(r"<li>(.*?)</li>", page)] == list(found.value.lines)
    assert "try again" not in page


def test_a_file_that_is_gone_or_no_text_is_told_as_such_and_programs_learn_no_path(
    survey_file: Path, wellbeing: Survey
) -> None:
    client = preview_app(None, survey_file).test_client()
    survey_file.write_bytes(b"\xff")
    broken = client.get("/s/wellbeing")
    assert (broken.status_code, "cannot be shown" in broken.text) == (500, True)
    survey_file.unlink()
    assert "cannot be shown" in client.get("/").text
    answer = client.post("/api/v1/surveys/wellbeing/responses", data=body(wellbeing), headers=JSON)
    assert (answer.status_code, str(survey_file) in answer.text) == (500, False)


def test_thanks_in_a_preview_do_not_say_that_anything_was_stored(survey_file: Path, tmp_path: Path) -> None:
    would, was = "Your response would have been stored", "Your response has been stored"
    with StoreOfTests(tmp_path / "tests.db", survey_file) as tests:
        for store, expected, other in ((None, would, was), (tests, was, would)):
            client = preview_app(store, survey_file).test_client()
            page = client.get("/s/wellbeing").text
            assert (expected in page, other in page) == (True, False)
            form = client.get("/s/wellbeing/by-hand").text
            hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]+)">', form))
            codes = {f"q-{each.name}": str(each.codes[0]) for each in read_survey_file(survey_file).questions}
            thanks = client.post("/s/wellbeing/by-hand", data=hidden | codes)
            assert thanks.status_code == 201
            assert (expected in thanks.text, other in thanks.text) == (True, False)


def test_no_page_of_a_served_survey_says_so(store: Store) -> None:
    from respondent.app import create_app  # noqa: PLC0415 - beside the one of a preview

    assert "Preview" not in create_app(store).test_client().get("/s/wellbeing").text


def test_test_responses_rest_in_a_store_of_their_own_and_count_as_simulated(
    survey_file: Path, tmp_path: Path, wellbeing: Survey
) -> None:
    path = tmp_path / "tests.db"
    with StoreOfTests(path, survey_file) as tests:
        client = preview_app(tests, survey_file).test_client()
        assert "Test: " in client.get("/s/wellbeing").text
        assert client.post("/api/v1/surveys/wellbeing/responses", data=body(wellbeing), headers=JSON).status_code == 201
    with Store(path) as store:
        assert store.rows(wellbeing) == [ROW]
        simulated = store.imports.simulated(store.published("wellbeing"))
        assert simulated is not None
        assert (simulated.responses, simulated.coins) == (1, Coins.UNSEEDED), "an export says so in every line"
        with pytest.raises(StoreError, match="the store holds test responses"):
            store.refuse_tests()


def test_a_store_of_other_responses_takes_no_tests(survey_file: Path, store: Store) -> None:
    with pytest.raises(StoreError, match="real responses"):
        StoreOfTests(store.path, survey_file)


def test_missing_translations_are_those_of_another_language_or_a_name() -> None:
    document = {
        "name": "small",
        "title": {"de": "Klein"},
        "languages": ["en", "de"],
        "study": {"who": {"en": "We"}, "minutes": 3},
        "questions": [
            {"name": "year", "kind": "scale", "label": {"en": "Year?", "de": ""}, "unit": "EUR"},
            {"name": "fear", "kind": "multiple", "options": {"dogs": {}, "cats": {"en": "Cats", "de": "Katzen"}}},
        ],
    }
    before = deepcopy(document)
    found, missing = filled_in(document)
    assert document == before
    assert found["title"] == {"en": "Klein", "de": "Klein"}
    assert found["study"] == {"who": {"en": "We", "de": "We"}, "minutes": 3}
    assert found["questions"][0]["label"] == {"en": "Year?", "de": "Year?"}
    assert found["questions"][0]["unit"] == "EUR"
    assert found["questions"][1]["label"] == {"en": "fear", "de": "fear"}
    assert found["questions"][1]["options"]["dogs"] == {"en": "dogs", "de": "dogs"}
    assert missing == [
        (("title",), "en"),
        (("study", "who"), "de"),
        (("questions", 0, "label"), "de"),
        (("questions", 1, "label"), "en"),
        (("questions", 1, "label"), "de"),
        (("questions", 1, "options", "dogs"), "en"),
        (("questions", 1, "options", "dogs"), "de"),
    ]


def test_a_value_that_lacks_its_words_in_a_language_reads_as_in_another_or_as_it_is_called() -> None:
    words = {"en": {"one": "First"}, "de": {"one": "Erstes", "two": "Zweites"}}
    question = {"name": "year", "kind": "scale", "label": {"en": "Year?", "de": "Jahr?"}, "values": ["one", "two", "3"]}
    document = {
        "title": {"en": "A", "de": "B"},
        "languages": ["en", "de"],
        "questions": [question | {"words": words}, question],
    }
    found, missing = filled_in(document)
    assert found["questions"][0]["words"] == {
        "en": {"one": "First", "two": "Zweites", "3": "3"},
        "de": {"one": "Erstes", "two": "Zweites", "3": "3"},
    }
    place = ("questions", 0, "words")
    assert missing == [((*place, "two"), "en"), ((*place, "3"), "en"), ((*place, "3"), "de")]
    assert found["questions"][1] == question, "values without words read as they are called"


@pytest.mark.parametrize("name", ["wellbeing", "who5", "audit_c", "staff_climate"])
def test_a_survey_that_lacks_no_translation_is_left_as_it_is(name: str, root: Path) -> None:
    document = tomllib.loads((root / "examples" / f"{name}.toml").read_text("utf-8"))
    assert filled_in(document) == (document, [])


@pytest.mark.parametrize("languages", [None, [], [1], "en", ["en"]])
def test_a_survey_that_is_none_is_left_as_it_is_by_a_preview(languages: object) -> None:
    document = {"languages": languages, "questions": ["no table", {"label": 7, "options": [1]}], "study": 3}
    assert filled_in(document)[0]["questions"] == document["questions"]
