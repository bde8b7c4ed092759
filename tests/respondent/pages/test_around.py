"""What surrounds the questions: consent, privacy notice, thanks, code and link of a panel, no Exit, not open, full."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime, timedelta, timezone

import pytest
from flask.testing import FlaskClient

from collector.store.store import Sent, Store
from collector.survey.study import Study
from collector.survey.survey import Survey
from collector.survey.text import Text
from store_rows import ROW

AROUND = {
    "consent": Text.of(en="You may stop <b>any</b> time.\n\nSecond paragraph."),
    "privacy": Text.of(en="We keep codes."),
    "thanks": Text.of(en="Well done."),
    "code": "C0FFEE",
    "redirect": "https://panel.example/done?x=1&y=2",
}


def publish(store: Store, survey: Survey, **study: object) -> Survey:
    around = replace(survey, study=Study(**study))  # type: ignore[arg-type]
    store.publish(around)
    return around


@pytest.mark.parametrize("address", ["/s/wellbeing", "/s/wellbeing/by-hand"])
def test_consent_and_privacy_notice_stand_on_the_card_in_paragraphs(
    address: str, client: FlaskClient, store: Store, wellbeing: Survey
) -> None:
    publish(store, wellbeing, **AROUND)
    page = client.get(address).text
    assert "<p>You may stop &lt;b&gt;any&lt;/b&gt; time.</p><p>Second paragraph.</p>" in page
    assert "<summary>Privacy notice</summary>\n<p>We keep codes.</p>" in page


def test_thanks_code_and_link_stand_behind_the_sending_and_in_no_other_part_of_the_page(
    client: FlaskClient, store: Store, wellbeing: Survey
) -> None:
    publish(store, wellbeing, **AROUND)
    before, thanks = client.get("/s/wellbeing").text.split('<section id="thanks" hidden>')
    shown = thanks.partition('<script type="application/json"')[0]
    for words in ("Well done.", "C0FFEE", "https://panel.example/done?x=1&amp;y=2", "Continue to panel.example"):
        assert words in shown
        assert words not in before
    assert 'href="https://panel.example/done?x=1&amp;y=2" rel="noreferrer"' in shown


def test_a_survey_without_them_weighs_no_byte_more(client: FlaskClient) -> None:
    page = client.get("/s/wellbeing").text
    for words in ("Privacy notice", "completion code", "Continue to", 'id="full"', '"full"'):
        assert words not in page


def test_a_colour_and_letters_of_its_own_come_in_a_sheet_behind_the_pages_own(
    client: FlaskClient, store: Store, wellbeing: Survey
) -> None:
    assert "/style/" not in client.get("/s/wellbeing").text
    publish(store, wellbeing, accent="#1a6b52", font="serif")
    for address in ("/s/wellbeing", "/s/wellbeing/by-hand"):
        sheets = re.findall(r'<link rel="stylesheet" href="([^"]+)">', client.get(address).text)
        assert sheets[:2] == ["/static/page/style.css", "/style/1a6b52-serif.css"]
    sheet = client.get("/style/1a6b52-serif.css")
    assert (sheet.mimetype, sheet.headers["Cache-Control"]) == ("text/css", "no-cache")
    assert "--brand: #1a6b52;" in sheet.text
    assert client.get("/style/ffff00-sans.css").status_code == 404


def test_exit_can_be_left_out_with_a_reason_in_the_design(client: FlaskClient, store: Store, wellbeing: Survey) -> None:
    assert 'id="exit"' in client.get("/s/wellbeing").text
    survey = publish(store, wellbeing, no_exit="A tablet at the front desk.")
    page = client.get("/s/wellbeing").text
    assert 'id="exit"' not in page
    assert "A tablet at the front desk." in survey.canonical


@pytest.mark.parametrize(
    ("study", "words"),
    [
        ({"opens": date(2098, 5, 1)}, "It opens: 1 May 2098, UTC."),
        ({"opens": date(2098, 5, 1), "timezone": "Asia/Tokyo"}, "It opens: 1 May 2098, Asia/Tokyo."),
        (
            {"opens": datetime(2098, 5, 1, 9, 30, tzinfo=timezone(timedelta(hours=2)))},
            "It opens: 1 May 2098, 09:30 (UTC+02:00).",
        ),
    ],
)
def test_a_survey_that_is_not_open_yet_says_when_it_opens(
    study: dict[str, object], words: str, client: FlaskClient, store: Store, wellbeing: Survey
) -> None:
    publish(store, wellbeing, **study)
    page = client.get("/s/wellbeing")
    assert page.status_code == 403
    assert "The survey has not opened yet" in page.text
    assert words in page.text
    assert '/s/wellbeing"' not in client.get("/").text


def test_a_survey_that_closes_at_a_moment_says_so(client: FlaskClient, store: Store, wellbeing: Survey) -> None:
    publish(store, wellbeing, until=datetime(2098, 5, 1, 18, 0), timezone="Europe/Berlin")  # noqa: DTZ001
    assert "1 May 2098, 18:00 (Europe/Berlin)" in client.get("/s/wellbeing").text


def test_a_full_survey_says_so_before_anything_is_asked(client: FlaskClient, store: Store, wellbeing: Survey) -> None:
    survey = publish(store, wellbeing, quota=1)
    assert client.get("/s/wellbeing").status_code == 200
    store.receive(survey, Sent(ROW, b"r" * 32))
    page = client.get("/s/wellbeing")
    assert (page.status_code, "The survey has enough responses" in page.text) == (410, True)


def test_the_page_is_told_which_plain_answers_are_full(client: FlaskClient, store: Store, wellbeing: Survey) -> None:
    publish(store, wellbeing, quotas=(("year", (("first", 0), ("second", 5))),))
    page = client.get("/s/wellbeing").text
    assert '"full":{"year":["first"]}' in page
    assert '<section id="full" hidden>' in page
