"""What a full survey leaves behind at the server: nothing of a person, searched for as bytes in every file."""

from __future__ import annotations

import base64
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest

from browser_fixtures import Served, Visit
from collector.store.store import Store
from collector.survey.survey import Survey
from filling import ADDRESS, DESKTOP, WORDS, answer, proceed, settled, start, thanked, twin_sends

pytestmark = pytest.mark.browser

AGENT = "Mozilla/5.0 (X11; Linux x86_64) SurelyNobody/77.123"
COMMANDS = Path(sys.executable).parent
SECONDS = 30


@pytest.fixture
def server(tmp_path: Path, wellbeing: Survey) -> Iterator[tuple[str, str]]:
    """The address of `respondent serve` on a store in this folder, with everything it writes, and an invitation."""
    with Store(tmp_path / "deniable.db", create=True) as store:
        store.publish(wellbeing)
        (code,) = store.invite("wellbeing", 1)
    (tmp_path / "tmp").mkdir()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(COMMANDS / "respondent"), "serve", "--port", str(port)]
    environment = os.environ | {"TMPDIR": str(tmp_path / "tmp")}
    with (
        (tmp_path / "server.log").open("wb") as log,
        subprocess.Popen(command, cwd=tmp_path, stdout=log, stderr=log, env=environment) as process,  # noqa: S603 - ours
    ):
        deadline = time.monotonic() + SECONDS
        while not answers(port):
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}", code
        process.terminate()


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_full_survey_leaves_no_code_address_agent_time_or_true_value(
    server: tuple[str, str], tmp_path: Path, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    address, code = server
    here = visit(WORDS, **DESKTOP, user_agent=AGENT)
    here.open(f"{address}/s/wellbeing#{code}")
    answer(here.page, wellbeing)
    proceed(here.page)
    assert thanked(here)
    body = here.posts[0].post_data or ""
    assert json.loads(body)["codes"] == twin_sends(wellbeing)
    receipt = json.loads(body)["receipt"]
    secrets = {
        "the invitation": code.encode(),
        "the invitation without dashes": code.replace("-", "").encode(),
        "the receipt": receipt.encode(),
        "the receipt's bytes": base64.urlsafe_b64decode(f"{receipt}="),
        "the number that was typed": b"850,5",
        "the number in words": b"850.5",
        "the agent": b"SurelyNobody",
        "the body": b'"codes":{',
        "this year": time.strftime("%Y").encode() + b"-",
    }
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"deniable.db", "deniable.db-wal", "server.log"} <= {path.name for path in files}
    for path in files:
        content = path.read_bytes()
        found = [what for what, secret in secrets.items() if secret in content]
        if path.name.startswith("deniable.db"):  # the published design holds the ethics board's 2026/114, no time
            found = [what for what in found if what != "this year"]
        assert found == [], f"{path.name} holds {found}"
    log = (tmp_path / "server.log").read_text()
    assert "POST" not in log
    assert "/s/wellbeing" not in log
    with Store(tmp_path / "deniable.db") as store:
        assert store.rows(wellbeing) == [tuple(twin_sends(wellbeing).values())]


EXPECTED = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-robots-tag": "noindex",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; worker-src 'none'; "
    "form-action {}; base-uri 'none'; frame-ancestors 'none'"
)


def test_a_crawl_stays_at_home_and_finds_the_exact_headers_everywhere(
    served: Served, visit: Callable[..., Visit]
) -> None:
    here = visit()
    requests = here.page.request
    waiting, seen = [f"{served.address}/", f"{served.address}/s/nothing", f"{served.address}{ADDRESS}"], {}
    while waiting:
        url = urldefrag(waiting.pop()).url
        if url in seen:
            continue
        reply = requests.get(url, max_redirects=0)
        seen[url] = reply.status
        headers = reply.headers
        by_hand = urlsplit(url).path.endswith("/by-hand")
        policy = re.sub(r" 'sha256-[\w+/]{43}='", "", headers["content-security-policy"])
        assert policy == POLICY.format("'self'" if by_hand else "'none'"), url
        assert ("sha256" in headers["content-security-policy"]) == ("integrity-policy" in headers), url
        expected = EXPECTED | ({"referrer-policy": "same-origin"} if by_hand else {})
        assert {name: headers.get(name) for name in expected} == expected, url
        assert "set-cookie" not in headers, url
        if "html" in headers["content-type"]:
            links = [
                urljoin(url, link.replace("&amp;", "&"))
                for link in re.findall(r'(?:href|src|action)="([^"]+)"', reply.text())
            ]
            assert all(link.startswith(f"{served.address}/") for link in links), url
            waiting += links
        waiting += [urljoin(url, link) for link in re.findall(r'from ?"(\.\.?/[^"]+)"', reply.text())]
    paths = {urlsplit(url).path for url in seen}
    assert {"/", "/exit", "/s/wellbeing", "/s/wellbeing/by-hand"} <= paths
    assert {"/static/page/survey.mjs", "/static/disguise/coins.mjs"} <= paths
    assert sorted(status for status in seen.values() if status != 200) == [404, 405]
    assert here.page.context.cookies() == []


def test_every_request_of_a_survey_stays_at_home(
    served: Served, visit: Callable[..., Visit], wellbeing: Survey
) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    answer(here.page, wellbeing)
    proceed(here.page)
    assert thanked(here)
    here.page.click("#exit")
    here.page.wait_for_url("about:blank")
    assert all(request.url.startswith(f"{served.address}/") for request in here.requests)
    assert here.page.context.cookies() == []


def test_starting_asks_nothing_of_the_server(served: Served, visit: Callable[..., Visit], wellbeing: Survey) -> None:
    here = visit(WORDS).open(served.page(wellbeing))
    here.page.wait_for_load_state("networkidle")
    loaded = here.paths()
    start(here.page)
    settled(here.page)
    assert here.paths() == loaded
