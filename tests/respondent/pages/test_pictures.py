"""Pictures come from the server of the survey, to everybody alike; the form by hand shows them without a script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from collector.store.store import Store
from collector.survey.survey import Survey
from pictures import ANSWERS, PICTURES, survey_with_pictures
from respondent.app import create_app
from respondent.intake.callers import Limits
from respondent.preview import NoStore


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    return survey_with_pictures(tmp_path / "files")


@pytest.fixture
def shown(path: Path, survey: Survey) -> Iterator[FlaskClient]:
    with Store(path, create=True) as store:
        store.publish(survey)
        yield create_app(store).test_client()


def test_a_picture_comes_byte_for_byte_as_what_it_is_and_is_asked_for_again(shown: FlaskClient, survey: Survey) -> None:
    for picture, content in zip(survey.pictures, PICTURES.values(), strict=True):
        answer = shown.get(f"/pictures/{picture.name}", headers={"Accept-Encoding": "gzip"})
        assert (answer.data, answer.mimetype) == (content, "image/png")
        assert answer.headers["Cache-Control"] == "no-cache"
        assert "img-src 'self'" in answer.headers["Content-Security-Policy"]
        again = shown.get(f"/pictures/{picture.name}", headers={"If-None-Match": answer.headers["ETag"]})
        assert again.status_code == 304


def test_pictures_are_not_counted_as_requests_of_somebody(path: Path, survey: Survey) -> None:
    with Store(path, create=True) as store:
        store.publish(survey)
        caller = create_app(store, limits=Limits(per_minute=1)).test_client()
        assert caller.get("/s/shown").status_code == 200
        assert {caller.get(f"/pictures/{each.name}").status_code for each in survey.pictures} == {200}
        assert caller.get("/s/shown").status_code == 429


@pytest.mark.parametrize("name", ["x.png", f"{'0' * 64}.png", f"{'0' * 64}.svg", "..%2Fdeniable.db", ""])
def test_there_are_no_other_pictures(shown: FlaskClient, name: str) -> None:
    assert shown.get(f"/pictures/{name}").status_code == 404


@pytest.mark.parametrize(("language", "text"), [("en", "A jug of one litre"), ("ar", "إبريق سعته لتر")])
def test_the_form_by_hand_shows_each_picture_with_its_text(
    shown: FlaskClient, survey: Survey, language: str, text: str
) -> None:
    page = shown.get(f"/s/shown/by-hand?lang={language}").text
    assert re.findall(r'<img class="\w+" src="/pictures/([^"]+)"', page) == [each.name for each in survey.pictures]
    assert f'alt="{text}"' in page


def test_the_form_by_hand_shows_the_pictures_of_answers_beside_their_words(path: Path, tmp_path: Path) -> None:
    survey = survey_with_pictures(tmp_path, ANSWERS)
    with Store(path, create=True) as store:
        store.publish(survey)
        page = create_app(store).test_client().get("/s/answers/by-hand").text
    _, glass, jug = survey.pictures
    assert f'src="/pictures/{glass.name}" alt="">Red wine</p>' in page
    assert f'src="/pictures/{jug.name}" alt="">Beer</p>' in page
    assert page.count(f'src="/pictures/{jug.name}" alt=""></p>') == 1, "above the question of the option"


@pytest.mark.parametrize("address", ["/s/shown", "/s/shown/by-hand", "/s/shown?lang=ar"])
def test_the_logo_stands_above_every_page_of_the_survey(shown: FlaskClient, survey: Survey, address: str) -> None:
    logo = survey.pictures[0]
    language = "ar" if "ar" in address else "en"
    assert f'<img class="logo" src="/pictures/{logo.name}" alt="{logo.text[language]}">' in shown.get(address).text


def test_a_survey_without_pictures_says_nothing_of_any(client: FlaskClient) -> None:
    assert not re.search("<img|picture_text|/pictures/", client.get("/s/wellbeing").text)


def test_a_preview_shows_the_pictures_of_the_file(tmp_path: Path, survey: Survey) -> None:
    client = create_app(NoStore(tmp_path / "files" / "shown.toml")).test_client()
    assert client.get(f"/pictures/{survey.pictures[2].name}").data == PICTURES["jug.png"]
    assert client.get(f"/pictures/{'0' * 64}.png").status_code == 404
