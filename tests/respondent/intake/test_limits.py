"""Limits: who asks too much waits; who called is never written down and soon forgotten."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from collector.store.store import Store
from collector.survey.study import Study
from collector.survey.survey import Survey
from respondent.app import create_app
from respondent.intake.callers import HOUR, SAMPLE, CallerSample, Limits, Window, network
from respondent.intake.limits import SHARED, UNREADABLE
from small_intake import opened

RESPONSES = "/api/v1/surveys/wellbeing/responses"


def client(store: Store, **limits: int) -> FlaskClient:
    return create_app(store, limits=Limits(**limits)).test_client()


def status(client: FlaskClient, address: str, path: str = "/nothing") -> int:
    return client.get(path, environ_base={"REMOTE_ADDR": address}).status_code


def test_a_caller_who_asks_too_much_waits_and_others_do_not(store: Store) -> None:
    caller = client(store, per_minute=3)
    assert [status(caller, "192.0.2.1") for _ in range(5)] == [404, 404, 404, 429, 429]
    assert status(caller, "192.0.2.2") == 404
    answer = caller.post(RESPONSES, environ_base={"REMOTE_ADDR": "192.0.2.1"})
    assert answer.status_code == 429
    assert answer.headers["Retry-After"] == "60"
    assert answer.json is not None
    assert answer.json["reason"] == "too-many"
    assert answer.json["error"].startswith("caller: ")


def test_static_files_are_not_counted(store: Store) -> None:
    caller = client(store, per_minute=1)
    for _ in range(3):
        with caller.get("/static/page/style.css") as answer:
            assert answer.status_code == 200


def sent(survey: Survey, number: int, **more: str) -> dict[str, Any]:
    """A good response, each with a receipt of its own."""
    codes = {question.name: question.codes[0] for question in survey.questions}
    receipt = urlsafe_b64encode(number.to_bytes(32, "big")).decode().rstrip("=")
    return {"fingerprint": survey.fingerprint, "codes": codes, "receipt": receipt} | more


def test_typing_errors_shut_out_nobody(store: Store, wellbeing: Survey) -> None:
    (code,) = store.invite("wellbeing", 1)
    hall = client(store, guesses_per_hour=3)
    wrong = [sent(wellbeing, number, invitation=f"typed wrong {number}") for number in range(60)]
    assert {hall.post(RESPONSES, json=each).status_code for each in wrong} == {404}
    assert {hall.delete(RESPONSES, json={"receipt": each["receipt"]}).status_code for each in wrong} == {404}
    assert {hall.post(RESPONSES, data="no JSON").status_code for _ in range(60)} == {415}
    assert hall.post(RESPONSES, json=sent(wellbeing, 1, invitation=code)).status_code == 201


def test_guesses_are_counted_by_what_is_guessed_and_told_once(
    store: Store, wellbeing: Survey, caplog: pytest.LogCaptureFixture
) -> None:
    store.publish(replace(wellbeing, name="other"))
    app = create_app(store, limits=Limits(guesses_per_hour=3)).test_client()
    for number in range(6):
        caller = {"REMOTE_ADDR": f"192.0.2.{number}"}
        assert app.delete(RESPONSES, json={"receipt": "A" * 43}, environ_base=caller).status_code == 404
        app.get("/s/nothing", environ_base=caller)
    for _ in range(3):
        app.delete(RESPONSES.replace("wellbeing", "other"), json={"receipt": "A" * 43})
    (record,) = caplog.records
    assert record.message.startswith("wellbeing: no-such-response: ")


def limited(store: Store, wellbeing: Survey, per_address: int) -> Survey:
    """The example, published with a limit of its own."""
    survey = replace(wellbeing, study=Study(per_address=per_address))
    store.publish(survey)
    return survey


def test_a_survey_limits_what_one_address_sends(store: Store, wellbeing: Survey) -> None:
    survey = limited(store, wellbeing, 2)
    app = client(store)

    def status_of(number: int, address: str = "192.0.2.1", **more: Any) -> int:  # noqa: ANN401 - JSON
        caller = {"REMOTE_ADDR": address}
        return app.post(RESPONSES, json=sent(survey, number) | more, environ_base=caller).status_code

    refused = [status_of(number, codes={}) for number in range(5)]
    assert refused == [400] * 5, "which do not count"
    assert [status_of(number) for number in (1, 1, 2, 3, 4)] == [201, 200, 201, 429, 429]
    assert [status_of(number) for number in (1, 2)] == [200, 200], "what is stored is acknowledged again"
    assert status_of(3, "192.0.2.2") == 201
    assert app.delete(RESPONSES, json={"receipt": sent(survey, 1)["receipt"]}).status_code == 204
    assert status_of(5) == 429, "a deletion makes no room"
    assert store.count(survey) == 2


def test_a_survey_s_limit_holds_by_hand_and_is_no_other_survey_s(store: Store, wellbeing: Survey) -> None:
    survey = limited(store, wellbeing, 1)
    app = client(store)
    assert app.post(RESPONSES, json=sent(survey, 1)).status_code == 201
    other = replace(survey, name="other")
    store.publish(other)
    assert app.post(RESPONSES.replace("wellbeing", "other"), json=sent(other, 2)).status_code == 201
    fields = {"fingerprint": survey.fingerprint} | opened(app, "wellbeing")
    form = fields | {f"q-{question.name}": str(question.codes[0]) for question in survey.questions}
    answer = app.post("/s/wellbeing/by-hand", data=form)
    assert (answer.status_code, "Wait a few minutes" in answer.text) == (429, True)


def test_what_is_counted_may_be_taken_back_but_not_into_another_window() -> None:
    now = [0.0]
    window = Window(1, 60.0, lambda: now[0])
    assert window.admit("192.0.2.1")
    window.take_back("192.0.2.1")
    assert window.admit("192.0.2.1")
    now[0] = 70.0
    assert window.admit("192.0.2.2")
    window.take_back("192.0.2.1")
    assert window.admit("192.0.2.1")
    assert not window.admit("192.0.2.1")


def test_a_window_forgets_everything_and_draws_another_salt() -> None:
    now = [0.0]
    window = Window(1, 60.0, lambda: now[0])
    assert window.admit("192.0.2.1")
    (slot,) = window._slots  # noqa: SLF001 - that its salt goes does not show from outside
    assert not window.admit("192.0.2.1")
    now[0] = 69.9
    assert not window.admit("192.0.2.1")
    now[0] = 70.0
    assert window.admit("192.0.2.1")
    assert slot not in window._slots  # noqa: SLF001 - as above
    assert slot.key(b"") != window._slots[0].key(b"")  # noqa: SLF001 - as above


@given(st.lists(st.floats(0, 20), min_size=40, max_size=80))
def test_no_stretch_as_long_as_a_window_has_more_than_the_window_lets_through(pauses: list[float]) -> None:
    now, admitted = [0.0], []
    window = Window(10, 60.0, lambda: now[0])
    for pause in pauses:
        now[0] += pause * pause / 20  # many short ones, some long ones
        if window.admit("192.0.2.1"):
            admitted.append(now[0])
    assert all(later - first >= 60 for first, later in zip(admitted, admitted[10:], strict=False))
    assert len(admitted) >= min(len(pauses), 10)


def test_a_window_that_is_full_is_forgotten_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("respondent.intake.callers.MOST_CALLERS", 3)
    window = Window(1, 60.0)
    for number in range(1, 4):
        assert window.admit(f"192.0.2.{number}")
    assert window.admit("192.0.2.1"), "forgotten"
    assert [len(each.counts) for each in window._slots] == [1]  # noqa: SLF001 - what is in memory is the point


def test_what_is_kept_of_a_caller_is_no_address() -> None:
    window = Window(5, 60.0)
    window.admit("192.0.2.77")
    ((key, count),) = window._slots[0].counts.items()  # noqa: SLF001 - what is in memory is the point
    assert (len(key), count) == (16, 1)
    assert b"192.0.2.77" not in key
    assert network("192.0.2.77") not in key


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("", "no address", True),
    ],
)
def test_an_ipv6_network_is_one_caller(one: str, other: str, *, same: bool) -> None:
    assert (network(one) == network(other)) is same


def test_only_trusted_names_are_answered_to(store: Store) -> None:
    app = create_app(store, trusted_hosts=["survey.example.org"]).test_client()
    assert app.get("/", headers={"Host": "survey.example.org"}).status_code == 200
    for path in ("/", RESPONSES):
        answer = app.get(path, headers={"Host": "heron.example.com"})
        assert answer.status_code == 400
        assert "heron" not in answer.text
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(("hops", "told"), [(0, [404, 429]), (1, [404, 404])])
def test_forwarded_addresses_are_believed_only_as_far_as_proxies_are_said(
    hops: int, told: list[int], store: Store
) -> None:
    app = create_app(store, limits=Limits(per_minute=1), proxy_hops=hops).test_client()
    statuses = [
        app.get("/nothing", headers={"X-Forwarded-For": f"192.0.2.9, 198.51.100.{number}"}).status_code
        for number in (1, 2)
    ]
    assert statuses == told


def test_a_proxy_s_name_is_the_page_s_own_origin(store: Store, wellbeing: Survey) -> None:
    headers = {"X-Forwarded-Host": "survey.example.org", "Origin": "https://survey.example.org"}
    wish = {"fingerprint": wellbeing.fingerprint, "receipt": "A" * 43}
    for hops, expected in ((0, 403), (1, 404)):
        app = create_app(store, proxy_hops=hops).test_client()
        assert app.delete(RESPONSES, json=wish, headers=headers).status_code == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [("192.0.2.7:51234", "192.0.2.7"), ("[2001:db8::7]:443", "2001:db8::7"), ("[2001:db8::7]", "2001:db8::7")],
)
def test_a_port_behind_an_address_is_left_out(one: str, other: str) -> None:
    assert network(one) == network(other) != b""


def test_callers_whose_address_cannot_be_read_do_not_share_a_limit(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    caller = client(store, per_minute=2)
    assert {status(caller, each) for each in ("unknown", "unknown", "", "_hidden", "unknown")} == {404}
    assert [each.message for each in caplog.records] == [UNREADABLE], "once"


def test_one_address_behind_nearly_all_requests_is_a_line_in_the_log(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    caller = client(store, per_minute=10_000)
    for number in range(2 * SAMPLE):
        status(caller, f"192.0.2.{number % 8 if number < SAMPLE else 1}")
    assert [each.message for each in caplog.records] == [SHARED]
    assert "192.0.2" not in caplog.text


def test_a_sample_of_callers_is_forgotten_after_an_hour() -> None:
    now = [0.0]
    sample = CallerSample(lambda: now[0])
    assert not any(sample.ends_alike(b"caller") for _ in range(SAMPLE - 1))
    now[0] = HOUR
    assert not any(sample.ends_alike(b"caller") for _ in range(SAMPLE - 1)), "counted from anew"
    assert sample.ends_alike(b"caller")
