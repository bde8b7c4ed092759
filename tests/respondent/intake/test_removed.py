"""What an administrator does beside a running server holds from the next response on, on either database."""

from __future__ import annotations

import secrets
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any
from unittest.mock import Mock

import pytest
from flask import Flask

from collector.database.address import Place
from collector.errors import StoreError
from collector.store.store import Store
from collector.survey.study import Study
from collector.survey.survey import Survey
from collector.survey.text import Text
from respondent.app import create_app
from respondent.intake.callers import Limits
from soak import part_of
from store_rows import OTHER, ROW

ADDRESS = "/api/v1/surveys/wellbeing/responses"
HEALTH = "/api/v1/health"
SENDERS = 32
TURNS = part_of(6, least=2)
UNLIMITED = Limits(10**9, 10**9)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, path: Path) -> Place:
    """Where a store is to be."""
    database: Place = request.getfixturevalue("database") if request.param == "postgresql" else path
    return database


@pytest.fixture
def office(place: Place, wellbeing: Survey) -> Iterator[Store]:
    """The administrator's own store."""
    with Store(place, create=True) as store:
        store.publish(wellbeing)
        yield store


@pytest.fixture
def workers(office: Store) -> Iterator[list[Flask]]:
    """Two workers, each with a store of its own."""
    with Store(office.path) as one, Store(office.path) as other:
        yield [create_app(each, limits=UNLIMITED) for each in (one, other)]


def body(survey: Survey, row: tuple[Any, ...] = ROW) -> dict[str, Any]:
    codes = {question.name: code for question, code in zip(survey.questions, row, strict=True)}
    receipt = urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=")
    return {"fingerprint": survey.fingerprint, "codes": codes, "receipt": receipt}


def statuses(workers: list[Flask], survey: Survey, count: int = 40) -> Counter[int]:
    """Send so many responses over 32 connections, and count the answers."""

    def send(number: int) -> int:
        client = workers[number % len(workers)].test_client()
        return client.post(ADDRESS, json=body(survey)).status_code

    with ThreadPoolExecutor(SENDERS) as threads:
        return Counter(threads.map(send, range(count)))


def test_a_removed_survey_is_not_found_and_one_that_is_published_again_is_served(
    workers: list[Flask], office: Store, wellbeing: Survey
) -> None:
    reworded = replace(wellbeing, title=Text.of(en="Reworded"))
    assert statuses(workers, wellbeing) == {201: 40}
    office.publish(reworded)
    assert statuses(workers, reworded) == {201: 40}
    office.remove("wellbeing")
    assert statuses(workers, reworded) == {404: 40}
    assert workers[0].test_client().get("/s/wellbeing").status_code == 404
    assert workers[0].test_client().delete(ADDRESS, json={"receipt": "A" * 43}).status_code == 404
    office.publish(reworded)
    assert statuses(workers, reworded) == {201: 40}
    assert statuses(workers, wellbeing) == {409: 40}
    assert office.rows(reworded) == [ROW] * 40


def test_nothing_comes_into_another_version_s_table_while_versions_change_their_order(
    workers: list[Flask], office: Store, wellbeing: Survey
) -> None:
    other, done = replace(wellbeing, target=None), Event()
    designs = ((wellbeing, ROW), (other, OTHER))

    def send(number: int) -> Counter[int]:
        client, found = workers[number % 2].test_client(), Counter[int]()
        while not done.is_set():
            found[client.post(ADDRESS, json=body(*designs[number // 2 % 2])).status_code] += 1
        return found

    with ThreadPoolExecutor(SENDERS) as threads:
        sending = [threads.submit(send, number) for number in range(SENDERS)]
        try:
            for turn in range(TURNS):
                office.remove("wellbeing")
                for survey, _ in designs[:: 1 if turn % 2 else -1]:
                    office.publish(survey)
                newest, until = designs[turn % 2], monotonic() + 30
                while office.count(newest[0]) < 40:
                    assert monotonic() < until
                for survey, row in designs:
                    assert set(office.rows(survey)) <= {row}
        finally:
            done.set()
    found = sum((each.result() for each in sending), Counter[int]())
    assert set(found) <= {201, 404, 409}
    assert found[201] >= TURNS * 40


def test_a_page_that_is_up_while_all_it_sends_is_refused_is_told_once_and_by_the_health_address(
    workers: list[Flask], office: Store, wellbeing: Survey, caplog: pytest.LogCaptureFixture
) -> None:
    newer, client = replace(wellbeing, target=None), workers[0].test_client()
    assert (client.get(HEALTH).status_code, client.get(HEALTH).json) == (200, {"status": "ok"})
    office.publish(newer)
    assert statuses(workers[:1], wellbeing) == {409: 40}, "as behind a proxy that keeps the old page"
    (line,) = [each.message for each in caplog.records]
    assert line.startswith("wellbeing: the last 20 responses ")
    answer = client.get(HEALTH)
    assert (answer.status_code, answer.json["reason"]) == (503, "unavailable")
    assert statuses(workers[:1], newer, 1) == {201: 1}
    assert client.get(HEALTH).status_code == 200


def test_a_store_that_cannot_be_written_is_told_by_the_health_address(
    workers: list[Flask], office: Store, wellbeing: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = StoreError(str(office.path), "the disk is full", "make room")
    with monkeypatch.context() as patched:
        patched.setattr(Store, "receive", Mock(side_effect=full))
        assert statuses(workers[:1], wellbeing) == {503: 40}
        assert workers[0].test_client().get(HEALTH).status_code == 503
    assert statuses(workers[:1], wellbeing) == {201: 40}
    assert workers[0].test_client().get(HEALTH).status_code == 200


def test_the_limits_are_those_of_the_newest_wording_whichever_is_sent(
    workers: list[Flask], office: Store, wellbeing: Survey
) -> None:
    limited = replace(wellbeing, study=Study(per_address=5))
    assert statuses(workers[:1], wellbeing, 60) == {201: 60}
    office.publish(limited)
    assert statuses(workers[:1], wellbeing, 60) == {201: 5, 429: 55}
    assert statuses(workers[:1], limited, 60) == {429: 60}, "both wordings are counted together"
    office.publish(replace(limited, study=Study(per_address=7)))
    assert statuses(workers[:1], limited, 60) == {201: 2, 429: 58}
    office.publish(wellbeing)
    assert statuses(workers[:1], limited, 60) == {201: 60}, "the newest has no limit"
    assert office.count(wellbeing) == 60 + 5 + 2 + 60


def test_a_response_that_is_stored_is_acknowledged_again_where_its_address_sent_enough(
    workers: list[Flask], office: Store, wellbeing: Survey
) -> None:
    office.publish(replace(wellbeing, study=Study(per_address=1)))
    client, first = workers[0].test_client(), body(wellbeing)
    answers = [client.post(ADDRESS, json=each).status_code for each in (first, first, body(wellbeing), first)]
    assert answers == [201, 200, 429, 200]
