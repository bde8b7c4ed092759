"""The one door in: ``POST /api/v1/surveys/NAME/responses`` takes one disguised response and stores it.

    {"fingerprint": "<SHA-256 of the design>", "codes": {"year": 0, "cannabis": 1, ...}}

Exactly these keys, every question present. Everything else is refused with one line that never repeats what was sent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Response, jsonify, request

from collector.errors import ResponseError
from collector.store import Store
from collector.survey import Survey
from respondent.errors import ForeignError, MediaTypeError, NoSuchSurveyError, OutdatedError

PREFIX = "/api/v1"
LARGEST_BODY = 64 * 1024
KEYS = ("fingerprint", "codes")
LONGEST_INTEGER = 20  # digits; more than any code has


def intake(store: Store) -> Blueprint:
    """The intake, storing in this store."""
    routes = Blueprint("intake", __name__, url_prefix=PREFIX)

    @routes.post("/surveys/<name>/responses")
    def receive(name: str) -> tuple[Response, int]:
        check_sender()
        body = request.get_data(cache=False)  # bounded by the app's MAX_CONTENT_LENGTH
        survey = newest_survey(store, name)
        store.add(survey, [read_response(survey, body)])
        return jsonify(stored=True), 201

    return routes


def newest_survey(store: Store, name: str) -> Survey:
    """The newest published version of a survey.

    Raises:
        NoSuchSurveyError: If there is none of this name.
        StoreError: If the store cannot be read.
    """
    versions = [published.survey for published in store.surveys() if published.name == name]
    if not versions:
        raise NoSuchSurveyError("address", "no survey with this name is open here", "check the link you were given")
    return versions[-1]


def check_sender() -> None:
    """Refuse what is not JSON, and what a page of another site sent: browsers tell, and nobody else has a reason to.

    Raises:
        MediaTypeError: If the media type is not ``application/json``.
        ForeignError: If ``Sec-Fetch-Site`` or ``Origin`` names another site.
    """
    if request.mimetype != "application/json":
        raise MediaTypeError("request", "the media type is not application/json", "send JSON, and say so")
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    ours = origin is None or _host(origin) == request.host.lower()
    if site not in {None, "same-origin"} or not ours:
        raise ForeignError("request", "it comes from another site", "open the survey's own page and answer there")


def _host(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def read_response(survey: Survey, body: bytes) -> tuple[int, ...]:
    """The codes in a body, in question order, once all of it is known to be one response to this survey.

    Raises:
        ResponseError: If it is malformed. The message never repeats any of it.
        OutdatedError: If it answers another version of the survey.
    """
    response = _read_json(body)
    if not isinstance(response, dict) or set(response) != set(KEYS):
        raise ResponseError("body", "the keys are not fingerprint and codes", "send exactly these two")
    fingerprint, codes = response["fingerprint"], response["codes"]
    if not isinstance(fingerprint, str):
        raise ResponseError("fingerprint", "it is not text", "send the fingerprint that came with the page")
    if fingerprint != survey.fingerprint:
        raise OutdatedError("fingerprint", "this is not the survey as it is published now", "reload the page")
    if not isinstance(codes, dict):
        raise ResponseError("codes", "they are not an object", "send one code for each question")
    return survey.checked_codes(codes)


def _read_json(body: bytes) -> object:
    """JSON as the standard has it, and stricter: no key twice, whole numbers only, no NaN."""
    try:
        return json.loads(
            body.decode(),
            object_pairs_hook=_object,
            parse_constant=_refuse_number,
            parse_float=_refuse_number,
            parse_int=_integer,
        )
    except (ValueError, RecursionError):  # not UTF-8, not JSON, or nested too deeply
        raise ResponseError("body", "it is not JSON in UTF-8", "send one JSON object") from None


def _object(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            raise ResponseError("body", "a key is there twice", "send each key once")
        table[key] = value
    return table


def _integer(digits: str) -> int:
    if len(digits) > LONGEST_INTEGER:
        _refuse_number(digits)
    return int(digits)


def _refuse_number(number: str) -> None:
    del number
    raise ResponseError("body", "a number is not a small whole number", "send codes as whole numbers")
