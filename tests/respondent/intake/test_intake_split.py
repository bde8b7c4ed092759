"""Responses to a split questionnaire: null for what was not asked, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from collector.store.store import Store
from collector.survey_file.survey_file import parse_survey
from respondent.intake.body import read_receipt
from respondent.intake.proof import draw_proof
from small_intake import ADDRESS, JSON, RECEIPT
from vector_surveys import SPLIT

SAMPLED = parse_survey(SPLIT)
ASKED = {"fear": 1, "city": 6, "diet": 5, "vice": 0, "rent": 0, "income": 2}
SPLIT_CODES = {question.name: ASKED.get(question.name) for question in SAMPLED.questions}


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path, create=True) as store:
        store.publish(SAMPLED)
        yield store


def post_split(client: FlaskClient, codes: Any) -> TestResponse:  # noqa: ANN401 - JSON
    body = json.dumps({"fingerprint": SAMPLED.fingerprint, "codes": codes, "receipt": RECEIPT}) + " " * 20
    return client.post(ADDRESS.replace("small", "split"), data=body, headers=JSON)


def test_a_sampled_response_keeps_null_for_what_was_not_asked(client: FlaskClient, store: Store) -> None:
    assert post_split(client, SPLIT_CODES).status_code == 201
    assert post_split(client, SPLIT_CODES).status_code == 200
    assert post_split(client, SPLIT_CODES | {"vice": 1}).status_code == 200
    assert store.rows(SAMPLED) == [tuple(SPLIT_CODES.values())]


@pytest.mark.parametrize(
    "changes",
    [
        {"fear": None, "debt": 0},  # who is always asked was not
        {"vice": None},
        {"debt": 0},
        dict.fromkeys(ASKED),
        {"vice": None, "debt": 2},
        {"other": None},
        {"vice": "null"},
        {"vice": False},
    ],
)
def test_a_response_to_other_questions_than_one_respondent_is_asked_is_refused(
    changes: dict[str, Any], client: FlaskClient, store: Store
) -> None:
    assert post_split(client, SPLIT_CODES | changes).status_code == 400
    assert store.rows(SAMPLED) == []


def test_a_response_that_leaves_out_what_was_not_asked_is_refused(client: FlaskClient, store: Store) -> None:
    answer = post_split(client, ASKED)
    assert answer.status_code == 400
    assert "send null" in answer.json["error"]
    assert store.rows(SAMPLED) == []


def test_nobody_draws_questions_by_hand(client: FlaskClient, store: Store) -> None:
    page = client.get("/s/split/by-hand")
    assert "a script draws which" in page.text
    assert "<form" not in page.text
    proof = draw_proof(store, "split", read_receipt(RECEIPT))
    fields = {"fingerprint": SAMPLED.fingerprint, "receipt": RECEIPT, "proof": proof} | {
        f"q-{name}": code for name, code in ASKED.items()
    }
    assert client.post("/s/split/by-hand", data=fields).status_code == 400
    assert store.rows(SAMPLED) == []
