"""Reading what is sent: what a reader gets of a good body. `test_intake.py` has every malformed one."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode

import pytest
from werkzeug.datastructures import MultiDict

from collector.errors import ResponseError
from respondent.intake.body import Received, draw_receipt, read_form, read_response, read_withdrawal

RECEIPT = "A" * 42 + "E"
BYTES = bytes(31) + b"\x01"
BODY = {"fingerprint": "f" * 64, "codes": {"year": 0}, "receipt": RECEIPT}


def test_a_response_is_read() -> None:
    assert read_response(json.dumps(BODY).encode()) == Received("f" * 64, {"year": 0}, BYTES, None)
    invited = json.dumps(BODY | {"invitation": "7ZQ4K"}).encode()
    assert read_response(invited).invitation == "7ZQ4K"


def test_a_withdrawal_is_read() -> None:
    assert read_withdrawal(json.dumps({"fingerprint": "f", "receipt": RECEIPT}).encode()) == BYTES
    assert read_withdrawal(json.dumps({"receipt": RECEIPT}).encode()) == BYTES


def test_a_form_is_read_with_codes_in_digits() -> None:
    form = MultiDict({"fingerprint": "f", "q-year": "3", "q-receipt": "0", "q-fear": "yes", "invitation": " "})
    with pytest.raises(ResponseError, match="receipt: "):
        read_form(form)
    form |= {"receipt": RECEIPT, "proof": "p"}
    assert read_form(form) == Received("f", {"year": 3, "receipt": 0, "fear": None}, BYTES, None, "p")


def test_receipts_are_drawn_and_read_back() -> None:
    drawn = [draw_receipt() for _ in range(100)]
    assert len(set(drawn)) == 100
    for text in drawn:
        wish = json.dumps({"fingerprint": "f", "receipt": text}).encode()
        assert read_withdrawal(wish) == urlsafe_b64decode(f"{text}=")


@pytest.mark.parametrize("last", "BCD_-9")
def test_a_receipt_has_one_spelling(last: str) -> None:
    wish = json.dumps({"fingerprint": "f", "receipt": "A" * 42 + last}).encode()
    with pytest.raises(ResponseError, match="receipt: "):
        read_withdrawal(wish)
