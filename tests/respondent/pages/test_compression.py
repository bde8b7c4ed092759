"""What is the same for everybody is compressed where a browser takes it; what holds a proof never is."""

from __future__ import annotations

import gzip

import pytest
from flask.testing import FlaskClient

GZIP = {"Accept-Encoding": "gzip, deflate, br"}


@pytest.mark.parametrize("address", ["/s/wellbeing", "/static/page/survey.mjs", "/static/page/style.css"])
def test_a_page_and_its_files_come_compressed_and_are_the_same_bytes(client: FlaskClient, address: str) -> None:
    plain, packed = client.get(address), client.get(address, headers=GZIP)
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) < len(plain.data) * 0.6


@pytest.mark.parametrize("refusal", ["identity", "gzip;q=0", "br"])
def test_nothing_is_compressed_for_who_does_not_take_it(client: FlaskClient, refusal: str) -> None:
    answer = client.get("/static/page/survey.mjs", headers={"Accept-Encoding": refusal})
    assert "Content-Encoding" not in answer.headers


@pytest.mark.parametrize("address", ["/s/wellbeing/by-hand", "/", "/exit", "/s/nothing"])
def test_a_page_with_a_proof_and_what_is_made_for_one_request_are_not_compressed(
    client: FlaskClient, address: str
) -> None:
    assert "Content-Encoding" not in client.get(address, headers=GZIP).headers


def test_a_file_that_did_not_change_is_not_sent_again_compressed_or_not(client: FlaskClient) -> None:
    tags = set()
    for headers in ({}, GZIP):
        tag = client.get("/static/page/survey.mjs", headers=headers).headers["ETag"]
        answer = client.get("/static/page/survey.mjs", headers={**headers, "If-None-Match": tag})
        assert answer.status_code == 304
        tags.add(tag)
    assert len(tags) == 2, "the two have one tag"
