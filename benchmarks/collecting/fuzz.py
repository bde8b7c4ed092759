"""Fuzz: whatever is sent, never a 5xx, never a row that should not be, never an echo.

    python -m benchmarks.collecting.fuzz [--quick] [--json]

Bodies, headers and forms come from hypothesis, bodies that break the interface's own document from schemathesis, and
requests that are hardly HTTP go to the real server through a socket. The reader of bodies is also driven by atheris,
which watches which branches are taken, where it is installed: it is there for Linux on x86-64 only, hence no part of
the locked tools. 100,000 requests in all, and a million runs of the reader.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import schemathesis
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.generation import GenerationMode

from benchmarks.collecting.serving import running
from benchmarks.collecting.survival import ADDRESS, SURVEY
from benchmarks.collecting.traffic import shout
from benchmarks.record import record
from benchmarks.results import ROOT
from collector.commands.command import print_json, print_table
from collector.store.store import Store
from respondent.app import create_app
from respondent.intake.body import read_receipt
from respondent.intake.callers import Limits
from respondent.intake.proof import draw_proof

MARK = "grey-heron"  # in every text that is sent; in no text of ours
DOCUMENT = ROOT / "docs" / "openapi.yaml"
CODES = {question.name: question.codes[0] for question in SURVEY.questions}
RECEIPT = "A" * 43
JSON = {"Content-Type": "application/json"}
HEADERS = ("Content-Type", "Origin", "Sec-Fetch-Site", "Host", "X-Forwarded-For", "Content-Encoding", "Cookie", "Range")
METHODS = ("POST", "DELETE")
UNANSWERED = 0  # the status where the connection was closed without a word

texts = st.text(max_size=40).map(lambda text: f"{text}{MARK}")
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
anything = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3))
bodies = st.binary(max_size=300) | anything.map(lambda value: json.dumps(value).encode())
header_values = st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=60) | texts.map(ascii)
header_sets = st.dictionaries(st.sampled_from(HEADERS), header_values, min_size=1)
forms = st.dictionaries(texts | st.sampled_from(["fingerprint", "receipt", "q-year"]), texts)


@st.composite
def almost_responses(draw: st.DrawFn) -> bytes:
    """A response with one thing wrong."""
    body: dict[str, Any] = {"fingerprint": SURVEY.fingerprint, "codes": dict(CODES), "receipt": RECEIPT}
    wrong = draw(st.sampled_from(["fingerprint", "codes", "receipt", "invitation", "extra", "code", "question"]))
    if wrong == "code":
        body["codes"][draw(st.sampled_from(sorted(CODES)))] = draw(anything.filter(lambda code: code not in range(16)))
    elif wrong == "question":
        body["codes"][draw(texts)] = draw(anything)
    else:
        body[draw(texts) if wrong == "extra" else wrong] = draw(anything)
    return json.dumps(body).encode()


@st.composite
def hardly_http(draw: st.DrawFn) -> bytes:
    """A request with some bytes of its head replaced, and its body cut or not."""
    body = json.dumps({"fingerprint": MARK, "codes": {}, "receipt": RECEIPT}).encode()
    framing = f"Content-Length: {len(body)}"
    if draw(st.booleans()):
        framing, body = "Transfer-Encoding: chunked", b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    head = f"POST {ADDRESS} HTTP/1.1\r\nHost: {MARK}\r\nContent-Type: application/json\r\n{framing}"
    whole = bytearray(f"{head}\r\nX-Heron: {MARK}\r\nConnection: close\r\n\r\n".encode() + body)
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(whole) - 1))
        whole[place : place + draw(st.integers(0, 8))] = draw(st.binary(max_size=8) | st.just(b"\r\n"))
    return bytes(whole)


@dataclass(frozen=True)
class Fuzzed:
    """What came of one kind of input. A 5xx, a row or an echo ends the run at once, with the input that does it.

    Attributes:
        kind: Kind of the input.
        requests: How many were answered or hung up on.
        statuses: How often each status was given.
    """

    kind: str
    requests: int
    statuses: dict[int, int]


class Door:
    """The app on a store of its own, or a real server, and what must never come out of either.

    Args:
        store: Holds the survey, and nothing else.
        port: Port of the real server, where there is one.
    """

    def __init__(self, store: Store, port: int = 0) -> None:
        self.store = store
        self.port = port
        self.app = create_app(store, limits=Limits(10**9, 10**9))
        self.client: FlaskClient = self.app.test_client()
        self.statuses: Counter[int] = Counter()
        self.proof = draw_proof(store, SURVEY.name, read_receipt(RECEIPT))

    def judge(self, status: int, answer: str) -> None:
        """Take note of an answer.

        Raises:
            AssertionError: If it is a success, a 5xx or an echo, or if a row was stored.
        """
        self.statuses[status] += 1
        if status != UNANSWERED and not 400 <= status < 500:  # as everybody knows them
            raise AssertionError(f"answered with {status}")
        if MARK in answer:
            raise AssertionError("echoed what was sent")
        if self.store.count(SURVEY):
            raise AssertionError("stored a row")

    def body(self, body: bytes, headers: dict[str, str] | None = None) -> None:
        """Send a body to both methods of the interface."""
        for method in METHODS:
            answer = self.client.open(ADDRESS, method=method, data=body, headers=JSON if headers is None else headers)
            self.judge(answer.status_code, f"{answer.headers}{answer.text}")
            if set(answer.json or {}) != {"error", "reason"}:
                raise AssertionError("not refused in the interface's words")

    def head(self, headers: dict[str, str]) -> None:
        """Send headers with a body that is no response."""
        self.body(b"{}", JSON | headers)

    def form(self, form: dict[str, str]) -> None:
        """Send a form that a person might have disguised."""
        data = {key: value.encode(errors="replace") for key, value in form.items()}
        if "receipt" not in form:  # else it would be refused before its codes are read
            data |= {"receipt": RECEIPT.encode(), "proof": self.proof.encode()}
        answer = self.client.post(f"/s/{SURVEY.name}/by-hand", data=data)
        self.judge(answer.status_code, f"{answer.headers}{answer.text}")

    def case(self, case: Any) -> None:  # noqa: ANN401 - schemathesis's own
        """Send what schemathesis made up."""
        case.path_parameters = {"name": SURVEY.name}
        answer = case.call()
        self.judge(answer.status_code, f"{answer.headers}{answer.text}")

    def line(self, sent: bytes) -> None:
        """Send bytes to the real server."""
        answer = shout(self.port, sent)
        status = re.match(rb"HTTP/1\.[01] (\d{3}) ", answer)
        self.judge(int(status[1]) if status else UNANSWERED, answer.decode("latin-1"))


def repeatedly(strategy: st.SearchStrategy[Any], judge: Callable[[Any], None], times: int) -> None:
    """Judge so many examples of a strategy; the first that fails is made small and shown."""
    once = given(strategy)(judge)
    settings(max_examples=times, deadline=None, database=None, suppress_health_check=list(HealthCheck))(once)()


KINDS: dict[str, tuple[st.SearchStrategy[Any], Callable[[Door, Any], None], int]] = {
    "any bytes, any JSON": (bodies, Door.body, 2),
    "a response with one thing wrong": (almost_responses(), Door.body, 2),
    "any headers": (header_sets, Door.head, 2),
    "any form": (forms, Door.form, 1),
    "hardly HTTP, to the real server": (hardly_http(), Door.line, 1),
}


def fuzz(kind: str, door: Door, requests: int) -> Fuzzed:
    """Send about so many requests of one kind."""
    strategy, judge, each = KINDS[kind]
    door.statuses.clear()
    repeatedly(strategy, lambda sent: judge(door, sent), max(1, requests // each))
    return _fuzzed(kind, door)


def fuzz_document(door: Door, requests: int) -> Fuzzed:
    """Send what breaks the interface's own document, as schemathesis finds it."""
    api = schemathesis.openapi.from_path(DOCUMENT)
    api.app = door.app
    door.statuses.clear()
    for method in METHODS:
        cases = api[f"{ADDRESS.replace(SURVEY.name, '{name}')}"][method]
        repeatedly(cases.as_strategy(generation_mode=GenerationMode.NEGATIVE), door.case, requests // 2)
    return _fuzzed("what the document forbids", door)


def _fuzzed(kind: str, door: Door) -> Fuzzed:
    return Fuzzed(kind, door.statuses.total(), dict(sorted(door.statuses.items())))


def fuzz_reader(runs: int) -> dict[str, int] | None:
    """Drive the reader of bodies with atheris so often; what it says of itself, or None where it is not installed.

    Raises:
        RuntimeError: If it found something, with what it says.
    """
    if find_spec("atheris") is None:
        return None
    command = [sys.executable, "-m", "benchmarks.collecting.fuzz_reader"]
    with tempfile.TemporaryDirectory() as corpus, tempfile.TemporaryDirectory() as found:
        options = [corpus, f"-runs={runs}", "-max_len=600", f"-artifact_prefix={found}/"]
        done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)  # noqa: S603 - ours
    last = re.findall(r"DONE +cov: (\d+) ft: (\d+)", done.stderr)
    if done.returncode or not last:
        raise RuntimeError(done.stderr[-2000:])
    return {"runs": runs, "branches": int(last[-1][0]), "features": int(last[-1][1])}


@click.command()
@click.option("--quick", is_flag=True, help="A hundredth of it.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def main(*, quick: bool, as_json: bool) -> None:
    """Fuzz, print what was answered, and fail with the input that should not have been possible."""
    share = 200 if quick else 20_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fuzz.db"
        with Store(path, create=True) as store:
            store.publish(SURVEY)
        with Store(path) as store, running(path) as server:
            door = Door(store, server.port)
            found = [fuzz(kind, door, share) for kind in KINDS]
            found.append(fuzz_document(door, share // 10))
    reader = fuzz_reader(share * 50)
    if as_json:
        command = f"python -m benchmarks.collecting.fuzz{' --quick' if quick else ''}"
        total = sum(each.requests for each in found)
        print_json(record(command, requests=total, kinds=[asdict(each) for each in found], reader=reader))
        return
    print_table(
        ("kind", "requests", "answers"), [(each.kind, f"{each.requests}", f"{each.statuses}") for each in found]
    )
    print(f"the reader alone: {reader or 'atheris is not installed'}")


if __name__ == "__main__":
    main()
