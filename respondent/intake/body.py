"""Strict reading of request bodies: JSON from the page's script, and forms from people who disguise by hand.

Error messages never repeat the content of a body.
"""

import json
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from werkzeug.datastructures import MultiDict

from collector.errors import ResponseError

RECEIPT_BYTES = 32
LONGEST_INTEGER = 20  # maximum number of digits of a number in JSON, more than any code has
QUESTION_PREFIX = "q-"  # prefix of form fields, so that a question named "receipt" differs from the receipt
CODE = re.compile(r"[0-9]{1,5}")
RECEIPT = re.compile(r"[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]")
"""Pattern of a receipt. The last character has four bits, so that each receipt has one spelling."""


@dataclass(frozen=True)
class Received:
    """A well-formed response that has not been compared with its survey yet.

    Attributes:
        fingerprint: Fingerprint of the design that the response answers.
        codes: Codes by name of the question, which have not been checked.
        receipt: Receipt of 32 bytes.
        invitation: Invitation code as the person typed it.
        proof: Proof that this server made the form (see `respondent.intake.proof`); empty for JSON.
    """

    fingerprint: str
    codes: Mapping[str, object]
    receipt: bytes
    invitation: str | None
    proof: str = ""


def draw_receipt() -> str:
    """Return a new receipt: 32 random bytes, written as 43 characters of base64url."""
    return urlsafe_b64encode(secrets.token_bytes(RECEIPT_BYTES)).decode().rstrip("=")


def read_response(body: bytes) -> Received:
    """Return the response in a JSON body.

    Raises:
        ResponseError: If the body is malformed.
    """
    response = _read_object(body, {"fingerprint", "codes", "receipt"}, optional={"invitation"})
    codes, invitation = response["codes"], response.get("invitation")
    if not isinstance(codes, dict):
        raise ResponseError("codes", "the codes are not sent as an object", "send one code for each question")
    if "invitation" in response and not isinstance(invitation, str):
        raise ResponseError("invitation", "the invitation code is not text", "send the code as it was given")
    return Received(_fingerprint(response), codes, read_receipt(response["receipt"]), invitation)


def read_withdrawal(body: bytes) -> bytes:
    """Return the receipt in a request to delete a response, to any version of the survey.

    Raises:
        ResponseError: If the body is malformed.
    """
    wish = _read_object(body, {"receipt"}, optional={"fingerprint"})
    if "fingerprint" in wish:
        _fingerprint(wish)
    return read_receipt(wish["receipt"])


def read_form(form: MultiDict[str, str]) -> Received:
    """Return the response in a form for disguising by hand. The code of question NAME is in the field ``q-NAME``.

    Raises:
        ResponseError: If the form is malformed.
    """
    fields = {key: form.getlist(key) for key in form}
    if any(len(values) != 1 for values in fields.values()):
        raise ResponseError("form", "a field occurs twice", "send each field once")
    given = {key: values[0] for key, values in fields.items()}
    fingerprint, receipt = given.pop("fingerprint", None), given.pop("receipt", None)
    invitation, proof = given.pop("invitation", "").strip() or None, given.pop("proof", "")
    if not all(key.startswith(QUESTION_PREFIX) for key in given):
        raise ResponseError(
            "form", "a field does not belong to a question", "send only the fields of the page that you opened"
        )
    codes = {key[len(QUESTION_PREFIX) :]: int(text) if CODE.fullmatch(text) else None for key, text in given.items()}
    return Received(_fingerprint({"fingerprint": fingerprint}), codes, read_receipt(receipt), invitation, proof)


def _fingerprint(table: Mapping[str, object]) -> str:
    fingerprint = table["fingerprint"]
    if not isinstance(fingerprint, str):
        raise ResponseError(
            "fingerprint", "the fingerprint is not text", "send the fingerprint that came with the page"
        )
    return fingerprint


def read_receipt(text: object) -> bytes:
    """Return the bytes of a receipt. Each receipt has only one valid spelling in base64url.

    Raises:
        ResponseError: If the text is not a receipt.
    """
    if isinstance(text, str) and RECEIPT.fullmatch(text):
        return urlsafe_b64decode(f"{text}=")
    raise ResponseError(
        "receipt", f"it is not {RECEIPT_BYTES} bytes in base64url", "send 43 characters without padding"
    )


def _read_object(body: bytes, required: set[str], optional: frozenset[str] | set[str] = frozenset()) -> dict[str, Any]:
    table = _read_json(body)
    if not isinstance(table, dict) or not required <= set(table) <= required | optional:
        expected = ", ".join(sorted(required))
        raise ResponseError("body", f"the keys are not {expected}", "send an object with exactly these keys")
    return table


def _read_json(body: bytes) -> object:
    """Return the value of a JSON text, in which repeated keys and fractional numbers are not allowed."""
    try:
        return DECODER.decode(body.decode())
    except (ValueError, RecursionError):  # not UTF-8, not JSON, or nested too deeply
        raise ResponseError("body", "the request is not JSON in UTF-8", "send one JSON object") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ResponseError("body", "a key occurs twice", "send each key once")
    return table


def _integer(digits: str) -> int:
    if len(digits) > LONGEST_INTEGER:
        _refuse_number(digits)
    return int(digits)


def _refuse_number(number: str) -> None:
    del number
    raise ResponseError("body", "a number is not a small whole number", "send codes as whole numbers")


DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_refuse_number, parse_float=_refuse_number, parse_int=_integer
)
