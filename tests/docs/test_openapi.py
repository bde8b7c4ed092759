"""docs/openapi.yaml is what the server does: schemathesis makes requests of it and judges the answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from collector.store.store import Store
from collector.survey.survey import Survey
from respondent import errors as refusals
from respondent.app import create_app
from respondent.errors import RefusalError
from respondent.intake.callers import Limits
from soak import part_of

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "openapi.yaml"
OPERATIONS = yaml.safe_load(DOCUMENT.read_text(encoding="utf-8"))
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
EXAMPLES = part_of(100, 25)
PATH = "/api/v1/surveys/{name}/responses"
UNLIMITED = Limits(10**9, 10**9)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, wellbeing: Survey) -> Iterator[Store]:
    with Store(tmp_path_factory.mktemp("openapi") / "deniable.db", create=True) as store:
        store.publish(wellbeing)
        yield store


@pytest.fixture(scope="module")
def api(store: Store) -> schemathesis.BaseSchema:
    """The document, with the app behind it, and the one survey's name for every name."""
    schema = schemathesis.openapi.from_dict(OPERATIONS)
    schema.app = create_app(store, limits=UNLIMITED)
    return schema


@pytest.mark.parametrize("method", ["POST", "DELETE"])
@given(data=st.data())
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_answer_is_as_the_document_says(
    method: str, data: st.DataObject, api: schemathesis.BaseSchema, store: Store, wellbeing: Survey
) -> None:
    mode = data.draw(st.sampled_from([GenerationMode.POSITIVE, GenerationMode.NEGATIVE]))
    case = data.draw(api[PATH][method].as_strategy(generation_mode=mode))
    case.path_parameters = {"name": wellbeing.name}
    before = store.count(wellbeing)
    response = case.call()
    case.validate_response(response, checks=CHECKS)
    assert store.count(wellbeing) == before + (response.status_code == 201)


def test_good_requests_are_answered_as_the_document_says(
    api: schemathesis.BaseSchema, store: Store, wellbeing: Survey
) -> None:
    codes = {question.name: question.codes[0] for question in wellbeing.questions}
    wish = {"fingerprint": wellbeing.fingerprint, "receipt": "A" * 43}
    sent = wish | {"codes": codes}
    changed = wish | {"codes": codes | {"year": 1}}
    steps = [("POST", sent, 201), ("POST", sent, 200), ("POST", changed, 200), ("DELETE", wish, 204)]
    unknown = {"receipt": "B" * 42 + "A"}
    for method, body, status in [*steps, ("DELETE", wish, 204), ("POST", sent, 410), ("DELETE", unknown, 404)]:
        case = api[PATH][method].Case(
            path_parameters={"name": wellbeing.name}, body=body, media_type="application/json"
        )
        response = case.call()
        case.validate_response(response, checks=CHECKS)
        assert response.status_code == status
    assert store.count(wellbeing) == 0


def test_every_reason_that_is_given_is_in_the_document() -> None:
    documented = set(OPERATIONS["components"]["schemas"]["Error"]["properties"]["reason"]["enum"])
    given = {
        each.reason for each in vars(refusals).values() if isinstance(each, type) and issubclass(each, RefusalError)
    }
    assert given <= documented


def test_every_route_of_the_interface_is_in_the_document(store: Store) -> None:
    routes = {
        (rule.rule.replace("<name>", "{name}"), method.lower())
        for rule in create_app(store).url_map.iter_rules()
        for method in rule.methods or ()
        if rule.rule.startswith("/api/") and method not in {"OPTIONS", "HEAD"}
    }
    documented = {
        (path, method) for path, item in OPERATIONS["paths"].items() for method in item if method != "parameters"
    }
    assert routes == documented
