"""The modules that disguise, called one by one: bounds, receipts, what a tab keeps, what is sent and answered."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from browser_fixtures import in_browser
from collector.survey.design import survey_from_design
from design_vectors import edited
from respondent.intake.body import read_response

VECTORS = Path(__file__).resolve().parents[1] / "vectors" / "coding.json"
SURVEYS = json.loads(VECTORS.read_text(encoding="utf-8"))["surveys"]
SMALL, SPLIT = SURVEYS["small"], SURVEYS["split"]
ANSWERS = {"year": "2nd", "drug": "rarely", "fear": "no", "income": 500}

pytestmark = pytest.mark.browser


def fingerprint(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def visited(page: Page, body: str, design: Any, **more: Any) -> Any:  # noqa: ANN401 - JSON
    """What a script returns that opens visits to a design; what it sends is noted in `sent`, and succeeds."""
    text = json.dumps(design)
    given = {"text": text, "fingerprint": fingerprint(text), "answers": ANSWERS} | more
    return in_browser(page, VISITS + body, given)


VISITS = """
const { openVisit, fingerprintOf } = await import("/static/disguise/visit.mjs");
const sent = [];
globalThis.fetch = async (address, { method, body }) => { sent.push([address, method, body]); return { ok: true }; };
const open = (text = argument.text) => openVisit("/responses", argument.fingerprint, text);
const failure = async (act) => { try { await act(); return null; } catch (error) { return error.message; } };
const chance = (word) => {
  const taken = [];
  crypto.getRandomValues = (array) => { taken.push(array.byteLength); return array.fill(word); };
  return taken;
};
"""


def test_a_number_is_refused_beyond_its_bounds_and_taken_at_them(modules: Page) -> None:
    found = in_browser(
        modules,
        """return argument.map(([minimum, maximum, answer]) => {
      const question = { name: "n", kind: "number", values: ["<5", ">=5"], minimum, maximum, cuts: [5] };
      try { return coding.valueOf(question, { n: answer }); } catch (error) { return error.problem; }
    });""",
        [[0, 9, -1], [0, 9, 0], [0, 9, 9], [0, 9, 9.5], [None, None, -1], [None, None, 99], [0, 9, "5"], [0, 9, None]],
    )
    assert found == ["minimum", 0, 1, "maximum", 0, 1, "number", "number"]


def test_an_infinite_number_is_none(modules: Page) -> None:
    question = {"name": "n", "kind": "number", "values": ["<5", ">=5"], "minimum": None, "maximum": None, "cuts": [5]}
    refused = in_browser(
        modules,
        """return [NaN, Infinity, -Infinity].map((answer) => {
      try { return coding.valueOf(argument, { n: answer }); } catch (error) { return error.problem; }
    });""",
        question,
    )
    assert refused == ["number"] * 3


def test_a_word_of_chance_is_the_one_that_the_browser_gives(modules: Page) -> None:
    word, taken = visited(modules, "const taken = chance(4_000_000_000); return [coins.secureWord(), taken];", SMALL)
    assert (word, taken) == (4_000_000_000, [4])


def test_a_receipt_is_32_random_bytes_in_base64url(modules: Page) -> None:
    some = [0, 7, 251, 255]
    script = "return argument.some.map((byte) => { const taken = chance(byte); return [coins.newReceipt(), taken]; });"
    expected = [base64.urlsafe_b64encode(bytes([byte] * 32)).decode().rstrip("=") for byte in some]
    assert visited(modules, script, SMALL, some=some) == [[receipt, [32]] for receipt in expected]


def test_a_fingerprint_is_sha_256_in_hexadecimal(modules: Page) -> None:
    texts = ["", "design", "\u0645\u0633\u062d", *map(str, range(20))]
    found = visited(modules, "return Promise.all(argument.texts.map(fingerprintOf));", SMALL, texts=texts)
    assert found == [fingerprint(text) for text in texts]


def test_a_design_that_is_not_that_of_the_fingerprint_is_refused(modules: Page) -> None:
    told = visited(modules, "return failure(() => open(`${argument.text} `));", SMALL)
    assert told == "the design is not the one of the fingerprint"


def test_without_a_secure_context_the_design_is_not_verified(modules: Page) -> None:
    with_it, without = visited(
        modules,
        """const first = (await open()).verified;
    Object.defineProperty(crypto, "subtle", { value: undefined, configurable: true });
    const second = (await open(`${argument.text} `)).verified;
    delete crypto.subtle;
    return [first, second];""",
        SMALL,
    )
    assert (with_it, without) == (True, False)


def test_a_weak_design_is_refused_before_anything_is_asked(modules: Page) -> None:
    weak = edited(SMALL, ["groups", 0, "truth"], value=[4, 3])
    assert visited(modules, "return failure(open);", weak) == 'group "pair"'


def test_without_secure_randomness_nothing_is_asked(modules: Page) -> None:
    told = visited(
        modules,
        """crypto.getRandomValues = () => { throw new Error("no chance here"); };
    return failure(open);""",
        SMALL,
    )
    assert told == "no chance here"


def test_a_response_is_frozen_once_and_its_bytes_are_kept_sent_and_forgotten(modules: Page) -> None:
    found = visited(
        modules,
        """const visit = await open();
    const before = visit.body();
    visit.freeze(argument.answers, "a code");
    const frozen = visit.body();
    const twice = await failure(() => visit.freeze(argument.answers, "a code"));
    const again = await open();
    const reloaded = again.body();
    again.reinvite("another");
    const invited = again.body();
    const answers = [await again.send(), await again.remove("the receipt")];
    again.forget();
    return { before, frozen, twice, reloaded, invited, answers, sent, left: [again.body(), (await open()).body()] };""",
        SMALL,
    )
    assert found["before"] is None
    assert found["twice"] == "the response is frozen"
    assert found["reloaded"] == found["frozen"]
    assert json.loads(found["invited"]) == json.loads(found["frozen"]) | {"invitation": "another"}
    received = read_response(found["frozen"].encode())
    assert (received.invitation, received.fingerprint) == ("a code", fingerprint(json.dumps(SMALL)))
    assert survey_from_design(SMALL).checked_codes(received.codes)
    withdrawal = {"fingerprint": received.fingerprint, "receipt": "the receipt"}
    (address, method, body), (other, deletion, written) = found["sent"]
    assert (address, method, body) == ("/responses", "POST", found["invited"])
    assert (other, deletion, json.loads(written)) == ("/responses", "DELETE", withdrawal)
    assert found["answers"] == ["done", "done"]
    assert found["left"] == [None, None]


def test_a_reload_asks_the_same_questions_of_a_split_questionnaire(modules: Page) -> None:
    """The first visit draws with words that are all 0, the second with others."""
    names = """const names = async () => (await open()).asked.questions.map(({ name }) => name);
    chance(0);"""
    first, reloaded, other = visited(
        modules,
        names
        + """const first = await names();
    chance(2 ** 31);
    const reloaded = await names();
    (await open()).forget();
    return [first, reloaded, await names()];""",
        SPLIT,
    )
    assert first == reloaded != other


def test_a_tab_that_keeps_nothing_of_use_begins_anew(modules: Page) -> None:
    bodies = visited(
        modules,
        """const bodies = [];
    for (const kept of ["null", "is not JSON"]) {
      sessionStorage.setItem(`deniable ${argument.fingerprint}`, kept);
      bodies.push((await open()).body());
    }
    return bodies;""",
        SMALL,
    )
    assert bodies == [None, None]


def test_only_what_may_succeed_later_counts_as_offline(modules: Page) -> None:
    statuses = [200, 400, 404, 407, 408, 409, 428, 429, 430, 499, 500, 501, 503]
    found = visited(
        modules,
        """const { request } = await import("/static/disguise/request.mjs");
    const found = [];
    for (const status of argument.statuses) {
      globalThis.fetch = async () => ({ ok: status === 200, status, json: async () => ({ reason: "the reason" }) });
      found.push(await request("POST", "/responses", "{}"));
    }
    globalThis.fetch = async () => ({ ok: false, status: 400, json: async () => { throw new Error("no JSON"); } });
    found.push(await request("POST", "/responses", "{}"));
    globalThis.fetch = async () => { throw new Error("no network"); };
    return [...found, await request("POST", "/responses", "{}")];""",
        SMALL,
        statuses=statuses,
    )
    later = {408, 429, 500, 501, 503}
    told = ["done" if each == 200 else "offline" if each in later else "the reason" for each in statuses]
    assert found == [*told, "offline", "offline"]


def test_every_response_to_a_design_has_as_many_bytes_as_its_longest(modules: Page) -> None:
    largest = {"a": 100, "b": 10}
    design = {"questions": [{"name": name, "coding": {"codes": [*range(n + 1)]}} for name, n in largest.items()]}
    codes = [{"a": 0, "b": 0}, {"a": 10, "b": 9}, largest, {"a": 99, "b": 10}]
    gaps = [*codes, {"a": None, "b": 0}, {"a": None, "b": None}]
    spaces = "return argument[1].map((codes) => disguise.padding(argument[0], codes));"
    assert in_browser(modules, spaces, [design, codes]) == ["   ", "  ", "", " "]
    found = in_browser(modules, spaces, [design | {"sampling": {"always": [], "ask": 1}}, gaps])
    lengths = {len(json.dumps(each)) + len(padding) for each, padding in zip(gaps, found, strict=True)}
    assert lengths == {len(json.dumps({"a": None, "b": None}))}
