"""Bodies sent to a small survey: a good one, and every malformed one."""

from __future__ import annotations

import json
import re
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from collector.survey_file.survey_file import parse_survey
from malformed import MALFORMED_CODES
from vector_surveys import SMALL

SURVEY = parse_survey(SMALL)
ADDRESS = "/api/v1/surveys/small/responses"
CODES = {"year": 1, "drug": 2, "fear": 0, "income": 1}
RECEIPT = "A" * 43
GOOD = {"fingerprint": SURVEY.fingerprint, "codes": CODES, "receipt": RECEIPT}
BODY = json.dumps(GOOD)
JSON = {"Content-Type": "application/json"}


def post(client: FlaskClient, body: str | bytes = BODY, **headers: str) -> TestResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post(ADDRESS, data=body, headers=JSON | named)


def altered(**changes: Any) -> str:  # noqa: ANN401 - JSON
    return json.dumps(GOOD | changes)


def coded(text: str) -> str:
    """A body with one code written so."""
    return BODY.replace('"income": 1', f'"income": {text}')


BODIES: dict[str, tuple[str | bytes, int, str]] = {
    **{
        f"codes: {why}": (altered(codes=codes), 400, "body:" if why == "a decimal" else f"{place}:")
        for why, codes, place in MALFORMED_CODES
        if why != "a code beyond 2^53"
    },
    "empty": ("", 400, "body:"),
    "a space": (" ", 400, "body:"),
    "not JSON": ("codes=1", 400, "body:"),
    "half of it": (BODY[: len(BODY) // 2], 400, "body:"),
    "two of it": (BODY + BODY, 400, "body:"),
    "a byte order mark": ("\ufeff" + BODY, 400, "body:"),
    "not UTF-8": (BODY.encode("utf-16"), 400, "body:"),
    "a stray byte": (BODY.encode().replace(b"year", b"y\xffar"), 400, "body:"),
    "a lone surrogate, encoded": (BODY.encode().replace(b"year", b"\xed\xa0\x80"), 400, "body:"),
    "a lone surrogate, escaped": (BODY.replace("year", "\\ud800"), 400, "codes:"),
    "a comment": (BODY + " // sent", 400, "body:"),
    "a comma at the end": (BODY.replace("1},", "1,},"), 400, "body:"),
    "single quotes": (BODY.replace('"', "'"), 400, "body:"),
    "nested too deeply": ("[" * 60_000, 400, "body:"),
    "nested too deeply, and closed": ('{"codes":' * 6_000 + "0" + "}" * 6_000, 400, "body:"),
    "a list": (f"[{BODY}]", 400, "body:"),
    "null": ("null", 400, "body:"),
    "a number": ("1", 400, "body:"),
    "text": (json.dumps(BODY), 400, "body:"),
    "no keys": ("{}", 400, "body:"),
    "no receipt": (json.dumps({"fingerprint": SURVEY.fingerprint, "codes": CODES}), 400, "body:"),
    "an empty receipt": (altered(receipt=""), 400, "receipt:"),
    "a receipt too short": (altered(receipt="A" * 42), 400, "receipt:"),
    "a receipt too long": (altered(receipt="A" * 44), 400, "receipt:"),
    "a receipt with padding": (altered(receipt="A" * 43 + "="), 400, "receipt:"),
    "a receipt in another spelling of the same bytes": (altered(receipt="A" * 42 + "B"), 400, "receipt:"),
    "a receipt of plain base64": (altered(receipt="+" + "A" * 42), 400, "receipt:"),
    "a receipt that is no ASCII": (altered(receipt="é" * 43), 400, "receipt:"),
    "a receipt that is a number": (altered(receipt=1), 400, "receipt:"),
    "a receipt that is null": (altered(receipt=None), 400, "receipt:"),
    "an invitation that is null": (altered(invitation=None), 400, "invitation:"),
    "an invitation that is a number": (altered(invitation=7), 400, "invitation:"),
    "no codes": (json.dumps({"fingerprint": SURVEY.fingerprint}), 400, "body:"),
    "no fingerprint": (json.dumps({"codes": CODES}), 400, "body:"),
    "an extra key": (altered(time="now"), 400, "body:"),
    "another extra key": (altered(id=1), 400, "body:"),
    "a key twice": (BODY.replace('"codes"', f'"fingerprint": "{SURVEY.fingerprint}", "codes"'), 400, "body:"),
    "a question twice": (BODY.replace('"year": 1', '"year": 1, "year": 1'), 400, "body:"),
    "a question twice, once escaped": (BODY.replace('"year": 1', '"year": 1, "y\\u0065ar": 2'), 400, "body:"),
    "the fingerprint of another design": (altered(fingerprint="0" * 64), 409, "fingerprint:"),
    "the fingerprint in capitals": (altered(fingerprint=SURVEY.fingerprint.upper()), 409, "fingerprint:"),
    "an empty fingerprint": (altered(fingerprint=""), 409, "fingerprint:"),
    "the fingerprint as a number": (altered(fingerprint=1), 400, "fingerprint:"),
    "the fingerprint as null": (altered(fingerprint=None), 400, "fingerprint:"),
    "NaN": (coded("NaN"), 400, "body:"),
    "Infinity": (coded("Infinity"), 400, "body:"),
    "minus Infinity": (coded("-Infinity"), 400, "body:"),
    "a whole number written as a decimal": (coded("1.0"), 400, "body:"),
    "a whole number written with an exponent": (coded("1e0"), 400, "body:"),
    "a number with a leading nought": (coded("01"), 400, "body:"),
    "a number with a plus": (coded("+1"), 400, "body:"),
    "a hexadecimal number": (coded("0x1"), 400, "body:"),
    "a number of 30 digits": (coded("1" * 30), 400, "body:"),
    "a number of 5,000 digits": (coded("1" * 5_000), 400, "body:"),
    "a number beyond 64 bits": (coded(str(2**64)), 400, 'question "income":'),
    "a number beyond 2^53": (coded(str(2**53)), 400, 'question "income":'),
    "one byte too many": (BODY.ljust(64 * 1024 + 1), 413, "body:"),
    "a megabyte": ("x" * 2**20, 413, "body:"),
}


def refused_in_one_line(answer: TestResponse, place: str) -> None:
    assert answer.mimetype == "application/json"
    assert answer.json is not None
    assert sorted(answer.json) == ["error", "reason"]
    line = answer.json["error"]
    assert line.startswith(place)
    assert line.isprintable()
    assert "; " in line  # the remedy


# Forms by hand

FORM = {"fingerprint": SURVEY.fingerprint, **{f"q-{name}": str(code) for name, code in CODES.items()}}
OURS = {"Origin": "http://localhost"}


def opened(client: FlaskClient, name: str = "small") -> dict[str, str]:
    """The receipt and the proof in the form that the page by hand has now."""
    page = client.get(f"/s/{name}/by-hand").text
    return dict(re.findall(r'<input type="hidden" name="(receipt|proof)" value="([^"]+)">', page))


# Repeats, receipts, invitations


def reason(answer: TestResponse) -> tuple[int, str | None]:
    return answer.status_code, (answer.json or {}).get("reason")
