"""A short run of what `make soak` does at length: whatever is sent, no 5xx, no row that should not be, no echo."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.collecting import fuzz
from benchmarks.collecting.fuzz import KINDS, MARK, Door
from benchmarks.collecting.fuzz_reader import GOOD, WRONG, messages
from benchmarks.collecting.serving import running
from benchmarks.collecting.survival import SURVEY
from collector.store.store import Sent, Store
from soak import part_of

REQUESTS = part_of(300, least=60)


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    path = tmp_path_factory.mktemp("fuzz") / "deniable.db"
    with Store(path, create=True) as store:
        store.publish(SURVEY)
    with Store(path) as store, running(path) as server:
        yield Door(store, server.port)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_is_sent_is_refused_and_neither_stored_nor_echoed(kind: str, door: Door) -> None:
    found = fuzz.fuzz(kind, door, REQUESTS)
    assert found.requests >= REQUESTS
    assert all(status == fuzz.UNANSWERED or 400 <= status < 500 for status in found.statuses)


@pytest.mark.slow
def test_what_the_document_forbids_is_refused(door: Door) -> None:
    requests = part_of(100, least=30)
    assert fuzz.fuzz_document(door, requests).requests >= requests


@given(body=fuzz.bodies | fuzz.almost_responses())
@settings(max_examples=REQUESTS, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_reader_has_a_few_messages_and_no_other(body: bytes) -> None:
    ours = {message for wrong in WRONG for message in messages(wrong.encode())}
    assert ours.issuperset(messages(body))


@pytest.mark.parametrize(
    ("status", "answer", "said"), [(503, "", "with 503"), (201, "", "with 201"), (400, MARK, "echoed")]
)
def test_the_judge_sees_what_must_not_be(status: int, answer: str, said: str, door: Door) -> None:
    with pytest.raises(AssertionError, match=said):
        door.judge(status, answer)


def test_the_judge_sees_a_row(door: Door) -> None:
    sent = Sent(tuple(GOOD["codes"].values()), bytes(32))
    door.store.receive(SURVEY, sent)
    with pytest.raises(AssertionError, match="stored a row"):
        door.judge(400, "")
    door.store.withdraw(SURVEY, bytes(32))


def test_the_first_bad_example_ends_the_run() -> None:
    def judge(number: int) -> None:
        if number > 5:
            raise AssertionError(f"{number} is too much")

    with pytest.raises(AssertionError, match="6 is too much"):
        fuzz.repeatedly(st.integers(), judge, 200)
